# Builds only build/lua5.1/sluice/core.so, which the Neovim plugin needs besides its Lua files. A build step for plugin
# managers: needs CMake and a C compiler, no root; downloads missing dependencies (docs/build.md).
#   cmake -P cmake/nvim.cmake
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(build ${source}/build/nvim)
separate_arguments(more NATIVE_COMMAND "$ENV{SLUICE_CMAKE_OPTIONS}") # for example -DSLUICE_LUA51_ARCHIVE=FILE
foreach(command "-S;${source};-B;${build};-DCMAKE_BUILD_TYPE=Release;-DSLUICE_NVIM=ON;-DSLUICE_INSTALL=OFF;${more}"
    "--build;${build};--parallel")
  execute_process(COMMAND ${CMAKE_COMMAND} ${command} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "cmake ${command} failed")
  endif()
endforeach()
file(COPY ${build}/lua5.1/sluice/core.so DESTINATION ${source}/build/lua5.1/sluice)
file(REMOVE_RECURSE ${build})
