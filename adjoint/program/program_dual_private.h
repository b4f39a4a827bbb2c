/* The dual of a program, as the program sees it that owns it; for adjoint/program only. */
#ifndef HALOGRAD_PROGRAM_DUAL_PRIVATE_H
#define HALOGRAD_PROGRAM_DUAL_PRIVATE_H

#include "program_private.h"
#include <halograd/program_dual_library.h>

PetscErrorCode HgDualDestroy(HgDual *dual);

/* The ghosts that states of the program have which it is the dual of. */
int HgDualGhosts(HgDual dual);

/* The name that part v, 0 .. V, of a variable of the program has in its dual. */
const char *HgDualName(HgDual dual, int v, const char name[]);

/* ---- program_dual_stencil.c: kernels on dual numbers ---- */

typedef struct {
  HgStencil stencil;
  void *params;
  int *dot; /* dot[v reads + k]: where among its reads that of read k is, direction v from 0 */
} HgDualStencil;

/* That of a stencil of the program with its params, of which the pointers are borrowed. */
PetscErrorCode HgDualStencilCreate(HgDual dual, int directions, const HgTerm *term,
                                   HgDualStencil *stencil);
PetscErrorCode HgDualStencilFree(HgDualStencil *stencil);

#endif
