/* SPDX-License-Identifier: BSD-2-Clause */
#include "shots.h"
#include "acoustic.h"
#include <math.h>

enum { MOST = 1 << 16 };

static const double depth_of_line = 30; /* of shots and receivers [m] */
static const double sampling = 0.005;   /* of receivers [s] */

PetscErrorCode ShotsOptions(HgRun run, Shots *s) {
  const HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsGroup(o, "Shots"));
  PetscCall(HgOptionsInt(o, "-shots", "along the surface", "", 1, MOST, &s->count));
  PetscCall(
      HgOptionsInt(o, "-groups", "of ranks, side by side (0: chosen)", "", 0, MOST, &s->groups));
  PetscCall(
      HgOptionsInt(o, "-receivers", "of each shot, along the surface", "", 1, MOST, &s->receivers));
  PetscCall(HgOptionsInts(o, "-frequencies", "up to which the wavelet of each stage reaches, in Hz",
                          1, 1000, 1, SHOTS_STAGES, &s->stages, s->frequency));
  PetscCall(HgOptionsReal(o, "-noise",
                          "of the twin's, over the root mean square of a shot's readings", "",
                          "(0, 1]", &s->noise));
  return HgOptionsInt(o, "-seed", "of the noise", "", 0, 1 << 30, &s->seed);
}

PetscErrorCode ShotsSplit(HgRun run, double shortest, Shots *s) {
  static const char *const measured[] = {"-observations", NULL};
  PetscCall(HgOptionsRefuse(HgRunOptions(run), "in a twin experiment", measured));
  for (int k = 0; k < s->stages; k++)
    HgRequire(PETSC_COMM_WORLD, SECTION_WATER / s->frequency[k] >= shortest, HG_ERR_OPTION_RANGE,
              "option -frequencies: a wave of %d Hz is %g m long in water, expected at least %g m, "
              "four cells; use more cells or at most %g Hz",
              s->frequency[k], SECTION_WATER / s->frequency[k], shortest,
              floor(SECTION_WATER / shortest));
  PetscCall(HgRunExperiments(run, s->count, s->groups, &s->all));
  return PetscCalloc2(s->count, &s->problem, s->count, &s->part);
}

/* Ricker's wavelet, (1 - 2 a) exp(-a), a = (pi g (t - 1.2 / g))^2. Its spectrum has its peak at g
   and half of it at 0.47 g and at 1.64 g, which is the frequency of the stage. */
PetscErrorCode ShotsWavelet(Shots *s, int k, const HgCommon *c, HgProgram program) {
  const double peak = s->frequency[k] / 1.64;
  PetscCall(PetscFree(s->wavelet));
  PetscCall(PetscMalloc1(c->steps + 1, &s->wavelet));
  for (long n = 0; n <= c->steps; n++) {
    const double phase = PETSC_PI * (peak * (double)n * c->dt - 1.2), a = phase * phase;
    s->wavelet[n] = (1 - 2 * a) * exp(-a);
  }
  if (!program) return 0;
  return HgProgramSetParams(program, NULL, &(AcousticParams){s->wavelet, c->steps + 1});
}

/* Place k of `count` on the line between the sponges. */
static double place(int k, int count) {
  const double at = count > 1 ? k / (count - 1.0) : 0.5;
  return SECTION_SPONGE + (SECTION_WIDTH - 2 * SECTION_SPONGE) * at;
}

typedef struct {
  double x, width; /* [m] */
} Source;

static double charge(double x, double y, void *context) {
  const Source *s = context;
  const double dx = (x - s->x) / s->width, dy = (y + depth_of_line) / s->width;
  return 1e6 * exp(-dx * dx - dy * dy);
}

static PetscErrorCode load(const Shots *s, int e, HgState x) {
  Source source = {place(e, s->count), 1.5 * HgMeshCellWidth(HgStateMesh(x))};
  return HgStateSetField(x, "source", charge, &source);
}

/* Receivers with what they hear on the twin, without noise. */
static PetscErrorCode listen(const Shots *s, const HgCommon *c, HgProgram program, HgState truth,
                             int e, HgObservations **data) {
  const double end = (double)c->steps * c->dt;
  const int times = (int)fmax(1, floor(end / sampling));
  PetscCall(HgObservationsCreate(HgExperimentsComm(s->all), "p", "Pa", times, s->receivers, data));
  for (int k = 0; k < s->receivers; k++)
    (*data)->x[k] = place(k, s->receivers), (*data)->y[k] = -depth_of_line;
  for (int n = 0; n < times; n++) (*data)->time[n] = end * (n + 1) / times;
  PetscCall(load(s, e, truth));
  return HgTwinObserve(program, c->steps, truth, *data);
}

static void add_noise(const Shots *s, int stage, int e, HgObservations *o) {
  const int count = o->times * o->sensors;
  double sum = 0;
  for (int k = 0; k < count; k++) sum += o->value[k] * o->value[k];
  HgObservationsAddNoise(o, s->noise * sqrt(sum / count),
                         ((uint64_t)s->seed * SHOTS_STAGES + (uint64_t)stage) * MOST + (uint64_t)e);
}

static PetscErrorCode pose(HgRun run, const HgCommon *c, const HgInverse *inverse,
                           HgProgram program, HgOperator m_of_c, HgState x, HgObservations **data,
                           HgProblem *problem) {
  PetscCall(HgProblemCreate(run, c, program, x, problem));
  PetscCall(HgProblemObserve(*problem, data));
  PetscCall(HgProblemControl(*problem, "m", m_of_c));
  if (inverse->tikhonov > 0 || inverse->h1 > 0)
    PetscCall(HgProblemRegularise(
        *problem, &(HgRegularisation){"m", inverse->tikhonov, inverse->h1, 6e6, NULL}));
  return HgProblemSetUp(*problem);
}

static PetscErrorCode listen_all(const Shots *s, const HgCommon *c, int stage, HgProgram program,
                                 HgState truth, HgObservations *data[]) {
  for (int e = HgExperimentsGroup(s->all); e < s->count; e += HgExperimentsGroups(s->all)) {
    PetscCall(listen(s, c, program, truth, e, &data[e]));
    add_noise(s, stage, e, data[e]);
  }
  return 0;
}

PetscErrorCode ShotsFire(HgRun run, const HgCommon *c, const HgInverse *inverse, int stage,
                         HgProgram program, HgOperator m_of_c, HgState x, HgState truth, Shots *s) {
  HgObservations **data;
  HgOperator sum;
  const int first = HgExperimentsGroup(s->all);
  PetscCall(PetscCalloc1(s->count, &data));
  PetscCall(HgExperimentsTell(s->all, listen_all(s, c, stage, program, truth, data)));
  for (int e = first; e < s->count; e += HgExperimentsGroups(s->all)) {
    PetscCall(load(s, e, x));
    PetscCall(pose(run, c, inverse, program, m_of_c, x, &data[e], &s->problem[e]));
    PetscCall(HgProblemMisfit(s->problem[e], &s->part[e]));
  }
  PetscCall(PetscFree(data));

  s->R = HgProblemRegularisation(s->problem[first]);
  PetscCall(HgExperimentsFunctional(s->all, s->part, &sum));
  PetscCall(HgOperatorSum("J", s->R ? 2 : 1, (HgOperator[]){sum, s->R}, &s->J));
  return HgOperatorDestroy(&sum);
}

PetscErrorCode ShotsClear(Shots *s) {
  PetscCall(HgOperatorDestroy(&s->J));
  for (int e = 0; e < s->count; e++) {
    PetscCall(HgProblemDestroy(&s->problem[e]));
    s->part[e] = NULL;
  }
  return 0;
}

PetscErrorCode ShotsDestroy(Shots *s) {
  PetscCall(PetscFree(s->wavelet));
  return PetscFree2(s->problem, s->part);
}
