# The lists of sources. Files added to core/ or lua/ are found automatically.
file(GLOB SLUICE_CORE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/*.c ${PROJECT_SOURCE_DIR}/core/*/*.c)

# lua/: engine*.c is libsluice's private state, command/ is the command, the rest is the Lua module (which is also part
# of libsluice).
file(GLOB SLUICE_ENGINE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/engine*.c)
file(GLOB SLUICE_COMMAND_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/command/*.c)
file(GLOB SLUICE_MODULE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/*.c)
list(REMOVE_ITEM SLUICE_MODULE_SOURCES ${SLUICE_ENGINE_SOURCES})
set(SLUICE_INDEX_SOURCE ${PROJECT_SOURCE_DIR}/lua/index.c) # which cmake/index.c takes the place of

# The Lua modules of libsluice (without those of the editor, the command and language servers), of the command, and the syntaxes.
file(GLOB_RECURSE SLUICE_LUA_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/sluice/*.lua)
set(SLUICE_COMMAND_LUA_FILES ${SLUICE_LUA_FILES})
list(FILTER SLUICE_COMMAND_LUA_FILES INCLUDE REGEX "/lua/sluice/command/")
list(FILTER SLUICE_LUA_FILES EXCLUDE REGEX "/lua/sluice/(nvim|health|command|meta)/")
file(GLOB SLUICE_SCRIPTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/syntaxes/*.lua)
