# sluice_merge(OUT TARGET OBJECTS ARCHIVES TARGETS...): links all into one relocatable object with only the public names. Works with
# the binutils of GNU and LLVM. Debian's static Lua uses libc's streams in a way that shared libraries cannot: these names are
# replaced by our own, which are never used.
function(sluice_merge out target objects archives)
  set(copies)
  foreach(archive ${archives})
    string(MD5 name "${archive}")
    set(copy ${PROJECT_BINARY_DIR}/private/${name}.a)
    add_custom_command(OUTPUT ${copy} DEPENDS ${archive}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/private
      COMMAND ${CMAKE_OBJCOPY} --redefine-sym stdin=sluice__stdin --redefine-sym stdout=sluice__stdout
              --redefine-sym stderr=sluice__stderr ${archive} ${copy}
      VERBATIM)
    list(APPEND copies ${copy})
  endforeach()
  add_custom_command(OUTPUT ${out} DEPENDS ${objects} ${copies}
    COMMAND ${CMAKE_LINKER} -r -o ${out}.tmp ${objects} ${copies}
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=sluice_[a-z]* ${out}.tmp ${out}
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target} DEPENDS ${out})
  add_dependencies(${target} ${ARGN}) # the targets that make the objects and archives
endfunction()
