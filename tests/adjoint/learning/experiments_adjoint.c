/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the sum over experiments is an operator that passes every check, with J and gradient equal
   to those of the parts; what cannot be dealt or run is refused once, on every rank. */
#include "claim.h"
#include "findings.h"
#include "many_heats.h"
#include "refusal.h"
#include <halograd/error_library.h>
#include <halograd/experiments_library.h>

enum { COUNT = 6 };

static PetscErrorCode of_group(int groups) {
  const HgCheckOptions options = {.seed = claim.seed, .dot_bound = 1e-13};
  HgFindings report;
  ManyHeats h;
  HgState m, g, part, sum;
  double J, J_part, J_sum = 0, difference, norm;
  PetscCall(many_create(PETSC_COMM_WORLD, COUNT, groups, 0, 0, &h));
  PetscCall(HgOperatorCreateInput(h.J, &m));
  HgState *const copies[] = {&g, &part, &sum};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDuplicate(m, copies[k]));
  PetscCall(HgStateRandom(m, 5));
  PetscCall(HgExamineOperator(h.J, m, &options, &report));
  claim_that(!report.findings && report.worst[HG_CHECK_TAYLOR] < 2.1, "%d groups: %s, Taylor %g",
             groups, first_finding(&report), report.worst[HG_CHECK_TAYLOR]);
  PetscCall(HgOperatorGradient(h.J, m, &J, g));
  for (int e = 0; e < COUNT; e++) {
    PetscCall(HgOperatorGradient(h.part[e], m, &J_part, part));
    PetscCall(HgStateAXPY(sum, 1, part));
    J_sum += J_part;
  }
  PetscCall(HgStateDot(sum, sum, &norm));
  PetscCall(HgStateAXPY(sum, -1, g));
  PetscCall(HgStateDot(sum, sum, &difference));
  claim_at_most(fabs(J - J_sum), 1e-14 * J_sum, "%d groups: J against the sum of parts", groups);
  claim_at_most(sqrt(difference), 1e-14 * sqrt(norm), "%d groups: gradient likewise", groups);
  /* One experiment alone counts for all. */
  PetscCall(HgExperimentsSetBatch(h.experiments, 1, &(int){4}));
  PetscCall(HgOperatorGradient(h.part[4], m, &J_part, part));
  PetscCall(HgOperatorGradient(h.J, m, &J, g));
  claim_same(J, COUNT * J_part, "%d groups: a batch of one", groups);
  PetscCall(HgStateAXPY(g, -COUNT, part));
  PetscCall(HgStateDot(g, g, &difference));
  claim_same(difference, 0, "%d groups: gradient of a batch of one", groups);
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(copies[k]));
  PetscCall(HgStateDestroy(&m));
  return many_destroy(&h);
}

/* Of two groups one fails in its experiment; both give up, and one sentence is told. */
static PetscErrorCode one_fails(void) {
  ManyHeats h;
  HgState m, J;
  HgErrorSetPatience(100); /* both come, on a machine as slow as it may be */
  PetscCall(many_create(PETSC_COMM_WORLD, COUNT, 2, 0, 0, &h));
  PetscCall(HgOperatorCreateInput(h.J, &m));
  PetscCall(HgOperatorCreateOutput(h.J, &J));
  const bool second = HgExperimentsGroup(h.experiments)->number == 1; /* its experiments: 1, 3, 5 */
  if (second) HgStateRows(m, 0)[0][0] = 1e3;                          /* exp of it overflows */
  REFUSED(HgOperatorApply(h.J, m, J), "trajectory of 'heat': J is");
  PetscCall(HgStateZero(m));
  HgOperator missing, part = h.part[3];
  if (second) h.part[3] = NULL;
  PetscCall(HgExperimentsFunctional(h.experiments, h.part, &missing));
  REFUSED(HgOperatorApply(missing, m, J), "group 1 is to run experiment 3", "no operator");
  PetscCall(HgOperatorDestroy(&missing));
  h.part[3] = part;
  REFUSED(HgExperimentsSetBatch(h.experiments, COUNT + 1, NULL), "a batch of 7", "1 to 6");
  REFUSED(HgExperimentsSetBatch(h.experiments, 0, NULL), "a batch of 0", "1 to 6");
  PetscCall(HgExperimentsSetBatch(h.experiments, 2, (const int[]){1, 2}));
  PetscCall(HgOperatorApply(h.J, m, J));
  const double before = HgStateArray(J, 0)[0];
  REFUSED(HgExperimentsSetBatch(h.experiments, 2, (const int[]){3, 6}), "experiment 6", "0 to 5");
  PetscCall(HgOperatorApply(h.J, m, J));
  claim_same(HgStateArray(J, 0)[0], before, "J after a batch that was refused");
  PetscCall(HgStatesDestroy(&m, &J));
  return many_destroy(&h);
}

/* Four experiments cannot be dealt evenly to three ranks; in one group they run one after
   another. */
static PetscErrorCode three_ranks(void) {
  HgExperiments x;
  int ranks;
  for (int groups = 0; groups <= 3; groups += 3)
    REFUSED(HgExperimentsCreate(PETSC_COMM_WORLD, 4, groups, &x),
            "4 experiments on 3 ranks cannot be dealt evenly to 3 groups", "divides both: 1\n");
  PetscCall(HgExperimentsCreate(PETSC_COMM_WORLD, 4, 1, &x));
  PetscCallMPI(MPI_Comm_size(HgExperimentsGroup(x)->comm, &ranks));
  claim_that(ranks == 3 && HgExperimentsGroup(x)->count == 1,
             "%d groups, one of %d ranks, expected 1, 3", HgExperimentsGroup(x)->count, ranks);
  return HgExperimentsDestroy(&x);
}

static PetscErrorCode run(void) {
  const int size = claim.ranks;
  HgExperiments x;
  char none[64];
  for (int groups = 1; groups <= COUNT && groups <= size; groups++)
    if (size % groups == 0 && COUNT % groups == 0 && (size < 16 || groups > 1))
      PetscCall(of_group(groups));
  snprintf(none, sizeof none, "on %d ranks", size);
  REFUSED(HgExperimentsCreate(PETSC_COMM_WORLD, 6, size + 1, &x), none, "evenly", "both: 1");
  REFUSED(HgExperimentsCreate(PETSC_COMM_WORLD, size > 1 ? 2 * size - 1 : 1, size > 1 ? 0 : 2, &x),
          none, "both: 1");
  REFUSED(HgExperimentsCreate(PETSC_COMM_WORLD, 0, 1, &x), "0 experiments", "at least one");
  REFUSED(HgExperimentsCreate(PETSC_COMM_WORLD, 4, -2, &x), "-2 groups", "at least one");
  if (size == 3) PetscCall(three_ranks());
  return size % 2 ? 0 : one_fails();
}

CLAIM("a sum over experiments is an operator; what cannot be dealt is refused", 20260305, run)
