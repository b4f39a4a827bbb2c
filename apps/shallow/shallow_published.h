/* SPDX-License-Identifier: BSD-2-Clause */
/* The defects of mpi4jax's examples/shallow_water.py that are needed to reproduce its numbers
   (docs/shallow-water.md). Do not use them elsewhere.

   (a) Its friction of v uses the u that friction has just updated:

       v' = v + dt ((X - X_W)/dx + (Y - Y_S)/dy),   X = nu (v_E - u)/dx,   Y = nu (v_N - u)/dy
       with X_W = nu_W (v - u_W)/dx,   Y_S = nu_S (v - u_S)/dy

   (c) At a southern or western wall, friction of the normal velocity omits the flux between the
   wall and the first face: nu is 0 beyond those walls. */
#ifndef SHALLOW_PUBLISHED_H
#define SHALLOW_PUBLISHED_H
#include <halograd/program.h>
#include <halograd/shallow_water.h>

/* (a): the stencils nu, u -> u and nu, u, v -> v, with HgShallowWaterParams; and shallow water with
   both. */
extern const HgStencil shallow_published_friction_u, shallow_published_friction_v;
extern const HgPhysics shallow_published_physics;

/* (c): call it before HgProgramSetUp(). */
PetscErrorCode ShallowPublishedWalls(HgProgram program);

#endif
