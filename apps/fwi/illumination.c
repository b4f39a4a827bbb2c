/* SPDX-License-Identifier: BSD-2-Clause */
#include "illumination.h"
#include <math.h>

static const double sampling = 0.01; /* of the sum over time [s] */

typedef struct {
  size_t cells;
  double *q, *sum; /* [2 cells] p and p_old; [cells] */
} Light;

static PetscErrorCode add(long n, double t, HgState q, void *context) {
  const Light *l = context;
  (void)n, (void)t;
  HgStatePack(q, l->q);
  for (size_t k = 0; k < l->cells; k++) l->sum[k] += l->q[k] * l->q[k];
  return 0;
}

/* sum += p^2 of a shot. */
static PetscErrorCode light_of(const HgCommon *c, HgProgram program, HgState x, Light *l) {
  const long every = (long)fmax(1, round(sampling / c->dt));
  HgObjective nothing;
  HgTrajectory trajectory;
  double J;
  PetscCall(HgObjectiveCreate(program, c->steps, &nothing));
  PetscCall(HgTrajectoryCreate(program, c->steps, nothing, NULL, &trajectory));
  PetscCall(HgTrajectoryWatch(trajectory, x, every, add, l, &J));
  PetscCall(HgTrajectoryDestroy(&trajectory));
  return HgObjectiveDestroy(&nothing);
}

/* own[n] = the light of the n-th shot of this group. */
static PetscErrorCode light_own(const HgCommon *c, HgState x, Shots *s, size_t cells,
                                double *own[]) {
  const int groups = HgExperimentsGroup(s->all)->count;
  Light l = {.cells = cells};
  PetscCall(PetscMalloc1(2 * cells, &l.q));
  for (int e = HgExperimentsGroup(s->all)->number, n = 0; e < s->count; e += groups, n++) {
    HgProgram program;
    PetscCall(ShotsProgram(s, c, HgStateMesh(x), e, &program));
    PetscCall(ShotsLoad(s, e, x));
    PetscCall(PetscCalloc1(cells, &own[n]));
    l.sum = own[n];
    PetscCall(light_of(c, program, x, &l));
  }
  return PetscFree(l.q);
}

/* The mean of light where w > 0. */
static PetscErrorCode mean_of(MPI_Comm comm, size_t cells, const double light[], const double w[],
                              double *mean) {
  HgSum sum[2];
  double value[2];
  for (int k = 0; k < 2; k++) HgSumReset(&sum[k]);
  for (size_t k = 0; k < cells; k++) {
    if (!(w[k] > 0)) continue;
    HgSumAdd(&sum[0], 1, &light[k]);
    HgSumAdd(&sum[1], 1, &(double){1});
  }
  PetscCall(HgSumReduce(comm, 2, sum, value));
  *mean = value[0] / value[1];
  return 0;
}

PetscErrorCode Illuminate(const HgCommon *c, HgState x, Shots *s, HgState weights) {
  const size_t cells = HgStateLength(weights);
  const int shots =
      (s->count - HgExperimentsGroup(s->all)->number - 1) / HgExperimentsGroup(s->all)->count + 1;
  double **own, *total, *w;
  PetscCall(PetscCalloc3(shots, &own, cells, &total, cells, &w));
  PetscCall(HgExperimentsTell(s->all, light_own(c, x, s, cells, own)));
  PetscCall(HgSumElements(HgExperimentsGroup(s->all)->across, shots, (const double *const *)own,
                          cells, total));
  HgStatePack(weights, w);
  double mean;
  PetscCall(mean_of(HgExperimentsGroup(s->all)->comm, cells, total, w, &mean));
  for (size_t k = 0; k < cells; k++) w[k] /= sqrt(1 + total[k] / mean);
  HgStateUnpack(w, weights);
  for (int n = 0; n < shots; n++) PetscCall(PetscFree(own[n]));
  return PetscFree3(own, total, w);
}
