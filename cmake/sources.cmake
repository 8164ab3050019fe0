# The lists of sources, in one place. Files that are added to core/ or lua/ are found by themselves.
file(GLOB SLUICE_CORE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/*.c ${PROJECT_SOURCE_DIR}/core/*/*.c)
file(GLOB SLUICE_CORE_HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/core ${PROJECT_SOURCE_DIR}/core/*.h
  ${PROJECT_SOURCE_DIR}/core/*/*.h)

# lua/: engine*.c is libsluice's private state, command/ is the command, the rest is the Lua module (which libsluice has inside,
# too).
file(GLOB SLUICE_ENGINE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/engine*.c)
file(GLOB SLUICE_COMMAND_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/command/*.c)
file(GLOB SLUICE_MODULE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/*.c)
list(REMOVE_ITEM SLUICE_MODULE_SOURCES ${SLUICE_ENGINE_SOURCES})

# The Lua modules of libsluice (without the editor's part, the command's, and what only language servers read), of the command, and the syntaxes.
file(GLOB_RECURSE SLUICE_LUA_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/sluice/*.lua)
set(SLUICE_COMMAND_LUA_FILES ${SLUICE_LUA_FILES})
list(FILTER SLUICE_COMMAND_LUA_FILES INCLUDE REGEX "/lua/sluice/command/")
list(FILTER SLUICE_LUA_FILES EXCLUDE REGEX "/lua/sluice/(nvim|health|command|meta)/")
file(GLOB SLUICE_SCRIPTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/syntaxes/*.lua)
