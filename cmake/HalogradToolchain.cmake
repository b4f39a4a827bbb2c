# SPDX-License-Identifier: BSD-2-Clause
# Compiler flags that every target shares.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or Asan" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-Og -g")
set(CMAKE_C_FLAGS_ASAN "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined")
if(CMAKE_C_COMPILER_ID STREQUAL GNU) # instrumented code confuses gcc's value ranges: it then sees truncations that cannot be
  string(APPEND CMAKE_C_FLAGS_ASAN " -Wno-format-truncation")
else() # Kernels shift rows, so that i is the patch's: u - i0 may lie before u. NULL + 0 is NULL. clang inlines little with -O1.
  string(APPEND CMAKE_C_FLAGS_ASAN " -O2 -fno-sanitize=bounds,pointer-overflow")
endif()
set(CMAKE_EXE_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")
set(CMAKE_SHARED_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")
# The same bits everywhere: no fused multiply-add that the source does not spell out.
# A struct of options may leave its last fields out: they are 0.
add_compile_options(-ffp-contract=off -Wall -Wextra -Wpedantic -Wno-missing-field-initializers)
set(HALOGRAD_OWN_MACHINE "")
if(HALOGRAD_NATIVE)
  set(HALOGRAD_OWN_MACHINE -march=native)
  # Compilers use half of a vector unit of 512 bits unless told otherwise. All of it makes kernels a fifth faster on Granite
  # Rapids, but 5 to 15 % slower on Ice Lake. Processors as new as the first have AVX512_BF16 as well.
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-march=native -mprefer-vector-width=512")
  check_c_source_compiles("#ifndef __AVX512BF16__\n#error\n#endif\nint main(void) { return 0; }" HALOGRAD_WIDE_VECTORS)
  unset(CMAKE_REQUIRED_FLAGS)
  if(HALOGRAD_WIDE_VECTORS)
    list(APPEND HALOGRAD_OWN_MACHINE -mprefer-vector-width=512)
  endif()
  add_compile_options(${HALOGRAD_OWN_MACHINE})
endif()
if(HALOGRAD_WERROR)
  add_compile_options(-Werror)
endif()
