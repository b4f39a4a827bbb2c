/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators between ranks after the stencil of every step, linear or not, pass all checks with the
   stencils and under a trajectory; the states are those of a loop by hand, and the gradient has the
   same bits whether steps are stored or recomputed. */
#include "claim.h"
#include "heat_case.h"
#include "trajectory_claims.h"
#include <halograd/operator.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

/* u + sin(u) / 4 on every cell: an operator that is not linear. */
static PetscErrorCode sine(HgState x, HgState dx, HgState y, bool adds) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgReal *const *u = HgStateRows(x, 0), *const *v = HgStateRows(y, 0),
                *const *du = dx ? HgStateRows(dx, 0) : NULL;
  if (!adds) PetscCall(HgStateCopy(dx ? dx : x, y)); /* ghosts outside frozen walls, too */
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double w = du ? (1 + cos(u[j][i]) / 4) * du[j][i] : u[j][i] + sin(u[j][i]) / 4;
      v[j][i] = w + (adds ? v[j][i] : 0);
    }
  HgStateSetGhostDepth(y, 0, 0);
  return 0;
}

static PetscErrorCode sine_apply(void *self, HgState x, HgState y) {
  (void)self;
  return sine(x, NULL, y, false);
}

static PetscErrorCode sine_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)self;
  return sine(x, dx, dy, false);
}

static PetscErrorCode sine_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  (void)self;
  return sine(x, y_bar, x_bar, true);
}

typedef struct {
  HgOperator ring, bend;
} Operators;

/* Patches move on by one rank; u + sin(u) / 4. */
static PetscErrorCode add_operators(HgProgram program, void *context) {
  static const HgOperatorTable table = {sine_apply, sine_tangent, sine_adjoint, NULL, NULL};
  const char *const u[] = {"u", NULL};
  const HgVariable pattern = {"u", "K", HG_FIELD, 0};
  const HgMesh mesh = HgProgramMesh(program);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int cells = p->nx * p->ny;
  Operators *o = context;
  int ranks;
  HgState q;
  HgCollective ring;
  PetscCallMPI(MPI_Comm_size(HgMeshComm(mesh), &ranks));
  PetscCall(HgStateCreate(mesh, 1, &pattern, &q));
  PetscCall(HgCollectiveCreate(
      HgMeshComm(mesh),
      &(HgCollectiveSpec){HG_SENDRECV, .to = (claim.rank + 1) % ranks, .n = cells,
                          .from = (claim.rank + ranks - 1) % ranks, .received = cells},
      &ring));
  PetscCall(HgCollectiveOperator(q, "u", &ring, &pattern, &o->ring));
  PetscCall(HgOperatorCreate("bend", q, q, &table, NULL, &o->bend));
  PetscCall(HgProgramAddOperator(program, o->ring, u, u));
  PetscCall(HgProgramAddOperator(program, o->bend, u, u));
  return HgStateDestroy(&q);
}

static PetscErrorCode operators_destroy(Operators *o) { return DESTROY(&o->ring, &o->bend); }

/* The same steps by hand, on a program without operators, with those of another on the same mesh
   layout. Frozen walls: ghosts outside them are those of the start. */
static PetscErrorCode by_hand(HeatCase *c, long steps, char digest[17]) {
  HgState q, next, constants;
  Operators o;
  HgProgram apart;
  PetscCall(HgProgramCreate(c->mesh, "apart", 1, &apart));
  PetscCall(add_operators(apart, &o));
  PetscCall(HgProgramCreateCarried(c->program, &q));
  PetscCall(HgProgramCreateCarried(c->program, &next));
  PetscCall(HgProgramCreateConstants(c->program, &constants));
  PetscCall(HgProgramSplit(c->program, c->x, q, constants));
  for (long n = 0; n < steps; n++) {
    PetscCall(HgProgramStep(c->program, n, constants, q, next));
    PetscCall(HgStateCopy(next, q));
    PetscCall(HgOperatorApply(o.ring, next, q));
    HgStateSetGhostDepth(q, 0, 0);
    PetscCall(HgOperatorApply(o.bend, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateDigest(q, NULL, digest));
  PetscCall(DESTROY(&q, &next, &constants, &apart));
  return operators_destroy(&o);
}

static PetscErrorCode walls(HeatSpec spec) {
  HeatCase c;
  Operators o;
  HgOperator step;
  char hand[17], own[17], text[2][256];
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(by_hand(&c, spec.steps, hand));
  PetscCall(heat_destroy(&c));
  spec.more = add_operators, spec.context = &o;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgProgramOperator(c.program, 3, &step));
  PetscCall(claim_checks("a step with operators", step, c.x, 0, 1));
  PetscCall(claim_checks("a trajectory with operators", c.op, c.x, 1e-12, 2));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text[0]));
  PetscCall(HgStateDigest(HgTrajectoryFinal(c.trajectory), NULL, own));
  claim_that(!strcmp(own, hand), "final state %s, by hand %s", own, hand);
  PetscCall(HgOperatorDestroy(&step));
  PetscCall(heat_destroy(&c));
  PetscCall(operators_destroy(&o));
  spec.slots = (int)spec.steps;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text[1]));
  claim_that(!strcmp(text[0], text[1]), "recomputed '%s', stored '%s'", text[0], text[1]);
  PetscCall(heat_destroy(&c));
  return operators_destroy(&o);
}

static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  HeatSpec spec = {.nx = 6, .ny = 5 * ranks, .px = 1, .py = ranks, .steps = 7, .slots = 3};
  for (spec.walls = WALLS_FIXED; spec.walls < WALLS; spec.walls++) PetscCall(walls(spec));
  return 0;
}

CLAIM("operators between ranks stand beside stencils in a program", 1, test)
