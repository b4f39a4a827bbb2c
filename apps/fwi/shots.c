/* SPDX-License-Identifier: BSD-2-Clause */
#include "shots.h"
#include <math.h>

static const double sampling = 0.005; /* of receivers [s] */

PetscErrorCode ShotsOptions(HgRun run, Shots *s) {
  const HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsGroup(o, "Shots"));
  PetscCall(HgOptionsInt(o, "-shots", "along the surface", "", 1, SURVEY_MOST, &s->count));
  PetscCall(HgOptionsInt(o, "-groups", "of ranks, side by side (0: chosen)", "", 0, SURVEY_MOST,
                         &s->groups));
  PetscCall(HgOptionsInt(o, "-receivers",
                         "of each shot, on a line along the surface; with levels, on lines", "", 1,
                         SURVEY_MOST, &s->receivers));
  PetscCall(
      HgOptionsPath(o, "-shots_table", "of shots and their receivers", sizeof s->table, s->table));
  PetscCall(HgOptionsPath(o, "-wavelet", "table of a wavelet, instead of Ricker's",
                          sizeof s->wavelet, s->wavelet));
  PetscCall(HgOptionsInts(o, "-frequencies", "up to which the wavelet of each stage reaches, in Hz",
                          1, 1000, 1, SHOTS_STAGES, &s->stages, s->frequency));
  PetscCall(HgOptionsReal(o, "-noise",
                          "of the twin's, over the root mean square of a shot's readings", "",
                          "(0, 1]", &s->noise));
  return HgOptionsInt(o, "-seed", "of the noise", "", 0, 1 << 30, &s->seed);
}

static PetscErrorCode read_survey(HgRun run, bool levels, Shots *s) {
  static const char *const of_lines[] = {"-shots", "-receivers", NULL};
  Survey *const survey = &s->survey;
  if (*s->table) {
    PetscCall(HgOptionsRefuse(HgRunOptions(run), "with -shots_table", of_lines));
    PetscCall(SurveyTable(PETSC_COMM_WORLD, s->table, levels, survey));
    s->count = survey->shots;
  } else PetscCall(SurveyLines(s->count, s->receivers, levels, survey));
  if (*s->wavelet) PetscCall(WaveletRead(PETSC_COMM_WORLD, s->wavelet, &survey->wavelet[0]));
  return 0;
}

PetscErrorCode ShotsSplit(HgRun run, const HgCommon *c, double shortest, Shots *s) {
  static const char *const measured[] = {"-observations", NULL};
  PetscCall(HgOptionsRefuse(HgRunOptions(run), "in a twin experiment", measured));
  for (int k = 0; k < s->stages; k++)
    HgRequire(PETSC_COMM_WORLD, EARTH_WATER / s->frequency[k] >= shortest, HG_ERR_OPTION_RANGE,
              "option -frequencies: a wave of %d Hz is %g m long in water, expected at least %g m, "
              "four cells; use more cells or at most %g Hz",
              s->frequency[k], EARTH_WATER / s->frequency[k], shortest,
              floor(EARTH_WATER / shortest));
  PetscCall(read_survey(run, c->nz, s));
  PetscCall(HgRunExperiments(run, s->count, s->groups, &s->all));
  PetscCall(PetscCalloc3(s->count, &s->data, s->count, &s->problem, s->count, &s->part));
  return PetscCalloc2(s->survey.wavelets, &s->sample, s->survey.wavelets, &s->program);
}

/* ---- wavelets, and the program of each ---- */

WaveParams ShotsParams(const Shots *s, int wavelet, const HgCommon *c) {
  return (WaveParams){s->sample[wavelet], c->steps + 1};
}

PetscErrorCode ShotsWavelets(Shots *s, int k, const HgCommon *c) {
  for (int w = 0; w < s->survey.wavelets; w++) {
    const WaveParams params = ShotsParams(s, w, c);
    if (!s->sample[w]) PetscCall(PetscMalloc1(params.count, &s->sample[w]));
    WaveletSample(&s->survey.wavelet[w], s->frequency[k], c->dt, params.count, s->sample[w]);
    if (s->program[w])
      PetscCall(HgProgramSetParams(s->program[w], NULL, &(WaveParams){s->sample[w], params.count}));
  }
  return 0;
}

/* That of a shot, made as the first one with its wavelet asks for it. */
static PetscErrorCode program_of(Shots *s, const HgCommon *c, HgMesh mesh, int e,
                                 HgProgram *program) {
  const int w = s->survey.shot[e].wavelet;
  if (!s->program[w]) {
    const WaveParams params = ShotsParams(s, w, c);
    PetscCall(HgProgramCreatePhysics(mesh, WavePhysics(c->nz), &params, c->dt, &s->program[w]));
    PetscCall(HgProgramSetUp(s->program[w]));
  }
  *program = s->program[w];
  return 0;
}

/* ---- a shot ---- */

typedef struct {
  SurveyPlace at;
  double width; /* [m] */
} Charge;

static double charge(double x, double y, double depth, void *context) {
  const Charge *c = context;
  const double dx = (x - c->at.x) / c->width, dy = (y - c->at.y) / c->width,
               dz = (depth - c->at.depth) / c->width;
  return 1e6 * exp(-dx * dx - dy * dy - dz * dz);
}

static PetscErrorCode load(const Shots *s, int e, HgState x) {
  const double cell = EarthCell(HgMeshGetSpec(HgStateMesh(x)));
  return EarthSet(x, "source", charge, &(Charge){s->survey.shot[e].place, 1.5 * cell});
}

/* The receivers of a shot, which have heard nothing yet. */
static PetscErrorCode place_receivers(const Shots *s, const HgCommon *c, int e,
                                      HgObservations **data) {
  const SurveySpread *const spread = &s->survey.spread[s->survey.shot[e].spread];
  const double end = (double)c->steps * c->dt;
  const int times = (int)fmax(1, floor(end / sampling));
  PetscCall(HgObservationsCreate(HgExperimentsComm(s->all), "p", "Pa", times, spread->count, data));
  HgObservations *const o = *data;
  o->levels = c->nz > 0;
  for (int k = 0; k < spread->count; k++) {
    const SurveyPlace *const p = &spread->place[k];
    o->x[k] = p->x, o->y[k] = c->nz ? p->y : -p->depth, o->z[k] = c->nz ? -p->depth : 0;
  }
  for (int n = 0; n < times; n++) o->time[n] = end * (n + 1) / times;
  return 0;
}

static void add_noise(const Shots *s, int stage, int e, HgObservations *o) {
  const int count = o->times * o->sensors;
  double sum = 0;
  for (int k = 0; k < count; k++) sum += o->value[k] * o->value[k];
  HgObservationsAddNoise(o, s->noise * sqrt(sum / count),
                         ((uint64_t)s->seed * SHOTS_STAGES + (uint64_t)stage) * SURVEY_MOST +
                             (uint64_t)e);
}

static PetscErrorCode listen_own(Shots *s, const HgCommon *c, HgState truth) {
  for (int e = HgExperimentsGroup(s->all); e < s->count; e += HgExperimentsGroups(s->all)) {
    HgProgram program;
    PetscCall(program_of(s, c, HgStateMesh(truth), e, &program));
    PetscCall(place_receivers(s, c, e, &s->data[e]));
    PetscCall(load(s, e, truth));
    PetscCall(HgTwinObserve(program, c->steps, truth, s->data[e]));
  }
  return 0;
}

PetscErrorCode ShotsListen(const HgCommon *c, int stage, HgState truth, Shots *s) {
  PetscCall(HgExperimentsTell(s->all, listen_own(s, c, truth)));
  for (int e = HgExperimentsGroup(s->all); e < s->count; e += HgExperimentsGroups(s->all))
    add_noise(s, stage, e, s->data[e]);
  return 0;
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

PetscErrorCode ShotsPose(HgRun run, const HgCommon *c, const HgInverse *inverse, HgOperator m_of_c,
                         HgState x, Shots *s) {
  const int first = HgExperimentsGroup(s->all);
  HgProgram program;
  HgOperator sum;
  for (int e = first; e < s->count; e += HgExperimentsGroups(s->all)) {
    PetscCall(load(s, e, x));
    PetscCall(program_of(s, c, HgStateMesh(x), e, &program));
    PetscCall(pose(run, c, inverse, program, m_of_c, x, &s->data[e], &s->problem[e]));
    PetscCall(HgProblemMisfit(s->problem[e], &s->part[e]));
  }

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
  for (int w = 0; w < s->survey.wavelets; w++) {
    PetscCall(PetscFree(s->sample[w]));
    if (w) PetscCall(HgProgramDestroy(&s->program[w])); /* the first one is the model's */
  }
  PetscCall(PetscFree2(s->sample, s->program));
  PetscCall(PetscFree3(s->data, s->problem, s->part));
  return SurveyDestroy(&s->survey);
}
