# Writes the Lua modules of DIR that need no host into the C header OUT, as byte arrays.
file(GLOB_RECURSE files RELATIVE ${DIR} ${DIR}/*.lua)
list(FILTER files EXCLUDE REGEX "^(nvim|health|command)/") # the parts of the editor and the command
list(SORT files)
set(text "/* Made by cmake/embed.cmake from lua/sluice. */\n")
set(table "")
foreach(file ${files})
  string(REGEX REPLACE "\\.lua$" "" name ${file})
  string(REGEX REPLACE "/init$" "" module ${name})
  string(REPLACE "/" "." module ${module})
  string(REPLACE "/" "_" name ${name})
  file(READ ${DIR}/${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char lua_${name}[] = {${bytes}0};\n")
  string(APPEND table "    {\"sluice.${module}\", (const char *)lua_${name}, sizeof lua_${name} - 1},\n")
endforeach()
string(APPEND text "static const struct embedded_module {\n    const char *name, *text;\n    size_t len;\n} "
                   "embedded_modules[] = {\n${table}    {NULL, NULL, 0}};\n")
file(WRITE ${OUT} "${text}")
