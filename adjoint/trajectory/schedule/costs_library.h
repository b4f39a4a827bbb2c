/* SPDX-License-Identifier: BSD-2-Clause */
/* How long the parts of a gradient take, measured as they run, and agreed upon by all ranks, whose
   schedules are then the same. */
#ifndef HG_COSTS_LIBRARY_H
#define HG_COSTS_LIBRARY_H

#include <halograd/schedule.h>
#include <petscsys.h>

/* A step forward, a step reversed, a state written to a tier, and read: HG_COST_WRITE + tier. */
enum {
  HG_COST_ADVANCE,
  HG_COST_REVERSE,
  HG_COST_WRITE,
  HG_COST_WRITE_FILE,
  HG_COST_READ,
  HG_COST_READ_FILE,
  HG_COSTS,
  HG_COST_NONE = HG_COSTS /* what is no part of the schedule: keepers, observers */
};

typedef struct {
  double seconds[HG_COSTS]; /* of this rank, since the last agreement */
  long count[HG_COSTS];
  double each[HG_COSTS]; /* [s] as agreed; NAN: not measured yet */
  PetscBool given;       /* by the user: not measured at all */
  double counted;        /* [s] of this rank in all that was added */
} HgCosts;

/* Nothing is known. */
void HgCostsReset(HgCosts *costs);

/* A clock that has stood still during all that was added. */
double HgCostsClock(const HgCosts *costs);

/* `count` of a kind have run since HgCostsClock() was `start`, without what was added in between.
   */
void HgCostsAdd(HgCosts *costs, int kind, long count, double start);

/* `each` of what has run since the last time becomes its mean over all ranks, of which each spends
   its time on one kind or another, or waits for the others in it; of the rest it stays. The kinds
   that have run are the same on all ranks. Collective. */
PetscErrorCode HgCostsAgree(MPI_Comm comm, HgCosts *costs);

/* What a schedule is told [ns] whose unit is so many steps; kinds not measured cost nothing. */
HgScheduleCosts HgCostsOfUnit(const HgCosts *costs, double steps);

#endif
