# The command. Its part in Lua (lua/sluice/command) is embedded with lua-argparse and the modules that it shares with the library;
# it runs in a separate Lua, with libc's streams, since libsluice hides its Lua.
add_executable(sluice_command ${SLUICE_COMMAND_SOURCES})
target_include_directories(sluice_command PRIVATE core/include ${PROJECT_BINARY_DIR})
include(cmake/argparse.cmake)
sluice_embed(embedded_command.h embedded_modules ${PROJECT_SOURCE_DIR}/lua/sluice sluice. COMPILED
  ${SLUICE_COMMAND_LUA_FILES} ${PROJECT_SOURCE_DIR}/lua/sluice/lists.lua ${PROJECT_SOURCE_DIR}/lua/sluice/nearest.lua
  ${PROJECT_SOURCE_DIR}/lua/sluice/options.lua ${PROJECT_SOURCE_DIR}/lua/sluice/stream.lua ${PROJECT_SOURCE_DIR}/lua/sluice/wire/read.lua
  ${PROJECT_SOURCE_DIR}/lua/sluice/wire/frames.lua ${PROJECT_SOURCE_DIR}/lua/sluice/wire/text.lua ${SLUICE_ARGPARSE_FILE})
target_sources(sluice_command PRIVATE ${PROJECT_BINARY_DIR}/embedded_command.h $<TARGET_OBJECTS:sluice_objects>
  $<TARGET_OBJECTS:sluice_private> $<TARGET_OBJECTS:sluice_private_index>)
target_link_libraries(sluice_command PRIVATE sluice_private_lua ${SLUICE_CJSON_LINK} ${system_libs})
set_target_properties(sluice_command PROPERTIES OUTPUT_NAME sluice)
