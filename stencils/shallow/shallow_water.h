/* halograd/shallow_water.h -- nonlinear shallow water in vector-invariant form on an Arakawa
   C-grid:

     h_t = -div(F, G)              F = h u, G = h v                   thickness fluxes
     u_t = -dP/dx + q G            q = (f + v_x - u_y) / h            potential vorticity
     v_t = -dP/dy - q F            P = g (h + b) + (u^2 + v^2) / 2    energy per mass
   then u_t = div(nu grad u), v_t = div(nu grad v).

   h (thickness [m]), b (height of the bottom [m]), and P live at centres, u and F on the east
   face, v and G on the north face, q on the north-east corner of the cell of the same index.
   Adams-Bashforth 2 with a = 1.5 + epsilon, b = -(0.5 + epsilon); step 0 is Euler. The old
   tendencies h_t, u_t, v_t are carried, so that a checkpoint restarts the scheme exactly.
   Source: Sadourny, J. Atmos. Sci. 32 (1975), energy-conserving form; the case of mpi4jax's
   examples/shallow_water.py. */
#ifndef HALOGRAD_SHALLOW_WATER_H
#define HALOGRAD_SHALLOW_WATER_H

#include <halograd/kernel.h>
#include <stdbool.h>

typedef struct {
  double gravity; /* [m/s^2] */
  double epsilon; /* of Adams-Bashforth: damps its computational mode; 0.1 in the published case */
  bool wall_east, wall_north; /* is the last column of faces a wall, where u = 0; the last row? */
} HgShallowWaterParams;

/* One term each; all take HgShallowWaterParams.
   vorticity  f, u, v, h -> q
   energy     h, b, u, v -> P
   fluxes     h, u, v -> F, G
   momentum   F, G, q, P, u, u_t, v, v_t -> u, u_t, v, v_t
   mass       h, F, G, h_t -> h, h_t
   friction   nu, u, v -> u, v
   friction_u and friction_published are the published program's friction in two parts, the second
   of which takes u for v: v_t = div(nu (v_E - u, v_N - u)). */
extern const HgStencil hg_shallow_vorticity, hg_shallow_energy, hg_shallow_fluxes,
    hg_shallow_momentum, hg_shallow_mass, hg_shallow_friction, hg_shallow_friction_u,
    hg_shallow_friction_published;

/* surface  h, b, eta -> eta = h + b [m]    what gauges see; no part of the step: append it if wanted
 */
extern const HgStencil hg_shallow_surface;

/* A whole step in order, terminated by NULL; the same with the published friction. Boundaries: h copy,
   u, v frozen, all others fixed 0. Walls are free of stress. */
extern const HgStencil *const hg_shallow_water[];
extern const HgStencil *const hg_shallow_water_published[];

/* The largest dt [s] at which no linear gravity wave of water `depth` [m] deep grows, the fastest
   current `speed` [m/s] added to its speed:
   z / (2 (sqrt(g depth) + speed) sqrt(1/dx^2 + 1/dy^2)), z the end of the stable part of the
   imaginary axis. */
double HgShallowWaterLargestStep(double gravity, double epsilon, double depth, double speed,
                                 double dx, double dy);

#endif
