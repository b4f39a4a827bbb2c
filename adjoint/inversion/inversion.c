/* SPDX-License-Identifier: BSD-2-Clause */
#include "inversion_private.h"
#include <halograd/error_library.h>
#include <halograd/inversion_library.h>
#include <halograd/mesh_library.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <limits.h>
#include <math.h>
#include <petsctao.h>
#include <string.h>

#if PETSC_VERSION_LT(3, 21, 0)
#define TaoMonitorSet TaoSetMonitor
#endif

enum {
  WALL = 10,            /* J of a point where the model gives no number, over the largest J seen */
  PATIENCE = 10,        /* evaluations for one iterate that need no warning */
  NEWTON_PATIENCE = 40, /* the first trust region is found by some tens of them */
  PAIRS_MOST = 1000,
  PAIRS_PRECONDITIONED = 20 /* 5, 10, 20: 31, 28, 24 evaluations; the factor needs more memory */
};

/* TAO sums squares of gradients, which must not overflow. */
static const double most_J = 1e300, most_norm = 1e150;

struct HgInversion_s {
  HgOperator functional, part; /* part: of it, which asks for no data; NULL: none */
  HgMetric metric;             /* while it is solved; NULL: the identity */
  HgJournal journal;           /* NULL: evaluations are not kept */
  HgState m, gradient, best;   /* controls and dJ/dm as states; controls of the lowest J */
  HgControlRange *range;       /* per control */
  HgMonitorFn *monitor;
  void *context;
  HgInversionRules rules;
  double start;
  double lowest, highest, tolerance; /* J, and |J|; TAO's, relative to the first gradient */
  int evaluated;
  HgMethod method;
  char type[HG_METHOD_NAME]; /* TAO's name of the method */
  PetscErrorCode broken;     /* an error inside of TAO, 0: none */
  bool none,                 /* no iteration is asked for */
      blind,                 /* J does not depend on the controls */
      warned, remarked,      /* that they may be wrong; that a gradient was not finite */
      kept;                  /* the journal has the evaluations of a solution */
  HgIterate last;
};

PetscErrorCode HgInversionCreate(HgOperator functional, HgInversion *inversion) {
  HgInversion v;
  PetscCall(PetscNew(&v));
  PetscCall(HgOperatorReference(functional));
  v->functional = functional;
  PetscCall(HgOperatorCreateInput(functional, &v->m));
  PetscInt all;
  const PetscErrorCode ierr = HgControlsCount(v->m, &all);
  if (ierr) {
    PetscCall(HgInversionDestroy(&v));
    return ierr;
  }
  PetscCall(HgStateDuplicate(v->m, &v->gradient));
  PetscCall(HgStateDuplicate(v->m, &v->best));
  PetscCall(PetscMalloc1(HgStateCount(v->m), &v->range));
  for (int k = 0; k < HgStateCount(v->m); k++)
    v->range[k] = (HgControlRange){-INFINITY, INFINITY, 1};
  v->rules = (HgInversionRules){.tolerance = 1e-4, .iterations = 200, .evaluations = 1000};
  *inversion = v;
  return 0;
}

HgOperator HgInversionFunctional(HgInversion v) { return v->functional; }

const HgControlRange *HgInversionRanges(HgInversion v) { return v->range; }

PetscErrorCode HgInversionDestroy(HgInversion *inversion) {
  HgInversion v = *inversion;
  *inversion = NULL;
  if (!v) return 0;
  PetscCall(HgJournalDestroy(&v->journal));
  PetscCall(HgOperatorDestroy(&v->functional));
  PetscCall(HgOperatorDestroy(&v->part));
  PetscCall(HgStatesDestroy(&v->m, &v->gradient, &v->best));
  PetscCall(PetscFree(v->range));
  return PetscFree(v);
}

PetscErrorCode HgInversionSetBounds(HgInversion v, const char control[], double lower, double upper,
                                    double scale) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(v->m));
  int k;
  PetscCall(HgStateIndex(v->m, control, &k));
  PetscCall(HgRequireAlike(comm, "bounds %.17g and %.17g, scale %.17g of '%s'", lower, upper, scale,
                           control));
  HgRequire(comm, lower <= upper, HG_ERR_CONTROL,
            "inversion: bounds of '%s' are %g and %g, expected lower <= upper", control, lower,
            upper);
  HgRequire(comm, scale > 0 && isfinite(scale), HG_ERR_CONTROL,
            "inversion: scale of '%s' is %g, expected a positive number", control, scale);
  v->range[k] = (HgControlRange){lower, upper, scale};
  return 0;
}

PetscErrorCode HgInversionSetPart(HgInversion v, HgOperator part) {
  PetscCall(HgOperatorReference(part));
  PetscCall(HgOperatorDestroy(&v->part));
  v->part = part;
  return 0;
}

HgOperator HgInversionPart(HgInversion v) { return v->part; }

PetscErrorCode HgInversionSetMonitor(HgInversion v, HgMonitorFn *monitor, void *context) {
  v->monitor = monitor, v->context = context;
  return 0;
}

PetscErrorCode HgInversionSetJournal(HgInversion v, MPI_Comm across, const char directory[],
                                     int *found) {
  PetscCall(HgJournalDestroy(&v->journal));
  PetscCall(HgJournalCreate(v->m, across, directory, &v->journal));
  *found = HgJournalFound(v->journal);
  v->kept = false;
  return 0;
}

PetscErrorCode HgInversionSetCompared(HgInversion v, int evaluations) {
  HgRequire(HgMeshComm(HgStateMesh(v->m)), v->journal, HG_ERR_CONTROL,
            "inversion: %d evaluations to be computed again, but it has no journal", evaluations);
  HgJournalSetCompared(v->journal, evaluations);
  return 0;
}

PetscErrorCode HgInversionSetRules(HgInversion v, const HgInversionRules *r) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(v->m));
  PetscCall(HgRequireAlike(comm, "method '%s'", r->method ? r->method : ""));
  PetscCall(HgRequireAlike(comm, "stopping rules |g| %.17g, J %.17g, %d iterations, %d evaluations",
                           r->tolerance, r->target, r->iterations, r->evaluations));
  HgRequire(comm,
            r->tolerance >= 0 && r->target >= 0 && isfinite(r->target) && r->iterations >= 0 &&
                r->evaluations >= 0,
            HG_ERR_CONTROL,
            "inversion: stopping rules are |g| %g, J %g, %d iterations, %d evaluations; expected "
            "none negative",
            r->tolerance, r->target, r->iterations, r->evaluations);
  HgRequire(comm, r->pairs >= 0 && r->pairs <= PAIRS_MOST, HG_ERR_CONTROL,
            "inversion: %d pairs to remember, expected 1 to %d, or 0: the usual number", r->pairs,
            PAIRS_MOST);
  v->rules = *r;
  int found;
  const MPI_Comm across = r->across ? *r->across : MPI_COMM_NULL;
  return r->journal ? HgInversionSetJournal(v, across, r->journal, &found) : 0;
}

/* ---- callbacks ---- */

/* J is not finite at the first guess: evaluating J alone may name the step or observation. */
static PetscErrorCode refuse_guess(HgInversion v, double J) {
  if (HgOperatorApplies(v->functional)) {
    HgState value;
    PetscCall(HgOperatorCreateOutput(v->functional, &value));
    const PetscErrorCode ierr = HgOperatorApply(v->functional, v->m, value);
    PetscCall(HgStateDestroy(&value));
    if (ierr) return ierr;
  }
  return HgError(HgMeshComm(HgStateMesh(v->m)), HG_ERR_NOT_FINITE,
                 "inversion: J is %g at the first guess, expected a number of at most %g: a weight "
                 "of the regularisation, or a residual over its sigma, is too large",
                 J, most_J);
}

/* Finds the controls whose gradients differ from those of the part without data. */
static PetscErrorCode find_seen(HgInversion v, HgState of_part, int seen[]) {
  const int count = HgStateCount(v->m);
  for (int k = 0; k < count; k++) {
    int rows, n;
    HgControlsPart(v->m, k, &rows, &n);
    seen[k] = 0;
    for (int j = 0; j < rows; j++) {
      const HgRow all = HgStateRowOf(v->gradient, k, j), part = HgStateRowOf(of_part, k, j);
      for (int i = 0; i < n; i++) seen[k] |= HgRowGet(all, i) != HgRowGet(part, i);
    }
  }
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, seen, count, MPI_INT, MPI_MAX, HgMeshComm(HgStateMesh(v->m))));
  return 0;
}

static PetscErrorCode remark_unseen(HgInversion v, const int seen[]) {
  char text[512];
  for (int k = 0; k < HgStateCount(v->m); k++) {
    if (seen[k]) continue;
    snprintf(text, sizeof text,
             "inversion: J does not depend on control '%s' at the first guess: its gradient is "
             "exactly 0%s\n",
             HgStateVariable(v->m, k)->name, v->part ? " but for the regularisation" : "");
    PetscCall(HgCommSay(HgMeshComm(HgStateMesh(v->m)), text));
  }
  return 0;
}

/* Called at the first guess, with J and its gradient v->gradient. If J consists only of the part
   without data, the data fit already, and a gradient of 0 is a minimum. */
static PetscErrorCode look_for_data(HgInversion v, double J) {
  const int count = HgStateCount(v->m);
  double J_part = 0;
  HgState of_part;
  int *seen, some = 0;
  PetscCall(HgStateDuplicate(v->m, &of_part));
  if (v->part) PetscCall(HgOperatorGradient(v->part, v->m, &J_part, of_part));
  PetscCall(PetscCalloc1(count, &seen));
  PetscCall(find_seen(v, of_part, seen));
  for (int k = 0; k < count; k++) some |= seen[k];
  v->blind = !some && J != J_part;
  if (some && J != J_part) PetscCall(remark_unseen(v, seen));
  PetscCall(PetscFree(seen));
  return HgStateDestroy(&of_part);
}

/* A long line search usually means a wrong gradient. */
static PetscErrorCode doubt_gradient(HgInversion v) {
  const int most = v->method == HG_METHOD_HESSIAN ? NEWTON_PATIENCE : PATIENCE;
  if (v->warned || v->method == HG_METHOD_VALUE || v->evaluated - v->last.evaluations <= most)
    return 0;
  char text[256];
  v->warned = true;
  snprintf(
      text, sizeof text,
      "inversion: iterate %d takes more than %d evaluations: the gradient of '%s' may be wrong, "
      "or it falls without end; -check, or J.check(x) in Python, compares it with differences\n",
      v->last.evaluations ? v->last.iteration + 1 : 0, most, HgOperatorName(v->functional));
  return HgCommSay(HgMeshComm(HgStateMesh(v->m)), text);
}

/* Whether TAO can continue from J and gradient here. If J is finite but its gradient is not, prints
   a remark: the model may be wrong. g: the gradient as TAO sees it. */
static PetscErrorCode has_numbers(HgInversion v, double J, Vec g, bool *yes) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(v->m));
  char where[256], text[512];
  bool finite;
  PetscReal norm;
  *yes = false;
  if (!(fabs(J) <= most_J)) return 0;
  PetscCall(VecNorm(g, NORM_2, &norm));
  *yes = norm <= most_norm;
  if (*yes) return 0;
  PetscCall(HgStateFinite(v->gradient, &finite, where, sizeof where));
  if (finite)
    snprintf(where, sizeof where, "the sum of squares is beyond %g", most_norm * most_norm);
  HgRequire(comm, v->evaluated > 1, HG_ERR_NOT_FINITE,
            "inversion: evaluation 1 gave a gradient where %s; expected finite numbers", where);
  if (v->remarked) return 0;
  v->remarked = true;
  snprintf(text, sizeof text,
           "inversion: evaluation %d gave J = %g, but a gradient where %s; the method steps back\n",
           v->evaluated, J, where);
  return HgCommSay(comm, text);
}

static PetscErrorCode evaluate(Tao tao, Vec z, PetscReal *J, Vec g, void *context) {
  HgInversion v = context;
  bool inside;
  (void)tao;
  PetscCall(HgControlsFromVec(z, v->range, true, v->m));
  if (v->journal)
    PetscCall(HgJournalEvaluate(v->journal, v->functional, v->evaluated, v->m, J, v->gradient));
  else PetscCall(HgOperatorGradient(v->functional, v->m, J, v->gradient));
  if (!(fabs(*J) <= most_J) && !v->evaluated) return refuse_guess(v, *J);
  v->evaluated++;
  PetscCall(doubt_gradient(v));
  PetscCall(HgControlsToVec(v->gradient, v->range, -1, g));
  PetscCall(has_numbers(v, *J, g, &inside));
  if (!inside) { /* a wall that the line search steps back from */
    *J = v->highest > 0 ? WALL * v->highest : 1;
    return VecSet(g, 0);
  }
  if (v->evaluated == 1) PetscCall(look_for_data(v, *J));
  v->highest = fmax(v->highest, fabs(*J));
  if (*J > v->lowest) return 0;
  v->lowest = *J;
  return HgStateCopy(v->m, v->best);
}

/* A method may accept a point where J was replaced by a wall, whose gradient of 0 looks like a
   minimum. */
static bool is_wall(HgInversion v, double J) { return J > v->highest; }

static PetscErrorCode test_convergence(Tao tao, void *context) {
  HgInversion v = context;
  PetscReal J;
  TaoConvergedReason why;
  PetscCall(TaoDefaultConvergenceTest(tao, NULL));
  PetscCall(TaoGetSolutionStatus(tao, NULL, &J, NULL, NULL, NULL, &why));
  if (v->blind) return TaoSetConvergedReason(tao, TAO_DIVERGED_USER);
  if (is_wall(v, J)) return TaoSetConvergedReason(tao, TAO_DIVERGED_NAN);
  return v->none && !why ? TaoSetConvergedReason(tao, TAO_DIVERGED_MAXITS) : 0;
}

static PetscErrorCode watch(Tao tao, void *context) {
  HgInversion v = context;
  PetscInt iteration;
  PetscReal J, norm;
  Vec z;
  PetscCall(TaoGetSolutionStatus(tao, &iteration, &J, &norm, NULL, NULL, NULL));
  if (is_wall(v, J)) return 0;
  if (v->metric) PetscCall(HgMetricMove(v->metric, tao, J));
  v->last = (HgIterate){.iteration = (int)iteration,
                        .evaluations = v->evaluated,
                        .J = J,
                        .gradient_norm = norm,
                        .seconds = MPI_Wtime() - v->start,
                        .tolerance = v->tolerance};
  PetscCall(TaoGetSolution(tao, &z));
  PetscCall(HgControlsFromVec(z, v->range, true, v->m));
  return v->monitor ? v->monitor(&v->last, v->m, v->context) : 0;
}

static PetscErrorCode check_guess(HgInversion v, HgState m) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m));
  HgRequire(comm, HgStateSame(m, v->m), HG_ERR_CONTROL,
            "inversion: the first guess has other variables than the controls of '%s'",
            HgOperatorName(v->functional));
  bool finite;
  char where[256];
  PetscCall(HgStateFinite(m, &finite, where, sizeof where));
  HgRequire(comm, finite, HG_ERR_NOT_FINITE, "inversion: first guess: %s, expected a finite number",
            where);
  for (int k = 0; k < HgStateCount(m); k++) {
    int rows, n;
    HgControlsPart(m, k, &rows, &n);
    double outside = NAN;
    for (int j = 0; j < rows; j++)
      for (int i = 0; i < n; i++) {
        const HgRow row = HgStateRowOf(m, k, j);
        const double number = HgRowGet(row, i), lower = v->range[k].lower,
                     upper = v->range[k].upper;
        if (number < (row.cells ? (HgReal)lower : lower) ||
            number > (row.cells ? (HgReal)upper : upper))
          outside = number;
      }
    PetscCall(HgAgree(comm, !isnan(outside), HG_ERR_CONTROL,
                      "inversion: first guess of '%s' has the value %g, expected %g to %g",
                      HgStateVariable(m, k)->name, outside, v->range[k].lower, v->range[k].upper));
  }
  return 0;
}

static bool has_bounds(HgInversion v) {
  for (int k = 0; k < HgStateCount(v->m); k++)
    if (isfinite(v->range[k].lower) || isfinite(v->range[k].upper)) return true;
  return false;
}

/* Reads TAO's options. BLMVM of PETSc 3.18 takes the number of pairs only from there, so sets it
   unless the user did. */
static PetscErrorCode set_from_options(MPI_Comm comm, Tao tao, int pairs) {
  static const char *const tolerances[] = {"-tao_gatol", "-tao_grtol", "-tao_gttol"};
  static const char name[] = "-tao_blmvm_mat_lmvm_hist_size";
  char text[16];
  PetscBool given;
  PetscInt own = 1;
  for (int k = 0; k < 3; k++) {
    PetscReal value = 0;
    PetscCall(PetscOptionsGetReal(NULL, NULL, tolerances[k], &value, NULL));
    HgRequire(comm, value >= 0 && isfinite(value), HG_ERR_OPTION_RANGE,
              "option %s: %g, expected a finite number from 0 on", tolerances[k], value);
  }
  PetscCall(PetscOptionsGetInt(NULL, NULL, name, &own, &given));
  HgRequire(comm, own >= 0 && own <= PAIRS_MOST, HG_ERR_OPTION_RANGE,
            "option %s: %d, expected 0 to %d", name, (int)own, PAIRS_MOST);
  if (!pairs || given) return TaoSetFromOptions(tao);

  snprintf(text, sizeof text, "%d", pairs);
  PetscCall(PetscOptionsSetValue(NULL, name, text));
  PetscCall(TaoSetFromOptions(tao));
  return PetscOptionsClearValue(NULL, name);
}

/* Reads TAO's limits, after its options. */
static PetscErrorCode read_limits(HgInversion v, Tao tao) {
  PetscInt iterations;
  PetscBool given;
  PetscCall(TaoGetTolerances(tao, NULL, NULL, &v->tolerance));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-tao_max_it", &given));
  v->none = !v->rules.iterations && !given;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-tao_max_funcs", &given));
  if (v->rules.evaluations || given) return 0;
  PetscCall(TaoGetMaximumIterations(tao, &iterations));
  return TaoSetMaximumFunctionEvaluations(
      tao, (PetscInt)PetscMin(10 * (int64_t)iterations + 1, INT_MAX));
}

/* Configures TAO on z, with bounds, rules and options. */
static PetscErrorCode configure(HgInversion v, Vec z, Tao tao) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(v->m));
  Vec lower, upper;
  PetscCall(TaoSetType(tao, v->type));
  PetscCall(TaoSetSolution(tao, z));
  PetscCall(TaoSetObjectiveAndGradient(tao, NULL, evaluate, v));
  PetscCall(VecDuplicate(z, &lower));
  PetscCall(VecDuplicate(z, &upper));
  PetscCall(HgControlsBounds(v->m, v->range, false, lower));
  PetscCall(HgControlsBounds(v->m, v->range, true, upper));
  PetscCall(TaoSetVariableBounds(tao, lower, upper));
  PetscCall(VecDestroy(&lower));
  PetscCall(VecDestroy(&upper));
  if (v->method == HG_METHOD_HESSIAN) PetscCall(HgNewtonSetUp(tao, v->functional, v->range, z));
  PetscCall(TaoSetTolerances(tao, 0, 0, v->rules.tolerance));
  if (v->rules.target > 0) PetscCall(TaoSetFunctionLowerBound(tao, v->rules.target));
  PetscCall(TaoSetMaximumIterations(tao, PetscMax(v->rules.iterations, 1))); /* 3.26 refuses 0 */
  PetscCall(TaoSetMaximumFunctionEvaluations(tao, v->rules.evaluations));
  const int usual = v->rules.preconditioned ? PAIRS_PRECONDITIONED : 0;
  PetscCall(set_from_options(comm, tao, v->rules.pairs ? v->rules.pairs : usual));
  PetscCall(read_limits(v, tao));
  if (v->metric) PetscCall(HgMetricUse(v->metric, v->method, tao));
  PetscCall(TaoSetConvergenceTest(tao, test_convergence, v));
  return TaoMonitorSet(tao, watch, v, NULL); /* after -tao_cancelmonitors */
}

/* An error in TAO's own arithmetic, such as a line search that contradicts itself, has the same
   cause on all ranks. The method has failed, but the best point is kept. Other errors, and those of
   functions that TAO calls, are handled as usual. */
static PetscErrorCode hear_method(MPI_Comm comm, int line, const char *function, const char *file,
                                  PetscErrorCode code, PetscErrorType type, const char *message,
                                  void *context) {
  HgInversion v = context;
  if (v->evaluated && code != PETSC_ERR_MEM && file && strstr(file, "src/tao/")) {
    if (type == PETSC_ERROR_INITIAL) v->broken = code;
    return code;
  }
  PetscCall(PetscPopErrorHandler());
  code = PetscError(comm, line, function, file, code, type, message ? "%s" : NULL, message);
  (void)PetscPushErrorHandler(hear_method, context);
  return code;
}

/* Runs from z, which is m. m becomes the result if the method converged, else the best of all
   evaluations, even after an error. */
static PetscErrorCode solve(HgInversion v, Vec z, Tao tao, HgState m, HgIterate *last,
                            const char **reason) {
  TaoConvergedReason why;
  v->start = MPI_Wtime(), v->evaluated = 0, v->highest = 0, v->lowest = INFINITY;
  v->last = (HgIterate){0}, v->blind = v->warned = v->remarked = false;
  PetscCall(HgStateCopy(m, v->best));
  v->broken = 0;
  PetscCall(PetscPushErrorHandler(hear_method, v));
  PetscErrorCode ierr = TaoSolve(tao);
  PetscCall(PetscPopErrorHandler());
  if (ierr == v->broken) ierr = 0;
  v->kept = v->journal != NULL;
  PetscCall(TaoGetConvergedReason(tao, &why));
  v->last.ending = ierr || v->broken ? HG_FAILED : HgEndingOf(why);
  if (v->last.ending == HG_CONVERGED) PetscCall(HgControlsFromVec(z, v->range, true, m));
  else if (v->last.ending != HG_NOTHING) PetscCall(HgStateCopy(v->best, m));
  if (v->last.ending != HG_CONVERGED && v->evaluated) v->last.J = v->lowest;
  v->last.evaluations = v->evaluated, v->last.seconds = MPI_Wtime() - v->start;
  *last = v->last;
  *reason = v->broken ? "an error inside of TAO" : HgEndingText(why);
  return ierr;
}

static PetscErrorCode create_metric(HgInversion v, HgState m, Vec z) {
  HgRequire(HgMeshComm(HgStateMesh(m)), v->part || !v->rules.preconditioned, HG_ERR_CONTROL,
            "inversion: to be preconditioned by the regularisation, but J has none; expected "
            "-tikhonov or -h1, or no -precondition");
  return v->rules.preconditioned ? HgMetricCreate(v->part, v->range, m, z, &v->metric) : 0;
}

PetscErrorCode HgInversionSolve(HgInversion v, HgState m, HgIterate *last, const char **reason) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(v->m));
  HgRequire(comm, !v->kept, HG_ERR_FILE_MISMATCH,
            "inversion: its journal has the evaluations of a solution, expected another directory "
            "for the next one (HgInversionSetJournal())");
  PetscCall(HgInversionMethod(comm, has_bounds(v), v->rules.method, v->type, &v->method));
  PetscCall(check_guess(v, m));
  Vec z;
  Tao tao;
  PetscCall(HgExactVecCreate(comm, HgControlsSize(m), &z));
  PetscCall(HgControlsToVec(m, v->range, 1, z));
  PetscCall(TaoCreate(comm, &tao));
  PetscCall(HgExactMats(true));
  PetscErrorCode ierr = create_metric(v, m, z);
  if (!ierr) ierr = configure(v, z, tao);
  if (!ierr) ierr = solve(v, z, tao, m, last, reason);
  PetscCall(HgExactMats(false));
  PetscCall(TaoDestroy(&tao));
  PetscCall(HgMetricDestroy(&v->metric));
  PetscCall(VecDestroy(&z));
  return ierr;
}
