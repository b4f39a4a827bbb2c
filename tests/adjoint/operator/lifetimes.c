/* SPDX-License-Identifier: BSD-2-Clause */
/* An operator lives as long as one of its owners: chains, sums, controls, experiments, programs and
   inversions keep their parts, and give the same numbers, whatever is destroyed in whatever order;
   each part is freed once, with its last owner. */
#include "claim.h"
#include <halograd/control.h>
#include <halograd/experiments.h>
#include <halograd/inversion.h>
#include <halograd/operator_library.h>
#include <halograd/program.h>

enum { SIZE = 3, ORDERS = 24 };

/* y = 2 x and J = |x|^2 / 2, which count how often they are freed. */
static int freed[2];

static PetscErrorCode twice(void *self, HgState x, HgState y) {
  (void)self;
  PetscCall(HgStateZero(y));
  return HgStateAXPY(y, 2, x);
}

static PetscErrorCode twice_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  return twice(self, dx, dy);
}

static PetscErrorCode twice_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  (void)self, (void)x;
  return HgStateAXPY(x_bar, 2, y_bar);
}

static PetscErrorCode half(void *self, HgState x, HgState J) {
  (void)self;
  PetscCall(HgStateDot(x, x, HgStateArray(J, 0)));
  HgStateArray(J, 0)[0] /= 2;
  return 0;
}

static PetscErrorCode half_tangent(void *self, HgState x, HgState dx, HgState dJ) {
  (void)self;
  return HgStateDot(x, dx, HgStateArray(dJ, 0));
}

static PetscErrorCode half_adjoint(void *self, HgState x, HgState J_bar, HgState x_bar) {
  (void)self;
  return HgStateAXPY(x_bar, HgStateArray(J_bar, 0)[0], x);
}

static PetscErrorCode count(void *self) {
  ++*(int *)self;
  return 0;
}

/* What the test destroys, in any order: all but the mesh and the experiments' groups. */
typedef enum { TWICE, HALF, CHAIN, SUM, CONTROLS, MANY, STEP, PROGRAM, INVERSION, ALL } What;

typedef struct {
  HgOperator op[ALL]; /* NULL: destroyed, or no operator */
  HgProgram program;
  HgInversion inversion;
} Things;

static PetscErrorCode create(HgState x, HgExperiments experiments, Things *t) {
  static const HgOperatorTable twice_table = {twice, twice_tangent, twice_adjoint, NULL, count},
                               half_table = {half, half_tangent, half_adjoint, NULL, count};
  const char *const names[] = {"theta", NULL};
  HgOperator *op = t->op;
  PetscCall(HgOperatorCreate("twice", x, x, &twice_table, &freed[0], &op[TWICE]));
  PetscCall(HgOperatorCreate("half", x, NULL, &half_table, &freed[1], &op[HALF]));
  PetscCall(HgOperatorChain("chain", 2, (HgOperator[]){op[TWICE], op[HALF]}, &op[CHAIN]));
  PetscCall(HgOperatorSum("sum", 2, (HgOperator[]){op[CHAIN], op[HALF]}, &op[SUM]));
  PetscCall(HgControlCreate(x, 1, &(HgControl){"theta", op[TWICE]}, &op[CONTROLS]));
  PetscCall(HgExperimentsFunctional(experiments, (HgOperator[]){op[CHAIN], op[SUM]}, &op[MANY]));
  PetscCall(HgProgramCreate(HgStateMesh(x), "doubling", 1, &t->program));
  PetscCall(HgProgramAddOperator(t->program, op[TWICE], names, names));
  PetscCall(HgProgramSetUp(t->program));
  PetscCall(HgProgramOperator(t->program, 0, &op[STEP]));
  return HgInversionCreate(op[SUM], &t->inversion);
}

/* Whether `what` needs part 0, "twice", or part 1, "half". */
static bool owns(What what, int part) {
  if (what == STEP) return false; /* it borrows its program */
  return part ? what != TWICE && what != CONTROLS && what != PROGRAM : what != HALF;
}

static PetscErrorCode destroy(Things *t, What what) {
  if (what == PROGRAM) return HgProgramDestroy(&t->program);
  if (what == INVERSION) return HgInversionDestroy(&t->inversion);
  return HgOperatorDestroy(&t->op[what]);
}

/* The inversion before it goes, at whatever is left of what it was made of. */
static PetscErrorCode invert(Things *t, HgState x) {
  HgIterate last;
  HgState m;
  const char *reason;
  PetscCall(HgStateDuplicate(x, &m));
  PetscCall(HgStateCopy(x, m));
  PetscCall(HgInversionSolve(t->inversion, m, &last, &reason));
  claim_at_most(last.J, 1e-6, "J of the inversion");
  return HgStateDestroy(&m);
}

/* |x|^2 = 14: J is 7, of a chain 4 times as much; an operator gives 2 x. */
static PetscErrorCode look(Things *t, HgState x) {
  static const double expected[ALL] = {[HALF] = 7, [CHAIN] = 28, [SUM] = 35, [MANY] = 63};
  for (int k = 0; k < ALL; k++) {
    HgState y;
    if (!t->op[k] || (k == STEP && !t->program)) continue;
    PetscCall(HgOperatorCreateOutput(t->op[k], &y));
    PetscCall(HgOperatorApply(t->op[k], x, y));
    claim_same(HgStateArray(y, 0)[0], expected[k] > 0 ? expected[k] : 2, "%s",
               HgOperatorName(t->op[k]));
    PetscCall(HgStateDestroy(&y));
  }
  return 0;
}

static unsigned draw(unsigned *state) {
  *state = *state * 1664525U + 1013904223U;
  return *state >> 16;
}

static PetscErrorCode try_order(unsigned order, HgState x, HgExperiments experiments) {
  Things t = {0};
  What what[ALL];
  unsigned state = order;
  freed[0] = freed[1] = 0;
  PetscCall(create(x, experiments, &t));
  for (int k = 0; k < ALL; k++) what[k] = (What)k;
  for (int k = ALL - 1; k > 0; k--) {
    const int l = (int)(draw(&state) % (unsigned)(k + 1));
    const What other = what[k];
    what[k] = what[l], what[l] = other;
  }
  for (int k = 0; k < ALL; k++) {
    PetscCall(look(&t, x));
    if (what[k] == INVERSION) PetscCall(invert(&t, x));
    PetscCall(destroy(&t, what[k]));
    for (int part = 0; part < 2; part++) {
      int owners = 0;
      for (int l = k + 1; l < ALL; l++) owners += owns(what[l], part);
      claim_same(freed[part], owners ? 0 : 1, "order %u, part %d, %d owners left: freed so often",
                 order, part, owners);
    }
  }
  return 0;
}

static PetscErrorCode run(void) {
  const HgVariable theta = {"theta", "1", HG_REPLICATED, SIZE};
  HgMesh mesh;
  HgState x;
  HgExperiments experiments;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD,
                         &(HgMeshSpec){.nx = 8, .ny = 8, .dx = 1, .dy = 1, .ghost = 1}, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &theta, &x));
  for (int k = 0; k < SIZE; k++) HgStateArray(x, 0)[k] = k + 1;
  PetscCall(HgExperimentsCreate(PETSC_COMM_WORLD, 2, 1, &experiments));
  for (unsigned order = 0; order < ORDERS; order++) PetscCall(try_order(order, x, experiments));
  PetscCall(HgExperimentsDestroy(&experiments));
  return DESTROY(&x, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "lifetimes of operators\n");
  if (ierr) return ierr;
  claim_begin("operators are freed with their last owner", 0);
  return claim_end(run());
}
