/* SPDX-License-Identifier: BSD-2-Clause */
/* The mask of wet cells of a program. */
#include "program_private.h"

PetscErrorCode HgProgramShareMask(HgProgram p, HgMask mask) {
  if (mask) PetscCall(HgMaskReference(mask));
  PetscCall(HgMaskDestroy(&p->mask));
  PetscCall(HgMaskDestroy(&p->unused));
  p->mask = mask, p->masks++, p->changes++;
  return 0;
}

PetscErrorCode HgProgramUseMask(HgProgram p, bool use, bool *has) {
  const HgMask mask = p->mask ? p->mask : p->unused;
  *has = mask;
  p->mask = use ? mask : NULL, p->unused = use ? NULL : mask, p->masks++, p->changes++;
  return 0;
}

int HgProgramChanges(HgProgram p) { return p->changes; }

static int largest_radius(HgProgram p) {
  int radius = 0;
  for (int k = 0; k < p->terms; k++) radius = PetscMax(radius, p->term[k].radius);
  return radius;
}

PetscErrorCode HgProgramSetMask(HgProgram p, HgState state, const char variable[]) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  HgMask mask;
  PetscBool view = PETSC_FALSE;
  int k;
  HgRequire(comm, p->ready, HG_ERR_CALL_ORDER, "program '%s': a mask is set before HgProgramSetUp",
            p->name);
  if (!state) return HgProgramShareMask(p, NULL);
  PetscCall(HgStateIndex(state, variable, &k));
  HgRequire(comm, HgStateMesh(state) == p->mesh && HgStateVariable(state, k)->kind == HG_FIELD,
            HG_ERR_ARGUMENT,
            "program '%s': its mask '%s' is expected to be a field on its own mesh", p->name,
            variable);
  PetscCall(HgMaskCreate(state, k, largest_radius(p), HgProgramWidestHalo(p), &mask));
  PetscCall(HgProgramShareMask(p, mask));
  PetscCall(HgMaskDestroy(&mask));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-hg_program_view", &view));
  return view ? HgProgramViewMask(p, PETSC_VIEWER_STDOUT_(comm)) : 0;
}

PetscErrorCode HgProgramViewMask(HgProgram p, PetscViewer viewer) {
  enum { TALL = 4 }; /* rows at a time, as tiles of many columns do */

  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  const long all = (long)patch->nx * patch->ny;
  long cells[2] = {all, all}; /* of the domain; computed */
  if (!p->mask) return 0;
  if (HgMaskDry(p->mask)) cells[1] = HgMaskCells(p->mask, patch->nx, patch->ny, TALL);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, cells, 2, MPI_LONG, MPI_SUM, HgMeshComm(p->mesh)));
  return PetscViewerASCIIPrintf(
      viewer, "program '%s': a mask of wet cells skips %.1f %% of %ld cells, %d rows at a time\n",
      p->name, 100 * (1 - (double)cells[1] / (double)cells[0]), cells[0], TALL);
}
