/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/shallow_water.h -- nonlinear shallow water in vector-invariant form on an Arakawa
   C-grid:

     h_t = -div(F, G)              F = h u, G = h v                   thickness fluxes
     u_t = -dP/dx + q G            q = (f + v_x - u_y) / h            potential vorticity
     v_t = -dP/dy - q F            P = g (h + b) + (u^2 + v^2) / 2    energy per mass
   then u_t = div(nu grad u), v_t = div(nu grad v).

   h (thickness [m]), b (height of the bottom [m]), and P live at centres, u, u_t and F on x faces,
   v, v_t and G on y faces, q on corners (location.h). No kernel knows of walls: they are boundaries
   of the variables, see below. Adams-Bashforth 2 with a = 1.5 + epsilon, b = -(0.5 + epsilon); step
   0 is Euler. The old tendencies h_t, u_t, v_t are carried, so that a checkpoint restarts the
   scheme exactly. Source: Sadourny, J. Atmos. Sci. 32 (1975), energy-conserving form; the case of
   mpi4jax's examples/shallow_water.py. */
#ifndef HALOGRAD_SHALLOW_WATER_H
#define HALOGRAD_SHALLOW_WATER_H

#include <halograd/integrator.h>
#include <halograd/physics.h>
#include <stdbool.h>

typedef struct {
  HgAdamsBashforth scheme; /* epsilon 0.1 in the published case */
  double gravity;          /* [m/s^2] */
} HgShallowWaterParams;

/* One term each; all take HgShallowWaterParams.
   diagnostics  f, u, v, h, b -> q, P, F, G
   dynamics     F, G, q, P, u, u_t, v, v_t, h, h_t -> u, u_t, v, v_t, h, h_t
   friction     nu, u, v -> u, v */
extern const HgStencil hg_shallow_diagnostics, hg_shallow_dynamics, hg_shallow_friction;

/* surface  h, b, eta -> eta = h + b [m]    what gauges see; not part of the step: append it if you
   need it */
extern const HgStencil hg_shallow_surface;

/* Nonlinear shallow water: h, u, v, the tendencies h_t, u_t, v_t of the step before, b, f, nu, then
   the work variables q, P, F, G. Boundaries at walls free of stress:
     u, u_t, F   closed in the west and east;     u copied in the south and north
     v, v_t, G   closed in the south and north;   v copied in the west and east
     h, nu       copied
   all others fixed 0. On a periodic axis there are no walls, and nothing is closed. */
extern const HgPhysics hg_shallow_water_physics;
extern const HgPhysicsVariable
    hg_shallow_water_variables[]; /* for other steps of the same variables */

/* The same step, equation by equation: hgstencil's kernels of shallow_reference.stencil, with
   tendencies u_r, v_r, h_r as further work variables, and HG_AB2 (integrator.h). Its values have
   the same bits; its derivatives sum in another order. */
extern const HgPhysics hg_shallow_reference_physics;

/* The same with eta = h + b, carried and copied outwards at walls, after v_t. */
extern const HgPhysics hg_shallow_surface_physics;

/* The largest dt [s] at which no linear gravity wave grows in water `depth` [m] deep, with the
   largest current `speed` [m/s] added to the wave's speed:
     z / (2 (sqrt(gravity depth) + speed) sqrt(1/dx^2 + 1/dy^2))
   where z is the end of the stable part of the imaginary axis. */
double HgShallowWaterLargestStep(double gravity, double epsilon, double depth, double speed,
                                 double dx, double dy);

#endif
