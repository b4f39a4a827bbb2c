/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the shallow-water kernels, for stencils/shallow/shallow_*.c only. */
#ifndef HALOGRAD_SHALLOW_PRIVATE_H
#define HALOGRAD_SHALLOW_PRIVATE_H

#include <halograd/integrator_library.h>
#include <halograd/kernel.h>
#include <halograd/shallow_water.h>
#include <stddef.h>

#define HALF ((HgReal)0.5)
#define QUARTER ((HgReal)0.25)

/* Written by hgstencil from the .stencil of that name. */
extern HgSecondFn hg_shallow_diagnostics_generated_second, hg_shallow_dynamics_generated_second,
    hg_shallow_friction_generated_second;

typedef struct {
  HgReal dt, g, rx, ry; /* rx = 1/dx, ry = 1/dy */
  HgReal a, b;          /* x' = x + dt (a x_t + b x_t of the step before) */
} Shallow;

static inline Shallow shallow(const HgBox *box, const void *params) {
  const HgShallowWaterParams *p = params;
  const HgAdamsBashforthWeights scheme = HgAdamsBashforthStep(box, p->scheme);
  return (Shallow){.dt = box->dt,
                   .g = p->gravity,
                   .rx = 1 / box->dx,
                   .ry = 1 / box->dy,
                   .a = scheme.a,
                   .b = scheme.b};
}

#endif
