/* SPDX-License-Identifier: BSD-2-Clause */
/* One time of some fields as a .vti file (VTK image data, raw appended doubles), for ParaView. */
#ifndef HALOGRAD_VTI_PRIVATE_H
#define HALOGRAD_VTI_PRIVATE_H

#include <halograd/state.h>

/* Cells of `count` fields of `state`, called `names` in the file, with a time value unless it is
   NaN. Each rank writes its own rows into space that is reserved first; the file is renamed into
   place. Collective. Errors: not writable, no space. */
PetscErrorCode HgVtiWrite(const char path[], double time, HgState state, int count,
                          const int indices[], const char *const names[]);

#endif
