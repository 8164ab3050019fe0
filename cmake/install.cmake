# The installed files, and the packages that cpack makes.
if(SLUICE_BUILD_LIBRARY)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /) # so that an installed tree can be moved
  string(JOIN " " system_flags ${system_libs})
  string(REGEX REPLACE "([a-z]+)" "-l\\1" system_flags "${system_flags}")
  configure_file(cmake/sluice.pc.in sluice.pc @ONLY)
  write_basic_package_version_file(sluice-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(TARGETS sluice sluice_static sluice_core EXPORT sluice COMPONENT development
    LIBRARY COMPONENT library NAMELINK_COMPONENT development RUNTIME COMPONENT library)
  install(EXPORT sluice NAMESPACE sluice:: FILE sluice-config.cmake DESTINATION ${package} COMPONENT development)
  install(FILES ${PROJECT_BINARY_DIR}/sluice-config-version.cmake DESTINATION ${package} COMPONENT development)
  install(FILES ${PROJECT_BINARY_DIR}/sluice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
  install(FILES core/include/sluice.h TYPE INCLUDE COMPONENT development)
  install(DIRECTORY core/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sluice/core COMPONENT development
    FILES_MATCHING PATTERN "*.h")
  install(DIRECTORY syntaxes DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice COMPONENT library FILES_MATCHING PATTERN "*.lua")
endif()
if(TARGET sluice_command)
  install(TARGETS sluice_command COMPONENT command)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sluice RENAME copyright COMPONENT command)
  if(SLUICE_PAGES)
    install(FILES ${SLUICE_PAGES}/sluice.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    install(FILES ${SLUICE_PAGES}/completion/sluice.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      RENAME sluice COMPONENT command)
    install(FILES ${SLUICE_PAGES}/completion/_sluice DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)
    install(FILES ${SLUICE_PAGES}/completion/sluice.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
      COMPONENT command)
    install(DIRECTORY ${SLUICE_PAGES}/reference ${SLUICE_PAGES}/syntaxes.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sluice
      COMPONENT command)
  endif()
endif()

set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_CONTACT "The authors of Sluice")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Takes tool calls out of a language model's output while it streams")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # and ldconfig is run
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "lua-lpeg")
if(NOT CPACK_GENERATOR)
  set(CPACK_GENERATOR TGZ)
endif()
include(CPack)
