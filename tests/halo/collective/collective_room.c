/* SPDX-License-Identifier: BSD-2-Clause */
/* No collective's buffers grow with the arrays, nor with ranks times them: beside 32 MiB of each
   rank's own it holds at most 8 MiB (3.5, and what MPI takes on the way). */
#include "claim.h"
#include <halograd/collective.h>
#include <malloc.h>

enum { LONG = 1 << 22, MOST = 8 << 20, RANKS_MOST = 64 };

static int rank, ranks;

static size_t taken(void) {
  const struct mallinfo2 memory = mallinfo2();
  return memory.uordblks + memory.hblkhd;
}

static PetscErrorCode create(int which, int64_t n, HgCollective *c) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  int64_t to[RANKS_MOST];
  for (int s = 0; s < ranks; s++) to[s] = n;
  switch (which) {
  case 0: return HgCollectiveReduce(comm, HG_REDUCE_SUM, 0, n, c);
  case 1: return HgCollectiveAllreduce(comm, HG_REDUCE_PRODUCT, n, c);
  case 2: return HgCollectiveScan(comm, HG_REDUCE_MAX, n, c);
  case 3: return HgCollectiveBroadcast(comm, 0, n, c);
  case 4: return HgCollectiveSpread(comm, n, c);
  case 5: return HgCollectiveGather(comm, 0, n, c);
  case 6: return HgCollectiveAllgather(comm, n, c);
  case 7: return HgCollectiveScatter(comm, 0, n, c);
  case 8: return HgCollectiveAlltoall(comm, to, c);
  case 9: return HgCollectiveSum(comm, n, c);
  default: return HgCollectiveSendrecv(comm, next, n, before, n, c);
  }
}

static PetscErrorCode room(int which, int64_t n, size_t *bytes) {
  HgCollective c;
  const size_t before = taken();
  PetscCall(create(which, n, &c));
  *bytes = taken() - before;
  return HgCollectiveDestroy(&c);
}

static PetscErrorCode test(void) {
  size_t bytes;
  PetscCallMPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  for (int which = 0; which <= 10; which++) {
    PetscCall(room(which, LONG, &bytes)); /* the first one on a communicator takes more, once */
    PetscCall(room(which, LONG, &bytes));
    claim_at_most((double)bytes, MOST, "collective %d: bytes", which);
  }
  return 0;
}

CLAIM("no collective's buffers grow with its arrays", 0, test)
