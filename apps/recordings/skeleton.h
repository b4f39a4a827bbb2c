/* SPDX-License-Identifier: BSD-2-Clause */
/* skeleton.h -- the files that an application of your own begins with. */
#ifndef HALOGRAD_APPS_SKELETON_H
#define HALOGRAD_APPS_SKELETON_H

#include <halograd/error.h>

/* Makes the folder `name` with name.stencil, name_inverse.c, CMakeLists.txt and name.py, which
   build and run as they are. Collective. Errors: a name that is none of a file and of C; it is
   there already; it cannot be written. */
PetscErrorCode SkeletonWrite(MPI_Comm comm, const char name[]);

#endif
