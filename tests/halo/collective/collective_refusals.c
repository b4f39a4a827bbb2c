/* SPDX-License-Identifier: BSD-2-Clause */
/* A collective that cannot work is refused when it is created, in one sentence and on every rank:
   wrong roots, sizes that do not match, too many numbers, messages without a counterpart, different
   operators; with -hg_collective_check, so is a program whose ranks are not at the same one. */
#include "faults.h"
#include <halograd/collective_library.h>

/* Sizes are fakes: nothing is allocated before they are checked. */
static PetscErrorCode sizes(int rank, int ranks, HgCollective *c) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  const int last = ranks - 1;
  const int64_t huge = INT64_C(3000000000), most = INT64_C(2147483647);
  int64_t to[64] = {0};
  REFUSED(HgCollectiveReduce(comm, HG_REDUCE_SUM, ranks, 1, c), "reduce", "root", "expected 0 to");
  PetscCall(PetscOptionsSetValue(NULL, "-hg_collective_check", "maybe"));
  REFUSED(HgCollectiveBroadcast(comm, 0, 1, c), "-hg_collective_check", "true or false", "'maybe'");
  PetscCall(PetscOptionsClearValue(NULL, "-hg_collective_check"));
  REFUSED(HgCollectiveBroadcast(comm, -1, 1, c), "broadcast", "rank -1 as the root");
  REFUSED(HgCollectiveGather(comm, ranks, 1, c), "gather", "root");
  REFUSED(HgCollectiveScatter(comm, ranks + 7, 1, c), "scatter", "root");
  REFUSED(HgCollectiveAllreduce(comm, HG_REDUCE_SUM, huge, c), "allreduce", "3000000000 numbers",
          "expected 0 to 2147483647");
  REFUSED(HgCollectiveBroadcast(comm, 0, huge, c), "broadcast", "3000000000");
  REFUSED(HgCollectiveSum(comm, -1, c), "sum", "-1 numbers");
  REFUSED(HgCollectiveAllreduce(comm, (HgReduction)9, 1, c), "allreduce", "reduction 9");
  to[last] = huge;
  REFUSED(HgCollectiveAlltoall(comm, to, c), "alltoall", "3000000000");
  to[last] = -3;
  REFUSED(HgCollectiveAlltoall(comm, to, c), "alltoall", "-3");
  if (ranks == 1) return 0;
  /* together too many for a root that none of them has too many for */
  REFUSED(HgCollectiveGather(comm, last, most, c), "gather", "together", "2147483647");
  REFUSED(HgCollectiveAllgather(comm, most, c), "allgather", "together");
  REFUSED(HgCollectiveScatter(comm, 0, most, c), "scatter", "together");
  to[last] = most;
  REFUSED(HgCollectiveAlltoall(comm, to, c), "alltoall", "come to rank");
  REFUSED(HgCollectiveReduce(comm, HG_REDUCE_SUM, rank == last ? 0 : 1, 4, c), "reduce",
          "names rank 0 as the root, rank 0 names rank 1");
  REFUSED(HgCollectiveReduce(comm, HG_REDUCE_MAX, 0, rank == last ? 11 : 10, c), "has 11 numbers",
          "rank 0 has 10");
  REFUSED(HgCollectiveAllreduce(comm, HG_REDUCE_SUM, 10 + rank, c), "rank 1 has 11 numbers");
  REFUSED(HgCollectiveScan(comm, HG_REDUCE_SUM, rank == 1, c), "scan", "rank 1 has 1 numbers");
  REFUSED(HgCollectiveBroadcast(comm, 0, rank, c), "broadcast", "rank 1 has 1 numbers");
  REFUSED(HgCollectiveSpread(comm, rank, c), "spread", "rank 1 has 1 numbers");
  REFUSED(HgCollectiveAllreduce(comm, rank == 1 ? HG_REDUCE_MAX : HG_REDUCE_MIN, 1, c),
          "rank 1 asks for reduction 3, rank 0 for 2");
  REFUSED(rank == last ? HgCollectiveBarrier(comm, c) : HgCollectiveSum(comm, 1, c),
          "creates 'barrier' where rank 0 creates 'sum'");
  return 0;
}

static PetscErrorCode messages(int rank, int ranks, HgCollective *c) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  REFUSED(HgCollectiveSendrecv(comm, ranks, 1, HG_NOBODY, 0, c), "rank 0 sends to rank",
          "expected 0 to");
  REFUSED(HgCollectiveSendrecv(comm, HG_NOBODY, 0, -2, 1, c), "rank 0 receives from rank -2");
  REFUSED(HgCollectiveSendrecv(comm, HG_NOBODY, 3, HG_NOBODY, 0, c),
          "3 numbers but sends to nobody");
  REFUSED(HgCollectiveSendrecv(comm, rank, 3, rank, 4, c), "rank 0 sends to rank 0 3 numbers",
          "receives from it 4");
  if (ranks == 1) return 0;
  /* a send that nobody waits for, a receive that nobody serves */
  REFUSED(rank == 1 ? HgCollectiveSendrecv(comm, 0, 5, HG_NOBODY, 0, c)
                    : HgCollectiveSendrecv(comm, HG_NOBODY, 0, HG_NOBODY, 0, c),
          "rank 1 sends to rank 0, which receives from nobody");
  REFUSED(rank == 0 ? HgCollectiveSendrecv(comm, HG_NOBODY, 0, 1, 5, c)
                    : HgCollectiveSendrecv(comm, HG_NOBODY, 0, HG_NOBODY, 0, c),
          "rank 0 receives from rank 1, which sends to nobody");
  /* two sends that would wait for each other */
  REFUSED(rank < 2 ? HgCollectiveSendrecv(comm, 1 - rank, 5, HG_NOBODY, 0, c)
                   : HgCollectiveSendrecv(comm, HG_NOBODY, 0, HG_NOBODY, 0, c),
          "rank 0 sends to rank 1, which receives from nobody");
  REFUSED(rank == 0   ? HgCollectiveSendrecv(comm, 1, 5, HG_NOBODY, 0, c)
          : rank == 1 ? HgCollectiveSendrecv(comm, HG_NOBODY, 0, 0, 6, c)
                      : HgCollectiveSendrecv(comm, HG_NOBODY, 0, HG_NOBODY, 0, c),
          "rank 0 sends to rank 1 5 numbers", "6");
  return 0;
}

/* Every rank whose communicator or operator is none says so: nobody can speak for the others. */
static PetscErrorCode nothing(int ranks) {
  HgCollective c = NULL;
  MPI_Comm freed;
  char text[8192];
  double x = 0, y = 0;
  PetscErrorCode ierr[5];
  PetscCallMPI(MPI_Comm_dup(PETSC_COMM_WORLD, &freed));
  PetscCallMPI(MPI_Comm_free(&freed));
  const Said said = said_begin();
  ierr[0] = HgCollectiveSum(freed, 1, &c);
  ierr[1] = HgCollectiveApply(c, &x, &y);
  ierr[2] = HgCollectiveTangent(c, &x, &x, &y);
  ierr[3] = HgCollectiveAdjoint(c, &x, &y, &x);
  ierr[4] = HgCollectiveTranspose(c, &x, &y, &x);
  const int lines = said_end(said, text, sizeof text);
  for (int k = 0; k < 5; k++)
    claim_that(ierr[k] == HG_ERROR_TOLD, "call %d: error %d", k, (int)ierr[k]);
  claim_that(lines == 5 * ranks, "%d sentences of %d ranks, expected 5 of each", lines, ranks);
  claim_that(strstr(text, "sum: its communicator is MPI_COMM_NULL (was it freed?)") &&
                 strstr(text, "the adjoint is asked for, but it does not exist") &&
                 strstr(text, "the transpose is asked for, but it does not exist"),
             "a freed communicator and a missing operator are named: %s", text);
  return 0;
}

static PetscErrorCode order(int rank, int ranks) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  HgCollective sum, scan, spread, barrier;
  double x[2] = {1, 2}, y[2] = {3, 4};
  PetscCall(PetscOptionsSetValue(NULL, "-hg_collective_check", NULL));
  PetscCall(HgCollectiveAllreduce(comm, HG_REDUCE_SUM, 2, &sum));
  PetscCall(HgCollectiveScan(comm, HG_REDUCE_SUM, 2, &scan));
  PetscCall(HgCollectiveSpread(comm, 2, &spread));
  PetscCall(HgCollectiveBarrier(comm, &barrier));
  PetscCall(HgCollectiveCountOnce(sum));
  REFUSED(HgCollectiveCountOnce(scan), "scan", "cannot count once");
  PetscCall(HgCollectiveApply(sum, x, y));
  PetscCall(HgCollectiveAdjoint(sum, x, y, x));
  if (ranks > 1) {
    const bool last = rank == ranks - 1;
    /* one rank skips the sum and is in the barrier */
    REFUSED(HgCollectiveApply(last ? barrier : sum, x, y), "is at the value of 'barrier'",
            "rank 0 at the value of 'allreduce'");
    REFUSED(last ? HgCollectiveAdjoint(sum, x, y, x) : HgCollectiveTangent(sum, x, x, y),
            "is at the adjoint of 'allreduce'", "rank 0 at the tangent of 'allreduce'");
    double x_bar[2] = {0};
    REFUSED((last ? HgCollectiveTranspose : HgCollectiveAdjoint)(sum, x, y, x_bar),
            "is at the transpose of 'allreduce'", "rank 0 at the adjoint of 'allreduce'");
    x[1] = 2 + rank, y[0] = rank == 1;
    REFUSED(HgCollectiveApply(spread, x, y), "spread: x counts once, but number 1 is 3 on rank 1");
    REFUSED(HgCollectiveAdjoint(sum, x, y, x), "y_bar counts once, but number 0 is");
    REFUSED(HgCollectiveTranspose(sum, x, y, x), "y_bar counts once, but number 0 is");
  }
  PetscCall(PetscOptionsClearValue(NULL, "-hg_collective_check"));
  PetscCall(HgCollectiveDestroy(&sum));
  PetscCall(HgCollectiveDestroy(&scan));
  PetscCall(HgCollectiveDestroy(&spread));
  return HgCollectiveDestroy(&barrier);
}

static PetscErrorCode make_some(void *unused) {
  HgCollective c = NULL;
  (void)unused;
  PetscCall(HgCollectiveAllreduce(PETSC_COMM_WORLD, HG_REDUCE_PRODUCT, 100, &c));
  PetscCall(HgCollectiveDestroy(&c));
  PetscCall(HgCollectiveScan(PETSC_COMM_WORLD, HG_REDUCE_MAX, 100, &c));
  PetscCall(HgCollectiveDestroy(&c));
  PetscCall(HgCollectiveGather(PETSC_COMM_WORLD, 0, 100, &c));
  return HgCollectiveDestroy(&c);
}

static PetscErrorCode test(void) {
  const int rank = claim.rank, ranks = claim.ranks;
  HgCollective c;
  PetscCall(sizes(rank, ranks, &c));
  PetscCall(messages(rank, ranks, &c));
  PetscCall(nothing(ranks));
  PetscCall(faults_try(HG_FAULT_MEMORY, make_some, NULL, NULL));
  return order(rank, ranks);
}

CLAIM("a collective that cannot work is refused in one sentence", 0, test)
