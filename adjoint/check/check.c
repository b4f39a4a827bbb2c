/* Checks of one operator around one point: see check.h. */
#include <float.h>
#include <halograd/check_library.h>
#include <halograd/taylor_library.h>
#include <halograd/trajectory.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Rounding of a tangent or adjoint is a few eps for each operation between input and output;
   random directions make the terms add up like a random walk. The dot product's bound allows
   100; linearity compares three tangents and adding compares two adjoints, term by term, so
   that nothing averages out: 10 times as much. A wrong term is wrong by about 1 in either. */
static double dot_bound(const HgCheckOptions *options) {
  return options && options->dot_bound > 0 ? options->dot_bound : 100 * DBL_EPSILON;
}

static double linearity_bound(double dot_bound) { return 10 * dot_bound; }

static double ratio(double error, double size) { return error == 0 ? 0 : error / size; }

static PetscErrorCode checker_create(HgOperator op, HgState x, const HgCheckOptions *options,
                                     HgChecker *c) {
  memset(c, 0, sizeof *c);
  c->op = op, c->x = x, c->seed = options ? options->seed : 0, c->bound = dot_bound(options),
  c->untouched = true;
  HgState *const inputs[] = {&c->at, &c->dx, &c->x_bar, &c->work[0], &c->work[1]};
  HgState *const outputs[] = {&c->y, &c->dy, &c->y_bar, &c->moved};
  for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
    PetscCall(HgOperatorCreateInput(op, inputs[k]));
  for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++)
    PetscCall(HgOperatorCreateOutput(op, outputs[k]));
  return 0;
}

static PetscErrorCode checker_destroy(HgChecker *c) {
  HgState *const states[] = {&c->at, &c->dx, &c->x_bar, &c->work[0], &c->work[1],
                             &c->y,  &c->dy, &c->y_bar, &c->moved};
  for (size_t k = 0; k < sizeof states / sizeof *states; k++) PetscCall(HgStateDestroy(states[k]));
  return 0;
}

/* F'(x) 0 and F'(x)^T 0 over results full of other numbers. */
static PetscErrorCode check_zero(HgChecker *c, double *zero) {
  double tangent, adjoint;
  PetscCall(HgStateZero(c->dx));
  PetscCall(HgStateRandom(c->dy, c->seed + 1));
  PetscCall(HgCheckerTangent(c, c->dx, c->dy));
  PetscCall(HgCheckerNorm(c->dy, &tangent));
  PetscCall(HgStateZero(c->y_bar));
  PetscCall(HgCheckerTranspose(c, c->y_bar, c->x_bar));
  PetscCall(HgCheckerNorm(c->x_bar, &adjoint));
  *zero = tangent + adjoint; /* a NaN stays one */
  return 0;
}

/* Leaves dx, dy = F'dx, y_bar and x_bar = F'^T y_bar, and a lower bound of ||F'||. */
static PetscErrorCode check_dot(HgChecker *c, double *dot) {
  PetscCall(HgCheckerDirection(c, c->seed + 2, c->dx));
  PetscCall(HgCheckerTangent(c, c->dx, c->dy));
  PetscCall(HgStateRandom(c->y_bar, c->seed + 3));
  PetscCall(HgCheckerTranspose(c, c->y_bar, c->x_bar));
  const HgState a[] = {c->dy, c->dx, c->dx, c->dy, c->y_bar, c->x_bar};
  const HgState b[] = {c->y_bar, c->x_bar, c->dx, c->dy, c->y_bar, c->x_bar};
  double product[6];
  PetscCall(HgCheckerProducts(6, a, b, product));
  const double dx = sqrt(product[2]), dy = sqrt(product[3]), y_bar = sqrt(product[4]),
               x_bar = sqrt(product[5]);
  *dot = ratio(fabs(product[0] - product[1]), fmax(dy * y_bar, dx * x_bar));
  c->scale = fmax(ratio(dy, dx), ratio(x_bar, y_bar));
  return 0;
}

/* The error relative to the norm of F' and not to F'dx, which can be small by chance if the
   output is a single number. */
static PetscErrorCode check_linearity(HgChecker *c, double *linearity) {
  const double a = -0.7, b = -1.3; /* both negative: of one number, too, |dx| does not pass */
  double error, size;
  HgState dx2 = c->work[0], sum = c->work[1], dy2 = c->y, dy_sum = c->moved;
  PetscCall(HgCheckerDirection(c, c->seed + 4, dx2));
  PetscCall(HgCheckerTangent(c, dx2, dy2));
  PetscCall(HgStateZero(sum));
  PetscCall(HgStateAXPY(sum, a, c->dx));
  PetscCall(HgStateAXPY(sum, b, dx2));
  PetscCall(HgCheckerTangent(c, sum, dy_sum));
  PetscCall(HgStateAXPY(dy_sum, -a, c->dy));
  PetscCall(HgStateAXPY(dy_sum, -b, dy2));
  PetscCall(HgCheckerNorm(dy_sum, &error));
  PetscCall(HgCheckerNorm(sum, &size));
  *linearity = ratio(error, c->scale * size);
  c->linearity = fmin(*linearity, linearity_bound(c->bound));
  return 0;
}

/* x_bar = p must become p + F'^T y_bar. p is as large as what is added, variable by variable,
   so that neither hides the other. */
static PetscErrorCode check_adding(HgChecker *c) {
  HgState p = c->work[0], sum = c->work[1];
  PetscCall(HgCheckerRandomLike(c->x_bar, c->seed + 5, p));
  PetscCall(HgStateCopy(p, sum));
  PetscCall(HgCheckerAdjoint(c, c->y_bar, sum));
  PetscCall(HgStateAXPY(sum, -1, p));
  PetscCall(HgStateAXPY(sum, -1, c->x_bar));
  const int count = HgStateCount(sum);
  double *error, *size;
  PetscCall(PetscMalloc2(count, &error, count, &size));
  PetscCall(HgCheckerNorms(sum, error));
  PetscCall(HgCheckerNorms(p, size));
  for (int k = 0; k < count; k++)
    if (!(ratio(error[k], 2 * size[k]) <= linearity_bound(c->bound))) c->untouched = false;
  return PetscFree2(error, size);
}

static PetscErrorCode check_options(HgOperator op, HgState x, const HgCheckOptions *o) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(x));
  if (!o) return 0;
  HgRequire(comm, isfinite(o->dot_bound) && o->dot_bound >= 0,
            "check of '%s': the bound of the dot product is %g, expected a number >= 0",
            HgOperatorName(op), o->dot_bound);
  HgRequire(comm, isfinite(o->taylor_step) && o->taylor_step >= 0,
            "check of '%s': the Taylor step is %g, expected a number >= 0", HgOperatorName(op),
            o->taylor_step);
  return 0;
}

PetscErrorCode HgCheckOperator(HgOperator op, HgState x, const HgCheckOptions *options,
                               HgCheckReport *report) {
  HgChecker c;
  PetscCall(check_options(op, x, options));
  PetscCall(checker_create(op, x, options, &c));
  PetscCall(check_zero(&c, &report->zero));
  PetscCall(check_dot(&c, &report->dot));
  PetscCall(check_linearity(&c, &report->linearity));
  PetscCall(check_adding(&c));
  PetscCall(HgCheckerTaylor(&c, options && options->taylor_step > 0 ? options->taylor_step : 1e-2,
                            &report->taylor));
  int untouched = c.untouched;
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &untouched, 1, MPI_INT, MPI_MIN, HgMeshComm(HgStateMesh(x))));
  report->untouched = untouched;
  return checker_destroy(&c);
}

PetscErrorCode HgCheckVerdict(const HgCheckReport *r, const HgCheckOptions *options, char line[],
                              size_t size, bool *passed) {
  const double dot = dot_bound(options), linearity = linearity_bound(dot);
  char failed[5][64];
  int count = 0;
  /* Written so that a NaN fails. */
  if (!(r->zero == 0)) snprintf(failed[count++], sizeof *failed, "zero %.2g (must be 0)", r->zero);
  if (!(r->linearity <= linearity))
    snprintf(failed[count++], sizeof *failed, "linearity %.2g (bound %.2g)", r->linearity,
             linearity);
  if (!(r->dot <= dot))
    snprintf(failed[count++], sizeof *failed, "dot product %.2g (bound %.2g)", r->dot, dot);
  if (!(r->taylor >= HG_TAYLOR_BOUND))
    snprintf(failed[count++], sizeof *failed, "Taylor %.3f (must be >= %.1f)", r->taylor,
             HG_TAYLOR_BOUND);
  if (!r->untouched)
    snprintf(failed[count++], sizeof *failed,
             "untouched (an input changed or the adjoint does not add)");
  *passed = !count;
  size_t used = 0;
  if (size) line[0] = 0;
  for (int k = 0; k < count && used < size; k++)
    used += (size_t)snprintf(line + used, size - used, "%s%s", k ? ", " : "", failed[k]);
  return 0;
}

static PetscErrorCode tell(HgOperator op, HgState x, const HgCheckOptions *options,
                           bool failures_only, bool *passed);

/* Part k of `op`: is there one, and is it wrong, as far as this group of ranks has it? If
   `descend`, what fails is told, and its parts. */
static PetscErrorCode check_part(HgOperator op, HgState x, int k, const HgCheckOptions *options,
                                 bool descend, bool *there, bool *wrong) {
  HgOperator part;
  HgState at;
  HgCheckReport report;
  char line[384];
  bool passed = true;
  PetscCall(HgOperatorPart(op, x, k, &part, &at));
  if (part && descend) PetscCall(tell(part, at, options, true, &passed));
  else if (part) {
    PetscCall(HgCheckOperator(part, at, options, &report));
    PetscCall(HgCheckVerdict(&report, options, line, sizeof line, &passed));
  }
  *there = at != NULL, *wrong = !passed;
  return HgStateDestroy(&at);
}

static PetscErrorCode tell_composition(HgOperator op, HgState x) {
  return PetscPrintf(HgMeshComm(HgStateMesh(x)),
                     HgTrajectoryOf(op)
                         ? "check %s: the one step that was looked at passes: look at the others, "
                           "and at how they are put together\n"
                         : "check %s: all of its parts pass: look at how they are put together\n",
                     HgOperatorName(op));
}

/* Of parts that groups check side by side, the group that has the first one that is wrong tells of
   it. The first group knows whether to be quiet. */
static PetscErrorCode tell_parts_across(HgOperator op, HgState x, const HgCheckOptions *options) {
  const MPI_Comm across = HgOperatorAcross(op);
  HgCheckOptions loud = options ? *options : (HgCheckOptions){0};
  int group, quiet = loud.quiet;
  PetscCallMPI(MPI_Comm_rank(across, &group));
  PetscCallMPI(MPI_Bcast(&quiet, 1, MPI_INT, 0, across));
  loud.quiet = false;
  bool there = true, wrong;
  int own = INT_MAX, first;
  for (int k = 0; there; k++) {
    PetscCall(check_part(op, x, k, options, false, &there, &wrong));
    if (wrong) own = PetscMin(own, k);
  }
  PetscCallMPI(MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, across));
  if (quiet) return 0;
  if (first == INT_MAX) return group ? 0 : tell_composition(op, x);
  if (own == first) PetscCall(check_part(op, x, own, &loud, true, &there, &wrong));
  PetscCallMPI(MPI_Barrier(across)); /* before the first group says more */
  return 0;
}

/* Which parts of a composite that has failed are wrong. */
static PetscErrorCode tell_parts(HgOperator op, HgState x, const HgCheckOptions *options) {
  const bool quiet = options && options->quiet;
  bool there = true, wrong;
  int parts = 0, failed = 0;
  if (HgOperatorAcross(op) != MPI_COMM_NULL) return tell_parts_across(op, x, options);
  while (there) {
    PetscCall(check_part(op, x, parts, options, true, &there, &wrong));
    parts += there, failed += wrong;
  }
  return !parts || failed || quiet ? 0 : tell_composition(op, x);
}

static PetscErrorCode tell(HgOperator op, HgState x, const HgCheckOptions *options,
                           bool failures_only, bool *passed) {
  HgCheckReport r;
  char line[384], taylor[16] = "affine";
  PetscCall(HgCheckOperator(op, x, options, &r));
  PetscCall(HgCheckVerdict(&r, options, line, sizeof line, passed));
  if (!isinf(r.taylor)) snprintf(taylor, sizeof taylor, "%.2f", r.taylor);
  if (!(options && options->quiet) && !(failures_only && *passed))
    PetscCall(PetscPrintf(
        HgMeshComm(HgStateMesh(x)), "check %s: zero %.2g linearity %.2g dot %.2g Taylor %s %s%s\n",
        HgOperatorName(op), r.zero, r.linearity, r.dot, taylor, *passed ? "ok" : "FAILED: ", line));
  return *passed ? 0 : tell_parts(op, x, options);
}

/* What `op` is made of, down to what has no parts; trajectories look the same everywhere, and groups
   of ranks have parts of their own. */
static PetscErrorCode check_leaves(HgOperator op, HgState x, const HgCheckOptions *options,
                                   bool *passed) {
  bool ok = true, there = true;
  int parts = 0;
  if (HgTrajectoryOf(op) || HgOperatorAcross(op) != MPI_COMM_NULL) return 0;
  while (there) {
    HgOperator part;
    HgState at;
    PetscCall(HgOperatorPart(op, x, parts, &part, &at));
    there = at, parts += there;
    if (part) PetscCall(check_leaves(part, at, options, passed));
    PetscCall(HgStateDestroy(&at));
  }
  if (!parts) PetscCall(tell(op, x, options, true, &ok));
  *passed = *passed && ok;
  return 0;
}

PetscErrorCode HgCheckPrint(HgOperator op, HgState x, const HgCheckOptions *o, bool *passed) {
  HgState beside;
  bool ok = true;
  PetscCall(tell(op, x, o, false, passed));
  if (!*passed || HgTrajectoryOf(op)) return 0;
  PetscCall(HgStateDuplicate(x, &beside));
  PetscCall(HgCheckerBeside(x, true, o ? o->bounds : 0, o ? o->bound : NULL, (o ? o->seed : 0) + 9,
                            beside));
  PetscCall(check_leaves(op, beside, o, &ok));
  if (!ok && !(o && o->quiet))
    PetscCall(PetscPrintf(HgMeshComm(HgStateMesh(x)),
                          "check %s: FAILED beside the point, each number moved by up to a "
                          "hundredth, and not at it\n",
                          HgOperatorName(op)));
  *passed = ok;
  return HgStateDestroy(&beside);
}
