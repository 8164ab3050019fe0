# Run by LuaRocks (see the rockspec): builds the Lua module for its Lua in a folder of the rock, and copies the module and the
# Lua files to the folders of LuaRocks. Leaves nothing in the checkout.
#   cmake -DPREFIX=... -DLUA_INCDIR=... -DLUADIR=... -DLIBDIR=... -P cmake/rock.cmake
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(build ${PREFIX}/build)
set(options -DCMAKE_BUILD_TYPE=Release -DSLUICE_INSTALL=OFF -DSLUICE_LUA_INCLUDE_DIR=${LUA_INCDIR})
separate_arguments(more NATIVE_COMMAND "$ENV{SLUICE_CMAKE_OPTIONS}") # for example -DSLUICE_CJSON_ARCHIVE=FILE
foreach(command "-S;${source};-B;${build};${options};${more}" "--build;${build};--target;sluice_lua")
  execute_process(COMMAND ${CMAKE_COMMAND} ${command} RESULT_VARIABLE failed)
  if(failed)
    file(REMOVE_RECURSE ${build})
    message(FATAL_ERROR "cmake ${command} failed")
  endif()
endforeach()
file(GLOB module ${build}/lua/sluice/core.*)
file(COPY ${module} DESTINATION ${LIBDIR}/sluice)
file(COPY ${source}/lua/sluice DESTINATION ${LUADIR} FILES_MATCHING PATTERN "*.lua"
  PATTERN command EXCLUDE)
file(COPY ${source}/LICENSE ${source}/THIRD_PARTY_LICENSES DESTINATION ${PREFIX}/doc)
file(REMOVE_RECURSE ${build})
