/* What the shallow-water kernels share, for stencils/shallow/shallow_*.c only. */
#ifndef HALOGRAD_SHALLOW_PRIVATE_H
#define HALOGRAD_SHALLOW_PRIVATE_H

#include <halograd/five_point.h>
#include <halograd/shallow_water.h>
#include <limits.h>
#include <stddef.h>

typedef struct {
  double dt, g, rx, ry;
  double a, b;     /* x' = x + dt (a rate + b old) */
  int east, north; /* patch-local column and row of closed faces; out of reach without a wall */
  bool asks;       /* does the loop ask each face whether it is closed? */
} Shallow;

enum { HG_OUT_OF_REACH = INT_MIN / 2 };

static inline Shallow shallow(const HgBox *box, const void *params) {
  const HgShallowWaterParams *p = params;
  const bool euler = box->step == 0;
  return (Shallow){.dt = box->dt,
                   .g = p->gravity,
                   .rx = 1 / box->dx,
                   .ry = 1 / box->dy,
                   .a = euler ? 1 : 1.5 + p->epsilon,
                   .b = euler ? 0 : -(0.5 + p->epsilon),
                   .east = p->wall_east ? box->nx_global - 1 - box->i_global : HG_OUT_OF_REACH,
                   .north = p->wall_north ? box->ny_global - 1 - box->j_global : HG_OUT_OF_REACH,
                   .asks = true};
}

/* Zero on the closed faces of row j of a variable on east faces, on north faces. */
static inline void close_east(Shallow k, const HgBox *b, double *row) {
  if (k.east >= b->i0 && k.east < b->i1) row[k.east] = 0;
}

static inline void close_north(Shallow k, const HgBox *b, int j, double *row) {
  for (int i = b->i0; j == k.north && i < b->i1; i++) row[i] = 0;
}

/* Their transposes: what a closed face says counts for nothing. */
static inline double open_east(Shallow k, int i, double w) { return k.asks && i == k.east ? 0 : w; }

static inline double open_north(Shallow k, int j) { return k.asks && j == k.north ? 0 : 1; }

/* Loops of a kernel over a box; `second`: dx or y_bar. */
typedef void LoopsFn(const HgBox *box, Shallow k, const HgRows x[], const HgRows second[],
                     const HgRowsOut out[]);
#define LOOPS static inline __attribute__((always_inline)) void

static inline int clamp(int n, int least, int most) {
  return n < least ? least : n > most ? most : n;
}

/* A closed face matters to the cells beside it. All others get a copy of the loops that does not
   ask for it, which is several times as fast and gives the same bits. */
LOOPS run_loops(LoopsFn *loops, const HgBox *b, const void *params, const HgRows x[],
                const HgRows second[], const HgRowsOut out[]) {
  Shallow k = shallow(b, params);
  const int i[] = {b->i0, clamp(k.east - 1, b->i0, b->i1), clamp(k.east + 2, b->i0, b->i1), b->i1};
  const int j[] = {b->j0, clamp(k.north - 1, b->j0, b->j1), clamp(k.north + 2, b->j0, b->j1),
                   b->j1};
  for (int n = 0; n < 9; n++) {
    HgBox part = *b;
    part.i0 = i[n % 3], part.i1 = i[n % 3 + 1], part.j0 = j[n / 3], part.j1 = j[n / 3 + 1];
    if (part.i0 >= part.i1 || part.j0 >= part.j1) continue;
    k.asks = n % 3 == 1 || n / 3 == 1;
    if (k.asks) loops(&part, k, x, second, out);
    else loops(&part, (k.asks = false, k), x, second, out);
  }
}

/* The kernels name_apply, name_tangent, name_adjoint of the loops name_apply_loops ... */
#define APPLY_OF(name)                                                                             \
  static void name##_apply(const HgBox *b, const void *params, const HgRows x[],                   \
                           const HgRowsOut y[]) {                                                  \
    run_loops(name##_apply_loops, b, params, x, NULL, y);                                          \
  }
#define SECOND_OF(name, kind)                                                                      \
  static void name##_##kind(const HgBox *b, const void *params, const HgRows x[],                  \
                            const HgRows second[], const HgRowsOut out[]) {                        \
    run_loops(name##_##kind##_loops, b, params, x, second, out);                                   \
  }

#endif
