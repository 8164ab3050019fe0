# lua-argparse, one Lua file that is embedded in the command: the file SLUICE_ARGPARSE, else an installed Lua module,
# else the authors' release, fetched as in dependencies.cmake. Sets SLUICE_ARGPARSE_FILE.
set(SLUICE_ARGPARSE_RELEASE https://github.com/luarocks/argparse/archive/refs/tags/0.7.1.tar.gz
  d344e49404c3e7b3e7fa4fe6741c106f25909d9b24923cb08dcceda1f9754809)
set(SLUICE_ARGPARSE "" CACHE FILEPATH "The file argparse.lua of lua-argparse 0.7")
set(SLUICE_ARGPARSE_ARCHIVE "" CACHE FILEPATH "A local copy of the release of lua-argparse 0.7.1")
if(SLUICE_ARGPARSE)
  if(NOT EXISTS ${SLUICE_ARGPARSE})
    message(FATAL_ERROR "SLUICE_ARGPARSE: there is no file ${SLUICE_ARGPARSE}")
  endif()
  set(SLUICE_ARGPARSE_FILE ${SLUICE_ARGPARSE})
else()
  set(SLUICE_ARGPARSE_FILE)
  if(SLUICE_SYSTEM_LIBS AND NOT SLUICE_ARGPARSE_ARCHIVE)
    # a plain text file: the one of the building machine works for any target
    find_file(SLUICE_ARGPARSE_INSTALLED argparse.lua PATHS /usr/share /usr/local/share /opt/homebrew/share
      PATH_SUFFIXES lua/5.4 lua/5.3 lua/5.1 NO_CMAKE_FIND_ROOT_PATH)
    if(SLUICE_ARGPARSE_INSTALLED)
      set(SLUICE_ARGPARSE_FILE ${SLUICE_ARGPARSE_INSTALLED})
    endif()
  endif()
  if(NOT SLUICE_ARGPARSE_FILE)
    sluice_release(ARGPARSE folder)
    set(SLUICE_ARGPARSE_FILE ${folder}/src/argparse.lua)
  endif()
endif()
message(STATUS "lua-argparse: ${SLUICE_ARGPARSE_FILE}")
