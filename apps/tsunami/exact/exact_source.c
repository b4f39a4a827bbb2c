/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact_source.h"
#include <math.h>

static const double km3 = 1e-9, rigidity = 40e9, moments = 1e-22; /* [km^3/m^3, Pa, 1/N m] */

PetscErrorCode ExactSourceCreate(const TohokuSea *sea, const TohokuSource *surface,
                                 const TohokuSlip *slip, ExactSource *s) {
  *s = (ExactSource){.sea = sea, .surface = surface, .slip = slip->sought ? slip : NULL};
  PetscCall(ExactBoxCreate(sea, surface, &s->box));
  s->count = s->slip ? slip->faults->count : s->box.cells;
  PetscCall(PetscCalloc1(EXACT_FUNCTIONALS * s->count, &s->functional));
  for (int k = 0; k < s->count; k++) {
    if (s->slip) {
      const HgOkadaFault *f = &slip->faults->fault[k].fault;
      s->functional[k] = moments * rigidity * f->length * f->width;
      continue;
    }
    s->functional[k] = km3 * s->box.area[k];
    s->functional[EXACT_EAST * s->count + k] = s->functional[k] * s->box.east[k];
    s->functional[EXACT_NORTH * s->count + k] = s->functional[k] * s->box.north[k];
  }
  return 0;
}

PetscErrorCode ExactSourceDestroy(ExactSource *s) {
  PetscCall(PetscFree(s->functional));
  return ExactBoxDestroy(&s->box);
}

/* <lambda, units_k> for all k, on rank 0: exact sums. */
static PetscErrorCode project_slip(const ExactSource *s, HgState lambda, double weight,
                                   double row[]) {
  const MPI_Comm comm = HgMeshComm(s->sea->mesh);
  const HgPatch *p = HgMeshGetPatch(s->sea->mesh);
  HgReal *const *eta = HgStateRows(lambda, HgStateFind(lambda, "eta"));
  HgSum *sums;
  double *values;
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc2(s->count, &sums, s->count, &values));
  for (int k = 0; k < s->count; k++) {
    HgSumReset(&sums[k]);
    for (int j = 0; j < p->ny; j++)
      HgSumAddProducts(&sums[k], (size_t)p->nx, eta[j], HgStateRows(s->slip->units, k)[j]);
  }
  PetscCall(HgSumReduce(comm, s->count, sums, values));
  for (int k = 0; k < s->count && !rank; k++) row[k] += weight * values[k];
  return PetscFree2(sums, values);
}

PetscErrorCode ExactSourceProject(const ExactSource *s, HgState lambda, double weight,
                                  double row[]) {
  const HgPatch *p = HgMeshGetPatch(s->sea->mesh);
  HgReal *const *eta = HgStateRows(lambda, HgStateFind(lambda, "eta"));
  if (s->slip) return project_slip(s, lambda, weight, row);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const int c = s->box.number[(p->j_global + j) * s->box.nx + p->i_global + i];
      if (c >= 0) row[c] += weight * eta[j][i];
    }
  return 0;
}

/* ---- the prior ---- */

PetscErrorCode ExactSourceRequireProper(const ExactSource *s, const ExactPrior *prior) {
  const MPI_Comm comm = HgMeshComm(s->sea->mesh);
  if (!s->slip) return ExactBoxRequireProper(comm, &s->box, prior->h1, prior->tikhonov);
  HgRequire(comm, prior->tikhonov > 0, HG_ERR_CONTROL,
            "exact posterior: -slip_tikhonov is 0, so that the deviation of the slip before the "
            "data is infinite; expected it above 0");
  return 0;
}

PetscErrorCode ExactSourceFactor(const ExactSource *s, const ExactPrior *prior, Mat *factor) {
  Mat P;
  MatFactorInfo info;
  IS rows, columns;
  if (s->slip) {
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, s->count, s->count, 1, NULL, &P));
    for (PetscInt k = 0; k < s->count; k++)
      PetscCall(MatSetValue(P, k, k, prior->tikhonov, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  } else PetscCall(ExactBoxAssemble(&s->box, prior->h1, prior->tikhonov, &P));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatSetOption(P, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatGetFactor(P, MATSOLVERPETSC, MAT_FACTOR_CHOLESKY, factor));
  PetscCall(MatGetOrdering(P, MATORDERINGND, &rows, &columns));
  PetscCall(MatCholeskyFactorSymbolic(*factor, P, rows, &info));
  PetscCall(MatCholeskyFactorNumeric(*factor, P, &info));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&columns));
  return MatDestroy(&P);
}

PetscErrorCode ExactSourceSolve(const ExactSource *s, Mat factor, const double b[], double x[]) {
  Vec from, to;
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, s->count, b, &from));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, s->count, x, &to));
  PetscCall(MatSolve(factor, from, to));
  PetscCall(VecDestroy(&from));
  return VecDestroy(&to);
}

void ExactSourceEnergy(const ExactSource *s, const ExactPrior *prior, const double m[],
                       double parts[2]) {
  double sum = 0;
  if (!s->slip) {
    ExactBoxEnergy(&s->box, prior->h1, prior->tikhonov, m, parts);
    return;
  }
  for (int k = 0; k < s->count; k++) sum += m[k] * m[k];
  parts[0] = 0, parts[1] = 0.5 * prior->tikhonov * sum;
}

/* ---- the surface ---- */

static PetscErrorCode create_surface(const ExactSource *s, HgState *state) {
  const HgVariable eta = {"eta", "m", HG_FIELD, 0};
  return HgStateCreate(s->sea->mesh, 1, &eta, state);
}

PetscErrorCode ExactSourceSurface(const ExactSource *s, const double m[], HgState *state) {
  PetscCall(create_surface(s, state));
  if (!s->slip) ExactBoxSpread(&s->box, m, *state);
  for (int k = 0; k < s->count && s->slip; k++)
    PetscCall(HgStateAXPYVariable(*state, 0, m[k], s->slip->units, k));
  return 0;
}

/* C - X^T X of slip, whose prior is diagonal. */
static PetscErrorCode find_covariance(const ExactSource *s, int rows, const double X[],
                                      const double before[], double covariance[]) {
  const int n = s->count;
  PetscCall(PetscArrayzero(covariance, n * n));
  for (int k = 0; k < n; k++) covariance[k * n + k] = before[k];
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < n; k++)
      for (int l = 0; l < n; l++) covariance[k * n + l] -= X[r * n + k] * X[r * n + l];
  return 0;
}

/* sqrt(u^T C u), u what 1 m on each subfault lifts a cell. */
static double deviation_at(const ExactSource *s, const double covariance[], int i, int j,
                           double u[]) {
  const int n = s->count;
  double sum = 0;
  for (int k = 0; k < n; k++) u[k] = HgStateRows(s->slip->units, k)[j][i];
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) sum += u[k] * (covariance[k * n + l] * u[l]);
  return sqrt(fmax(sum, 0));
}

PetscErrorCode ExactSourceDeviation(const ExactSource *s, int rows, const double X[],
                                    const double before[], HgState *state) {
  const HgPatch *p = HgMeshGetPatch(s->sea->mesh);
  const size_t n = (size_t)s->count;
  double *work, *u;
  PetscCall(create_surface(s, state));
  PetscCall(PetscMalloc2(s->slip ? n * n : n, &work, n, &u));
  if (s->slip) {
    PetscCall(find_covariance(s, rows, X, before, work));
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) HgStateRows(*state, 0)[j][i] = deviation_at(s, work, i, j, u);
  } else {
    PetscCall(PetscArraycpy(work, before, n));
    for (int r = 0; r < rows; r++)
      for (size_t c = 0; c < n; c++) work[c] -= X[(size_t)r * n + c] * X[(size_t)r * n + c];
    for (size_t c = 0; c < n; c++) work[c] = sqrt(fmax(work[c], 0));
    ExactBoxSpread(&s->box, work, *state);
  }
  HgStateSetGhostDepth(*state, 0, 0);
  return PetscFree2(work, u);
}
