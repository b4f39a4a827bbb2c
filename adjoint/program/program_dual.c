/* A program on dual numbers: each term becomes one that reads (x, dx) and writes (y, dy). Its adjoint kernel is the
   term's adjoint, and its `second`. */
#include "program_dual_private.h"
#include <halograd/program_dual.h>
#include <string.h>

/* ---- kernels ---- */

/* Of a stencil with `reads` reads and `writes` writes; all that has a dot comes after all that has
   none. */
typedef struct {
  const HgStencil *stencil;
  const void *params;
  int reads, writes;
} DualParams;

static void dual_apply(const HgBox *box, const void *params, const HgRows x[],
                       const HgRowsOut y[]) {
  const DualParams *d = params;
  d->stencil->apply(box, d->params, x, y);
  d->stencil->tangent(box, d->params, x, x + d->reads, y + d->writes);
}

static bool any(int count, const HgRowsOut rows[]) {
  for (int k = 0; k < count; k++)
    if (rows[k]) return true;
  return false;
}

/* y_bar[0 .. writes) is the cotangent of y, which moves as the one of dy, y_bar[writes ..), does. */
static void dual_adjoint(const HgBox *box, const void *params, const HgRows x[],
                         const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const DualParams *d = params;
  const HgStencil *s = d->stencil;
  HgBox dot = *box;
  dot.fresh = box->fresh >> d->reads;
  if (any(d->reads, x_bar + d->reads))
    s->adjoint(&dot, d->params, x, y_bar + d->writes, x_bar + d->reads);
  if (!any(d->reads, x_bar)) return;
  if (s->second) s->second(box, d->params, x, x + d->reads, y_bar + d->writes, y_bar, x_bar);
  else s->adjoint(box, d->params, x, y_bar, x_bar);
}

/* ---- stencils ---- */
typedef char Name[HG_NAME_LENGTH];

struct HgDual_s {
  HgProgram of;
  int stencils;
  HgStencil *stencil;
  Name *names; /* of all variables with a dot: the program's index */
};

PetscErrorCode HgDualDestroy(HgDual *dual) {
  HgDual d = *dual;
  *dual = NULL;
  if (!d) return 0;
  for (int k = 0; k < d->stencils; k++) {
    PetscCall(PetscFree(d->stencil[k].name));
    PetscCall(PetscFree(d->stencil[k].reads));
    PetscCall(PetscFree(d->stencil[k].writes));
    PetscCall(PetscFree(d->stencil[k].only_for));
  }
  PetscCall(PetscFree(d->stencil));
  PetscCall(PetscFree(d->names));
  return PetscFree(d);
}

int HgDualGhosts(HgDual dual) { return dual->of->ghost; }

/* The name with a dot of a variable that the program calls so. */
static const char *dotted(HgDual d, const char name[]) {
  int k = 0;
  while (strcmp(d->of->variable[k].name, name)) k++;
  return d->names[k];
}

/* (a, b) of what the stencil says becomes (a, b), (a, b.dot) and, for `second`, (a.dot, b). */
static PetscErrorCode double_pairs(HgDual d, const HgStencil *s, HgStencil *dual) {
  const char *(*pairs)[2];
  int count = 0, n = 0;
  if (!s->only_for) return 0;
  while (s->only_for[count][0]) count++;
  PetscCall(PetscCalloc1(3 * count + 1, &pairs));
  for (int k = 0; k < count; k++) {
    const char *a = s->only_for[k][0], *b = s->only_for[k][1];
    const char *const made[3][2] = {{a, b}, {a, dotted(d, b)}, {dotted(d, a), b}};
    for (int l = 0; l < 3; l++, n++) pairs[n][0] = made[l][0], pairs[n][1] = made[l][1];
  }
  dual->only_for = (const char *const(*)[2])pairs;
  return 0;
}

static PetscErrorCode double_stencil(HgDual d, const HgTerm *t, HgStencil *dual) {
  const HgStencil *s = t->stencil;
  HgRead *reads;
  const char **writes;
  char *name;
  PetscCall(PetscMalloc1(strlen(s->name) + 8, &name));
  snprintf(name, strlen(s->name) + 8, "%s dual", s->name);
  PetscCall(PetscCalloc1(2 * t->reads + 1, &reads));
  PetscCall(PetscCalloc1(2 * t->writes + 1, &writes));
  for (int k = 0; k < t->reads; k++) {
    const HgRead *r = &s->reads[k];
    const bool moves = s->second != NULL;
    reads[k] = *r;
    reads[t->reads + k] =
        (HgRead){dotted(d, r->name), r->radius, moves ? r->adjoint_radius : HG_ADJOINT_UNUSED};
  }
  for (int k = 0; k < t->writes; k++) {
    writes[k] = s->writes[k];
    writes[t->writes + k] = dotted(d, s->writes[k]);
  }
  *dual = (HgStencil){.name = name,
                      .reads = reads,
                      .writes = writes,
                      .apply = dual_apply,
                      .adjoint = dual_adjoint,
                      .sets = s->sets,
                      .spherical = s->spherical,
                      .params_size = sizeof(DualParams)};
  return double_pairs(d, s, dual);
}

/* ---- the program ---- */

/* What a tangent is outside walls, as a boundary of its own. */
static HgBoundary boundary_of_dot(HgBoundary b) {
  HgSide *const sides[] = {&b.west, &b.east, &b.south, &b.north};
  for (int k = 0; k < 4; k++)
    if (sides[k]->kind == HG_FROZEN || sides[k]->kind == HG_FIXED)
      *sides[k] = (HgSide){HG_FIXED, 0};
  return b;
}

/* All variables, then all with a dot, in the program's order. */
static PetscErrorCode declare(HgProgram dual) {
  const HgDual d = dual->dual;
  for (int dot = 0; dot < 2; dot++)
    for (int k = 0; k < d->of->variables; k++) {
      const HgProgramVariable *v = &d->of->variable[k];
      const HgVariable like = {v->name, v->unit, v->kind, v->size};
      int index;
      PetscCall(
          HgProgramDeclareVariable(dual, d->of->name, dot ? d->names[k] : v->name, &like, &index));
      dual->variable[index].location = v->location;
      dual->variable[index].boundary = dot ? boundary_of_dot(v->boundary) : v->boundary;
    }
  return 0;
}

static PetscErrorCode add_operator(HgProgram dual, const HgTerm *t) {
  const HgDual d = dual->dual;
  const char *reads[2 * HG_MAX_READS + 1] = {NULL}, *writes[2 * HG_MAX_READS + 1] = {NULL};
  HgOperator op;
  for (int k = 0; k < t->reads; k++) {
    reads[k] = t->stencil->reads[k].name;
    reads[t->reads + k] = dotted(d, reads[k]);
  }
  for (int k = 0; k < t->writes; k++) {
    writes[k] = t->stencil->writes[k];
    writes[t->writes + k] = dotted(d, writes[k]);
  }
  PetscCall(HgOperatorDual(t->part.op, &op));
  const PetscErrorCode ierr = HgProgramAddOperator(dual, op, reads, writes);
  PetscCall(HgOperatorDestroy(&op));
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
    HgStencil *const s = &d->stencil[d->stencils];
    const DualParams params = {t->stencil, t->params, t->reads, t->writes};
    PetscCall(double_stencil(d, t, s));
    d->stencils++;
    PetscCall(HgProgramAddTerm(dual, s, &params, NULL));
  }
  return 0;
}

PetscErrorCode HgProgramCreateDual(HgProgram p, HgProgram *dual) {
  HgDual d;
  char name[HG_NAME_LENGTH];
  HgRequire(HgMeshComm(p->mesh), p->ready,
            "program '%s': its dual is asked for before HgProgramSetUp", p->name);
  snprintf(name, sizeof name, "%.24s dual", p->name);
  PetscCall(HgProgramCreate(p->mesh, name, p->dt, dual));
  PetscCall(PetscNew(&d));
  (*dual)->dual = d, d->of = p;
  PetscCall(PetscCalloc1(p->terms, &d->stencil));
  PetscCall(PetscCalloc1(p->variables, &d->names));
  for (int k = 0; k < p->variables; k++)
    snprintf(d->names[k], sizeof(Name), "%.*s.dot", (int)sizeof(Name) - 5, p->variable[k].name);
  PetscErrorCode ierr = declare(*dual);
  if (!ierr) ierr = add_terms(*dual);
  if (!ierr) ierr = HgProgramSetUp(*dual);
  if (!ierr) ierr = HgProgramDualUpdate(*dual, true);
  if (ierr) PetscCall(HgProgramDestroy(dual));
  return ierr;
}

int HgProgramDualShift(HgProgram dual) {
  int carried = 0;
  for (int k = 0; dual->dual && k < dual->dual->of->variables; k++)
    carried += dual->dual->of->variable[k].role == HG_CARRIED;
  return carried;
}

/* ---- what it is differentiated by ---- */

/* Without `second` an adjoint is linear in what moves only if it reads no x of that. */
static PetscErrorCode require_second(HgProgram p, const HgTerm *t) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  HgRequire(comm, !t->part.op || HgOperatorTwice(t->part.op),
            "program '%s': second derivatives are asked for, which its operator '%s' does not have "
            "(HgOperatorSetSecond())",
            p->name, t->stencil->name);
  for (int k = 0; !t->part.op && !t->stencil->second && k < t->reads; k++) {
    const HgProgramVariable *v = HgVersionVariable(p, t->read[k]);
    HgRequire(comm, !HgTermReads(p, t, k) || (v->role == HG_CONSTANT && !v->active),
              "program '%s': second derivatives are asked for, but the derivative of stencil '%s' "
              "depends on '%s', and the stencil has no kernel `second`",
              p->name, t->stencil->name, v->name);
  }
  return 0;
}

PetscErrorCode HgProgramDualUpdate(HgProgram dual, bool gradient) {
  const HgDual d = dual->dual;
  for (int k = 0; k < d->of->terms; k++) PetscCall(require_second(d->of, &d->of->term[k]));
  for (int k = 0; k < d->of->variables; k++) {
    const HgProgramVariable *v = &d->of->variable[k];
    if (v->role != HG_CONSTANT) continue;
    PetscCall(HgProgramSetActive(dual, v->name, v->active));
    PetscCall(HgProgramSetActive(dual, d->names[k], v->active && gradient));
  }
  return 0;
}

/* ---- inputs ---- */
PetscErrorCode HgProgramDualJoin(HgProgram dual, HgState x, HgState dx, HgState input) {
  const HgDual d = dual->dual;
  const int count = d->of->variables;
  for (int k = 0; k < count; k++) {
    const HgProgramVariable *v = &d->of->variable[k];
    const int dot = dual->variable[count + k].input;
    if (v->role == HG_WORK) continue;
    PetscCall(HgStateCopyVariable(x, v->input, input, dual->variable[k].input));
    PetscCall(HgStateCopyVariable(dx, v->input, input, dot));
    if (v->role == HG_CONSTANT && !v->active) PetscCall(HgStateZeroVariable(input, dot));
  }
  return 0;
}

PetscErrorCode HgProgramDualAdd(HgProgram dual, HgState input, bool dot, double alpha, HgState x) {
  const HgDual d = dual->dual;
  for (int k = 0; k < d->of->variables; k++) {
    const HgProgramVariable *v = &d->of->variable[k];
    if (v->role == HG_WORK || (v->role == HG_CONSTANT && !v->active)) continue;
    PetscCall(HgStateAXPYVariable(x, v->input, alpha, input,
                                  dual->variable[dot ? d->of->variables + k : k].input));
  }
  return 0;
}
