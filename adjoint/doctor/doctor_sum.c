/* Sums and chains against their parts, which are right. With random directions d_k and derivatives
   a_ek of the parts and b_k of the sum along them, by value, tangent or gradient, the weights w that
   make sum_e w_e a_ek nearest to b_k must all be the same. See doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/check_library.h>
#include <math.h>
#include <string.h>

enum { PARTS_MOST = 64, FIRST = 2 /* directions that are tried first */ };

static const char *const ways[] = {"value", "tangent", "gradient"};

enum { VALUE, TANGENT, GRADIENT, WAYS };

/* Derivatives of a functional along all directions, by all ways; rounding: of those by value. */
typedef struct {
  double by[WAYS][2 * PARTS_MOST], rounding[2 * PARTS_MOST];
  char name[48];
} Slopes;

/* A sum of `parts` parts of the same input. */
typedef struct {
  HgOperator op;
  HgState x, dx, moved, J, x_bar;
  int parts, directions;
  Slopes part[PARTS_MOST], whole;
} Sum;

PetscErrorCode HgDoctorValueAt(HgOperator functional, HgState x, double e, HgState dx,
                               HgState moved, HgState y, double *J) {
  PetscCall(HgStateCopy(x, moved));
  PetscCall(HgStateAXPY(moved, e, dx));
  PetscCall(HgOperatorApply(functional, moved, y));
  *J = HgStateArray(y, 0)[0];
  return 0;
}

static PetscErrorCode draw(Sum *s, int d) {
  PetscCall(HgCheckerRandomLike(s->x, 500 + (uint64_t)d, s->dx));
  for (int k = 0; k < HgStateCount(s->dx); k++)
    if (!HgOperatorActive(s->op, k)) PetscCall(HgStateZeroVariable(s->dx, k));
  return 0;
}

/* Of `op`, the sum or a part of it. */
static PetscErrorCode find_slopes(Sum *s, HgOperator op, Slopes *of) {
  const double e = cbrt(DBL_EPSILON);
  double plus, minus;
  PetscCall(PetscStrncpy(of->name, HgOperatorName(op), sizeof of->name));
  PetscCall(HgOperatorGradient(op, s->x, &plus, s->x_bar));
  for (int d = 0; d < s->directions; d++) {
    PetscCall(draw(s, d));
    PetscCall(HgStateDot(s->x_bar, s->dx, &of->by[GRADIENT][d]));
    PetscCall(HgOperatorTangent(op, s->x, s->dx, s->J));
    of->by[TANGENT][d] = HgStateArray(s->J, 0)[0];
    if (!HgOperatorApplies(s->op)) continue;
    PetscCall(HgDoctorValueAt(op, s->x, e, s->dx, s->moved, s->J, &plus));
    PetscCall(HgDoctorValueAt(op, s->x, -e, s->dx, s->moved, s->J, &minus));
    of->by[VALUE][d] = (plus - minus) / (2 * e);
    of->rounding[d] = 10 * DBL_EPSILON * (fabs(plus) + fabs(minus)) / e;
  }
  return 0;
}

/* What the groups know of their parts becomes known to all. */
static PetscErrorCode share(Sum *s, MPI_Comm across, const int owner[]) {
  for (int e = 0; e < s->parts; e++)
    PetscCallMPI(MPI_Bcast(&s->part[e], (int)sizeof *s->part, MPI_BYTE, owner[e], across));
  return 0;
}

/* w that makes sum_e w_e a_ek nearest to b_k: normal equations, Gauss with pivots; 1 for parts with
   no slope. false: the a_e are too much alike. */
static bool weights(const Sum *s, int way, double w[]) {
  const int n = s->parts;
  const double *const b = s->whole.by[way];
  static double m[PARTS_MOST][PARTS_MOST + 1];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++) {
      m[i][j] = 0;
      for (int d = 0; d < s->directions; d++)
        m[i][j] += s->part[i].by[way][d] * (j < n ? s->part[j].by[way][d] : b[d]);
    }
  for (int i = 0; i < n; i++)
    if (m[i][i] == 0) m[i][i] = m[i][n] = 1;
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k; i < n; i++)
      if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
    if (!(fabs(m[pivot][k]) > 0)) return false;
    for (int j = 0; j <= n; j++) {
      const double t = m[k][j];
      m[k][j] = m[pivot][j], m[pivot][j] = t;
    }
    for (int i = 0; i < n; i++) {
      const double f = i == k ? 0 : m[i][k] / m[k][k];
      for (int j = k; j <= n && i != k; j++) m[i][j] -= f * m[k][j];
    }
  }
  for (int k = 0; k < n; k++) w[k] = m[k][n] / m[k][k];
  return true;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The part whose weight is furthest from that of most. */
static void name_part(const Sum *s, int way, HgDoctorFinding *f) {
  double w[PARTS_MOST], sorted[PARTS_MOST];
  int odd = 0;
  if (!weights(s, way, w)) return;
  memcpy(sorted, w, sizeof sorted);
  qsort(sorted, (size_t)s->parts, sizeof *sorted, ascending);
  const double usual = s->parts > 2 ? sorted[s->parts / 2] : 1;
  for (int e = 0; e < s->parts; e++)
    if (fabs(w[e] - usual) > fabs(w[odd] - usual)) odd = e;
  (void)PetscStrncpy(f->part, s->part[odd].name, sizeof f->part);
  f->was = usual, f->is = w[odd];
}

/* That of all parts: 1, but of a mini-batch of experiments what its tangent says. */
static double common_weight(const Sum *s) {
  double top = 0, bottom = 0;
  for (int d = 0; d < s->directions; d++) {
    double sum = 0;
    for (int e = 0; e < s->parts; e++) sum += s->part[e].by[TANGENT][d];
    top += sum * s->whole.by[TANGENT][d], bottom += sum * sum;
  }
  return !strcmp(HgOperatorName(s->op), "experiments") && bottom > 0 ? top / bottom : 1;
}

/* Is the derivative of the sum that of its parts by the same way, with one weight for all? What is
   wrong with a part itself is so in both. */
static bool agrees(const Sum *s, int way, double *off) {
  const double bound = way == VALUE ? 1e-6 : 1e-11, weight = common_weight(s);
  double size = 0;
  *off = 0;
  for (int d = 0; d < s->directions; d++) {
    const double whole = s->whole.by[way][d];
    double sum = 0, parts = 0, rounding = way == VALUE ? s->whole.rounding[d] : 0;
    for (int e = 0; e < s->parts; e++) {
      sum += weight * s->part[e].by[way][d], parts += fabs(s->part[e].by[way][d]);
      if (way == VALUE) rounding += s->part[e].rounding[d];
    }
    *off += fmax(0, fabs(sum - whole) - rounding);
    size += parts + fabs(whole);
  }
  *off = *off == 0 ? 0 : *off / size;
  return *off <= bound;
}

/* Counts the parts; *sum: all have the input and the output of `op`, and they are few enough to tell
   the weight of each. */
static PetscErrorCode count_parts(Sum *s, bool *sum) {
  HgOperator part;
  HgState at, y;
  *sum = true;
  for (s->parts = 0;; s->parts++) {
    PetscCall(HgOperatorPart(s->op, s->x, s->parts, &part, &at));
    if (at && s->parts == PARTS_MOST) *sum = false;
    if (!at || s->parts == PARTS_MOST) return HgStateDestroy(&at);
    if (part) {
      PetscCall(HgOperatorCreateOutput(part, &y));
      *sum = *sum && HgStateSame(at, s->x) && HgStateSame(y, s->J);
      PetscCall(HgStateDestroy(&y));
    }
    PetscCall(HgStateDestroy(&at));
  }
}

/* Derivatives of the sum and of all parts, along so many directions. */
static PetscErrorCode gather(Sum *s, int directions) {
  const MPI_Comm across = HgOperatorAcross(s->op);
  int owner[PARTS_MOST], group = 0;
  if (across != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_rank(across, &group));
  s->directions = directions;
  PetscCall(find_slopes(s, s->op, &s->whole));
  for (int k = 0; k < s->parts; k++) {
    HgOperator part;
    HgState at;
    PetscCall(HgOperatorPart(s->op, s->x, k, &part, &at));
    if (part) PetscCall(find_slopes(s, part, &s->part[k]));
    owner[k] = part ? group : -1;
    PetscCall(HgStateDestroy(&at));
  }
  if (across == MPI_COMM_NULL) return 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, owner, s->parts, MPI_INT, MPI_MAX, across));
  return share(s, across, owner);
}

/* The tangent first, from which the weight of a mini-batch is taken; -1: all agree. */
static int wrong_way(const Sum *s, double *off) {
  static const int order[WAYS] = {TANGENT, GRADIENT, VALUE};
  for (int k = 0; k < (HgOperatorApplies(s->op) ? WAYS : WAYS - 1); k++)
    if (!agrees(s, order[k], off)) return order[k];
  return -1;
}

/* Some directions show that a weight is wrong; as many as there are unknowns, twice, show whose. */
static PetscErrorCode check_sum(Sum *s, HgDoctorReport *report) {
  double off;
  PetscCall(gather(s, FIRST));
  if (wrong_way(s, &off) < 0) return 0;
  PetscCall(gather(s, 2 * s->parts));
  const int way = wrong_way(s, &off);
  HgDoctorFinding *f = way < 0 ? NULL : HgDoctorFind(report, HG_DOCTOR_SUM, -1);
  if (!f) return 0;
  f->value = off;
  PetscCall(PetscStrncpy(f->within, HgOperatorName(s->op), sizeof f->within));
  PetscCall(PetscStrncpy(f->write, ways[way], sizeof f->write));
  name_part(s, way, f);
  return 0;
}

/* A chain, a single part, or more parts than PARTS_MOST: its gradient against its tangent. */
static PetscErrorCode check_chain(Sum *s, const HgDoctorOptions *o, HgDoctorReport *report) {
  double norm[2];
  s->directions = 1;
  PetscCall(find_slopes(s, s->op, &s->whole));
  PetscCall(HgStateDot(s->dx, s->dx, &norm[0]));
  PetscCall(HgStateDot(s->x_bar, s->x_bar, &norm[1]));
  const double gradient = s->whole.by[GRADIENT][0], tangent = s->whole.by[TANGENT][0],
               off = gradient == tangent
                         ? 0
                         : fabs(gradient - tangent) / (sqrt(norm[0]) * sqrt(norm[1]));
  if (off <= 100 * o->bound) return 0;
  HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_SUM, -1);
  if (!f) return 0;
  f->value = off, f->was = tangent, f->is = gradient;
  return PetscStrncpy(f->within, HgOperatorName(s->op), sizeof f->within);
}

static PetscErrorCode examine(Sum *s, const HgDoctorOptions *o, HgDoctorReport *report) {
  bool sum;
  PetscCall(count_parts(s, &sum));
  return sum && s->parts > 1 ? check_sum(s, report) : check_chain(s, o, report);
}

PetscErrorCode HgDoctorSum(HgOperator op, HgState x, const HgDoctorOptions *o,
                           HgDoctorReport *report) {
  Sum *s;
  HgState J;
  PetscCall(HgOperatorCreateOutput(op, &J));
  const bool functional = HgStateCount(J) == 1 && HgStateVariable(J, 0)->kind == HG_REPLICATED &&
                          HgStateVariable(J, 0)->size == 1;
  PetscCall(HgStateDestroy(&J));
  if (!functional) return HgDoctorOperator(op, HgOperatorName(op), x, o, report);
  PetscCall(PetscNew(&s));
  s->op = op, s->x = x;
  PetscCall(HgOperatorCreateOutput(op, &s->J));
  HgState *const inputs[] = {&s->dx, &s->moved, &s->x_bar};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDuplicate(x, inputs[k]));
  PetscCall(examine(s, o, report));
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(inputs[k]));
  PetscCall(HgStateDestroy(&s->J));
  return PetscFree(s);
}
