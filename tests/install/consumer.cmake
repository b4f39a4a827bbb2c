# The whole CMakeLists.txt of a program that uses halograd.
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
find_package(halograd 0.1 REQUIRED)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE halograd::halograd)
