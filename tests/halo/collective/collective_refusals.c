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
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_REDUCE, .n = 1, .root = ranks}, c),
          "reduce", "root", "expected 0 to");
  PetscCall(PetscOptionsSetValue(NULL, "-hg_collective_check", "maybe"));
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_BROADCAST, .n = 1}, c),
          "-hg_collective_check", "true or false", "'maybe'");
  PetscCall(PetscOptionsClearValue(NULL, "-hg_collective_check"));
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_BROADCAST, .n = 1, .root = -1}, c),
          "broadcast", "rank -1 as the root");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_GATHER, .n = 1, .root = ranks}, c),
          "gather", "root");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SCATTER, .n = 1, .root = ranks + 7}, c),
          "scatter", "root");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_ALLREDUCE, .n = huge}, c), "allreduce",
          "3000000000 numbers", "expected 0 to 2147483647");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_BROADCAST, .n = huge}, c), "broadcast",
          "3000000000");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SUM, .n = -1}, c), "sum", "-1 numbers");
  REFUSED(HgCollectiveCreate(
              comm, &(HgCollectiveSpec){HG_ALLREDUCE, .n = 1, .reduction = (HgReduction)9}, c),
          "allreduce", "reduction 9");
  to[last] = huge;
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_ALLTOALL, .parts = to}, c), "alltoall",
          "3000000000");
  to[last] = -3;
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_ALLTOALL, .parts = to}, c), "alltoall",
          "-3");
  if (ranks == 1) return 0;
  /* together too many for a root that none of them has too many for */
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_GATHER, .n = most, .root = last}, c),
          "gather", "together", "2147483647");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_ALLGATHER, .n = most}, c), "allgather",
          "together");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SCATTER, .n = most}, c), "scatter",
          "together");
  to[last] = most;
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_ALLTOALL, .parts = to}, c), "alltoall",
          "come to rank");
  REFUSED(HgCollectiveCreate(
              comm, &(HgCollectiveSpec){HG_REDUCE, .n = 4, .root = rank == last ? 0 : 1}, c),
          "reduce", "names rank 0 as the root, rank 0 names rank 1");
  REFUSED(HgCollectiveCreate(comm,
                             &(HgCollectiveSpec){HG_REDUCE, .n = rank == last ? 11 : 10,
                                                 .reduction = HG_REDUCE_MAX},
                             c),
          "has 11 numbers", "rank 0 has 10");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_ALLREDUCE, .n = 10 + rank}, c),
          "rank 1 has 11 numbers");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SCAN, .n = rank == 1}, c), "scan",
          "rank 1 has 1 numbers");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_BROADCAST, .n = rank}, c), "broadcast",
          "rank 1 has 1 numbers");
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SPREAD, .n = rank}, c), "spread",
          "rank 1 has 1 numbers");
  REFUSED(HgCollectiveCreate(
              comm,
              &(HgCollectiveSpec){HG_ALLREDUCE, .n = 1,
                                  .reduction = rank == 1 ? HG_REDUCE_MAX : HG_REDUCE_MIN},
              c),
          "rank 1 asks for reduction 3, rank 0 for 2");
  REFUSED(rank == last ? HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_BARRIER}, c)
                       : HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SUM, .n = 1}, c),
          "creates 'barrier' where rank 0 creates 'sum'");
  return 0;
}

static PetscErrorCode messages(int rank, int ranks, HgCollective *c) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  REFUSED(HgCollectiveCreate(
              comm, &(HgCollectiveSpec){HG_SENDRECV, .to = ranks, .n = 1, .from = HG_NOBODY}, c),
          "rank 0 sends to rank", "expected 0 to");
  REFUSED(
      HgCollectiveCreate(
          comm, &(HgCollectiveSpec){HG_SENDRECV, .to = HG_NOBODY, .from = -2, .received = 1}, c),
      "rank 0 receives from rank -2");
  REFUSED(
      HgCollectiveCreate(
          comm, &(HgCollectiveSpec){HG_SENDRECV, .to = HG_NOBODY, .n = 3, .from = HG_NOBODY}, c),
      "3 numbers but sends to nobody");
  REFUSED(HgCollectiveCreate(
              comm,
              &(HgCollectiveSpec){HG_SENDRECV, .to = rank, .n = 3, .from = rank, .received = 4}, c),
          "rank 0 sends to rank 0 3 numbers", "receives from it 4");
  if (ranks == 1) return 0;
  /* a send that nobody waits for, a receive that nobody serves */
  REFUSED(rank == 1
              ? HgCollectiveCreate(
                    comm, &(HgCollectiveSpec){HG_SENDRECV, .to = 0, .n = 5, .from = HG_NOBODY}, c)
              : HgCollectiveCreate(
                    comm, &(HgCollectiveSpec){HG_SENDRECV, .to = HG_NOBODY, .from = HG_NOBODY}, c),
          "rank 1 sends to rank 0, which receives from nobody");
  REFUSED(rank == 0
              ? HgCollectiveCreate(
                    comm,
                    &(HgCollectiveSpec){HG_SENDRECV, .to = HG_NOBODY, .from = 1, .received = 5}, c)
              : HgCollectiveCreate(
                    comm, &(HgCollectiveSpec){HG_SENDRECV, .to = HG_NOBODY, .from = HG_NOBODY}, c),
          "rank 0 receives from rank 1, which sends to nobody");
  /* two sends that would wait for each other */
  REFUSED(rank < 2
              ? HgCollectiveCreate(
                    comm,
                    &(HgCollectiveSpec){HG_SENDRECV, .to = 1 - rank, .n = 5, .from = HG_NOBODY}, c)
              : HgCollectiveCreate(
                    comm, &(HgCollectiveSpec){HG_SENDRECV, .to = HG_NOBODY, .from = HG_NOBODY}, c),
          "rank 0 sends to rank 1, which receives from nobody");
  REFUSED(rank == 0
              ? HgCollectiveCreate(
                    comm, &(HgCollectiveSpec){HG_SENDRECV, .to = 1, .n = 5, .from = HG_NOBODY}, c)
          : rank == 1
              ? HgCollectiveCreate(
                    comm,
                    &(HgCollectiveSpec){HG_SENDRECV, .to = HG_NOBODY, .from = 0, .received = 6}, c)
              : HgCollectiveCreate(
                    comm, &(HgCollectiveSpec){HG_SENDRECV, .to = HG_NOBODY, .from = HG_NOBODY}, c),
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
  ierr[0] = HgCollectiveCreate(freed, &(HgCollectiveSpec){HG_SUM, .n = 1}, &c);
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
  HgCollective sum, scan, spread, barrier, none;
  double x[2] = {1, 2}, y[2] = {3, 4};
  PetscCall(PetscOptionsSetValue(NULL, "-hg_collective_check", NULL));
  PetscCall(
      HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_ALLREDUCE, .n = 2, .once = true}, &sum));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SCAN, .n = 2}, &scan));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SPREAD, .n = 2}, &spread));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_BARRIER}, &barrier));
  REFUSED(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SCAN, .n = 2, .once = true}, &none),
          "scan", "cannot count once");
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
  PetscCall(HgCollectiveCreate(
      PETSC_COMM_WORLD, &(HgCollectiveSpec){HG_ALLREDUCE, .n = 100, .reduction = HG_REDUCE_PRODUCT},
      &c));
  PetscCall(HgCollectiveDestroy(&c));
  PetscCall(HgCollectiveCreate(
      PETSC_COMM_WORLD, &(HgCollectiveSpec){HG_SCAN, .n = 100, .reduction = HG_REDUCE_MAX}, &c));
  PetscCall(HgCollectiveDestroy(&c));
  PetscCall(HgCollectiveCreate(PETSC_COMM_WORLD, &(HgCollectiveSpec){HG_GATHER, .n = 100}, &c));
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
