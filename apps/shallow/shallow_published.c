/* SPDX-License-Identifier: BSD-2-Clause */
#include "shallow_published.h"
#include <halograd/kernel.h>

const HgPhysics shallow_published_physics = {
    .name = "shallow water",
    .variables = hg_shallow_water_variables,
    .stencils = (const HgStencil *const[]){&hg_shallow_diagnostics, &hg_shallow_dynamics,
                                           &shallow_published_friction_u,
                                           &shallow_published_friction_v, NULL},
    .params_size = sizeof(HgShallowWaterParams),
    .positive = (const char *const[]){"h", NULL}};

PetscErrorCode ShallowPublishedWalls(HgProgram program) {
  return HgProgramSetBoundary(program, "nu", HgBoundaryAll(HG_FIXED, 0));
}

/* Reads: nu, u, v. Friction of c takes e for c: both u, or v and u. */
enum { NU, U, V };

typedef struct {
  double dt, rx, ry; /* 1/dx^2, 1/dy^2 */
} Weights;

static Weights weights(const HgBox *b) {
  return (Weights){b->dt, 1 / b->dx * (1 / b->dx), 1 / b->dy * (1 / b->dy)};
}

static inline double friction(Weights k, HgAround nu, HgAround c, HgAround e, int i) {
  return k.rx * (nu.at[i] * (c.at[i + 1] - e.at[i]) - nu.at[i - 1] * (c.at[i] - e.at[i - 1])) +
         k.ry * (nu.at[i] * (c.north[i] - e.at[i]) - nu.south[i] * (c.at[i] - e.south[i]));
}

static void apply(const HgBox *b, const HgRows x[], int c, HgRowsOut y) {
  const Weights k = weights(b);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround nu = HgRowsAround(x[NU], j), of = HgRowsAround(x[c], j),
                   e = HgRowsAround(x[U], j);
    for (int i = b->i0; i < b->i1; i++) y[j][i] = of.at[i] + k.dt * friction(k, nu, of, e, i);
  }
}

static void tangent(const HgBox *b, const HgRows x[], const HgRows dx[], int c, HgRowsOut dy) {
  const Weights k = weights(b);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround nu = HgRowsAround(x[NU], j), dnu = HgRowsAround(dx[NU], j);
    const HgAround of = HgRowsAround(x[c], j), dof = HgRowsAround(dx[c], j);
    const HgAround e = HgRowsAround(x[U], j), de = HgRowsAround(dx[U], j);
    for (int i = b->i0; i < b->i1; i++)
      dy[j][i] = dof.at[i] + k.dt * (friction(k, nu, dof, de, i) + friction(k, dnu, of, e, i));
  }
}

/* c_bar += w + dt (-nu_W (w - w_W)/dx^2 - nu_S (w - w_S)/dy^2)
   e_bar += dt (nu (w_E - w)/dx^2 + nu (w_N - w)/dy^2)
   nu_bar -= dt ((c_E - e)(w_E - w)/dx^2 + (c_N - e)(w_N - w)/dy^2) */
static void adjoint(const HgBox *b, const HgRows x[], HgRows w_rows, int c,
                    const HgRowsOut x_bar[]) {
  const Weights k = weights(b);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround nu = HgRowsAround(x[NU], j), w = HgRowsAround(w_rows, j);
    const HgCotangent nu_bar = HgCotangentRow(b, x_bar, NU, j),
                      c_bar = HgCotangentRow(b, x_bar, c, j);
    const HgCotangent e_bar = HgCotangentRow(b, x_bar, U, j);
    for (int i = b->i0; i < b->i1; i++) {
      const double east = k.rx * (w.at[i + 1] - w.at[i]), west = k.rx * (w.at[i] - w.at[i - 1]);
      const double north = k.ry * (w.north[i] - w.at[i]), south = k.ry * (w.at[i] - w.south[i]);
      const double c_owed = w.at[i] - k.dt * (nu.at[i - 1] * west + nu.south[i] * south);
      const double e_owed = k.dt * (nu.at[i] * east + nu.at[i] * north);
      if (nu_bar.row)
        HgContribute(
            nu_bar, i,
            -k.dt * ((x[c][j][i + 1] - x[U][j][i]) * east + (x[c][j + 1][i] - x[U][j][i]) * north));
      if (c == U && c_bar.row) HgContribute(c_bar, i, c_owed + e_owed);
      if (c != U && c_bar.row) HgContribute(c_bar, i, c_owed);
      if (c != U && e_bar.row) HgContribute(e_bar, i, e_owed);
    }
  }
}

static void u_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params; /* dt stands in the box */
  apply(b, x, U, y[0]);
}

static void u_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                      const HgRowsOut dy[]) {
  (void)params; /* dt stands in the box */
  tangent(b, x, dx, U, dy[0]);
}

static void u_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                      const HgRowsOut x_bar[]) {
  (void)params; /* dt stands in the box */
  adjoint(b, x, y_bar[0], U, x_bar);
}

static void v_apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params; /* dt stands in the box */
  apply(b, x, V, y[0]);
}

static void v_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                      const HgRowsOut dy[]) {
  (void)params; /* dt stands in the box */
  tangent(b, x, dx, V, dy[0]);
}

static void v_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                      const HgRowsOut x_bar[]) {
  (void)params; /* dt stands in the box */
  adjoint(b, x, y_bar[0], V, x_bar);
}

const HgStencil shallow_published_friction_u = {
    .name = "shallow_friction_u",
    .reads = (const HgRead[]){{"nu", 1, 1}, {"u", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = u_apply,
    .tangent = u_tangent,
    .adjoint = u_adjoint,
    .only_for = (const char *const[][2]){{"u", "nu"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
const HgStencil shallow_published_friction_v = {
    .name = "shallow_friction_published",
    .reads = (const HgRead[]){{"nu", 1, 1}, {"u", 1, 1}, {"v", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"v", NULL},
    .apply = v_apply,
    .tangent = v_tangent,
    .adjoint = v_adjoint,
    .only_for = (const char *const[][2]){{"u", "nu"}, {"v", "nu"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
