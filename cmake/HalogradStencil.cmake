# SPDX-License-Identifier: BSD-2-Clause
# hg_add_stencil(FILE.stencil...): writes FILE.c and FILE.h with hgstencil, anew whenever FILE.stencil changes, and makes of them the library
# FILE_stencil: a program that links it includes "FILE.h"; FILE_stencil_single is the same for halograd::halograd_single. Needs Python 3.8 or
# later. Read by everybody who uses halograd.
function(hg_add_stencil)
  if(NOT ARGN)
    message(FATAL_ERROR "hg_add_stencil() expects one file FILE.stencil or more")
  elseif(NOT TARGET halograd::halograd OR NOT HALOGRAD_STENCIL_GENERATOR)
    message(FATAL_ERROR "hg_add_stencil(${ARGN}) does not see halograd: find_package(halograd) must stand above it, in the same folder's "
                        "CMakeLists.txt or in one that adds this folder; what a subfolder finds is not seen outside of it")
  endif()
  find_package(Python3 3.8 QUIET COMPONENTS Interpreter)
  if(NOT Python3_Interpreter_FOUND)
    message(FATAL_ERROR "hg_add_stencil(${ARGN}) needs Python 3.8 or later, which was not found")
  endif()
  foreach(file IN LISTS ARGN)
    hg_add_one_stencil("${file}")
  endforeach()
endfunction()

# Every library and program is made twice: NAME in double, NAME_single in single precision.
set(HALOGRAD_PRECISIONS "" _single)

set(HALOGRAD_KERNEL_FLAGS -fno-math-errno -fno-trapping-math)

# hg_generated_kernels(target): it compiles what hgstencil wrote. No option changes a bit; roots and conditions become vectors.
# Without a build type the kernels are optimised all the same, for the instruction set of the installed library, unless flags say otherwise.
function(hg_generated_kernels target)
  set(no_build_type "$<STREQUAL:$<CONFIG>,>")
  if(CMAKE_C_FLAGS MATCHES "(^| )-O")
    set(no_build_type 0)
  endif()
  set(machine ${HALOGRAD_MACHINE})
  if(CMAKE_C_FLAGS MATCHES "(^| )-m(arch|cpu|tune)=")
    set(machine "")
  endif()
  target_compile_options(${target} PRIVATE $<$<AND:${no_build_type},$<C_COMPILER_ID:GNU,Clang>>:-O3>
                         "$<$<C_COMPILER_ID:GNU,Clang>:${HALOGRAD_KERNEL_FLAGS};${machine}>"
                         $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>) # some loops, as those that call exp(), cannot become vectors
endfunction()

# hg_write_kernels(SOURCE.stencil FILE.c FILE.h [option of hgstencil...]): the rule that writes both files, anew whenever SOURCE.stencil or the
# generator changes.
function(hg_write_kernels source c header)
  get_filename_component(generator "${HALOGRAD_STENCIL_GENERATOR}" DIRECTORY)
  file(GLOB modules CONFIGURE_DEPENDS "${generator}/*.py")
  foreach(file ${c} ${header})
    get_filename_component(folder ${file} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
  endforeach()
  add_custom_command(OUTPUT ${c} ${header}
    COMMAND ${Python3_EXECUTABLE} -B ${HALOGRAD_STENCIL_GENERATOR} ${source} -o ${c} -h ${header} ${ARGN}
    DEPENDS ${source} ${HALOGRAD_STENCIL_GENERATOR} ${modules} COMMENT "hgstencil ${source}" VERBATIM)
endfunction()

# hg_name_slow_build(): says once, when the project has said all, that nothing optimises its own kernels.
function(hg_name_slow_build)
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT several AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_C_FLAGS MATCHES "(^| )-O")
    message(NOTICE "halograd: this project has no build type, so its own C files are compiled without optimisation: kernels among them are "
                   "three times slower or more. Configure with -DCMAKE_BUILD_TYPE=Release.")
  endif()
endfunction()

function(hg_add_one_stencil file)
  get_filename_component(source "${file}" ABSOLUTE)
  get_filename_component(name "${file}" NAME_WLE)
  if(NOT source MATCHES "\\.stencil$" OR NOT EXISTS "${source}" OR IS_DIRECTORY "${source}")
    message(FATAL_ERROR "hg_add_stencil(${file}) expects a file FILE.stencil, which ${source} is not")
  elseif(NOT name MATCHES "^[A-Za-z0-9_.+-]+$")
    message(FATAL_ERROR "hg_add_stencil(${file}) makes a target of the file's name: expected letters, digits and _ . + -, not '${name}'")
  elseif(TARGET ${name}_stencil)
    message(FATAL_ERROR "hg_add_stencil(${file}) makes the target ${name}_stencil, which exists: expected a file of another name")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/stencils/${name})
  hg_write_kernels(${source} ${folder}/${name}.c ${folder}/${name}.h)
  foreach(precision IN LISTS HALOGRAD_PRECISIONS)
    set(library ${name}_stencil${precision})
    add_library(${library} STATIC EXCLUDE_FROM_ALL ${folder}/${name}.c ${folder}/${name}.h)
    target_include_directories(${library} PUBLIC ${folder})
    target_link_libraries(${library} PUBLIC halograd::halograd${precision})
    hg_generated_kernels(${library})
  endforeach()
  # both compile the files, which one rule writes
  add_custom_target(${name}_stencil_text DEPENDS ${folder}/${name}.c ${folder}/${name}.h)
  add_dependencies(${name}_stencil ${name}_stencil_text)
  add_dependencies(${name}_stencil_single ${name}_stencil_text)
endfunction()
