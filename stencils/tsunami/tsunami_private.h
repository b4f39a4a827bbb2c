/* What the tsunami kernels share, for stencils/tsunami/tsunami_*.c only. */
#ifndef HALOGRAD_TSUNAMI_PRIVATE_H
#define HALOGRAD_TSUNAMI_PRIVATE_H

#include <halograd/five_point.h>
#include <halograd/tsunami.h>
#include <stddef.h>

/* f at the centres and at the northern faces of a row [1/s]. */
static inline double tsunami_coriolis(const HgTsunamiParams *p, HgLatitude row) {
  return 2 * p->rotation * row.sine;
}

static inline double tsunami_coriolis_north(const HgTsunamiParams *p, HgLatitude row) {
  return 2 * p->rotation * row.north_sine;
}

#endif
