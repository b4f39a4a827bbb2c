/* shallow_physics.c -- nonlinear shallow water as a physics: variables and where they live, what
   they have at walls free of stress, the order of the stencils; see shallow_water.h. */
#include <halograd/shallow_water.h>
#include <math.h>
#include <stddef.h>

/* An input has the prognostic variables, the tendencies of the step before, then the constants. */
enum { H, U, V };

#define COPIED HG_ALL_SIDES(HG_COPY, 0)
#define NOTHING HG_ALL_SIDES(HG_FIXED, 0)
#define ON_X_FACES(along) HG_X_FACE, HG_SIDES_X_Y(HG_CLOSED, along)
#define ON_Y_FACES(along) HG_Y_FACE, HG_SIDES_X_Y(along, HG_CLOSED)

const HgPhysicsVariable hg_shallow_water_variables[] = {
    {"h", "m", HG_CENTRE, COPIED},          {"u", "m/s", ON_X_FACES(HG_COPY)},
    {"v", "m/s", ON_Y_FACES(HG_COPY)},      {"h_t", "m/s", HG_CENTRE, NOTHING},
    {"u_t", "m/s^2", ON_X_FACES(HG_FIXED)}, {"v_t", "m/s^2", ON_Y_FACES(HG_FIXED)},
    {"b", "m", HG_CENTRE, NOTHING},         {"f", "1/s", HG_CORNER, NOTHING},
    {"nu", "m^2/s", HG_CENTRE, COPIED},     {"q", "1/(m s)", HG_CORNER, NOTHING},
    {"P", "m^2/s^2", HG_CENTRE, NOTHING},   {"F", "m^2/s", ON_X_FACES(HG_FIXED)},
    {"G", "m^2/s", ON_Y_FACES(HG_FIXED)},   {.name = NULL},
};

/* eta is copied outwards: gauges may stand between the outermost centres and a wall. */
static const HgPhysicsVariable with_surface[] = {
    {"h", "m", HG_CENTRE, COPIED},
    {"u", "m/s", ON_X_FACES(HG_COPY)},
    {"v", "m/s", ON_Y_FACES(HG_COPY)},
    {"h_t", "m/s", HG_CENTRE, NOTHING},
    {"u_t", "m/s^2", ON_X_FACES(HG_FIXED)},
    {"v_t", "m/s^2", ON_Y_FACES(HG_FIXED)},
    {"eta", "m", HG_CENTRE, COPIED},
    {"b", "m", HG_CENTRE, NOTHING},
    {"f", "1/s", HG_CORNER, NOTHING},
    {"nu", "m^2/s", HG_CENTRE, COPIED},
    {"q", "1/(m s)", HG_CORNER, NOTHING},
    {"P", "m^2/s^2", HG_CENTRE, NOTHING},
    {"F", "m^2/s", ON_X_FACES(HG_FIXED)},
    {"G", "m^2/s", ON_Y_FACES(HG_FIXED)},
    {.name = NULL},
};

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

const HgPhysics hg_shallow_water_physics = {"shallow water", hg_shallow_water_variables,
                                            (const HgStencil *const[]){STEP, NULL}, largest_step};

const HgPhysics hg_shallow_surface_physics = {
    "shallow water", with_surface, (const HgStencil *const[]){STEP, &hg_shallow_surface, NULL},
    largest_step};
