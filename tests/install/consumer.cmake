# SPDX-License-Identifier: BSD-2-Clause
# The whole CMakeLists.txt of five programs that use halograd; the last one's kernels are written by hgstencil.
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
find_package(halograd 0.1 REQUIRED)
foreach(program consumer own_kernel liar gradient)
  add_executable(${program} ${program}.c)
  target_link_libraries(${program} PRIVATE halograd::halograd)
endforeach()
hg_add_stencil(gray_scott.stencil)
add_executable(gray_scott gray_scott.c)
target_link_libraries(gray_scott PRIVATE gray_scott_stencil)
