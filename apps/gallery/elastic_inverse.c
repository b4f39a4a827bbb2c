/* elastic_inverse: finds how stiff the ground is against shear, mu, from seismometers near the
   surface.

     minimise J(mu) = 1/2 sum ((vy(x_k, t_n; mu) - d_kn) / sigma)^2 + R(mu),  2 <= mu <= 9 GPa
     subject to elastic.stencil; a twin: the data come from a hidden mu, with noise */
#include "elastic.h"
#include "ground.h"
#include <halograd/problem.h>

static double hidden(double x, double y) {
  const double hard = GroundBump(x, y, 320, 500, 110), soft = GroundBump(x, y, 640, 450, 120);
  return 5e9 + 1.5e9 * hard - 1.2e9 * soft;
}

static double force(double x, double y) { return 1e6 * GroundShots(x, y, true); }

static double keep(double x, double y) { return 1 - 0.1 * GroundSponge(x, y); }

/* Virieux: dt sqrt((lambda + 2 mu) / rho (1/dx^2 + 1/dy^2)) <= 1. */
static double largest_step(const void *params, double dx, double dy, const HgRange range[]) {
  const double rho = ((const ElasticVelocityParams *)params)->rho, shear = range[6].largest;
  return sqrt(rho / ((range[5].largest + 2 * shear) * (1 / (dx * dx) + 1 / (dy * dy))));
}

static const HgPhysicsVariable variables[] = {
    HG_VARIABLE("vx", "m/s", HG_X_FACE),      HG_VARIABLE("vy", "m/s", HG_Y_FACE),
    HG_VARIABLE("sxx", "Pa", HG_CENTRE),      HG_VARIABLE("syy", "Pa", HG_CENTRE),
    HG_VARIABLE("sxy", "Pa", HG_CORNER),      HG_VARIABLE("lambda", "Pa", HG_CENTRE),
    HG_VARIABLE("mu", "Pa", HG_CENTRE),       HG_VARIABLE("keep", "1", HG_CENTRE),
    HG_VARIABLE("force", "N/m^3", HG_Y_FACE), {.name = NULL}};
static const HgStencil *const step[] = {&elastic_velocity, &elastic_stress, NULL};
static const HgPhysics physics = {
    "elastic waves", variables, step, largest_step, sizeof(ElasticVelocityParams), NULL};
static const HgGiven given[] = {{"lambda", .value = 6e9},
                                {"mu", .value = 5e9, .least = 2e9, .most = 9e9},
                                {"keep", .field = keep},
                                {"force", .field = force},
                                {.variable = NULL}};

static PetscErrorCode elastic_inverse(void) {
  HgCommon common = {.nx = 96, .ny = 96, .dt = 1.5e-3, .steps = 500, .slots = 60};
  HgInverse inverse = {.h1 = 1e-16, .tolerance = 1e-3, .iterations = 32};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (velocities, stresses, lambda, mu, keep, force), at rest. */
  PetscCall(HgRunStart("elastic_inverse", "how stiff the ground is", &common, &inverse, &run));
  const ElasticVelocityParams params = {.rho = 2000, GroundWavelet(8, common.dt), GROUND_STEPS};
  PetscCall(HgProblemCreatePhysics(run, &common, &ground, &physics, &params, given, &problem));

  /* 2. mu is sought; the data are a twin's. */
  const HgSensors receivers = GroundReceivers("vy", 1e-3);
  PetscCall(HgProblemSeek(problem, "mu", 5e9, 2e9, 9e9, &inverse));
  PetscCall(HgProblemTwin(problem, "mu", hidden, &receivers));

  /* 3. -check: all derivatives; inversion; results, picture, run.json. */
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", elastic_inverse); }
