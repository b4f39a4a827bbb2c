/* SPDX-License-Identifier: BSD-2-Clause */
/* A program on dual numbers: each term becomes one that reads (x, dx_v) and writes (y, dy_v), for
   all directions v. */
#include "program_private.h"
#include <halograd/boundary_library.h>
#include <halograd/operator_library.h>
#include <halograd/program_dual_library.h>
#include <halograd/state_library.h>
#include <string.h>

typedef char Name[HG_NAME_LENGTH];

struct HgDual_s {
  HgProgram of;
  int directions;
  int stencils;
  HgDualStencil *stencil;
  Name *names;  /* names[v variables + k]: of part v of variable k, 0: itself */
  int *index;   /* likewise: the variable of the dual */
  bool *active; /* of each variable: did the program differentiate by it? */
};

PetscErrorCode HgDualDestroy(HgDual *dual) {
  HgDual d = *dual;
  *dual = NULL;
  if (!d) return 0;
  for (int k = 0; k < d->stencils; k++) PetscCall(HgDualStencilFree(&d->stencil[k]));
  PetscCall(PetscFree(d->stencil));
  PetscCall(PetscFree3(d->names, d->index, d->active));
  return PetscFree(d);
}

int HgDualGhosts(HgDual dual) { return dual->of->ghost; }

const char *HgDualName(HgDual d, int v, const char name[]) {
  int k = 0;
  while (strcmp(d->of->variable[k].name, name)) k++;
  return d->names[v * d->of->variables + k];
}

int HgProgramDualDirections(HgProgram p) { return p->dual ? p->dual->directions : 0; }

static bool active(const HgProgramVariable *v) { return v->role != HG_CONSTANT || v->active; }

bool HgProgramDualFits(HgProgram dual) {
  const HgDual d = dual->dual;
  for (int k = 0; k < d->of->variables; k++)
    if (d->active[k] != active(&d->of->variable[k])) return false;
  return dual->mask == d->of->mask;
}

/* ---- the program ---- */

/* All variables, then all with a dot, in the program's order. */
static PetscErrorCode declare(HgProgram dual) {
  const HgDual d = dual->dual;
  const int count = d->of->variables;
  for (int n = 0; n < (1 + d->directions) * count; n++) {
    const HgProgramVariable *v = &d->of->variable[n % count];
    const HgVariable like = {v->name, v->unit, v->kind, v->size, v->surface};
    PetscCall(HgProgramDeclareVariable(dual, d->of->name, d->names[n], &like, &d->index[n]));
    HgProgramVariable *const new = &dual->variable[d->index[n]];
    new->location = v->location;
    new->boundary = n < count ? v->boundary : HgBoundaryOfTangent(&v->boundary);
    if (n < count) new->limited = v->limited, new->above = v->above;
  }
  dual->limited = d->of->limited;
  return 0;
}

static PetscErrorCode add_operator(HgProgram dual, const HgTerm *t) {
  const HgDual d = dual->dual;
  const int parts = 1 + d->directions;
  const char **reads, **writes;
  HgOperator op;
  PetscCall(PetscCalloc2(parts * t->reads + 1, &reads, parts * t->writes + 1, &writes));
  for (int v = 0; v < parts; v++) {
    for (int k = 0; k < t->reads; k++)
      reads[v * t->reads + k] = HgDualName(d, v, t->stencil->reads[k].name);
    for (int k = 0; k < t->writes; k++)
      writes[v * t->writes + k] = HgDualName(d, v, t->stencil->writes[k]);
  }
  PetscCall(HgOperatorDual(t->part.op, d->directions, &op));
  const PetscErrorCode ierr = HgProgramAddOperator(dual, op, reads, writes);
  PetscCall(HgOperatorDestroy(&op));
  PetscCall(PetscFree2(reads, writes));
  return ierr;
}

static PetscErrorCode add_terms(HgProgram dual) {
  const HgDual d = dual->dual;
  for (int k = 0; k < d->of->terms; k++) {
    const HgTerm *t = &d->of->term[k];
    if (t->part.op) {
      PetscCall(add_operator(dual, t));
      continue;
    }
    HgDualStencil *const s = &d->stencil[d->stencils++];
    PetscCall(HgDualStencilCreate(d, d->directions, t, s));
    PetscCall(HgProgramAddTerm(dual, &s->stencil, s->params, &t->part));
  }
  return 0;
}

/* A constant that does not move has one dot for all directions. */
static void name_parts(HgDual d) {
  const int count = d->of->variables;

  enum { LONGEST = sizeof(Name) - 8 };

  for (int k = 0; k < count; k++) {
    const char *const name = d->of->variable[k].name;
    d->active[k] = active(&d->of->variable[k]);
    snprintf(d->names[k], sizeof(Name), "%s", name);
    for (int v = 1; v <= d->directions; v++)
      if (d->active[k] && d->directions > 1)
        snprintf(d->names[v * count + k], sizeof(Name), "d%hhu(%.*s)", (unsigned char)v, LONGEST,
                 name);
      else snprintf(d->names[v * count + k], sizeof(Name), "d(%.*s)", LONGEST, name);
  }
}

static PetscErrorCode create(HgProgram p, int directions, HgDual *dual) {
  HgDual d;
  const int all = (1 + directions) * p->variables;
  PetscCall(PetscNew(&d));
  *dual = d;
  d->of = p, d->directions = directions;
  PetscCall(PetscCalloc1(p->terms, &d->stencil));
  PetscCall(PetscCalloc3(all, &d->names, all, &d->index, p->variables, &d->active));
  name_parts(d);
  return 0;
}

/* Which of the dual's constants have cotangents. */
static PetscErrorCode set_active(HgProgram dual, bool gradient) {
  const HgDual d = dual->dual;
  const int count = d->of->variables;
  for (int n = 0; n < (1 + d->directions) * count; n++)
    if (d->of->variable[n % count].role == HG_CONSTANT)
      PetscCall(
          HgProgramSetActive(dual, d->names[n], d->active[n % count] && (n >= count || gradient)));
  return 0;
}

PetscErrorCode HgProgramCreateDual(HgProgram p, int directions, HgProgram *dual) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  char name[HG_NAME_LENGTH];
  HgRequire(comm, p->ready, HG_ERR_CALL_ORDER,
            "program '%s': its dual is asked for before HgProgramSetUp", p->name);
  HgRequire(comm, directions >= 1 && directions <= HG_DIRECTIONS_MOST, HG_ERR_ARGUMENT,
            "program '%s': a dual with %d directions is asked for, expected 1 to %d", p->name,
            directions, HG_DIRECTIONS_MOST);
  snprintf(name, sizeof name, "tangent of %.20s", p->name);
  PetscCall(HgProgramCreate(p->mesh, name, p->dt, dual));
  PetscCall(create(p, directions, &(*dual)->dual));
  (*dual)->fuse = p->fuse;
  PetscErrorCode ierr = declare(*dual);
  if (!ierr) ierr = add_terms(*dual);
  if (!ierr) ierr = HgProgramSetUp(*dual);
  if (!ierr) ierr = set_active(*dual, true);
  if (!ierr) ierr = HgProgramShareMask(*dual, p->mask);
  if (ierr) PetscCall(HgProgramDestroy(dual));
  return ierr;
}

int HgProgramDualShift(HgProgram dual) {
  int carried = 0;
  for (int k = 0; dual->dual && k < dual->dual->of->variables; k++)
    carried += dual->dual->of->variable[k].role == HG_CARRIED;
  return carried;
}

/* ---- reversed ---- */

/* Without `second` an adjoint is linear in what moves only if it reads no x of that. */
static PetscErrorCode require_second(HgProgram p, const HgTerm *t) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  HgRequire(
      comm, !t->part.op || HgOperatorHasSecondDerivative(t->part.op), HG_ERR_NO_DERIVATIVE,
      "program '%s': second derivatives are asked for, but its operator '%s' has none; expected "
      "second of HgOperatorTable, or -newton gauss (Python: gauss=True), which needs none",
      p->name, t->stencil->name);
  for (int k = 0; !t->part.op && !t->stencil->second && k < t->reads; k++) {
    const HgProgramVariable *v = HgVersionVariable(p, t->read[k]);
    HgRequire(comm, !HgTermReads(p, t, k) || (v->role == HG_CONSTANT && !v->active),
              HG_ERR_NO_DERIVATIVE,
              "program '%s': second derivatives are asked for, but the derivative of stencil '%s' "
              "depends on '%s', and it has no kernel `second` (texts with ? :, min, max or abs "
              "have none); expected one, or -newton gauss (Python: gauss=True), which needs none",
              p->name, t->stencil->name, v->name);
  }
  return 0;
}

PetscErrorCode HgProgramDualReverse(HgProgram dual, bool gradient) {
  const HgDual d = dual->dual;
  for (int k = 0; k < d->of->terms; k++) PetscCall(require_second(d->of, &d->of->term[k]));
  return set_active(dual, gradient);
}

/* ---- inputs ---- */

/* Where part v of variable k is in an input of the dual. */
static int place(HgProgram dual, int v, int k) {
  const HgDual d = dual->dual;
  return dual->variable[d->index[v * d->of->variables + k]].input;
}

PetscErrorCode HgProgramDualJoin(HgProgram dual, HgState x, const HgState dx[], HgState input) {
  const HgDual d = dual->dual;
  for (int k = 0; k < d->of->variables; k++) {
    const HgProgramVariable *variable = &d->of->variable[k];
    if (variable->role == HG_WORK) continue;
    PetscCall(HgStateCopyVariable(x, variable->input, input, place(dual, 0, k)));
    for (int v = 1; v <= d->directions; v++)
      if (d->active[k])
        PetscCall(HgStateCopyVariable(dx[v - 1], variable->input, input, place(dual, v, k)));
      else PetscCall(HgStateZeroVariable(input, place(dual, v, k)));
  }
  return 0;
}

PetscErrorCode HgProgramDualAdd(HgProgram dual, HgState input, int v, HgState x) {
  const HgDual d = dual->dual;
  for (int k = 0; k < d->of->variables; k++) {
    const HgProgramVariable *variable = &d->of->variable[k];
    if (variable->role == HG_WORK || !d->active[k]) continue;
    PetscCall(HgStateAXPYVariable(x, variable->input, 1, input, place(dual, v, k)));
  }
  return 0;
}
