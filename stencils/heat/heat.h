/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/heat.h -- one explicit Euler step of the heat equation u_t = kappa lap(u) + s(t) f.

     u' = u + dt (kappa lap(u) + s f)        s(t) = exp(-decay t)
     lap(u) = (u_W - 2u + u_E) / dx^2 + (u_S - 2u + u_N) / dy^2

   u [K], kappa [m^2/s], f [K/s]; reads u (radius 1), kappa and f (radius 0), writes u.

   Adjoint, with w = u'_bar, gathered (w is 0 outside the domain):
     u_bar     += w + dt lap(kappa w)
     kappa_bar += dt w lap(u)
     f_bar     += dt s w

   Walls are boundaries of u (boundary.h). Stable for dt <= HgHeatLargestStep(). */
#ifndef HALOGRAD_HEAT_H
#define HALOGRAD_HEAT_H

#include <halograd/physics.h>

typedef struct {
  double decay; /* of the source [1/s]; 0: steady */
} HgHeatParams;

extern const HgStencil hg_heat;        /* u, kappa -> u: no source, no params */
extern const HgStencil hg_heat_forced; /* u, kappa, f -> u; HgHeatParams */

/* u, kappa -> u_r = kappa lap(u) [K/s], for another time integrator (integrator.h); with
   HG_EULER("u", "u_r") it is hg_heat, whose values have the same bits. */
extern const HgStencil hg_heat_tendency;

/* Variables u, kappa (and f); walls held at 0, kappa copied outwards. Only the forced one takes
   HgHeatParams. */
extern const HgPhysics hg_heat_physics, hg_heat_forced_physics;

/* The largest stable dt = 1 / (2 kappa (1/dx^2 + 1/dy^2)) [s] where kappa <= `kappa_largest`;
   serves heat_conservative.h as well. */
double HgHeatLargestStep(double kappa_largest, double dx, double dy);

#endif
