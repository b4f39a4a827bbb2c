/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/heat_conservative.h -- one explicit Euler step of u_t = div(kappa grad u) + s(t) f.

     u' = u + dt (div(kappa grad u) + s f)        s(t) = exp(-decay t)
     div(kappa grad u) = sum over the neighbours n of kappa_n (u_n - u) / h_n^2

   with kappa_n the mean of kappa in the two cells that share the face and h_n = dx or dy. What
   leaves a cell through a face enters the other: the sum of u changes through walls and sources
   only. u [K], kappa [m^2/s], f [K/s]; reads u and kappa (radius 1), f (radius 0), writes u.

   Adjoint, with w = u'_bar, gathered (w is 0 outside the domain; the operator is symmetric):
     u_bar     += w + dt div(kappa grad w)
     kappa_bar -= dt/2 sum over the neighbours n of (u_n - u) (w_n - w) / h_n^2
     f_bar     += dt s w

   Walls: insulated is u mirrored with sign +1, since no face then has a difference; held at u = 0
   in the first node outside is u fixed. kappa outside a wall matters in the second case only: copy
   it. Stable for dt <= HgHeatLargestStep() of heat.h; HgHeatParams are shared with it. */
#ifndef HALOGRAD_HEAT_CONSERVATIVE_H
#define HALOGRAD_HEAT_CONSERVATIVE_H

#include <halograd/heat.h>

extern const HgStencil hg_heat_conservative;        /* u, kappa -> u: no source, no params */
extern const HgStencil hg_heat_conservative_forced; /* u, kappa, f -> u; HgHeatParams */

/* Likewise, see heat.h. */
extern const HgPhysics hg_heat_conservative_physics, hg_heat_conservative_forced_physics;

#endif
