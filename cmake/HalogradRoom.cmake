# SPDX-License-Identifier: BSD-2-Clause
# One target per room (a folder), with include directories of its own. A header stands in one of three classes:
#   name.h           <halograd/name.h>           public: installed, for everybody
#   name_library.h   <halograd/name_library.h>   for this room and the rooms that use it; not installed, not seen by programs
#   name_private.h   "name_private.h"            for this room alone
# An include that the architecture forbids does not compile.

# hg_compile_room(room sources link...): hg_ROOM, whose numbers are double, and hg_ROOM_single, with HALOGRAD_SINGLE
function(hg_compile_room room sources)
  foreach(precision IN LISTS HALOGRAD_PRECISIONS)
    add_library(hg_${room}${precision} OBJECT ${sources})
    target_link_libraries(hg_${room}${precision} PRIVATE ${ARGN})
    target_compile_definitions(hg_${room}${precision} PRIVATE $<$<STREQUAL:${precision},_single>:HALOGRAD_SINGLE>)
  endforeach()
  if(room MATCHES "^stencils") # kernels of floats compute in floats
    target_compile_options(hg_${room}_single PRIVATE -Wdouble-promotion)
  endif()
endfunction()

# hg_define(room NAME=VALUE...): macros of one room
function(hg_define room)
  foreach(precision IN LISTS HALOGRAD_PRECISIONS)
    target_compile_definitions(hg_${room}${precision} PRIVATE ${ARGN})
  endforeach()
endfunction()

function(hg_link_headers room class)
  set(include ${CMAKE_BINARY_DIR}/include/${class}/${room})
  file(REMOVE_RECURSE ${include}) # a header that was renamed must not live on
  file(MAKE_DIRECTORY ${include}/halograd)
  foreach(header ${ARGN})
    get_filename_component(file ${header} NAME)
    file(CREATE_LINK ${header} ${include}/halograd/${file} SYMBOLIC)
  endforeach()
  add_library(hg_${room}_${class} INTERFACE)
  target_include_directories(hg_${room}_${class} INTERFACE ${include})
endfunction()

# hg_room(folder [USES folder...] [PLAIN_C]): sources folder/*.c. It sees the public and library headers of the rooms it uses, and of
# those that they use.
# PLAIN_C: it sees no PETSc, no MPI, no library at all.
function(hg_room folder)
  cmake_parse_arguments(ARG "PLAIN_C" "" "USES" ${ARGN})
  string(REPLACE "/" "_" room ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c)
  file(GLOB public CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.h)
  set(library ${public})
  list(FILTER public EXCLUDE REGEX "_(private|library)\\.h$")
  list(FILTER library INCLUDE REGEX "_library\\.h$")
  hg_link_headers(${room} headers ${public})
  hg_link_headers(${room} library ${library})
  set_property(GLOBAL APPEND PROPERTY HALOGRAD_PUBLIC_HEADERS ${public})
  target_link_libraries(hg_${room}_library INTERFACE hg_${room}_headers)
  foreach(other ${ARG_USES})
    string(REPLACE "/" "_" other_room ${other})
    target_link_libraries(hg_${room}_headers INTERFACE hg_${other_room}_headers)
    target_link_libraries(hg_${room}_library INTERFACE hg_${other_room}_library)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY HALOGRAD_LIBRARY_HEADERS hg_${room}_library)
  if(NOT sources)
    return()
  endif()
  hg_compile_room(${room} "${sources}" hg_${room}_library)
  if(NOT ARG_PLAIN_C)
    foreach(target hg_${room} hg_${room}_single)
      target_link_libraries(${target} PRIVATE halograd::public_dependencies halograd::private_dependencies)
      target_compile_options(${target} PRIVATE -include ${PROJECT_SOURCE_DIR}/mesh/trace/own_calls_private.h) # the trace sees what it calls
    endforeach()
  endif()
  set_property(GLOBAL APPEND PROPERTY HALOGRAD_ROOMS ${folder})
endfunction()

# hg_generated_room(folder): the room folder/generated, which lies in the build folder: kernels that hgstencil writes from folder/*.stencil,
# NAME_generated.c and <halograd/NAME_generated.h> from NAME.stencil. It uses `folder`.
function(hg_generated_room folder)
  string(REPLACE "/" "_" other ${folder})
  set(room ${other}_generated)
  set(written ${CMAKE_BINARY_DIR}/generated/${folder})
  set(include ${written}/include)
  file(GLOB texts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.stencil)
  foreach(text ${texts})
    get_filename_component(name ${text} NAME_WLE)
    set(c ${written}/${name}_generated.c)
    set(header ${include}/halograd/${name}_generated.h)
    hg_write_kernels(${text} ${c} ${header} -i <halograd/${name}_generated.h>)
    list(APPEND sources ${c})
    list(APPEND headers ${header})
  endforeach()
  add_custom_target(hg_write_${room} DEPENDS ${sources} ${headers})
  add_library(hg_${room}_headers INTERFACE)
  target_include_directories(hg_${room}_headers INTERFACE ${include})
  target_link_libraries(hg_${room}_headers INTERFACE hg_${other}_headers)
  add_dependencies(hg_${room}_headers hg_write_${room})
  hg_compile_room(${room} "${sources}" hg_${room}_headers)
  hg_generated_kernels(hg_${room})
  hg_generated_kernels(hg_${room}_single)
  set_property(GLOBAL APPEND PROPERTY HALOGRAD_PUBLIC_HEADERS ${headers})
  set_property(GLOBAL APPEND PROPERTY HALOGRAD_ROOMS ${folder}/generated)
endfunction()

# hg_library(precision): halograd or halograd_single, one library of all rooms, which apps, tests and benchmarks link; static, or shared with
# BUILD_SHARED_LIBS.
function(hg_library precision)
  set(name halograd${precision})
  add_library(${name})
  if(precision)
    target_compile_definitions(${name} PUBLIC HALOGRAD_SINGLE)
  endif()
  get_property(rooms GLOBAL PROPERTY HALOGRAD_ROOMS)
  foreach(folder ${rooms})
    string(REPLACE "/" "_" room ${folder})
    if(HALOGRAD_FUZZ AND folder MATCHES "^stencils(/|$)") # kernels read no file, and take half of the time when they are instrumented
      target_compile_options(hg_${room}${precision} PRIVATE -fno-sanitize=all)
    endif()
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:hg_${room}${precision}>)
    target_link_libraries(${name} PUBLIC $<BUILD_INTERFACE:hg_${room}_headers>)
  endforeach()
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Kernels of programs outside the tree have the same bits, too: no fused multiply-add that the source does not spell out.
  target_compile_options(${name} INTERFACE $<$<COMPILE_LANGUAGE:C>:-ffp-contract=off>)
  target_link_libraries(${name} PUBLIC halograd::public_dependencies PRIVATE halograd::private_dependencies)
  if(CMAKE_BUILD_TYPE STREQUAL Asan)
    target_sources(${name} INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/tests/sanitizers.c>)
    target_compile_definitions(${name} INTERFACE $<BUILD_INTERFACE:HALOGRAD_SUPPRESSIONS="${CMAKE_CURRENT_SOURCE_DIR}/tests/asan.supp">)
  endif()
  # before version 1 a new minor version may change any function: programs are linked to major and minor
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  # CMake refuses a target that links both precisions.
  set_target_properties(${name} PROPERTIES INTERFACE_HALOGRAD_PRECISION "real${precision}" COMPATIBLE_INTERFACE_STRING HALOGRAD_PRECISION)
  add_library(halograd::${name} ALIAS ${name})
  # For the tests: the headers that the rooms share, too.
  get_property(headers GLOBAL PROPERTY HALOGRAD_LIBRARY_HEADERS)
  add_library(${name}_inside INTERFACE)
  target_link_libraries(${name}_inside INTERFACE ${name} ${headers})
endfunction()
