/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an operator is a term like a stencil: it may read a variable twice, its results are
   compared with limits and masked on closed faces, together and term by term; an array has no
   limit. Of a term that is refused a program knows nothing; a mesh that has got wider ghosts than
   an operator's own is refused. A term that nothing active depends on is not reversed. A program
   that cannot be made is NULL.
   */
#include "claim.h"
#include "refusal.h"
#include <halograd/heat.h>
#include <halograd/objective.h>
#include <halograd/program_library.h>
#include <math.h>

/* y = weight (sum of x); its adjoint x_bar += weight y_bar for each. */
static double weight;

static PetscErrorCode sum_apply(void *self, HgState x, HgState y) {
  (void)self;
  PetscCall(HgStateZero(y));
  for (int k = 0; k < HgStateCount(x); k++) PetscCall(HgStateAXPYVariable(y, 0, weight, x, k));
  return 0;
}

static PetscErrorCode sum_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  return sum_apply(self, dx, dy);
}

static int reversed; /* calls of it */

static PetscErrorCode sum_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  (void)self, (void)x;
  reversed++;
  for (int k = 0; k < HgStateCount(x_bar); k++)
    PetscCall(HgStateAXPYVariable(x_bar, k, weight, y_bar, 0));
  return 0;
}

static const HgOperatorTable table = {sum_apply, sum_tangent, sum_adjoint, NULL, NULL};

/* u = weight (u + ..), read so many times, of a program that is not set up. */
static PetscErrorCode create(HgMesh mesh, int reads, HgKind kind, HgProgram *program) {
  const HgVariable in[] = {{"a", "1", kind, 3}, {"b", "1", kind, 3}};
  const char *const names[] = {reads > 1 ? "u" : NULL, "u", NULL};
  HgState x, y;
  HgOperator op;
  PetscCall(HgStateCreate(mesh, reads, in, &x));
  PetscCall(HgStateCreate(mesh, 1, in, &y));
  PetscCall(HgOperatorCreate("sum", x, y, &table, NULL, &op));
  PetscCall(HgProgramCreate(mesh, "sums", 1, program));
  PetscCall(HgProgramAddOperator(*program, op, names + (reads == 1), names + 1));
  return DESTROY(&op, &x, &y);
}

/* w = c, u = u + w: the first term is reversed only if c is active. */
static PetscErrorCode reverses_what_is_wanted(HgMesh mesh) {
  const HgVariable in[] = {{"a", "1", HG_FIELD, 0}, {"b", "1", HG_FIELD, 0}};
  HgProgram p;
  HgOperator copy, sum, step;
  HgState one, two, x, x_bar, y_bar;
  PetscCall(HgStateCreate(mesh, 1, in, &one));
  PetscCall(HgStateCreate(mesh, 2, in, &two));
  PetscCall(HgOperatorCreate("copy", one, one, &table, NULL, &copy));
  PetscCall(HgOperatorCreate("sum", two, one, &table, NULL, &sum));
  PetscCall(HgProgramCreate(mesh, "fed", 1, &p));
  PetscCall(HgProgramAddOperator(p, copy, (const char *const[]){"c", NULL},
                                 (const char *const[]){"w", NULL}));
  PetscCall(HgProgramAddOperator(p, sum, (const char *const[]){"u", "w", NULL},
                                 (const char *const[]){"u", NULL}));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramOperator(p, 0, &step));
  PetscCall(HgOperatorCreateInput(step, &x));
  PetscCall(HgOperatorCreateInput(step, &x_bar));
  PetscCall(HgOperatorCreateOutput(step, &y_bar));
  for (int active = 0; active < 2; active++) {
    PetscCall(HgProgramSetActive(p, "c", active));
    reversed = 0;
    PetscCall(HgOperatorTranspose(step, x, y_bar, x_bar));
    claim_same(reversed, 1 + active, "adjoints of terms, c active: %d", active);
  }
  HgState *const states[] = {&one, &two, &x, &x_bar, &y_bar};
  HgOperator *const operators[] = {&copy, &sum, &step};
  for (int k = 0; k < 5; k++) PetscCall(HgStateDestroy(states[k]));
  for (int k = 0; k < 3; k++) PetscCall(HgOperatorDestroy(operators[k]));
  return HgProgramDestroy(&p);
}

/* <dy, y_bar> = <dx, x_bar> where u is read twice. */
static PetscErrorCode reads_twice(HgMesh mesh) {
  HgProgram p;
  HgOperator step;
  HgState x, dx, dy, y_bar, x_bar;
  double left, right;
  weight = 1;
  PetscCall(create(mesh, 2, HG_FIELD, &p));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramOperator(p, 0, &step));
  HgState *const inputs[] = {&x, &dx, &x_bar}, *const outputs[] = {&dy, &y_bar};
  for (int k = 0; k < 3; k++) PetscCall(HgOperatorCreateInput(step, inputs[k]));
  for (int k = 0; k < 2; k++) PetscCall(HgOperatorCreateOutput(step, outputs[k]));
  PetscCall(HgStateRandom(dx, 1));
  PetscCall(HgStateRandom(y_bar, 2));
  PetscCall(HgOperatorTangent(step, x, dx, dy));
  PetscCall(HgOperatorTranspose(step, x, y_bar, x_bar));
  PetscCall(HgStateDot(dy, y_bar, &left));
  PetscCall(HgStateDot(dx, x_bar, &right));
  claim_at_most(fabs(left - right), 1e-13 * fabs(left), "u read twice: <dy, y_bar> - <dx, x_bar>");
  claim_same(left == 0, 0, "u read twice: <dy, y_bar> is 0");
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(inputs[k]));
  for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(outputs[k]));
  return DESTROY(&step, &p);
}

/* u = -1 after a step of an operator, where more than 0 is expected. */
static PetscErrorCode has_limit(HgMesh mesh) {
  HgProgram p;
  HgState q, next;
  weight = -1;
  PetscCall(create(mesh, 1, HG_FIELD, &p));
  PetscCall(HgProgramRequireAbove(p, "u", 0));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgProgramCreateCarried(p, &next));
  PetscCall(HgStateSetConstant(q, "u", 1));
  HgProgramStartLimits(p, 0, q);
  PetscCall(HgProgramStep(p, 0, NULL, q, next));
  REFUSED(HgProgramCheckLimits(p, 0, NULL), "'u' is -1 in cell (0, 0)", "after 1 steps");
  return DESTROY(&q, &next, &p);
}

static PetscErrorCode array_has_none(HgMesh mesh) {
  HgProgram p;
  PetscCall(create(mesh, 1, HG_REPLICATED, &p));
  PetscCall(HgProgramRequireAbove(p, "u", 0));
  REFUSED(HgProgramSetUp(p), "'u' has a limit, but it is an array, expected a field");
  return HgProgramDestroy(&p);
}

/* v = v, of a stencil that says it reads three cells away. */
static void copy(const HgBox *b, const HgRows from[], const HgRowsOut to[], double old) {
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) to[0][j][i] = from[0][j][i] + old * to[0][j][i];
}

static void wide_apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  copy(b, x, y, 0);
}

static void wide_tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  (void)none, (void)x;
  copy(b, dx, dy, 0);
}

static void wide_adjoint(const HgBox *b, const void *none, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  (void)none, (void)x;
  if (x_bar[0]) copy(b, y_bar, x_bar, 1);
}

static const HgStencil wide = {.name = "wide",
                               .reads = (const HgRead[]){{"v", 3, 3}, {NULL, 0, 0}},
                               .writes = (const char *const[]){"v", NULL},
                               .apply = wide_apply,
                               .tangent = wide_tangent,
                               .adjoint = wide_adjoint};

/* The mesh gets wider ghosts after an operator with ghosts of its own was made. */
static PetscErrorCode widens(void) {
  const HgMeshSpec spec = {.nx = 64, .ny = 64, .dx = 1, .dy = 1};
  for (int kind = HG_FIELD; kind <= HG_GHOSTED; kind++) {
    HgMesh mesh;
    HgProgram p;
    HgState q, next;
    PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
    PetscCall(create(mesh, 1, (HgKind)kind, &p));
    PetscCall(HgProgramAddStencil(p, &wide, NULL));
    PetscCall(HgProgramSetBoundary(p, "v", HgBoundaryAll(HG_FIXED, 0)));
    if (kind == HG_GHOSTED) {
      REFUSED(HgProgramSetUp(p), "'a' of operator 'sum'", "1 ghosts", "it has 3 now", "HgMeshSpec");
    } else {
      PetscCall(HgProgramSetUp(p));
      PetscCall(HgProgramCreateCarried(p, &q));
      PetscCall(HgProgramCreateCarried(p, &next));
      PetscCall(HgProgramStep(p, 0, NULL, q, next));
      PetscCall(HgStatesDestroy(&q, &next));
    }
    PetscCall(DESTROY(&p, &mesh));
  }
  return 0;
}

/* Sensors look at fields. */
static PetscErrorCode array_is_not_seen(HgMesh mesh) {
  HgProgram p;
  HgObjective J;
  HgObservations *o;
  PetscCall(create(mesh, 1, HG_REPLICATED, &p));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgObjectiveCreate(p, 3, &J));
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "u", "1", 1, 1, &o));
  o->x[0] = o->y[0] = 0.5;
  REFUSED(HgObjectiveAddSensors(J, o), "'u' cannot be observed, as it is an array");
  return DESTROY(&o, &J, &p);
}

/* *context = the cotangent of what the only term reads. */
static PetscErrorCode keep(void *context, const HgTermSight *sight) {
  return HgStateCopyVariable(sight->x_bar, 0, *(HgState *)context, 0);
}

/* The same step, and the same step reversed, term by term. */
static PetscErrorCode is_masked(HgMesh mesh) {
  const HgBoundary walls = {{HG_CLOSED, 0}, {HG_CLOSED, 0}, {HG_FIXED, 0}, {HG_FIXED, 0}};
  HgProgram p;
  HgState q, bar, together, apart;
  double norm;
  weight = -1;
  PetscCall(create(mesh, 1, HG_FIELD, &p));
  PetscCall(HgProgramSetLocation(p, "u", HG_X_FACE));
  PetscCall(HgProgramSetBoundary(p, "u", walls));
  PetscCall(HgProgramSetUp(p));
  HgState *const states[] = {&q, &bar, &together, &apart};
  for (int k = 0; k < 4; k++) PetscCall(HgProgramCreateCarried(p, states[k]));
  PetscCall(HgStateSetConstant(q, "u", 1));
  PetscCall(HgProgramStep(p, 0, NULL, q, together));
  PetscCall(HgProgramTermsStep(p, 0, NULL, q, apart));
  PetscCall(HgStateAXPY(apart, -1, together));
  PetscCall(HgStateDot(apart, apart, &norm));
  claim_same(norm, 0, "term by term a step differs on closed faces");
  PetscCall(HgStateZero(together));
  PetscCall(HgStateSetConstant(bar, "u", 1));
  PetscCall(HgProgramTermsAdjoint(p, 0, NULL, q, bar, keep, &apart));
  PetscCall(HgProgramStepAdjoint(p, 0, NULL, q, NULL, bar, together, NULL));
  PetscCall(HgStateAXPY(apart, -1, together));
  PetscCall(HgStateDot(apart, apart, &norm));
  claim_same(norm, 0, "term by term a step reversed differs on closed faces");
  for (int k = 0; k < 4; k++) PetscCall(HgStateDestroy(states[k]));
  return HgProgramDestroy(&p);
}

/* v = w + u with u an array, which is a field: v and w are not there afterwards. */
static PetscErrorCode refused_term(HgMesh mesh) {
  const HgVariable in[] = {{"a", "1", HG_FIELD, 0}, {"b", "1", HG_REPLICATED, 3}};
  HgProgram p;
  HgOperator op;
  HgState x, y, input;
  PetscCall(create(mesh, 1, HG_FIELD, &p));
  PetscCall(HgStateCreate(mesh, 2, in, &x));
  PetscCall(HgStateCreate(mesh, 1, in, &y));
  PetscCall(HgOperatorCreate("sum", x, y, &table, NULL, &op));
  REFUSED(HgProgramAddOperator(p, op, (const char *const[]){"w", "u", NULL},
                               (const char *const[]){"v", NULL}),
          "takes 'u' for", "but it is a field");
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateInput(p, &input));
  claim_same(HgStateCount(input), 1, "variables of the input");
  return DESTROY(&op, &x, &y, &input, &p);
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = 13, .ny = 11, .dx = 0.1, .dy = 0.1, .ghost = 1};
  static int something;
  HgMesh mesh;
  HgProgram none = (HgProgram)&something;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(reads_twice(mesh));
  PetscCall(reverses_what_is_wanted(mesh));
  PetscCall(has_limit(mesh));
  PetscCall(array_has_none(mesh));
  PetscCall(array_is_not_seen(mesh));
  PetscCall(is_masked(mesh));
  PetscCall(refused_term(mesh));
  PetscCall(widens());
  REFUSED(HgProgramCreatePhysics(mesh, &hg_heat_physics, NULL, 0, &none), "time step is 0 s");
  claim_same(none != NULL, 0, "a program that cannot be made is not NULL");
  return HgMeshDestroy(&mesh);
}

CLAIM("an operator is a term like a stencil", 0, test)
