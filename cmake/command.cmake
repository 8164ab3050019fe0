# The command: a C program that starts its Lua front end, lua/sluice/command and argparse, which are embedded in it. It has
# Lua's own archive, with libc's streams, and so the library's objects and not the library, which has hidden both.

find_file(ARGPARSE_LUA argparse.lua REQUIRED PATHS /usr/share/lua/5.4 /usr/local/share/lua/5.4
  DOC "argparse.lua, of the package lua-argparse")

file(GLOB front_end CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/sluice/command/*.lua)
set(files "argparse|${ARGPARSE_LUA}")
set(shared syntax options) # with the library
foreach(name ${shared})
  string(APPEND files "|sluice.${name}|${PROJECT_SOURCE_DIR}/lua/sluice/${name}.lua")
endforeach()
foreach(file ${front_end})
  get_filename_component(name ${file} NAME_WE)
  string(APPEND files "|sluice.command.${name}|${file}")
endforeach()
string(REPLACE "sluice.command.init|" "sluice.command|" files "${files}")
set(header ${PROJECT_BINARY_DIR}/command/embedded_command.h)
add_custom_command(OUTPUT ${header}
  DEPENDS ${front_end} ${ARGPARSE_LUA} ${modules} ${PROJECT_SOURCE_DIR}/cmake/embed_command.cmake
  COMMAND ${CMAKE_COMMAND} -DOUT=${header} "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed_command.cmake
  VERBATIM)

add_executable(sluice_command lua/command/main.c lua/command/library.c lua/command/system.c ${header}
  $<TARGET_OBJECTS:sluice_objects> $<TARGET_OBJECTS:sluice_private>)
target_include_directories(sluice_command PRIVATE core/include ${LUA_INCLUDE_DIRS} ${PROJECT_BINARY_DIR}/command)
target_link_libraries(sluice_command PRIVATE ${LPEG_STATIC} ${LUA_STATIC} cjson m dl)
set_target_properties(sluice_command PROPERTIES OUTPUT_NAME sluice)
