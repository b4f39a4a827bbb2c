/* Claim: value, tangent and adjoint of the parametrisations are right to the last bit on every
   layout and on every rank. */
#include "same_bits.h"
#include <halograd/parametrisation.h>
#include <math.h>
enum { NX = 11, NY = 17 };
static const double west = 0.3, south = -2.7, width = 0.1, height = 0.7;
/* Are the three numbers the same on all ranks of `comm`? */
static PetscErrorCode claim_replicated(MPI_Comm comm, const double theta[3], long seed) {
  double first[3] = {theta[0], theta[1], theta[2]};
  PetscCallMPI(MPI_Bcast(first, 3, MPI_DOUBLE, 0, comm));
  for (int k = 0; k < 3; k++)
    claim_same(theta[k], first[k], "theta_bar[%d] on two ranks, seed %ld", k, seed);
  return 0;
}
static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  const HgMeshSpec spec = {.nx = NX,
                           .ny = NY,
                           .px = layout.px,
                           .py = layout.py,
                           .x0 = west,
                           .y0 = south,
                           .dx = width,
                           .dy = height,
                           .ghost = 1};
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
  PetscCall(claim_replicated(comm, HgStateArray(theta_bar, 0), seed));
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
  PetscCall(HgOperatorDestroy(&affine));
  PetscCall(HgOperatorDestroy(&log_kappa));
  return HgMeshDestroy(&mesh);
}
int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the parametrisations have the same bits on every layout", 0);
  for (long seed = 1; seed <= 5 && !ierr; seed++)
    ierr = expect_same_on_layouts("parametrisations", run, seed);
  return claim_end(ierr);
}
