/* Limits of a program's variables: where states do not keep them. */
#include "program_private.h"
#include <limits.h>

PetscErrorCode HgProgramRequireAbove(HgProgram p, const char variable[], double above) {
  int k;
  HgRequire(HgMeshComm(p->mesh), !p->ready, "program '%s': limit of '%s' set after HgProgramSetUp",
            p->name, variable);
  PetscCall(HgProgramKnownVariable(p, variable, &k));
  p->variable[k].limited = true, p->variable[k].above = above;
  p->limited = true;
  return 0;
}

PetscErrorCode HgProgramCheckLimited(HgProgram p) {
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    HgRequire(HgMeshComm(p->mesh), !v->limited || v->role == HG_CARRIED,
              "program '%s': '%s' has a limit, but it is %s, expected a carried variable", p->name,
              v->name, v->role == HG_CONSTANT ? "a constant" : "work within a step");
    HgRequire(HgMeshComm(p->mesh), !v->limited || v->kind == HG_FIELD,
              "program '%s': '%s' has a limit, but it is an array, expected a field", p->name,
              v->name);
  }
  return 0;
}

bool HgProgramLimited(HgProgram p) { return p->limited; }

void HgProgramStartLimits(HgProgram p, long step, HgState q) {
  const HgBox patch = HgPatchBox(p, step);
  p->breach = (HgBreach){0};
  for (int k = 0; p->limited && k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    if (v->limited && v->role == HG_CARRIED)
      HgRowsLook(p, &patch, k, step, HgStateRows(q, HgStateFind(q, v->name)), &p->breach);
  }
}

PetscErrorCode HgProgramCheckLimits(HgProgram p) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  const HgBreach *b = &p->breach;
  const long cell = (long)b->j * HgMeshGetSpec(p->mesh)->nx + b->i;
  const long step = b->found ? b->step : LONG_MAX;
  long first;
  int rank;
  if (!p->limited) return 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Allreduce(&step, &first, 1, MPI_LONG, MPI_MIN, comm));
  if (first == LONG_MAX) return 0;
  const bool mine = b->found && b->step == first;
  const long own = mine ? cell : LONG_MAX;
  PetscCallMPI(MPI_Allreduce(&own, &first, 1, MPI_LONG, MPI_MIN, comm));
  const HgProgramVariable *v = &p->variable[b->variable];
  return HgAgree(
      comm, mine && cell == first,
      "%s: '%s' is %g %s in cell (%d, %d) on rank %d after %ld steps, expected more than "
      "%g %s everywhere",
      p->name, v->name, b->value, v->unit, b->i, b->j, rank, b->step, v->above, v->unit);
}
