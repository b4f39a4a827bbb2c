/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/picture_library.h -- what other rooms of the library need of picture.h. */
#ifndef HG_PICTURE_LIBRARY_H
#define HG_PICTURE_LIBRARY_H

#include <halograd/picture.h>

/* Does -hg_section fit the mesh? So that a run ends before it has computed. Collective. Errors: no
   levels; no axis; no such cell. */
PetscErrorCode HgPictureCheck(HgMesh mesh);

#endif
