# Finds the dependencies: the system's, else the authors' releases, fetched at configure time. private_lua.cmake and
# argparse.cmake do the same for the private Lua and for the command.
#
# Defines: sluice_cjson (a target: cJSON), SLUICE_CJSON_PRIVATE_LIBS (for sluice.pc), sluice_release, sluice_find_lua.
include(FetchContent)
include(${CMAKE_CURRENT_LIST_DIR}/rename.cmake)

# A cross build uses its own system only if asked.
set(system ON)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_SYSROOT AND NOT CMAKE_FIND_ROOT_PATH)
  set(system OFF)
endif()
option(SLUICE_SYSTEM_LIBS "Use the system's Lua, LPeg and cJSON if installed" ${system})
option(SLUICE_FETCH "Download the authors' releases of missing dependencies" ON)

# The releases. The hashes are of the authors' archives; Debian's .orig archives are identical.
set(SLUICE_LUA_RELEASE https://www.lua.org/ftp/lua-5.4.7.tar.gz
  9fbf5e28ef86c69858f6d3d34eccc32e911c1a28b4120ff3e84aaa70cfbf1e30)
set(SLUICE_LUA51_RELEASE https://www.lua.org/ftp/lua-5.1.5.tar.gz
  2640fc56a795f29d28ef15e13c34a47e223960b0240e8cb0a82d9b0738695333)
set(SLUICE_LPEG_RELEASE https://www.inf.puc-rio.br/~roberto/lpeg/lpeg-1.1.0.tar.gz
  4b155d67d2246c1ffa7ad7bc466c1ea899bbc40fef0257cc9c03cecbaed4352a)
set(SLUICE_CJSON_RELEASE https://github.com/DaveGamble/cJSON/archive/refs/tags/v1.7.19.tar.gz
  7fa616e3046edfa7a28a32d5f9eacfd23f92900fe1f8ccd988c1662f30454562)
set(SLUICE_LUA_ARCHIVE "" CACHE FILEPATH "A local copy of lua-5.4.7.tar.gz, used in place of the system's Lua")
set(SLUICE_LUA51_ARCHIVE "" CACHE FILEPATH "A local copy of lua-5.1.5.tar.gz, whose headers are used in place of the system's")
set(SLUICE_LPEG_ARCHIVE "" CACHE FILEPATH "A local copy of lpeg-1.1.0.tar.gz, used in place of the system's LPeg")
set(SLUICE_CJSON_ARCHIVE "" CACHE FILEPATH "A local copy of cJSON v1.7.19.tar.gz, used in place of the system's cJSON")

set(sluice_packages_LUA "Debian: liblua5.4-dev; Fedora: lua-devel lua-static; Alpine: lua5.4-dev; Arch: lua; macOS: brew install lua@5.4")
set(sluice_packages_LUA51 "Debian: liblua5.1-0-dev; Fedora: compat-lua-devel; Alpine: lua5.1-dev; Arch: lua51; macOS: brew install luajit")
set(sluice_packages_LPEG "Debian: lua-lpeg-dev; Fedora, Alpine, Arch and macOS have no static LPeg: it must be fetched")
set(sluice_packages_CJSON "Debian: libcjson-dev; Fedora: cjson-devel; Alpine: cjson-dev; Arch: cjson; macOS: brew install cjson")
set(sluice_packages_ARGPARSE
  "Debian: lua-argparse; Fedora: lua-argparse; Alpine: lua-argparse; Arch: lua-argparse; macOS: luarocks install argparse")

# sluice_release(NAME OUT): unpacks a release, and sets OUT to its folder.
function(sluice_release name out)
  list(GET SLUICE_${name}_RELEASE 0 url)
  list(GET SLUICE_${name}_RELEASE 1 hash)
  string(TOLOWER sluice_${name}_release content)
  if(SLUICE_${name}_ARCHIVE)
    if(NOT EXISTS ${SLUICE_${name}_ARCHIVE})
      message(FATAL_ERROR "SLUICE_${name}_ARCHIVE: there is no file ${SLUICE_${name}_ARCHIVE}")
    endif()
    file(SHA256 ${SLUICE_${name}_ARCHIVE} found)
    if(NOT found STREQUAL hash)
      message(FATAL_ERROR "SLUICE_${name}_ARCHIVE: ${SLUICE_${name}_ARCHIVE} is not the release ${url}\n"
        "Its SHA-256 is ${found}, not ${hash}.")
    endif()
    set(url ${SLUICE_${name}_ARCHIVE})
  elseif(NOT SLUICE_FETCH)
    message(FATAL_ERROR "${name} is not found on this system, and SLUICE_FETCH is off. Install it\n"
      "  ${sluice_packages_${name}}\n"
      "or name a copy of ${url} in SLUICE_${name}_ARCHIVE, or set SLUICE_FETCH=ON.")
  else()
    message(STATUS "${name} is not found on this system (${sluice_packages_${name}})")
    message(STATUS "  fetching ${url}; without a network, name a copy of it in SLUICE_${name}_ARCHIVE")
  endif()
  # its own build files are not used: SOURCE_SUBDIR is a folder without any
  FetchContent_Declare(${content} URL ${url} URL_HASH SHA256=${hash} DOWNLOAD_EXTRACT_TIMESTAMP ON
    SOURCE_SUBDIR no-build-files)
  FetchContent_MakeAvailable(${content})
  set(${out} ${${content}_SOURCE_DIR} PARENT_SCOPE)
endfunction()

find_package(PkgConfig QUIET)

# sluice_lua_version(FOLDER OUT): sets OUT to the version ("5.4") of the Lua headers in this folder, or to nothing.
function(sluice_lua_version folder out)
  set(${out} "" PARENT_SCOPE)
  if(EXISTS ${folder}/lua.h)
    file(READ ${folder}/lua.h text)
    if(text MATCHES "define[ \t]+LUA_VERSION_NUM[ \t]+([0-9])0([0-9])")
      set(${out} ${CMAKE_MATCH_1}.${CMAKE_MATCH_2} PARENT_SCOPE)
    endif()
  endif()
endfunction()

# sluice_find_lua(VERSION OUT): sets OUT to the folders of the headers of this version of Lua, or to nothing.
function(sluice_find_lua version out)
  string(REPLACE "." "" short ${version})
  set(folders)
  if(PKG_CONFIG_FOUND AND NOT CMAKE_CROSSCOMPILING)
    set(names lua${version} lua-${version} lua${short} lua)
    if(version STREQUAL "5.1")
      list(APPEND names luajit)
    endif()
    foreach(name ${names})
      pkg_check_modules(SLUICE_LUA_${short}_${name} QUIET ${name})
      if(SLUICE_LUA_${short}_${name}_FOUND)
        pkg_get_variable(include ${name} includedir)
        list(APPEND folders ${SLUICE_LUA_${short}_${name}_INCLUDE_DIRS} ${include})
      endif()
    endforeach()
  endif()
  find_package(Lua ${version} EXACT QUIET)
  list(APPEND folders ${LUA_INCLUDE_DIR})
  find_path(SLUICE_LUA_${short}_INCLUDE lua.h HINTS ${folders}
    PATH_SUFFIXES lua${version} lua-${version} lua${short} lua/${version} lua luajit-2.1 luajit-2.0)
  list(APPEND folders ${SLUICE_LUA_${short}_INCLUDE})
  unset(found)
  foreach(folder ${folders})
    sluice_lua_version(${folder} here)
    if(here STREQUAL version AND NOT found)
      set(found ${folder})
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# ---- cJSON ----------------------------------------------------------------------------------------------------------------

add_library(sluice_cjson INTERFACE)
set(SLUICE_CJSON_PRIVATE_LIBS "")
set(sluice_cjson_renamed)
if(SLUICE_SYSTEM_LIBS AND NOT SLUICE_CJSON_ARCHIVE)
  if(PKG_CONFIG_FOUND AND NOT CMAKE_CROSSCOMPILING)
    pkg_check_modules(SLUICE_PC_CJSON QUIET libcjson)
  endif()
  find_path(SLUICE_CJSON_INCLUDE cJSON.h HINTS ${SLUICE_PC_CJSON_INCLUDE_DIRS} PATH_SUFFIXES cjson)
  find_library(SLUICE_CJSON_LIBRARY NAMES cjson HINTS ${SLUICE_PC_CJSON_LIBRARY_DIRS})
endif()
if(SLUICE_CJSON_INCLUDE AND SLUICE_CJSON_LIBRARY AND SLUICE_SYSTEM_LIBS AND NOT SLUICE_CJSON_ARCHIVE)
  message(STATUS "cJSON: ${SLUICE_CJSON_LIBRARY}")
  get_filename_component(folder ${SLUICE_CJSON_INCLUDE} DIRECTORY)
  target_include_directories(sluice_cjson INTERFACE ${folder})
  get_filename_component(folder ${SLUICE_CJSON_LIBRARY} DIRECTORY)
  set(SLUICE_CJSON_LINK cjson)
  set(SLUICE_CJSON_PRIVATE_LIBS " -lcjson")
  list(FIND CMAKE_C_IMPLICIT_LINK_DIRECTORIES ${folder} usual)
  if(usual EQUAL -1)
    set(SLUICE_CJSON_LINK ${SLUICE_CJSON_LIBRARY})
    set(SLUICE_CJSON_PRIVATE_LIBS " -L${folder} -lcjson")
  endif()
  target_link_libraries(sluice_cjson INTERFACE ${SLUICE_CJSON_LINK})
else()
  sluice_release(CJSON folder)
  file(COPY ${folder}/cJSON.h ${folder}/cJSON.c DESTINATION ${PROJECT_BINARY_DIR}/private/cjson)
  set(sluice_cjson_renamed ${PROJECT_BINARY_DIR}/private/cjson_names.h)
  sluice_rename(${sluice_cjson_renamed} ${folder}/cJSON.h)
  add_library(sluice_cjson_objects OBJECT ${PROJECT_BINARY_DIR}/private/cjson/cJSON.c)
  target_compile_options(sluice_cjson_objects PRIVATE -w -include ${sluice_cjson_renamed})
  target_compile_definitions(sluice_cjson_objects PRIVATE CJSON_HIDE_SYMBOLS)
  target_include_directories(sluice_cjson INTERFACE ${PROJECT_BINARY_DIR}/private)
  target_compile_definitions(sluice_cjson INTERFACE CJSON_HIDE_SYMBOLS)
  target_compile_options(sluice_cjson INTERFACE "SHELL:-include ${sluice_cjson_renamed}")
endif()
