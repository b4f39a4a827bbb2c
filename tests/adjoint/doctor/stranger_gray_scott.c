/* SPDX-License-Identifier: BSD-2-Clause */
/* Gray and Scott's reaction, by hand: two stencils, two snapshots, a prior. See strangers.h. */
#include "destroy.h"
#include "strangers.h"
#include <halograd/control.h>
#include <halograd/operator_library.h>
#include <halograd/program.h>
#include <halograd/state_library.h>
#include <halograd/trajectory.h>
#include <math.h>

enum { NX = 14, NY = 12, STEPS = 9, SLOTS = 3 };

static const double MEAN = -3.2, WEIGHT = 40, SIGMA = 0.1;

/* ---- reaction: u' = u + dt (feed (1 - u) - u v^2), v' = v + dt (u v^2 - (feed + kill) v) ---- */
typedef struct {
  double kill;
} React;

static void react_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const React *r = params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *u = x[0][j], *v = x[1][j], *feed = x[2][j];
    HgReal *u_next = y[0][j], *v_next = y[1][j];
    for (int i = b->i0; i < b->i1; i++) {
      const double rate = u[i] * v[i] * v[i];
      u_next[i] = u[i] + b->dt * (feed[i] * (1 - u[i]) - rate);
      v_next[i] = v[i] + b->dt * (rate - (feed[i] + r->kill) * v[i]);
    }
  }
}

static void react_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                          const HgRowsOut dy[]) {
  const React *r = params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *u = x[0][j], *v = x[1][j], *feed = x[2][j];
    const HgReal *du = dx[0][j], *dv = dx[1][j], *dfeed = dx[2][j];
    HgReal *du_next = dy[0][j], *dv_next = dy[1][j];
    for (int i = b->i0; i < b->i1; i++) {
      const double drate = v[i] * v[i] * du[i] + 2 * u[i] * v[i] * dv[i];
      du_next[i] = du[i] + b->dt * (dfeed[i] * (1 - u[i]) - feed[i] * du[i] - drate);
      dv_next[i] = dv[i] + b->dt * (drate - (feed[i] + r->kill) * dv[i] - dfeed[i] * v[i]);
    }
  }
}

static void react_adjoint(const HgBox *b, const void *params, const HgRows x[],
                          const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const React *r = params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *u = x[0][j], *v = x[1][j], *feed = x[2][j];
    const HgReal *a = y_bar[0][j], *c = y_bar[1][j];
    HgReal *u_bar = x_bar[0] ? x_bar[0][j] : NULL;
    HgReal *v_bar = x_bar[1] ? x_bar[1][j] : NULL;
    HgReal *feed_bar = x_bar[2] ? x_bar[2][j] : NULL;
    for (int i = b->i0; i < b->i1; i++) {
      if (u_bar) u_bar[i] += a[i] + b->dt * ((c[i] - a[i]) * v[i] * v[i] - feed[i] * a[i]);
      if (v_bar)
        v_bar[i] += c[i] + b->dt * (2 * (c[i] - a[i]) * u[i] * v[i] - (feed[i] + r->kill) * c[i]);
      if (feed_bar) feed_bar[i] += b->dt * ((1 - u[i]) * a[i] - v[i] * c[i]);
    }
  }
}

static const HgStencil react = {
    .name = "react",
    .reads = (const HgRead[]){{"u", 0, 0}, {"v", 0, 0}, {"feed", 0, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "v", NULL},
    .params_size = sizeof(React),
    .apply = react_apply,
    .tangent = react_tangent,
    .adjoint = react_adjoint};

/* ---- diffusion: u' = u + dt Du lap(u), v' = v + dt Dv lap(v) ---- */
typedef struct {
  double du, dv;
} Diffuse;

static double lap(const HgRows w, int i, int j) {
  return w[j][i - 1] + w[j][i + 1] + w[j - 1][i] + w[j + 1][i] - 4 * w[j][i];
}

static void diffuse_apply(const HgBox *b, const void *params, const HgRows x[],
                          const HgRowsOut y[]) {
  const Diffuse *d = params;
  const double ru = b->dt * d->du / (b->dx * b->dx), rv = b->dt * d->dv / (b->dx * b->dx);
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      y[0][j][i] = x[0][j][i] + ru * lap(x[0], i, j);
      y[1][j][i] = x[1][j][i] + rv * lap(x[1], i, j);
    }
}

static void diffuse_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                            const HgRowsOut dy[]) {
  (void)x;
  diffuse_apply(b, params, dx, dy);
}

static void diffuse_adjoint(const HgBox *b, const void *params, const HgRows x[],
                            const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Diffuse *d = params;
  const double ru = b->dt * d->du / (b->dx * b->dx), rv = b->dt * d->dv / (b->dx * b->dx);
  (void)x;
  for (int j = b->j0; j < b->j1; j++) {
    HgReal *u_bar = x_bar[0] ? x_bar[0][j] : NULL;
    HgReal *v_bar = x_bar[1] ? x_bar[1][j] : NULL;
    for (int i = b->i0; i < b->i1; i++) {
      if (u_bar) u_bar[i] += y_bar[0][j][i] + ru * lap(y_bar[0], i, j);
      if (v_bar) v_bar[i] += y_bar[1][j][i] + rv * lap(y_bar[1], i, j);
    }
  }
}

static const HgStencil diffuse = {
    .name = "diffuse",
    .reads =
        (const HgRead[]){{"u", 1, HG_ADJOINT_UNUSED}, {"v", 1, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "v", NULL},
    .params_size = sizeof(Diffuse),
    .apply = diffuse_apply,
    .tangent = diffuse_tangent,
    .adjoint = diffuse_adjoint};

/* ---- a prior: R(m) = 1/2 WEIGHT sum (m - MEAN)^2, of variable 0 ---- */
static PetscErrorCode prior_apply(void *self, HgState m, HgState R) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  double sum = 0;
  (void)self;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double off = HgStateRows(m, 0)[j][i] - MEAN;
      sum += 0.5 * WEIGHT * off * off;
    }
  PetscCallMPI(
      MPI_Allreduce(&sum, HgStateArray(R, 0), 1, MPI_DOUBLE, MPI_SUM, HgMeshComm(HgStateMesh(m))));
  return 0;
}

static PetscErrorCode prior_tangent(void *self, HgState m, HgState dm, HgState dR) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  double sum = 0;
  (void)self;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      sum += WEIGHT * (HgStateRows(m, 0)[j][i] - MEAN) * HgStateRows(dm, 0)[j][i];
  PetscCallMPI(
      MPI_Allreduce(&sum, HgStateArray(dR, 0), 1, MPI_DOUBLE, MPI_SUM, HgMeshComm(HgStateMesh(m))));
  return 0;
}

static PetscErrorCode prior_adjoint(void *self, HgState m, HgState R_bar, HgState m_bar) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const double weight = HgStateArray(R_bar, 0)[0] * WEIGHT;
  (void)self;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRows(m_bar, 0)[j][i] += weight * (HgStateRows(m, 0)[j][i] - MEAN);
  return 0;
}

static const HgOperatorTable prior_table = {prior_apply, prior_tangent, prior_adjoint, NULL, NULL};

/* ---- the story ---- */
static double spot(double x, double y, void *unused) {
  (void)unused;
  return exp(-0.1 * ((x - 5) * (x - 5) + (y - 6) * (y - 6)));
}

static double u_start(double x, double y, void *unused) { return 1 - 0.5 * spot(x, y, unused); }

static double v_start(double x, double y, void *unused) { return 0.05 + 0.25 * spot(x, y, unused); }

static double u_seen(double x, double y, void *unused) {
  (void)unused;
  return 0.8 + 0.1 * sin(0.7 * x) * cos(0.5 * y);
}

static PetscErrorCode create_program(HgMesh mesh, HgProgram *program) {
  React kinetics = {.kill = 0.06};
  Diffuse diffusion = {.du = 0.16, .dv = 0.08};
  PetscCall(HgProgramCreate(mesh, "gray-scott", 0.9, program));
  PetscCall(HgProgramAddStencil(*program, &react, &kinetics));
  PetscCall(HgProgramAddStencil(*program, &diffuse, &diffusion));
  PetscCall(HgProgramSetBoundary(*program, "u", HgBoundaryAll(HG_COPY, 0)));
  PetscCall(HgProgramSetBoundary(*program, "v", HgBoundaryAll(HG_MIRROR, 1)));
  return HgProgramSetUp(*program);
}

PetscErrorCode stranger_gray_scott(StrangerFn *examine) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 1, .dy = 1, .periodic_x = true};
  HgMesh mesh;
  HgProgram program;
  HgState x, data, m;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator misfit, feed, inputs, fit, prior, J;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(create_program(mesh, &program));
  PetscCall(HgProgramCreateInput(program, &x));
  PetscCall(HgStateSetField(x, "u", u_start, NULL));
  PetscCall(HgStateSetField(x, "v", v_start, NULL));
  PetscCall(HgProgramCreateCarried(program, &data));
  PetscCall(HgStateSetField(data, "u", u_seen, NULL));
  PetscCall(HgStateSetField(data, "v", spot, NULL));
  PetscCall(HgObjectiveCreate(program, STEPS, &objective));
  PetscCall(HgObjectiveAddSnapshot(objective, "u", STEPS / 2, data, SIGMA));
  PetscCall(HgObjectiveAddSnapshot(objective, "v", STEPS, data, SIGMA));
  PetscCall(HgStoreCreate(data, SLOTS, 0, NULL, &store));
  PetscCall(HgTrajectoryCreate(program, STEPS, objective, store, &trajectory));
  PetscCall(HgTrajectoryOperator(trajectory, &misfit));
  PetscCall(HgParametrisationLog(mesh, "m", "feed", "1", &feed));
  PetscCall(HgControlCreate(x, 2, (HgControl[]){{"feed", feed}, {"u", NULL}}, &inputs));
  PetscCall(HgOperatorChain("misfit of m", 2, (HgOperator[]){inputs, misfit}, &fit));
  PetscCall(HgOperatorCreateInput(fit, &m));
  PetscCall(HgStateSetConstant(m, "m", MEAN));
  PetscCall(HgStateSetField(m, "u", u_start, NULL));
  PetscCall(HgOperatorCreate("prior", m, NULL, &prior_table, NULL, &prior));
  PetscCall(HgOperatorSum("J", 2, (HgOperator[]){fit, prior}, &J));
  PetscCall(examine(J, m));
  PetscCall(DESTROY(&misfit, &feed, &inputs, &fit, &prior, &J));
  return DESTROY(&x, &data, &m, &trajectory, &store, &objective, &program, &mesh);
}
