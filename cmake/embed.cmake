# Writes Lua files into the C header OUT as byte arrays, with a table of their names, ended by a NULL name:
#   cmake -DOUT=FILE -DTABLE=NAME -DBASE=FOLDER -DPREFIX=sluice. -DFILES=FILE.lua,FILE.lua... -P embed.cmake
# A file's name is its path below BASE (or its own, where it lies elsewhere) with dots, without .lua and /init, behind PREFIX.
string(REPLACE "," ";" files "${FILES}")
list(SORT files)
set(text "/* Made by cmake/embed.cmake. */\n#include <stddef.h>\n")
set(table "")
foreach(file ${files})
  string(FIND ${file} "${BASE}/" at)
  if(at EQUAL 0)
    file(RELATIVE_PATH name ${BASE} ${file})
    set(name ${PREFIX}${name})
  else()
    get_filename_component(name ${file} NAME)
  endif()
  string(REGEX REPLACE "(/init)?\\.lua$" "" name ${name})
  string(REPLACE "/" "." name ${name})
  string(MAKE_C_IDENTIFIER ${TABLE}_${name} array)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char ${array}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", (const char *)${array}, sizeof ${array} - 1},\n")
endforeach()
string(APPEND text "#ifndef SLUICE_EMBEDDED_MODULE\n#define SLUICE_EMBEDDED_MODULE\n"
                   "struct embedded_module {\n    const char *name, *text;\n    size_t len;\n};\n#endif\n"
                   "static const struct embedded_module ${TABLE}[] = {\n${table}    {NULL, NULL, 0}};\n")
file(WRITE ${OUT} "${text}")
