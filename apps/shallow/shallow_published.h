/* SPDX-License-Identifier: BSD-2-Clause */
/* The defects of mpi4jax's examples/shallow_water.py that its numbers need (docs/shallow-water.md);
   nothing else should have them.

   (a) Its friction of v takes the u that friction has just made for v:

         v' = v + dt ((X - X_W)/dx + (Y - Y_S)/dy),   X = nu (v_E - u)/dx,   Y = nu (v_N - u)/dy
         with X_W = nu_W (v - u_W)/dx,   Y_S = nu_S (v - u_S)/dy

   (c) Friction of the velocity normal to a southern or western wall leaves out the flux between
   that wall and the
       first face: nu is 0 beyond those walls. */
#ifndef SHALLOW_PUBLISHED_H
#define SHALLOW_PUBLISHED_H
#include <halograd/program.h>
#include <halograd/shallow_water.h>

/* (a): nu, u -> u and nu, u, v -> v, which take HgShallowWaterParams; shallow water with them. */
extern const HgStencil shallow_published_friction_u, shallow_published_friction_v;
extern const HgPhysics shallow_published_physics;

/* (c) for a program that is not set up yet. */
PetscErrorCode ShallowPublishedWalls(HgProgram program);

#endif
