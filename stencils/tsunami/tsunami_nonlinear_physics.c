/* tsunami_nonlinear_physics.c -- the nonlinear tsunami as a physics; its kernels are written by
   hgstencil from tsunami_nonlinear.stencil. See tsunami_nonlinear.h. */
#include "tsunami_private.h"
#include <halograd/tsunami_nonlinear.h>
#include <math.h>

enum { ETA = 0, H = 6 };

static const HgPhysicsVariable variables[] = {
    TSUNAMI_STATE, TSUNAMI_KEPT, {"h", "m", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0)}, {.name = NULL}};

static double largest_step(const void *params, double dx, double dy, const HgRange range[]) {
  const HgTsunamiParams *p = params;
  return HgTsunamiLargestStep(p->gravity, range[H].largest + fmax(range[ETA].largest, 0), dx, dy);
}

const HgPhysics hg_tsunami_nonlinear_physics = {
    .name = "nonlinear tsunami",
    .variables = variables,
    .stencils = (const HgStencil *const[]){&hg_tsunami_momentum, &hg_tsunami_mass, NULL},
    .largest_step = largest_step,
    .params_size = sizeof(HgTsunamiParams),
};
