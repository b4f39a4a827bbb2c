/* SPDX-License-Identifier: BSD-2-Clause */
#include "encoding.h"
#include <math.h>

PetscErrorCode ShotsOptions(HgRun run, Shots *s) {
  const HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsGroup(o, "Shots"));
  PetscCall(HgOptionsInt(o, "-shots", "shots along the surface", "", 1, SURVEY_MOST, &s->count));
  PetscCall(HgOptionsInt(o, "-groups",
                         "groups of ranks that work side by side (0: the library chooses)", "", 0,
                         SURVEY_MOST, &s->groups));
  PetscCall(HgOptionsInt(o, "-receivers", "receivers of each shot, along the surface", "", 1,
                         SURVEY_MOST, &s->receivers));
  PetscCall(HgOptionsString(o, "-shots_table", "table with the places of shots and receivers",
                            sizeof s->table, s->table));
  PetscCall(HgOptionsString(o, "-wavelet", "table with a wavelet (none: Ricker's)",
                            sizeof s->wavelet, s->wavelet));
  PetscCall(
      HgOptionsFlag(o, "-seek_wavelet", "find the wavelet together with the speed", &s->seek));
  PetscCall(HgOptionsReal(
      o, "-wavelet_h1", "with -seek_wavelet, weight of the correction's differences between steps",
      "", "[0, 1e30]", &s->smooth));
  PetscCall(HgOptionsReal(o, "-listen", "time that receivers record after each shot", "s",
                          "[0.1, 100]", &s->listen));
  PetscCall(HgOptionsString(o, "-save_observations",
                            "file for the twin's observations; %d is the number of the shot",
                            sizeof s->save, s->save));
  PetscCall(HgOptionsInts(o, "-frequencies",
                          "highest frequency of the wavelet in each stage, in Hz", 1, 1000, 1,
                          SHOTS_STAGES, &s->stages, s->frequency));
  PetscCall(HgOptionsInt(
      o, "-encode",
      "sums of all shots, with random signs, to fire instead of single shots (0: single shots)", "",
      0, SURVEY_MOST, &s->encode));
  PetscCall(HgOptionsInt(o, "-redraw", "iterations of a stage after which -encode draws new signs",
                         "", 1, 1 << 20, &s->redraw));
  PetscCall(HgOptionsFlag(o, "-illumination",
                          "change the speed less where the shots illuminate the ground more",
                          &s->illumination));
  PetscCall(HgOptionsReal(
      o, "-noise", "noise of the twin, as a fraction of the root mean square of a shot's readings",
      "", "(0, 1]", &s->noise));
  PetscCall(HgOptionsInt(o, "-seed", "seed of the noise and of -encode", "", 0, 1 << 30, &s->seed));
  return HgOptionsReal(o, "-progress", "shortest time between two lines of progress", "s",
                       "[0, 1e6]", &s->progress.every);
}

static PetscErrorCode read_survey(HgRun run, const HgCommon *c, Shots *s) {
  static const char *const of_lines[] = {"-shots", "-receivers", NULL};
  Survey *const survey = &s->survey;
  if (*s->table) {
    PetscCall(HgOptionsRefuse(HgRunOptions(run), "with -shots_table", of_lines));
    PetscCall(SurveyTable(PETSC_COMM_WORLD, s->table, c->nz, *c->observations, survey));
    s->count = survey->shots;
  } else PetscCall(SurveyLines(s->count, s->receivers, c->nz, survey));
  if (*s->wavelet) PetscCall(WaveletRead(PETSC_COMM_WORLD, s->wavelet, &survey->wavelet[0]));
  return 0;
}

/* Of recorded shots the wavelet is known, and where they were fired. */
static PetscErrorCode check_files(HgRun run, const HgCommon *c, const Shots *s) {
  static const char *const of_twin[] = {"-noise", "-save_observations", NULL};
  const bool read = *c->observations;
  const char *const option = read ? "-observations" : "-save_observations";
  char unused[HG_PATH_SIZE + 16];
  if (read) PetscCall(HgOptionsRefuse(HgRunOptions(run), "with -observations", of_twin));
  if (!read && !*s->save) return 0;
  PetscCall(HgExperimentsFile(option, read ? c->observations : s->save, 0, sizeof unused, unused));
  HgRequire(PETSC_COMM_WORLD, !read || *s->table, HG_ERR_OPTION_CONFLICT,
            "option -observations: given without -shots_table, expected a table that says where "
            "the shots were fired");
  for (int e = 0; e < s->count; e++)
    HgRequire(PETSC_COMM_WORLD, s->survey.wavelet[s->survey.shot[e].wavelet].samples,
              HG_ERR_OPTION_CONFLICT,
              "option %s: shot %d has Ricker's wavelet, another one in each stage, expected that "
              "of a file; give -wavelet FILE",
              option, e);
  return 0;
}

/* One wavelet is sought, with a weight of its own. */
static PetscErrorCode check_sought(HgRun run, const Shots *s) {
  static const char *const of_sought[] = {"-wavelet_h1", NULL};
  int own = 0;
  for (int e = 0; e < s->count; e++) own += s->survey.shot[e].wavelet > 0;
  if (!s->seek) PetscCall(HgOptionsRefuse(HgRunOptions(run), "without -seek_wavelet", of_sought));
  HgRequire(PETSC_COMM_WORLD, !s->seek || !own, HG_ERR_OPTION_CONFLICT,
            "option -seek_wavelet: %d of %d shots have a wavelet of their own, expected one for "
            "all of them, -wavelet FILE; leave out -seek_wavelet",
            own, s->count);
  return 0;
}

static int experiments(const Shots *s) { return s->encode ? s->encode : s->count; }

PetscErrorCode ShotsSplit(HgRun run, const HgCommon *c, double shortest, Shots *s) {
  static const char *const of_sums[] = {"-redraw", NULL};
  const double most = floor(EarthGet()->water / shortest);
  char lower[32] = "";
  if (most >= 1) snprintf(lower, sizeof lower, " or at most %g Hz", most);
  if (!s->encode) PetscCall(HgOptionsRefuse(HgRunOptions(run), "without -encode", of_sums));
  for (int k = 0; k < s->stages; k++)
    HgRequire(PETSC_COMM_WORLD, EarthGet()->water / s->frequency[k] >= shortest,
              HG_ERR_OPTION_RANGE,
              "option -frequencies: a wave of %d Hz is %g m long in water, expected at least %g m, "
              "four cells; use more cells%s",
              s->frequency[k], EarthGet()->water / s->frequency[k], shortest, lower);
  PetscCall(read_survey(run, c, s));
  PetscCall(check_files(run, c, s));
  PetscCall(check_sought(run, s));
  if (s->encode) PetscCall(EncodingCheck(&s->survey, *c->observations));
  PetscCall(HgRunExperiments(run, experiments(s), s->groups, &s->all));
  PetscCall(PetscCalloc2(s->count, &s->data, experiments(s), &s->problem));
  PetscCall(PetscCalloc1(s->count, &s->record));
  return PetscCalloc2(s->survey.wavelets, &s->sample, s->survey.wavelets, &s->program);
}

/* ---- wavelets, and the program of each ---- */

WaveParams ShotsParams(const Shots *s, int wavelet, const HgCommon *c) {
  return (WaveParams){s->sample[wavelet], s->seek ? c->steps : c->steps + 1};
}

PetscErrorCode ShotsWavelets(Shots *s, int k, const HgCommon *c) {
  for (int w = 0; w < s->survey.wavelets; w++) {
    const WaveParams params = ShotsParams(s, w, c);
    if (!s->sample[w]) PetscCall(PetscMalloc1(params.count, &s->sample[w]));
    WaveletSample(&s->survey.wavelet[w], k < 0 ? 0 : s->frequency[k], c->dt, params.count,
                  s->sample[w]);
    const WaveParams sampled = {s->sample[w], params.count};
    if (s->program[w])
      PetscCall(HgProgramSetParams(s->program[w], NULL, WaveTaken(&sampled, s->seek)));
  }
  if (!s->seek) return 0;
  if (!s->guess) PetscCall(PetscMalloc1(c->steps, &s->guess));
  return PetscArraycpy(s->guess, s->sample[0], c->steps);
}

PetscErrorCode ShotsGuess(const Shots *s, HgState m) {
  int k;
  if (!s->seek) return 0;
  PetscCall(HgStateIndex(m, "wavelet", &k));
  return PetscArraycpy(HgStateArray(m, k), s->guess, HgStateVariable(m, k)->size);
}

/* change[] of one sample every dt, so much earlier [s]; 0 outside. */
static double earlier(long count, const double change[], double dt, double by, long n) {
  const double at = (double)n + by / dt, before = floor(at);
  if (before < 0 || before > (double)(count - 2)) return 0;
  const double *const c = change + (long)before;
  return c[0] + (at - before) * (c[1] - c[0]);
}

PetscErrorCode ShotsStage(Shots *s, int k, const HgCommon *c, HgState m) {
  const bool goes_on = s->seek && k && s->survey.wavelet[0].samples;
  double *change = NULL;
  int w;
  if (goes_on) {
    PetscCall(HgStateIndex(m, "wavelet", &w));
    const double *const found = HgStateArray(m, w);
    PetscCall(PetscMalloc1(c->steps, &change));
    for (long n = 0; n < c->steps; n++) change[n] = found[n] - s->sample[0][n];
  }
  PetscCall(ShotsWavelets(s, k, c));
  if (goes_on) {
    const double by =
        WAVELET_REACH * (WaveletWidth(s->frequency[k - 1]) - WaveletWidth(s->frequency[k]));
    for (long n = 0; n < c->steps; n++) s->guess[n] += earlier(c->steps, change, c->dt, by, n);
  }
  PetscCall(PetscFree(change));
  return ShotsGuess(s, m);
}

PetscErrorCode ShotsProgram(Shots *s, const HgCommon *c, HgMesh mesh, int e, HgProgram *program) {
  const int w = s->survey.shot[e].wavelet;
  if (!s->program[w]) {
    const WaveParams params = ShotsParams(s, w, c);
    PetscCall(HgProgramCreatePhysics(mesh, WavePhysics(c->nz, s->seek), WaveTaken(&params, s->seek),
                                     c->dt, &s->program[w]));
    PetscCall(HgProgramSetUp(s->program[w]));
  }
  *program = s->program[w];
  return 0;
}

/* ---- a shot ---- */

typedef struct {
  const Shots *shots;
  int from, to; /* of these the charges are added up, */
  int draw, k;  /* with the signs of sum k if draw >= 0 */
  double width; /* [m] */
} Charges;

static double charge(double x, double y, double depth, void *context) {
  const Charges *c = context;
  double sum = 0;
  for (int e = c->from; e < c->to; e++) {
    const SurveyPlace *const at = &c->shots->survey.shot[e].place;
    const double dx = (x - at->x) / c->width, dy = (y - at->y) / c->width,
                 dz = (depth - at->depth) / c->width;
    const int sign = c->draw < 0 ? 1 : EncodingSign(c->shots, c->draw, c->k, e);
    sum += sign * 1e6 * exp(-dx * dx - dy * dy - dz * dz);
  }
  return sum;
}

static PetscErrorCode load(HgState x, Charges charges) {
  charges.width = 1.5 * EarthCell(HgMeshGetSpec(HgStateMesh(x)));
  PetscCall(ShotsGuess(charges.shots, x));
  return EarthSet(x, "source", charge, &charges);
}

PetscErrorCode ShotsLoad(const Shots *s, int e, HgState x) {
  return load(x, (Charges){.shots = s, .from = e, .to = e + 1, .draw = -1});
}

/* A wavelet as large as the first guess counts as much as c = 1 everywhere. */
static double wavelet_scale(const Shots *s, HgState x) {
  const HgMeshSpec *const mesh = HgMeshGetSpec(HgStateMesh(x));
  const double area = mesh->dx * mesh->dy * mesh->nx * mesh->ny * PetscMax(1, mesh->nz);
  double square = 0;
  const int steps = HgStateVariable(x, HgStateFind(x, "wavelet"))->size;
  for (int n = 0; n < steps; n++) square += s->sample[0][n] * s->sample[0][n];
  return sqrt(square / area);
}

static PetscErrorCode pose(HgRun run, const HgCommon *c, const HgInverse *inverse, const Shots *s,
                           HgProgram program, HgOperator m_of_c, HgState x, HgObservations **data,
                           HgProblem *problem) {
  PetscCall(HgProblemCreate(run, c, program, x, problem));
  PetscCall(HgProblemObserve(*problem, data));
  PetscCall(HgProblemControl(*problem, "m", m_of_c));
  PetscCall(HgProblemRegularise(
      *problem, &(HgRegularisation){"m", inverse->tikhonov, inverse->h1, .mean = x}));
  if (s->seek) {
    PetscCall(HgProblemControl(*problem, "wavelet", NULL));
    PetscCall(HgProblemBound(*problem, "wavelet", -INFINITY, INFINITY, wavelet_scale(s, x)));
    PetscCall(HgProblemRegularise(
        *problem, &(HgRegularisation){"wavelet", .beta = s->smooth, .mean = x, .own = true}));
  }
  return HgProblemSetUp(*problem);
}

/* Of shot or sum k its source in x, its data and its program. */
static PetscErrorCode fire(const HgCommon *c, int k, HgState x, Shots *s, HgObservations **data,
                           HgProgram *program) {
  const HgMesh mesh = HgStateMesh(x);
  if (s->encode) {
    PetscCall(load(x, (Charges){.shots = s, .to = s->count, .draw = s->draws, .k = k}));
    PetscCall(EncodingData(s, s->draws, k, data));
    return ShotsProgram(s, c, mesh, 0, program);
  }
  PetscCall(ShotsLoad(s, k, x));
  *data = s->data[k], s->data[k] = NULL;
  return ShotsProgram(s, c, mesh, k, program);
}

PetscErrorCode ShotsPose(HgRun run, const HgCommon *c, const HgInverse *inverse, HgOperator m_of_c,
                         HgState x, Shots *s) {
  const int first = HgExperimentsGroup(s->all)->number, groups = HgExperimentsGroup(s->all)->count;
  ProgressBegin(s->encode ? "sums" : "shots", experiments(s), groups, inverse->iterations + 2,
                &s->progress);
  for (int k = first; k < experiments(s); k += groups) {
    HgObservations *data;
    HgProgram program;
    PetscCall(fire(c, k, x, s, &data, &program));
    PetscCall(pose(run, c, inverse, s, program, m_of_c, x, &data, &s->problem[k]));
    PetscCall(ProgressWatch(HgProblemGet(s->problem[k]).trajectory, &s->progress));
  }
  s->draws++;
  s->sum = s->problem[first];
  return HgProblemSum(s->sum, s->all, experiments(s), s->problem);
}

PetscErrorCode ShotsClear(Shots *s) {
  for (int k = 0; k < experiments(s); k++) PetscCall(HgProblemDestroy(&s->problem[k]));
  s->sum = NULL;
  return 0;
}

PetscErrorCode ShotsDestroy(Shots *s) {
  for (int w = 0; w < s->survey.wavelets; w++) {
    PetscCall(PetscFree(s->sample[w]));
    if (w) PetscCall(HgProgramDestroy(&s->program[w])); /* the first one is the model's */
  }
  for (int e = 0; e < s->count; e++) {
    PetscCall(HgObservationsDestroy(&s->data[e]));
    PetscCall(HgObservationsDestroy(&s->record[e]));
  }
  PetscCall(PetscFree(s->record));
  PetscCall(PetscFree(s->guess));
  PetscCall(PetscFree2(s->sample, s->program));
  PetscCall(PetscFree2(s->data, s->problem));
  return SurveyDestroy(&s->survey);
}
