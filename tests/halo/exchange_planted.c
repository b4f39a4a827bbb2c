/* SPDX-License-Identifier: BSD-2-Clause */
/* An exchange whose adjoint forgets a corner, a side or a sign, or is off by one, is caught by the
   dot product. */
#include "claim.h"
#include "toy_operators.h"
#include <halograd/check_library.h>
#include <halograd/operator_library.h>

typedef enum { NOTHING, CORNER, SIDE, SIGN, SHIFT, PLANTS } Plant;

typedef struct {
  HgOperator right;
  Plant plant;
  HgState altered;
} Planted;

static PetscErrorCode planted_apply(void *self, HgState x, HgState y) {
  return HgOperatorApply(((Planted *)self)->right, x, y);
}

static PetscErrorCode planted_tangent(void *self, HgState x, HgState dx, HgState dy) {
  return HgOperatorTangent(((Planted *)self)->right, x, dx, dy);
}

static PetscErrorCode planted_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  Planted *p = self;
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(x));
  HgReal *const *u = HgStateRows(p->altered, 0);
  PetscCall(HgStateCopy(y_bar, p->altered));
  if (p->plant == CORNER) u[-1][-1] = 0;
  for (int j = 0; j < patch->ny; j++) {
    if (p->plant == SIDE) u[j][-1] = 0;
    if (p->plant == SIGN) u[j][-1] = -u[j][-1];
    if (p->plant == SHIFT) u[j][-1] = u[j + 1][-1];
  }
  return HgOperatorAdjoint(p->right, x, p->altered, x_bar);
}

static PetscErrorCode test(void) {
  static const char *const names[PLANTS] = {"nothing", "a corner", "a side", "a sign", "a shift"};
  static const HgOperatorTable table = {planted_apply, planted_tangent, planted_adjoint, NULL,
                                        NULL};
  const HgMeshSpec spec = {
      .nx = 13, .ny = 33, .dx = 1, .dy = 1, .ghost = 1, .periodic_x = true, .periodic_y = true};
  HgMesh mesh;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  for (Plant plant = NOTHING; plant < PLANTS; plant++) {
    Planted p = {.plant = plant};
    HgOperator op;
    HgState x;
    HgFindings report;
    const HgCheckOptions options = {.seed = 11};
    PetscCall(exchange_operator(mesh, 1, &p.right));
    PetscCall(HgOperatorCreateOutput(p.right, &p.altered));
    PetscCall(HgOperatorCreateInput(p.right, &x));
    PetscCall(HgOperatorCreate("planted", x, p.altered, &table, &p, &op));
    PetscCall(HgStateRandom(x, 3));
    PetscCall(HgExamineOperator(op, x, &options, &report));
    claim_that((report.worst[HG_CHECK_DOT] > 2.2e-14) == (plant != NOTHING),
               "planted %s: dot product %g", names[plant], report.worst[HG_CHECK_DOT]);
    PetscCall(DESTROY(&op, &x, &p.altered, &p.right));
  }
  return HgMeshDestroy(&mesh);
}

CLAIM("planted errors of an exchange are caught", 11, test)
