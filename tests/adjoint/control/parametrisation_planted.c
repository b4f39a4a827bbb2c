/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a wrong parametrisation is caught by the checks: a derivative, an adjoint of another
   function, of other nodes, of another net or of another point; and the right ones are not. What
   cannot be one is refused when it is made. */
#include "claim.h"
#include "findings.h"
#include "patches.h"
#include "refusal.h"
#include <halograd/control.h>
#include <halograd/control_library.h>
#include <halograd/operator_library.h>
#include <math.h>

/* Value and tangent of one operator, adjoint of another one, perhaps at a moved x. */
typedef struct {
  HgOperator right, adjoint;
  double moved;
} Chimera;

static PetscErrorCode chimera_apply(void *self, HgState x, HgState y) {
  return HgOperatorApply(((Chimera *)self)->right, x, y);
}

static PetscErrorCode chimera_tangent(void *self, HgState x, HgState dx, HgState dy) {
  return HgOperatorTangent(((Chimera *)self)->right, x, dx, dy);
}

static PetscErrorCode chimera_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Chimera *c = self;
  HgState at;
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(HgStateCopy(x, at));
  PetscCall(HgStateScale(at, 1 + c->moved));
  PetscCall(HgOperatorAdjoint(c->adjoint, at, y_bar, x_bar));
  return HgStateDestroy(&at);
}

/* Does the check named `fails` fail and no other? HG_CHECKS: none fails. */
static PetscErrorCode try(const char what[], HgOperator right, HgOperator adjoint, double moved,
                          HgCheckId fails) {
  static const HgOperatorTable table = {chimera_apply, chimera_tangent, chimera_adjoint, NULL,
                                        NULL};
  const HgCheckOptions options = {.seed = 5, .dot_bound = 1e-13};
  Chimera self = {right, adjoint, moved};
  HgFindings report;
  HgOperator op;
  HgState x, y;
  PetscCall(HgOperatorCreateInput(right, &x));
  PetscCall(HgOperatorCreateOutput(right, &y));
  PetscCall(HgOperatorCreate(what, x, y, &table, &self, &op));
  PetscCall(HgStateRandom(x, 3));
  PetscCall(HgStateScale(x, 0.5));
  PetscCall(HgExamineOperator(op, x, &options, &report));
  claim_that(report.findings == (fails != HG_CHECKS) &&
                 has_found(&report, fails) == report.findings,
             "%s: %d findings: %s", what, report.findings, first_finding(&report));
  return DESTROY(&x, &y, &op);
}

static double wrong_derivative(double m, const double p[2]) {
  (void)p;
  return tanh(m);
}

static PetscErrorCode identity(void *self, HgState x, HgState y) {
  (void)self;
  return HgStateCopy(x, y);
}

static PetscErrorCode identity_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  return identity(self, dx, dy);
}

static PetscErrorCode identity_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  (void)self, (void)x;
  return HgStateAXPY(x_bar, 1, y_bar);
}

/* What is wrong with a function or an array is said when a parametrisation is made of it. */
static PetscErrorCode refused(HgMesh mesh) {
  const HgVariable three = {"a", "1", HG_REPLICATED, 3}, two = {"b", "1", HG_REPLICATED, 2};
  const HgNetSpec nameless = {.output = {.name = "mine"}},
                  endless = {.output = HgPointwiseBetween(0, INFINITY)};
  const double wrong[][2] = {{2, 1}, {1, 1}, {NAN, 1}, {0, INFINITY}};
  HgState base, other;
  HgOperator op, controls;
  PetscCall(HgStateCreate(mesh, 1, &three, &base));
  PetscCall(HgStateCreate(mesh, 1, &two, &other));
  REFUSED(HgParametrisationScaled(base, "a", "m", "kappa", "1", &op), "'a' is no field");
  for (int k = 0; k < 4; k++) {
    const HgPointwise phi = HgPointwiseBetween(wrong[k][0], wrong[k][1]);
    REFUSED(HgParametrisationPointwise(mesh, "m", "kappa", "1", &phi, &op), "'kappa'", "'between'",
            "expected");
  }
  REFUSED(HgParametrisationNet(mesh, "m", "kappa", "1", &nameless, &op), "net", "'mine'",
          "expected a name, a value and a derivative");
  REFUSED(HgParametrisationNet(mesh, "m", "kappa", "1", &endless, &op), "net", "'between'", "inf");
  PetscCall(HgOperatorCreate("two", other, other,
                             &(HgOperatorTable){.apply = identity,
                                                .tangent = identity_tangent,
                                                .adjoint = identity_adjoint},
                             NULL, &op));
  REFUSED(HgControlCreate(base, 1, &(HgControl){"a", op}, &controls), "control of 'a'", "'two'",
          "of the same kind and size");
  return DESTROY(&op, &other, &base);
}

static PetscErrorCode make_basis(HgMesh mesh, uint64_t seed, HgOperator *op) {
  const HgVariable fields[] = {{"a", "1", HG_FIELD, 0}, {"b", "1", HG_FIELD, 0}};
  HgState basis;
  PetscCall(HgStateCreate(mesh, 2, fields, &basis));
  PetscCall(HgStateRandom(basis, seed));
  PetscCall(HgParametrisationBasis(basis, "slip", "m", "eta", "m", op));
  return HgStateDestroy(&basis);
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  HgMesh mesh;
  const int px = size % 2 ? size : size / 2;
  PetscCall(patches_mesh(PETSC_COMM_WORLD, px, 6, 1, false, false, &mesh));
  HgPointwise lie = HgPointwiseSoftplus;
  const HgPointwise right = lie, other = HgPointwiseExp;
  lie.derivative = wrong_derivative;
  const HgNetSpec plain = {.layers = 2, .width = {6, 5}},
                  lying = {.layers = 2, .width = {6, 5}, .output = lie};
  HgOperator op[9];
  PetscCall(HgParametrisationPointwise(mesh, "m", "kappa", "m^2/s", &right, &op[0]));
  PetscCall(HgParametrisationPointwise(mesh, "m", "kappa", "m^2/s", &lie, &op[1]));
  PetscCall(HgParametrisationPointwise(mesh, "m", "kappa", "m^2/s", &other, &op[2]));
  PetscCall(HgParametrisationCoarse(mesh, "theta", "kappa", "m^2/s", 3, 4, &op[3]));
  PetscCall(HgParametrisationCoarse(mesh, "theta", "kappa", "m^2/s", 4, 3, &op[4]));
  PetscCall(HgParametrisationNet(mesh, "theta", "kappa", "m^2/s", &plain, &op[5]));
  PetscCall(HgParametrisationNet(mesh, "theta", "kappa", "m^2/s", &lying, &op[6]));
  PetscCall(make_basis(mesh, 1, &op[7]));
  PetscCall(make_basis(mesh, 2, &op[8]));
  PetscCall(try("softplus", op[0], op[0], 0, HG_CHECKS));
  PetscCall(try("a wrong derivative", op[1], op[1], 0, HG_CHECK_TAYLOR));
  PetscCall(try("the adjoint of exp", op[0], op[2], 0, HG_CHECK_DOT));
  PetscCall(try("the adjoint of another point", op[0], op[0], 1e-6, HG_CHECK_DOT));
  PetscCall(try("coarse", op[3], op[3], 0, HG_CHECKS));
  PetscCall(try("the adjoint of 4 x 3 nodes for 3 x 4", op[3], op[4], 0, HG_CHECK_DOT));
  PetscCall(try("net", op[5], op[5], 0, HG_CHECKS));
  PetscCall(try("a net with a wrong derivative of its output", op[6], op[6], 0, HG_CHECK_TAYLOR));
  PetscCall(try("the adjoint of a net with another output", op[5], op[6], 0, HG_CHECK_DOT));
  PetscCall(try("the adjoint of a net with other weights", op[5], op[5], 1e-6, HG_CHECK_DOT));
  PetscCall(try("basis", op[7], op[7], 0, HG_CHECKS));
  PetscCall(try("the adjoint of another basis", op[7], op[8], 0, HG_CHECK_DOT));
  for (int k = 0; k < 9; k++) PetscCall(HgOperatorDestroy(&op[k]));
  PetscCall(refused(mesh));
  return HgMeshDestroy(&mesh);
}

CLAIM("a wrong parametrisation is caught", 5, test)
