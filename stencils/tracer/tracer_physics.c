/* tracer_physics.c -- advection and diffusion of a tracer as a physics: no tracer beyond walls. */
#include <halograd/advection_diffusion.h>
#include <math.h>
#include <stddef.h>

enum { VX = 1, VY, D };

static double largest(HgRange r) { return fmax(fabs(r.least), fabs(r.largest)); }

static double largest_step(const void *params, double dx, double dy, const HgRange range[]) {
  (void)params;
  return HgAdvectionDiffusionLargestStep(range[D].least, range[D].largest,
                                         hypot(largest(range[VX]), largest(range[VY])), dx, dy);
}

const HgPhysics hg_tracer_physics = {
    .name = "tracer",
    .variables = (const HgPhysicsVariable[]){{"c", "kg/m^3", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},
                                             {"vx", "m/s", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},
                                             {"vy", "m/s", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},
                                             {"D", "m^2/s", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},
                                             {.name = NULL}},
    .stencils = (const HgStencil *const[]){&hg_advection_diffusion, NULL},
    .largest_step = largest_step};
