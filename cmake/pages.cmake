# The pages, completions and annotations that docs/make.lua makes from the sources and the command: in docs of the build folder.
#
# Needs: sluice_command
# Defines: sluice_pages, SLUICE_PAGES (the folder), or nothing where the tool that runs Lua files is not built
if(TARGET sluice_precompile AND NOT CMAKE_CROSSCOMPILING AND NOT WIN32)
  set(SLUICE_PAGES ${PROJECT_BINARY_DIR}/docs)
  set(files ${SLUICE_PAGES}/sluice.1 ${SLUICE_PAGES}/completion/sluice.bash ${SLUICE_PAGES}/completion/_sluice
    ${SLUICE_PAGES}/completion/sluice.fish ${SLUICE_PAGES}/lua/sluice/meta/vocabulary.lua)
  add_custom_command(OUTPUT ${files}
    DEPENDS sluice_command sluice_precompile ${PROJECT_SOURCE_DIR}/docs/make.lua ${PROJECT_SOURCE_DIR}/docs/options.md
            ${PROJECT_SOURCE_DIR}/core/include/sluice.h
    COMMAND sluice_precompile --run ${PROJECT_SOURCE_DIR}/docs/make.lua $<TARGET_FILE:sluice_command> ${SLUICE_PAGES}
    COMMENT "Making pages" VERBATIM)
  add_custom_target(sluice_pages ALL DEPENDS ${files})
endif()
