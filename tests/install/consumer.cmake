# The whole CMakeLists.txt of four programs that use halograd.
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
find_package(halograd 0.1 REQUIRED)
foreach(program consumer own_kernel liar gradient)
  add_executable(${program} ${program}.c)
  target_link_libraries(${program} PRIVATE halograd::halograd)
endforeach()
