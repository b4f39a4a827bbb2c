/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: -tao_type and -tao_ls_type take every method that J, its gradient and products of its
   Hessian suffice for, within bounds those that find the minimum within; all others, and names that
   TAO does not know, are refused in one sentence before the first evaluation. HgInversionRules can
   name a method as well. Where to stop is what
   TAO's own options say, and whoever looks on sees every iterate. */
#include "claim.h"
#include "refusal.h"
#include "valley.h"
#include <halograd/inversion.h>
#include <halograd/operator_library.h>
#include <limits.h>
#include <petsctao.h>

static int evaluations;
static bool twice;   /* has the functional second derivatives? */
static int most = 5; /* iterations */
static const char *method;

static PetscErrorCode counted(void *self, HgState m, double *J, HgState g) {
  evaluations++;
  return valley_gradient(self, m, J, g);
}

static PetscErrorCode solve(double *J) {
  HgMesh mesh;
  HgOperator valley, functional;
  HgState m;
  HgInversion inversion;
  HgIterate last = {0};
  const char *reason;
  PetscCall(valley_create(PETSC_COMM_WORLD, 0, 0, &mesh, &valley, &m));
  PetscCall(HgOperatorCreate(
      "counted", m, NULL,
      &(HgOperatorTable){.gradient = counted, .second = twice ? valley_second : NULL}, NULL,
      &functional));
  PetscCall(HgInversionCreate(functional, &inversion));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){
                     .tolerance = 1e-8, .iterations = most, .evaluations = 200, .method = method}));
  evaluations = 0;
  const PetscErrorCode ierr = HgInversionSolve(inversion, m, &last, &reason);
  *J = last.J;
  PetscCall(DESTROY(&inversion, &functional));
  PetscCall(valley_destroy(&mesh, &valley, &m));
  return ierr;
}

static PetscErrorCode refused(const char option[], const char name[], const char why[],
                              const char instead[]) {
  double J;
  PetscCall(PetscOptionsSetValue(NULL, option, name));
  REFUSED(solve(&J), option, name, why, "expected one of", instead);
  claim_that(evaluations == 0, "%s %s: %d evaluations, expected none", option, name, evaluations);
  return PetscOptionsClearValue(NULL, option);
}

static PetscErrorCode taken(const char option[], const char name[], double start) {
  double J;
  PetscCall(PetscOptionsSetValue(NULL, option, name));
  PetscCall(solve(&J));
  claim_at_most(J, start, "%s %s: J", option, name);
  return PetscOptionsClearValue(NULL, option);
}

/* By the rules a method finds what it finds by the option, which goes before the rules. */
static PetscErrorCode ruled(void) {
  double by_default, by_option, by_rules, by_both;
  PetscCall(solve(&by_default));
  PetscCall(PetscOptionsSetValue(NULL, "-tao_type", TAOBNCG));
  PetscCall(solve(&by_option));
  method = TAONM;
  PetscCall(solve(&by_both));
  PetscCall(PetscOptionsClearValue(NULL, "-tao_type"));
  method = TAOBNCG;
  PetscCall(solve(&by_rules));
  claim_same(by_rules, by_option, "J by the rules' method");
  claim_same(by_both, by_option, "J by the option beside the rules");
  method = "bfgs";
  REFUSED(solve(&by_rules), "method of an inversion", "no method 'bfgs'", "expected one of");
  method = NULL;
  PetscCall(solve(&by_rules));
  claim_same(by_rules, by_default, "J without a method");
  claim_that(by_default != by_option, "methods differ");
  return 0;
}

/* ---- bounds ---- */

/* J = (m - a)^T A (m - a) / 2 with its minimum at a = (2, 0.5), below 1 at (1, -0.45), which is not
   where it is along the way from a. */
static const double A[2][2] = {{2, -1.9}, {-1.9, 2}}, a[2] = {2, 0.5}, within[2] = {1, -0.45};

static PetscErrorCode slope_gradient(void *self, HgState m, double *J, HgState g) {
  (void)self;
  const double *const u = HgStateArray(m, 0);
  *J = 0, evaluations++;
  for (int i = 0; i < 2; i++) {
    const double r = A[i][0] * (u[0] - a[0]) + A[i][1] * (u[1] - a[1]);
    HgStateArray(g, 0)[i] += r, *J += r * (u[i] - a[i]) / 2;
  }
  return 0;
}

static PetscErrorCode slope_second(void *self, HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                                   HgState m_bar, HgState dm_bar) {
  (void)self, (void)m, (void)dJ_bar, (void)m_bar;
  const double *const du = HgStateArray(dm, 0);
  for (int i = 0; i < 2; i++)
    HgStateArray(dm_bar, 0)[i] = HgStateArray(J_bar, 0)[0] * (A[i][0] * du[0] + A[i][1] * du[1]);
  return 0;
}

static PetscErrorCode slope_create(HgMesh *mesh, HgState *m, HgInversion *inversion) {
  const HgVariable variable = {"m", "1", HG_REPLICATED, 2};
  const HgMeshSpec spec = {.nx = 6, .ny = 6, .dx = 1, .dy = 1, .ghost = 1};
  HgOperator slope;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, mesh));
  PetscCall(HgStateCreate(*mesh, 1, &variable, m));
  PetscCall(HgOperatorCreate("slope", *m, NULL,
                             &(HgOperatorTable){.gradient = slope_gradient, .second = slope_second},
                             NULL, &slope));
  PetscCall(HgInversionCreate(slope, inversion));
  PetscCall(HgInversionSetBounds(*inversion, "m", -1, 1, 1));
  PetscCall(
      HgInversionSetRules(*inversion, &(HgInversionRules){.tolerance = 1e-9, .iterations = 300}));
  evaluations = 0;
  return HgOperatorDestroy(&slope);
}

static PetscErrorCode slope_destroy(HgMesh *mesh, HgState *m, HgInversion *inversion) {
  return DESTROY(inversion, m, mesh);
}

/* A method finds the minimum within bounds, or is refused. */
static PetscErrorCode bounded(const char type[], bool knows) {
  HgMesh mesh;
  HgState m;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  PetscCall(slope_create(&mesh, &m, &inversion));
  PetscCall(PetscOptionsSetValue(NULL, "-tao_type", type));
  if (knows) {
    PetscCall(HgInversionSolve(inversion, m, &last, &reason));
    for (int k = 0; k < 2; k++)
      claim_at_most(fabs(HgStateArray(m, 0)[k] - within[k]), 1e-4, "%s: m[%d] is %g, expected %g",
                    type, k, HgStateArray(m, 0)[k], within[k]);
  } else {
    REFUSED(HgInversionSolve(inversion, m, &last, &reason), type, "does not look at bounds",
            "expected one of: blmvm, bncg", "bqnktl, nm, bnls, bntr, bntl\n");
    claim_that(evaluations == 0, "%s: %d evaluations, expected none", type, evaluations);
  }
  PetscCall(PetscOptionsClearValue(NULL, "-tao_type"));
  return slope_destroy(&mesh, &m, &inversion);
}

static PetscErrorCode bounds(void) {
  static const char *const know[] = {TAOBLMVM,  TAOBNCG, TAOBQNLS, TAOBQNKLS, TAOBQNKTR,
                                     TAOBQNKTL, TAONM,   TAOBNLS,  TAOBNTR,   TAOBNTL};
  static const char *const none[] = {TAOLMVM, TAOCG, TAONLS, TAONTR};
  for (size_t k = 0; k < sizeof know / sizeof *know; k++) PetscCall(bounded(know[k], true));
  for (size_t k = 0; k < sizeof none / sizeof *none; k++) PetscCall(bounded(none[k], false));
  return 0;
}

/* ---- where to stop, and who looks on ---- */
typedef struct {
  int count;
  double tolerance;
} Seen;

static PetscErrorCode look(const HgIterate *iterate, HgState m, void *context) {
  Seen *const seen = context;
  (void)m;
  seen->count++, seen->tolerance = iterate->tolerance;
  return 0;
}

/* The valley from its first guess, with 1e-30 and one iteration unless an option says otherwise. */
static PetscErrorCode watched(const char option[], const char value[], Seen *seen,
                              HgIterate *last) {
  HgMesh mesh;
  HgOperator valley;
  HgState m;
  HgInversion inversion;
  const char *reason;
  PetscCall(valley_create(PETSC_COMM_WORLD, 0, 0, &mesh, &valley, &m));
  PetscCall(HgInversionCreate(valley, &inversion));
  PetscCall(
      HgInversionSetRules(inversion, &(HgInversionRules){.tolerance = 1e-30, .iterations = 1}));
  PetscCall(HgInversionSetMonitor(inversion, look, seen));
  PetscCall(PetscOptionsSetValue(NULL, option, value));
  const PetscErrorCode ierr = HgInversionSolve(inversion, m, last, &reason);
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscCall(HgInversionDestroy(&inversion));
  PetscCall(valley_destroy(&mesh, &valley, &m));
  return ierr;
}

static PetscErrorCode stops(void) {
  Seen seen = {0};
  HgIterate last;
  PetscCall(watched("-tao_cancelmonitors", "", &seen, &last));
  claim_that(seen.count == 2, "%d iterates seen, expected 2", seen.count);
  claim_that(last.iteration == 1 && last.J > 0, "the last iterate is %d with J = %g, expected 1",
             last.iteration, last.J);
  claim_same(seen.tolerance, 1e-30, "the tolerance");
  PetscCall(watched("-tao_max_it", "25", &seen, &last));
  claim_that(last.iteration == 25, "%d iterations of 25", last.iteration);
  PetscCall(watched("-tao_gttol", "1e-3", &seen, &last));
  claim_same(seen.tolerance, 1e-3, "the tolerance of -tao_gttol");
  REFUSED(watched("-tao_gttol", "nan", &seen, &last), "-tao_gttol: nan", "expected");
  REFUSED(watched("-tao_gatol", "-1", &seen, &last), "-tao_gatol: -1", "expected");

  HgMesh mesh;
  HgState m;
  HgInversion inversion;
  PetscCall(slope_create(&mesh, &m, &inversion));
  PetscCall(HgInversionSetRules(inversion, &(HgInversionRules){.iterations = INT_MAX}));
  REFUSED(HgInversionSetRules(inversion, &(HgInversionRules){.iterations = 1, .evaluations = -1}),
          "-1 evaluations");
  return slope_destroy(&mesh, &m, &inversion);
}

static PetscErrorCode test(void) {
  static const char *const by_hessian[] = {TAONLS, TAONTR, TAOBNLS, TAOBNTR, TAOBNTL};
  static const char *const regularised[] = {TAOOWLQN, TAOBMRM};
  static const char *const by_matrix[] = {TAOTRON, TAOGPCG, TAOBQPIP};
  static const char *const by_structure[] = {TAOPOUNDERS, TAOBRGN,  TAOLCL,   TAOSSILS,
                                             TAOSSFLS,    TAOASILS, TAOASFLS, TAOIPM,
                                             TAOPDIPM,    TAOADMM,  TAOALMM,  TAOSHELL};
  static const char *const good[] = {TAOBLMVM,  TAOBNCG,   TAOBQNLS, TAOBQNKLS,
                                     TAOBQNKTR, TAOBQNKTL, TAOLMVM,  TAOCG};
  static const char *const searches[] = {TAOLINESEARCHMT, TAOLINESEARCHARMIJO, TAOLINESEARCHUNIT};
  double start;
  most = 0;
  PetscCall(solve(&start));
  most = 5;

  for (size_t k = 0; k < sizeof by_matrix / sizeof *by_matrix; k++)
    PetscCall(refused("-tao_type", by_matrix[k], "as a matrix", "blmvm"));
  for (size_t k = 0; k < sizeof by_hessian / sizeof *by_hessian; k++) {
    double J;
    PetscCall(PetscOptionsSetValue(NULL, "-tao_type", by_hessian[k]));
    REFUSED(solve(&J), "operator 'counted' has no second derivatives");
    PetscCall(PetscOptionsClearValue(NULL, "-tao_type"));
  }
  twice = true;
  for (size_t k = 0; k < sizeof by_hessian / sizeof *by_hessian; k++)
    PetscCall(taken("-tao_type", by_hessian[k], start));
  for (size_t k = 0; k < sizeof by_structure / sizeof *by_structure; k++)
    PetscCall(refused("-tao_type", by_structure[k], "constraints or residuals", "blmvm"));
  for (size_t k = 0; k < sizeof regularised / sizeof *regularised; k++)
    PetscCall(refused("-tao_type", regularised[k], "a regularisation of its own", "blmvm"));
  PetscCall(refused("-tao_type", TAONTL, "needs a preconditioner", "bntl"));
  PetscCall(refused("-tao_type", "nosuch", "no method 'nosuch'", "blmvm"));
  PetscCall(refused("-tao_type", "nosuch", "no method 'nosuch'", TAONM));
  PetscCall(refused("-tao_ls_type", "nosuch", "no line search 'nosuch'", "more-thuente"));

  for (size_t k = 0; k < sizeof good / sizeof *good; k++)
    PetscCall(taken("-tao_type", good[k], start));
  for (size_t k = 0; k < sizeof searches / sizeof *searches; k++)
    PetscCall(taken("-tao_ls_type", searches[k], 10 * start)); /* a unit step may climb */
  PetscCall(ruled());
  PetscCall(bounds());
  return stops();
}

CLAIM("a method of TAO that needs more than a gradient is refused in a sentence", 0, test)
