# The index of the embedded scripts, embedded_index.h: the library as it is without an index makes it. Where that cannot run here (in a
# cross build), or is not built, the index is empty, and `auto` runs all scripts; so it is where Lua or cJSON are compiled here, too.
#
# Needs: the parts of the library in ${parts}. Defines: sluice_private_index (objects), sluice_embedded_index (a target)
set(index ${PROJECT_BINARY_DIR}/embedded_index.h)
if(TARGET sluice_precompile AND NOT TARGET sluice_cjson_objects AND NOT TARGET sluice_private_objects)
  add_executable(sluice_index ${CMAKE_CURRENT_LIST_DIR}/index.c ${parts})
  target_include_directories(sluice_index PRIVATE core/include)
  target_link_libraries(sluice_index PRIVATE sluice_private_lua ${SLUICE_CJSON_LINK} ${system_libs})
  add_custom_command(OUTPUT ${index} DEPENDS sluice_index COMMAND sluice_index ${index})
else()
  file(WRITE ${index} "")
endif()
add_custom_target(sluice_embedded_index DEPENDS ${index})
if(SLUICE_BUILD_LIBRARY)
  add_library(sluice_private_index OBJECT ${SLUICE_INDEX_SOURCE})
  add_dependencies(sluice_private_index sluice_embedded_index)
  target_include_directories(sluice_private_index PRIVATE ${PROJECT_BINARY_DIR})
endif()
