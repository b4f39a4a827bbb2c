/* Calls that notice changed inputs, norms and random directions for the checks of an operator. */
#include <halograd/check_library.h>
#include <math.h>
#include <string.h>

/* The numbers of variable k that count, row by row: ghosts too if they are part of the value. */
static int rows_of(HgState x, int k) {
  const int ny = HgMeshGetPatch(HgStateMesh(x))->ny, ghost = HgStateGhosts(x);
  switch (HgStateVariable(x, k)->kind) {
  case HG_FIELD: return ny;
  case HG_GHOSTED: return ny + 2 * ghost;
  default: return 1;
  }
}

static const double *row_of(HgState x, int k, int j, size_t *n) {
  const int nx = HgMeshGetPatch(HgStateMesh(x))->nx, ghost = HgStateGhosts(x);
  switch (HgStateVariable(x, k)->kind) {
  case HG_FIELD: *n = (size_t)nx; return HgStateRows(x, k)[j];
  case HG_GHOSTED: *n = (size_t)(nx + 2 * ghost); return HgStateRows(x, k)[j - ghost] - ghost;
  default: *n = (size_t)HgStateVariable(x, k)->size; return HgStateArray(x, k);
  }
}

/* Clears untouched, on this rank, if `now` is not `before`. */
static void compare(HgChecker *c, HgState now, HgState before) {
  for (int k = 0; k < HgStateCount(now); k++)
    for (int j = 0; j < rows_of(now, k); j++) {
      size_t n;
      const double *u = row_of(now, k, j, &n), *v = row_of(before, k, j, &n);
      if (n && memcmp(u, v, n * sizeof *u))
        c->untouched = false; /* an empty array has no address */
    }
}

PetscErrorCode HgCheckerApply(HgChecker *c, HgState point, HgState y) {
  PetscCall(HgStateCopy(point, c->at));
  PetscCall(HgOperatorApply(c->op, c->at, y));
  compare(c, c->at, point);
  return 0;
}

PetscErrorCode HgCheckerTangent(HgChecker *c, HgState dx, HgState dy) {
  HgState given;
  PetscCall(HgStateDuplicate(dx, &given));
  PetscCall(HgStateCopy(dx, given));
  PetscCall(HgStateCopy(c->x, c->at));
  PetscCall(HgOperatorTangent(c->op, c->at, given, dy));
  compare(c, c->at, c->x);
  compare(c, given, dx);
  return HgStateDestroy(&given);
}

static PetscErrorCode backwards(HgChecker *c, HgOperatorBackFn *f, HgState y_bar, HgState x_bar) {
  HgState given;
  PetscCall(HgStateDuplicate(y_bar, &given));
  PetscCall(HgStateCopy(y_bar, given));
  PetscCall(HgStateCopy(c->x, c->at));
  PetscCall(f(c->op, c->at, given, x_bar));
  compare(c, c->at, c->x);
  compare(c, given, y_bar);
  return HgStateDestroy(&given);
}

PetscErrorCode HgCheckerAdjoint(HgChecker *c, HgState y_bar, HgState x_bar) {
  return backwards(c, HgOperatorAdjoint, y_bar, x_bar);
}

PetscErrorCode HgCheckerTranspose(HgChecker *c, HgState y_bar, HgState x_bar) {
  PetscCall(HgStateScale(x_bar, NAN));
  return backwards(c, HgOperatorTranspose, y_bar, x_bar);
}

PetscErrorCode HgCheckerNorm(HgState x, double *norm) {
  PetscCall(HgStateDot(x, x, norm));
  *norm = sqrt(*norm);
  return 0;
}

PetscErrorCode HgCheckerProducts(int count, const HgState a[], const HgState b[],
                                 double products[]) {
  HgSum sums[HG_CHECK_SUMS];
  for (int k = 0; k < count; k++) {
    HgSumReset(&sums[k]);
    HgStateAddProducts(a[k], b[k], &sums[k]);
  }
  return HgSumReduce(HgMeshComm(HgStateMesh(a[0])), count, sums, products);
}

PetscErrorCode HgCheckerNorms(HgState x, double norms[]) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(x));
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (int first = 0; first < HgStateCount(x); first += HG_CHECK_SUMS) {
    const int count = PetscMin(HgStateCount(x) - first, HG_CHECK_SUMS);
    HgSum sums[HG_CHECK_SUMS];
    for (int k = 0; k < count; k++) {
      HgSumReset(&sums[k]);
      if (rank && HgStateVariable(x, first + k)->kind == HG_REPLICATED) continue;
      for (int j = 0; j < rows_of(x, first + k); j++) {
        size_t n;
        const double *row = row_of(x, first + k, j, &n);
        HgSumAddProducts(&sums[k], n, row, row);
      }
    }
    PetscCall(HgSumReduce(comm, count, sums, norms + first));
    for (int k = 0; k < count; k++) norms[first + k] = sqrt(norms[first + k]);
  }
  return 0;
}

/* Of variables first .. last, 0 in the others. */
static PetscErrorCode random_like(HgState like, int first, int last, uint64_t seed, HgState v) {
  double *wanted, *norm;
  HgState drawn;
  PetscCall(PetscMalloc2(HgStateCount(like), &wanted, HgStateCount(like), &norm));
  PetscCall(HgStateDuplicate(like, &drawn));
  PetscCall(HgStateRandom(drawn, seed));
  PetscCall(HgCheckerNorms(like, wanted));
  PetscCall(HgCheckerNorms(drawn, norm));
  PetscCall(HgStateZero(v));
  for (int k = first; k <= last; k++)
    PetscCall(HgStateAXPYVariable(v, k, wanted[k] > 0 && norm[k] > 0 ? wanted[k] / norm[k] : 1,
                                  drawn, k));
  PetscCall(PetscFree2(wanted, norm));
  return HgStateDestroy(&drawn);
}

PetscErrorCode HgCheckerRandomLike(HgState like, uint64_t seed, HgState v) {
  return random_like(like, 0, HgStateCount(v) - 1, seed, v);
}

PetscErrorCode HgCheckerRandomIn(HgState like, int k, uint64_t seed, HgState v) {
  return random_like(like, k, k, seed, v);
}

PetscErrorCode HgCheckerFix(const HgChecker *c, HgState dx) {
  for (int k = 0; k < HgStateCount(dx); k++)
    if (!HgOperatorActive(c->op, k)) PetscCall(HgStateZeroVariable(dx, k));
  return 0;
}

PetscErrorCode HgCheckerDirection(const HgChecker *c, uint64_t seed, HgState dx) {
  PetscCall(HgStateRandom(dx, seed));
  return HgCheckerFix(c, dx);
}
