/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: what a state or an operator was used for before does not matter: a tangent copied from a
   state whose ghosts are filled steps as any other, and a term's operator has its whole adjoint
   after a constant was left out and differentiated by again. */
#include "claim.h"
#include <halograd/heat.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

static PetscErrorCode heat(HgMesh mesh, int terms, HgProgram *program) {
  PetscCall(HgProgramCreate(mesh, "heat", 1e-3, program));
  for (int k = 0; k < terms; k++) PetscCall(HgProgramAddStencil(*program, &hg_heat, NULL));
  PetscCall(HgProgramSetBoundary(*program, "u", HgBoundaryAll(HG_FIXED, 5)));
  return HgProgramSetUp(*program);
}

/* dq = q, before and after q's ghosts were filled. */
static PetscErrorCode tangent_of_copy(HgMesh mesh) {
  HgProgram p;
  HgState q, dq, next, one, other, c, dc;
  double norm;
  PetscCall(heat(mesh, 1, &p));
  HgState *const carried[] = {&q, &dq, &next, &one, &other}, *const constants[] = {&c, &dc};
  for (int k = 0; k < 5; k++) PetscCall(HgProgramCreateCarried(p, carried[k]));
  for (int k = 0; k < 2; k++) PetscCall(HgProgramCreateConstants(p, constants[k]));
  PetscCall(HgStateRandom(q, 1));
  PetscCall(HgStateSetConstant(c, "kappa", 1));
  PetscCall(HgStateCopy(q, dq));
  PetscCall(HgProgramStepTangent(p, 0, c, dc, q, dq, next, one));
  PetscCall(HgStateCopy(q, dq));
  PetscCall(HgProgramStepTangent(p, 0, c, dc, q, dq, next, other));
  PetscCall(HgStateAXPY(other, -1, one));
  PetscCall(HgStateDot(other, other, &norm));
  claim_same(norm, 0, "a tangent copied from a state with ghosts differs");
  for (int k = 0; k < 5; k++) PetscCall(HgStateDestroy(carried[k]));
  for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(constants[k]));
  return HgProgramDestroy(&p);
}

/* The cotangent of kappa from the first of two terms. */
static PetscErrorCode kappa_bar(HgOperator step, HgState x, double *norm) {
  HgOperator part;
  HgState at, y_bar, x_bar;
  PetscCall(HgOperatorPart(step, x, 0, &part, &at));
  PetscCall(HgOperatorCreateOutput(part, &y_bar));
  PetscCall(HgOperatorCreateInput(part, &x_bar));
  PetscCall(HgStateRandom(y_bar, 3));
  PetscCall(HgOperatorTranspose(part, at, y_bar, x_bar));
  PetscCall(HgStateZeroVariable(x_bar, HgStateFind(x_bar, "u")));
  PetscCall(HgStateDot(x_bar, x_bar, norm));
  PetscCall(HgStatesDestroy(&at, &y_bar, &x_bar));
  return 0;
}

static PetscErrorCode active_again(HgMesh mesh) {
  HgProgram p;
  HgOperator step, fresh;
  HgState x;
  double none, again, expected;
  PetscCall(heat(mesh, 2, &p));
  PetscCall(HgProgramOperator(p, 0, &step));
  PetscCall(HgProgramOperator(p, 0, &fresh));
  PetscCall(HgOperatorCreateInput(step, &x));
  PetscCall(HgStateRandom(x, 2));
  PetscCall(HgProgramSetActive(p, "kappa", false));
  PetscCall(kappa_bar(step, x, &none));
  PetscCall(HgProgramSetActive(p, "kappa", true));
  PetscCall(kappa_bar(step, x, &again));
  PetscCall(kappa_bar(fresh, x, &expected));
  claim_same(none, 0, "|kappa_bar|^2 of what is not active");
  claim_same(again, expected, "|kappa_bar|^2 of a term's operator that was made before");
  return DESTROY(&x, &step, &fresh, &p);
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = 13, .ny = 11, .dx = 0.1, .dy = 0.1, .ghost = 2};
  HgMesh mesh;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(tangent_of_copy(mesh));
  PetscCall(active_again(mesh));
  return HgMeshDestroy(&mesh);
}

CLAIM("what a state or an operator was used for before does not matter", 0, test)
