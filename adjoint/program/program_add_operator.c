/* SPDX-License-Identifier: BSD-2-Clause */
/* An operator between states becomes a term of a program. */
#include "program_private.h"
#include <halograd/operator_library.h>
#include <halograd/state_library.h>

PetscErrorCode HgOperatorTermDestroy(HgOperatorTerm *part) {
  PetscCall(HgOperatorDestroy(&part->op));
  for (int mode = 0; mode < HG_MODES; mode++)
    PetscCall(HgStatesDestroy(&part->x[mode], &part->y[mode]));
  if (part->stencil) {
    void *reads = (void *)part->stencil->reads, *writes = (void *)part->stencil->writes;
    void *names = reads && part->stencil->reads[0].name ? (void *)part->stencil->reads[0].name
                                                        : (void *)part->stencil->writes[0];
    PetscCall(PetscFree(names));
    PetscCall(PetscFree(reads));
    PetscCall(PetscFree(writes));
  }
  return PetscFree(part->stencil);
}

/* Error: the mesh's ghosts are not as wide as when an operator on ghosts was created. */
static PetscErrorCode check_ghosts(HgProgram p, HgOperator op, HgState state) {
  const int ghost = HgMeshGetSpec(p->mesh)->ghost;
  for (int k = 0; k < HgStateCount(state); k++)
    HgRequire(
        HgMeshComm(p->mesh),
        HgStateVariable(state, k)->kind != HG_GHOSTED || HgStateGhosts(state) == ghost, HG_ERR_HALO,
        "program '%s': '%s' of operator '%s' is a field with %d ghosts, those of the mesh "
        "when the operator was made, but it has %d now: expected a mesh that has so "
        "many from the start (HgMeshSpec.ghost)",
        p->name, HgStateVariable(state, k)->name, HgOperatorName(op), HgStateGhosts(state), ghost);
  return 0;
}

PetscErrorCode HgProgramCheckOperators(HgProgram p) {
  for (int k = 0; k < p->terms; k++) {
    const HgOperatorTerm *part = &p->term[k].part;
    if (!part->op) continue;
    PetscCall(check_ghosts(p, part->op, part->x[HG_PRIMAL]));
    PetscCall(check_ghosts(p, part->op, part->y[HG_PRIMAL]));
  }
  return 0;
}

/* Describes the operator by a stencil without kernels: its reads and writes, all of radius 0. */
static PetscErrorCode describe(HgOperator op, HgState x, HgState y, const char *const reads[],
                               const char *const writes[], HgStencil **stencil) {
  const int in = HgStateCount(x), out = HgStateCount(y);
  HgRead *read;
  const char **write;
  char(*names)[HG_NAME_LENGTH];
  PetscCall(PetscNew(stencil));
  PetscCall(PetscCalloc1(in + 1, &read));
  PetscCall(PetscCalloc1(out + 1, &write));
  PetscCall(PetscCalloc1(in + out, &names));
  for (int k = 0; k < in; k++) {
    PetscCall(PetscStrncpy(names[k], reads[k], HG_NAME_LENGTH));
    read[k] = (HgRead){names[k], 0, 0};
  }
  for (int k = 0; k < out; k++) {
    PetscCall(PetscStrncpy(names[in + k], writes[k], HG_NAME_LENGTH));
    write[k] = names[in + k];
  }
  **stencil = (HgStencil){.name = HgOperatorName(op), .reads = read, .writes = write};
  return 0;
}

PetscErrorCode HgProgramAddOperator(HgProgram p, HgOperator op, const char *const reads[],
                                    const char *const writes[]) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  int in = 0, out = 0;
  HgOperatorTerm part = {.op = op};
  PetscCall(HgOperatorReference(op));
  HgStencil *stencil;
  while (reads[in]) in++;
  while (writes[out]) out++;
  for (int mode = 0; mode < HG_MODES; mode++) {
    PetscCall(HgOperatorCreateInput(op, &part.x[mode]));
    PetscCall(HgOperatorCreateOutput(op, &part.y[mode]));
  }
  const bool fits = HgStateCount(part.x[0]) == in && HgStateCount(part.y[0]) == out;
  const bool here = HgStateMesh(part.x[0]) == p->mesh && HgStateMesh(part.y[0]) == p->mesh;
  PetscErrorCode ierr = 0;
  if (!fits)
    ierr = HgError(comm, HG_ERR_OPERATOR,
                   "program '%s': operator '%s' has %d input and %d output variables, but %d names "
                   "to read and %d to write were given",
                   p->name, HgOperatorName(op), HgStateCount(part.x[0]), HgStateCount(part.y[0]),
                   in, out);
  else if (!here)
    ierr = HgError(comm, HG_ERR_OPERATOR,
                   "program '%s': operator '%s' works on states of another mesh", p->name,
                   HgOperatorName(op));
  if (ierr) {
    PetscCall(HgOperatorTermDestroy(&part));
    return ierr;
  }
  PetscCall(describe(op, part.x[0], part.y[0], reads, writes, &stencil));
  part.stencil = stencil;
  ierr = HgProgramAddTerm(p, stencil, NULL, &part);
  if (ierr) PetscCall(HgOperatorTermDestroy(&part));
  return ierr;
}
