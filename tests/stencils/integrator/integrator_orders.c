/* SPDX-License-Identifier: BSD-2-Clause */
/* Stock integrators: Euler is of order 1, Adams-Bashforth 2 of order 2, and of order 1 with
   epsilon > 0; heat's tendency and Euler's step have the bits of the fused step of heat. */
#include "claim.h"
#include <halograd/heat.h>
#include <halograd/integrator.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <math.h>

static const HgMeshSpec spec = {.nx = 12, .ny = 9, .dx = 0.5, .dy = 0.25};

/* dx/dt = -x^2, whose solution from 1 is 1/(1 + t) */
static void decay_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = -x[0][j][i] * x[0][j][i];
}

static void decay_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                          const HgRowsOut dy[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) dy[0][j][i] = -2 * x[0][j][i] * dx[0][j][i];
}

static void decay_adjoint(const HgBox *b, const void *params, const HgRows x[],
                          const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[0][j][i] -= 2 * x[0][j][i] * y_bar[0][j][i];
}

static const HgStencil decay = {
    .name = "decay",
    .reads = (const HgRead[]){{"x", 0, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"x_r", NULL},
    .apply = decay_apply,
    .tangent = decay_tangent,
    .adjoint = decay_adjoint,
};

static const HgStencil euler = HG_EULER("x", "x_r"), ab2 = HG_AB2("x", "x_r", "x_t"),
                       heat_step = HG_EULER("u", "u_r");

/* |x(1) - 1/2| after `steps` steps. */
static PetscErrorCode error_of(HgMesh mesh, const HgStencil *step, double epsilon, int steps,
                               double *error) {
  const HgAdamsBashforth scheme = {epsilon};
  HgProgram p;
  HgState q, next;
  double largest;
  PetscCall(HgProgramCreate(mesh, "decay", 1.0 / steps, &p));
  PetscCall(HgProgramAddStencil(p, &decay, NULL));
  PetscCall(HgProgramAddStencil(p, step, step->params_size ? &scheme : NULL));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgProgramCreateCarried(p, &next));
  PetscCall(HgStateSetConstant(q, "x", 1));
  if (step == &ab2) PetscCall(HgStateSetConstant(q, "x_t", 7)); /* counts for nothing */
  for (int n = 0; n < steps; n++) {
    PetscCall(HgProgramStep(p, n, NULL, q, next));
    HgStateSwap(q, next);
  }
  largest = HgStateRows(q, 0)[0][0];
  *error = fabs(largest - 0.5);
  return DESTROY(&q, &next, &p);
}

static PetscErrorCode order(HgMesh mesh, const HgStencil *step, double epsilon, double expected) {
  double coarse = 0, fine = 0;
  PetscCall(error_of(mesh, step, epsilon, 100, &coarse));
  PetscCall(error_of(mesh, step, epsilon, 200, &fine));
  claim_at_most(fabs(log2(coarse / fine) - expected), 0.05, "%s, epsilon %g: order %g less %g",
                step->name, epsilon, log2(coarse / fine), expected);
  return 0;
}

static double bump(double x, double y, void *unused) {
  (void)unused;
  return 1 + sin(x) * cos(3 * y);
}

/* u after 20 steps, digested. */
static PetscErrorCode heat(HgMesh mesh, bool fused, char hex[17]) {
  HgProgram p;
  HgState q, next, constants;
  PetscCall(HgProgramCreate(mesh, "heat", 1e-3, &p));
  PetscCall(HgProgramAddStencil(p, fused ? &hg_heat : &hg_heat_tendency, NULL));
  if (!fused) PetscCall(HgProgramAddStencil(p, &heat_step, NULL));
  PetscCall(HgProgramSetBoundary(p, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgProgramCreateCarried(p, &next));
  PetscCall(HgProgramCreateConstants(p, &constants));
  PetscCall(HgStateSetField(q, "u", bump, NULL));
  PetscCall(HgStateSetField(constants, "kappa", bump, NULL));
  for (int n = 0; n < 20; n++) {
    PetscCall(HgProgramStep(p, n, constants, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateDigest(q, "u", hex));
  return DESTROY(&q, &next, &constants, &p);
}

static PetscErrorCode test(void) {
  HgMesh mesh;
  char fused[17], apart[17];
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(order(mesh, &euler, 0, 1));
  PetscCall(order(mesh, &ab2, 0, 2));
  PetscCall(order(mesh, &ab2, 0.1, 1));
  PetscCall(heat(mesh, true, fused));
  PetscCall(heat(mesh, false, apart));
  claim_that(!strcmp(fused, apart), "heat: fused %s, tendency and Euler %s", fused, apart);
  return HgMeshDestroy(&mesh);
}

CLAIM("stock integrators have their orders, and the bits of a fused step", 0, test)
