/* SPDX-License-Identifier: BSD-2-Clause */
/* Van Leer's mean 2ab/(a + b) of two slopes has no derivative where both are 0: along each
   direction it is linear there, but not in directions. The doctor says so, and does not blame the
   tangent; a tangent that is wrong it blames where slopes are not 0. */
#include "claim.h"
#include "findings.h"
#include "heat_case.h"
#include "trajectory_case.h"

enum { NX = 12, NY = 10 };

/* u' = u + h(u - u_W, u_E - u) / 10, h(a, b) = 2ab/(a + b) where ab > 0, else 0 */
static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const HgRows u = x[0];
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double west = u[j][i] - u[j][i - 1], east = u[j][i + 1] - u[j][i];
      y[0][j][i] = u[j][i] + (west * east > 0 ? 0.2 * west * east / (west + east) : 0);
    }
}

/* dh/da; dh/db is dh_of(b, a). */
static double dh_of(double a, double b) {
  return a * b > 0 ? 0.2 * b * b / ((a + b) * (a + b)) : 0;
}

static double factor = 1; /* what the tangent's part from u_E is multiplied with */

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  const HgRows u = x[0], du = dx[0];
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double west = u[j][i] - u[j][i - 1], east = u[j][i + 1] - u[j][i];
      dy[0][j][i] = du[j][i] + dh_of(west, east) * (du[j][i] - du[j][i - 1]) +
                    factor * dh_of(east, west) * (du[j][i + 1] - du[j][i]);
    }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const HgRows u = x[0], w = y_bar[0];
  (void)params;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double s[] = {u[j][i - 1] - u[j][i - 2], u[j][i] - u[j][i - 1], u[j][i + 1] - u[j][i],
                          u[j][i + 2] - u[j][i + 1]};
      x_bar[0][j][i] += w[j][i] * (1 + dh_of(s[1], s[2]) - factor * dh_of(s[2], s[1])) -
                        w[j][i + 1] * dh_of(s[2], s[3]) + w[j][i - 1] * factor * dh_of(s[1], s[0]);
    }
}

static const HgStencil limited = {.name = "limited",
                                  .reads = (const HgRead[]){{"u", 1, 2}, {NULL, 0, 0}},
                                  .writes = (const char *const[]){"u", NULL},
                                  .apply = apply,
                                  .tangent = tangent,
                                  .adjoint = adjoint};

static double steep(double x, double y, void *unused) {
  (void)unused;
  return 1 + 0.3 * x + 0.01 * x * x + 0.05 * y;
}

static PetscErrorCode examine(bool flat, HgFindings *r) {
  const HgMeshSpec spec = {
      .nx = NX, .ny = NY, .dx = 1, .dy = 1, .periodic_x = flat, .periodic_y = flat};
  TrajectoryCase c;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c.mesh));
  PetscCall(HgProgramCreate(c.mesh, "limited", 1, &c.program));
  PetscCall(HgProgramAddStencil(c.program, &limited, NULL));
  if (!flat) PetscCall(HgProgramSetBoundary(c.program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(trajectory_case_begin(1, 1, &c));
  if (flat) PetscCall(HgStateSetConstant(c.x, "u", 1));
  else PetscCall(HgStateSetField(c.x, "u", steep, NULL));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "u", 1, c.data, 1));
  PetscCall(trajectory_case_end(&c));
  PetscCall(examine_trajectory(c.trajectory, c.x, r));
  return trajectory_case_destroy(&c);
}

static PetscErrorCode test(void) {
  HgFindings r;
  char text[512];
  PetscCall(examine(true, &r));
  const HgFinding *const f = &r.finding[0];
  if (claim_that(r.findings == 1, "flat: %d findings", r.findings)) {
    HgFindingText(f, sizeof text, text);
    claim_that(f->check == HG_CHECK_KINK && f->split && !strcmp(f->read, "u") &&
                   strstr(text, "not additive"),
               "flat: %s", text);
  }
  PetscCall(examine(false, &r));
  claim_that(!r.findings, "steep: %d findings", r.findings);
  factor = 0.5;
  PetscCall(examine(false, &r));
  claim_that(r.findings == 1 && f->check == HG_CHECK_TAYLOR && !f->split, "half a tangent is told");
  return 0;
}

CLAIM("the doctor tells a mean without derivative from a wrong tangent", 0, test)
