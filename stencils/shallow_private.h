/* What the shallow-water kernels share, for stencils/shallow_*.c only. */
#ifndef HALOGRAD_SHALLOW_PRIVATE_H
#define HALOGRAD_SHALLOW_PRIVATE_H
#include <halograd/five_point.h>
#include <halograd/shallow_water.h>
#include <limits.h>
#include <stddef.h>
typedef struct {
  double dt, g, rx, ry;
  double a, b; /* x' = x + dt (a rate + b old) */
  int east,
      north; /* patch-local column and row of closed faces; out of reach if there is no wall */
} Shallow;
static inline Shallow shallow(const HgBox *box, const void *params) {
  const HgShallowWaterParams *p = params;
  const bool euler = box->step == 0;
  return (Shallow){.dt = p->dt,
                   .g = p->gravity,
                   .rx = 1 / box->dx,
                   .ry = 1 / box->dy,
                   .a = euler ? 1 : 1.5 + p->epsilon,
                   .b = euler ? 0 : -(0.5 + p->epsilon),
                   .east = p->wall_east ? box->nx_global - 1 - box->i_global : INT_MIN,
                   .north = p->wall_north ? box->ny_global - 1 - box->j_global : INT_MIN};
}
/* Zero on the closed faces of row j of a variable on east faces, on north faces. */
static inline void close_east(Shallow k, const HgBox *b, double *row) {
  if (k.east >= b->i0 && k.east < b->i1) row[k.east] = 0;
}
static inline void close_north(Shallow k, const HgBox *b, int j, double *row) {
  for (int i = b->i0; j == k.north && i < b->i1; i++) row[i] = 0;
}
/* Their transposes: what a closed face says counts for nothing. */
static inline double open_east(Shallow k, int i, double w) { return i == k.east ? 0 : w; }
static inline double open_north(Shallow k, int j) { return j == k.north ? 0 : 1; }
#endif
