/* SPDX-License-Identifier: BSD-2-Clause */
/* Misfit of sensors: u(x_k, t_m) by bilinear interpolation in space between the places where u
   lives, linear in time; what readings count: readings_private.h. */
#include "readings_private.h"
#include <halograd/error_library.h>
#include <halograd/mesh_library.h>
#include <halograd/objective_library.h>
#include <halograd/observations_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* One sensor as seen from this patch: cells (i, j) .. (i+1, j+1), patch-local; at least one of them
   is owned. */
typedef struct {
  int sensor, i, j;
  HgSpot spot; /* for its weights */
  bool counts; /* exactly one rank and place counts a sensor in J */
} Place;

typedef struct {
  MPI_Comm comm;
  char name[32];
  HgObjective objective;             /* it belongs to */
  int index, times, sensors, places; /* index: of the observed variable in q */
  int levels, round; /* round: as many, if above the topmost is the lowest; else 0 */
  ptrdiff_t pitch;   /* from a level to the next; 0: there are none */
  Place *place;
  long *step;    /* [times] t_m lies in [step, step + 1) dt */
  double *later; /* [times] weight of the later of the two */
  HgReadings readings;
  uint64_t digest; /* of the observations */
  bool disturbed;  /* also where there are no places */
} Sensors;

static PetscErrorCode sensors_start(void *self, int directions) {
  return HgReadingsStart(&((Sensors *)self)->readings, directions);
}

static double interpolate_level(const Place *at, HgReal *const *u, ptrdiff_t level) {
  const HgReal *south = &u[at->j][level + at->i], *north = &u[at->j + 1][level + at->i];
  return HgSpotValue(&at->spot, (double[2][2]){{south[0], south[1]}, {north[0], north[1]}});
}

static double interpolate(const Sensors *s, const Place *at, HgReal *const *u) {
  if (!s->pitch) return interpolate_level(at, u, 0);
  const double below = interpolate_level(at, u, at->spot.level * s->pitch),
               above = interpolate_level(at, u, (at->spot.level + 1) * s->pitch);
  return (1 - at->spot.up) * below + at->spot.up * above;
}

/* Measurements to which step n contributes: those in [n - 1, n) as the later state, those in [n, n
   + 1) as the earlier. */
static int first_from(const Sensors *s, long n) {
  int low = 0, high = s->times; /* the first m with step[m] >= n is in [low, high] */
  while (low < high) {
    const int m = low + (high - low) / 2;
    if (s->step[m] < n) low = m + 1;
    else high = m;
  }
  return low;
}

/* What was measured at step n - 1 itself does not look at step n. */
static int first_of(const Sensors *s, long n) {
  int m = first_from(s, n - 1);
  while (m < s->times && s->step[m] == n - 1 && s->later[m] == 0) m++;
  return m;
}

static int end_of(const Sensors *s, long n) { return first_from(s, n + 1); }

static double time_weight(const Sensors *s, int m, long n) {
  return s->step[m] == n ? 1 - s->later[m] : s->later[m];
}

static long sensors_next(const void *self, long n) {
  const Sensors *s = self;
  const int m = first_of(s, n);
  return m == s->times ? HG_NO_STEP : PetscMax(n, s->step[m]);
}

/* seen[] += what the sensors see of u at step n */
static void observe_field(const Sensors *s, long n, HgReal *const *u, double seen[]) {
  const int m0 = first_of(s, n), m1 = end_of(s, n);
  for (int k = 0; k < s->places; k++) {
    const double now = interpolate(s, &s->place[k], u);
    for (int m = m0; m < m1; m++) seen[k * s->times + m] += time_weight(s, m, n) * now;
  }
}

static PetscErrorCode sensors_observe(void *self, long n, const HgMisfitSight *sight) {
  Sensors *s = self;
  const HgState q = sight->q, dq = sight->dq;
  if (sensors_next(s, n) != n) return 0;
  PetscCall(HgProgramFillGhosts(sight->program, HG_PRIMAL, q, s->index, 1));
  s->readings.known = false;
  observe_field(s, n, HgStateRows(q, s->index), s->readings.u);
  for (int v = 0; dq && v < sight->directions; v++) {
    const int dot = HgMisfitDot(sight, s->index, v);
    PetscCall(HgProgramFillGhosts(sight->program, dq == q ? HG_PRIMAL : HG_TANGENT, dq, dot, 1));
    observe_field(s, n, HgStateRows(dq, dot), s->readings.du + (ptrdiff_t)v * s->places * s->times);
  }
  return 0;
}

static PetscErrorCode sensors_value(void *self, HgSum *squares, HgSum products[]) {
  Sensors *s = self;
  for (int p = 0; p < s->places; p++)
    if (s->place[p].counts) HgReadingsValue(&s->readings, p, squares, products);
  return 0;
}

/* Cells of this patch, and ghosts outside its walls: they were filled from its own cells. */
static bool mine(const HgPatch *p, int i, int j) {
  const bool x = (i >= 0 || p->wall_west) && (i < p->nx || p->wall_east),
             y = (j >= 0 || p->wall_south) && (j < p->ny || p->wall_north);
  return x && y;
}

static void add_level(const Place *at, const HgPatch *patch, double J_bar, double contribution,
                      ptrdiff_t level, HgReal *const *u_bar) {
  for (int b = 0; b < 2; b++)
    for (int a = 0; a < 2; a++)
      if (mine(patch, at->i + a, at->j + b))
        u_bar[at->j + b][level + at->i + a] += J_bar * (at->spot.weight[b][a] * contribution);
}

static void add_corners(const Sensors *s, const Place *at, const HgPatch *patch, double J_bar,
                        double contribution, HgReal *const *u_bar) {
  if (!s->pitch) {
    add_level(at, patch, J_bar, contribution, 0, u_bar);
    return;
  }
  const int above = at->spot.level + 1 == s->round ? 0 : at->spot.level + 1;
  add_level(at, patch, J_bar, (1 - at->spot.up) * contribution, at->spot.level * s->pitch, u_bar);
  add_level(at, patch, J_bar, at->spot.up * contribution, above * s->pitch, u_bar);
}

/* u_bar += J_bar H_n^T w / sigma; w is dJ/da or, v >= 0, its change in direction v */
static void add_transposed(Sensors *s, long n, int v, double J_bar, const HgPatch *patch,
                           HgReal *const *u_bar) {
  const bool gauss_newton = HgObjectiveIsGaussNewton(s->objective);
  const int m0 = first_of(s, n), m1 = end_of(s, n);
  for (int p = 0; p < s->places && m0 < m1; p++) {
    const Place *at = &s->place[p];
    double contribution = 0;
    for (int m = m0; m < m1; m++) {
      const int k = p * s->times + m;
      contribution += time_weight(s, m, n) *
                      (HgReadingsPull(&s->readings, v, gauss_newton, k) / s->readings.sigma[k]);
    }
    add_corners(s, at, patch, J_bar, contribution, u_bar);
  }
}

static PetscErrorCode sensors_gradient(void *self, long n, HgState q, double J_bar, HgState q_bar) {
  Sensors *s = self;
  add_transposed(s, n, -1, J_bar, HgMeshGetPatch(HgStateMesh(q)), HgStateRows(q_bar, s->index));
  return 0;
}

static PetscErrorCode sensors_second(void *self, long n, HgState q, int v, int shift, double J_bar,
                                     HgState q_bar) {
  Sensors *s = self;
  add_transposed(s, n, v, J_bar, HgMeshGetPatch(HgStateMesh(q)),
                 HgStateRows(q_bar, s->index + (v + 1) * shift));
  return 0;
}

static PetscErrorCode sensors_keep(void *self, double value[]) {
  Sensors *s = self;
  const int n = s->times * s->sensors;
  for (int k = 0; k < n; k++) value[k] = 0;
  for (int p = 0; p < s->places; p++)
    for (int m = 0; s->place[p].counts && m < s->times; m++)
      value[m * s->sensors + s->place[p].sensor] = s->readings.u[p * s->times + m];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, n, MPI_DOUBLE, MPI_SUM,
                             s->comm)); /* one rank's value plus zeros: exact */
  return 0;
}

static void sensors_text(const void *self, size_t size, char text[]) {
  const Sensors *s = self;
  snprintf(text, size, "%d sensors of '%s'", s->sensors, s->name);
}

/* A measurement between two steps may have seen the first of them only. */
static size_t sensors_kept(const void *self) {
  const Sensors *s = self;
  return (size_t)s->times * (size_t)s->sensors;
}

static void sensors_restore(void *self, const double value[]) {
  Sensors *s = self;
  s->readings.known = false;
  for (int p = 0; p < s->places; p++)
    for (int m = 0; m < s->times; m++)
      s->readings.u[p * s->times + m] = value[m * s->sensors + s->place[p].sensor];
}

/* A reading that has no value stays without. */
static PetscErrorCode sensors_disturb(void *self, uint64_t seed, bool yes) {
  Sensors *s = self;
  HgReadings *const r = &s->readings;
  HgRequire(s->comm, !r->shape && !r->envelope, HG_ERR_DATA,
            "objective: %s of '%s' are compared, whose data cannot be disturbed; expected "
            "readings by themselves",
            r->shape ? "shapes" : "envelopes", s->name);
  HgRequire(s->comm, isinf(r->huber) && r->student == 0, HG_ERR_DATA,
            "objective: residuals of '%s' count by huber or student, under which disturbed data do "
            "not tell the noise; expected squares",
            s->name);
  PetscCall(PetscFree(r->disturbed));
  s->disturbed = yes;
  if (!yes) return 0;
  PetscCall(PetscCalloc1(s->places * s->times, &r->disturbed));
  for (int p = 0; p < s->places; p++)
    for (int m = 0; m < s->times; m++) {
      const uint64_t reading = (uint64_t)m * (uint64_t)s->sensors + (uint64_t)s->place[p].sensor;
      if (isfinite(r->sigma[p * s->times + m]))
        r->disturbed[p * s->times + m] = HgRandom(seed, reading) < 0 ? -1 : 1;
    }
  return 0;
}

static PetscErrorCode sensors_digest(void *self, uint64_t *digest) {
  const Sensors *s = self;
  const uint64_t both[] = {*digest, s->disturbed ? ~s->digest : s->digest};
  *digest = XXH3_64bits(both, sizeof both);
  return 0;
}

static uint64_t digest_of(const HgObservations *o) {
  const size_t sensors = (size_t)o->sensors, times = (size_t)o->times;

  const struct {
    const void *bytes;
    size_t size;
  } part[] = {{o->name, strlen(o->name)},
              {o->x, sensors * sizeof *o->x},
              {o->y, sensors * sizeof *o->y},
              {o->z, o->levels ? sensors * sizeof *o->z : 0},
              {o->time, times * sizeof *o->time},
              {o->value, times * sensors * sizeof *o->value},
              {o->sigma, times * sensors * sizeof *o->sigma},
              {&o->huber, o->huber > 0 ? sizeof o->huber : 0},
              {&o->correlation, o->correlation > 0 ? sizeof o->correlation : 0},
              {"shape", o->shape ? 5 : 0},
              {"envelope", o->envelope ? 8 : 0},
              {"relative", o->relative > 0 ? 8 : 0},
              {&o->relative, o->relative > 0 ? sizeof o->relative : 0},
              {"student", o->student > 0 ? 7 : 0},
              {&o->student, o->student > 0 ? sizeof o->student : 0}};

  uint64_t digest = 0;
  for (size_t k = 0; k < sizeof part / sizeof *part; k++)
    if (part[k].size) digest = XXH3_64bits_withSeed(part[k].bytes, part[k].size, digest);
  return digest;
}

static PetscErrorCode sensors_destroy(void *self) {
  Sensors *s = self;
  PetscCall(PetscFree(s->place));
  PetscCall(PetscFree2(s->step, s->later));
  PetscCall(HgReadingsDestroy(&s->readings));
  return PetscFree(s);
}

/* Patch-local indices of global cell `base`, the lower of a sensor's two on an axis; several on a
   periodic axis with few patches. */
static int axis_places(int base, int n_global, int first, int n, bool periodic, int local[2]) {
  int count = 0;
  for (int wrap = periodic ? -1 : 0; wrap <= 0; wrap++) {
    const int i = base + wrap * n_global - first;
    if (i >= -1 && i < n) local[count++] = i;
  }
  return count;
}

static PetscErrorCode find_places(Sensors *s, HgMesh mesh, HgLocation location,
                                  const HgObservations *o) {
  const HgMeshSpec *spec = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  PetscCall(PetscMalloc1((size_t)o->sensors * 4, &s->place));
  for (int k = 0; k < o->sensors; k++) {
    int is[2], js[2];
    const HgSpot spot = HgSpotAt(mesh, location, o->x[k], o->y[k], o->z[k]);
    const int ni = axis_places(spot.i, spec->nx, p->i_global, p->nx, spec->periodic_x, is);
    const int nj = axis_places(spot.j, spec->ny, p->j_global, p->ny, spec->periodic_y, js);
    for (int b = 0; b < nj; b++)
      for (int a = 0; a < ni; a++) /* counted where the lower left cell is owned, or is outside this
                                      patch's wall */
        s->place[s->places++] = (Place){k, is[a], js[b], spot, mine(p, is[a], js[b])};
  }
  return 0;
}

/* Of the first sensor that has a value at time m. */
static const char *label_at(const HgObservations *o, int m) {
  for (int k = 0; k < o->sensors; k++)
    if (!isinf(o->sigma[m * o->sensors + k])) return o->label[k];
  return "";
}

/* t_m in units of dt, taken as a whole step if it is one up to rounding. */
static PetscErrorCode find_times(Sensors *s, HgProgram program, long steps,
                                 const HgObservations *o) {
  const MPI_Comm comm = s->comm;
  const double dt = HgProgramTimeStep(program);
  PetscCall(PetscMalloc2(o->times, &s->step, o->times, &s->later));
  for (int m = 0; m < o->times; m++) {
    HgRequire(comm, !m || o->time[m] > o->time[m - 1], HG_ERR_DATA,
              "objective: observation time %d is %g s after %g s, expected increasing times%s", m,
              o->time[m], o->time[m - 1], label_at(o, m));
    double n = o->time[m] / dt;
    if (fabs(n - nearbyint(n)) < 1e-6) n = nearbyint(n);
    HgRequire(comm, n >= 0 && n <= (double)steps, HG_ERR_DATA,
              "objective: observation time %d is %g s, expected 0 to %g s (%ld steps of %g s)%s", m,
              o->time[m], (double)steps * dt, steps, dt, label_at(o, m));
    s->step[m] = (long)n;
    s->later[m] = n - (double)s->step[m];
  }
  return 0;
}

/* The observed variable's index among the carried ones, its location and its levels. */
static PetscErrorCode find_variable(HgProgram program, const HgObservations *o, Sensors *s,
                                    HgLocation *location) {
  const HgMeshSpec *mesh = HgMeshGetSpec(HgProgramMesh(program));
  int *const index = &s->index;
  HgState q;
  PetscErrorCode ierr = 0;
  PetscCall(HgProgramFindCarried(program, o->name, index));
  PetscCall(HgProgramCreateCarried(program, &q));
  const char *const unit = HgStateVariable(q, *index)->unit;
  if (strcmp(unit, o->unit))
    ierr = HgError(HgMeshComm(HgProgramMesh(program)), HG_ERR_DATA,
                   "objective: observations of '%s'%s are in [%s], expected [%s]", o->name,
                   o->label[0], o->unit, unit);
  if (!ierr) *location = HgStateLocation(q, *index);
  if (mesh->nz && !HgStateVariable(q, *index)->surface)
    s->pitch = HgMeshGetPatch(HgProgramMesh(program))->pitch, s->levels = mesh->nz;
  if (mesh->periodic_z) s->round = s->levels;
  PetscCall(HgStateDestroy(&q));
  return ierr;
}

/* What this rank needs of them. */
static PetscErrorCode copy_values(Sensors *s, const HgObservations *o) {
  PetscCall(HgReadingsCreate(o, s->places, &s->readings));
  for (int p = 0; p < s->places; p++)
    for (int m = 0; m < s->times; m++) {
      const int k = m * s->sensors + s->place[p].sensor;
      s->readings.data[p * s->times + m] = o->value[k];
      s->readings.sigma[p * s->times + m] = fmax(o->sigma[k], o->relative * fabs(o->value[k]));
    }
  return 0;
}

PetscErrorCode HgObjectiveAddSensors(HgObjective objective, const HgObservations *o) {
  static const HgMisfitTable table = {.start = sensors_start,
                                      .next = sensors_next,
                                      .observe = sensors_observe,
                                      .value = sensors_value,
                                      .gradient = sensors_gradient,
                                      .second = sensors_second,
                                      .predicted = sensors_keep,
                                      .kept = sensors_kept,
                                      .keep = sensors_keep,
                                      .restore = sensors_restore,
                                      .digest = sensors_digest,
                                      .disturb = sensors_disturb,
                                      .destroy = sensors_destroy,
                                      .text = sensors_text};
  const HgProgram program = HgObjectiveProgram(objective);
  const HgMesh mesh = HgProgramMesh(program);
  const MPI_Comm comm = HgMeshComm(mesh);
  char problem[512];
  PetscCall(HgRequireAlike(
      comm, "observations of '%s' at %d sensors and %d times with checksum %016" PRIx64, o->name,
      o->sensors, o->times, digest_of(o)));
  PetscCall(HgObservationsInside(o, mesh));
  HgRequire(comm, HgObservationsMeasured(o, true, "objective", problem, sizeof problem),
            HG_ERR_DATA, "%s", problem);
  PetscCall(HgReadingsRequire(comm, o));
  HgLocation location = HG_CENTRE;
  Sensors *s;
  PetscCall(PetscNew(&s));
  s->comm = comm, s->times = o->times, s->sensors = o->sensors, s->digest = digest_of(o);
  s->objective = objective;
  PetscCall(PetscStrncpy(s->name, o->name, sizeof s->name));
  PetscErrorCode ierr = find_variable(program, o, s, &location);
  if (!ierr) ierr = find_times(s, program, HgObjectiveSteps(objective), o);
  if (ierr) {
    PetscCall(sensors_destroy(s));
    return ierr;
  }
  PetscCall(find_places(s, mesh, location, o));
  PetscCall(copy_values(s, o));
  if (o->correlation > 0 || o->shape || o->envelope) HgObjectiveCouple(objective);
  return HgObjectiveAdd(objective, &table, s, HgReadingsExpected(o));
}
