/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: noise added to a state is Gaussian, independent from cell to cell, of variables and of
   seeds, and has the same bits on any decomposition. */
#include "claim.h"
#include "refusal.h"
#include "same_bits.h"
#include <halograd/state_library.h>
#include <math.h>

enum { NX = 211, NY = 157, ARRAY = 7 };

static const HgVariable variables[] = {{"u", "K", HG_FIELD, 0},
                                       {"v", "m/s", HG_FIELD, 0},
                                       {"a", "1", HG_REPLICATED, ARRAY},
                                       {"g", "1", HG_GHOSTED, 0}};

static const double sigma = 0.25, mean = 3;

static PetscErrorCode create(MPI_Comm comm, Layout l, HgState *x) {
  const HgMeshSpec spec = {
      .nx = NX, .ny = NY, .px = l.px, .py = l.py, .dx = 1, .dy = 1, .ghost = 2};
  HgMesh mesh;
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 4, variables, x));
  for (int k = 0; k < 3; k++) PetscCall(HgStateSetConstant(*x, variables[k].name, mean));
  return HgMeshDestroy(&mesh);
}

static PetscErrorCode draw(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  char digest[17];
  HgState x;
  PetscCall(create(comm, l, &x));
  for (int k = 0; k < 3; k++)
    PetscCall(HgStateAddNoise(x, variables[k].name, sigma, (uint64_t)seed));
  PetscCall(HgStateDigest(x, NULL, digest));
  snprintf(text, LAYOUT_TEXT, "%s %a", digest, HgStateArray(x, 2)[ARRAY - 1]);
  return HgStateDestroy(&x);
}

/* sum_k sums[n] of xi^n, n = 1 .. 4, of the product with the neighbour to the east, if there is one
   on the rank, and of the product with the other state. */
static PetscErrorCode add_moments(HgState x, HgState other, int k, int l, double sums[7]) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgReal *const *u = HgStateRows(x, k), *const *v = HgStateRows(other, l);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double xi = (u[j][i] - mean) / sigma, with = (v[j][i] - mean) / sigma;
      sums[0] += 1;
      for (int n = 1; n <= 4; n++) sums[n] += pow(xi, n);
      if (i + 1 < p->nx) sums[5] += xi * (u[j][i + 1] - mean) / sigma;
      sums[6] += xi * with;
    }
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, sums, 7, MPI_DOUBLE, MPI_SUM, HgMeshComm(HgStateMesh(x))));
  return 0;
}

/* Five standard errors of each moment of N numbers: var(xi^n) = 1, 2, 15, 96. */
static PetscErrorCode moments(const char what[], HgState x, HgState other, int k, int l) {
  static const double expected[] = {0, 0, 1, 0, 3, 0, 0}, variance[] = {0, 1, 2, 15, 96, 1, 1};
  double sums[7] = {0};
  PetscCall(add_moments(x, other, k, l, sums));
  for (int n = 1; n < 7; n++)
    claim_at_most(fabs(sums[n] / sums[0] - expected[n]), 5 * sqrt(variance[n] / sums[0]),
                  "%s: distance of moment %d from %g", what, n, expected[n]);
  return 0;
}

static PetscErrorCode gaussian(void) {
  HgState x, y;
  char before[17], after[17];
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &x));
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &y));
  for (int k = 0; k < 2; k++) PetscCall(HgStateAddNoise(x, variables[k].name, sigma, 1));
  PetscCall(HgStateAddNoise(y, "u", sigma, 2));
  PetscCall(moments("two seeds", x, y, 0, 0));
  PetscCall(moments("two variables", x, x, 0, 1));
  PetscCall(HgStateDigest(x, NULL, before));
  PetscCall(HgStateAddNoise(x, "u", 0, 1));
  PetscCall(HgStateDigest(x, NULL, after));
  claim_that(!strcmp(before, after), "no noise changes nothing");
  HgStateSetGhostDepth(x, 0, 2);
  PetscCall(HgStateAddNoise(x, "u", sigma, 1));
  claim_that(HgStateGhostDepth(x, 0) == 0, "ghosts of a field with new noise count as stale");
  REFUSED(HgStateAddNoise(x, "w", sigma, 1), "no variable 'w'");
  REFUSED(HgStateAddNoise(x, "g", sigma, 1), "'g', which is neither a field");
  REFUSED(HgStateAddNoise(x, "u", -1, 1), "standard deviation -1 for 'u'");
  REFUSED(HgStateAddNoise(x, "u", NAN, 1), "standard deviation nan for 'u'");
  return HgStatesDestroy(&y, &x);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("noise of a state is Gaussian with the same bits on any decomposition", 1);
  if (!ierr) ierr = gaussian();
  for (long seed = 1; !ierr && seed < 3; seed++) ierr = expect_same_on_layouts("noise", draw, seed);
  return claim_end(ierr);
}
