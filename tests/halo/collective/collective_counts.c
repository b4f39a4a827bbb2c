/* SPDX-License-Identifier: BSD-2-Clause */
/* No collective sends more messages, or more bytes, than its table in docs/collectives.md says:
   those of the MPI call that it stands for. */
#include "claim.h"
#include <halograd/collective.h>
#include <halograd/sum.h>
#include <math.h>
#include <stdlib.h>

/* Messages that this rank sends, whoever asks for them: Open MPI's component "monitoring" calls
   this for each one, also within a collective; here it stands in front of the component's own. */
void mca_common_monitoring_record_pml(int to, size_t bytes, int tag);

typedef struct {
  long messages, bytes;
} Count;

static Count sent;

void mca_common_monitoring_record_pml(int to, size_t bytes, int tag) {
  (void)to, (void)tag;
  sent.messages++, sent.bytes += (long)bytes;
}

enum { SHORT = 240, LONG = 50400, RANKS_MOST = 64 };

typedef enum {
  NONE,
  BCAST,
  REDUCE,
  ALLREDUCE,
  SCAN,
  GATHER,
  SCATTER,
  ALLGATHER,
  ALLTOALL,
  BARRIER
} Call;

typedef struct {
  const char *name;
  Call call, back; /* what value and adjoint, or transpose, stand for */
  bool reduces;
} Kind;

enum { KINDS = HG_BARRIER + 1 };

static const Kind kinds[KINDS] = {
    {"sum", ALLREDUCE, ALLREDUCE, false},      {"reduce", REDUCE, BCAST, true},
    {"allreduce", ALLREDUCE, ALLREDUCE, true}, {"scan", SCAN, SCAN, true},
    {"broadcast", BCAST, REDUCE, true},        {"spread", NONE, ALLREDUCE, true},
    {"gather", GATHER, SCATTER, false},        {"allgather", ALLGATHER, ALLTOALL, false},
    {"scatter", SCATTER, GATHER, false},       {"alltoall", ALLTOALL, ALLTOALL, false},
    {"sendrecv", NONE, NONE, false},           {"barrier", BARRIER, BARRIER, false}};

typedef enum { VALUE, ADJOINT, TRANSPOSE, WAYS } Way;

static const char *const way_name[WAYS] = {"value", "adjoint", "transpose"};
static int rank, ranks;

static PetscErrorCode create(HgCollectiveKind which, int n, HgCollective *c) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  int64_t to[RANKS_MOST];
  for (int s = 0; s < ranks; s++) to[s] = n;
  const bool numbers = which != HG_ALLTOALL && which != HG_BARRIER;
  const HgCollectiveSpec spec = {.kind = which,
                                 .n = numbers ? n : 0,
                                 .root = ranks / 2,
                                 .parts = to,
                                 .to = (rank + 1) % ranks,
                                 .from = (rank + ranks - 1) % ranks,
                                 .received = which == HG_SENDRECV ? n : 0};
  return HgCollectiveCreate(comm, &spec, c);
}

/* MPI's own call of n numbers (of each pair: alltoall). Moves start like ours, without waiting:
   Open MPI's blocking ones differ from its own non-blocking ones, in allgather. */
static PetscErrorCode call(Call which, int n, double x[], double y[]) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int root = ranks / 2;
  int count[RANKS_MOST], first[RANKS_MOST];
  MPI_Request request = MPI_REQUEST_NULL;
  for (int s = 0; s < ranks; s++) count[s] = n, first[s] = s * n;
  switch (which) {
  case NONE: break;
  case BARRIER: PetscCallMPI(MPI_Ibarrier(comm, &request)); break;
  case BCAST: PetscCallMPI(MPI_Ibcast(x, n, MPI_DOUBLE, root, comm, &request)); break;
  case REDUCE: PetscCallMPI(MPI_Reduce(x, y, n, MPI_DOUBLE, MPI_SUM, root, comm)); break;
  case ALLREDUCE: PetscCallMPI(MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm)); break;
  case SCAN: PetscCallMPI(MPI_Scan(x, y, n, MPI_DOUBLE, MPI_SUM, comm)); break;
  case GATHER:
    PetscCallMPI(MPI_Igatherv(x, n, MPI_DOUBLE, y, count, first, MPI_DOUBLE, root, comm, &request));
    break;
  case SCATTER:
    PetscCallMPI(
        MPI_Iscatterv(x, count, first, MPI_DOUBLE, y, n, MPI_DOUBLE, root, comm, &request));
    break;
  case ALLGATHER:
    PetscCallMPI(MPI_Iallgatherv(x, n, MPI_DOUBLE, y, count, first, MPI_DOUBLE, comm, &request));
    break;
  case ALLTOALL:
    PetscCallMPI(
        MPI_Ialltoallv(x, count, first, MPI_DOUBLE, y, count, first, MPI_DOUBLE, comm, &request));
  }
  PetscCallMPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  return 0;
}

/* Messages of a short operator, and numbers in units of n: the table. */
static long table(HgCollectiveKind which, Way way) {
  const long one = ranks - 1, all = (long)ranks * (ranks - 1);
  switch (which) {
  case HG_SUM:
  case HG_ALLREDUCE: return 2 * one;
  case HG_SCAN: return ranks == 2 ? 1 : 2 * one;
  case HG_SPREAD: return way == VALUE ? 0 : 2 * one;
  case HG_ALLGATHER:
  case HG_ALLTOALL: return all;
  case HG_SENDRECV: return ranks > 1 ? ranks : 0;
  case HG_BARRIER: return ranks * (long)ceil(log2(ranks));
  default: return one;
  }
}

static void check_short(HgCollectiveKind which, Way way, Count ours, Count mpi) {
  const Kind *k = &kinds[which];
  const long expected = table(which, way);
  const bool twice = which == HG_SCAN;
  const long numbers = which == HG_BARRIER ? 0
                       : which == HG_SUM   ? (long)(sizeof(HgSum) / sizeof(double))
                                           : SHORT;
  claim_same((double)ours.messages, (double)expected, "%s, %s: messages", k->name, way_name[way]);
  claim_same((double)ours.bytes, (double)(expected * numbers * (long)sizeof(double)),
             "%s, %s: bytes", k->name, way_name[way]);
  if ((way == VALUE ? k->call : k->back) == NONE) return;
  claim_at_most((double)ours.messages, (double)mpi.messages * (twice ? 2 : 1),
                "%s, %s: messages, MPI's own", k->name, way_name[way]);
  claim_at_most((double)ours.bytes, (double)mpi.bytes * (twice ? 2 : 1), "%s, %s: bytes, MPI's own",
                k->name, way_name[way]);
}

/* Each segment of at least 32 KiB is a message; reductions go through blocks. */
static void check_long(HgCollectiveKind which, Way way, Count ours, Count mpi, long most) {
  const Kind *k = &kinds[which];
  const Call named = way == VALUE ? k->call : k->back;
  const bool blocks = k->reduces && ranks > 2 && named != BCAST;
  const double share = named == REDUCE && ranks > 2 ? 1 + 1. / ranks : named == SCAN ? 2 : 1;
  const double segments = (double)ours.bytes / (1 << 15);
  const long all = (long)ranks * (ranks - 1);
  if (named == NONE || which == HG_SUM) return;
  claim_at_most((double)ours.bytes, share * (double)mpi.bytes, "%s, %s of a long array: bytes",
                k->name, way_name[way]);
  claim_at_most((double)ours.messages, blocks ? 2. * (double)all : (double)mpi.messages + segments,
                "%s, %s of a long array: messages", k->name, way_name[way]);
  if (named == ALLREDUCE || (named == SCAN && ranks > 2)) /* nobody sends more than the others */
    claim_at_most((double)most * ranks, (double)ours.bytes + 64. * ranks * ranks,
                  "%s, %s of a long array: bytes of the busiest rank", k->name, way_name[way]);
}

typedef struct {
  HgCollectiveKind which;
  Way way;
  bool ours;
  int n;
  HgCollective c;
  double *x, *y;
} Run;

static PetscErrorCode run(const Run *r) {
  const int n = r->which == HG_SUM ? (int)(sizeof(HgSum) / sizeof(double)) : r->n;
  if (!r->ours)
    return call(r->way == VALUE ? kinds[r->which].call : kinds[r->which].back, n, r->x, r->y);
  if (r->way == ADJOINT) return HgCollectiveAdjoint(r->c, NULL, r->y, r->x);
  if (r->way == TRANSPOSE) return HgCollectiveTranspose(r->c, NULL, r->y, r->x);
  return HgCollectiveApply(r->c, r->x, r->y);
}

/* Of all ranks together, and the bytes of the busiest. Collective. */
static PetscErrorCode count(const Run *r, Count *all, long *most) {
  const Count before = sent;
  PetscCall(run(r));
  const long mine[2] = {sent.messages - before.messages, sent.bytes - before.bytes};
  long sum[2];
  PetscCallMPI(MPI_Allreduce(mine, sum, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(&mine[1], most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD));
  *all = (Count){sum[0], sum[1]};
  return 0;
}

static PetscErrorCode check(HgCollectiveKind which, Way way, int n) {
  Run r = {.which = which, .way = way, .n = n, .ours = true};
  Count ours, mpi;
  long most, unused;
  const size_t room = (size_t)n * (size_t)ranks + sizeof(HgSum);
  PetscCall(PetscCalloc2(room, &r.x, room, &r.y));
  PetscCall(create(which, n, &r.c));
  PetscCall(count(&r, &ours, &most));
  r.ours = false;
  PetscCall(count(&r, &mpi, &unused));
  if (n == SHORT) check_short(which, way, ours, mpi);
  else check_long(which, way, ours, mpi, most);
  PetscCall(HgCollectiveDestroy(&r.c));
  return PetscFree2(r.x, r.y);
}

/* Is every message counted? One of 5 numbers from each rank to the next. */
static PetscErrorCode check_counting(void) {
  double x[5] = {0}, y[5];
  const Count before = sent;
  PetscCallMPI(MPI_Sendrecv(x, 5, MPI_DOUBLE, (rank + 1) % ranks, 0, y, 5, MPI_DOUBLE,
                            (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  claim_that(sent.messages - before.messages == 1 && sent.bytes - before.bytes == 40,
             "messages are counted (by Open MPI 4's component pml/monitoring): %ld of %ld bytes",
             sent.messages - before.messages, sent.bytes - before.bytes);
  return 0;
}

static PetscErrorCode test(void) {
  PetscCallMPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  PetscCall(check_counting());
  for (int which = 0; which < KINDS; which++)
    for (int way = 0; way < WAYS; way++) {
      PetscCall(check((HgCollectiveKind)which, (Way)way, SHORT));
      PetscCall(check((HgCollectiveKind)which, (Way)way, LONG));
    }
  return 0;
}

int main(int argc, char **argv) {
  setenv("OMPI_MCA_pml_monitoring_enable", "1", 1);
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("no collective sends more than its table says", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
