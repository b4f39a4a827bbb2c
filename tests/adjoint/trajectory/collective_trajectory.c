/* SPDX-License-Identifier: BSD-2-Clause */
/* A trajectory's parameters that only one rank holds, broadcast to all, have the gradient that they
   have as replicated ones, to the bit; and the chain passes all checks. */
#include "claim.h"
#include "heat_case.h"
#include "trajectory_claims.h"
#include <halograd/control.h>
#include <halograd/operator.h>

static PetscErrorCode gradient(HgOperator J, const double theta[3], HgState *m, HgState *g,
                               double *value) {
  PetscCall(HgOperatorCreateInput(J, m));
  PetscCall(HgOperatorCreateInput(J, g));
  for (int k = 0; k < HgStateVariable(*m, 0)->size; k++) HgStateArray(*m, 0)[k] = theta[k];
  return HgOperatorGradient(J, *m, value, *g);
}

static PetscErrorCode test(void) {
  const HeatSpec spec = {.nx = 9, .ny = 24, .steps = 20, .slots = 4};
  const double theta[3] = {1.5, 0.25, 0.125};
  HeatCase c;
  const int ranks = claim.ranks;
  const int root = ranks / 2;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  /* theta on the root -> replicated theta -> kappa -> x -> J */
  const HgVariable held = {"theta", "1", HG_LOCAL, claim.rank == root ? 3 : 0},
                   shared = {"theta", "1", HG_REPLICATED, 0};
  HgCollective broadcast;
  HgState pattern, m, g, direct_m, direct_g;
  HgOperator told, affine, kappa, controls[2], J[2];
  double value[2];
  PetscCall(HgStateCreate(c.mesh, 1, &held, &pattern));
  PetscCall(HgCollectiveCreate(
      HgMeshComm(c.mesh), &(HgCollectiveSpec){HG_BROADCAST, .n = 3, .root = root}, &broadcast));
  PetscCall(HgCollectiveOperator(pattern, "theta", &broadcast, &shared, &told));
  PetscCall(HgParametrisationAffine(c.mesh, "theta", "kappa", "1", &affine));
  PetscCall(HgOperatorChain("kappa of root", 2, (HgOperator[]){told, affine}, &kappa));
  PetscCall(HgControlCreate(c.x, 1, &(HgControl){"kappa", kappa}, &controls[0]));
  PetscCall(HgControlCreate(c.x, 1, &(HgControl){"kappa", affine}, &controls[1]));
  for (int k = 0; k < 2; k++)
    PetscCall(HgOperatorChain("J", 2, (HgOperator[]){controls[k], c.op}, &J[k]));
  PetscCall(gradient(J[0], theta, &m, &g, &value[0]));
  PetscCall(gradient(J[1], theta, &direct_m, &direct_g, &value[1]));
  claim_same(value[0], value[1], "J");
  for (int k = 0; k < HgStateVariable(g, 0)->size; k++)
    claim_same(HgStateArray(g, 0)[k], HgStateArray(direct_g, 0)[k], "dJ/dtheta[%d]", k);
  PetscCall(claim_checks("a trajectory of what the root knows", J[0], m, 1e-12, 9));
  for (int k = 0; k < 2; k++) { PetscCall(DESTROY(&J[k], &controls[k])); }
  PetscCall(DESTROY(&kappa, &affine, &told, &pattern, &m, &g, &direct_m, &direct_g));
  return heat_destroy(&c);
}

CLAIM("what one rank holds has the gradient of what all hold", 9, test)
