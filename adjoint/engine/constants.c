/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants of a run, of which a kernel reads the same numbers in every step. */
#include <halograd/boundary_library.h>
#include <halograd/engine_library.h>
#include <halograd/state_library.h>

PetscErrorCode HgProgramShareRows(HgProgram p, HgState constants) {
  bool *may;
  PetscCall(PetscCalloc1(HgStateCount(constants), &may));
  for (int k = 0; k < p->variables; k++) /* ghosts outside frozen walls differ from row to row */
    if (p->variable[k].role == HG_CONSTANT)
      may[p->variable[k].index] = !HgBoundaryFreezes(p->mesh, &p->variable[k].boundary);
  PetscCall(HgStateShareRows(constants, may));
  return PetscFree(may);
}
