/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the parametrisations pass all checks, also in a chain, on any cut, periodic or not. */
#include "claim.h"
#include "findings.h"
#include "patches.h"
#include <halograd/control_library.h>
#include <halograd/operator_library.h>
#include <math.h>

/* A user's own function. */
static double cubic_value(double m, const double p[2]) { return p[0] * m * m * m + p[1] * m; }

static double cubic_derivative(double m, const double p[2]) { return 3 * p[0] * m * m + p[1]; }

static const HgPointwise cubic = {"cubic", cubic_value, cubic_derivative, NULL, {0.5, 2}, NULL};

static PetscErrorCode check(HgOperator op, double scale, double order, uint64_t seed) {
  const HgCheckOptions options = {.seed = seed, .dot_bound = 1e-13};
  HgFindings report;
  HgState x;
  PetscCall(HgOperatorCreateInput(op, &x));
  PetscCall(HgStateRandom(x, seed));
  PetscCall(HgStateScale(x, scale));
  PetscCall(HgExamineOperator(op, x, &options, &report));
  claim_that(!report.findings, "%s, seed %llu: %s", HgOperatorName(op), (unsigned long long)seed,
             first_finding(&report));
  claim_that(isinf(order) ? isinf(report.worst[HG_CHECK_TAYLOR])
                          : fabs(report.worst[HG_CHECK_TAYLOR] - order) < 0.1,
             "%s, seed %llu: order %g, expected %g", HgOperatorName(op), (unsigned long long)seed,
             report.worst[HG_CHECK_TAYLOR], order);
  return HgStateDestroy(&x);
}

/* Factors of any sign, some of them 0. */
static PetscErrorCode check_scaled(HgMesh mesh, uint64_t seed) {
  const HgVariable factor = {"factor", "1", HG_FIELD, 0};
  HgState factors;
  HgOperator op;
  PetscCall(HgStateCreate(mesh, 1, &factor, &factors));
  PetscCall(HgStateRandom(factors, seed));
  HgStateRows(factors, 0)[0][0] = 0;
  PetscCall(HgParametrisationScaled(factors, "factor", "m", "kappa", "m^2/s", &op));
  PetscCall(HgStateDestroy(&factors)); /* the operator has a copy */
  PetscCall(check(op, 1, INFINITY, seed));
  return HgOperatorDestroy(&op);
}

/* Three fields, 0 in most rows. */
static PetscErrorCode check_basis(HgMesh mesh, uint64_t seed) {
  const HgVariable fields[] = {
      {"a", "1", HG_FIELD, 0}, {"b", "1", HG_FIELD, 0}, {"c", "1", HG_FIELD, 0}};
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgState basis;
  HgOperator op;
  PetscCall(HgStateCreate(mesh, 3, fields, &basis));
  PetscCall(HgStateRandom(basis, seed));
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++)
        if ((p->j_global + j) % 3 != 1) HgStateRows(basis, k)[j][i] = 0;
  PetscCall(HgParametrisationBasis(basis, "slip", "m", "eta", "m", &op));
  PetscCall(HgStateDestroy(&basis)); /* the operator has a copy */
  claim_that(HgOperatorLinear(op), "a basis is linear");
  PetscCall(check(op, 1, INFINITY, seed));
  return HgOperatorDestroy(&op);
}

static PetscErrorCode check_on(HgMesh mesh, uint64_t seed) {
  HgOperator parts[2], chain, kappa, uniform;
  const HgMeshSpec *spec = HgMeshGetSpec(mesh);
  const int cx = spec->nx < 4 ? spec->nx : 4, cy = spec->ny < 3 ? spec->ny : 3;
  const HgPointwise functions[] = {HgPointwiseExp, HgPointwiseSoftplus,
                                   HgPointwiseBetween(0.2, 2.5), cubic};
  for (int k = 0; k < 4; k++) {
    HgOperator op;
    PetscCall(HgParametrisationPointwise(mesh, "m", "kappa", "m^2/s", &functions[k], &op));
    PetscCall(check(op, 1, 2, seed + 5));
    PetscCall(check(op, 3, 2, seed + 6));
    PetscCall(HgOperatorDestroy(&op));
  }
  const HgNetSpec nets[] = {{0}, {.layers = 2, .width = {3, 5}, .output = functions[2]}};
  for (int k = 0; k < 2; k++) {
    HgOperator op;
    PetscCall(HgParametrisationNet(mesh, "theta", "kappa", "m^2/s", &nets[k], &op));
    PetscCall(check(op, 0.3, 2, seed + 9));
    PetscCall(HgOperatorDestroy(&op));
  }
  if (cx > 1 && cy > 1) {
    HgOperator coarse[2];
    PetscCall(HgParametrisationCoarse(mesh, "theta", "kappa", "m^2/s", cx, cy, &coarse[0]));
    PetscCall(
        HgParametrisationCoarse(mesh, "theta", "kappa", "m^2/s", spec->nx, spec->ny, &coarse[1]));
    PetscCall(check(coarse[0], 1, INFINITY, seed + 7));
    PetscCall(check(coarse[1], 1, INFINITY, seed + 8));
    PetscCall(DESTROY(&coarse[0], &coarse[1]));
  }
  PetscCall(check_scaled(mesh, seed + 10));
  PetscCall(check_basis(mesh, seed + 10));
  PetscCall(HgParametrisationAffine(mesh, "theta", "m", "1", &parts[0]));
  PetscCall(HgParametrisationLog(mesh, "m", "kappa", "m^2/s", &parts[1]));
  PetscCall(HgParametrisationAffine(mesh, "theta", "kappa", "m^2/s", &kappa));
  PetscCall(HgOperatorChain("log of affine", 2, parts, &chain));
  PetscCall(check(kappa, 1, INFINITY, seed));
  PetscCall(check(kappa, 0, INFINITY, seed + 1));
  PetscCall(check(parts[1], 1, 2, seed + 2));
  PetscCall(check(parts[1], 10, 2, seed + 3)); /* kappa over nine decades */
  PetscCall(check(chain, 0.1, 2, seed + 4));
  PetscCall(HgOperatorDestroy(&chain));
  PetscCall(HgParametrisationUniform(mesh, "theta", "m", "1", &uniform));
  PetscCall(HgOperatorChain("log of uniform", 2, (HgOperator[]){uniform, parts[1]}, &chain));
  PetscCall(check(uniform, 1, INFINITY, seed + 9));
  PetscCall(check(chain, 1, 2, seed + 9));
  return DESTROY(&chain, &uniform, &kappa, &parts[1], &parts[0]);
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  uint64_t seed = 1;
  for (int px = 1; px <= size; px++) {
    if (size % px || (size > 6 && px != 1 && px != 4)) continue; /* 16 ranks take turns */
    for (int k = 0; k < 4; k++) {
      HgMesh mesh;
      PetscCall(patches_mesh(PETSC_COMM_WORLD, px, k % 2 ? 1 : 3, 1, k / 2, k % 2, &mesh));
      PetscCall(check_on(mesh, seed += 10));
      PetscCall(HgMeshDestroy(&mesh));
    }
  }
  return 0;
}

CLAIM("the parametrisations pass all checks", 0, test)
