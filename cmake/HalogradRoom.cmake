# One target per room (a folder), each with an include directory of its own in which its public headers appear as
# <halograd/name.h>: the same spelling as after installation, and an include that the architecture forbids does not compile.
# Headers called name_private.h stay inside ("name_private.h") and are not installed.
function(hg_headers room)
  add_library(hg_${room}_headers INTERFACE)
  file(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/include/${room}) # a header that was renamed must not live on
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/${room}/halograd)
  foreach(header ${ARGN})
    get_filename_component(file ${header} NAME)
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${header} ${CMAKE_BINARY_DIR}/include/${room}/halograd/${file} SYMBOLIC)
  endforeach()
  target_include_directories(hg_${room}_headers INTERFACE ${CMAKE_BINARY_DIR}/include/${room})
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE headers)
  set_property(GLOBAL APPEND PROPERTY HALOGRAD_PUBLIC_HEADERS ${headers})
endfunction()

# hg_room(folder [USES folder...] [INSIDE folder...] [PLAIN_C]): sources folder/*.c, public headers folder/*.h. It sees the public
# headers of the rooms it uses, and of those that they use; of the rooms it stands INSIDE of, the private headers too.
# PLAIN_C: it sees no PETSc, no MPI, no library at all.
function(hg_room folder)
  cmake_parse_arguments(ARG "PLAIN_C" "" "USES;INSIDE" ${ARGN})
  string(REPLACE "/" "_" room ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.h)
  list(FILTER headers EXCLUDE REGEX "_private\\.h$")
  hg_headers(${room} ${headers})
  foreach(other ${ARG_USES} ${ARG_INSIDE})
    string(REPLACE "/" "_" other_room ${other})
    target_link_libraries(hg_${room}_headers INTERFACE hg_${other_room}_headers)
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(hg_${room} OBJECT ${sources})
  target_link_libraries(hg_${room} PRIVATE hg_${room}_headers)
  foreach(other ${ARG_INSIDE})
    target_include_directories(hg_${room} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${other})
  endforeach()
  if(NOT ARG_PLAIN_C)
    target_link_libraries(hg_${room} PRIVATE halograd::public_dependencies halograd::private_dependencies)
  endif()
  if(folder MATCHES "/generated$") # as hg_add_stencil() compiles kernels: the same bits, and conditions become vectors
    target_compile_options(hg_${room} PRIVATE $<$<C_COMPILER_ID:GNU,Clang>:-fno-math-errno -fno-trapping-math>
                           $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
  endif()
  if(HALOGRAD_FUZZ AND folder MATCHES "^stencils(/|$)") # kernels read no file, and take half of the time when they are instrumented
    target_compile_options(hg_${room} PRIVATE -fno-sanitize=all)
  endif()
  set_property(GLOBAL APPEND PROPERTY HALOGRAD_ROOMS ${folder})
endfunction()

# hg_library(name): one library of all rooms, which apps, tests and benchmarks link; static, or shared with BUILD_SHARED_LIBS.
function(hg_library name)
  add_library(${name})
  get_property(rooms GLOBAL PROPERTY HALOGRAD_ROOMS)
  foreach(folder ${rooms})
    string(REPLACE "/" "_" room ${folder})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:hg_${room}>)
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
  add_library(halograd::${name} ALIAS ${name})
endfunction()
