/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of a program's variables: where states do not keep them. */
#include "program_private.h"
#include <halograd/error_library.h>
#include <halograd/mesh_library.h>
#include <halograd/unit_library.h>
#include <limits.h>

PetscErrorCode HgProgramRequireAbove(HgProgram p, const char variable[], double above) {
  int k;
  HgRequire(HgMeshComm(p->mesh), !p->ready, HG_ERR_CALL_ORDER,
            "program '%s': limit of '%s' set after HgProgramSetUp", p->name, variable);
  PetscCall(HgProgramKnownVariable(p, variable, &k));
  p->variable[k].limited = true, p->variable[k].above = above;
  p->limited = true;
  return 0;
}

bool HgProgramLimited(HgProgram p) { return p->limited; }

static void look(HgProgram p, long step, HgState q) {
  const HgBox patch = HgPatchBox(p, step);
  for (int k = 0; p->limited && k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    if (v->limited && v->role == HG_CARRIED)
      HgRowsLook(p, &patch, k, step, HgStateRows(q, HgStateFind(q, v->name)), &p->breach);
  }
}

void HgProgramStartLimits(HgProgram p, long step, HgState q) {
  p->breach = (HgBreach){0};
  look(p, step, q);
}

PetscErrorCode HgProgramCheckLimits(HgProgram p, long at_step, HgState q) {
  if (q && !p->breach.found) look(p, at_step, q);
  const MPI_Comm comm = HgMeshComm(p->mesh);
  const HgBreach *b = &p->breach;
  const HgMeshSpec *mesh = HgMeshGetSpec(p->mesh);
  const long cell = ((long)b->j * PetscMax(1, mesh->nz) + b->level) * mesh->nx + b->i;
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
  char at[40];
  HgMeshCellText(p->mesh, (const int[]){b->i, b->j, b->level}, at);
  return HgAgree(comm, mine && cell == first, HG_ERR_LIMIT_BROKEN,
                 "%s: '%s' is %g%s%s in cell %s on rank %d after %ld steps, expected more than "
                 "%g%s%s everywhere",
                 p->name, v->name, b->value, HG_UNIT_BEHIND(v->unit), at, rank, b->step, v->above,
                 HG_UNIT_BEHIND(v->unit));
}

/* ---- what can be observed ---- */

PetscErrorCode HgProgramFindCarried(HgProgram p, const char name[], int *index) {
  static const char *const why[] = {
      [HG_CONSTANT] = "a constant, which no step changes",
      [HG_WORK] = "work within a step: every step recomputes it and keeps none of it"};
  int k;
  char carried[256] = "";
  PetscCall(HgProgramKnownVariable(p, name, &k));
  HgRequire(HgMeshComm(p->mesh), p->ready, HG_ERR_CALL_ORDER,
            "program '%s': '%s' is to be observed before HgProgramSetUp", p->name, name);
  const HgProgramVariable *v = &p->variable[k];
  for (int l = 0; l < p->variables; l++)
    if (p->variable[l].role == HG_CARRIED && p->variable[l].kind == HG_FIELD)
      HgSentenceAdd(sizeof carried, carried, "%s%s", carried[0] ? ", " : "", p->variable[l].name);
  const bool array = v->role == HG_CARRIED && v->kind != HG_FIELD;
  HgRequire(HgMeshComm(p->mesh), v->role == HG_CARRIED && !array,
            array ? HG_ERR_VARIABLE : HG_ERR_ARGUMENT,
            "program '%s': '%s' cannot be observed, as it is %s; observe a carried field: %s",
            p->name, name, array ? "an array" : why[v->role], carried);
  *index = v->index;
  return 0;
}
