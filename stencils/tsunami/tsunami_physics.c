/* tsunami_physics.c -- the linear tsunami as a physics, and how long a step may be; see tsunami.h.
   */
#include "tsunami_private.h"
#include <math.h>

enum { H_U = 6, H_V };

static const HgPhysicsVariable variables[] = {TSUNAMI_STATE,
                                              TSUNAMI_KEPT,
                                              {"h_u", "m", HG_X_FACE, HG_ALL_SIDES(HG_FIXED, 0)},
                                              {"h_v", "m", HG_Y_FACE, HG_ALL_SIDES(HG_FIXED, 0)},
                                              {.name = NULL}};

double HgTsunamiLargestStep(double gravity, double depth, double width, double height) {
  return 1 / sqrt(gravity * depth * (1 / (width * width) + 1 / (height * height)));
}

static double largest_step(const void *params, double dx, double dy, const HgRange range[]) {
  const HgTsunamiParams *p = params;
  return HgTsunamiLargestStep(p->gravity, fmax(range[H_U].largest, range[H_V].largest), dx, dy);
}

const HgPhysics hg_tsunami_physics = {
    .name = "tsunami",
    .variables = variables,
    .stencils =
        (const HgStencil *const[]){&hg_tsunami_east, &hg_tsunami_north, &hg_tsunami_surface, NULL},
    .largest_step = largest_step,
    .params_size = sizeof(HgTsunamiParams),
};
