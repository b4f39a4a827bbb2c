/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: ghosts outside frozen walls, which a state holds, are in x(m) what they are in x, and a
   regularisation does not change those of its argument. */
#include "claim.h"
#include <halograd/control.h>

/* How many ghosts beside the patch's walls are not `value`. */
static int altered(HgState x, double value) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgReal *const *u = HgStateRows(x, 0);
  int other = 0;
  for (int i = 0; i < p->nx; i++)
    other += (p->wall_south && u[-1][i] != value) + (p->wall_north && u[p->ny][i] != value);
  for (int j = 0; j < p->ny; j++)
    other += (p->wall_west && u[j][-1] != value) + (p->wall_east && u[j][p->nx] != value);
  return other;
}

static PetscErrorCode control(HgState x) {
  HgOperator op;
  HgState m, y;
  PetscCall(HgControlCreate(x, 1, (HgControl[]){{"u", NULL}}, &op));
  PetscCall(HgOperatorCreateOutput(op, &y));
  PetscCall(HgOperatorCreateInput(op, &m));
  PetscCall(HgStateSetConstant(m, "u", 3));
  PetscCall(HgOperatorApply(op, m, y));
  claim_that(!altered(y, 5), "%d ghosts outside walls are lost by a control", altered(y, 5));
  return DESTROY(&y, &m, &op);
}

static PetscErrorCode regularisation(HgState x) {
  HgOperator R;
  HgState J;
  PetscCall(HgRegularisationCreate(x, &(HgRegularisation){"u", 1, 1, 0, NULL}, &R));
  PetscCall(HgOperatorCreateOutput(R, &J));
  PetscCall(HgStateSetConstant(x, "u", 3));
  PetscCall(HgOperatorApply(R, x, J));
  claim_that(!altered(x, 5), "%d ghosts of its argument are changed by R", altered(x, 5));
  return DESTROY(&J, &R);
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = 12, .ny = 9, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  HgMesh mesh;
  HgState x;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &x));
  const HgPatch *p = HgMeshGetPatch(mesh);
  for (int j = -1; j <= p->ny; j++)
    for (int i = -1; i <= p->nx; i++) HgStateRows(x, 0)[j][i] = 5;
  PetscCall(control(x));
  PetscCall(regularisation(x));
  return DESTROY(&x, &mesh);
}

CLAIM("controls and regularisation leave ghosts outside frozen walls alone", 0, test)
