/* halograd/advection_diffusion.h -- one explicit Euler step of c_t + v . grad c = D lap(c).

     c' = c + dt (D lap(c) - vx (c_E - c_W) / (2 dx) - vy (c_N - c_S) / (2 dy))

   c [kg/m^3], vx and vy [m/s], D [m^2/s]; reads c (radius 1), vx, vy, D (radius 0), writes c; any
   of them may be a control. Central differences: linear in each field and second order in space,
   but free of wiggles only where the cell Peclet numbers |vx| dx / D and |vy| dy / D are at most 2.

   Adjoint, with w = c'_bar, gathered (w is 0 outside the domain):
     c_bar  += w + dt (lap(D w) + ((vx w)_E - (vx w)_W) / (2 dx) + ((vy w)_N - (vy w)_S) / (2 dy))
     vx_bar -= dt w (c_E - c_W) / (2 dx)
     vy_bar -= dt w (c_N - c_S) / (2 dy)
     D_bar  += dt w lap(c)

   Source of the stability limit: Hindmarsh, Gresho & Griffiths, Int. J. Numer. Meth. Fluids 4
   (1984). */
#ifndef HALOGRAD_ADVECTION_DIFFUSION_H
#define HALOGRAD_ADVECTION_DIFFUSION_H

#include <halograd/physics.h>

extern const HgStencil hg_advection_diffusion; /* c, vx, vy, D -> c; no params */
extern const HgPhysics hg_tracer_physics;      /* variables c, vx, vy, D; no params */

/* The largest stable dt [s] for diffusivities in [d_smallest, d_largest] and vx^2 + vy^2 <=
   speed^2: min(1 / (2 D (1/dx^2 + 1/dy^2)), 2 D / speed^2), each with its worst D. */
double HgAdvectionDiffusionLargestStep(double d_smallest, double d_largest, double speed, double dx,
                                       double dy);

#endif
