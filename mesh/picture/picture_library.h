/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/picture_library.h -- what other rooms of the library need of picture.h. */
#ifndef HG_PICTURE_LIBRARY_H
#define HG_PICTURE_LIBRARY_H

#include <halograd/picture.h>

/* Checks that -hg_section fits the mesh, before a run has computed anything. Collective. Errors: no
   levels; no such axis; no such cell. */
PetscErrorCode HgPictureCheck(HgMesh mesh);

#endif
