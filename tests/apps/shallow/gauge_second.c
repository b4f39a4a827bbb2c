/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: second derivatives of what shallow_water_inverse seeks, the surface or the bottom, are the
   limit of differences of the adjoint at order 2 and symmetric; those of the surface are 0. */
#include "claim.h"
#include "difference.h"
#include "gauge_control.c"
#include <halograd/operator_library.h>

static PetscErrorCode states(HgMesh mesh, HgState *known, HgState *base) {
  const HgVariable of_known[] = {{"depth", "m", HG_FIELD, 0}, {"surface", "m", HG_FIELD, 0}};
  const HgVariable of_base[] = {
      {"h", "m", HG_FIELD, 0}, {"b", "m", HG_FIELD, 0}, {"eta", "m", HG_FIELD, 0}};
  PetscCall(HgStateCreate(mesh, 2, of_known, known));
  PetscCall(HgStateCreate(mesh, 3, of_base, base));
  return HgStateRandom(*known, 1);
}

static PetscErrorCode of(GaugeWay way) {
  const HgMeshSpec spec = {.nx = 13, .ny = 11, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  HgOperator op;
  HgState known, base, x_bar, dx_bar, m[3], h[2];
  double off[2], norm, one, two;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(states(mesh, &known, &base));
  PetscCall(GaugeControlCreate(way, known, base, &op));
  PetscCall(HgOperatorCreateOutput(op, &x_bar));
  PetscCall(HgOperatorCreateOutput(op, &dx_bar));
  PetscCall(HgStateRandom(x_bar, 2));
  for (int k = 0; k < 3; k++) PetscCall(HgOperatorCreateInput(op, &m[k]));
  for (int k = 0; k < 3; k++) PetscCall(HgStateRandom(m[k], 3 + (uint64_t)k));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgOperatorCreateInput(op, &h[k]));
    PetscCall(HgOperatorSecond(op, m[0], m[1 + k], x_bar, dx_bar, NULL, h[k]));
    PetscCall(difference(op, m[0], m[1], x_bar, h[0], k ? 0.01 : 0.02, &off[k], &norm));
  }
  PetscCall(HgStateDot(m[2], h[0], &one));
  PetscCall(HgStateDot(m[1], h[1], &two));
  if (way == GAUGE_SURFACE) {
    claim_same(norm, 0, "the surface is affine");
  } else {
    claim_that(norm > 1 && off[0] < 0.01 * norm && fabs(log2(off[0] / off[1]) - 2) < 0.1,
               "the bottom: off by %g and %g of %g, expected order 2", off[0], off[1], norm);
    claim_at_most(fabs(one - two), 1e-13 * norm, "the bottom: symmetry");
  }
  return DESTROY(&known, &base, &x_bar, &dx_bar, &m[0], &m[1], &m[2], &h[0], &h[1], &op, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the surface and the bottom have second derivatives", 0);
  if (!ierr) ierr = of(GAUGE_SURFACE);
  if (!ierr) ierr = of(GAUGE_BATHYMETRY);
  return claim_end(ierr);
}
