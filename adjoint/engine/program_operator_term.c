/* Operators between states as parts of a step, beside stencils: collectives, parametrisations,
   chains of them. Such a part is a stage of its own: it sees whole variables, not boxes. */
#include "program_private.h"
#include <string.h>

/* A stencil that says what the operator reads and writes, each cell or number by itself, and has no
   kernels. */
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
    ierr = HgError(comm,
                   "program '%s': operator '%s' has %d input and %d output variables, but %d names "
                   "to read and %d to write were given",
                   p->name, HgOperatorName(op), HgStateCount(part.x[0]), HgStateCount(part.y[0]),
                   in, out);
  else if (!here)
    ierr = HgError(comm, "program '%s': operator '%s' works on states of another mesh", p->name,
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

PetscErrorCode HgOperatorTermDestroy(HgOperatorTerm *part) {
  PetscCall(HgOperatorDestroy(&part->op));
  for (int mode = 0; mode < HG_MODES; mode++) {
    PetscCall(HgStateDestroy(&part->x[mode]));
    PetscCall(HgStateDestroy(&part->y[mode]));
  }
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

/* ---- running ---- */
static PetscErrorCode take(HgProgram p, const HgBinding *binding, int value, HgState to,
                           int index) {
  return HgStateCopyVariable(HgValueState(p, binding, value), HgValueVersion(p, value)->index, to,
                             index);
}

/* x and dx from the versions read; y or dy to those written. */
static PetscErrorCode forward(HgProgram p, const HgCall *c, HgOperatorTerm *part,
                              const HgBinding *binding) {
  const HgTerm *t = &p->term[c->term];
  for (int k = 0; k < t->reads; k++) {
    PetscCall(take(p, binding, c->x[k], part->x[HG_PRIMAL], k));
    if (c->mode == HG_TANGENT) PetscCall(take(p, binding, c->second[k], part->x[HG_TANGENT], k));
  }
  if (c->mode == HG_PRIMAL)
    PetscCall(HgOperatorApply(part->op, part->x[HG_PRIMAL], part->y[HG_PRIMAL]));
  else
    PetscCall(
        HgOperatorTangent(part->op, part->x[HG_PRIMAL], part->x[HG_TANGENT], part->y[HG_TANGENT]));
  for (int k = 0; k < c->outs; k++)
    PetscCall(HgStateCopyVariable(part->y[c->mode], k, HgValueState(p, binding, c->out[k]),
                                  HgValueVersion(p, c->out[k])->index));
  return 0;
}

/* x_bar += F'(x)^T y_bar, into versions that may hold contributions of other terms. */
static PetscErrorCode reverse(HgProgram p, const HgCall *c, HgOperatorTerm *part,
                              const HgBinding *binding) {
  const HgTerm *t = &p->term[c->term];
  for (int k = 0; k < t->reads; k++) PetscCall(take(p, binding, c->x[k], part->x[HG_PRIMAL], k));
  for (int k = 0; k < t->writes; k++)
    PetscCall(take(p, binding, c->second[k], part->y[HG_COTANGENT], k));
  PetscCall(HgOperatorTranspose(part->op, part->x[HG_PRIMAL], part->y[HG_COTANGENT],
                                part->x[HG_COTANGENT]));
  for (int k = 0; k < c->outs; k++) {
    const HgVersion *v = HgValueVersion(p, c->out[k]);
    const HgState bar = HgValueState(p, binding, c->out[k]);
    if (v->place == HG_AT_CONSTANTS && !p->variable[v->variable].active) continue;
    if (c->fresh[k]) PetscCall(HgStateZeroVariable(bar, v->index));
    PetscCall(HgStateAXPYVariable(bar, v->index, 1, part->x[HG_COTANGENT], k));
  }
  return 0;
}

PetscErrorCode HgOperatorTermRun(HgProgram p, const HgCall *c, const HgBinding *binding) {
  HgOperatorTerm *part = &p->term[c->term].part;
  return c->mode == HG_COTANGENT ? reverse(p, c, part, binding) : forward(p, c, part, binding);
}
