/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an inversion that cannot run says why in one sentence on all ranks: bounds, first guess, J
   or gradient not finite. */
#include "claim.h"
#include "refusal.h"
#include "valley.h"
#include <halograd/inversion_library.h>
#include <halograd/operator_library.h>

/* What goes wrong, at the first guess. */
typedef enum { NOTHING, J_NAN, J_INFINITE, GRADIENT_NAN, GRADIENT_INFINITE } Fault;

typedef struct {
  Fault fault;
  int evaluation;
} Broken;

static PetscErrorCode broken_gradient(void *self, HgState m, double *J, HgState g) {
  Broken *b = self;
  PetscCall(valley_gradient(NULL, m, J, g));
  if (b->evaluation++) return 0;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(g));
  const bool here = p->i_global + p->nx == VALLEY_NX && p->j_global == 0; /* on one rank only */
  if (b->fault == J_NAN) *J = NAN;
  if (b->fault == J_INFINITE) *J = INFINITY;
  if (b->fault == GRADIENT_NAN && here) HgStateRows(g, 0)[0][p->nx - 1] = NAN;
  if (b->fault == GRADIENT_INFINITE && here) HgStateRows(g, 0)[0][p->nx - 1] = -INFINITY;
  return 0;
}

typedef struct {
  HgMesh mesh;
  HgOperator valley, broken;
  HgState m;
  HgInversion inversion;
  Broken how;
} Case;

static PetscErrorCode create(Fault fault, Case *c) {
  *c = (Case){.how = {fault, 0}};
  PetscCall(valley_create(PETSC_COMM_WORLD, 0, 0, &c->mesh, &c->valley, &c->m));
  PetscCall(HgOperatorCreate("broken", c->m, NULL, &(HgOperatorTable){.gradient = broken_gradient},
                             &c->how, &c->broken));
  PetscCall(HgInversionCreate(c->broken, &c->inversion));
  return HgInversionSetRules(
      c->inversion, &(HgInversionRules){.tolerance = 1e-8, .iterations = 20, .evaluations = 100});
}

static PetscErrorCode destroy(Case *c) {
  PetscCall(DESTROY(&c->inversion, &c->broken));
  return valley_destroy(&c->mesh, &c->valley, &c->m);
}

static PetscErrorCode refused_bounds(void) {
  static const struct {
    const char *control, *said;
    double lower, upper;
  } cases[] = {{"a", "bounds of 'a' are 2 and 1", 2, 1},
               {"c", "bounds of 'c' are nan and 1", NAN, 1},
               {"c", "bounds of 'c' are 0 and nan", 0, NAN},
               {"kappa", "kappa", 0, 1}};

  Case c;
  PetscCall(create(NOTHING, &c));
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    refusal_begin();
    const PetscErrorCode ierr =
        HgInversionSetBounds(c.inversion, cases[k].control, cases[k].lower, cases[k].upper, 1);
    PetscCall(refusal_end(PETSC_COMM_WORLD, ierr, cases[k].said, NULL));
  }
  if (claim.ranks > 1)
    REFUSED(HgInversionSetBounds(c.inversion, "a", 0, claim.rank == 1 ? 2 : 1, 1),
            "a rank has bounds 0 and 2, scale 1 of 'a' where rank 0 has bounds 0 and 1, scale 1");
  return destroy(&c);
}

/* A guess that is wrong on one rank only. */
static PetscErrorCode refused_guess(double wrong, const char said[]) {
  Case c;
  HgIterate last;
  const char *reason;
  PetscCall(create(NOTHING, &c));
  const HgPatch *p = HgMeshGetPatch(c.mesh);
  PetscCall(HgInversionSetBounds(c.inversion, "a", -1, 1, 1));
  if (p->i_global + p->nx == VALLEY_NX && p->j_global == 0)
    HgStateRows(c.m, 0)[0][p->nx - 1] = wrong;
  refusal_begin();
  const PetscErrorCode ierr = HgInversionSolve(c.inversion, c.m, &last, &reason);
  PetscCall(refusal_end(PETSC_COMM_WORLD, ierr, "first guess", said, NULL));
  claim_that(c.how.evaluation == 0, "%d evaluations of a wrong guess, expected none",
             c.how.evaluation);
  return destroy(&c);
}

/* m is still the first guess. */
static PetscErrorCode refused_value(Fault fault, const char said[]) {
  Case c;
  HgIterate last;
  const char *reason;
  char guess[17], kept[17];
  PetscCall(create(fault, &c));
  PetscCall(HgStateDigest(c.m, NULL, guess));
  refusal_begin();
  const PetscErrorCode ierr = HgInversionSolve(c.inversion, c.m, &last, &reason);
  PetscCall(refusal_end(PETSC_COMM_WORLD, ierr, "inversion: ", said, NULL));
  PetscCall(HgStateDigest(c.m, NULL, kept));
  claim_that(!strcmp(kept, guess), "after an error m is %s, expected the first guess %s", kept,
             guess);
  claim_that(last.ending == HG_FAILED, "it ended with %d, expected %d", last.ending, HG_FAILED);
  return destroy(&c);
}

/* A sum whose part has a value only with its gradient has none by itself. */
static PetscErrorCode refused_sum(void) {
  Case c;
  HgOperator sum, chain;
  HgInversion inversion;
  HgIterate last;
  HgState J;
  const char *reason;
  PetscCall(create(J_NAN, &c));
  PetscCall(HgOperatorSum("sum", 1, &c.broken, &sum));
  PetscCall(HgOperatorChain("chain", 1, &sum, &chain));
  claim_that(!HgOperatorApplies(sum) && !HgOperatorApplies(chain), "neither applies by itself");
  PetscCall(HgFunctionalOutput(c.mesh, &J));
  REFUSED(HgOperatorApply(chain, c.m, J), "operator 'chain' has no value by itself");
  REFUSED(HgOperatorApply(c.broken, c.m, J), "operator 'broken' has no value by itself");
  REFUSED(HgOperatorTangent(c.broken, c.m, c.m, J), "operator 'broken' has no tangent");
  REFUSED(HgOperatorAdjoint(c.broken, c.m, J, c.m), "operator 'broken' has no adjoint");
  PetscCall(HgInversionCreate(chain, &inversion));
  REFUSED(HgInversionSolve(inversion, c.m, &last, &reason), "J is nan at the first guess");
  PetscCall(DESTROY(&inversion, &J, &sum, &chain));
  return destroy(&c);
}

/* Numbers that mean nothing; one journal for two solutions. */
static PetscErrorCode refused_settings(void) {
  static const char pairs[] = "-tao_blmvm_mat_lmvm_hist_size";
  Case c;
  HgIterate last;
  int found;
  const char *reason;
  PetscCall(create(NOTHING, &c));
  REFUSED(HgInversionSetRules(c.inversion,
                              &(HgInversionRules){.target = -5, .iterations = 3, .evaluations = 9}),
          "J -5", "none negative");
  REFUSED(HgInversionSetRules(
              c.inversion, &(HgInversionRules){.tolerance = -1, .iterations = 3, .evaluations = 9}),
          "|g| -1", "none negative");
  REFUSED(HgInversionSetRules(c.inversion, &(HgInversionRules){.pairs = 1001}), "1001 pairs",
          "1 to 1000");
  PetscCall(PetscOptionsSetValue(NULL, pairs, "-1"));
  REFUSED(HgInversionSolve(c.inversion, c.m, &last, &reason), pairs, "-1, expected 0 to 1000");
  PetscCall(PetscOptionsClearValue(NULL, pairs));
  PetscCall(claim_clear("solved-once"));
  PetscCall(
      HgInversionSetRules(c.inversion, &(HgInversionRules){.iterations = 2, .evaluations = 9}));
  PetscCall(HgInversionSetJournal(c.inversion, MPI_COMM_NULL, "solved-once", &found));
  PetscCall(HgInversionSolve(c.inversion, c.m, &last, &reason));
  REFUSED(HgInversionSolve(c.inversion, c.m, &last, &reason), "another directory for the next one");
  return destroy(&c);
}

/* Directions of which there are none. */
static PetscErrorCode refused_dual(void) {
  Case c;
  HgOperator dual;
  PetscCall(create(NOTHING, &c));
  REFUSED(HgOperatorDual(c.valley, 0, &dual), "'valley'", "0 directions", "at least one");
  REFUSED(HgOperatorDual(c.valley, -1, &dual), "'valley'", "-1 directions");
  return destroy(&c);
}

static PetscErrorCode run(void) {
  PetscCall(refused_bounds());
  PetscCall(refused_guess(NAN, "nan"));
  PetscCall(refused_guess(1.5, "'a' has the value 1.5, expected -1 to 1"));
  PetscCall(refused_value(J_NAN, "J is nan at the first guess"));
  PetscCall(refused_value(J_INFINITE, "J is inf at the first guess"));
  PetscCall(refused_value(GRADIENT_NAN, "evaluation 1 gave a gradient where 'a'"));
  PetscCall(refused_value(GRADIENT_INFINITE, "evaluation 1 gave a gradient where 'a'"));
  PetscCall(refused_sum());
  PetscCall(refused_dual());
  PetscCall(refused_settings());
  return 0;
}

CLAIM("an inversion that cannot run says why in one sentence on all ranks", 0, run)
