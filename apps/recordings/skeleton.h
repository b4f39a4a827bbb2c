/* SPDX-License-Identifier: BSD-2-Clause */
/* skeleton.h -- the first files of an application of your own. */
#ifndef HALOGRAD_APPS_SKELETON_H
#define HALOGRAD_APPS_SKELETON_H

#include <halograd/error.h>

/* Creates the folder `name` with name.stencil, name_inverse.c, CMakeLists.txt and name.py, which
   build and run as they are. Collective. Errors: the name is not valid for a file and in C; the
   folder exists; it cannot be written. */
PetscErrorCode SkeletonWrite(MPI_Comm comm, const char name[]);

#endif
