# The Lua modules in the library and the command are compiled when Sluice is built, not each time that a state loads them.
# Bytecode works only in the Lua that made it: so a tool with the private Lua, as it is linked into libsluice, makes it.
# If the tool cannot run here (in a cross build), the modules stay text, which the same loader reads.
#
# Defines: sluice_precompile (a target: the tool), or nothing
if(CMAKE_CROSSCOMPILING OR CMAKE_OSX_ARCHITECTURES)
  return()
endif()
add_executable(sluice_precompile ${CMAKE_CURRENT_LIST_DIR}/precompile.c)
if(TARGET sluice_private_objects)
  target_sources(sluice_precompile PRIVATE $<TARGET_OBJECTS:sluice_private_objects>)
  target_link_libraries(sluice_precompile PRIVATE sluice_private_rest sluice_private_headers ${system_libs})
else()
  target_link_libraries(sluice_precompile PRIVATE sluice_private_lua)
endif()
