# The lists of sources. Files added to core/ or lua/ are found automatically.
file(GLOB SLUICE_CORE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/*.c ${PROJECT_SOURCE_DIR}/core/*/*.c)
list(FILTER SLUICE_CORE_SOURCES EXCLUDE REGEX "/core/next/")

# lua/: engine*.c is libsluice's private state, command/ is the command, the rest is the Lua module (which is also part
# of libsluice).
file(GLOB SLUICE_ENGINE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/engine*.c)
file(GLOB SLUICE_COMMAND_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/command/*.c)
file(GLOB SLUICE_MODULE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/*.c)
list(REMOVE_ITEM SLUICE_MODULE_SOURCES ${SLUICE_ENGINE_SOURCES})
if(SLUICE_NEXT) # the core that replaces core/, and its bridge
  file(GLOB SLUICE_CORE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/next/*.c ${PROJECT_SOURCE_DIR}/core/next/json/*.c
    ${PROJECT_SOURCE_DIR}/core/schema/*.c)
  foreach(file alloc utf8 output doubt outside hints)
    list(APPEND SLUICE_CORE_SOURCES ${PROJECT_SOURCE_DIR}/core/${file}.c)
  endforeach()
  list(FILTER SLUICE_MODULE_SOURCES EXCLUDE REGEX "/(luastream|script_calls|program|handle|coroutine|answers).c$")
  file(GLOB next CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/next/*.c)
  list(APPEND SLUICE_MODULE_SOURCES ${next})
endif()

# The Lua modules of libsluice (without those of the editor, the command and language servers), of the command, and the syntaxes.
file(GLOB_RECURSE SLUICE_LUA_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/sluice/*.lua)
set(SLUICE_COMMAND_LUA_FILES ${SLUICE_LUA_FILES})
list(FILTER SLUICE_COMMAND_LUA_FILES INCLUDE REGEX "/lua/sluice/command/")
list(FILTER SLUICE_LUA_FILES EXCLUDE REGEX "/lua/sluice/(nvim|health|command|meta)/")
file(GLOB SLUICE_SCRIPTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/syntaxes/*.lua)
