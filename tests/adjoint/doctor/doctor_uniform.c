/* SPDX-License-Identifier: BSD-2-Clause */
/* The doctor finds an adjoint that takes the coefficient of its own cell where that of the
   neighbour is meant, also where the run starts from a uniform coefficient, with which both are the
   same. */
#include "claim.h"
#include "findings.h"
#include "heat_case.h"
#include "trajectory_case.h"

/* u_bar += kappa lap(y_bar), where lap(kappa y_bar) is right; kappa_bar += y_bar lap(u). */
static void wrong_adjoint(const HgBox *b, const void *unused, const HgRows x[],
                          const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const double rx = b->dt / (b->dx * b->dx), ry = b->dt / (b->dy * b->dy);
  const HgRows u = x[0], kappa = x[1], w = y_bar[0];
  (void)unused;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      if (x_bar[0]) /* NULL where it is not wanted */
        x_bar[0][j][i] += w[j][i] + kappa[j][i] * (rx * (w[j][i - 1] - 2 * w[j][i] + w[j][i + 1]) +
                                                   ry * (w[j - 1][i] - 2 * w[j][i] + w[j + 1][i]));
      if (x_bar[1])
        x_bar[1][j][i] += w[j][i] * (rx * (u[j][i - 1] - 2 * u[j][i] + u[j][i + 1]) +
                                     ry * (u[j - 1][i] - 2 * u[j][i] + u[j + 1][i]));
    }
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = 12, .ny = 10, .dx = 0.1, .dy = 0.1};
  HgStencil own = hg_heat;
  HgFindings r;
  TrajectoryCase c;
  own.adjoint = wrong_adjoint, own.sets = false;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c.mesh));
  PetscCall(HgProgramCreate(c.mesh, "own", 1e-4, &c.program));
  PetscCall(HgProgramAddStencil(c.program, &own, NULL));
  PetscCall(HgProgramSetBoundary(c.program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetBoundary(c.program, "kappa", HgBoundaryAll(HG_COPY, 0)));
  PetscCall(trajectory_case_begin(5, 2, &c));
  PetscCall(HgStateSetField(c.x, "u", wave, NULL));
  PetscCall(HgStateSetConstant(c.x, "kappa", 1));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "u", 5, c.data, 1));
  PetscCall(trajectory_case_end(&c));
  PetscCall(examine_trajectory(c.trajectory, c.x, &r));
  claim_that(r.findings == 1 && r.finding[0].near && r.finding[0].check == HG_CHECK_DOT &&
                 !strcmp(r.finding[0].read, "u") && !strcmp(r.finding[0].part, "heat"),
             "uniform coefficient: %d findings", r.findings);
  PetscCall(HgStateSetField(c.x, "kappa", hill, NULL));
  PetscCall(examine_trajectory(c.trajectory, c.x, &r));
  claim_that(r.findings == 1 && !r.finding[0].near, "another coefficient: %d findings", r.findings);
  return trajectory_case_destroy(&c);
}

CLAIM("the doctor is not misled by uniform fields", 0, test)
