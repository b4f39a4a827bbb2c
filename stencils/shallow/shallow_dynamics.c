/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_dynamics.c -- the tendencies and their steps of Adams-Bashforth, without tendencies in
   memory:

     r = u_t = -(P_E - P)/dx + (q (G + G_E) + q_S (G_S + G_SE))/4
     s = v_t = -(P_N - P)/dy - (q (F + F_N) + q_W (F_W + F_NW))/4
     c = h_t = -(F - F_W)/dx - (G - G_S)/dy
     u' = u + dt (a r + b u_t),  u_t' = r; likewise v with s, and h with c

   pressure gradient: that of the Bernoulli function P; vorticity flux: q G and -q F. */
#include "shallow_private.h"

/* Each prognostic variable is followed by its tendency of the step before, as among writes. */
enum { F, G, Q, P, U, U_T, V, V_T, H, H_T, READS };

/* Rows j - 1, j, j + 1 of what the tendencies are made of. */
typedef struct {
  HgAround F, G, q, P;
} Rows;

static inline Rows rows_of(const HgRows x[], int j) {
  return (Rows){HgRowsAround(x[F], j), HgRowsAround(x[G], j), HgRowsAround(x[Q], j),
                HgRowsAround(x[P], j)};
}

static inline HgReal pressure_gradient_x(Shallow k, HgAround P, int i) {
  return k.rx * (P.at[i + 1] - P.at[i]);
}

static inline HgReal pressure_gradient_y(Shallow k, HgAround P, int i) {
  return k.ry * (P.north[i] - P.at[i]);
}

/* (q (G + G_E) + q_S (G_S + G_SE))/4 */
static inline HgReal vorticity_flux_x(HgAround q, HgAround G, int i) {
  return QUARTER * (q.at[i] * (G.at[i] + G.at[i + 1]) + q.south[i] * (G.south[i] + G.south[i + 1]));
}

/* -(q (F + F_N) + q_W (F_W + F_NW))/4 */
static inline HgReal vorticity_flux_y(HgAround q, HgAround F, int i) {
  return -QUARTER *
         (q.at[i] * (F.at[i] + F.north[i]) + q.at[i - 1] * (F.at[i - 1] + F.north[i - 1]));
}

/* -div(F, G) */
static inline HgReal inflow(Shallow k, HgAround F, HgAround G, int i) {
  return -(k.rx * (F.at[i] - F.at[i - 1]) + k.ry * (G.at[i] - G.south[i]));
}

static inline HgReal adams_bashforth(Shallow k, HgReal x, HgReal rate, HgReal old) {
  return x + k.dt * (k.a * rate + k.b * old);
}

static void dynamics_apply(const HgBox *b, const void *params, const HgRows x[],
                           const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j);
    const HgReal *u = x[U][j], *u_old = x[U_T][j], *v = x[V][j], *v_old = x[V_T][j];
    const HgReal *h = x[H][j], *h_old = x[H_T][j];
    HgReal *u_next = y[0][j], *u_t = y[1][j], *v_next = y[2][j], *v_t = y[3][j];
    HgReal *h_next = y[4][j], *h_t = y[5][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal r = vorticity_flux_x(at.q, at.G, i) - pressure_gradient_x(k, at.P, i);
      const HgReal s = vorticity_flux_y(at.q, at.F, i) - pressure_gradient_y(k, at.P, i);
      const HgReal c = inflow(k, at.F, at.G, i);
      u_next[i] = adams_bashforth(k, u[i], r, u_old[i]), u_t[i] = r;
      v_next[i] = adams_bashforth(k, v[i], s, v_old[i]), v_t[i] = s;
      h_next[i] = adams_bashforth(k, h[i], c, h_old[i]), h_t[i] = c;
    }
  }
}

/* The vorticity fluxes are bilinear, the rest is linear. */
static void dynamics_tangent(const HgBox *b, const void *params, const HgRows x[],
                             const HgRows dx[], const HgRowsOut dy[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j), d = rows_of(dx, j);
    const HgReal *du = dx[U][j], *du_old = dx[U_T][j], *dv = dx[V][j], *dv_old = dx[V_T][j];
    const HgReal *dh = dx[H][j], *dh_old = dx[H_T][j];
    HgReal *du_next = dy[0][j], *du_t = dy[1][j], *dv_next = dy[2][j], *dv_t = dy[3][j];
    HgReal *dh_next = dy[4][j], *dh_t = dy[5][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal r = (vorticity_flux_x(d.q, at.G, i) + vorticity_flux_x(at.q, d.G, i)) -
                       pressure_gradient_x(k, d.P, i);
      const HgReal s = (vorticity_flux_y(d.q, at.F, i) + vorticity_flux_y(at.q, d.F, i)) -
                       pressure_gradient_y(k, d.P, i);
      du_next[i] = adams_bashforth(k, du[i], r, du_old[i]), du_t[i] = r;
      dv_next[i] = adams_bashforth(k, dv[i], s, dv_old[i]), dv_t[i] = s;
    }
    /* A loop of its own: clang does not vectorize all of it as one. */
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal c = inflow(k, d.F, d.G, i);
      dh_next[i] = adams_bashforth(k, dh[i], c, dh_old[i]), dh_t[i] = c;
    }
  }
}

/* Cotangents of the tendencies r, s, c of a part of a row, from the column to the west of it to the
   one to the east. Three rows and three columns read them. */
enum { PART = 256 };

typedef struct {
  HgReal r[PART + 2], s[PART + 2], c[PART + 2];
} Tendencies;

static inline void tendencies_bar(const HgBox *b, Shallow k, const HgRows y_bar[], int j,
                                  Tendencies *t) {
  const HgReal *u = y_bar[0][j], *u_t = y_bar[1][j], *v = y_bar[2][j], *v_t = y_bar[3][j];
  const HgReal *h = y_bar[4][j], *h_t = y_bar[5][j], now = k.dt * k.a;
  HG_VECTOR
  for (int i = b->i0 - 1; i < b->i1 + 1; i++) {
    t->r[i - b->i0 + 1] = u_t[i] + now * u[i];
    t->s[i - b->i0 + 1] = v_t[i] + now * v[i];
    t->c[i - b->i0 + 1] = h_t[i] + now * h[i];
  }
}

/* Around a cell: the cotangents of the tendencies, and what they are multiplied by. */
typedef struct {
  Shallow k;
  HgAround r, s, c, F, G, q;
} Reverse;

/* A corner turns the u of its own row and of the row to the north, the v of its own column and of
   the column to the east. */
static inline HgReal r_turned(Reverse x, int i) { return x.r.at[i] + x.r.north[i]; }

static inline HgReal s_turned(Reverse x, int i) { return x.s.at[i] + x.s.at[i + 1]; }

static inline HgReal s_turned_south(Reverse x, int i) { return x.s.south[i] + x.s.south[i + 1]; }

static inline void F_contribute(HgCotangent to, Reverse x, int i) {
  const HgReal of_c = x.k.rx * (x.c.at[i + 1] - x.c.at[i]);
  const HgReal of_s = x.q.at[i] * s_turned(x, i) + x.q.south[i] * s_turned_south(x, i);
  to.row[i] = (to.before[i] + of_c) - QUARTER * of_s;
}

static inline void G_contribute(HgCotangent to, Reverse x, int i) {
  const HgReal of_c = x.k.ry * (x.c.north[i] - x.c.at[i]);
  const HgReal of_r = x.q.at[i] * r_turned(x, i) + x.q.at[i - 1] * r_turned(x, i - 1);
  to.row[i] = (to.before[i] + of_c) + QUARTER * of_r;
}

static inline void q_contribute(HgCotangent to, Reverse x, int i) {
  HgContribute(to, i,
               QUARTER * ((x.G.at[i] + x.G.at[i + 1]) * r_turned(x, i) -
                          (x.F.at[i] + x.F.north[i]) * s_turned(x, i)));
}

static inline void P_contribute(HgCotangent to, Reverse x, int i) {
  HgContribute(to, i, x.k.rx * (x.r.at[i] - x.r.at[i - 1]) + x.k.ry * (x.s.at[i] - x.s.south[i]));
}

/* Row of F_bar, G_bar, q_bar, P_bar. Wanted all together, as in a whole step, they share what they
   are made of. */
static inline void tendencies_transposed(const HgBox *b, Reverse x, const HgCotangent to[]) {
  if (to[F].row && to[G].row && to[Q].row && to[P].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      F_contribute(to[F], x, i);
      G_contribute(to[G], x, i);
      q_contribute(to[Q], x, i);
      P_contribute(to[P], x, i);
    }
    return;
  }
  for (int i = b->i0; to[F].row && i < b->i1; i++) F_contribute(to[F], x, i);
  for (int i = b->i0; to[G].row && i < b->i1; i++) G_contribute(to[G], x, i);
  for (int i = b->i0; to[Q].row && i < b->i1; i++) q_contribute(to[Q], x, i);
  for (int i = b->i0; to[P].row && i < b->i1; i++) P_contribute(to[P], x, i);
}

/* Row of the cotangents of u, v, h and of the tendencies of the step before. */
static inline void steps_transposed(const HgBox *b, Shallow k, int j, const HgRows y_bar[],
                                    const HgCotangent to[]) {
  const HgReal before = k.dt * k.b;
  for (int n = U; n < READS; n += 2) {
    const HgReal *w = y_bar[n - U][j];
    if (to[n].row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(to[n], i, w[i]);
    }
    if (to[n + 1].row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(to[n + 1], i, before * w[i]);
    }
  }
}

static void dynamics_adjoint(const HgBox *b, const void *params, const HgRows x[],
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
                         {south->c + shift, at->c + shift, north->c + shift},
                         HgRowsAround(x[F], j),
                         HgRowsAround(x[G], j),
                         HgRowsAround(x[Q], j)};
      HgCotangent to[READS];
      for (int n = 0; n < READS; n++) to[n] = HgCotangentRow(b, x_bar, n, j);
      tendencies_transposed(&part, r, to);
      steps_transposed(&part, k, j, y_bar, to);
      Tendencies *const done = south;
      south = at, at = north, north = done;
    }
  }
}

const HgStencil hg_shallow_dynamics = {
    .name = "shallow_dynamics",
    .reads = (const HgRead[]){{"F", 1, 1},
                              {"G", 1, 1},
                              {"q", 1, 1},
                              {"P", 1, HG_ADJOINT_UNUSED},
                              {"u", 0, HG_ADJOINT_UNUSED},
                              {"u_t", 0, HG_ADJOINT_UNUSED},
                              {"v", 0, HG_ADJOINT_UNUSED},
                              {"v_t", 0, HG_ADJOINT_UNUSED},
                              {"h", 0, HG_ADJOINT_UNUSED},
                              {"h_t", 0, HG_ADJOINT_UNUSED},
                              {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "u_t", "v", "v_t", "h", "h_t", NULL},
    .apply = dynamics_apply,
    .tangent = dynamics_tangent,
    .adjoint = dynamics_adjoint,
    .second = hg_shallow_dynamics_generated_second,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
