/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an inversion that is told the scale of a control takes the same steps whatever unit the
   control is in: bit for bit, for units that are powers of 2. */
#include "claim.h"
#include "refusal.h"
#include <halograd/control.h>
#include <halograd/inversion.h>
#include <halograd/state_library.h>
#include <math.h>

typedef struct {
  HgIterate last;
  double least, largest; /* of what was found, in the unit */
} Found;

/* R(m) = 1/2 integral 50 (m - 3)^2 + |grad m|^2 from a rough m, all of it in units of 1/unit. */
static PetscErrorCode invert(HgMesh mesh, double unit, double scale, Found *found) {
  const HgVariable control = {"m", "1", HG_FIELD, 0};
  const HgRegularisation R = {"m", 50 / (unit * unit), 1 / (unit * unit), 3 * unit, NULL};
  HgOperator J;
  HgInversion inversion;
  HgState m;
  const char *reason;
  PetscCall(HgStateCreate(mesh, 1, &control, &m));
  PetscCall(HgStateRandom(m, 7));
  PetscCall(HgStateScale(m, unit));
  PetscCall(HgRegularisationCreate(m, &R, &J));
  PetscCall(HgInversionCreate(J, &inversion));
  PetscCall(HgInversionSetBounds(inversion, "m", -2 * unit, 5 * unit, scale));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-6, .iterations = 60, .evaluations = 200}));
  PetscCall(HgInversionSolve(inversion, m, &found->last, &reason));
  PetscCall(HgStateRange(m, "m", &found->least, &found->largest));
  found->least /= unit, found->largest /= unit;
  REFUSED(HgInversionSetBounds(inversion, "m", -1, 1, 0), "scale of 'm' is 0", "a positive number");
  REFUSED(HgInversionSetBounds(inversion, "m", -1, 1, NAN), "scale of 'm' is nan");
  REFUSED(HgInversionSetBounds(inversion, "k", -1, 1, 1), "'k'");
  return DESTROY(&inversion, &J, &m);
}

static PetscErrorCode run(void) {
  const HgMeshSpec spec = {.nx = 12, .ny = 9, .dx = 0.5, .dy = 0.25};
  const double units[] = {0x1p-40, 0x1p40};
  HgMesh mesh;
  Found one, other, untold;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(invert(mesh, 1, 1, &one));
  claim_at_most(fmax(fabs(one.least - 3), fabs(one.largest - 3)), 1e-4, "m from its minimum");
  for (int k = 0; k < 2; k++) {
    PetscCall(invert(mesh, units[k], units[k], &other));
    claim_same(other.last.J, one.last.J, "J in units of %g", units[k]);
    claim_same(other.least, one.least, "the least m in units of %g", units[k]);
    claim_same(other.largest, one.largest, "the largest m in units of %g", units[k]);
    claim_same(other.last.evaluations, one.last.evaluations, "evaluations");
  }
  PetscCall(invert(mesh, 0x1p40, 1, &untold));
  claim_that(untold.last.evaluations > one.last.evaluations,
             "without its scale it takes %d evaluations, with it %d", untold.last.evaluations,
             one.last.evaluations);
  return HgMeshDestroy(&mesh);
}

CLAIM("an inversion that knows the scale of a control does not depend on its unit", 0, run)
