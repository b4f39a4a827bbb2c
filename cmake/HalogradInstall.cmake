# SPDX-License-Identifier: BSD-2-Clause
# cmake --install: the library, its public headers, the programs and their sources (apps/), the docs, find_package(halograd) and
# halograd.pc, halograd_single.pc.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/halograd)
get_property(headers GLOBAL PROPERTY HALOGRAD_PUBLIC_HEADERS)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/halograd)
install(TARGETS halograd halograd_single EXPORT halograd LIBRARY ARCHIVE)
install(TARGETS halograd_trace LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/halograd)
install(FILES README.md LICENSE NOTICE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The programs' sources, to be built against the installed library; apps/ocean is a room of that.
install(DIRECTORY apps/ DESTINATION ${CMAKE_INSTALL_DATADIR}/halograd/examples PATTERN ocean EXCLUDE)
install(EXPORT halograd NAMESPACE halograd:: FILE halogradTargets.cmake DESTINATION ${package})
# The generator of kernels, and its function in CMake.
install(PROGRAMS stencils/generator/hgstencil DESTINATION ${CMAKE_INSTALL_DATADIR}/halograd/generator)
install(DIRECTORY stencils/generator/ DESTINATION ${CMAKE_INSTALL_DATADIR}/halograd/generator FILES_MATCHING PATTERN "*.py")
# Not at the top of the build tree: find_package() looks there once build/bin is on PATH (scripts/env), but halograd must be installed.
set(config ${CMAKE_CURRENT_BINARY_DIR}/package/halogradConfig)
file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/halogradConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/halogradConfigVersion.cmake) # where they once lay
configure_package_config_file(cmake/halogradConfig.cmake.in ${config}.cmake INSTALL_DESTINATION ${package}
                              PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${config}Version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${config}.cmake ${config}Version.cmake
              cmake/HalogradDependencies.cmake cmake/HalogradStencil.cmake DESTINATION ${package})
# With a static library everything is public for the linker. Not Requires.private, though: `pkg-config --static` would also
# follow PETSc's, some thirty libraries that its shared library brings along by itself.
# PETSc's functions change with each minor version: it is linked with that which it was built with.
string(REGEX MATCH "^[0-9]+[.][0-9]+" petsc_version "${halograd_PETSc__3_18_VERSION}")
string(REGEX REPLACE ".*[.]" "" petsc_next ${petsc_version})
math(EXPR petsc_next "${petsc_next} + 1")
string(REGEX REPLACE "[.].*" ".${petsc_next}" petsc_next ${petsc_version})
set(public "PETSc >= ${petsc_version}, PETSc < ${petsc_next}")
if(halograd_mpi)
  string(APPEND public ", ${halograd_mpi}")
endif()
if(BUILD_SHARED_LIBS)
  set(HALOGRAD_PC_REQUIRES "${public}")
  set(HALOGRAD_PC_LIBS "-lm")
else()
  set(HALOGRAD_PC_REQUIRES "${public}, ${halograd_hdf5}, libxxhash, zlib, libpng, jansson, cairo")
  set(HALOGRAD_PC_LIBS "-lhdf5_hl ${OpenMP_C_FLAGS} -lm")
endif()
pkg_get_variable(petsc_folder PETSc libdir)
if(petsc_folder AND NOT petsc_folder MATCHES "^/usr/") # of one's own: programs find it
  string(APPEND HALOGRAD_PC_LIBS " -Wl,-rpath,${petsc_folder}")
endif()
file(RELATIVE_PATH HALOGRAD_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix) # so that an installation may be moved
foreach(precision IN LISTS HALOGRAD_PRECISIONS)
  set(HALOGRAD_PC_DEFINE "")
  if(precision)
    set(HALOGRAD_PC_DEFINE " -DHALOGRAD_SINGLE")
  endif()
  configure_file(cmake/halograd.pc.in halograd${precision}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/halograd${precision}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
