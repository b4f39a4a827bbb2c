/* SPDX-License-Identifier: BSD-2-Clause */
/* Shallow water, forced, converges at order 2 to a smooth solution chosen beforehand, over a hill,
   with varying Coriolis and any walls: without friction space and time refined together (epsilon =
   0), with friction, an Euler step of its own, dt refined as dx^2. */
#include "claim.h"
#include "draws.h"
#include "shallow_case.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>

static const double turn = 2 * PETSC_PI, end = 0.4, gravity = 1;

/* mean + size cos(k x + a) cos(l y + b) cos(w t + c) with its derivatives. */
typedef struct {
  double mean, size, k, a, l, b, w, c;
} Wave;

typedef struct {
  double at, x, y, t, laplacian;
} Jet;

/* cos(z) and its first two derivatives by z */
typedef struct {
  double at, first, second;
} Factor;

static Factor factor(double z) { return (Factor){cos(z), -sin(z), -cos(z)}; }

static Jet jet(const Wave *q, double x, double y, double t) {
  const Factor X = factor(q->k * x + q->a), Y = factor(q->l * y + q->b),
               T = factor(q->w * t + q->c);
  return (Jet){q->mean + q->size * X.at * Y.at * T.at, q->size * q->k * X.first * Y.at * T.at,
               q->size * q->l * X.at * Y.first * T.at, q->size * q->w * X.at * Y.at * T.first,
               q->size * (q->k * q->k * X.second * Y.at + q->l * q->l * X.at * Y.second) * T.at};
}

typedef struct {
  Wave h, u, v, b, f;
  double nu;
  bool periodic_x, periodic_y;
} Solution;

typedef struct {
  Jet h, u, v, b, f;
} Flow;

static Flow flow(const Solution *s, double x, double y, double t) {
  return (Flow){jet(&s->h, x, y, t), jet(&s->u, x, y, t), jet(&s->v, x, y, t), jet(&s->b, x, y, 0),
                jet(&s->f, x, y, 0)};
}

/* What the equations lack of being fulfilled by the solution. */
static double source_h(const Solution *s, double x, double y, double t) {
  const Flow q = flow(s, x, y, t);
  return q.h.t + q.h.x * q.u.at + q.h.at * q.u.x + q.h.y * q.v.at + q.h.at * q.v.y;
}

static double source_u(const Solution *s, double x, double y, double t) {
  const Flow q = flow(s, x, y, t);
  return q.u.t + q.u.at * q.u.x + q.v.at * q.u.y - q.f.at * q.v.at + gravity * (q.h.x + q.b.x) -
         s->nu * q.u.laplacian;
}

static double source_v(const Solution *s, double x, double y, double t) {
  const Flow q = flow(s, x, y, t);
  return q.v.t + q.u.at * q.v.x + q.v.at * q.v.y + q.f.at * q.u.at + gravity * (q.h.y + q.b.y) -
         s->nu * q.v.laplacian;
}

/* h, u, v += dt source in the middle of the step. */
static void force(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Solution *s = params;
  const double t = b->t + b->dt / 2;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double east = b->x0 + (b->i_global + i) * b->dx,
                   north = b->y0 + (b->j_global + j) * b->dy;
      y[0][j][i] = x[0][j][i] + b->dt * source_h(s, east, north, t);
      y[1][j][i] = x[1][j][i] + b->dt * source_u(s, east + b->dx / 2, north, t);
      y[2][j][i] = x[2][j][i] + b->dt * source_v(s, east, north + b->dy / 2, t);
    }
}

static void force_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                          const HgRowsOut dy[]) {
  (void)params, (void)x;
  for (int k = 0; k < 3; k++)
    for (int j = b->j0; j < b->j1; j++)
      for (int i = b->i0; i < b->i1; i++) dy[k][j][i] = dx[k][j][i];
}

static void force_adjoint(const HgBox *b, const void *params, const HgRows x[],
                          const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int k = 0; k < 3; k++)
    for (int j = b->j0; x_bar[k] && j < b->j1; j++)
      for (int i = b->i0; i < b->i1; i++) x_bar[k][j][i] += y_bar[k][j][i];
}

static const HgStencil forcing = {
    .name = "forcing",
    .reads = (const HgRead[]){{"h", 0, HG_ADJOINT_UNUSED},
                              {"u", 0, HG_ADJOINT_UNUSED},
                              {"v", 0, HG_ADJOINT_UNUSED},
                              {NULL, 0, 0}},
    .writes = (const char *const[]){"h", "u", "v", NULL},
    .apply = force,
    .params_size = sizeof(Solution),
    .tangent = force_tangent,
    .adjoint = force_adjoint,
};

/* In the unit square. Between walls u vanishes at x = 0, 1 and v at y = 0, 1, and no velocity
   changes across a wall along which it runs. Between no walls nothing is symmetric. */
static Solution solution(bool periodic_x, bool periodic_y, double nu) {
  const double k = periodic_x ? turn : turn / 2, l = periodic_y ? turn : turn / 2;
  const double a = periodic_x ? 0.4 : 0, b = periodic_y ? 1.1 : 0, right = turn / 4;
  return (Solution){.h = {1, 0.1, k, a, l, b, 3, 0.2},
                    .u = {0, 0.15, k, a - right, l, b, 2, 1},
                    .v = {0, 0.1, k, a, l, b - right, -2.5, 0.7},
                    .b = {0.1, 0.05, k, a, l, b, 0, 0},
                    .f = {2, 0.5, k, 0.3, l, 0.8, 0, 0},
                    .nu = nu,
                    .periodic_x = periodic_x,
                    .periodic_y = periodic_y};
}

/* A wave at time t where a variable lives. */
typedef struct {
  const Wave *wave;
  double t, shift_x, shift_y;
} Where;

static double value_at(double x, double y, void *context) {
  const Where *w = context;
  return jet(w->wave, x + w->shift_x, y + w->shift_y, w->t).at;
}

static PetscErrorCode set_flow(const Solution *s, double t, HgState q) {
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(q));
  const double x = m->dx / 2, y = m->dy / 2;
  PetscCall(HgStateSetField(q, "h", value_at, &(Where){&s->h, t, 0, 0}));
  PetscCall(HgStateSetField(q, "u", value_at, &(Where){&s->u, t, x, 0}));
  return HgStateSetField(q, "v", value_at, &(Where){&s->v, t, 0, y});
}

static PetscErrorCode set_constants(const Solution *s, HgState c) {
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(c));
  PetscCall(HgStateSetField(c, "b", value_at, &(Where){&s->b, 0, 0, 0}));
  PetscCall(HgStateSetField(c, "f", value_at, &(Where){&s->f, 0, m->dx / 2, m->dy / 2}));
  return HgStateSetConstant(c, "nu", s->nu);
}

/* The l2 distance from h, u, v at the end. */
static PetscErrorCode error_at(Solution s, int n, long steps, double *error) {
  const double dx = 1.0 / n, dy = 4.0 / (3 * n);
  const HgMeshSpec spec = {.nx = n,
                           .ny = 3 * n / 4,
                           .x0 = dx / 2,
                           .y0 = dy / 2,
                           .dx = dx,
                           .dy = dy,
                           .periodic_x = s.periodic_x,
                           .periodic_y = s.periodic_y,
                           .ghost = 1};
  const HgShallowWaterParams params = {.gravity = gravity};
  HgMesh mesh;
  HgProgram program;
  HgState q, next, constants;
  double square;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(shallow_stencils(mesh, false, end / (double)steps, &params, &program));
  PetscCall(HgProgramAddStencil(program, &forcing, &s));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateCarried(program, &next));
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(set_constants(&s, constants));
  PetscCall(set_flow(&s, 0, q));
  for (long step = 0; step < steps; step++) {
    PetscCall(HgProgramStep(program, step, constants, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateCopy(q, next));
  PetscCall(set_flow(&s, end, next));
  PetscCall(HgStateAXPY(next, -1, q)); /* tendencies: the same in both */
  PetscCall(HgStateDot(next, next, &square));
  *error = sqrt(square * dx * dy);
  return DESTROY(&q, &next, &constants, &program, &mesh);
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  const int stride = size > 1 || SANITIZED ? 3 : 1; /* all walls on one rank */
  for (int walls = 0; walls < 4; walls += stride)
    for (int rubs = 0; rubs < 2; rubs++) {
      const Solution s = solution(walls & 1, walls & 2, rubs ? 0.02 : 0);
      const int finest = 48;
      double before = NAN, now = NAN;
      for (int n = 12; n <= finest; n *= 2) {
        PetscCall(error_at(s, n, rubs ? n * n / 4 : 4 * n, &now));
        const double order = n > 12 ? log2(before / now) : 2;
        claim_at_most(fabs(order - 2), n > 24 ? 0.1 : 0.2,
                      "walls %d, friction %g, %d cells, error %g: distance of the order from 2",
                      walls, s.nu, n, now);
        before = now;
      }
      claim_at_most(before, 1e-3, "walls %d, friction %g: error on %d cells", walls, s.nu, finest);
    }
  return 0;
}

CLAIM("forced shallow water converges at order 2 to a solution chosen beforehand", 0, test)
