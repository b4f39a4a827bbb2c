/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_friction.c -- friction, one Euler step of its own after Adams-Bashforth, c = u and v:

     c' = c + dt ((X - X_W)/dx + (Y - Y_S)/dy),  X = nu (c_E - c)/dx,  Y = nu (c_N - c)/dy

   With w = c'_bar, 0 outside the domain, gathered:
     c_bar  += w + dt div(nu grad w), as c -> div(nu grad c) is its own transpose
     nu_bar -= dt ((c_E - c) (w_E - w)/dx^2 + (c_N - c) (w_N - w)/dy^2) */
#include "shallow_private.h"

enum { NU, U, V };

typedef struct {
  HgReal dt, rx, ry; /* 1/dx^2, 1/dy^2 */
} Weights;

static Weights weights(const HgBox *box, const void *params) {
  const Shallow k = shallow(box, params);
  return (Weights){k.dt, k.rx * k.rx, k.ry * k.ry};
}

/* div(nu grad c) */
static inline HgReal friction(Weights k, HgAround nu, HgAround c, int i) {
  return k.rx * (nu.at[i] * (c.at[i + 1] - c.at[i]) - nu.at[i - 1] * (c.at[i] - c.at[i - 1])) +
         k.ry * (nu.at[i] * (c.north[i] - c.at[i]) - nu.south[i] * (c.at[i] - c.south[i]));
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Weights k = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround nu = HgRowsAround(x[NU], j), u = HgRowsAround(x[U], j),
                   v = HgRowsAround(x[V], j);
    HgReal *u_next = y[0][j], *v_next = y[1][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      u_next[i] = u.at[i] + k.dt * friction(k, nu, u, i);
      v_next[i] = v.at[i] + k.dt * friction(k, nu, v, i);
    }
  }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  const Weights k = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround nu = HgRowsAround(x[NU], j), dnu = HgRowsAround(dx[NU], j);
    const HgAround u = HgRowsAround(x[U], j), du = HgRowsAround(dx[U], j);
    const HgAround v = HgRowsAround(x[V], j), dv = HgRowsAround(dx[V], j);
    HgReal *du_next = dy[0][j], *dv_next = dy[1][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      du_next[i] = du.at[i] + k.dt * (friction(k, nu, du, i) + friction(k, dnu, u, i));
      dv_next[i] = dv.at[i] + k.dt * (friction(k, nu, dv, i) + friction(k, dnu, v, i));
    }
  }
}

/* grad c . grad w, on the eastern and the northern face */
static inline HgReal gradients(Weights k, HgAround c, HgAround w, int i) {
  return k.rx * ((c.at[i + 1] - c.at[i]) * (w.at[i + 1] - w.at[i])) +
         k.ry * ((c.north[i] - c.at[i]) * (w.north[i] - w.at[i]));
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const Weights k = weights(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround nu = HgRowsAround(x[NU], j);
    const HgAround wu = HgRowsAround(y_bar[0], j), wv = HgRowsAround(y_bar[1], j);
    const HgCotangent nu_bar = HgCotangentRow(b, x_bar, NU, j),
                      u_bar = HgCotangentRow(b, x_bar, U, j);
    const HgCotangent v_bar = HgCotangentRow(b, x_bar, V, j);
    if (nu_bar.row) {
      const HgAround u = HgRowsAround(x[U], j), v = HgRowsAround(x[V], j);
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(nu_bar, i, -k.dt * gradients(k, u, wu, i) - k.dt * gradients(k, v, wv, i));
    }
    if (u_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(u_bar, i, wu.at[i] + k.dt * friction(k, nu, wu, i));
    }
    if (v_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        HgContribute(v_bar, i, wv.at[i] + k.dt * friction(k, nu, wv, i));
    }
  }
}

const HgStencil hg_shallow_friction = {
    .name = "shallow_friction",
    .reads = (const HgRead[]){{"nu", 1, 1}, {"u", 1, 1}, {"v", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "v", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_shallow_friction_generated_second,
    .only_for = (const char *const[][2]){{"u", "nu"}, {"v", "nu"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
