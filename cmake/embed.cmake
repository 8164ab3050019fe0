# Writes the Lua modules of DIR into the C header OUT, as byte arrays.
file(GLOB files ${DIR}/*.lua)
set(text "/* Made by cmake/embed.cmake from lua/sluice. */\n")
set(table "")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const char lua_${name}[] = {${bytes}0};\n")
  string(APPEND table "    {\"sluice.${name}\", lua_${name}, sizeof lua_${name} - 1},\n")
endforeach()
string(APPEND text "static const struct embedded_module {\n    const char *name, *text;\n    size_t len;\n} "
                   "embedded_modules[] = {\n${table}    {NULL, NULL, 0}};\n")
file(WRITE ${OUT} "${text}")
