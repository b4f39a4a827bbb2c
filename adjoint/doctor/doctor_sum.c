/* Sums and chains against their parts, which are right. With random directions d_k and derivatives
   a_ek = J_e' d_k of the parts, b_k = J' d_k of the sum, the weights w that make sum_e w_e a_ek
   nearest to b_k must all be the same. See doctor.h. */
#include "check_private.h"
#include "doctor_private.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { PARTS_MOST = 64 };

static const char *const ways[] = {"value", "tangent", "gradient"};

enum { VALUE, TANGENT, GRADIENT, WAYS };

/* A sum of `parts` parts of the same input; directions are twice as many. */
typedef struct {
  HgOperator op;
  HgState x, dx, moved, J, x_bar;
  int parts, directions;
  double a[PARTS_MOST][2 * PARTS_MOST], b[WAYS][2 * PARTS_MOST];
  double rounding[2 * PARTS_MOST]; /* of b[VALUE] */
  char name[PARTS_MOST][48];
  double value[PARTS_MOST]; /* J_e */
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

/* Derivatives of the whole along direction d, by all ways; x_bar is the gradient. */
static PetscErrorCode whole(Sum *s, int d) {
  const double e = cbrt(DBL_EPSILON);
  double plus, minus;
  PetscCall(draw(s, d));
  if (HgOperatorApplies(s->op)) {
    PetscCall(HgDoctorValueAt(s->op, s->x, e, s->dx, s->moved, s->J, &plus));
    PetscCall(HgDoctorValueAt(s->op, s->x, -e, s->dx, s->moved, s->J, &minus));
    s->b[VALUE][d] = (plus - minus) / (2 * e);
    s->rounding[d] = 10 * DBL_EPSILON * (fabs(plus) + fabs(minus)) / e;
  }
  PetscCall(HgOperatorTangent(s->op, s->x, s->dx, s->J));
  s->b[TANGENT][d] = HgStateArray(s->J, 0)[0];
  return HgStateDot(s->x_bar, s->dx, &s->b[GRADIENT][d]);
}

/* Of part e, by the group that has it. */
static PetscErrorCode part_of(Sum *s, int e, HgOperator part) {
  HgState bar;
  PetscCall(PetscStrncpy(s->name[e], HgOperatorName(part), sizeof s->name[e]));
  PetscCall(HgStateDuplicate(s->x, &bar));
  PetscCall(HgOperatorGradient(part, s->x, &s->value[e], bar));
  for (int d = 0; d < s->directions; d++) {
    PetscCall(draw(s, d));
    PetscCall(HgStateDot(bar, s->dx, &s->a[e][d]));
  }
  return HgStateDestroy(&bar);
}

/* What the groups know of their parts becomes known to all. */
static PetscErrorCode share(Sum *s, MPI_Comm across, const int owner[]) {
  for (int e = 0; e < s->parts && across != MPI_COMM_NULL; e++) {
    PetscCallMPI(MPI_Bcast(s->a[e], s->directions, MPI_DOUBLE, owner[e], across));
    PetscCallMPI(MPI_Bcast(&s->value[e], 1, MPI_DOUBLE, owner[e], across));
    PetscCallMPI(MPI_Bcast(s->name[e], (int)sizeof s->name[e], MPI_CHAR, owner[e], across));
  }
  return 0;
}

/* w that makes sum_e w_e a_ek nearest to b_k: normal equations, Gauss with pivots; 1 for parts with
   no slope. false: the a_e are too much alike. */
static bool weights(const Sum *s, const double b[], double w[]) {
  const int n = s->parts;
  static double m[PARTS_MOST][PARTS_MOST + 1];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++) {
      m[i][j] = 0;
      for (int d = 0; d < s->directions; d++) m[i][j] += s->a[i][d] * (j < n ? s->a[j][d] : b[d]);
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
  if (!weights(s, s->b[way], w)) return;
  memcpy(sorted, w, sizeof sorted);
  qsort(sorted, (size_t)s->parts, sizeof *sorted, ascending);
  const double usual = s->parts > 2 ? sorted[s->parts / 2] : 1;
  for (int e = 0; e < s->parts; e++)
    if (fabs(w[e] - usual) > fabs(w[odd] - usual)) odd = e;
  (void)PetscStrncpy(f->part, s->name[odd], sizeof f->part);
  f->was = usual, f->is = w[odd];
}

/* That of all parts: 1, but of a mini-batch of experiments what its tangent says. */
static double common_weight(const Sum *s) {
  double top = 0, bottom = 0;
  for (int d = 0; d < s->directions; d++) {
    double sum = 0;
    for (int e = 0; e < s->parts; e++) sum += s->a[e][d];
    top += sum * s->b[TANGENT][d], bottom += sum * sum;
  }
  return !strcmp(HgOperatorName(s->op), "experiments") && bottom > 0 ? top / bottom : 1;
}

/* Does J' d_k follow from the parts, with one weight for all? */
static bool agrees(const Sum *s, int way, double *off) {
  const double bound = way == VALUE ? 1e-6 : 1e-11, weight = common_weight(s);
  double size = 0;
  *off = 0;
  for (int d = 0; d < s->directions; d++) {
    double sum = 0, parts = 0;
    for (int e = 0; e < s->parts; e++) sum += weight * s->a[e][d], parts += fabs(s->a[e][d]);
    *off += fmax(0, fabs(sum - s->b[way][d]) - (way == VALUE ? s->rounding[d] : 0));
    size += parts + fabs(s->b[way][d]);
  }
  *off = *off == 0 ? 0 : *off / size;
  return *off <= bound;
}

/* The tangent first, from which the weight of a mini-batch is taken. */
static PetscErrorCode judge(const Sum *s, HgDoctorReport *report) {
  static const int order[WAYS] = {TANGENT, GRADIENT, VALUE};
  for (int k = 0; k < (HgOperatorApplies(s->op) ? WAYS : WAYS - 1); k++) {
    double off;
    if (agrees(s, order[k], &off)) continue;
    HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_SUM, -1);
    if (!f) return 0;
    f->value = off;
    PetscCall(PetscStrncpy(f->within, HgOperatorName(s->op), sizeof f->within));
    PetscCall(PetscStrncpy(f->write, ways[order[k]], sizeof f->write));
    name_part(s, order[k], f);
    return 0;
  }
  return 0;
}

/* Goes through the parts; *sum: all have the input and the output of `op`. */
static PetscErrorCode gather(Sum *s, bool *sum) {
  const MPI_Comm across = HgOperatorAcross(s->op);
  int owner[PARTS_MOST], group = 0, kind = 1;
  if (across != MPI_COMM_NULL) MPI_Comm_rank(across, &group);
  for (int pass = 0; pass < 2 && kind; pass++)
    for (int k = 0;; k++) {
      HgOperator part;
      HgState at, y;
      PetscCall(HgOperatorPart(s->op, s->x, k, &part, &at));
      if (!at || k == PARTS_MOST) {
        if (at) kind = 0; /* too many to tell the weight of each */
        if (!pass) s->parts = k, s->directions = 2 * k;
        PetscCall(HgStateDestroy(&at));
        break;
      }
      if (part && !pass) {
        PetscCall(HgOperatorCreateOutput(part, &y));
        kind = kind && HgStateSame(at, s->x) && HgStateSame(y, s->J);
        PetscCall(HgStateDestroy(&y));
      }
      if (part && pass) PetscCall(part_of(s, k, part));
      owner[k] = part ? group : -1;
      PetscCall(HgStateDestroy(&at));
    }
  *sum = kind;
  if (across == MPI_COMM_NULL) return 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, owner, s->parts, MPI_INT, MPI_MAX, across));
  return share(s, across, owner);
}

/* A chain, a single part, or more parts than PARTS_MOST: its gradient against its tangent. */
static PetscErrorCode check_chain(Sum *s, const HgDoctorOptions *o, HgDoctorReport *report) {
  double norm[2];
  PetscCall(HgStateDot(s->dx, s->dx, &norm[0]));
  PetscCall(HgStateDot(s->x_bar, s->x_bar, &norm[1]));
  const double gradient = s->b[GRADIENT][0], tangent = s->b[TANGENT][0],
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
  double J;
  PetscCall(gather(s, &sum));
  PetscCall(HgOperatorGradient(s->op, s->x, &J, s->x_bar));
  sum = sum && s->parts > 1;
  for (int d = 0; d < (sum ? s->directions : 1); d++) PetscCall(whole(s, d));
  return sum ? judge(s, report) : check_chain(s, o, report);
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
