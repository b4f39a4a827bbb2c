/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants of a run, of which a kernel reads the same numbers in every step. */
#include <halograd/boundary_library.h>
#include <halograd/engine_library.h>
#include <halograd/state_library.h>

PetscErrorCode HgProgramShareRows(HgProgram p, HgState constants) {
  uint64_t may = 0;
  for (int k = 0; k < p->variables; k++) { /* ghosts outside frozen walls differ from row to row */
    const HgProgramVariable *v = &p->variable[k];
    if (v->role == HG_CONSTANT && v->index < HG_SHARED && !HgBoundaryFreezes(p->mesh, &v->boundary))
      may |= (uint64_t)1 << v->index;
  }
  return HgStateShareRows(constants, may);
}
