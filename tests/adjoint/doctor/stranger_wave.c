/* SPDX-License-Identifier: BSD-2-Clause */
/* Sound of three shots, by hand: a leapfrog and a sponge, a misfit for each shot, a prior. See
   strangers.h. */
#include "destroy.h"
#include "strangers.h"
#include <halograd/control.h>
#include <halograd/operator_library.h>
#include <halograd/program.h>
#include <halograd/state_library.h>
#include <halograd/trajectory.h>
#include <math.h>

enum { NX = 15, NY = 13, STEPS = 10, SLOTS = 4, SHOTS = 3, RECEIVERS = 5, SPONGE = 3 };

static const double MEAN = 1, WEIGHT = 3;

/* ---- leapfrog: p' = 2 p - old + dt^2 (c2 lap(p) + f(t)), old' = p ---- */
static double lap(const HgBox *b, const HgRows w, int i, int j) {
  return (w[j][i - 1] - 2 * w[j][i] + w[j][i + 1]) / (b->dx * b->dx) +
         (w[j - 1][i] - 2 * w[j][i] + w[j + 1][i]) / (b->dy * b->dy);
}

/* lap(c2 w) */
static double lap_of_product(const HgBox *b, const HgRows c2, const HgRows w, int i, int j) {
  const double here = c2[j][i] * w[j][i];
  return (c2[j][i - 1] * w[j][i - 1] - 2 * here + c2[j][i + 1] * w[j][i + 1]) / (b->dx * b->dx) +
         (c2[j - 1][i] * w[j - 1][i] - 2 * here + c2[j + 1][i] * w[j + 1][i]) / (b->dy * b->dy);
}

static double ricker(double t) {
  const double s = (t - 1.5) * (t - 1.5);
  return (1 - 2 * s) * exp(-s);
}

static void leapfrog_apply(const HgBox *b, const void *unused, const HgRows x[],
                           const HgRowsOut y[]) {
  const double h = b->dt * b->dt, now = ricker(b->t);
  (void)unused;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *p = x[0][j], *old = x[1][j], *c2 = x[2][j], *f = x[3][j];
    HgReal *p_next = y[0][j], *old_next = y[1][j];
    for (int i = b->i0; i < b->i1; i++) {
      p_next[i] = 2 * p[i] - old[i] + h * (c2[i] * lap(b, x[0], i, j) + f[i] * now);
      old_next[i] = p[i];
    }
  }
}

static void leapfrog_tangent(const HgBox *b, const void *unused, const HgRows x[],
                             const HgRows dx[], const HgRowsOut dy[]) {
  const double h = b->dt * b->dt, now = ricker(b->t);
  (void)unused;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *c2 = x[2][j], *dp = dx[0][j], *dold = dx[1][j], *dc2 = dx[2][j], *df = dx[3][j];
    HgReal *dp_next = dy[0][j], *dold_next = dy[1][j];
    for (int i = b->i0; i < b->i1; i++) {
      const double waves = c2[i] * lap(b, dx[0], i, j) + dc2[i] * lap(b, x[0], i, j);
      dp_next[i] = 2 * dp[i] - dold[i] + h * (waves + df[i] * now);
      dold_next[i] = dp[i];
    }
  }
}

static void leapfrog_adjoint(const HgBox *b, const void *unused, const HgRows x[],
                             const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const double h = b->dt * b->dt, now = ricker(b->t);
  (void)unused;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *w = y_bar[0][j], *w_old = y_bar[1][j];
    HgReal *p_bar = x_bar[0] ? x_bar[0][j] : NULL;
    HgReal *old_bar = x_bar[1] ? x_bar[1][j] : NULL;
    HgReal *c2_bar = x_bar[2] ? x_bar[2][j] : NULL;
    HgReal *f_bar = x_bar[3] ? x_bar[3][j] : NULL;
    for (int i = b->i0; i < b->i1; i++) {
      if (p_bar) p_bar[i] += 2 * w[i] + w_old[i] + h * lap_of_product(b, x[2], y_bar[0], i, j);
      if (old_bar) old_bar[i] -= w[i];
      if (c2_bar) c2_bar[i] += h * lap(b, x[0], i, j) * w[i];
      if (f_bar) f_bar[i] += h * now * w[i];
    }
  }
}

static const HgStencil leapfrog = {
    .name = "leapfrog",
    .reads = (const HgRead[]){{"p", 1, 1}, {"old", 0, 0}, {"c2", 0, 1}, {"f", 0, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"p", "old", NULL},
    .apply = leapfrog_apply,
    .tangent = leapfrog_tangent,
    .adjoint = leapfrog_adjoint};

/* ---- sponge: p' = d p, old' = d old, d < 1 near walls ---- */
typedef struct {
  double strength;
} Sponge;

static double damping(const HgBox *b, const Sponge *s, int i, int j) {
  const int p = b->i_global + i, q = b->j_global + j;
  const int x = p < b->nx_global - 1 - p ? p : b->nx_global - 1 - p;
  const int y = q < b->ny_global - 1 - q ? q : b->ny_global - 1 - q;
  const int depth = SPONGE - (x < y ? x : y);
  return depth > 0 ? exp(-s->strength * depth * depth) : 1;
}

static void sponge_apply(const HgBox *b, const void *params, const HgRows x[],
                         const HgRowsOut y[]) {
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double d = damping(b, params, i, j);
      y[0][j][i] = d * x[0][j][i];
      y[1][j][i] = d * x[1][j][i];
    }
}

static void sponge_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                           const HgRowsOut dy[]) {
  (void)x;
  sponge_apply(b, params, dx, dy);
}

static void sponge_adjoint(const HgBox *b, const void *params, const HgRows x[],
                           const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)x;
  for (int j = b->j0; j < b->j1; j++) {
    HgReal *p_bar = x_bar[0] ? x_bar[0][j] : NULL;
    HgReal *old_bar = x_bar[1] ? x_bar[1][j] : NULL;
    for (int i = b->i0; i < b->i1; i++) {
      const double d = damping(b, params, i, j);
      if (p_bar) p_bar[i] += d * y_bar[0][j][i];
      if (old_bar) old_bar[i] += d * y_bar[1][j][i];
    }
  }
}

static const HgStencil sponge = {
    .name = "sponge",
    .reads =
        (const HgRead[]){{"p", 0, HG_ADJOINT_UNUSED}, {"old", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"p", "old", NULL},
    .params_size = sizeof(Sponge),
    .apply = sponge_apply,
    .tangent = sponge_tangent,
    .adjoint = sponge_adjoint};

/* ---- a prior: R(c2) = WEIGHT sum (r^2 / 2 + r^4 / 4), r = c2 - MEAN ---- */
static PetscErrorCode prior_apply(void *self, HgState m, HgState R) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  double sum = 0;
  (void)self;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double r = HgStateRows(m, 0)[j][i] - MEAN;
      sum += WEIGHT * (0.5 * r * r + 0.25 * r * r * r * r);
    }
  PetscCallMPI(
      MPI_Allreduce(&sum, HgStateArray(R, 0), 1, MPI_DOUBLE, MPI_SUM, HgMeshComm(HgStateMesh(m))));
  return 0;
}

static double slope(double r) { return WEIGHT * (r + r * r * r); }

static PetscErrorCode prior_tangent(void *self, HgState m, HgState dm, HgState dR) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  double sum = 0;
  (void)self;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      sum += slope(HgStateRows(m, 0)[j][i] - MEAN) * HgStateRows(dm, 0)[j][i];
  PetscCallMPI(
      MPI_Allreduce(&sum, HgStateArray(dR, 0), 1, MPI_DOUBLE, MPI_SUM, HgMeshComm(HgStateMesh(m))));
  return 0;
}

static PetscErrorCode prior_adjoint(void *self, HgState m, HgState R_bar, HgState m_bar) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const double weight = HgStateArray(R_bar, 0)[0];
  (void)self;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRows(m_bar, 0)[j][i] += weight * slope(HgStateRows(m, 0)[j][i] - MEAN);
  return 0;
}

static const HgOperatorTable prior_table = {prior_apply, prior_tangent, prior_adjoint, NULL, NULL};

/* ---- the story ---- */
typedef struct {
  HgObservations *receivers;
  HgObjective objective;
  HgTrajectory trajectory;
  HgOperator misfit, inputs, fit;
} Shot;

static double source(double x, double y, void *context) {
  const double at = 3 + 4 * *(const int *)context;
  return 5 * exp(-((x - at) * (x - at) + (y - 4) * (y - 4)));
}

static PetscErrorCode shoot(HgProgram program, HgStore store, HgState x, int k, Shot *s) {
  const double dt = HgProgramTimeStep(program);
  char name[32];
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "p", "1", STEPS, RECEIVERS, &s->receivers));
  for (int r = 0; r < RECEIVERS; r++) s->receivers->x[r] = 2 + 2.4 * r, s->receivers->y[r] = 8.3;
  for (int n = 0; n < STEPS; n++) {
    s->receivers->time[n] = (n + 1) * dt;
    for (int r = 0; r < RECEIVERS; r++)
      s->receivers->value[RECEIVERS * n + r] = 0.02 * sin(n + r + k),
                                          s->receivers->sigma[RECEIVERS * n + r] = 0.05;
  }
  PetscCall(HgStateSetField(x, "f", source, &k));
  PetscCall(HgObjectiveCreate(program, STEPS, &s->objective));
  PetscCall(HgObjectiveAddSensors(s->objective, s->receivers));
  PetscCall(HgTrajectoryCreate(program, STEPS, s->objective, store, &s->trajectory));
  PetscCall(HgTrajectoryOperator(s->trajectory, &s->misfit));
  PetscCall(HgControlCreate(x, 1, &(HgControl){"c2", NULL}, &s->inputs));
  snprintf(name, sizeof name, "shot %d", k);
  return HgOperatorChain(name, 2, (HgOperator[]){s->inputs, s->misfit}, &s->fit);
}

static PetscErrorCode shot_destroy(Shot *s) {
  return DESTROY(&s->misfit, &s->inputs, &s->fit, &s->trajectory, &s->objective, &s->receivers);
}

static PetscErrorCode create_program(HgMesh mesh, HgProgram *program) {
  Sponge layers = {.strength = 0.03};
  PetscCall(HgProgramCreate(mesh, "sound", 0.45, program));
  PetscCall(HgProgramAddStencil(*program, &leapfrog, NULL));
  PetscCall(HgProgramAddStencil(*program, &sponge, &layers));
  PetscCall(HgProgramSetBoundary(*program, "p", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetBoundary(*program, "c2", HgBoundaryAll(HG_COPY, 0)));
  return HgProgramSetUp(*program);
}

PetscErrorCode stranger_wave(StrangerFn *examine) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 1, .dy = 1};
  HgMesh mesh;
  HgProgram program;
  HgState x, q, m;
  HgStore store;
  HgOperator part[SHOTS + 1], J;
  Shot shot[SHOTS];
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(create_program(mesh, &program));
  PetscCall(HgProgramCreateInput(program, &x));
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgStoreCreate(q, SLOTS, 0, NULL, &store));
  PetscCall(HgStateSetConstant(x, "c2", MEAN));
  for (int k = 0; k < SHOTS; k++) PetscCall(shoot(program, store, x, k, &shot[k]));
  for (int k = 0; k < SHOTS; k++) part[k] = shot[k].fit;
  PetscCall(HgOperatorCreateInput(part[0], &m));
  PetscCall(HgStateSetConstant(m, "c2", MEAN));
  PetscCall(HgOperatorCreate("prior", m, NULL, &prior_table, NULL, &part[SHOTS]));
  PetscCall(HgOperatorSum("J", SHOTS + 1, part, &J));
  PetscCall(examine(J, m));
  PetscCall(DESTROY(&J, &part[SHOTS]));
  for (int k = 0; k < SHOTS; k++) PetscCall(shot_destroy(&shot[k]));
  return DESTROY(&x, &q, &m, &store, &program, &mesh);
}
