/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/integrator.h -- stock time integrators: stencils that advance a variable x by its
   tendency r = dx/dt, which an earlier stencil has written. Each macro is the initialiser of an
   HgStencil outside functions:

     HG_EULER(x, r)      x' = x + dt r                                         order 1
     HG_AB2(x, r, old)   x' = x + dt (a r + b old),  old' = r                  order 2
                         a = 3/2 + epsilon, b = -(1/2 + epsilon); in step 0, Euler: a = 1, b = 0

     static const HgStencil heat_step = HG_EULER("u", "u_r");

   old is r of the step before. It is carried, so that a checkpoint restarts the scheme exactly; its
   first values do not matter. HG_AB2 takes HgAdamsBashforth: the params of a physics that uses it
   begin with one. epsilon > 0 damps the computational mode of Adams-Bashforth and lowers the order
   to 1.

   Adjoint, with w = x'_bar and t = old'_bar:
     x_bar += w,  r_bar += t + dt a w,  old_bar += dt b w

   Source: Durran, Numerical Methods for Fluid Dynamics (2010), section 2.4. */
#ifndef HALOGRAD_INTEGRATOR_H
#define HALOGRAD_INTEGRATOR_H

#include <halograd/kernel.h>

typedef struct {
  double epsilon;
} HgAdamsBashforth;

#define HG_EULER(x, r)                                                                             \
  {                                                                                                \
    .name = "euler " x,                                                                            \
    .reads =                                                                                       \
        (const HgRead[]){{(x), 0, HG_ADJOINT_UNUSED}, {(r), 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},  \
    .writes = (const char *const[]){(x), NULL}, .apply = HgEulerApply, .tangent = HgEulerTangent,  \
    .adjoint = HgEulerAdjoint, .sets = true,                                                       \
  }

#define HG_AB2(x, r, old)                                                                          \
  {                                                                                                \
    .name = "ab2 " x,                                                                              \
    .reads = (const HgRead[]){{(x), 0, HG_ADJOINT_UNUSED},                                         \
                              {(r), 0, HG_ADJOINT_UNUSED},                                         \
                              {(old), 0, HG_ADJOINT_UNUSED},                                       \
                              {NULL, 0, 0}},                                                       \
    .writes = (const char *const[]){(x), (old), NULL}, .apply = HgAdamsBashforthApply,             \
    .tangent = HgAdamsBashforthTangent, .adjoint = HgAdamsBashforthAdjoint, .sets = true,          \
    .params_size = sizeof(HgAdamsBashforth),                                                       \
  }

/* ---- for the initialisers ---- */

HgApplyFn HgEulerApply, HgAdamsBashforthApply;
HgTangentFn HgEulerTangent, HgAdamsBashforthTangent;
HgAdjointFn HgEulerAdjoint, HgAdamsBashforthAdjoint;

#endif
