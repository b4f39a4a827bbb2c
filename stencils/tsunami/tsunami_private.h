/* What the tsunami kernels and their physics share, for stencils/tsunami/tsunami_*.c only. */
#ifndef HALOGRAD_TSUNAMI_PRIVATE_H
#define HALOGRAD_TSUNAMI_PRIVATE_H

#include <halograd/five_point.h>
#include <halograd/tsunami.h>
#include <stddef.h>

/* The variables of both physics. */
#define TSUNAMI_STATE                                                                              \
  {"eta", "m", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0)},                                               \
      {"u", "m/s", HG_X_FACE, HG_SIDES_X_Y(HG_CLOSED, HG_FIXED)}, {                                \
    "v", "m/s", HG_Y_FACE, HG_SIDES_X_Y(HG_FIXED, HG_CLOSED)                                       \
  }
#define TSUNAMI_KEPT                                                                               \
  {"keep", "1", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},                                             \
      {"keep_u", "1", HG_X_FACE, HG_ALL_SIDES(HG_FIXED, 0)}, {                                     \
    "keep_v", "1", HG_Y_FACE, HG_ALL_SIDES(HG_FIXED, 0)                                            \
  }

/* Written by hgstencil (tsunami_east.stencil ...): the same equations. */
extern HgSecondFn hg_tsunami_east_generated_second, hg_tsunami_north_generated_second,
    hg_tsunami_surface_generated_second;

/* f at the centres and at the northern faces of a row [1/s]. */
static inline double tsunami_coriolis(const HgTsunamiParams *p, HgLatitude row) {
  return 2 * p->rotation * row.sine;
}

static inline double tsunami_coriolis_north(const HgTsunamiParams *p, HgLatitude row) {
  return 2 * p->rotation * row.north_sine;
}

#endif
