# hg_add_stencil(FILE.stencil): writes FILE.c and FILE.h with hgstencil, anew whenever FILE.stencil changes, and makes of them the library
# FILE_stencil: a program that links it includes "FILE.h". Needs Python 3.8 or later. Read by everybody who uses halograd.
function(hg_add_stencil file)
  find_package(Python3 3.8 QUIET COMPONENTS Interpreter)
  if(NOT Python3_Interpreter_FOUND)
    message(FATAL_ERROR "hg_add_stencil(${file}) needs Python 3.8 or later, which was not found")
  endif()
  get_filename_component(source ${file} ABSOLUTE)
  get_filename_component(name ${file} NAME_WE)
  if(NOT source MATCHES "\\.stencil$" OR NOT EXISTS ${source})
    message(FATAL_ERROR "hg_add_stencil(${file}) expects a file FILE.stencil, which ${source} is not")
  endif()
  get_filename_component(generator ${HALOGRAD_STENCIL_GENERATOR} DIRECTORY)
  file(GLOB modules ${generator}/*.py)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/stencils/${name})
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/${name}.c ${folder}/${name}.h
    COMMAND ${Python3_EXECUTABLE} ${HALOGRAD_STENCIL_GENERATOR} ${source} -o ${folder}/${name}.c -h ${folder}/${name}.h
    DEPENDS ${source} ${HALOGRAD_STENCIL_GENERATOR} ${modules} COMMENT "hgstencil ${file}" VERBATIM)
  add_library(${name}_stencil STATIC ${folder}/${name}.c ${folder}/${name}.h)
  target_include_directories(${name}_stencil PUBLIC ${folder})
  target_link_libraries(${name}_stencil PUBLIC halograd::halograd)
  # Neither changes a bit; roots and conditions then become vectors.
  target_compile_options(${name}_stencil PRIVATE $<$<C_COMPILER_ID:GNU,Clang>:-fno-math-errno -fno-trapping-math>
                         $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>) # some loops, as those that call exp(), cannot become vectors
endfunction()
