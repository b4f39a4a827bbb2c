/* tsunami_physics.c -- the linear tsunami as a physics, and how long a step may be; see tsunami.h. */
#include <halograd/tsunami.h>
#include <math.h>
#include <stddef.h>

enum { H_U = 6, H_V };

#define NOTHING HG_ALL_SIDES(HG_FIXED, 0)

static const HgPhysicsVariable variables[] = {
    {"eta", "m", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0)},
    {"u", "m/s", HG_X_FACE, HG_SIDES_X_Y(HG_CLOSED, HG_FIXED)},
    {"v", "m/s", HG_Y_FACE, HG_SIDES_X_Y(HG_FIXED, HG_CLOSED)},
    {"keep", "1", HG_CENTRE, NOTHING},
    {"keep_u", "1", HG_X_FACE, NOTHING},
    {"keep_v", "1", HG_Y_FACE, NOTHING},
    {"h_u", "m", HG_X_FACE, NOTHING},
    {"h_v", "m", HG_Y_FACE, NOTHING},
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
