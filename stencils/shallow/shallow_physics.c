/* shallow_physics.c -- nonlinear shallow water as a physics: variables and where they live, what
   they have at walls free of stress, the order of the stencils; see shallow_water.h. */
#include <halograd/shallow_water.h>
#include <math.h>
#include <stddef.h>

/* An input has the prognostic variables, the tendencies of the step before, then the constants. */
enum { H, U, V };

#define CARRIED                                                                                    \
  {"h", "m", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0)},                                                 \
      {"u", "m/s", HG_X_FACE, HG_SIDES_X_Y(HG_CLOSED, HG_COPY)},                                   \
      {"v", "m/s", HG_Y_FACE, HG_SIDES_X_Y(HG_COPY, HG_CLOSED)},                                   \
      {"h_t", "m/s", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},                                        \
      {"u_t", "m/s^2", HG_X_FACE, HG_SIDES_X_Y(HG_CLOSED, HG_FIXED)}, {                            \
    "v_t", "m/s^2", HG_Y_FACE, HG_SIDES_X_Y(HG_FIXED, HG_CLOSED)                                   \
  }
#define CONSTANTS                                                                                  \
  {"b", "m", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},                                                \
      {"f", "1/s", HG_CORNER, HG_ALL_SIDES(HG_FIXED, 0)}, {                                        \
    "nu", "m^2/s", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0)                                             \
  }
#define WORK                                                                                       \
  {"q", "1/(m s)", HG_CORNER, HG_ALL_SIDES(HG_FIXED, 0)},                                          \
      {"P", "m^2/s^2", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},                                      \
      {"F", "m^2/s", HG_X_FACE, HG_SIDES_X_Y(HG_CLOSED, HG_FIXED)}, {                              \
    "G", "m^2/s", HG_Y_FACE, HG_SIDES_X_Y(HG_FIXED, HG_CLOSED)                                     \
  }
/* copied outwards: gauges may stand between the outermost centres and a wall */
#define SURFACE                                                                                    \
  { "eta", "m", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0) }

static double largest(HgRange r) { return fmax(fabs(r.least), fabs(r.largest)); }

static double largest_step(const void *params, double dx, double dy, const HgRange range[]) {
  const HgShallowWaterParams *p = params;
  return HgShallowWaterLargestStep(p->gravity, p->epsilon, range[H].largest,
                                   hypot(largest(range[U]), largest(range[V])), dx, dy);
}

/* The stencil that reads neighbours of the most variables comes first: then all of them travel in
   one message. */
#define STEP                                                                                       \
  &hg_shallow_vorticity, &hg_shallow_energy, &hg_shallow_fluxes, &hg_shallow_momentum,             \
      &hg_shallow_mass, &hg_shallow_friction

const HgPhysicsVariable hg_shallow_water_variables[] = {CARRIED, CONSTANTS, WORK, {.name = NULL}};

const HgPhysics hg_shallow_water_physics = {"shallow water", hg_shallow_water_variables,
                                            (const HgStencil *const[]){STEP, NULL}, largest_step};

const HgPhysics hg_shallow_surface_physics = {
    "shallow water", (const HgPhysicsVariable[]){CARRIED, SURFACE, CONSTANTS, WORK, {.name = NULL}},
    (const HgStencil *const[]){STEP, &hg_shallow_surface, NULL}, largest_step};
