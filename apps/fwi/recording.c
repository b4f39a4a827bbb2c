/* SPDX-License-Identifier: BSD-2-Clause */
/* What receivers hear of a shot: recorded once, in the file that somebody gave or by the twin, and
   filtered for each stage as its wavelet is; of Ricker's, which stages have each their own, the
   twin of the stage. */
#include "encoding.h"
#include <math.h>
#include <string.h>

enum { RECORD = -1 }; /* the stage in which a wavelet is as it stands in its file */

static const double sampling = 0.005; /* of receivers [s], at least */

static bool of_file(const Shots *s, int e) {
  return s->survey.wavelet[s->survey.shot[e].wavelet].samples;
}

/* Of sums every group needs what all shots give. */
static bool needed(const Shots *s, int e) {
  return s->encode || e % HgExperimentsGroup(s->all)->count == HgExperimentsGroup(s->all)->number;
}

/* ---- the twin ---- */

/* The receivers of a shot, which have heard nothing yet. */
static PetscErrorCode place_receivers(const Shots *s, const HgCommon *c, int e,
                                      HgObservations **data) {
  const SurveySpread *const spread = &s->survey.spread[s->survey.shot[e].spread];
  const double end = (double)c->steps * c->dt;
  const int times = (int)fmax(1, floor(end / sampling));
  PetscCall(HgObservationsCreate(HgExperimentsGroup(s->all)->comm, "p", "Pa", times, spread->count,
                                 data));
  HgObservations *const o = *data;
  o->levels = c->nz > 0;
  for (int k = 0; k < spread->count; k++) {
    const SurveyPlace *const p = &spread->place[k];
    o->x[k] = p->x, o->y[k] = c->nz ? p->y : -p->depth, o->z[k] = c->nz ? -p->depth : 0;
  }
  for (int n = 0; n < times; n++) o->time[n] = end * (n + 1) / times;
  return 0;
}

/* The root mean square of what receivers hear. */
static double loudness(const HgObservations *o) {
  const int count = o->times * o->sensors;
  double sum = 0;
  for (int k = 0; k < count; k++) sum += o->value[k] * o->value[k];
  return sqrt(sum / count);
}

static void add_noise(const Shots *s, int stage, int e, HgObservations *o) {
  HgObservationsAddNoise(o, s->noise * loudness(o),
                         ((uint64_t)s->seed * SHOTS_STAGES + (uint64_t)stage) * SURVEY_MOST +
                             (uint64_t)e);
}

static PetscErrorCode listen_own(Shots *s, const HgCommon *c, int stage, HgState truth,
                                 HgObservations *data[]) {
  for (int e = HgExperimentsGroup(s->all)->number; e < s->count;
       e += HgExperimentsGroup(s->all)->count) {
    if (of_file(s, e) != (stage == RECORD)) continue;
    HgProgram program;
    PetscCall(ShotsProgram(s, c, HgStateMesh(truth), e, &program));
    PetscCall(ShotsLoad(s, e, truth));
    PetscCall(HgTwinObserve(program, c->steps, truth, data[e]));
    HgRequire(
        HgExperimentsGroup(s->all)->comm, loudness(data[e]) > 0, HG_ERR_DATA,
        "fwi: the receivers of shot %d hear nothing for %g s, expected a wavelet that is not 0 "
        "by then, and receivers that it reaches",
        e + 1, (double)c->steps * c->dt);
  }
  return 0;
}

/* data[] of the shots of which the stage is: with noise, on all groups that need them. */
static PetscErrorCode listen(const HgCommon *c, int stage, HgState truth, Shots *s,
                             HgObservations *data[]) {
  for (int e = 0; e < s->count; e++)
    if (of_file(s, e) == (stage == RECORD) && needed(s, e))
      PetscCall(place_receivers(s, c, e, &data[e]));
  PetscCall(HgExperimentsTell(s->all, listen_own(s, c, stage, truth, data)));
  for (int e = 0; e < s->count; e++) {
    HgObservations *const o = of_file(s, e) == (stage == RECORD) ? data[e] : NULL;
    if (o && s->encode)
      PetscCallMPI(MPI_Bcast(o->value, o->times * o->sensors, MPI_DOUBLE,
                             e % HgExperimentsGroup(s->all)->count,
                             HgExperimentsGroup(s->all)->across));
    if (o) add_noise(s, stage == RECORD ? 0 : stage, e, o);
  }
  return 0;
}

/* ---- recorded ---- */

/* Between two readings [s]. */
static double interval(const HgObservations *o) {
  return (o->time[o->times - 1] - o->time[0]) / (o->times - 1);
}

static PetscErrorCode check(const Shots *s, HgMesh mesh, int e, const HgObservations *o) {
  const MPI_Comm comm = HgExperimentsGroup(s->all)->comm;
  const char *const file = o->label[0];
  int most = 0, uneven = 0;
  HgRequire(comm, !strcmp(o->name, "p") && !strcmp(o->unit, "Pa") && o->times > 1, HG_ERR_DATA,
            "shot %d%s: %d readings of '%s' [%s], expected at least 2 of the pressure 'p' [Pa]", e,
            file, o->times, o->name, o->unit);
  PetscCall(HgObservationsInside(o, mesh));
  const double h = interval(o);
  for (int k = 0; k < s->stages; k++) most = PetscMax(most, s->frequency[k]);
  HgRequire(comm, h <= WaveletWidth(most), HG_ERR_DATA,
            "shot %d%s: readings are %g s apart, expected at most %g s for %d Hz", e, file, h,
            WaveletWidth(most), most);
  while (uneven < o->times && fabs(o->time[uneven] - o->time[0] - uneven * h) < 1e-3 * h) uneven++;
  HgRequire(comm, uneven == o->times, HG_ERR_DATA,
            "shot %d%s: time[%d] is %g s, expected times that are all %g s apart", e, file, uneven,
            o->time[uneven], h);
  return 0;
}

static bool alike(const HgObservations *a, const HgObservations *b) {
  const size_t times = (size_t)a->times * sizeof *a->time,
               places = (size_t)a->sensors * sizeof *a->x;
  return a->times == b->times && a->sensors == b->sensors && !memcmp(a->time, b->time, times) &&
         !memcmp(a->x, b->x, places) && !memcmp(a->y, b->y, places) && !memcmp(a->z, b->z, places);
}

static PetscErrorCode read_own(const HgCommon *c, HgMesh mesh, Shots *s) {
  char path[HG_PATH_SIZE + 16];
  for (int e = 0; e < s->count; e++) {
    if (!needed(s, e)) continue;
    PetscCall(HgExperimentsFile("-observations", c->observations, e, sizeof path, path));
    PetscCall(HgObservationsRead(HgExperimentsGroup(s->all)->comm, path, &s->record[e]));
    PetscCall(check(s, mesh, e, s->record[e]));
    HgRequire(HgExperimentsGroup(s->all)->comm, !s->encode || alike(s->record[e], s->record[0]),
              HG_ERR_OPTION_CONFLICT,
              "option -encode: shot %d%s has other times or receivers than shot 0, expected shots "
              "that share both; leave out -encode",
              e, s->record[e]->label[0]);
  }
  return 0;
}

static PetscErrorCode write_own(Shots *s) {
  const int groups = HgExperimentsGroup(s->all)->count;
  char path[HG_PATH_SIZE + 16];
  for (int e = HgExperimentsGroup(s->all)->number; e < s->count; e += groups) {
    PetscCall(HgExperimentsFile("-save_observations", s->save, e, sizeof path, path));
    PetscCall(HgObservationsWrite(HgExperimentsGroup(s->all)->comm, path, s->record[e], NULL));
  }
  return 0;
}

PetscErrorCode ShotsRecord(const HgCommon *c, HgMesh mesh, HgState truth, Shots *s) {
  if (!truth) return HgExperimentsTell(s->all, read_own(c, mesh, s));
  PetscCall(ShotsWavelets(s, RECORD, c));
  PetscCall(listen(c, RECORD, truth, s, s->record));
  return *s->save ? HgExperimentsTell(s->all, write_own(s)) : 0;
}

/* ---- filtered ---- */

/* Which readings a stage takes: from, from + stride, ... of `count`. */
typedef struct {
  int from, stride, count, reach;
} Taken;

/* Those whose filter ends within the recording, and that come late by its reach within the run. */
static Taken taken_of(const HgObservations *d, double delay, double end) {
  const double h = interval(d), first = d->time[0] + delay;
  Taken t = {.stride = (int)fmax(1, floor(sampling / h)), .reach = (int)ceil(delay / h)};
  t.from = (int)fmax(0, floor(-first / h) + 1);
  const double to = fmin(d->times - 1 - t.reach, floor((end - first) / h));
  t.count = to < t.from ? 0 : ((int)to - t.from) / t.stride + 1;
  return t;
}

/* value_m = sum_n g_mn d_n, sigma_m^2 = sum_n (g_mn sigma_n)^2, as noise is another one at each
   time, with g_mn = h / (sqrt(2 pi) width) exp(-((t_m - t_n) / width)^2 / 2). */
static void filter(const HgObservations *d, Taken t, double width, HgObservations *o) {
  const double h = interval(d), scale = h / (sqrt(2 * PETSC_PI) * width);
  const int sensors = d->sensors;
  for (int i = 0; i < o->times; i++) {
    const int m = t.from + i * t.stride;
    double *const value = o->value + (size_t)i * (size_t)sensors, *const sigma =
                                                                      o->sigma +
                                                                      (size_t)i * (size_t)sensors;
    o->time[i] = d->time[m] + WAVELET_REACH * width;
    for (int k = 0; k < sensors; k++) value[k] = sigma[k] = 0;
    for (int n = PetscMax(0, m - t.reach); n <= m + t.reach; n++) {
      const double g = scale * exp(-0.5 * pow((m - n) * h / width, 2));
      const size_t row = (size_t)n * (size_t)sensors;
      for (int k = 0; k < sensors; k++) {
        value[k] += g * d->value[row + (size_t)k];
        sigma[k] += pow(g * d->sigma[row + (size_t)k], 2);
      }
    }
    for (int k = 0; k < sensors; k++) sigma[k] = sqrt(sigma[k]);
  }
}

static PetscErrorCode filter_shot(const Shots *s, const HgCommon *c, int stage, int e) {
  const HgObservations *const d = s->record[e];
  const double width = WaveletWidth(s->frequency[stage]), delay = WAVELET_REACH * width,
               end = (double)c->steps * c->dt;
  const Taken t = taken_of(d, delay, end);
  HgRequire(HgExperimentsGroup(s->all)->comm, t.count > 0, HG_ERR_DATA,
            "shot %d%s: recorded from %g to %g s, expected more than %g s within the run of %g s, "
            "the reach of the filter for %d Hz",
            e, d->label[0], d->time[0], d->time[d->times - 1], delay, end, s->frequency[stage]);
  const size_t places = (size_t)d->sensors * sizeof *d->x;
  PetscCall(HgObservationsCreate(HgExperimentsGroup(s->all)->comm, d->name, d->unit, t.count,
                                 d->sensors, &s->data[e]));
  HgObservations *const o = s->data[e];
  o->levels = d->levels;
  memcpy(o->x, d->x, places), memcpy(o->y, d->y, places), memcpy(o->z, d->z, places);
  memcpy(o->label, d->label, (size_t)d->sensors * sizeof *d->label);
  filter(d, t, width, o);
  return 0;
}

static PetscErrorCode filter_all(const Shots *s, const HgCommon *c, int stage) {
  for (int e = 0; e < s->count; e++)
    if (s->record[e]) PetscCall(filter_shot(s, c, stage, e));
  return 0;
}

PetscErrorCode ShotsListen(const HgCommon *c, int stage, HgState truth, Shots *s) {
  for (int e = 0; e < s->count; e++) PetscCall(HgObservationsDestroy(&s->data[e]));
  if (truth) PetscCall(listen(c, stage, truth, s, s->data));
  return HgExperimentsTell(s->all, filter_all(s, c, stage));
}
