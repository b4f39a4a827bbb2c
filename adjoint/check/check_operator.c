/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of one operator around one point: see check.h. */
#include <halograd/check_library.h>
#include <halograd/operator_library.h>
#include <halograd/real_library.h>
#include <halograd/state_library.h>

typedef struct {
  HgOperator op;
  HgState x;         /* the caller's: copied, never handed to the operator */
  HgState at;        /* the copy that the operator gets */
  HgState dx, x_bar; /* of the input's kind, as are the next three */
  HgState work[2], given_in;
  HgState y, dy, y_bar; /* of the output's kind, as are the next two */
  HgState moved, given_out;
  uint64_t seed;
  double bound;     /* of the dot product */
  double scale;     /* a lower bound of the norm ||F'(x)|| */
  double linearity; /* relative rounding of the tangent */
  bool untouched;   /* so far, on this rank */
  HgFindings *report;
} Checker;

/* Rounding of a tangent or adjoint is a few eps for each operation between input and output. Along
   random directions the terms add up like a random walk: the dot product may be off by 100 eps.
   Linearity compares three tangents, and adding compares two adjoints, number by number, so nothing
   averages out: 10 times as much. A wrong term shows as about 1 in either. */
static double linearity_bound(const Checker *c) { return 10 * c->bound; }

static PetscErrorCode checker_create(HgOperator op, HgState x, const HgCheckOptions *options,
                                     HgFindings *report, Checker *c) {
  *c = (Checker){.op = op, .x = x, .untouched = true, .report = report};
  c->seed = options ? options->seed : 0;
  c->bound =
      options && options->dot_bound > 0 ? options->dot_bound * HG_ROUNDING : 100 * HG_REAL_EPSILON;
  HgState *const inputs[] = {&c->at, &c->dx, &c->x_bar, &c->work[0], &c->work[1], &c->given_in};
  HgState *const outputs[] = {&c->y, &c->dy, &c->y_bar, &c->moved, &c->given_out};
  for (int k = 0; k < 6; k++) PetscCall(HgOperatorCreateInput(op, inputs[k]));
  for (int k = 0; k < 5; k++) PetscCall(HgOperatorCreateOutput(op, outputs[k]));
  return 0;
}

/* Adds a finding unless `ok`; pass ok = false for NaN. */
static void note(Checker *c, HgCheckId check, double value, double bound, bool ok) {
  if (isnan(value)) value = check == HG_CHECK_TAYLOR ? -INFINITY : INFINITY;
  c->report->worst[check] = value;
  HgFinding *f = ok ? NULL : HgFindingsAdd(c->report, check, -1);
  if (!f) return;
  HgFindingName(f, HgOperatorName(c->op), NULL, NULL);
  f->value = value, f->bound = bound;
}

/* ---- calls that notice changed inputs ---- */
static PetscErrorCode apply(Checker *c, HgState point, HgState y) {
  PetscCall(HgStateCopy(point, c->at));
  PetscCall(HgOperatorApply(c->op, c->at, y));
  c->untouched = c->untouched && HgCheckSame(c->at, point);
  return 0;
}

static PetscErrorCode tangent(Checker *c, HgState dx, HgState dy) {
  PetscCall(HgStateCopy(dx, c->given_in));
  PetscCall(HgStateCopy(c->x, c->at));
  PetscCall(HgOperatorTangent(c->op, c->at, c->given_in, dy));
  c->untouched = c->untouched && HgCheckSame(c->at, c->x) && HgCheckSame(c->given_in, dx);
  return 0;
}

/* HgOperatorAdjoint() or HgOperatorTranspose(); x_bar is filled with NaN before the latter. */
static PetscErrorCode backward(Checker *c, HgOperatorBackFn *f, HgState y_bar, HgState x_bar) {
  if (f == HgOperatorTranspose) PetscCall(HgStateScale(x_bar, NAN));
  PetscCall(HgStateCopy(y_bar, c->given_out));
  PetscCall(HgStateCopy(c->x, c->at));
  PetscCall(f(c->op, c->at, c->given_out, x_bar));
  c->untouched = c->untouched && HgCheckSame(c->at, c->x) && HgCheckSame(c->given_out, y_bar);
  return 0;
}

static PetscErrorCode direction(Checker *c, uint64_t seed, HgState dx) {
  PetscCall(HgStateRandom(dx, seed));
  return HgCheckFix(c->op, dx);
}

/* ---- the checks ---- */

/* F'(x) 0 = 0 and F'(x)^T 0 = 0, into results that hold other numbers before. */
static PetscErrorCode check_zero(Checker *c) {
  double forward, back;
  PetscCall(HgStateZero(c->dx));
  PetscCall(HgStateRandom(c->dy, c->seed + 1));
  PetscCall(tangent(c, c->dx, c->dy));
  PetscCall(HgCheckNorm(c->dy, &forward));
  PetscCall(HgStateZero(c->y_bar));
  PetscCall(backward(c, HgOperatorTranspose, c->y_bar, c->x_bar));
  PetscCall(HgCheckNorm(c->x_bar, &back));
  note(c, HG_CHECK_ZERO, forward + back, 0, forward + back == 0);
  return 0;
}

/* Also stores dx, dy = F'dx, y_bar, x_bar = F'^T y_bar, and a lower bound of ||F'||. */
static PetscErrorCode check_dot(Checker *c) {
  HgCheckPair p;
  PetscCall(direction(c, c->seed + 2, c->dx));
  PetscCall(tangent(c, c->dx, c->dy));
  PetscCall(HgStateRandom(c->y_bar, c->seed + 3));
  PetscCall(backward(c, HgOperatorTranspose, c->y_bar, c->x_bar));
  PetscCall(HgCheckDot(c->dx, c->dy, c->y_bar, c->x_bar, &p));
  c->scale = fmax(HgCheckOff(p.dy, 0, p.dx), HgCheckOff(p.x_bar, 0, p.y_bar));
  note(c, HG_CHECK_DOT, p.off, c->bound, p.off <= c->bound);
  return 0;
}

/* The error is relative to the norm of F': F'dx can be small by chance if the output is one number.
   */
static PetscErrorCode check_linearity(Checker *c) {
  const double a = -0.7, b = -1.3; /* both negative: of one number, too, |dx| does not pass */
  double error, size;
  HgState dx2 = c->work[0], sum = c->work[1], dy2 = c->y, dy_sum = c->moved;
  PetscCall(direction(c, c->seed + 4, dx2));
  PetscCall(tangent(c, dx2, dy2));
  PetscCall(HgStateZero(sum));
  PetscCall(HgStateAXPY(sum, a, c->dx));
  PetscCall(HgStateAXPY(sum, b, dx2));
  PetscCall(tangent(c, sum, dy_sum));
  PetscCall(HgStateAXPY(dy_sum, -a, c->dy));
  PetscCall(HgStateAXPY(dy_sum, -b, dy2));
  PetscCall(HgCheckNorm(dy_sum, &error));
  PetscCall(HgCheckNorm(sum, &size));
  const double off = HgCheckOff(error, 0, c->scale * size);
  note(c, HG_CHECK_LINEARITY, off, linearity_bound(c), off <= linearity_bound(c));
  c->linearity = fmin(off, linearity_bound(c));
  return 0;
}

/* x_bar = p must become p + F'^T y_bar. p is as large as what is added, variable by variable,
   so that neither hides the other. */
static PetscErrorCode check_adding(Checker *c) {
  HgState p = c->work[0], sum = c->work[1];
  PetscCall(HgCheckRandomLike(c->x_bar, -1, c->seed + 5, p));
  PetscCall(HgStateCopy(p, sum));
  PetscCall(backward(c, HgOperatorAdjoint, c->y_bar, sum));
  PetscCall(HgStateAXPY(sum, -1, p));
  PetscCall(HgStateAXPY(sum, -1, c->x_bar));
  const int count = HgStateCount(sum);
  double *error, *size, worst = 0;
  PetscCall(PetscMalloc2(count, &error, count, &size));
  PetscCall(HgCheckNorms(sum, error));
  PetscCall(HgCheckNorms(p, size));
  for (int k = 0; k < count; k++) {
    const double off = HgCheckOff(error[k], 0, 2 * size[k]);
    worst = isnan(off) ? INFINITY : fmax(worst, off);
  }
  note(c, HG_CHECK_ADDS, worst, linearity_bound(c), worst <= linearity_bound(c));
  return PetscFree2(error, size);
}

/* ---- Taylor ---- */

static PetscErrorCode remainder_norm(Checker *c, double e, double *R) {
  PetscCall(HgStateCopy(c->x, c->work[0]));
  PetscCall(HgStateAXPY(c->work[0], e, c->dx));
  PetscCall(apply(c, c->work[0], c->moved));
  PetscCall(HgStateAXPY(c->moved, -1, c->y));
  PetscCall(HgStateAXPY(c->moved, -e, c->dy));
  return HgCheckNorm(c->moved, R);
}

/* The order of the remainder as e decreases from hg_taylor_first. If the remainder does not
   decrease and is not rounding, F jumps and has no tangent. */
static PetscErrorCode find_order(Checker *c, double *order) {
  HgTaylorSweep s = {0};
  double noise = 0, size, dx, rate, R;
  PetscCall(HgCheckNorm(c->y, &size));
  PetscCall(HgCheckNorm(c->dx, &dx));
  PetscCall(HgCheckNorm(c->dy, &rate));
  for (int k = 0; k < HG_TAYLOR_NOISES; k++) {
    PetscCall(remainder_norm(c, hg_taylor_noise[k], &R));
    noise = fmax(noise, R);
  }
  const double rounding = noise + HG_REAL_EPSILON * size,
               slow = fmax(c->linearity, HG_REAL_EPSILON) * c->scale * dx;
  int below = 0;
  for (double e = hg_taylor_first; s.count < HG_TAYLOR_STEPS && below < 2; e *= hg_taylor_factor) {
    PetscCall(remainder_norm(c, e, &R));
    below = HgTaylorAdd(&s, e, R, rounding + slow * e) || !isfinite(R) ? 0 : below + 1;
  }
  const bool jump =
      noise > hg_taylor_hidden * (size + c->scale * dx) && noise > hg_taylor_hidden * s.R[0];
  *order = jump ? 0 : HgTaylorOrder(&s, rate);
  return 0;
}

/* dx is as large as x, variable by variable, so e is a relative step (absolute where x is 0). y and
   `moved` hold different numbers before, which shows what apply does not write. */
static PetscErrorCode check_taylor(Checker *c) {
  double order = 0, R;
  PetscCall(HgCheckRandomLike(c->x, -1, c->seed + 6, c->dx));
  PetscCall(HgCheckFix(c->op, c->dx));
  PetscCall(tangent(c, c->dx, c->dy));
  PetscCall(HgStateRandom(c->y, c->seed + 7));
  PetscCall(HgStateRandom(c->moved, c->seed + 8));
  PetscCall(apply(c, c->x, c->y));
  PetscCall(remainder_norm(c, 0, &R));
  if (isnan(R)) order = NAN;
  else if (R == 0) PetscCall(find_order(c, &order)); /* else not the same value twice */
  note(c, HG_CHECK_TAYLOR, order, HG_TAYLOR_BOUND, order >= HG_TAYLOR_BOUND);
  return 0;
}

PetscErrorCode HgExamineOperator(HgOperator op, HgState x, const HgCheckOptions *o,
                                 HgFindings *report) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(x));
  Checker c;
  HgRequire(comm, !o || (isfinite(o->dot_bound) && o->dot_bound >= 0), HG_ERR_OPERATOR,
            "check of '%s': the bound of the dot product is %g, expected a number >= 0",
            HgOperatorName(op), o->dot_bound);
  HgFindingsBegin(HgOperatorName(op), report);
  PetscCall(checker_create(op, x, o, report, &c));
  PetscCall(check_zero(&c));
  PetscCall(check_dot(&c));
  PetscCall(check_linearity(&c));
  PetscCall(check_adding(&c));
  PetscCall(check_taylor(&c));
  int untouched = c.untouched;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &untouched, 1, MPI_INT, MPI_MIN, comm));
  note(&c, HG_CHECK_INPUTS, !untouched, 0, untouched);
  return HgStatesDestroy(&c.at, &c.dx, &c.x_bar, &c.work[0], &c.work[1], &c.given_in, &c.y, &c.dy,
                         &c.y_bar, &c.moved, &c.given_out);
}
