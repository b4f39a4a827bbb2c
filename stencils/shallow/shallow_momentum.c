/* shallow_momentum.c -- tendencies of u and v and their Adams-Bashforth update:

     r = -(P_E - P)/dx + (q (G + G_E) + q_S (G_S + G_SE))/4
     s = -(P_N - P)/dy - (q (F + F_N) + q_W (F_W + F_NW))/4
     u' = u + dt (a r + b u_t),  u_t' = r;  v' = v + dt (a s + b v_t),  v_t' = s

   pressure gradient: that of the Bernoulli function P; vorticity flux: q G and -q F. */
#include "shallow_private.h"

enum { F, G, Q, P, U, U_T, V, V_T, READS };

/* Rows j - 1, j, j + 1 of what the tendencies read. */
typedef struct {
  HgAround F, G, q, P;
} Rows;

static inline Rows rows_of(const HgRows x[], int j) {
  return (Rows){HgRowsAround(x[F], j), HgRowsAround(x[G], j), HgRowsAround(x[Q], j),
                HgRowsAround(x[P], j)};
}

static inline double pressure_gradient_x(Shallow k, HgAround P, int i) {
  return k.rx * (P.at[i + 1] - P.at[i]);
}

static inline double pressure_gradient_y(Shallow k, HgAround P, int i) {
  return k.ry * (P.north[i] - P.at[i]);
}

/* (q (G + G_E) + q_S (G_S + G_SE))/4 */
static inline double vorticity_flux_x(HgAround q, HgAround G, int i) {
  return 0.25 * (q.at[i] * (G.at[i] + G.at[i + 1]) + q.south[i] * (G.south[i] + G.south[i + 1]));
}

/* -(q (F + F_N) + q_W (F_W + F_NW))/4 */
static inline double vorticity_flux_y(HgAround q, HgAround F, int i) {
  return -0.25 * (q.at[i] * (F.at[i] + F.north[i]) + q.at[i - 1] * (F.at[i - 1] + F.north[i - 1]));
}

static void momentum_apply(const HgBox *b, const void *params, const HgRows x[],
                           const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j);
    const double *u = x[U][j], *v = x[V][j], *u_old = x[U_T][j], *v_old = x[V_T][j];
    double *u_next = y[0][j], *u_t = y[1][j], *v_next = y[2][j], *v_t = y[3][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const double r = vorticity_flux_x(at.q, at.G, i) - pressure_gradient_x(k, at.P, i);
      const double s = vorticity_flux_y(at.q, at.F, i) - pressure_gradient_y(k, at.P, i);
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
    const double *du = dx[U][j], *dv = dx[V][j], *du_old = dx[U_T][j], *dv_old = dx[V_T][j];
    double *du_next = dy[0][j], *du_t = dy[1][j], *dv_next = dy[2][j], *dv_t = dy[3][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      const double r = (vorticity_flux_x(d.q, at.G, i) + vorticity_flux_x(at.q, d.G, i)) -
                       pressure_gradient_x(k, d.P, i);
      const double s = (vorticity_flux_y(d.q, at.F, i) + vorticity_flux_y(at.q, d.F, i)) -
                       pressure_gradient_y(k, d.P, i);
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
  double r[PART + 2], s[PART + 2];
} Tendencies;

static inline void tendencies_bar(const HgBox *b, Shallow k, const HgRows y_bar[], int j,
                                  Tendencies *t) {
  const double *u = y_bar[0][j], *u_t = y_bar[1][j], *v = y_bar[2][j], *v_t = y_bar[3][j];
  HG_VECTOR
  for (int i = b->i0 - 1; i < b->i1 + 1; i++) {
    t->r[i - b->i0 + 1] = u_t[i] + k.dt * (k.a * u[i]);
    t->s[i - b->i0 + 1] = v_t[i] + k.dt * (k.a * v[i]);
  }
}

/* What a row is made of in reverse. */
typedef struct {
  Shallow k;
  HgAround r, s, F, G, q;
} Reverse;

/* A corner turns the u of its own row and of the row to the north, the v of its own column and of
   the column to the east. */
static inline double r_turned(Reverse x, int i) { return x.r.at[i] + x.r.north[i]; }

static inline double s_turned(Reverse x, int i) { return x.s.at[i] + x.s.at[i + 1]; }

static inline double s_turned_south(Reverse x, int i) { return x.s.south[i] + x.s.south[i + 1]; }

static inline double P_owed(Reverse x, int i) {
  return x.k.rx * (x.r.at[i] - x.r.at[i - 1]) + x.k.ry * (x.s.at[i] - x.s.south[i]);
}

static inline double F_owed(Reverse x, int i) {
  return -0.25 * (x.q.at[i] * s_turned(x, i) + x.q.south[i] * s_turned_south(x, i));
}

static inline double G_owed(Reverse x, int i) {
  return 0.25 * (x.q.at[i] * r_turned(x, i) + x.q.at[i - 1] * r_turned(x, i - 1));
}

static inline double q_owed(Reverse x, int i) {
  return 0.25 * ((x.G.at[i] + x.G.at[i + 1]) * r_turned(x, i) -
                 (x.F.at[i] + x.F.north[i]) * s_turned(x, i));
}

/* Wanted all together, as in a whole step, they share what they are made of. */
static inline void fields_of_row(const HgBox *b, Reverse x, const HgCotangent to[]) {
  if (to[F].row && to[G].row && to[Q].row && to[P].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      HgContribute(to[F], i, F_owed(x, i));
      HgContribute(to[G], i, G_owed(x, i));
      HgContribute(to[Q], i, q_owed(x, i));
      HgContribute(to[P], i, P_owed(x, i));
    }
    return;
  }
  for (int i = b->i0; to[F].row && i < b->i1; i++) HgContribute(to[F], i, F_owed(x, i));
  for (int i = b->i0; to[G].row && i < b->i1; i++) HgContribute(to[G], i, G_owed(x, i));
  for (int i = b->i0; to[Q].row && i < b->i1; i++) HgContribute(to[Q], i, q_owed(x, i));
  for (int i = b->i0; to[P].row && i < b->i1; i++) HgContribute(to[P], i, P_owed(x, i));
}

static inline void velocities_of_row(const HgBox *b, Shallow k, int j, const HgRows y_bar[],
                                     const HgCotangent to[]) {
  const double *u = y_bar[0][j], *v = y_bar[2][j];
  if (to[U].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(to[U], i, u[i]);
  }
  if (to[U_T].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(to[U_T], i, k.dt * (k.b * u[i]));
  }
  if (to[V].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(to[V], i, v[i]);
  }
  if (to[V_T].row) {
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgContribute(to[V_T], i, k.dt * (k.b * v[i]));
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
      fields_of_row(&part, r, to);
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
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
