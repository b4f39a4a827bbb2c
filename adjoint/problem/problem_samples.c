/* SPDX-License-Identifier: BSD-2-Clause */
/* -samples: controls drawn before and after the data, each run through the model, so that what
   sensors predict has a band, whether the model is linear or not; see problem.h. */
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
  int readings;            /* of all observations together */
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

/* A state of the controls on both sides (`drawn`), and `count` rows of each observation. */
static PetscErrorCode create_state(HgProblem p, bool drawn, int count, const char *const what[],
                                   HgState *state) {
  const int controls = drawn ? SIDES * HgStateCount(p->m) : 0, all = controls + count * p->observed;
  HgVariable *v;
  char(*name)[64];
  PetscCall(PetscMalloc2(all, &v, all, &name));
  for (int k = 0; k < controls; k++) {
    v[k] = *HgStateVariable(p->m, k / SIDES);
    snprintf(name[k], sizeof name[k], "%s_%s", v[k].name, k % SIDES ? "posterior" : "prior");
    v[k].name = name[k];
  }
  for (int k = controls; k < all; k++) {
    const HgObservations *const o = p->observations[(k - controls) / count];
    name_row(p, (k - controls) / count, what[(k - controls) % count], name[k]);
    v[k] = (HgVariable){name[k], unit_of(o, (k - controls) % count), HG_REPLICATED, readings_of(o),
                        false};
  }
  const PetscErrorCode ierr = all ? HgStateCreate(HgProgramMesh(p->program), all, v, state) : 0;
  for (int k = 0; k < controls && !ierr; k++)
    HgStateSetLocation(*state, k, HgStateLocation(p->m, k / SIDES));
  PetscCall(PetscFree2(v, name));
  return ierr;
}

/* value[] = what all sensors read in a run of the model with the controls m. */
static PetscErrorCode run(Samples *s, HgState m, double value[]) {
  double unused;
  PetscCall(HgOperatorApply(s->p->map, m, s->x));
  PetscCall(HgTrajectoryValue(s->p->trajectory, s->x, &unused));
  for (int k = 0; k < s->p->observed; k++) {
    PetscCall(HgObjectivePredicted(s->p->objective, k, value));
    value += readings_of(s->p->observations[k]);
  }
  return 0;
}

/* Sample number n of a side: within the bounds, through the model, and into what is written. */
static PetscErrorCode take(Samples *s, int n, int side, Vec z) {
  const HgControlRange *const range = HgInversionRanges(s->p->inversion);
  const int controls = HgStateCount(s->p->m);
  const HgState m = s->drawn[side];
  double *value = s->all[side] + (size_t)n * (size_t)s->readings;
  PetscCall(HgControlsToVec(m, range, 1, z));
  PetscCall(HgControlsFromVec(z, range, true, m));
  PetscCall(run(s, m, value));
  for (int k = 0; k < controls; k++)
    PetscCall(HgStateCopyVariable(m, k, s->written, SIDES * k + side));
  for (int k = 0; k < s->p->observed; k++) {
    const int size = readings_of(s->p->observations[k]);
    PetscCall(PetscArraycpy(HgStateArray(s->written, SIDES * (controls + k) + side), value, size));
    value += size;
  }
  return 0;
}

static PetscErrorCode draw_all(Samples *s, HgPosterior posterior) {
  Vec z;
  PetscErrorCode ierr = 0;
  PetscCall(HgExactVecCreate(HgProblemComm(s->p), HgControlsSize(s->p->m), &z));
  for (int n = 0; n < s->p->samples && !ierr; n++) {
    ierr = HgPosteriorSample(posterior, (uint64_t)n + 1, s->drawn[BEFORE], s->drawn[AFTER]);
    for (int side = 0; side < SIDES && !ierr; side++) ierr = take(s, n, side, z);
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
  const int n = s->p->samples;
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
  PetscCall(create_state(s->p, false, ROWS, row_names, &s->p->predicted));
  PetscCall(PetscMalloc1(s->readings, &found));
  PetscErrorCode ierr = run(s, s->p->m, found); /* what is left of the last run is that of m */
  for (int k = 0; k < s->p->observed && !ierr; k++) {
    ierr = fill_rows(s, k, first, found);
    first += readings_of(s->p->observations[k]);
  }
  PetscCall(PetscFree(found));
  return ierr;
}

static PetscErrorCode create(HgProblem p, Samples *s) {
  static const char *const what[SIDES] = {"predicted_prior", "predicted"};
  char name[HG_PATH_SIZE];
  for (int k = 0; k < p->observed; k++) s->readings += readings_of(p->observations[k]);
  PetscCall(HgStateDuplicate(p->x, &s->x));
  for (int side = 0; side < SIDES; side++) {
    PetscCall(HgStateDuplicate(p->m, &s->drawn[side]));
    PetscCall(PetscMalloc1((size_t)p->samples * (size_t)s->readings, &s->all[side]));
  }
  PetscCall(create_state(p, true, SIDES, what, &s->written));
  PetscCall(HgProblemNextCreate(p, &s->next));
  snprintf(name, sizeof name, "%s_samples", p->run->name);
  PetscCall(
      HgResultsCreate(HgProgramMesh(p->program), p->common.output, name, "samples", &s->results));
  HgResultsCount(s->results, "sample");
  return 0;
}

PetscErrorCode HgProblemSamples(HgProblem p, HgPosterior posterior) {
  Samples s = {.p = p};
  if (!p->samples) return 0;
  PetscErrorCode ierr = create(p, &s);
  if (!ierr) ierr = draw_all(&s, posterior);
  if (ierr) PetscCall(HgResultsDestroy(&s.results));
  else ierr = HgResultsClose(&s.results);
  if (!ierr) ierr = keep_bands(&s);
  if (!ierr && s.next) ierr = HgProblemNextChoose(s.next);
  PetscCall(HgProblemNextDestroy(&s.next));
  for (int side = 0; side < SIDES; side++) PetscCall(PetscFree(s.all[side]));
  PetscCall(HgStatesDestroy(&s.x, &s.drawn[BEFORE], &s.drawn[AFTER], &s.written));
  return ierr;
}
