/* SPDX-License-Identifier: BSD-2-Clause */
/* States that checks need: norms, random directions, points beside another one, the input of a
   step; see check_library.h. */
#include <halograd/check_library.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

/* Rows of variable k to compare: ghosts too if they are part of the value. */
static int rows_of(HgState x, int k) {
  const int ny = HgMeshGetPatch(HgStateMesh(x))->ny, ghost = HgStateGhosts(x);
  switch (HgStateVariable(x, k)->kind) {
  case HG_FIELD: return HgStateRowCount(x, k);
  case HG_GHOSTED: return (ny + 2 * ghost) * HgStateLevels(x, k);
  default: return 1;
  }
}

static HgRow row_of(HgState x, int k, int j, size_t *n) {
  const int nx = HgMeshGetPatch(HgStateMesh(x))->nx, ghost = HgStateGhosts(x),
            tall = HgMeshGetPatch(HgStateMesh(x))->ny + 2 * ghost;
  switch (HgStateVariable(x, k)->kind) {
  case HG_FIELD: *n = (size_t)nx; return HgStateRowOf(x, k, j);
  case HG_GHOSTED:
    *n = (size_t)(nx + 2 * ghost);
    return (HgRow){.cells = HgStateLevel(x, k, j / tall)[j % tall - ghost] - ghost};
  default: *n = (size_t)HgStateVariable(x, k)->size; return HgStateRowOf(x, k, 0);
  }
}

bool HgCheckSame(HgState now, HgState before) {
  size_t n;
  for (int k = 0; k < HgStateCount(now); k++)
    for (int j = 0; j < rows_of(now, k); j++) {
      const HgRow u = row_of(now, k, j, &n), v = row_of(before, k, j, &n);
      if (!n) continue; /* an empty array has no address */
      if (u.cells ? memcmp(u.cells, v.cells, n * sizeof *u.cells)
                  : memcmp(u.numbers, v.numbers, n * sizeof *u.numbers))
        return false;
    }
  return true;
}

/* ---- norms and products ---- */
PetscErrorCode HgCheckNorm(HgState x, double *norm) {
  PetscCall(HgStateDot(x, x, norm));
  *norm = sqrt(*norm);
  return 0;
}

PetscErrorCode HgCheckNorms(HgState x, double norms[]) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(x));
  const int count = HgStateCount(x);
  HgSum *sums;
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc1(count, &sums));
  for (int k = 0; k < count; k++) {
    HgSumReset(&sums[k]);
    if (rank && HgStateVariable(x, k)->kind == HG_REPLICATED) continue;
    for (int j = 0; j < rows_of(x, k); j++) {
      size_t n;
      const HgRow row = row_of(x, k, j, &n);
      HgRowAddProducts(&sums[k], n, row, row);
    }
  }
  PetscCall(HgSumReduce(comm, count, sums, norms));
  for (int k = 0; k < count; k++) norms[k] = sqrt(norms[k]);
  return PetscFree(sums);
}

PetscErrorCode HgCheckLargest(HgState x, int first, int count, double largest[]) {
  size_t n;
  for (int k = 0; k < count; k++) {
    largest[k] = 0;
    for (int j = 0; j < rows_of(x, first + k); j++) {
      const HgRow row = row_of(x, first + k, j, &n);
      for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
        largest[k] = isnan(HgRowGet(row, i)) ? INFINITY : fmax(largest[k], fabs(HgRowGet(row, i)));
    }
  }
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, largest, count, MPI_DOUBLE, MPI_MAX, HgMeshComm(HgStateMesh(x))));
  return 0;
}

PetscErrorCode HgCheckDot(HgState dx, HgState dy, HgState y_bar, HgState x_bar, HgCheckPair *p) {
  const HgState a[] = {dy, dx, dx, dy, x_bar, y_bar}, b[] = {y_bar, x_bar, dx, dy, x_bar, y_bar};
  HgSum sums[6];
  double product[6];
  for (int k = 0; k < 6; k++) {
    HgSumReset(&sums[k]);
    HgStateAddProducts(a[k], b[k], &sums[k]);
  }
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(dx)), 6, sums, product));
  *p = (HgCheckPair){.forward = product[0],
                     .back = product[1],
                     .dx = sqrt(product[2]),
                     .dy = sqrt(product[3]),
                     .x_bar = sqrt(product[4]),
                     .y_bar = sqrt(product[5])};
  p->off = HgCheckOff(p->forward, p->back, fmax(p->dy * p->y_bar, p->dx * p->x_bar));
  return 0;
}

/* ---- directions ---- */
PetscErrorCode HgCheckRandomLike(HgState like, int only, uint64_t seed, HgState v) {
  const int count = HgStateCount(like);
  double *wanted, *norm;
  HgState drawn;
  PetscCall(PetscMalloc2(count, &wanted, count, &norm));
  PetscCall(HgStateDuplicate(like, &drawn));
  PetscCall(HgStateRandom(drawn, seed));
  PetscCall(HgCheckNorms(like, wanted));
  PetscCall(HgCheckNorms(drawn, norm));
  PetscCall(HgStateZero(v));
  for (int k = 0; k < count; k++) {
    const double factor = wanted[k] > 0 && norm[k] > 0 ? wanted[k] / norm[k] : 1;
    if (only < 0 || only == k) PetscCall(HgStateAXPYVariable(v, k, factor, drawn, k));
  }
  PetscCall(PetscFree2(wanted, norm));
  return HgStateDestroy(&drawn);
}

PetscErrorCode HgCheckFix(HgOperator op, HgState dx) {
  for (int k = 0; k < HgStateCount(dx); k++)
    if (!HgOperatorActive(op, k)) PetscCall(HgStateZeroVariable(dx, k));
  return 0;
}

/* ---- a point beside another one, where what is stationary there shows ---- */

/* Moves x by the random r: towards 0, or away from it if a bound is in the way. */
static double moved(double x, double r, double scale, const HgCheckBound *b) {
  const double by = x == 0 ? scale * r : -(scale > 0 ? 1e-2 : 1e-3) * fabs(r) * x;
  if (!b) return x + by;
  const double to = x + by < b->lower || x + by > b->upper ? x - by : x + by;
  return fmin(fmax(to, b->lower), b->upper);
}

/* A 0 moves by up to a hundredth of the largest number of its variable. If all are 0, by up to a
   hundredth of the width of the bounds, or of 1 if that is less. */
PetscErrorCode HgCheckBeside(HgState x, bool zeros, int bounds, const HgCheckBound bound[],
                             uint64_t seed, HgState beside) {
  HgState r;
  PetscCall(HgStateDuplicate(x, &r));
  PetscCall(HgStateRandom(r, seed));
  PetscCall(HgStateCopy(x, beside));
  for (int k = 0; k < HgStateCount(x); k++) {
    const HgCheckBound *b = NULL;
    double most = 0;
    size_t n;
    for (int l = 0; l < bounds && !b; l++)
      if (!strcmp(bound[l].control, HgStateVariable(x, k)->name)) b = &bound[l];
    if (zeros) PetscCall(HgCheckLargest(x, k, 1, &most));
    if (zeros && most == 0) most = b ? fmin(1, b->upper - b->lower) : 1;
    for (int j = 0; j < rows_of(x, k); j++) {
      const HgRow to = row_of(beside, k, j, &n), drawn = row_of(r, k, j, &n);
      for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)
        HgRowSet(to, i, moved(HgRowGet(to, i), HgRowGet(drawn, i), 1e-2 * most, b));
    }
    HgStateSetGhostDepth(beside, k, 0);
  }
  return HgStateDestroy(&r);
}

/* ---- the input of a step ---- */
PetscErrorCode HgCheckJoin(HgState q, HgState constants, HgState x) {
  PetscCall(HgStateCopyShared(q, x));
  if (constants) PetscCall(HgStateCopyShared(constants, x));
  for (int k = 0; k < HgStateCount(x); k++)
    HgStateSetGhostDepth(x, k, 0); /* to be filled as its parts need them */
  return 0;
}

PetscErrorCode HgCheckAdvance(HgProgram program, HgState x, long n, HgState q, HgState constants) {
  HgState next;
  PetscCall(HgStateDuplicate(q, &next));
  PetscCall(HgProgramSplit(program, x, q, constants));
  for (long k = 0; k < n; k++) {
    PetscCall(HgProgramStep(program, k, constants, q, next));
    HgStateSwap(q, next);
  }
  return HgStateDestroy(&next);
}

PetscErrorCode HgCheckInput(HgProgram program, HgState x, long n, HgState at) {
  HgState q, constants;
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(HgCheckAdvance(program, x, n, q, constants));
  PetscCall(HgCheckJoin(q, constants, at));
  return HgStatesDestroy(&constants, &q);
}
