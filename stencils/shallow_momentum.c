/* shallow_momentum.c -- tendencies of u and v and their Adams-Bashforth update:

     r = -(P_E - P)/dx + (q (G + G_E) + q_S (G_S + G_SE))/4         P = g (h + b) + K
     s = -(P_N - P)/dy - (q (F + F_N) + q_W (F_W + F_NW))/4
     u' = u + dt (a r + b u_t),  u_t' = r;  v' = v + dt (a s + b v_t),  v_t' = s

   on closed faces u' = u_t' = 0, v' = v_t' = 0. h + b comes first: water at rest stays at rest. */
#include "shallow_private.h"
enum { H, B, F, G, Q, K, U, U_T, V, V_T, READS };
/* Rows j - 1, j, j + 1 of what the tendencies read. */
typedef struct {
  HgAround h, b, F, G, q, K;
} Rows;
static inline Rows rows_of(const HgRows x[], int j) {
  return (Rows){HgRowsAround(x[H], j), HgRowsAround(x[B], j), HgRowsAround(x[F], j),
                HgRowsAround(x[G], j), HgRowsAround(x[Q], j), HgRowsAround(x[K], j)};
}
static inline double head(double g, const double *h, const double *b, const double *kinetic,
                          int i) {
  return g * (h[i] + b[i]) + kinetic[i];
}
static inline double push_east(Shallow k, Rows x, int i) {
  return k.rx * (head(k.g, x.h.at, x.b.at, x.K.at, i + 1) - head(k.g, x.h.at, x.b.at, x.K.at, i));
}
static inline double push_north(Shallow k, Rows x, int i) {
  return k.ry *
         (head(k.g, x.h.north, x.b.north, x.K.north, i) - head(k.g, x.h.at, x.b.at, x.K.at, i));
}
static inline double turn_east(HgAround q, HgAround g, int i) {
  return 0.25 * (q.at[i] * (g.at[i] + g.at[i + 1]) + q.south[i] * (g.south[i] + g.south[i + 1]));
}
static inline double turn_north(HgAround q, HgAround f, int i) {
  return 0.25 * (q.at[i] * (f.at[i] + f.north[i]) + q.at[i - 1] * (f.at[i - 1] + f.north[i - 1]));
}
static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j);
    const double *u = x[U][j], *v = x[V][j], *u_old = x[U_T][j], *v_old = x[V_T][j];
    double *u_next = y[0][j], *u_t = y[1][j], *v_next = y[2][j], *v_t = y[3][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const double r = turn_east(at.q, at.G, i) - push_east(k, at, i);
      const double s = -turn_north(at.q, at.F, i) - push_north(k, at, i);
      u_next[i] = u[i] + k.dt * (k.a * r + k.b * u_old[i]);
      v_next[i] = v[i] + k.dt * (k.a * s + k.b * v_old[i]);
      u_t[i] = r;
      v_t[i] = s;
    }
    close_east(k, b, u_next), close_east(k, b, u_t);
    close_north(k, b, j, v_next), close_north(k, b, j, v_t);
  }
}
static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j), d = rows_of(dx, j);
    const double *du = dx[U][j], *dv = dx[V][j], *du_old = dx[U_T][j], *dv_old = dx[V_T][j];
    double *du_next = dy[0][j], *du_t = dy[1][j], *dv_next = dy[2][j], *dv_t = dy[3][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const double r = (turn_east(d.q, at.G, i) + turn_east(at.q, d.G, i)) - push_east(k, d, i);
      const double s = -(turn_north(d.q, at.F, i) + turn_north(at.q, d.F, i)) - push_north(k, d, i);
      du_next[i] = du[i] + k.dt * (k.a * r + k.b * du_old[i]);
      dv_next[i] = dv[i] + k.dt * (k.a * s + k.b * dv_old[i]);
      du_t[i] = r;
      dv_t[i] = s;
    }
    close_east(k, b, du_next), close_east(k, b, du_t);
    close_north(k, b, j, dv_next), close_north(k, b, j, dv_t);
  }
}
/* The cotangents of a velocity and of its tendency in rows j - 1, j, j + 1; open: is the row's
   face? */
typedef struct {
  HgAround w, t;
  double open_south, open, open_north;
} Bars;
static inline Bars bars_of(Shallow k, const HgRows y_bar[], int velocity, int j) {
  const bool v = velocity == 2;
  return (Bars){HgRowsAround(y_bar[velocity], j), HgRowsAround(y_bar[velocity + 1], j),
                v ? open_north(k, j - 1) : 1, v ? open_north(k, j) : 1,
                v ? open_north(k, j + 1) : 1};
}
/* What the tendencies are owed: r_bar on open faces, s_bar likewise. */
static inline double r_bar(Shallow k, const double *t, const double *w, int i) {
  return open_east(k, i, t[i] + k.dt * (k.a * w[i]));
}
static inline double s_bar(Shallow k, double open, const double *t, const double *w, int i) {
  return open * (t[i] + k.dt * (k.a * w[i]));
}
static inline double head_owed(Shallow k, Bars u, Bars v, int i) {
  return k.rx * (r_bar(k, u.t.at, u.w.at, i) - r_bar(k, u.t.at, u.w.at, i - 1)) +
         k.ry * (s_bar(k, v.open, v.t.at, v.w.at, i) -
                 s_bar(k, v.open_south, v.t.south, v.w.south, i));
}
/* A corner turns the u of its own row and of the row to the north, the v of its own column and of
   the column to the east. */
static inline double r_turned(Shallow k, Bars u, int i) {
  return r_bar(k, u.t.at, u.w.at, i) + r_bar(k, u.t.north, u.w.north, i);
}
static inline double s_turned(Shallow k, Bars v, int i) {
  return s_bar(k, v.open, v.t.at, v.w.at, i) + s_bar(k, v.open, v.t.at, v.w.at, i + 1);
}
static inline double s_turned_south(Shallow k, Bars v, int i) {
  return s_bar(k, v.open_south, v.t.south, v.w.south, i) +
         s_bar(k, v.open_south, v.t.south, v.w.south, i + 1);
}
static void adjoint_of_row(const HgBox *b, Shallow k, const HgRows x[], Bars u, Bars v, int j,
                           double *const row[]) {
  const HgAround f = HgRowsAround(x[F], j), g = HgRowsAround(x[G], j), q = HgRowsAround(x[Q], j);
  if (row[H]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) row[H][i] += k.g * head_owed(k, u, v, i);
  }
  if (row[B]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) row[B][i] += k.g * head_owed(k, u, v, i);
  }
  if (row[K]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) row[K][i] += head_owed(k, u, v, i);
  }
  if (row[F]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      row[F][i] -= 0.25 * (q.at[i] * s_turned(k, v, i) + q.south[i] * s_turned_south(k, v, i));
  }
  if (row[G]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      row[G][i] += 0.25 * (q.at[i] * r_turned(k, u, i) + q.at[i - 1] * r_turned(k, u, i - 1));
  }
  if (row[Q]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      row[Q][i] += 0.25 * ((g.at[i] + g.at[i + 1]) * r_turned(k, u, i) -
                           (f.at[i] + f.north[i]) * s_turned(k, v, i));
  }
  if (row[U]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) row[U][i] += open_east(k, i, u.w.at[i]);
  }
  if (row[U_T]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) row[U_T][i] += k.dt * (k.b * open_east(k, i, u.w.at[i]));
  }
  if (row[V]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) row[V][i] += v.open * v.w.at[i];
  }
  if (row[V_T]) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) row[V_T][i] += k.dt * (k.b * (v.open * v.w.at[i]));
  }
}
static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    double *row[READS];
    for (int n = 0; n < READS; n++) row[n] = x_bar[n] ? x_bar[n][j] : NULL;
    adjoint_of_row(b, k, x, bars_of(k, y_bar, 0, j), bars_of(k, y_bar, 2, j), j, row);
  }
}
const HgStencil hg_shallow_momentum = {
    .name = "shallow_momentum",
    .reads = (const HgRead[]){{"h", 1, HG_ADJOINT_UNUSED},
                              {"b", 1, HG_ADJOINT_UNUSED},
                              {"F", 1, 1},
                              {"G", 1, 1},
                              {"q", 1, 1},
                              {"K", 1, HG_ADJOINT_UNUSED},
                              {"u", 0, HG_ADJOINT_UNUSED},
                              {"u_t", 0, HG_ADJOINT_UNUSED},
                              {"v", 0, HG_ADJOINT_UNUSED},
                              {"v_t", 0, HG_ADJOINT_UNUSED},
                              {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "u_t", "v", "v_t", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
};
