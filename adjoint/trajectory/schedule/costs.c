/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/schedule_library.h>
#include <math.h>

void HgCostsReset(HgCosts *c) {
  *c = (HgCosts){.count = {0}};
  for (int k = 0; k < HG_COSTS; k++) c->each[k] = NAN;
}

double HgCostsClock(const HgCosts *c) { return MPI_Wtime() - c->counted; }

void HgCostsAdd(HgCosts *c, int kind, long count, double start) {
  const double spent = HgCostsClock(c) - start;
  c->counted += spent;
  if (kind == HG_COST_NONE) return;
  c->seconds[kind] += spent;
  c->count[kind] += count;
}

/* A sum is broadcast: that of MPI_Allreduce() may differ between ranks in its last bits. */
PetscErrorCode HgCostsAgree(MPI_Comm comm, HgCosts *c) {
  double own[HG_COSTS], mean[HG_COSTS];
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  for (int k = 0; k < HG_COSTS; k++)
    own[k] = c->count[k] ? c->seconds[k] / (double)c->count[k] / ranks : 0;
  PetscCallMPI(MPI_Reduce(own, mean, HG_COSTS, MPI_DOUBLE, MPI_SUM, 0, comm));
  PetscCallMPI(MPI_Bcast(mean, HG_COSTS, MPI_DOUBLE, 0, comm));
  for (int k = 0; k < HG_COSTS; k++) {
    if (c->count[k] && !c->given) c->each[k] = mean[k];
    c->seconds[k] = 0, c->count[k] = 0;
  }
  return 0;
}

static long nanoseconds(double seconds) {
  return isfinite(seconds) && seconds > 0 ? lround(PetscMin(seconds, 1e8) * 1e9) : 0;
}

HgScheduleCosts HgCostsOfUnit(const HgCosts *c, double steps) {
  HgScheduleCosts unit = {.advance = nanoseconds(c->each[HG_COST_ADVANCE] * steps),
                          .reverse = nanoseconds(c->each[HG_COST_REVERSE] * steps)};
  for (int k = 0; k < HG_TIERS; k++) {
    unit.write[k] = nanoseconds(c->each[HG_COST_WRITE + k]);
    unit.read[k] = nanoseconds(c->each[HG_COST_READ + k]);
  }
  return unit;
}
