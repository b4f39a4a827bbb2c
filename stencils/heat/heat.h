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

/* The largest stable dt = 1 / (2 kappa (1/dx^2 + 1/dy^2)) [s] where kappa <= `kappa_largest`; also
   for hg_heat_conservative. */
double HgHeatLargestStep(double kappa_largest, double dx, double dy);

/* One explicit Euler step of u_t = div(kappa grad u) + s(t) f.

     u' = u + dt (div(kappa grad u) + s f)        s(t) = exp(-decay t)
     div(kappa grad u) = sum over the neighbours n of kappa_n (u_n - u) / h_n^2

   with kappa_n the mean of kappa in the two cells that share the face and h_n = dx or dy. What
   leaves a cell through a face enters the next one: only walls and sources change the sum of u.
   Units: u [K], kappa [m^2/s], f [K/s]. Reads u and kappa (radius 1) and f (radius 0), writes u.

   Adjoint, with w = u'_bar, gathered (w is 0 outside the domain; the operator is symmetric):
     u_bar     += w + dt div(kappa grad w)
     kappa_bar -= dt/2 sum over the neighbours n of (u_n - u) (w_n - w) / h_n^2
     f_bar     += dt s w

   For an insulated wall mirror u with sign +1: then no face at the wall has a difference. For u = 0
   in the first node outside, fix u; only then kappa outside the wall matters: copy it. Stable for
   dt <= HgHeatLargestStep(). */

extern const HgStencil hg_heat_conservative;        /* u, kappa -> u: no source, no params */
extern const HgStencil hg_heat_conservative_forced; /* u, kappa, f -> u; HgHeatParams */

/* Likewise, see above. */
extern const HgPhysics hg_heat_conservative_physics, hg_heat_conservative_forced_physics;

#endif
