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
  int64_t to[RANKS_MOST];
  for (int s = 0; s < ranks; s++) to[s] = n;
  static const HgReduction reductions[] = {
      [HG_ALLREDUCE] = HG_REDUCE_PRODUCT, [HG_SCAN] = HG_REDUCE_MAX, [HG_BARRIER] = HG_REDUCE_SUM};
  const HgCollectiveSpec spec = {.kind = (HgCollectiveKind)which,
                                 .n = which == HG_ALLTOALL ? 0 : n,
                                 .reduction = reductions[which],
                                 .parts = to,
                                 .to = (rank + 1) % ranks,
                                 .from = (rank + ranks - 1) % ranks,
                                 .received = which == HG_SENDRECV ? n : 0};
  return HgCollectiveCreate(comm, &spec, c);
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
