# The library's own C as one file, amalgamation/sluice.c of the build folder, with sluice.h beside it: docs/build.md.
#
# Needs: sluice_embed. Defines: sluice_amalgamation (a target, on demand), or nothing where the tool that runs Lua files is not built
if(NOT TARGET sluice_precompile)
  return()
endif()
set(folder ${PROJECT_BINARY_DIR}/amalgamation)
sluice_embed(amalgamation/parts/embedded.h embedded_modules ${PROJECT_SOURCE_DIR}/lua/sluice sluice. ${SLUICE_LUA_FILES}) # as text
add_custom_command(OUTPUT ${folder}/sluice.c
  DEPENDS ${folder}/parts/embedded.h sluice_embedded sluice_precompile ${SLUICE_CORE_SOURCES} ${SLUICE_MODULE_SOURCES}
          ${SLUICE_ENGINE_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/amalgamate.lua
  COMMAND sluice_precompile --run ${PROJECT_SOURCE_DIR}/cmake/amalgamate.lua ${folder}/sluice.c ${folder}/parts
          ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/core/include -- ${SLUICE_CORE_SOURCES} ${SLUICE_MODULE_SOURCES}
          ${SLUICE_ENGINE_SOURCES}
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/core/include/sluice.h ${folder}
  VERBATIM)
add_custom_target(sluice_amalgamation DEPENDS ${folder}/sluice.c)
