#include "inversion_private.h"
#include <halograd/comm.h>
#include <halograd/exact_vec.h>
#include <halograd/inversion.h>
#include <halograd/journal.h>
#include <math.h>
#include <petsctao.h>

enum {
  WALL = 10,    /* J of a point where the model gives no number, over the largest J seen */
  PATIENCE = 10 /* evaluations for one iterate that nobody wonders at */
};

struct HgInversion_s {
  HgOperator functional;
  HgJournal journal;     /* NULL: evaluations are not kept */
  HgState m, gradient;   /* controls and dJ/dm as states */
  HgState iterate;       /* the last one */
  double *lower, *upper; /* per control */
  HgMonitorFn *monitor;
  void *context;
  double relative, target, start, highest;
  int iterations, evaluations, evaluated, pairs;
  bool by_gradient; /* the method looks at gradients */
  bool warned;      /* that they may be wrong */
  HgIterate last;
};

PetscErrorCode HgInversionCreate(HgOperator functional, HgInversion *inversion) {
  HgInversion v;
  PetscCall(PetscNew(&v));
  PetscCall(HgOperatorReference(functional));
  v->functional = functional;
  PetscCall(HgOperatorCreateInput(functional, &v->m));
  PetscCall(HgStateDuplicate(v->m, &v->gradient));
  PetscCall(HgStateDuplicate(v->m, &v->iterate));
  PetscCall(PetscMalloc2(HgStateCount(v->m), &v->lower, HgStateCount(v->m), &v->upper));
  for (int k = 0; k < HgStateCount(v->m); k++) v->lower[k] = -INFINITY, v->upper[k] = INFINITY;
  v->relative = 1e-4, v->iterations = 200, v->evaluations = 1000;
  *inversion = v;
  return 0;
}

HgOperator HgInversionFunctional(HgInversion v) { return v->functional; }

PetscErrorCode HgInversionDestroy(HgInversion *inversion) {
  HgInversion v = *inversion;
  *inversion = NULL;
  if (!v) return 0;
  PetscCall(HgJournalDestroy(&v->journal));
  PetscCall(HgOperatorDestroy(&v->functional));
  PetscCall(HgStateDestroy(&v->m));
  PetscCall(HgStateDestroy(&v->gradient));
  PetscCall(HgStateDestroy(&v->iterate));
  PetscCall(PetscFree2(v->lower, v->upper));
  return PetscFree(v);
}

PetscErrorCode HgInversionSetBounds(HgInversion v, const char control[], double lower,
                                    double upper) {
  int k;
  PetscCall(HgStateIndex(v->m, control, &k));
  HgRequire(HgMeshComm(HgStateMesh(v->m)), lower <= upper,
            "inversion: bounds of '%s' are %g and %g, expected lower <= upper", control, lower,
            upper);
  v->lower[k] = lower, v->upper[k] = upper;
  return 0;
}

PetscErrorCode HgInversionSetMonitor(HgInversion v, HgMonitorFn *monitor, void *context) {
  v->monitor = monitor, v->context = context;
  return 0;
}

PetscErrorCode HgInversionSetJournal(HgInversion v, MPI_Comm across, const char directory[],
                                     int *found) {
  PetscCall(HgJournalDestroy(&v->journal));
  PetscCall(HgJournalCreate(v->m, across, directory, &v->journal));
  *found = HgJournalFound(v->journal);
  return 0;
}

PetscErrorCode HgInversionSetCompared(HgInversion v, int evaluations) {
  HgRequire(HgMeshComm(HgStateMesh(v->m)), v->journal,
            "inversion: %d evaluations to be computed again, but it has no journal", evaluations);
  HgJournalSetCompared(v->journal, evaluations);
  return 0;
}

PetscErrorCode HgInversionSetStop(HgInversion v, double relative, double target, int iterations,
                                  int evaluations) {
  HgRequire(HgMeshComm(HgStateMesh(v->m)),
            relative >= 0 && isfinite(target) && iterations >= 0 && evaluations >= 1,
            "inversion: stopping rules are |g| %g, J %g, %d iterations, %d evaluations; expected "
            "none negative and at least one evaluation",
            relative, target, iterations, evaluations);
  v->relative = relative, v->target = target, v->iterations = iterations,
  v->evaluations = evaluations;
  return 0;
}

PetscErrorCode HgInversionSetPairs(HgInversion v, int pairs) {
  HgRequire(HgMeshComm(HgStateMesh(v->m)), pairs >= 0 && pairs <= 1000,
            "inversion: %d pairs to remember, expected 1 to 1000, or 0: as TAO does", pairs);
  v->pairs = pairs;
  return 0;
}

/* ---- between states and TAO's vector: z = W m on owned cells, then, on rank 0, replicated arrays
   ---- */
static bool field(const HgVariable *variable) {
  return variable->kind == HG_FIELD || variable->kind == HG_GHOSTED;
}

static bool held(HgState m, int k) {
  int rank;
  MPI_Comm_rank(HgMeshComm(HgStateMesh(m)), &rank);
  return HgStateVariable(m, k)->kind != HG_REPLICATED || rank == 0;
}

static double weight(HgState m, int k) {
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(m));
  return field(HgStateVariable(m, k)) ? sqrt(s->dx * s->dy) : 1;
}

/* The part of variable k: `rows` rows of `n` numbers. */
static void part(HgState m, int k, int *rows, int *n) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const bool is_field = field(HgStateVariable(m, k));
  *rows = is_field ? p->ny : 1, *n = is_field ? p->nx : HgStateVariable(m, k)->size;
}

static double *row(HgState m, int k, int j) {
  return field(HgStateVariable(m, k)) ? HgStateRows(m, k)[j] : HgStateArray(m, k);
}

static PetscInt local_size(HgState m) {
  PetscInt size = 0;
  for (int k = 0; k < HgStateCount(m); k++) {
    int rows, n;
    part(m, k, &rows, &n);
    if (held(m, k)) size += (PetscInt)rows * n;
  }
  return size;
}

/* z = W^power m */
static PetscErrorCode to_vec(HgState m, int power, Vec z) {
  PetscScalar *a;
  PetscCall(VecGetArrayWrite(z, &a));
  PetscScalar *next = a;
  for (int k = 0; k < HgStateCount(m); k++) {
    int rows, n;
    part(m, k, &rows, &n);
    const double w = weight(m, k);
    for (int j = 0; j < rows && held(m, k); j++)
      for (int i = 0; i < n; i++) *next++ = power > 0 ? row(m, k, j)[i] * w : row(m, k, j)[i] / w;
  }
  return VecRestoreArrayWrite(z, &a);
}

/* m = W^-1 z; on a bound of TAO's exactly the user's bound, which a product and a quotient need not
   give back. */
static PetscErrorCode from_vec(HgInversion v, Vec z, HgState m) {
  const PetscScalar *a;
  PetscCall(VecGetArrayRead(z, &a));
  const PetscScalar *next = a;
  for (int k = 0; k < HgStateCount(m); k++) {
    int rows, n;
    part(m, k, &rows, &n);
    const double w = weight(m, k), lower = v->lower[k], upper = v->upper[k];
    for (int j = 0; j < rows && held(m, k); j++)
      for (int i = 0; i < n; i++, next++)
        row(m, k, j)[i] = *next <= lower * w ? lower : *next >= upper * w ? upper : *next / w;
    if (HgStateVariable(m, k)->kind == HG_REPLICATED)
      PetscCallMPI(MPI_Bcast(HgStateArray(m, k), n, MPI_DOUBLE, 0, HgMeshComm(HgStateMesh(m))));
    HgStateSetGhostDepth(m, k, 0);
  }
  return VecRestoreArrayRead(z, &a);
}

static PetscErrorCode bounds(HgInversion v, Vec lower, Vec upper) {
  for (int side = 0; side < 2; side++) {
    PetscScalar *a;
    const Vec z = side ? upper : lower;
    PetscCall(VecGetArrayWrite(z, &a));
    PetscScalar *next = a;
    for (int k = 0; k < HgStateCount(v->m); k++) {
      int rows, n;
      part(v->m, k, &rows, &n);
      double b = (side ? v->upper[k] : v->lower[k]) * weight(v->m, k);
      if (isinf(b)) b = b > 0 ? PETSC_INFINITY : PETSC_NINFINITY;
      for (int i = 0; held(v->m, k) && i < rows * n; i++) *next++ = b;
    }
    PetscCall(VecRestoreArrayWrite(z, &a));
  }
  return 0;
}

/* ---- callbacks ---- */

/* J is not finite at the first guess: who evaluates J alone may know more, which step or
   observation. */
static PetscErrorCode refuse_guess(HgInversion v, double J) {
  if (HgOperatorApplies(v->functional)) {
    HgState value;
    PetscCall(HgOperatorCreateOutput(v->functional, &value));
    const PetscErrorCode ierr = HgOperatorApply(v->functional, v->m, value);
    PetscCall(HgStateDestroy(&value));
    if (ierr) return ierr;
  }
  return HgError(HgMeshComm(HgStateMesh(v->m)),
                 "inversion: J is %g at the first guess, expected a finite number", J);
}

/* A line search that takes long has most often been given a gradient that is not J's. */
static PetscErrorCode doubt_gradient(HgInversion v) {
  if (v->warned || !v->by_gradient || v->evaluated - v->last.evaluations <= PATIENCE) return 0;
  char text[256];
  v->warned = true;
  snprintf(
      text, sizeof text,
      "inversion: iterate %d takes more than %d evaluations: the gradient of '%s' may be wrong; "
      "-check compares it with differences (HgCheckOperator)\n",
      v->last.evaluations ? v->last.iteration + 1 : 0, PATIENCE, HgOperatorName(v->functional));
  return HgCommSay(HgMeshComm(HgStateMesh(v->m)), text);
}

static PetscErrorCode evaluate(Tao tao, Vec z, PetscReal *J, Vec g, void *context) {
  HgInversion v = context;
  (void)tao;
  PetscCall(from_vec(v, z, v->m));
  if (v->journal)
    PetscCall(HgJournalEvaluate(v->journal, v->functional, v->evaluated, v->m, J, v->gradient));
  else PetscCall(HgOperatorGradient(v->functional, v->m, J, v->gradient));
  const MPI_Comm comm = HgMeshComm(HgStateMesh(v->m));
  if (!isfinite(*J) && !v->evaluated) return refuse_guess(v, *J);
  v->evaluated++;
  PetscCall(doubt_gradient(v));
  if (!isfinite(*J)) { /* outside the model's domain: a wall that the line search steps back from */
    *J = WALL * fabs(v->highest);
    PetscCall(HgStateZero(v->gradient));
  } else v->highest = fmax(v->highest, fabs(*J));
  bool finite;
  char where[256];
  PetscCall(HgStateFinite(v->gradient, &finite, where, sizeof where));
  HgRequire(comm, finite,
            "inversion: evaluation %d gave a gradient where %s; expected finite numbers",
            v->evaluated, where);
  return to_vec(v->gradient, -1, g);
}

static PetscErrorCode watch(Tao tao, void *context) {
  HgInversion v = context;
  PetscInt iteration;
  PetscReal J, norm;
  Vec z;
  PetscCall(TaoGetSolutionStatus(tao, &iteration, &J, &norm, NULL, NULL, NULL));
  v->last = (HgIterate){(int)iteration, v->evaluated, J, norm, MPI_Wtime() - v->start};
  PetscCall(TaoGetSolution(tao, &z));
  PetscCall(from_vec(v, z, v->iterate));
  return v->monitor ? v->monitor(&v->last, v->iterate, v->context) : 0;
}

/* In the user's words: TAO's names are for programmers. */
static const char *reason_text(TaoConvergedReason reason) {
  switch (reason) {
  case TAO_CONVERGED_GATOL: return "gradient below the absolute tolerance";
  case TAO_CONVERGED_GRTOL: return "gradient below the tolerance relative to J";
  case TAO_CONVERGED_GTTOL: return "gradient below the tolerance relative to the first one";
  case TAO_CONVERGED_STEPTOL: return "step below the tolerance";
  case TAO_CONVERGED_MINF: return "J below the target";
  case TAO_CONVERGED_USER: return "stopped by the user";
  case TAO_DIVERGED_MAXITS: return "most iterations reached";
  case TAO_DIVERGED_NAN: return "J or gradient not a number";
  case TAO_DIVERGED_MAXFCN: return "most evaluations reached";
  case TAO_DIVERGED_LS_FAILURE: return "line search found no better point";
  case TAO_DIVERGED_TR_REDUCTION: return "trust region shrank to nothing";
  default: return "ended by the method";
  }
}

static PetscErrorCode check_guess(HgInversion v, HgState m) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m));
  HgRequire(comm, HgStateSame(m, v->m),
            "inversion: the first guess has other variables than the controls of '%s'",
            HgOperatorName(v->functional));
  bool finite;
  char where[256];
  PetscCall(HgStateFinite(m, &finite, where, sizeof where));
  HgRequire(comm, finite, "inversion: first guess: %s, expected a finite number", where);
  for (int k = 0; k < HgStateCount(m); k++) {
    int rows, n;
    part(m, k, &rows, &n);
    double outside = NAN;
    for (int j = 0; j < rows; j++)
      for (int i = 0; i < n; i++)
        if (row(m, k, j)[i] < v->lower[k] || row(m, k, j)[i] > v->upper[k])
          outside = row(m, k, j)[i];
    PetscCall(HgAgree(comm, !isnan(outside),
                      "inversion: first guess of '%s' has the value %g, expected %g to %g",
                      HgStateVariable(m, k)->name, outside, v->lower[k], v->upper[k]));
  }
  return 0;
}

/* TAO's options; BLMVM of PETSc 3.18 takes the number of pairs from there alone, unless the user has
   said it. */
static PetscErrorCode set_from_options(Tao tao, int pairs) {
  static const char name[] = "-tao_blmvm_mat_lmvm_hist_size";
  char text[16];
  PetscBool given;
  PetscCall(PetscOptionsHasName(NULL, NULL, name, &given));
  if (!pairs || given) return TaoSetFromOptions(tao);

  snprintf(text, sizeof text, "%d", pairs);
  PetscCall(PetscOptionsSetValue(NULL, name, text));
  PetscCall(TaoSetFromOptions(tao));
  return PetscOptionsClearValue(NULL, name);
}

PetscErrorCode HgInversionSolve(HgInversion v, HgState m, HgIterate *last, const char **reason) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(v->m));
  PetscCall(HgInversionMethod(comm, &v->by_gradient));
  PetscCall(check_guess(v, m));
  Vec z, lower, upper;
  Tao tao;
  TaoConvergedReason why;
  PetscCall(HgExactVecCreate(comm, local_size(m), &z));
  PetscCall(to_vec(m, 1, z));
  PetscCall(TaoCreate(comm, &tao));
  PetscCall(TaoSetType(tao, TAOBLMVM));
  PetscCall(TaoSetSolution(tao, z));
  PetscCall(TaoSetObjectiveAndGradient(tao, NULL, evaluate, v));
  PetscCall(VecDuplicate(z, &lower));
  PetscCall(VecDuplicate(z, &upper));
  PetscCall(bounds(v, lower, upper));
  PetscCall(TaoSetVariableBounds(tao, lower, upper));
  PetscCall(VecDestroy(&lower));
  PetscCall(VecDestroy(&upper));
  PetscCall(TaoSetTolerances(tao, 0, 0, v->relative));
  if (v->target > 0) PetscCall(TaoSetFunctionLowerBound(tao, v->target));
  PetscCall(TaoSetMaximumIterations(tao, v->iterations));
  PetscCall(TaoSetMaximumFunctionEvaluations(tao, v->evaluations));
  PetscCall(TaoSetMonitor(tao, watch, v, NULL));
  PetscCall(set_from_options(tao, v->pairs));
  v->start = MPI_Wtime(), v->evaluated = 0, v->highest = 0;
  v->last = (HgIterate){0}, v->warned = false;
  PetscCall(HgStateCopy(m, v->iterate));
  const PetscErrorCode ierr = TaoSolve(tao);
  PetscCall(TaoGetConvergedReason(tao, &why));
  if (ierr) PetscCall(HgStateCopy(v->iterate, m));
  else PetscCall(from_vec(v, z, m));
  v->last.evaluations = v->evaluated, v->last.seconds = MPI_Wtime() - v->start;
  *last = v->last;
  *reason = reason_text(why);
  PetscCall(TaoDestroy(&tao));
  PetscCall(VecDestroy(&z));
  return ierr;
}
