/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums and chains against their parts, which are right. With random directions d_k, derivatives
   a_ek of the parts and b_k of the sum along them, by value, tangent or gradient, b must be w sum_e
   a_e with one weight w, which the tangent says: that of a mini-batch is not 1. Where it is b = w
   sum_e a_e + v a_p instead, part p has another weight than the others. See doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/state_library.h>

enum { DIRECTIONS = 6, FIRST = 2 /* that are tried first */ };

static const char *const ways[] = {"value", "tangent", "gradient"};

enum { VALUE, TANGENT, GRADIENT, WAYS };

/* Derivatives of a functional along all directions, computed in each way; rounding: of those by
   value. */
typedef struct {
  double by[WAYS][DIRECTIONS], rounding[DIRECTIONS];
  char name[48];
} Slopes;

/* A sum of `parts` parts of the same input. */
typedef struct {
  HgOperator op;
  HgState x, dx, moved, J, x_bar;
  int parts, directions;
  Slopes *part, whole;
} Sum;

PetscErrorCode HgDoctorSlope(HgOperator functional, HgState x, double e, HgState dx, HgState moved,
                             HgState y, double *slope, double *size) {
  double J[2];
  for (int n = 0; n < 2; n++) {
    PetscCall(HgStateCopy(x, moved));
    PetscCall(HgStateAXPY(moved, n ? -e : e, dx));
    PetscCall(HgOperatorApply(functional, moved, y));
    J[n] = HgStateArray(y, 0)[0];
  }
  *slope = (J[0] - J[1]) / (2 * e), *size = fabs(J[0]) + fabs(J[1]);
  return 0;
}

static PetscErrorCode find_slopes(Sum *s, HgOperator op, Slopes *of) {
  const double e = cbrt(DBL_EPSILON);
  double J;
  PetscCall(PetscStrncpy(of->name, HgOperatorName(op), sizeof of->name));
  PetscCall(HgOperatorGradient(op, s->x, &J, s->x_bar));
  for (int d = 0; d < s->directions; d++) {
    PetscCall(HgCheckRandomLike(s->x, -1, 500 + (uint64_t)d, s->dx));
    PetscCall(HgCheckFix(s->op, s->dx));
    PetscCall(HgStateDot(s->x_bar, s->dx, &of->by[GRADIENT][d]));
    PetscCall(HgOperatorTangent(op, s->x, s->dx, s->J));
    of->by[TANGENT][d] = HgStateArray(s->J, 0)[0];
    if (!HgOperatorApplies(s->op)) continue;
    PetscCall(
        HgDoctorSlope(op, s->x, e, s->dx, s->moved, s->J, &of->by[VALUE][d], &of->rounding[d]));
    of->rounding[d] *= 10 * DBL_EPSILON / e;
  }
  return 0;
}

/* Derivatives of the sum and of all parts along so many directions, shared between groups. */
static PetscErrorCode find_all_slopes(Sum *s, int directions) {
  const MPI_Comm across = HgOperatorAcross(s->op);
  int group = 0;
  if (across != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_rank(across, &group));
  s->directions = directions;
  PetscCall(find_slopes(s, s->op, &s->whole));
  for (int k = 0; k < s->parts; k++) {
    HgOperator part;
    HgState at;
    PetscCall(HgOperatorPart(s->op, s->x, k, &part, &at));
    if (part) PetscCall(find_slopes(s, part, &s->part[k]));
    int owner = part ? group : -1;
    PetscCall(HgStateDestroy(&at));
    if (across == MPI_COMM_NULL) continue;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &owner, 1, MPI_INT, MPI_MAX, across));
    PetscCallMPI(MPI_Bcast(&s->part[k], (int)sizeof *s->part, MPI_BYTE, owner, across));
  }
  return 0;
}

static double dot(const Sum *s, const double a[], const double b[]) {
  double sum = 0;
  for (int d = 0; d < s->directions; d++) sum += a[d] * b[d];
  return sum;
}

static void add_parts(const Sum *s, int way, double all[DIRECTIONS]) {
  for (int d = 0; d < DIRECTIONS; d++) all[d] = 0;
  for (int e = 0; e < s->parts; e++)
    for (int d = 0; d < s->directions; d++) all[d] += s->part[e].by[way][d];
}

/* Removes from v its components along `all`. */
static void project(const Sum *s, const double all[], const double v[], double rest[DIRECTIONS]) {
  const double size = dot(s, all, all), along = size > 0 ? dot(s, all, v) / size : 0;
  for (int d = 0; d < s->directions; d++) rest[d] = v[d] - along * all[d];
}

/* Names the part to blame: the error of b is along it, and all other weights are nearest to 1.
   Names none if there is no such part. */
static void name_part(const Sum *s, int way, HgFinding *f) {
  double all[DIRECTIONS], b[DIRECTIONS], a[DIRECTIONS], best = 0.99;
  add_parts(s, way, all);
  project(s, all, s->whole.by[way], b);
  for (int e = 0; e < s->parts; e++) {
    const double *const own = s->part[e].by[way];
    project(s, all, own, a);
    const double aa = dot(s, a, a), cosine = fabs(dot(s, a, b)) / sqrt(aa * dot(s, b, b)),
                 v = dot(s, a, b) / aa, size = dot(s, all, all),
                 w = (dot(s, s->whole.by[way], all) - v * dot(s, own, all)) / size;
    const bool nearer = fabs(w - 1) < fabs(f->was - 1);
    if (!(cosine > best + 1e-6) && !(cosine > best - 1e-6 && *f->part && nearer)) continue;
    best = fmax(best, cosine);
    HgFindingName(f, s->part[e].name, "", ways[way]);
    f->was = w, f->is = w + v;
  }
}

/* Whether the derivative of the sum is the weighted sum of its parts', computed the same way. An
   error of a part cancels: it is in both. */
static bool agrees(const Sum *s, int way, double *off) {
  double all[DIRECTIONS], size = 0;
  add_parts(s, TANGENT, all);
  const double parts = dot(s, all, all),
               weight = parts > 0 ? dot(s, all, s->whole.by[TANGENT]) / parts : 1;
  add_parts(s, way, all);
  *off = 0;
  for (int d = 0; d < s->directions; d++) {
    double rounding = way == VALUE ? s->whole.rounding[d] : 0;
    for (int e = 0; e < s->parts; e++) {
      size += fabs(s->part[e].by[way][d]);
      if (way == VALUE) rounding += s->part[e].rounding[d];
    }
    *off += fmax(0, fabs(weight * all[d] - s->whole.by[way][d]) - rounding);
    size += fabs(s->whole.by[way][d]);
  }
  *off = *off == 0 ? 0 : *off / size;
  return *off <= (way == VALUE ? 1e-6 : 1e-11);
}

/* The first way that disagrees, -1: none. Begins with the tangent, which gives the weight. */
static int wrong_way(const Sum *s, double *off) {
  static const int order[WAYS] = {TANGENT, GRADIENT, VALUE};
  for (int k = 0; k < (HgOperatorApplies(s->op) ? WAYS : WAYS - 1); k++)
    if (!agrees(s, order[k], off)) return order[k];
  return -1;
}

/* Counts the parts; *sum: all of them have the input and the output of `op`. */
static PetscErrorCode count_parts(Sum *s, bool *sum) {
  *sum = true;
  for (s->parts = 0;; s->parts++) {
    HgOperator part;
    HgState at, y;
    PetscCall(HgOperatorPart(s->op, s->x, s->parts, &part, &at));
    if (!at) return 0;
    if (part) {
      PetscCall(HgOperatorCreateOutput(part, &y));
      *sum = *sum && HgStateSame(at, s->x) && HgStateSame(y, s->J);
      PetscCall(HgStateDestroy(&y));
    }
    PetscCall(HgStateDestroy(&at));
  }
}

/* Few directions show that a weight is wrong; more are needed to show which. */
static PetscErrorCode check_sum(Sum *s, HgFindings *report) {
  double off;
  PetscCall(find_all_slopes(s, FIRST));
  if (wrong_way(s, &off) < 0) return 0;
  PetscCall(find_all_slopes(s, DIRECTIONS));
  const int way = wrong_way(s, &off);
  HgFinding *f = way < 0 ? NULL : HgFindingsAdd(report, HG_CHECK_SUM, -1);
  if (!f) return 0;
  f->value = off;
  HgFindingName(f, "", "", ways[way]);
  PetscCall(PetscStrncpy(f->within, HgOperatorName(s->op), sizeof f->within));
  name_part(s, way, f);
  return 0;
}

/* Compares gradient and tangent of a chain or a single part. */
static PetscErrorCode check_chain(Sum *s, const HgCheckOptions *o, HgFindings *report) {
  double dx, x_bar;
  s->directions = 1;
  PetscCall(find_slopes(s, s->op, &s->whole));
  PetscCall(HgCheckNorm(s->dx, &dx));
  PetscCall(HgCheckNorm(s->x_bar, &x_bar));
  const double gradient = s->whole.by[GRADIENT][0], tangent = s->whole.by[TANGENT][0],
               off = HgCheckOff(gradient, tangent, dx * x_bar);
  HgFinding *f = off <= 100 * o->dot_bound ? NULL : HgFindingsAdd(report, HG_CHECK_SUM, -1);
  if (!f) return 0;
  f->value = off, f->was = tangent, f->is = gradient;
  return PetscStrncpy(f->within, HgOperatorName(s->op), sizeof f->within);
}

PetscErrorCode HgDoctorSum(HgOperator op, HgState x, const HgCheckOptions *o, HgFindings *report) {
  Sum s = {.op = op, .x = x};
  bool sum;
  PetscCall(HgOperatorCreateOutput(op, &s.J));
  const HgVariable *J = HgStateVariable(s.J, 0);
  if (HgStateCount(s.J) > 1 || J->kind != HG_REPLICATED || J->size != 1) {
    PetscCall(HgStateDestroy(&s.J));
    return HgDoctorOperator(op, x, o, report);
  }
  HgState *const inputs[] = {&s.dx, &s.moved, &s.x_bar};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDuplicate(x, inputs[k]));
  PetscCall(count_parts(&s, &sum));
  PetscCall(PetscCalloc1(s.parts, &s.part));
  if (sum && s.parts > 1) PetscCall(check_sum(&s, report));
  else PetscCall(check_chain(&s, o, report));
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(inputs[k]));
  PetscCall(HgStateDestroy(&s.J));
  return PetscFree(s.part);
}
