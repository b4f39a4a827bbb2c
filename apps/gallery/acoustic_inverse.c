/* acoustic_inverse: finds the speed of sound below ground from receivers near the surface,
   full-waveform inversion in small; m is its square.

     minimise J(m) = 1/2 sum ((p(x_k, t_n; m) - d_kn) / sigma)^2 + R(m),  2.5 <= m <= 6.5 km^2/s^2
     subject to acoustic.stencil; a twin: the data come from a hidden m, with noise */
#include "acoustic.h"
#include "ground.h"
#include <halograd/problem.h>

static double hidden(double x, double y) {
  const double fast = GroundBump(x, y, 320, 520, 110), slow = GroundBump(x, y, 650, 430, 120);
  return pow(2000 + 300 * fast - 250 * slow, 2);
}

static double source(double x, double y) { return 1e4 * GroundShots(x, y, false); }

static double damping(double x, double y) { return 70 * GroundSponge(x, y); }

/* No wave may grow: dt sqrt(6.5017 m (1/dx^2 + 1/dy^2)) <= 2. */
static double largest_step(const void *params, double dx, double dy, const HgRange range[]) {
  (void)params;
  return 2 / sqrt(6.5017 * range[2].largest * (1 / (dx * dx) + 1 / (dy * dy)));
}

static const HgPhysicsVariable variables[] = {
    HG_VARIABLE("p", "Pa", HG_CENTRE),          HG_VARIABLE("p_old", "Pa", HG_CENTRE),
    HG_VARIABLE("m", "m^2/s^2", HG_CENTRE),     HG_VARIABLE("damping", "1/s", HG_CENTRE),
    HG_VARIABLE("source", "Pa/s^2", HG_CENTRE), {.name = NULL}};
static const HgStencil *const step[] = {&acoustic, NULL};
static const HgPhysics physics = {"sound", variables, step, largest_step, sizeof(AcousticParams),
                                  NULL};
static const HgGiven given[] = {{"m", .value = 4e6, .least = 2.5e6, .most = 6.5e6},
                                {"damping", .field = damping},
                                {"source", .field = source},
                                {.variable = NULL}};

static PetscErrorCode acoustic_inverse(void) {
  HgCommon common = {.nx = 96, .ny = 96, .dt = 1.5e-3, .steps = 450, .slots = 60};
  HgInverse inverse = {.h1 = 1e-11, .tolerance = 1e-3, .iterations = 40};
  HgRun run;
  HgProblem problem;

  /* 1. Options; x = (p_0, p_-1, m, damping, source), where it is silent. */
  PetscCall(HgRunStart("acoustic_inverse", "the speed of sound", &common, &inverse, &run));
  const AcousticParams params = {GroundWavelet(15, common.dt), GROUND_STEPS};
  PetscCall(HgProblemCreatePhysics(run, &common, &ground, &physics, &params, given, &problem));

  /* 2. m is sought; the data are a twin's. */
  const HgSensors receivers = GroundReceivers("p", 0.01);
  PetscCall(HgProblemSeek(problem, "m", 4e6, 2.5e6, 6.5e6, &inverse));
  PetscCall(HgProblemTwin(problem, "m", hidden, &receivers));

  /* 3. -check: all derivatives; inversion; results, picture, run.json. */
  return HgProblemComplete(&problem, &run, &inverse);
}

int main(int n, char **words) { return HgMain(n, words, "", acoustic_inverse); }
