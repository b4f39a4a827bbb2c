/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_momentum.c -- the tendencies of u and v fused with their steps:

     r = u_t = -(P_E - P)/dx + (q (G + G_E) + q_S (G_S + G_SE))/4
     s = v_t = -(P_N - P)/dy - (q (F + F_N) + q_W (F_W + F_NW))/4
     u' = u + dt (a r + b u_t),  u_t' = r;  v' = v + dt (a s + b v_t),  v_t' = s

   It is shallow_acceleration.c, HG_AB2("u", "u_r", "u_t") and HG_AB2("v", "v_r", "v_t") in one: the
   same bits, without u_r and v_r in memory. */
#include "shallow_acceleration_private.h"

enum { U = P + 1, U_T, V, V_T, READS };

static void momentum_apply(const HgBox *b, const void *params, const HgRows x[],
                           const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j);
    const HgReal *u = x[U][j], *v = x[V][j], *u_old = x[U_T][j], *v_old = x[V_T][j];
    HgReal *u_next = y[0][j], *u_t = y[1][j], *v_next = y[2][j], *v_t = y[3][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal r = acceleration_x(k, at, i), s = acceleration_y(k, at, i);
      u_next[i] = u[i] + k.dt * (k.a * r + k.b * u_old[i]);
      v_next[i] = v[i] + k.dt * (k.a * s + k.b * v_old[i]);
      u_t[i] = r;
      v_t[i] = s;
    }
  }
}

static void momentum_tangent(const HgBox *b, const void *params, const HgRows x[],
                             const HgRows dx[], const HgRowsOut dy[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j), d = rows_of(dx, j);
    const HgReal *du = dx[U][j], *dv = dx[V][j], *du_old = dx[U_T][j], *dv_old = dx[V_T][j];
    HgReal *du_next = dy[0][j], *du_t = dy[1][j], *dv_next = dy[2][j], *dv_t = dy[3][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal r = acceleration_dx(k, at, d, i), s = acceleration_dy(k, at, d, i);
      du_next[i] = du[i] + k.dt * (k.a * r + k.b * du_old[i]);
      dv_next[i] = dv[i] + k.dt * (k.a * s + k.b * dv_old[i]);
      du_t[i] = r;
      dv_t[i] = s;
    }
  }
}

/* Cotangents of the tendencies r and s of a part of a row, from the column to the west of it to the
   one to the east. Three rows and three columns read them. */
enum { PART = 256 };

typedef struct {
  HgReal r[PART + 2], s[PART + 2];
} Tendencies;

static inline void tendencies_bar(const HgBox *b, Shallow k, const HgRows y_bar[], int j,
                                  Tendencies *t) {
  const HgReal *u = y_bar[0][j], *u_t = y_bar[1][j], *v = y_bar[2][j], *v_t = y_bar[3][j];
  const HgReal now = k.dt * k.a;
  HG_VECTOR
  for (int i = b->i0 - 1; i < b->i1 + 1; i++) {
    t->r[i - b->i0 + 1] = u_t[i] + now * u[i];
    t->s[i - b->i0 + 1] = v_t[i] + now * v[i];
  }
}

static inline void velocities_of_row(const HgBox *b, Shallow k, int j, const HgRows y_bar[],
                                     const HgCotangent to[]) {
  const HgReal *u = y_bar[0][j], *v = y_bar[2][j], before = k.dt * k.b;
  if (to[U].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(to[U], i, u[i]);
  }
  if (to[U_T].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(to[U_T], i, before * u[i]);
  }
  if (to[V].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(to[V], i, v[i]);
  }
  if (to[V_T].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(to[V_T], i, before * v[i]);
  }
}

static void momentum_adjoint(const HgBox *b, const void *params, const HgRows x[],
                             const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Shallow k = shallow(b, params);
  HgBox part = *b;
  for (part.i0 = b->i0; part.i0 < b->i1; part.i0 = part.i1) {
    part.i1 = b->i1 - part.i0 > PART ? part.i0 + PART : b->i1;
    Tendencies bar[3], *south = &bar[0], *at = &bar[1], *north = &bar[2];
    tendencies_bar(&part, k, y_bar, b->j0 - 1, south);
    tendencies_bar(&part, k, y_bar, b->j0, at);
    for (int j = b->j0; j < b->j1; j++) {
      tendencies_bar(&part, k, y_bar, j + 1, north);
      const int shift = 1 - part.i0;
      const Reverse r = {k,
                         {south->r + shift, at->r + shift, north->r + shift},
                         {south->s + shift, at->s + shift, north->s + shift},
                         HgRowsAround(x[F], j),
                         HgRowsAround(x[G], j),
                         HgRowsAround(x[Q], j)};
      HgCotangent to[READS];
      for (int n = 0; n < READS; n++) to[n] = HgCotangentRow(b, x_bar, n, j);
      acceleration_transposed(&part, r, to);
      velocities_of_row(&part, k, j, y_bar, to);
      Tendencies *const done = south;
      south = at, at = north, north = done;
    }
  }
}

const HgStencil hg_shallow_momentum = {
    .name = "shallow_momentum",
    .reads = (const HgRead[]){{"F", 1, 1},
                              {"G", 1, 1},
                              {"q", 1, 1},
                              {"P", 1, HG_ADJOINT_UNUSED},
                              {"u", 0, HG_ADJOINT_UNUSED},
                              {"u_t", 0, HG_ADJOINT_UNUSED},
                              {"v", 0, HG_ADJOINT_UNUSED},
                              {"v_t", 0, HG_ADJOINT_UNUSED},
                              {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "u_t", "v", "v_t", NULL},
    .apply = momentum_apply,
    .tangent = momentum_tangent,
    .adjoint = momentum_adjoint,
    .second = hg_shallow_momentum_generated_second,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
