/* shallow_friction.c -- friction, one Euler step of its own after Adams-Bashforth, c = u or v:

     c' = c + dt ((X - X_W)/dx + (Y - Y_S)/dy),  X = nu (c_E - c)/dx,  Y = nu (c_N - c)/dy

   X = 0 on closed eastern faces and Y = 0 on closed northern ones; with nu = 0 beyond southern and
   western walls no wall exerts a stress. c' = 0 on closed faces. The published program has X = nu
   (v_E - u)/dx, Y = nu (v_N - u)/dy for v, with the u that friction has just made. */
#include "shallow_private.h"

enum { NU, FIRST }; /* reads: nu, then the velocities in the order of the writes */

typedef struct {
  double dt, rx, ry; /* 1/dx^2, 1/dy^2 */
} Weights;

static Weights weights(Shallow k) { return (Weights){k.dt, k.rx * k.rx, k.ry * k.ry}; }

/* nu of the eastern, northern and southern sides of the cells of a row. */
typedef struct {
  const double *at, *south;
  double open, open_south;
  Shallow k;
} Sides;

static inline Sides sides_of(Shallow k, HgRows nu, int j) {
  return (Sides){nu[j], nu[j - 1], open_north(k, j), open_north(k, j - 1), k};
}

static inline double east(Sides nu, int i) { return open_east(nu.k, i, nu.at[i]); }

static inline double north(Sides nu, int i) { return nu.open * nu.at[i]; }

static inline double south(Sides nu, int i) { return nu.open_south * nu.south[i]; }

/* div(nu (c_E - e, c_N - e)) */
static inline double stress(Weights k, Sides nu, HgAround c, HgAround e, int i) {
  return k.rx *
             (east(nu, i) * (c.at[i + 1] - e.at[i]) - east(nu, i - 1) * (c.at[i] - e.at[i - 1])) +
         k.ry * (north(nu, i) * (c.north[i] - e.at[i]) - south(nu, i) * (c.at[i] - e.south[i]));
}

/* Velocities on east faces, or on north faces? */
typedef enum { EAST, NORTH } Faces;

static void close_faces(Shallow k, const HgBox *b, Faces faces, int j, double *row) {
  if (faces == EAST) close_east(k, b, row);
  else close_north(k, b, j, row);
}

LOOPS one_apply(const HgBox *b, Shallow k, Faces faces, HgRows nu_rows, HgRows c_rows,
                HgRows e_rows, HgRowsOut out) {
  const Weights w = weights(k);
  for (int j = b->j0; j < b->j1; j++) {
    const Sides nu = sides_of(k, nu_rows, j);
    const HgAround c = HgRowsAround(c_rows, j), e = HgRowsAround(e_rows, j);
    double *next = out[j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) next[i] = c.at[i] + w.dt * stress(w, nu, c, e, i);
    close_faces(k, b, faces, j, next);
  }
}

LOOPS one_tangent(const HgBox *b, Shallow k, Faces faces, const HgRows x[], int c_index,
                  int e_index, const HgRows dx[], HgRowsOut out) {
  const Weights w = weights(k);
  for (int j = b->j0; j < b->j1; j++) {
    const Sides nu = sides_of(k, x[NU], j), dnu = sides_of(k, dx[NU], j);
    const HgAround c = HgRowsAround(x[c_index], j), e = HgRowsAround(x[e_index], j);
    const HgAround dc = HgRowsAround(dx[c_index], j), de = HgRowsAround(dx[e_index], j);
    double *next = out[j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      next[i] = dc.at[i] + w.dt * (stress(w, nu, dc, de, i) + stress(w, dnu, c, e, i));
    close_faces(k, b, faces, j, next);
  }
}

/* Cotangents of a velocity around row j; those of closed faces count for nothing. */
typedef struct {
  HgAround at;
  Shallow k;
  Faces faces;
  double open_south, open, open_north; /* of the velocity's faces */
  double open_face;                    /* of northern faces of this row */
} Bar;

static inline Bar bar_of(Shallow k, Faces faces, HgRows w, int j) {
  const double south = open_north(k, j - 1), at = open_north(k, j), north = open_north(k, j + 1);
  const bool v = faces == NORTH;
  return (Bar){HgRowsAround(w, j), k, faces, v ? south : 1, v ? at : 1, v ? north : 1, at};
}

static inline double masked(Bar b, double open, const double *w, int i) {
  return b.faces == EAST ? open_east(b.k, i, w[i]) : open * w[i];
}

static inline double here(Bar b, int i) { return masked(b, b.open, b.at.at, i); }

static inline double to_east(Bar b, int i) { return here(b, i + 1) - here(b, i); }

static inline double to_north(Bar b, int i) {
  return masked(b, b.open_north, b.at.north, i) - here(b, i);
}

static inline double to_south(Bar b, int i) {
  return masked(b, b.open_south, b.at.south, i) - here(b, i);
}

/* What c is owed as the one that differs from e, what e is owed, what nu is owed. */
static inline double c_owed(Weights k, Sides nu, Bar w, int i) {
  return k.rx * (east(nu, i - 1) * -to_east(w, i - 1)) + k.ry * (south(nu, i) * to_south(w, i));
}

static inline double e_owed(Weights k, Sides nu, Bar w, int i) {
  return k.rx * (east(nu, i) * to_east(w, i)) + k.ry * (north(nu, i) * to_north(w, i));
}

static inline double nu_owed(Weights k, HgAround c, HgAround e, Bar w, int i) {
  return -k.dt * (k.rx * open_east(w.k, i, (c.at[i + 1] - e.at[i]) * to_east(w, i)) +
                  k.ry * (w.open_face * ((c.north[i] - e.at[i]) * to_north(w, i))));
}

/* c as the one that differs and as the one it differs from. */
LOOPS velocity_adjoint(const HgBox *b, Shallow shallow, const HgRows x[], HgRows w_rows,
                       Faces faces, const HgRowsOut x_bar[], int c) {
  const Weights k = weights(shallow);
  for (int j = b->j0; x_bar[c] && j < b->j1; j++) {
    const Sides nu = sides_of(shallow, x[NU], j);
    const Bar w = bar_of(shallow, faces, w_rows, j);
    const HgOwed c_bar = HgOwedRow(b, x_bar, c, j);
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgOwe(c_bar, i, here(w, i) + k.dt * (c_owed(k, nu, w, i) + e_owed(k, nu, w, i)));
  }
}

LOOPS both_apply_loops(const HgBox *b, Shallow k, const HgRows x[], const HgRows none[],
                       const HgRowsOut y[]) {
  (void)none;
  one_apply(b, k, EAST, x[NU], x[FIRST], x[FIRST], y[0]);
  one_apply(b, k, NORTH, x[NU], x[FIRST + 1], x[FIRST + 1], y[1]);
}

LOOPS both_tangent_loops(const HgBox *b, Shallow k, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  one_tangent(b, k, EAST, x, FIRST, FIRST, dx, dy[0]);
  one_tangent(b, k, NORTH, x, FIRST + 1, FIRST + 1, dx, dy[1]);
}

LOOPS both_adjoint_loops(const HgBox *b, Shallow k, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  const Weights r = weights(k);
  for (int j = b->j0; x_bar[NU] && j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[FIRST], j), v = HgRowsAround(x[FIRST + 1], j);
    const Bar wu = bar_of(k, EAST, y_bar[0], j), wv = bar_of(k, NORTH, y_bar[1], j);
    const HgOwed nu_bar = HgOwedRow(b, x_bar, NU, j);
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      HgOwe(nu_bar, i, nu_owed(r, u, u, wu, i) + nu_owed(r, v, v, wv, i));
  }
  velocity_adjoint(b, k, x, y_bar[0], EAST, x_bar, FIRST);
  velocity_adjoint(b, k, x, y_bar[1], NORTH, x_bar, FIRST + 1);
}
APPLY_OF(both)
SECOND_OF(both, tangent)
SECOND_OF(both, adjoint)

LOOPS u_apply_loops(const HgBox *b, Shallow k, const HgRows x[], const HgRows none[],
                    const HgRowsOut y[]) {
  (void)none;
  one_apply(b, k, EAST, x[NU], x[FIRST], x[FIRST], y[0]);
}

LOOPS u_tangent_loops(const HgBox *b, Shallow k, const HgRows x[], const HgRows dx[],
                      const HgRowsOut dy[]) {
  one_tangent(b, k, EAST, x, FIRST, FIRST, dx, dy[0]);
}

LOOPS u_adjoint_loops(const HgBox *b, Shallow k, const HgRows x[], const HgRows y_bar[],
                      const HgRowsOut x_bar[]) {
  const Weights r = weights(k);
  for (int j = b->j0; x_bar[NU] && j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[FIRST], j);
    const Bar w = bar_of(k, EAST, y_bar[0], j);
    const HgOwed nu_bar = HgOwedRow(b, x_bar, NU, j);
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) HgOwe(nu_bar, i, nu_owed(r, u, u, w, i));
  }
  velocity_adjoint(b, k, x, y_bar[0], EAST, x_bar, FIRST);
}
APPLY_OF(u)
SECOND_OF(u, tangent)
SECOND_OF(u, adjoint)

enum { PUBLISHED_U = FIRST, PUBLISHED_V };

LOOPS published_apply_loops(const HgBox *b, Shallow k, const HgRows x[], const HgRows none[],
                            const HgRowsOut y[]) {
  (void)none;
  one_apply(b, k, NORTH, x[NU], x[PUBLISHED_V], x[PUBLISHED_U], y[0]);
}

LOOPS published_tangent_loops(const HgBox *b, Shallow k, const HgRows x[], const HgRows dx[],
                              const HgRowsOut dy[]) {
  one_tangent(b, k, NORTH, x, PUBLISHED_V, PUBLISHED_U, dx, dy[0]);
}

LOOPS published_adjoint_loops(const HgBox *b, Shallow k, const HgRows x[], const HgRows y_bar[],
                              const HgRowsOut x_bar[]) {
  const Weights r = weights(k);
  for (int j = b->j0; j < b->j1; j++) {
    const Sides nu = sides_of(k, x[NU], j);
    const Bar w = bar_of(k, NORTH, y_bar[0], j);
    if (x_bar[NU]) {
      const HgAround u = HgRowsAround(x[PUBLISHED_U], j), v = HgRowsAround(x[PUBLISHED_V], j);
      const HgOwed nu_bar = HgOwedRow(b, x_bar, NU, j);
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgOwe(nu_bar, i, nu_owed(r, v, u, w, i));
    }
    if (x_bar[PUBLISHED_U]) {
      const HgOwed u_bar = HgOwedRow(b, x_bar, PUBLISHED_U, j);
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgOwe(u_bar, i, r.dt * e_owed(r, nu, w, i));
    }
    if (x_bar[PUBLISHED_V]) {
      const HgOwed v_bar = HgOwedRow(b, x_bar, PUBLISHED_V, j);
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgOwe(v_bar, i, here(w, i) + r.dt * c_owed(r, nu, w, i));
    }
  }
}
APPLY_OF(published)
SECOND_OF(published, tangent)
SECOND_OF(published, adjoint)
const HgStencil hg_shallow_friction = {
    .name = "shallow_friction",
    .reads = (const HgRead[]){{"nu", 1, 1}, {"u", 1, 1}, {"v", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "v", NULL},
    .apply = both_apply,
    .tangent = both_tangent,
    .adjoint = both_adjoint,
    .only_for = (const char *const[][2]){{"u", "nu"}, {"v", "nu"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
const HgStencil hg_shallow_friction_u = {
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
const HgStencil hg_shallow_friction_published = {
    .name = "shallow_friction_published",
    .reads = (const HgRead[]){{"nu", 1, 1}, {"u", 1, 1}, {"v", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"v", NULL},
    .apply = published_apply,
    .tangent = published_tangent,
    .adjoint = published_adjoint,
    .only_for = (const char *const[][2]){{"u", "nu"}, {"v", "nu"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
