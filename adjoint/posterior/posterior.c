/* SPDX-License-Identifier: BSD-2-Clause */
#include "posterior_private.h"
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <math.h>

enum { OVERSAMPLING = 10, TOGETHER = 32 /* products with H */ };

/* Thresholds: `dependent` for what remains of a direction without the others; `singular` for R''
   along a constant over R'' along a rough field. */
static const double dependent = 1e-13, singular = 1e-13;

struct HgPosterior_s {
  HgControlRange *range;
  HgState m;
  Vec z;
  HgOperator misfit;
  HgOperator before; /* the functional R */
  Mat R;             /* its second derivative */
  Vec centre;        /* the minimum of R, as R' and R'' at m have it; NULL: not asked for yet */
  HgPrior prior;
  int room, count;    /* R''-orthonormal directions */
  Vec *basis, *image; /* q_j, R'' q_j */
  int pairs;
  double *lambda;
  Vec *pair; /* v_k */
};

static MPI_Comm comm_of(HgState m) { return HgMeshComm(HgStateMesh(m)); }

/* ---- what can be asked for ---- */

/* *value = <w, R'' w> for variable k only, w constant or rough, over its entries. */
static PetscErrorCode curvature(HgOperator R, HgState m, int k, bool rough, double *value) {
  HgState w, h;
  double square;
  PetscCall(HgStateDuplicate(m, &w));
  PetscCall(HgStateDuplicate(m, &h));
  PetscCall(HgStateZero(w));
  if (rough) PetscCall(HgStateAddNoise(w, HgStateVariable(m, k)->name, 1, 1));
  else PetscCall(HgStateSetConstant(w, HgStateVariable(m, k)->name, 1));
  PetscCall(HgOperatorHessian(R, m, w, h));
  PetscCall(HgStateDot(w, h, value));
  PetscCall(HgStateDot(w, w, &square));
  *value /= square;
  return HgStatesDestroy(&w, &h);
}

static PetscErrorCode require_prior(HgOperator R, HgState m) {
  HgRequire(comm_of(m), R, HG_ERR_CONTROL,
            "posterior: J has no regularisation, which says what is known before the data; "
            "expected one with a Tikhonov weight (-tikhonov) or -prior_deviation");
  for (int k = 0; k < HgStateCount(m); k++) {
    double constant, rough;
    PetscCall(curvature(R, m, k, false, &constant));
    PetscCall(curvature(R, m, k, true, &rough));
    HgRequire(comm_of(m), rough > 0 && constant > singular * rough, HG_ERR_CONTROL,
              "posterior: the regularisation leaves the mean of '%s' free, so that its deviation "
              "before the data is infinite; expected a larger Tikhonov weight (-tikhonov) or "
              "-prior_deviation; of a nonlinear function of the controls, such as a net, -newton "
              "gauss and fewer controls",
              HgStateVariable(m, k)->name);
  }
  return 0;
}

PetscErrorCode HgPosteriorRequire(HgOperator misfit, HgOperator R, HgState m, int pairs) {
  PetscInt size;
  HgState w, h;
  PetscCall(HgControlsCount(m, &size));
  HgRequire(comm_of(m), pairs >= 1 && pairs <= size, HG_ERR_OPTION_RANGE,
            "posterior: %d eigenpairs asked for, expected 1 to %lld, as many as there are controls "
            "(-posterior)",
            pairs, (long long)size);
  PetscCall(require_prior(R, m));
  PetscCall(HgStateDuplicate(m, &w));
  PetscCall(HgStateDuplicate(m, &h));
  PetscErrorCode ierr = HgStateRandom(w, 1);
  if (!ierr) ierr = HgOperatorHessian(misfit, m, w, h);
  PetscCall(HgStatesDestroy(&w, &h));
  return ierr;
}

/* ---- the leading eigenpairs ---- */

/* Draws a direction of independent normal numbers, scaled by their controls. */
static PetscErrorCode draw(HgPosterior p, uint64_t seed, Vec w) {
  HgState random;
  PetscCall(HgStateDuplicate(p->m, &random));
  PetscCall(HgStateZero(random));
  for (int k = 0; k < HgStateCount(random); k++)
    PetscCall(HgStateAddNoise(random, HgStateVariable(random, k)->name, p->range[k].scale, seed));
  PetscCall(HgControlsToVec(random, p->range, 1, w));
  return HgStateDestroy(&random);
}

/* Appends q minus its projections on the others to the basis, unless nothing remains. */
static PetscErrorCode append(HgPosterior p, Vec q, Vec Rq) {
  PetscScalar *c;
  double before, after;
  const int n = p->count;
  PetscCall(MatMult(p->R, q, Rq));
  PetscCall(VecDot(q, Rq, &before));
  PetscCall(PetscMalloc1(n + 1, &c));
  for (int pass = 0; pass < 2 && n; pass++) {
    PetscCall(VecMDot(q, n, p->image, c));
    for (int j = 0; j < n; j++) c[j] = -c[j];
    PetscCall(VecMAXPY(q, n, c, p->basis));
  }
  PetscCall(PetscFree(c));
  PetscCall(MatMult(p->R, q, Rq));
  PetscCall(VecDot(q, Rq, &after));
  if (!(after > dependent * dependent * before)) return 0;
  PetscCall(VecCopy(q, p->basis[n]));
  PetscCall(VecCopy(Rq, p->image[n]));
  PetscCall(VecScale(p->basis[n], 1 / sqrt(after)));
  PetscCall(VecScale(p->image[n], 1 / sqrt(after)));
  p->count++;
  return 0;
}

/* Hv[j] = W^-1 H W^-1 v[j] of `count` vectors. */
static PetscErrorCode multiply(HgPosterior p, int count, const Vec v[], Vec Hv[]) {
  HgState dm[TOGETHER] = {NULL}, h[TOGETHER] = {NULL};
  for (int j = 0; j < count; j++) {
    PetscCall(HgStateDuplicate(p->m, &dm[j]));
    PetscCall(HgStateDuplicate(p->m, &h[j]));
    PetscCall(HgControlsFromVec(v[j], p->range, false, dm[j]));
  }
  const PetscErrorCode ierr = HgOperatorHessians(p->misfit, p->m, count, dm, NULL, h);
  for (int j = 0; j < count; j++) {
    if (!ierr) PetscCall(HgControlsToVec(h[j], p->range, -1, Hv[j]));
    PetscCall(HgStatesDestroy(&dm[j], &h[j]));
  }
  return ierr;
}

/* Finds a basis of the range of R''^-1 H by random directions. `w` and `Hw` are TOGETHER scratch
   vectors. */
static PetscErrorCode find_range(HgPosterior p, Vec w[], Vec Hw[]) {
  for (int first = 0; first < p->room; first += TOGETHER) {
    const int count = PetscMin(TOGETHER, p->room - first);
    for (int j = 0; j < count; j++) PetscCall(draw(p, (uint64_t)(first + j) + 1, w[j]));
    PetscCall(multiply(p, count, w, Hw));
    for (int j = 0; j < count; j++) {
      PetscCall(HgPriorSolve(p->prior, Hw[j], w[j]));
      PetscCall(append(p, w[j], Hw[j]));
    }
  }
  return 0;
}

/* T = Q^T H Q, symmetric; column by column. */
static PetscErrorCode project(HgPosterior p, Vec Hq[], double T[]) {
  const int n = p->count;
  for (int first = 0; first < n; first += TOGETHER) {
    const int count = PetscMin(TOGETHER, n - first);
    PetscCall(multiply(p, count, p->basis + first, Hq));
    for (int j = 0; j < count; j++) PetscCall(VecMDot(Hq[j], n, p->basis, T + (first + j) * n));
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) T[i * n + j] = T[j * n + i] = 0.5 * (T[i * n + j] + T[j * n + i]);
  return 0;
}

static double effect(double lambda) { return fabs(lambda / (1 + lambda)); }

/* Keeps v_k = Q V[k] that change the covariance most; they are at both ends. */
static PetscErrorCode keep_pairs(HgPosterior p, int pairs, const double V[],
                                 const double lambda[]) {
  int low = 0, high = p->count - 1;
  for (int k = 0; k < PetscMin(pairs, p->count); k++)
    if (effect(lambda[low]) > effect(lambda[high])) low++;
    else high--;
  p->pairs = PetscMin(pairs, p->count);
  PetscCall(PetscMalloc1(p->pairs, &p->lambda));
  if (p->pairs) PetscCall(VecDuplicateVecs(p->z, p->pairs, &p->pair));
  for (int k = 0, j = p->count - 1; k < p->pairs; k++, j--) {
    if (j == high) j = low - 1;
    p->lambda[k] = lambda[j];
    PetscCall(VecZeroEntries(p->pair[k]));
    PetscCall(VecMAXPY(p->pair[k], p->count, V + j * p->count, p->basis));
  }
  return 0;
}

/* The eigenvalues and eigenvectors of T. */
static PetscErrorCode decompose(HgPosterior p, double T[], double lambda[], double V[]) {
  const int n = p->count;
  HgRequire(comm_of(p->m), HgSymmetricEigen(n, T, lambda, V), HG_ERR_NOT_FINITE,
            "posterior: the eigenvalues of %d x %d products with the misfit's Hessian were not "
            "found, expected finite ones",
            n, n);
  HgRequire(comm_of(p->m), !n || lambda[0] > -1, HG_ERR_INVERSION_FAILED,
            "posterior: the Hessian of J is not positive definite (the misfit's is %.3g times the "
            "regularisation's along a direction, expected above -1): the controls are no minimum; "
            "take a smaller -tolerance, more regularisation, or -newton gauss",
            lambda[0]);
  return 0;
}

static PetscErrorCode find_pairs(HgPosterior p, int pairs) {
  const size_t room = (size_t)p->room * (size_t)p->room;
  double *T, *V, *lambda;
  Vec *w, *Hw;
  PetscCall(VecDuplicateVecs(p->z, TOGETHER, &w));
  PetscCall(VecDuplicateVecs(p->z, TOGETHER, &Hw));
  PetscCall(PetscMalloc3(room, &T, room, &V, p->room, &lambda));
  PetscErrorCode ierr = find_range(p, w, Hw);
  if (!ierr) ierr = project(p, Hw, T);
  if (!ierr) ierr = decompose(p, T, lambda, V);
  if (!ierr) ierr = keep_pairs(p, pairs, V, lambda);
  PetscCall(PetscFree3(T, V, lambda));
  PetscCall(VecDestroyVecs(TOGETHER, &w));
  PetscCall(VecDestroyVecs(TOGETHER, &Hw));
  return ierr;
}

/* ---- a posterior ---- */

PetscErrorCode HgPosteriorCreate(const HgControlRange range[], HgOperator misfit, HgOperator R,
                                 HgState m, int pairs, HgPosterior *posterior) {
  HgPosterior p;
  PetscInt size;
  *posterior = NULL;
  PetscCall(HgPosteriorRequire(misfit, R, m, pairs));
  PetscCall(PetscNew(&p));
  PetscCall(PetscMalloc1(HgStateCount(m), &p->range));
  PetscCall(PetscArraycpy(p->range, range, HgStateCount(m)));
  PetscCall(HgStateDuplicate(m, &p->m));
  PetscCall(HgStateCopy(m, p->m));
  PetscCall(HgOperatorReference(misfit));
  PetscCall(HgOperatorReference(R));
  p->misfit = misfit, p->before = R;
  PetscCall(HgExactVecCreate(comm_of(m), HgControlsSize(m), &p->z));
  PetscCall(VecGetSize(p->z, &size));
  PetscCall(HgHessianCreate(R, p->range, p->z, m, &p->R));
  p->room = (int)PetscMin(size, (PetscInt)pairs + OVERSAMPLING);
  PetscCall(VecDuplicateVecs(p->z, p->room, &p->basis));
  PetscCall(VecDuplicateVecs(p->z, p->room, &p->image));
  PetscErrorCode ierr = HgPriorCreate(m, p->R, NULL, &p->prior);
  if (!ierr) ierr = find_pairs(p, pairs);
  PetscCall(VecDestroyVecs(p->room, &p->basis));
  PetscCall(VecDestroyVecs(p->room, &p->image));
  if (ierr) PetscCall(HgPosteriorDestroy(&p));
  *posterior = p;
  return ierr;
}

PetscErrorCode HgPosteriorDestroy(HgPosterior *posterior) {
  HgPosterior p = *posterior;
  *posterior = NULL;
  if (!p) return 0;
  if (p->pair) PetscCall(VecDestroyVecs(p->pairs, &p->pair));
  PetscCall(PetscFree(p->lambda));
  PetscCall(HgPriorDestroy(&p->prior));
  PetscCall(HgOperatorDestroy(&p->misfit));
  PetscCall(HgOperatorDestroy(&p->before));
  PetscCall(VecDestroy(&p->centre));
  PetscCall(MatDestroy(&p->R));
  PetscCall(VecDestroy(&p->z));
  PetscCall(HgStateDestroy(&p->m));
  PetscCall(PetscFree(p->range));
  return PetscFree(p);
}

int HgPosteriorEigenvalues(HgPosterior p, const double **lambda) {
  *lambda = p->lambda;
  return p->pairs;
}

/* variance -= lambda / (1 + lambda) v^2 of each pair */
static PetscErrorCode subtract_pairs(HgPosterior p, Vec variance, Vec square) {
  for (int k = 0; k < p->pairs; k++) {
    PetscCall(VecPointwiseMult(square, p->pair[k], p->pair[k]));
    PetscCall(VecAXPY(variance, -p->lambda[k] / (1 + p->lambda[k]), square));
  }
  return 0;
}

/* The square root, as controls; negative rounding errors become 0. */
static PetscErrorCode deviation_of(HgPosterior p, Vec variance, Vec root, HgState deviation) {
  PetscCall(VecSet(root, 0));
  PetscCall(VecPointwiseMax(root, root, variance));
  PetscCall(VecSqrtAbs(root));
  return HgControlsFromVec(root, p->range, false, deviation);
}

PetscErrorCode HgPosteriorDeviations(HgPosterior p, HgState prior, HgState deviation) {
  Vec variance, root;
  PetscCall(VecDuplicate(p->z, &variance));
  PetscCall(VecDuplicate(p->z, &root));
  PetscErrorCode ierr = HgPriorVariance(p->prior, variance);
  if (!ierr) ierr = deviation_of(p, variance, root, prior);
  if (!ierr) ierr = subtract_pairs(p, variance, root);
  if (!ierr) ierr = deviation_of(p, variance, root, deviation);
  PetscCall(VecDestroy(&variance));
  PetscCall(VecDestroy(&root));
  return ierr;
}

static PetscErrorCode require_weights(HgPosterior p, HgState g) {
  bool finite;
  char where[256];
  HgRequire(comm_of(p->m), HgStateSame(g, p->m), HG_ERR_OPERATOR,
            "posterior: the weights of a number have other variables than the controls, expected "
            "the same");
  PetscCall(HgStateFinite(g, &finite, where, sizeof where));
  HgRequire(comm_of(p->m), finite, HG_ERR_NOT_FINITE,
            "posterior: the weights of a number: %s, expected finite numbers", where);
  return 0;
}

PetscErrorCode HgPosteriorFunctional(HgPosterior p, HgState g, double *prior, double *deviation) {
  Vec w, x;
  double variance = 0, along;
  PetscCall(require_weights(p, g));
  PetscCall(VecDuplicate(p->z, &w));
  PetscCall(VecDuplicate(p->z, &x));
  PetscCall(HgControlsToVec(g, p->range, -1, w));
  const PetscErrorCode ierr = HgPriorSolve(p->prior, w, x);
  if (!ierr) PetscCall(VecDot(w, x, &variance));
  *prior = sqrt(fmax(0, variance));
  for (int k = 0; k < p->pairs && !ierr; k++) {
    PetscCall(VecDot(w, p->pair[k], &along));
    variance -= p->lambda[k] / (1 + p->lambda[k]) * (along * along);
  }
  *deviation = sqrt(fmax(0, variance));
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&x));
  return ierr;
}

/* ---- samples ---- */

/* z - R''^-1 R'(m), z = W m */
static PetscErrorCode find_centre(HgPosterior p, Vec z) {
  double unused;
  HgState g;
  Vec slope;
  if (p->centre) return 0;
  PetscCall(VecDuplicate(z, &p->centre));
  PetscCall(VecDuplicate(z, &slope));
  PetscCall(HgOperatorCreateGradient(p->before, &g));
  PetscErrorCode ierr = HgOperatorGradient(p->before, p->m, &unused, g);
  if (!ierr) ierr = HgControlsToVec(g, p->range, -1, slope);
  if (!ierr) ierr = HgPriorSolve(p->prior, slope, p->centre);
  if (!ierr) ierr = VecAYPX(p->centre, -1, z);
  PetscCall(VecDestroy(&slope));
  PetscCall(HgStateDestroy(&g));
  return ierr;
}

PetscErrorCode HgPosteriorSample(HgPosterior p, uint64_t seed, HgState prior, HgState sample) {
  Vec z, s, Rs;
  double along;
  PetscCall(VecDuplicate(p->z, &z));
  PetscCall(VecDuplicate(p->z, &s));
  PetscCall(VecDuplicate(p->z, &Rs));
  PetscCall(HgControlsToVec(p->m, p->range, 1, z));
  PetscErrorCode ierr = find_centre(p, z);
  if (!ierr) ierr = HgPriorSample(p->prior, seed, s);
  if (!ierr) ierr = MatMult(p->R, s, Rs);
  if (!ierr) ierr = VecAXPY(z, 1, s);
  for (int k = 0; k < p->pairs && !ierr; k++) {
    PetscCall(VecDot(p->pair[k], Rs, &along));
    PetscCall(VecAXPY(z, (1 / sqrt(1 + p->lambda[k]) - 1) * along, p->pair[k]));
  }
  if (!ierr) ierr = HgControlsFromVec(z, p->range, false, sample);
  if (!ierr) ierr = VecAXPY(s, 1, p->centre);
  if (!ierr) ierr = HgControlsFromVec(s, p->range, false, prior);
  PetscCall(VecDestroy(&z));
  PetscCall(VecDestroy(&s));
  PetscCall(VecDestroy(&Rs));
  return ierr;
}
