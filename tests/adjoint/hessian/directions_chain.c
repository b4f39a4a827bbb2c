/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: Hessian products in several directions of a chain with a trajectory, and of a sum, have
   the bits of one direction after another, and the gradient beside them those of the gradient. */
#include "claim.h"
#include "heat_case.h"
#include <halograd/control.h>
#include <halograd/operator_library.h>

enum { MOST = 19 };

typedef struct {
  HeatCase heat;
  HgOperator chain, sum, whole; /* of log(kappa); with a regularisation; a chain of one */
  HgState m, one, gradient, beside, dm[MOST], h[MOST];
} Case;

static PetscErrorCode create(Case *c) {
  const HeatSpec spec = {.nx = 15, .ny = 13, .steps = 30, .walls = WALLS_INSULATED, .slots = 6};
  const HgRegularisation weights = {.control = "m", .alpha = 1, .beta = 0.2};
  HgOperator parts[2], log_kappa;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c->heat));
  PetscCall(HgParametrisationLog(c->heat.mesh, "m", "kappa", "1", &log_kappa));
  PetscCall(HgControlCreate(c->heat.x, 1, &(HgControl){"kappa", log_kappa}, &parts[0]));
  parts[1] = c->heat.op;
  PetscCall(HgOperatorChain("misfit", 2, parts, &c->chain));
  PetscCall(DESTROY(&parts[0], &log_kappa));
  HgState *const states[] = {&c->m, &c->one, &c->gradient, &c->beside};
  for (int k = 0; k < 4; k++) PetscCall(HgOperatorCreateInput(c->chain, states[k]));
  for (int v = 0; v < MOST; v++) {
    PetscCall(HgStateDuplicate(c->m, &c->dm[v]));
    PetscCall(HgStateDuplicate(c->m, &c->h[v]));
    PetscCall(HgStateRandom(c->dm[v], (uint64_t)v + 1));
  }
  parts[0] = c->chain;
  PetscCall(HgRegularisationCreate(c->m, &weights, &parts[1]));
  PetscCall(HgOperatorSum("J", 2, parts, &c->sum));
  PetscCall(HgOperatorDestroy(&parts[1]));
  return HgOperatorChain("whole", 1, &c->chain, &c->whole);
}

static PetscErrorCode destroy(Case *c) {
  PetscCall(HgStatesDestroy(&c->m, &c->one, &c->gradient, &c->beside));
  for (int v = 0; v < MOST; v++) PetscCall(HgStateDestroy(&c->dm[v]));
  for (int v = 0; v < MOST; v++) PetscCall(HgStateDestroy(&c->h[v]));
  PetscCall(DESTROY(&c->whole, &c->sum, &c->chain));
  return heat_destroy(&c->heat);
}

static PetscErrorCode expect_same(HgState x, HgState y, const char what[], int directions, int v) {
  char digest[2][17];
  PetscCall(HgStateDigest(x, NULL, digest[0]));
  PetscCall(HgStateDigest(y, NULL, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]), "%s of %d directions, %d: %s, alone %s", what,
             directions, v, digest[0], digest[1]);
  return 0;
}

static PetscErrorCode compare(Case *c, HgOperator J, const char what[], int directions) {
  double unused;
  for (int v = 0; v < directions; v++) PetscCall(HgStateSetConstant(c->h[v], "m", 7));
  PetscCall(HgOperatorGradient(J, c->m, &unused, c->gradient));
  PetscCall(HgOperatorHessians(J, c->m, directions, c->dm, c->beside, c->h));
  PetscCall(expect_same(c->beside, c->gradient, what, directions, -1));
  for (int v = 0; v < directions; v++) {
    PetscCall(HgOperatorHessian(J, c->m, c->dm[v], c->one));
    PetscCall(expect_same(c->h[v], c->one, what, directions, v));
  }
  PetscCall(HgOperatorHessians(J, c->m, directions, c->dm, NULL, c->h));
  return expect_same(c->h[directions - 1], c->one, what, directions, directions - 1);
}

static PetscErrorCode run(void) {
  static const int directions[] = {1, 3, MOST};
  Case c;
  PetscCall(create(&c));
  for (int k = 0; k < 3; k++) {
    PetscCall(compare(&c, c.chain, "chain", directions[k]));
    PetscCall(compare(&c, c.whole, "chain of one", directions[k]));
    PetscCall(compare(&c, c.sum, "sum", directions[k]));
  }
  return destroy(&c);
}

CLAIM("several directions of a composite have the bits of one", 0, run)
