/* SPDX-License-Identifier: BSD-2-Clause */
/* -samples: controls drawn before and after the data, and what is made of them. Unless the problem
   is a sum, each is run through the model, so that what sensors predict has a band, whether the
   model is linear or not; see problem.h. */
#include "problem_private.h"
#include <halograd/inversion_library.h>
#include <halograd/observations_library.h>
#include <halograd/results_library.h>
#include <halograd/state_library.h>
#include <math.h>

enum { BEFORE, AFTER, SIDES };

/* Of each reading. */
enum {
  OBSERVED,
  PREDICTED,
  DEVIATION,
  LOW = DEVIATION + SIDES,
  HIGH = LOW + SIDES,
  PLACE = HIGH + SIDES, /* x, y, z */
  TIME = PLACE + 3,
  ROWS
};

static const char *const row_names[ROWS] = {"observed",
                                            "predicted",
                                            "predicted_deviation_prior",
                                            "predicted_deviation",
                                            "predicted_5_prior",
                                            "predicted_5",
                                            "predicted_95_prior",
                                            "predicted_95",
                                            "sensor_x",
                                            "sensor_y",
                                            "sensor_z",
                                            "sensor_time"};

typedef struct {
  HgProblem p;
  int observed, readings;  /* observations, 0 for a sum; readings of all of them */
  int *made, makes;        /* variables of x that are sought, unless a control has their name */
  HgState x, drawn[SIDES]; /* an input of the model; samples */
  HgState written;         /* a sample of both sides, and what it predicts */
  double *all[SIDES];      /* [samples][readings] */
  HgResults results;
  HgNext next; /* what candidates read; NULL: none */
} Samples;

/* Two observations of one variable have names of their own. */
static void name_row(HgProblem p, int k, const char what[], char name[64]) {
  int same = 1;
  for (int l = 0; l < k; l++) same += !strcmp(p->observations[l]->name, p->observations[k]->name);
  const int used = snprintf(name, 64, "%s_%s", p->observations[k]->name, what);
  if (same > 1) snprintf(name + used, (size_t)(64 - used), "_%d", same);
}

static int readings_of(const HgObservations *o) { return o->times * o->sensors; }

static const char *unit_of(const HgObservations *o, int row) {
  if (row < PLACE) return o->unit;
  return row == TIME ? "s" : row == PLACE + 2 ? "m" : HgObservationsPlaceUnit(o);
}

static PetscErrorCode find_made(Samples *s) {
  const HgProblem p = s->p;
  PetscCall(PetscMalloc1(p->sought, &s->made));
  for (int k = 0; k < p->sought; k++)
    if (HgStateFind(p->m, p->variable[k].name) < 0)
      PetscCall(HgStateIndex(p->x, p->variable[k].name, &s->made[s->makes++]));
  return 0;
}

/* Sampled variable k, of a state like m or of one like x: *from, *index there. */
static void find_sampled(const Samples *s, int k, HgState m, HgState x, HgState *from, int *index) {
  const int controls = HgStateCount(m);
  *from = k < controls ? m : x, *index = k < controls ? k : s->made[k - controls];
}

/* A state of `sampled` variables on both sides, and `count` rows of each observation. */
static PetscErrorCode create_state(const Samples *s, int sampled, int count,
                                   const char *const what[], HgState *state) {
  const HgProblem p = s->p;
  const int first = SIDES * sampled, all = first + count * s->observed;
  HgState from;
  HgVariable *v;
  HgLocation *location;
  char(*name)[64];
  int index;
  PetscCall(PetscMalloc3(all, &v, all, &name, first, &location));
  for (int k = 0; k < first; k++) {
    find_sampled(s, k / SIDES, p->m, p->x, &from, &index);
    v[k] = *HgStateVariable(from, index), location[k] = HgStateLocation(from, index);
    snprintf(name[k], sizeof name[k], "%s_%s", v[k].name, k % SIDES ? "posterior" : "prior");
    v[k].name = name[k];
  }
  for (int k = first; k < all; k++) {
    const HgObservations *const o = p->observations[(k - first) / count];
    name_row(p, (k - first) / count, what[(k - first) % count], name[k]);
    v[k] = (HgVariable){name[k], unit_of(o, (k - first) % count), HG_REPLICATED, readings_of(o),
                        false};
  }
  const PetscErrorCode ierr = all ? HgStateCreate(HgProgramMesh(p->program), all, v, state) : 0;
  for (int k = 0; k < first && !ierr; k++) HgStateSetLocation(*state, k, location[k]);
  PetscCall(PetscFree3(v, name, location));
  return ierr;
}

/* s->x = x(m), and value[] = what all sensors read in a run from there; nothing runs for a sum. */
static PetscErrorCode run_model(Samples *s, HgState m, double value[]) {
  double unused;
  PetscCall(HgOperatorApply(s->p->map, m, s->x));
  if (s->observed) PetscCall(HgTrajectoryValue(s->p->trajectory, s->x, &unused));
  for (int k = 0; k < s->observed; k++) {
    PetscCall(HgObjectivePredicted(s->p->objective, k, value));
    value += readings_of(s->p->observations[k]);
  }
  return 0;
}

/* Sample number n of a side: within the bounds, through the model, and into what is written. */
static PetscErrorCode draw_sample(Samples *s, int n, int side, Vec z) {
  const HgControlRange *const range = HgInversionRanges(s->p->inversion);
  const int sampled = HgStateCount(s->p->m) + s->makes;
  const HgState m = s->drawn[side];
  double *value = s->all[side] + (size_t)n * (size_t)s->readings;
  HgState from;
  int index;
  PetscCall(HgControlsToVec(m, range, 1, z));
  PetscCall(HgControlsFromVec(z, range, true, m));
  PetscCall(run_model(s, m, value));
  for (int k = 0; k < sampled; k++) {
    find_sampled(s, k, m, s->x, &from, &index);
    PetscCall(HgStateCopyVariable(from, index, s->written, SIDES * k + side));
  }
  for (int k = 0; k < s->observed; k++) {
    const int size = readings_of(s->p->observations[k]);
    PetscCall(PetscArraycpy(HgStateArray(s->written, SIDES * (sampled + k) + side), value, size));
    value += size;
  }
  return 0;
}

static PetscErrorCode draw_all(Samples *s, HgPosterior posterior) {
  Vec z;
  PetscErrorCode ierr = 0;
  PetscCall(HgExactVecCreate(HgProblemComm(s->p), HgControlsSize(s->p->m), &z));
  for (int n = 0; n < s->p->asked.samples && !ierr; n++) {
    ierr = HgPosteriorSample(posterior, (uint64_t)n + 1, s->drawn[BEFORE], s->drawn[AFTER]);
    for (int side = 0; side < SIDES && !ierr; side++) ierr = draw_sample(s, n, side, z);
    if (!ierr && s->next) ierr = HgProblemNextAdd(s->next, s->drawn[AFTER], s->x);
    if (!ierr) ierr = HgResultsWrite(s->results, n + 1, s->written, NULL);
  }
  PetscCall(VecDestroy(&z));
  return ierr;
}

/* ---- the band of each reading ---- */

/* Between the two samples that are next to it, of n sorted ones. */
static double quantile(const double sorted[], int n, double share) {
  const double at = share * (n - 1);
  const int k = PetscMin((int)at, n - 2);
  return sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]);
}

static double deviation_of(const double value[], int n) {
  double mean = 0, square = 0;
  for (int k = 0; k < n; k++) mean += value[k] / n;
  for (int k = 0; k < n; k++) square += (value[k] - mean) * (value[k] - mean);
  return sqrt(square / (n - 1));
}

/* The rows of observation k, whose first reading is number `first`. */
static PetscErrorCode fill_rows(Samples *s, int k, int first, const double found[]) {
  const HgObservations *const o = s->p->observations[k];
  const int n = s->p->asked.samples;
  double *row[ROWS], *one, rms[SIDES] = {0};
  for (int r = 0; r < ROWS; r++) row[r] = HgStateArray(s->p->predicted, ROWS * k + r);
  PetscCall(PetscMalloc1(n, &one));
  for (int i = 0; i < readings_of(o); i++) {
    row[OBSERVED][i] = isinf(o->sigma[i]) ? NAN : o->value[i];
    row[PREDICTED][i] = found[first + i];
    const double *const place[] = {o->x, o->y, o->z};
    for (int axis = 0; axis < 3; axis++) row[PLACE + axis][i] = place[axis][i % o->sensors];
    row[TIME][i] = o->time[i / o->sensors];
    for (int side = 0; side < SIDES; side++) {
      for (int l = 0; l < n; l++)
        one[l] = s->all[side][(size_t)l * (size_t)s->readings + (size_t)(first + i)];
      row[DEVIATION + side][i] = deviation_of(one, n);
      rms[side] += row[DEVIATION + side][i] * row[DEVIATION + side][i] / readings_of(o);
      PetscCall(PetscSortReal(n, one));
      row[LOW + side][i] = quantile(one, n, 0.05), row[HIGH + side][i] = quantile(one, n, 0.95);
    }
  }
  PetscCall(PetscFree(one));
  return PetscPrintf(HgProblemComm(s->p),
                     "standard deviation of '%s' at its sensors %.4g -> %.4g (prior -> posterior, "
                     "%d samples: +- %.2g %%)\n",
                     o->name, sqrt(rms[BEFORE]), sqrt(rms[AFTER]), n, 100 / sqrt(2.0 * (n - 1)));
}

static PetscErrorCode keep_bands(Samples *s) {
  double *found;
  int first = 0;
  PetscCall(create_state(s, 0, ROWS, row_names, &s->p->predicted));
  PetscCall(PetscMalloc1(s->readings, &found));
  PetscErrorCode ierr =
      run_model(s, s->p->m, found); /* what is left of the last run is that of m */
  for (int k = 0; k < s->observed && !ierr; k++) {
    ierr = fill_rows(s, k, first, found);
    first += readings_of(s->p->observations[k]);
  }
  PetscCall(PetscFree(found));
  return ierr;
}

static PetscErrorCode create(HgProblem p, Samples *s) {
  static const char *const what[SIDES] = {"predicted_prior", "predicted"};
  char name[HG_PATH_SIZE];
  s->observed = p->all ? 0 : p->observed;
  for (int k = 0; k < s->observed; k++) s->readings += readings_of(p->observations[k]);
  PetscCall(find_made(s));
  PetscCall(HgStateDuplicate(p->x, &s->x));
  for (int side = 0; side < SIDES; side++) {
    PetscCall(HgStateDuplicate(p->m, &s->drawn[side]));
    PetscCall(PetscMalloc1((size_t)p->asked.samples * (size_t)s->readings, &s->all[side]));
  }
  PetscCall(create_state(s, HgStateCount(p->m) + s->makes, SIDES, what, &s->written));
  PetscCall(HgProblemNextCreate(p, &s->next));
  snprintf(name, sizeof name, "%s_samples", p->run->name);
  PetscCall(
      HgResultsCreate(HgProgramMesh(p->program), p->common.output, name, "samples", &s->results));
  HgResultsCount(s->results, "sample");
  return 0;
}

static PetscErrorCode draw(Samples *s, HgPosterior posterior) {
  PetscErrorCode ierr = create(s->p, s);
  if (!ierr) ierr = draw_all(s, posterior);
  if (ierr) PetscCall(HgResultsDestroy(&s->results));
  else ierr = HgResultsClose(&s->results);
  return ierr;
}

PetscErrorCode HgProblemSamples(HgProblem p, HgPosterior posterior) {
  Samples s = {.p = p};
  if (!p->asked.samples) return 0;
  const bool mine = !p->all || !HgExperimentsGroup(p->all)->number; /* all groups have the same m */
  PetscErrorCode ierr = mine ? draw(&s, posterior) : 0;
  if (p->all) PetscCall(HgExperimentsTell(p->all, ierr));
  if (!ierr && s.observed) ierr = keep_bands(&s);
  if (!ierr && s.next) ierr = HgProblemNextChoose(s.next);
  PetscCall(HgProblemNextDestroy(&s.next));
  PetscCall(PetscFree(s.made));
  for (int side = 0; side < SIDES; side++) PetscCall(PetscFree(s.all[side]));
  PetscCall(HgStatesDestroy(&s.x, &s.drawn[BEFORE], &s.drawn[AFTER], &s.written));
  return ierr;
}
