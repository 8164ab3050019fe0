# Debian's clang for WebAssembly with wasi-libc. SLUICE_CLANG: its name or path.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
if(NOT DEFINED SLUICE_CLANG)
  set(SLUICE_CLANG clang-19)
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SLUICE_CLANG)
set(CMAKE_C_COMPILER ${SLUICE_CLANG})
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_C_COMPILER_WORKS TRUE) # the test links an archive with a program that is not needed
