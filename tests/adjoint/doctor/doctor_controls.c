/* SPDX-License-Identifier: BSD-2-Clause */
/* The doctor names a control that the gradient leaves out though J depends on it, remarks on one
   that J does not depend on and on one that its bounds pin, names a kink with variable and cell,
   also one that comes late, and no weight in its place, and finds nothing in a sum of more parts
   than it can follow. Rounding is no kink, nor is that of a large J a wrong sum; steps are counted
   over all trajectories. */
#include "caught.h"
#include "claim.h"
#include "heat_case.h"
#include "trajectory_case.h"
#include <halograd/control.h>

enum { NX = 12, NY = 10, COLUMN = 5, ROW = 4, PARTS = 70 };

/* J(m) over so many steps with kappa = exp(m). `active`: whether the program knows of it. */
static PetscErrorCode examine(long seen, bool active, double lower, HgFindings *r) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 0.1, .dy = 0.1};
  const HgCheckBound bound = {"m", lower, 1};
  const HgCheckOptions options = {.bounds = 1, .bound = &bound};
  TrajectoryCase c;
  HgOperator misfit, log_kappa, x, J;
  HgState m;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c.mesh));
  PetscCall(HgProgramCreatePhysics(c.mesh, &hg_heat_physics, NULL, 1e-4, &c.program));
  PetscCall(trajectory_case_begin(4, 2, &c));
  PetscCall(HgStateSetField(c.x, "u", wave, NULL));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "u", seen, c.data, 1));
  PetscCall(trajectory_case_end(&c));
  PetscCall(HgProgramSetActive(c.program, "kappa", active));
  PetscCall(HgTrajectoryOperator(c.trajectory, &misfit));
  PetscCall(HgParametrisationLog(c.mesh, "m", "kappa", "1", &log_kappa));
  PetscCall(HgControlCreate(c.x, 1, &(HgControl){"kappa", log_kappa}, &x));
  PetscCall(HgOperatorChain("J", 2, (HgOperator[]){x, misfit}, &J));
  PetscCall(HgOperatorCreateInput(J, &m));
  PetscCall(HgStateSetConstant(m, "m", 0.25));
  PetscCall(HgExamineGradient(J, m, &options, r));
  PetscCall(DESTROY(&misfit, &log_kappa, &x, &J, &m));
  return trajectory_case_destroy(&c);
}

static PetscErrorCode controls(void) {
  HgFindings r;
  PetscCall(examine(4, true, 0, &r));
  claim_that(!r.findings && !r.remarks, "sound: %d findings, %d remarks", r.findings, r.remarks);
  PetscCall(examine(4, false, 0, &r));
  claim_that(r.findings == 1 && r.finding[0].check == HG_CHECK_CONTROL &&
                 !strcmp(r.finding[0].read, "m"),
             "inactive: the control is named");
  PetscCall(examine(0, true, 0, &r));
  claim_that(!r.findings && r.remarks == 1 && r.remark[0].check == HG_CHECK_IDLE,
             "idle: it is remarked");
  PetscCall(examine(4, true, 0.25, &r));
  claim_that(!r.findings && r.remarks == 1 && r.remark[0].check == HG_CHECK_PINNED &&
                 r.remark[0].is > 0 && r.remark[0].was == NX * NY,
             "pinned: it is remarked, %g of %g", r.remark[0].is, r.remark[0].was);
  return 0;
}

/* ---- u' = u + |u - 1| / 10 from step `from` on, which has a kink at u = 1; u' = u before ---- */
static long from;

static void apply(const HgBox *b, const void *unused, const HgRows x[], const HgRowsOut y[]) {
  const double bend = b->step < from ? 0 : 0.1;
  (void)unused;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = x[0][j][i] + bend * fabs(x[0][j][i] - 1);
}

static double slope(const HgBox *b, double u) {
  return b->step < from ? 1 : 1 + (u > 1 ? 0.1 : -0.1);
}

static void tangent(const HgBox *b, const void *unused, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)unused;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) dy[0][j][i] = slope(b, x[0][j][i]) * dx[0][j][i];
}

static void adjoint(const HgBox *b, const void *unused, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)unused;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[0][j][i] += slope(b, x[0][j][i]) * y_bar[0][j][i];
}

static const HgStencil bent = {.name = "bent",
                               .reads = (const HgRead[]){{"u", 0, 0}, {NULL, 0, 0}},
                               .writes = (const char *const[]){"u", NULL},
                               .apply = apply,
                               .tangent = tangent,
                               .adjoint = adjoint};

/* 1 in cell (COLUMN, ROW), further from it elsewhere. */
static double near_one(double x, double y, void *unused) {
  (void)unused;
  const double dx = x - COLUMN, dy = y - ROW;
  return 1 + 0.3 * (dx * dx + dy * dy);
}

/* ---- y = (u + A) - (u_W + A) with a large A ---- */
enum { A = 4000 };

static void straight_apply(const HgBox *b, const void *params, const HgRows x[],
                           const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = (x[0][j][i] + A) - (x[0][j][i - 1] + A);
}

static void straight_tangent(const HgBox *b, const void *params, const HgRows x[],
                             const HgRows dx[], const HgRowsOut dy[]) {
  (void)params, (void)x;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) dy[0][j][i] = dx[0][j][i] - dx[0][j][i - 1];
}

static void straight_adjoint(const HgBox *b, const void *params, const HgRows x[],
                             const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[0][j][i] += y_bar[0][j][i] - y_bar[0][j][i + 1];
}

static const HgStencil straight = {.name = "straight",
                                   .reads =
                                       (const HgRead[]){{"u", 1, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
                                   .writes = (const char *const[]){"u", NULL},
                                   .apply = straight_apply,
                                   .tangent = straight_tangent,
                                   .adjoint = straight_adjoint};

static double small(double x, double y, void *unused) { return 1e-3 * near_one(x, y, unused); }

/* A part of a sum that is large and does not depend on anything. */
static PetscErrorCode large_apply(void *self, HgState x, HgState y) {
  (void)self, (void)x;
  HgStateArray(y, 0)[0] = 1e9;
  return 0;
}

static PetscErrorCode large_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)self, (void)x, (void)dx;
  HgStateArray(dy, 0)[0] = 0;
  return 0;
}

static PetscErrorCode large_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  (void)self, (void)x, (void)y_bar, (void)x_bar;
  return 0;
}

/* The doctor's print of J, found sound, begins with `text`. */
static PetscErrorCode expect_sound(HgOperator J, HgState x, const char *text) {
  FILE *const usual = caught_begin();
  char said[1024];
  bool sound;
  PetscCall(HgCheckGradient(J, x, NULL, &sound));
  caught_end(usual, said, sizeof said);
  if (!claim.rank) claim_that(strstr(said, text) != NULL, "said %s, expected %s", said, text);
  claim_that(sound, "sound, but: %s", said);
  return 0;
}

static PetscErrorCode sound(void) {
  static const HgOperatorTable table = {large_apply, large_tangent, large_adjoint, NULL, NULL};
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 1, .dy = 1};
  TrajectoryCase c;
  HgOperator J, large, twice, sum;
  HgState y;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c.mesh));
  PetscCall(HgProgramCreate(c.mesh, "straight", 1, &c.program));
  PetscCall(HgProgramAddStencil(c.program, &straight, NULL));
  PetscCall(HgProgramSetBoundary(c.program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(trajectory_case_begin(1, 1, &c));
  PetscCall(HgStateSetField(c.x, "u", small, NULL));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "u", 1, c.data, 1));
  PetscCall(trajectory_case_end(&c));
  PetscCall(HgTrajectoryOperator(c.trajectory, &J));
  PetscCall(HgOperatorCreateOutput(J, &y));
  PetscCall(HgOperatorCreate("large", c.x, y, &table, NULL, &large));
  PetscCall(HgOperatorSum("twice", 2, (HgOperator[]){J, J}, &twice));
  PetscCall(HgOperatorSum("sum", 2, (HgOperator[]){J, large}, &sum));
  PetscCall(expect_sound(J, c.x, "doctor straight: 1 step, "));
  PetscCall(expect_sound(twice, c.x, "doctor straight: 2 steps, "));
  PetscCall(expect_sound(sum, c.x, "doctor straight: 1 step, "));
  PetscCall(expect_sound(large, c.x, "doctor large: no trajectory: sound"));
  PetscCall(DESTROY(&J, &large, &twice, &sum, &y));
  return trajectory_case_destroy(&c);
}

/* J: a misfit and R. */
static PetscErrorCode kink(long steps) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 1, .dy = 1};
  TrajectoryCase c;
  HgFindings r;
  HgOperator misfit, R, J;
  from = steps - 1;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c.mesh));
  PetscCall(HgProgramCreate(c.mesh, "bent", 1, &c.program));
  PetscCall(HgProgramAddStencil(c.program, &bent, NULL));
  PetscCall(HgProgramSetBoundary(c.program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(trajectory_case_begin(steps, 1, &c));
  PetscCall(HgStateSetField(c.x, "u", near_one, NULL));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "u", steps, c.data, 1));
  PetscCall(trajectory_case_end(&c));
  PetscCall(HgTrajectoryOperator(c.trajectory, &misfit));
  PetscCall(HgRegularisationCreate(c.x, &(HgRegularisation){"u", 1, 0, 0, NULL}, &R));
  PetscCall(HgOperatorSum("J", 2, (HgOperator[]){misfit, R}, &J));
  PetscCall(HgExamineGradient(J, c.x, NULL, &r));
  const HgFinding *f = &r.finding[0];
  if (claim_that(r.findings == 1, "kink: %d findings", r.findings))
    claim_that(f->check == HG_CHECK_KINK && f->step == from && !strcmp(f->read, "u") &&
                   f->i == COLUMN && f->j == ROW,
               "kink: step %ld, of '%s' in cell (%d, %d)", f->step, f->read, f->i, f->j);
  PetscCall(DESTROY(&misfit, &R, &J));
  return trajectory_case_destroy(&c);
}

static PetscErrorCode many_parts(void) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 0.1, .dy = 0.1};
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  HgMesh mesh;
  HgState m;
  HgOperator part[PARTS], sum;
  HgFindings report;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &m));
  PetscCall(HgStateSetField(m, "u", wave, NULL));
  for (int k = 0; k < PARTS; k++)
    PetscCall(HgRegularisationCreate(
        m, &(HgRegularisation){"u", 1 + 0.1 * k, 0.5 / (k + 1), 0.1 * k, NULL}, &part[k]));
  PetscCall(HgOperatorSum("many", PARTS, part, &sum));
  PetscCall(HgExamineGradient(sum, m, NULL, &report));
  claim_that(!report.findings, "a sum of %d parts is sound", (int)PARTS);
  for (int k = 0; k < PARTS; k++) PetscCall(HgOperatorDestroy(&part[k]));
  return DESTROY(&sum, &m, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the doctor names controls and kinks", 1);
  if (!ierr) ierr = controls();
  if (!ierr) ierr = kink(1);
  if (!ierr) ierr = kink(8);
  if (!ierr) ierr = many_parts();
  if (!ierr) ierr = sound();
  return claim_end(ierr);
}
