/* SPDX-License-Identifier: BSD-2-Clause */
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

#define PROGNOSTIC                                                                                 \
  {"h", "m", HG_CENTRE, COPIED}, {"u", "m/s", ON_X_FACES(HG_COPY)},                                \
      {"v", "m/s", ON_Y_FACES(HG_COPY)}, {"h_t", "m/s", HG_CENTRE, NOTHING},                       \
      {"u_t", "m/s^2", ON_X_FACES(HG_FIXED)}, {                                                    \
    "v_t", "m/s^2", ON_Y_FACES(HG_FIXED)                                                           \
  }
#define CONSTANT                                                                                   \
  {"b", "m", HG_CENTRE, NOTHING}, {"f", "1/s", HG_CORNER, NOTHING}, {                              \
    "nu", "m^2/s", HG_CENTRE, COPIED                                                               \
  }
#define WORK                                                                                       \
  {"q", "1/(m s)", HG_CORNER, NOTHING}, {"P", "m^2/s^2", HG_CENTRE, NOTHING},                      \
      {"F", "m^2/s", ON_X_FACES(HG_FIXED)}, {                                                      \
    "G", "m^2/s", ON_Y_FACES(HG_FIXED)                                                             \
  }

const HgPhysicsVariable hg_shallow_water_variables[] = {PROGNOSTIC, CONSTANT, WORK, {.name = NULL}};

/* eta is copied outwards: gauges may stand between the outermost centres and a wall. */
static const HgPhysicsVariable with_surface[] = {
    PROGNOSTIC, {"eta", "m", HG_CENTRE, COPIED}, CONSTANT, WORK, {.name = NULL}};

static const HgPhysicsVariable with_tendencies[] = {PROGNOSTIC,
                                                    CONSTANT,
                                                    WORK,
                                                    {"h_r", "m/s", HG_CENTRE, NOTHING},
                                                    {"u_r", "m/s^2", ON_X_FACES(HG_FIXED)},
                                                    {"v_r", "m/s^2", ON_Y_FACES(HG_FIXED)},
                                                    {.name = NULL}};

static double largest(HgRange r) { return fmax(fabs(r.least), fabs(r.largest)); }

static double largest_step(const void *params, double dx, double dy, double dz,
                           const HgRange range[]) {
  (void)dz;
  const HgShallowWaterParams *p = params;
  return HgShallowWaterLargestStep(p->gravity, p->scheme.epsilon, range[H].largest,
                                   hypot(largest(range[U]), largest(range[V])), dx, dy);
}

#define STEP &hg_shallow_diagnostics, &hg_shallow_dynamics, &hg_shallow_friction

/* Written by hgstencil from shallow_reference.stencil. */
extern const HgStencil hg_shallow_vorticity, hg_shallow_energy, hg_shallow_fluxes,
    hg_shallow_acceleration, hg_shallow_convergence;

static const HgStencil step_u = HG_AB2("u", "u_r", "u_t"), step_v = HG_AB2("v", "v_r", "v_t"),
                       step_h = HG_AB2("h", "h_r", "h_t");

/* Water is deeper than 0 m everywhere. */
static const char *const wet[] = {"h", NULL};

#define PHYSICS(fields, ...)                                                                       \
  {                                                                                                \
    .name = "shallow water", .variables = (fields),                                                \
    .stencils = (const HgStencil *const[]){__VA_ARGS__, NULL}, .largest_step = largest_step,       \
    .params_size = sizeof(HgShallowWaterParams), .positive = wet                                   \
  }

const HgPhysics hg_shallow_water_physics = PHYSICS(hg_shallow_water_variables, STEP);

const HgPhysics hg_shallow_surface_physics = PHYSICS(with_surface, STEP, &hg_shallow_surface);

const HgPhysics hg_shallow_reference_physics =
    PHYSICS(with_tendencies, &hg_shallow_vorticity, &hg_shallow_energy, &hg_shallow_fluxes,
            &hg_shallow_acceleration, &step_u, &step_v, &hg_shallow_convergence, &step_h,
            &hg_shallow_friction);
