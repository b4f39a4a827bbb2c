/* A point beside another one, where what is stationary there shows; see check_library.h. */
#include <halograd/check_library.h>
#include <math.h>

static const HgCheckBound *bound_of(const char name[], int bounds, const HgCheckBound bound[]) {
  for (int k = 0; k < bounds; k++)
    if (!strcmp(bound[k].control, name)) return &bound[k];
  return NULL;
}

/* What numbers that are 0 move by, at most: a hundredth of the largest or, where all are 0, of the
   width of the bounds, if that is less than 1. */
static PetscErrorCode scale_of(HgState x, int k, const HgCheckBound *b, double *scale) {
  const HgVariable *v = HgStateVariable(x, k);
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  double most = 0;
  for (int i = 0; v->kind == HG_REPLICATED && i < v->size; i++)
    most = fmax(most, fabs(HgStateArray(x, k)[i]));
  for (int j = 0; v->kind == HG_FIELD && j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) most = fmax(most, fabs(HgStateRows(x, k)[j][i]));
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, HgMeshComm(HgStateMesh(x))));
  if (most == 0) most = b ? fmin(1, b->upper - b->lower) : 1;
  *scale = 1e-2 * most;
  return 0;
}

/* Where x goes by a drawn r: nearer to 0, or the other way if a bound is there. */
static double moved(double x, double r, double scale, const HgCheckBound *b) {
  const double by = x == 0 ? scale * r : -(scale > 0 ? 1e-2 : 1e-3) * fabs(r) * x;
  if (!b) return x + by;
  const double to = x + by < b->lower || x + by > b->upper ? x - by : x + by;
  return fmin(fmax(to, b->lower), b->upper);
}

PetscErrorCode HgCheckerBeside(HgState x, bool zeros, int bounds, const HgCheckBound bound[],
                               uint64_t seed, HgState beside) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgState r;
  PetscCall(HgStateDuplicate(x, &r));
  PetscCall(HgStateRandom(r, seed));
  PetscCall(HgStateCopy(x, beside));
  for (int k = 0; k < HgStateCount(x); k++) {
    const HgVariable *v = HgStateVariable(x, k);
    const HgCheckBound *b = bound_of(v->name, bounds, bound);
    double scale = 0;
    if (zeros) PetscCall(scale_of(x, k, b, &scale));
    for (int i = 0; v->kind == HG_REPLICATED && i < v->size; i++)
      HgStateArray(beside, k)[i] = moved(HgStateArray(x, k)[i], HgStateArray(r, k)[i], scale, b);
    for (int j = 0; v->kind == HG_FIELD && j < p->ny; j++)
      for (int i = 0; i < p->nx; i++)
        HgStateRows(beside, k)[j][i] =
            moved(HgStateRows(x, k)[j][i], HgStateRows(r, k)[j][i], scale, b);
    HgStateSetGhostDepth(beside, k, 0);
  }
  return HgStateDestroy(&r);
}
