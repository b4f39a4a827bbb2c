/* SPDX-License-Identifier: BSD-2-Clause */
/* The integral of a variable over a box: I = sum of u_i s_i, s_i being the part of cell i, around
   the place where the variable lives, that is in the box. A term w I of J, or ((I - d) / sigma)^2 /
   2. */
#include <halograd/error_library.h>
#include <halograd/location_library.h>
#include <halograd/mesh_library.h>
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <halograd/sum_library.h>
#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct {
  HgIntegral of;
  char name[32];
  HgMesh mesh;
  int index, directions; /* index: in q */
  double *x, *y, *z;     /* of this patch's columns, rows and levels: how long in the box */
  HgSum *sum;            /* [1 + directions] of I, dI_v: this rank's part */
  double *total;         /* of all ranks, if it is known */
  bool known;
} Integral;

static bool is_goal(const Integral *s) { return s->of.sigma == 0; }

static PetscErrorCode integral_start(void *self, int directions) {
  Integral *s = self;
  if (directions != s->directions) {
    PetscCall(PetscFree2(s->sum, s->total));
    PetscCall(PetscMalloc2(1 + directions, &s->sum, 1 + directions, &s->total));
    s->directions = directions;
  }
  for (int v = 0; v <= directions; v++) HgSumReset(&s->sum[v]);
  s->known = false;
  return 0;
}

static long integral_next(const void *self, long n) {
  const long step = ((const Integral *)self)->of.step;
  return n <= step ? step : HG_NO_STEP;
}

/* How high row n of all levels is in the box. */
static double row_size(const Integral *s, int n) {
  const int ny = HgMeshGetPatch(s->mesh)->ny;
  return s->y[n % ny] * s->z[n / ny];
}

static PetscErrorCode add_cells(const Integral *s, HgState q, int index, HgSum *sum) {
  const int nx = HgMeshGetPatch(s->mesh)->nx;
  double *part;
  PetscCall(PetscMalloc1(nx, &part));
  for (int n = 0; n < HgStateRowCount(q, index); n++) {
    const HgReal *const u = HgStateRow(q, index, n);
    const double size = row_size(s, n);
    for (int i = 0; i < nx; i++) part[i] = size * s->x[i] > 0 ? size * s->x[i] * u[i] : 0;
    if (size > 0) HgSumAdd(sum, (size_t)nx, part);
  }
  return PetscFree(part);
}

static PetscErrorCode integral_observe(void *self, long n, const HgMisfitSight *sight) {
  Integral *s = self;
  if (n != s->of.step) return 0;
  s->known = false;
  PetscCall(add_cells(s, sight->q, s->index, &s->sum[0]));
  for (int v = 0; sight->dq && v < sight->directions; v++)
    PetscCall(add_cells(s, sight->dq, HgMisfitDot(sight, s->index, v), &s->sum[1 + v]));
  return 0;
}

/* All ranks know what each has seen. */
static PetscErrorCode know(Integral *s) {
  HgSum *all;
  if (s->known) return 0;
  PetscCall(PetscMalloc1(1 + s->directions, &all));
  PetscCall(PetscArraycpy(all, s->sum, 1 + s->directions));
  PetscCall(HgSumReduce(HgMeshComm(s->mesh), 1 + s->directions, all, s->total));
  s->known = true;
  return PetscFree(all);
}

/* dJ/dI */
static double pull(const Integral *s) {
  return is_goal(s) ? s->of.weight : (s->total[0] - s->of.value) / (s->of.sigma * s->of.sigma);
}

/* J counts a sum that the first rank adds for all. */
static PetscErrorCode integral_value(void *self, HgSum *squares, HgSum products[]) {
  Integral *s = self;
  int rank;
  PetscCall(know(s));
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(s->mesh), &rank));
  if (rank) return 0;
  const double r = is_goal(s) ? 0 : (s->total[0] - s->of.value) / s->of.sigma,
               twice = is_goal(s) ? 2 * s->of.weight * s->total[0] : r * r;
  HgSumAdd(squares, 1, &twice);
  for (int v = 0; v < s->directions; v++)
    HgSumAdd(&products[v], 1, &(double){pull(s) * s->total[1 + v]});
  return 0;
}

/* q_bar += c dI/dq */
static void add_transposed(const Integral *s, double c, int index, HgState q_bar) {
  for (int n = 0; n < HgStateRowCount(q_bar, index); n++) {
    HgReal *const u_bar = HgStateRow(q_bar, index, n);
    const double size = row_size(s, n);
    for (int i = 0; size > 0 && i < HgMeshGetPatch(s->mesh)->nx; i++)
      u_bar[i] += c * (size * s->x[i]);
  }
}

static PetscErrorCode integral_gradient(void *self, long n, HgState q, double J_bar,
                                        HgState q_bar) {
  Integral *s = self;
  (void)q;
  if (n != s->of.step) return 0;
  PetscCall(know(s));
  add_transposed(s, J_bar * pull(s), s->index, q_bar);
  return 0;
}

static PetscErrorCode integral_second(void *self, long n, HgState q, int v, int shift, double J_bar,
                                      HgState q_bar) {
  Integral *s = self;
  (void)q;
  if (n != s->of.step || is_goal(s)) return 0;
  PetscCall(know(s));
  add_transposed(s, J_bar * s->total[1 + v] / (s->of.sigma * s->of.sigma),
                 s->index + (v + 1) * shift, q_bar);
  return 0;
}

static void integral_text(const void *self, size_t size, char text[]) {
  const Integral *s = self;
  snprintf(text, size, "integral of '%s' after step %ld", s->name, s->of.step);
}

static size_t integral_kept(const void *self) {
  (void)self;
  return 1;
}

static PetscErrorCode integral_keep(void *self, double value[]) {
  Integral *s = self;
  PetscCall(know(s));
  value[0] = s->total[0];
  return 0;
}

static void integral_restore(void *self, const double value[]) {
  Integral *s = self;
  int rank;
  MPI_Comm_rank(HgMeshComm(s->mesh), &rank);
  if (!rank) HgSumAdd(&s->sum[0], 1, value);
  s->known = false;
}

static PetscErrorCode integral_digest(void *self, uint64_t *digest) {
  const Integral *s = self;
  const HgIntegral *const o = &s->of;
  char text[320];
  const int n = snprintf(text, sizeof text, "integral %s %a %a %a %a %a %a %ld %a %a %a", s->name,
                         o->west, o->east, o->south, o->north, o->below, o->above, o->step,
                         o->weight, o->value, o->sigma);
  *digest = XXH3_64bits_withSeed(text, (size_t)n, *digest);
  return 0;
}

static PetscErrorCode integral_destroy(void *self) {
  Integral *s = self;
  PetscCall(PetscFree2(s->sum, s->total));
  PetscCall(PetscFree3(s->x, s->y, s->z));
  return PetscFree(s);
}

/* ---- where it is ---- */

/* Cells of an axis: the centre of the first, how long one is, how many there are, and by how much
   of a cell the variable lives beyond its centre. */
typedef struct {
  const char *name, *unit;
  double first, size, offset;
  int cells;
  bool periodic;
} Axis;

/* `bound` in cells from the domain's edge; one that is on the edge or the middle of a cell but for
   rounding is there. */
static double in_cells(const Axis *a, double bound) {
  const double at = (bound - a->first) / a->size + 0.5, half = nearbyint(2 * at) / 2;
  return fabs(at - half) < 1e-9 ? half : at;
}

/* part[k]: how much of cell from + k of the axis is between `low` and `high`, times `size`; both 0:
   all of the domain. */
static PetscErrorCode cut(MPI_Comm comm, const Integral *s, const Axis *a, double low, double high,
                          int from, int count, double size, double part[]) {
  const bool whole = low == 0 && high == 0;
  double begin = whole ? 0 : in_cells(a, low), end = whole ? a->cells : in_cells(a, high);
  const double edge = a->first - 0.5 * a->size;
  HgRequire(comm,
            begin < end && (a->periodic ? end - begin <= a->cells : begin >= 0 && end <= a->cells),
            HG_ERR_DATA,
            "objective: integral of '%s' from %s = %g to %g %s, expected an interval inside the "
            "domain, %g to %g %s",
            s->name, a->name, low, high, a->unit, edge, edge + a->cells * a->size, a->unit);
  const double rounds = a->periodic ? a->cells * floor(begin / a->cells) : 0;
  begin -= rounds, end -= rounds;
  for (int k = 0; k < count; k++) {
    part[k] = 0;
    for (int turn = a->periodic ? -1 : 0; turn <= a->periodic; turn++) {
      const double here = from + k + a->offset + (double)turn * a->cells;
      part[k] += size * fmax(0, fmin(end, here + 1) - fmax(begin, here));
    }
  }
  return 0;
}

/* Sizes of what is in the box: of a surface, or without levels, areas; else volumes. */
static PetscErrorCode measure(Integral *s, HgLocation at, int levels) {
  const MPI_Comm comm = HgMeshComm(s->mesh);
  const HgMeshSpec *m = HgMeshGetSpec(s->mesh);
  const HgPatch *p = HgMeshGetPatch(s->mesh);
  const HgLatitude *latitude = HgMeshGetMetric(s->mesh)->latitudes;
  const HgIntegral *o = &s->of;
  const Axis
      x = {"x",          HgMeshGetMetric(s->mesh)->unit, m->x0, m->dx, HgLocationEast(at), m->nx,
           m->periodic_x},
      y = {"y",          HgMeshGetMetric(s->mesh)->unit, m->y0, m->dy, HgLocationNorth(at), m->ny,
           m->periodic_y},
      z = {"z", "m", m->z0, m->dz, HgLocationUp(at), m->nz, m->periodic_z};
  const bool flat = levels <= 0;
  PetscCall(PetscMalloc3(p->nx, &s->x, p->ny, &s->y, PetscMax(1, levels), &s->z));
  PetscCall(cut(comm, s, &x, o->west, o->east, p->i_global, p->nx, HgMeshGetMetric(s->mesh)->width,
                s->x));
  PetscCall(cut(comm, s, &y, o->south, o->north, p->j_global, p->ny,
                HgMeshGetMetric(s->mesh)->height, s->y));
  for (int j = 0; latitude && j < p->ny; j++) {
    const HgLatitude *const l = &latitude[p->j_global + j];
    s->y[j] *= y.offset > 0 ? l->north_cosine : l->cosine;
  }
  HgRequire(comm, !flat || (o->below == 0 && o->above == 0), HG_ERR_DATA,
            "objective: integral of '%s' from z = %g to %g m, but it has no levels", s->name,
            o->below, o->above);
  if (!flat) return cut(comm, s, &z, o->below, o->above, 0, levels, m->dz, s->z);
  s->z[0] = 1;
  return 0;
}

static PetscErrorCode require_sound(MPI_Comm comm, const HgIntegral *o, long steps) {
  HgRequire(comm, o->step >= 0 && o->step <= steps, HG_ERR_DATA,
            "objective: integral of '%s' after step %ld, expected 0 to %ld", o->variable, o->step,
            steps);
  HgRequire(comm, o->sigma != 0 || (isfinite(o->weight) && o->weight != 0), HG_ERR_ARGUMENT,
            "objective: integral of '%s' has the weight %g, expected a finite number other than 0, "
            "or a standard deviation",
            o->variable, o->weight);
  HgRequire(comm, o->sigma == 0 || (o->sigma > 0 && isfinite(o->sigma)), HG_ERR_ARGUMENT,
            "objective: standard deviation of the integral of '%s' is %g, expected a positive "
            "finite number",
            o->variable, o->sigma);
  HgRequire(comm, o->sigma == 0 || (isfinite(o->value) && o->weight == 0), HG_ERR_DATA,
            "objective: integral of '%s' was measured as %g and has the weight %g, expected a "
            "finite number and no weight",
            o->variable, o->value, o->weight);
  return 0;
}

/* Finds the variable, and measures. */
static PetscErrorCode place(HgProgram program, Integral *s) {
  HgState q;
  PetscCall(HgProgramCreateCarried(program, &q));
  const bool volume = HgMeshGetSpec(s->mesh)->nz && !HgStateVariable(q, s->index)->surface;
  const int levels = volume ? HgStateLevels(q, s->index) : 0;
  const HgLocation at = HgStateLocation(q, s->index);
  PetscCall(HgStateDestroy(&q));
  return measure(s, at, levels);
}

PetscErrorCode HgObjectiveAddIntegral(HgObjective objective, const HgIntegral *o) {
  static const HgMisfitTable table = {.start = integral_start,
                                      .next = integral_next,
                                      .observe = integral_observe,
                                      .value = integral_value,
                                      .gradient = integral_gradient,
                                      .second = integral_second,
                                      .kept = integral_kept,
                                      .keep = integral_keep,
                                      .restore = integral_restore,
                                      .digest = integral_digest,
                                      .destroy = integral_destroy,
                                      .text = integral_text};
  const HgProgram program = HgObjectiveProgram(objective);
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  Integral *s;
  int index;
  PetscCall(HgRequireAlike(comm, "an integral of '%s' at (%g, %g, %g, %g, %g, %g), %ld, %g, %g, %g",
                           o->variable, o->west, o->east, o->south, o->north, o->below, o->above,
                           o->step, o->weight, o->value, o->sigma));
  PetscCall(HgProgramFindCarried(program, o->variable, &index));
  PetscCall(require_sound(comm, o, HgObjectiveSteps(objective)));
  PetscCall(PetscNew(&s));
  s->of = *o, s->mesh = HgProgramMesh(program), s->index = index;
  PetscCall(PetscStrncpy(s->name, o->variable, sizeof s->name));
  s->of.variable = s->name;
  PetscErrorCode ierr = place(program, s);
  if (!ierr) ierr = integral_start(s, 1);
  if (!ierr) return HgObjectiveAdd(objective, &table, s, !is_goal(s));
  PetscCall(integral_destroy(s));
  return ierr;
}
