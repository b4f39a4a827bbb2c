# SPDX-License-Identifier: BSD-2-Clause
# The libraries that halograd stands on. Read by this build and, installed beside halogradConfig.cmake, by everybody's who uses it.
#   halograd::public_dependencies   what the public headers include: PETSc and MPI; and libm
#   halograd::private_dependencies  what only our own sources include, and OpenMP; a static halograd still needs them to be linked
# Sets halograd_missing to the sentence that says what was not found, empty if nothing.
set(halograd_missing "")
function(halograd_find_modules target)
  add_library(${target} INTERFACE IMPORTED)
  foreach(module ${ARGN})
    string(REGEX REPLACE "[^a-zA-Z0-9]" "_" prefix "halograd_${module}")
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})
    if(NOT ${prefix}_FOUND)
      set(halograd_missing "pkg-config does not find ${module} (Debian's packages: scripts/packages)" PARENT_SCOPE)
      return()
    endif()
    # -isystem: other people's headers are not ours to warn about. Nor is their distribution's hardening, which wants -O.
    set_target_properties(PkgConfig::${prefix} PROPERTIES
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${${prefix}_INCLUDE_DIRS}" INTERFACE_COMPILE_OPTIONS "")
    target_link_libraries(${target} INTERFACE PkgConfig::${prefix})
  endforeach()
endfunction()
# halograd_mpi, halograd_hdf5: pkg-config's names of MPI, empty if it has none, and of the HDF5 that was built with it. Debian has one
# HDF5 for each MPI; elsewhere its name is hdf5.
function(halograd_name_mpi)
  set(mpi ompi-c)
  set(hdf5 hdf5-openmpi)
  if("${MPI_C_INCLUDE_DIRS} ${MPI_C_LIBRARIES}" MATCHES "mpich")
    set(mpi mpich)
    set(hdf5 hdf5-mpich)
  endif()
  pkg_check_modules(halograd_mpi QUIET ${mpi})
  if(NOT halograd_mpi_FOUND)
    set(mpi "")
  endif()
  pkg_check_modules(halograd_hdf5 QUIET ${hdf5})
  if(NOT halograd_hdf5_FOUND)
    set(hdf5 hdf5)
    pkg_check_modules(halograd_hdf5 QUIET hdf5)
  endif()
  set(halograd_mpi "${mpi}" PARENT_SCOPE)
  set(halograd_hdf5 ${hdf5} PARENT_SCOPE)
  set(halograd_hdf5_directories "${halograd_hdf5_LIBRARY_DIRS};${halograd_hdf5_LIBDIR}" PARENT_SCOPE)
endfunction()
find_package(PkgConfig QUIET)
find_package(MPI QUIET COMPONENTS C)
if(NOT PkgConfig_FOUND)
  set(halograd_missing "there is no pkg-config")
elseif(NOT MPI_C_FOUND)
  set(halograd_missing "there is no MPI for C, or the C language is not enabled")
elseif(NOT TARGET halograd::public_dependencies)
  halograd_find_modules(halograd::public_dependencies PETSc>=3.18)
  target_link_libraries(halograd::public_dependencies INTERFACE MPI::MPI_C -lm) # a program of the user's may be called m
endif()
if(NOT halograd_missing AND NOT halograd_shared AND NOT TARGET halograd::private_dependencies)
  halograd_name_mpi()
  halograd_find_modules(halograd::private_dependencies ${halograd_hdf5} libxxhash zlib libpng jansson cairo)
  set_property(TARGET halograd::private_dependencies PROPERTY INTERFACE_COMPILE_DEFINITIONS H5_USE_110_API) # also of HDF5 1.14
  # Dimension scales are in HDF5's high-level library, for which Debian has no .pc file.
  find_library(HALOGRAD_HDF5_HL hdf5_hl PATHS ${halograd_hdf5_directories} NO_DEFAULT_PATH)
  if(NOT HALOGRAD_HDF5_HL AND NOT halograd_missing)
    set(halograd_missing "libhdf5_hl is not in ${halograd_hdf5_directories}")
  endif()
  target_link_libraries(halograd::private_dependencies INTERFACE ${HALOGRAD_HDF5_HL})
  # Threads inside a rank; without OpenMP there is one.
  find_package(OpenMP QUIET COMPONENTS C)
  if(OpenMP_C_FOUND)
    target_link_libraries(halograd::private_dependencies INTERFACE OpenMP::OpenMP_C)
  endif()
endif()
