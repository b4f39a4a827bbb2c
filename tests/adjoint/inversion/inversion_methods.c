/* Claim: -tao_type and -tao_ls_type take every method that J, its gradient and products of its
   Hessian suffice for; all others, and names that TAO does not know, are refused in one sentence
   before the first evaluation. */
#include "claim.h"
#include "refusal.h"
#include "valley.h"
#include <halograd/inversion.h>
#include <petsctao.h>

static int evaluations;
static bool twice; /* has the functional second derivatives? */

static PetscErrorCode counted(void *self, HgState m, double *J, HgState g) {
  evaluations++;
  return valley_gradient(self, m, J, g);
}

/* Five iterations at most. */
static PetscErrorCode solve(double *J) {
  HgMesh mesh;
  HgOperator valley, functional;
  HgState m, value;
  HgInversion inversion;
  HgIterate last = {0};
  const char *reason;
  PetscCall(valley_create(PETSC_COMM_WORLD, 0, 0, &mesh, &valley, &m));
  PetscCall(HgFunctionalOutput(mesh, &value));
  PetscCall(HgOperatorCreate("counted", m, value, &(HgOperatorTable){.gradient = counted}, NULL,
                             &functional));
  if (twice) HgOperatorSetSecond(functional, valley_second);
  PetscCall(HgInversionCreate(functional, &inversion));
  PetscCall(HgInversionSetStop(inversion, 1e-8, 0, 5, 200));
  evaluations = 0;
  const PetscErrorCode ierr = HgInversionSolve(inversion, m, &last, &reason);
  *J = last.J;
  PetscCall(HgInversionDestroy(&inversion));
  PetscCall(HgStateDestroy(&value));
  PetscCall(HgOperatorDestroy(&functional));
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

static PetscErrorCode test(void) {
  static const char *const by_hessian[] = {TAONLS, TAONTR, TAONTL, TAOBNLS, TAOBNTR, TAOBNTL};
  static const char *const by_matrix[] = {TAOTRON, TAOGPCG, TAOBQPIP};
  static const char *const by_structure[] = {TAOPOUNDERS, TAOBRGN,  TAOLCL,   TAOSSILS,
                                             TAOSSFLS,    TAOASILS, TAOASFLS, TAOIPM,
                                             TAOPDIPM,    TAOADMM,  TAOALMM,  TAOSHELL};
  static const char *const good[] = {TAOBLMVM,  TAOBNCG, TAOBQNLS, TAOBQNKLS, TAOBQNKTR,
                                     TAOBQNKTL, TAOLMVM, TAOCG,    TAOOWLQN};
  static const char *const searches[] = {TAOLINESEARCHMT, TAOLINESEARCHARMIJO, TAOLINESEARCHUNIT};
  double start;
  PetscCall(PetscOptionsSetValue(NULL, "-tao_max_it", "0"));
  PetscCall(solve(&start));
  PetscCall(PetscOptionsClearValue(NULL, "-tao_max_it"));

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
  PetscCall(refused("-tao_type", "nosuch", "no method 'nosuch'", "blmvm"));
  PetscCall(refused("-tao_ls_type", "nosuch", "no line search 'nosuch'", "more-thuente"));

  for (size_t k = 0; k < sizeof good / sizeof *good; k++)
    PetscCall(taken("-tao_type", good[k], start));
  for (size_t k = 0; k < sizeof searches / sizeof *searches; k++)
    PetscCall(taken("-tao_ls_type", searches[k], 10 * start)); /* a unit step may climb */
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a method of TAO that needs more than a gradient is refused in a sentence", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
