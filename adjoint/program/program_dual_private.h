/* The dual of a program, as the program sees it that owns it; for adjoint/program only. */
#ifndef HALOGRAD_PROGRAM_DUAL_PRIVATE_H
#define HALOGRAD_PROGRAM_DUAL_PRIVATE_H

#include "program_private.h"

PetscErrorCode HgDualDestroy(HgDual *dual);

/* The ghosts that states of the program have which it is the dual of. */
int HgDualGhosts(HgDual dual);

#endif
