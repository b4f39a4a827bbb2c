/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: value, tangent and adjoint of the parametrisations are right to the last bit on every
   layout and on every rank. */
#include "same_bits.h"
#include <halograd/control_library.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <stdlib.h>

enum { NX = 11, NY = 17, MOST = 1000 };

static const double west = 0.3, south = -2.7, width = 0.1, height = 0.7;

/* Are the numbers the same on all ranks of `comm`? */
static PetscErrorCode claim_replicated(MPI_Comm comm, HgState theta_bar, long seed) {
  const double *theta = HgStateArray(theta_bar, 0);
  double first[MOST];
  const int size = HgStateVariable(theta_bar, 0)->size;
  for (int k = 0; k < size; k++) first[k] = theta[k];
  PetscCallMPI(MPI_Bcast(first, size, MPI_DOUBLE, 0, comm));
  for (int k = 0; k < size; k++)
    claim_same(theta[k], first[k], "theta_bar[%d] on two ranks, seed %ld", k, seed);
  return 0;
}

static HgMeshSpec domain(Layout layout) {
  return (HgMeshSpec){.nx = NX,
                      .ny = NY,
                      .px = layout.px,
                      .py = layout.py,
                      .x0 = west,
                      .y0 = south,
                      .dx = width,
                      .dy = height,
                      .ghost = 1};
}

/* Digests of value, tangent and adjoint around a random x, written to `text`. */
static PetscErrorCode digests(HgOperator op, long seed, char text[52]) {
  HgState x, dx, x_bar, y, dy, y_bar;
  char digest[3][17];
  PetscCall(HgOperatorCreateInput(op, &x));
  PetscCall(HgStateDuplicate(x, &dx));
  PetscCall(HgStateDuplicate(x, &x_bar));
  PetscCall(HgOperatorCreateOutput(op, &y));
  PetscCall(HgStateDuplicate(y, &dy));
  PetscCall(HgStateDuplicate(y, &y_bar));
  PetscCall(HgStateRandom(x, (uint64_t)seed));
  PetscCall(HgStateRandom(dx, (uint64_t)seed + 1));
  PetscCall(HgStateRandom(x_bar, (uint64_t)seed + 2));
  PetscCall(HgStateRandom(y_bar, (uint64_t)seed + 3));
  PetscCall(HgOperatorApply(op, x, y));
  PetscCall(HgOperatorTangent(op, x, dx, dy));
  PetscCall(HgOperatorAdjoint(op, x, y_bar, x_bar));
  if (HgStateVariable(x, 0)->kind == HG_REPLICATED)
    PetscCall(claim_replicated(HgMeshComm(HgStateMesh(x)), x_bar, seed));
  PetscCall(HgStateDigest(y, NULL, digest[0]));
  PetscCall(HgStateDigest(dy, NULL, digest[1]));
  PetscCall(HgStateDigest(x_bar, NULL, digest[2]));
  snprintf(text, 52, "%s %s %s", digest[0], digest[1], digest[2]);
  PetscCall(HgStatesDestroy(&x, &dx, &x_bar, &y, &dy, &y_bar));
  return 0;
}

/* Five fields, 0 but in the middle of the domain. */
static PetscErrorCode make_basis(HgMesh mesh, long seed, HgOperator *op) {
  const HgVariable fields[] = {{"a", "1", HG_FIELD, 0},
                               {"b", "1", HG_FIELD, 0},
                               {"c", "1", HG_FIELD, 0},
                               {"d", "1", HG_FIELD, 0},
                               {"e", "1", HG_FIELD, 0}};
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgState basis;
  PetscCall(HgStateCreate(mesh, 5, fields, &basis));
  PetscCall(HgStateRandom(basis, (uint64_t)seed));
  for (int k = 0; k < 5; k++)
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++)
        if (abs(p->i_global + i - NX / 2) > 3 || abs(p->j_global + j - NY / 2) > 5)
          HgStateRows(basis, k)[j][i] = 0;
  PetscCall(HgParametrisationBasis(basis, "slip", "m", "eta", "m", op));
  return HgStateDestroy(&basis);
}

static PetscErrorCode run_all(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  const HgMeshSpec spec = domain(layout);
  const HgPointwise softplus = HgPointwiseSoftplus, between = HgPointwiseBetween(0.2, 2.5);
  HgMesh mesh;
  HgOperator ops[5];
  char each[5][52];
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgParametrisationPointwise(mesh, "m", "kappa", "m^2/s", &softplus, &ops[0]));
  PetscCall(HgParametrisationPointwise(mesh, "m", "kappa", "m^2/s", &between, &ops[1]));
  PetscCall(HgParametrisationCoarse(mesh, "theta", "kappa", "m^2/s", 4, 6, &ops[2]));
  PetscCall(HgParametrisationNet(mesh, "theta", "kappa", "m^2/s", &(HgNetSpec){0}, &ops[3]));
  PetscCall(make_basis(mesh, seed, &ops[4]));
  for (int k = 0; k < 5; k++) {
    PetscCall(digests(ops[k], seed, each[k]));
    PetscCall(HgOperatorDestroy(&ops[k]));
  }
  snprintf(text, LAYOUT_TEXT, "%s %s %s %s %s", each[0], each[1], each[2], each[3], each[4]);
  return HgMeshDestroy(&mesh);
}

static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  const HgMeshSpec spec = domain(layout);
  HgMesh mesh;
  HgOperator affine, log_kappa;
  HgState theta, dtheta, theta_bar, m, m_bar, kappa, dkappa, kappa_bar;
  char digest[4][17];
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgParametrisationAffine(mesh, "theta", "kappa", "m^2/s", &affine));
  PetscCall(HgParametrisationLog(mesh, "m", "kappa", "m^2/s", &log_kappa));
  PetscCall(HgOperatorCreateInput(affine, &theta));
  PetscCall(HgStateDuplicate(theta, &dtheta));
  PetscCall(HgStateDuplicate(theta, &theta_bar));
  PetscCall(HgOperatorCreateInput(log_kappa, &m));
  PetscCall(HgStateDuplicate(m, &m_bar));
  PetscCall(HgOperatorCreateOutput(affine, &kappa));
  PetscCall(HgStateDuplicate(kappa, &dkappa));
  PetscCall(HgStateDuplicate(kappa, &kappa_bar));
  PetscCall(HgStateRandom(theta, (uint64_t)seed));
  PetscCall(HgStateRandom(dtheta, (uint64_t)seed + 1));
  PetscCall(HgStateRandom(theta_bar, (uint64_t)seed + 2));
  PetscCall(HgStateRandom(m, (uint64_t)seed + 3));
  PetscCall(HgStateRandom(m_bar, (uint64_t)seed + 4));
  PetscCall(HgStateRandom(kappa_bar, (uint64_t)seed + 5));
  PetscCall(HgOperatorApply(affine, theta, kappa));
  PetscCall(HgOperatorTangent(affine, theta, dtheta, dkappa));
  PetscCall(HgOperatorAdjoint(affine, theta, kappa_bar, theta_bar));
  PetscCall(claim_replicated(comm, theta_bar, seed));
  /* Against the formula, cell by cell. */
  const HgPatch *p = HgMeshGetPatch(mesh);
  const double *a = HgStateArray(theta, 0);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      claim_same(HgStateRows(kappa, 0)[j][i],
                 a[0] + a[1] * (west + (p->i_global + i) * width) +
                     a[2] * (south + (p->j_global + j) * height),
                 "kappa in cell (%d, %d), seed %ld", p->i_global + i, p->j_global + j, seed);
  PetscCall(HgStateDigest(kappa, NULL, digest[0]));
  PetscCall(HgStateDigest(dkappa, NULL, digest[1]));
  PetscCall(HgOperatorApply(log_kappa, m, kappa));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      claim_same(HgStateRows(kappa, 0)[j][i], exp(HgStateRows(m, 0)[j][i]), "exp(m), seed %ld",
                 seed);
  PetscCall(HgOperatorAdjoint(log_kappa, m, kappa_bar, m_bar));
  PetscCall(HgStateDigest(kappa, NULL, digest[2]));
  PetscCall(HgStateDigest(m_bar, NULL, digest[3]));
  const double *b = HgStateArray(theta_bar, 0);
  snprintf(text, LAYOUT_TEXT, "%a %a %a %s %s %s %s", b[0], b[1], b[2], digest[0], digest[1],
           digest[2], digest[3]);
  HgState *const states[] = {&theta, &dtheta, &theta_bar, &m, &m_bar, &kappa, &dkappa, &kappa_bar};
  for (size_t k = 0; k < sizeof states / sizeof *states; k++) PetscCall(HgStateDestroy(states[k]));
  return DESTROY(&affine, &log_kappa, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the parametrisations have the same bits on every layout", 0);
  for (long seed = 1; seed <= 8 && !ierr; seed++)
    ierr = expect_same_on_layouts("parametrisations", seed % 2 ? run : run_all, seed);
  return claim_end(ierr);
}
