/* bench_collective: value and adjoint of every collective beside MPI's own call of the same size, 8 B,
   8 KiB and 8 MiB a rank. What MPI's call does not do and ours does is in our time: sums are exact,
   adjoints add to x_bar. Beside an adjoint stands MPI's call alone, by which it is judged, and in
   brackets the call with a loop that adds. */
#include "bench.h"
#include <halograd/collective.h>
#include <halograd/options.h>
#include <string.h>
typedef enum {
  BROADCAST,
  REDUCE,
  ALLREDUCE,
  SCAN,
  GATHER,
  SCATTER,
  ALLGATHER,
  ALLTOALL,
  SENDRECV,
  COLLECTIVES
} Which;
static const char *const names[COLLECTIVES] = {"broadcast", "reduce",   "allreduce",
                                               "scan",      "gather",   "scatter",
                                               "allgather", "alltoall", "sendrecv"};
static const char *const mpi_names[COLLECTIVES][2] = {{"Bcast", "Reduce"},
                                                      {"Reduce", "Bcast"},
                                                      {"Allreduce", "Allreduce"},
                                                      {"Scan", "Scan"},
                                                      {"Gather", "Scatter"},
                                                      {"Scatter", "Gather"},
                                                      {"Allgather", "Reduce_scatter"},
                                                      {"Alltoall", "Alltoall"},
                                                      {"Sendrecv", "Sendrecv"}};
typedef struct {
  MPI_Comm comm;
  Which which;
  bool adjoint;
  int rank, ranks, n, times; /* n: numbers of each rank */
  HgCollective c;
  double *x, *y, *sum; /* of n numbers from each rank, whoever needs them */
} Run;
static PetscErrorCode create(Run *r) {
  int64_t to[64];
  const int next = (r->rank + 1) % r->ranks, before = (r->rank + r->ranks - 1) % r->ranks;
  for (int s = 0; s < r->ranks; s++) to[s] = r->n / r->ranks;
  switch (r->which) {
  case BROADCAST: return HgCollectiveBroadcast(r->comm, 0, r->n, &r->c);
  case REDUCE: return HgCollectiveReduce(r->comm, HG_REDUCE_SUM, 0, r->n, &r->c);
  case ALLREDUCE: return HgCollectiveAllreduce(r->comm, HG_REDUCE_SUM, r->n, &r->c);
  case SCAN: return HgCollectiveScan(r->comm, HG_REDUCE_SUM, r->n, &r->c);
  case GATHER: return HgCollectiveGather(r->comm, 0, r->n, &r->c);
  case SCATTER: return HgCollectiveScatter(r->comm, 0, r->n, &r->c);
  case ALLGATHER: return HgCollectiveAllgather(r->comm, r->n, &r->c);
  case ALLTOALL: return HgCollectiveAlltoall(r->comm, to, &r->c);
  default: return HgCollectiveSendrecv(r->comm, next, r->n, before, r->n, &r->c);
  }
}
static PetscErrorCode own_run(void *self) {
  const Run *r = self;
  /* a broadcast works in place, as MPI's does */
  double *const y = r->which == BROADCAST && r->rank == 0 ? r->x : r->y;
  for (int k = 0; k < r->times; k++)
    if (r->adjoint) PetscCall(HgCollectiveAdjoint(r->c, NULL, r->y, r->x));
    else PetscCall(HgCollectiveApply(r->c, r->x, y));
  return 0;
}
static PetscErrorCode bare(const Run *r) {
  const int n = r->n, part = r->n / r->ranks, next = (r->rank + 1) % r->ranks,
            before = (r->rank + r->ranks - 1) % r->ranks;
  double *const x = r->adjoint ? r->y : r->x, *const y = r->adjoint ? r->x : r->y;
  const MPI_Comm comm = r->comm;
  int ierr = 0;
  switch (2 * (int)r->which + r->adjoint) {
  case 2 * BROADCAST:
  case 2 * REDUCE + 1: ierr = MPI_Bcast(x, n, MPI_DOUBLE, 0, comm); break;
  case 2 * REDUCE:
  case 2 * BROADCAST + 1: ierr = MPI_Reduce(x, y, n, MPI_DOUBLE, MPI_SUM, 0, comm); break;
  case 2 * ALLREDUCE:
  case 2 * ALLREDUCE + 1: ierr = MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm); break;
  case 2 * SCAN:
  case 2 * SCAN + 1: ierr = MPI_Scan(x, y, n, MPI_DOUBLE, MPI_SUM, comm); break;
  case 2 * GATHER:
  case 2 * SCATTER + 1: ierr = MPI_Gather(x, n, MPI_DOUBLE, y, n, MPI_DOUBLE, 0, comm); break;
  case 2 * SCATTER:
  case 2 * GATHER + 1: ierr = MPI_Scatter(x, n, MPI_DOUBLE, y, n, MPI_DOUBLE, 0, comm); break;
  case 2 * ALLGATHER: ierr = MPI_Allgather(x, n, MPI_DOUBLE, y, n, MPI_DOUBLE, comm); break;
  case 2 * ALLGATHER + 1:
    ierr = MPI_Reduce_scatter_block(x, y, n, MPI_DOUBLE, MPI_SUM, comm);
    break;
  case 2 * ALLTOALL:
  case 2 * ALLTOALL + 1: ierr = MPI_Alltoall(x, part, MPI_DOUBLE, y, part, MPI_DOUBLE, comm); break;
  case 2 * SENDRECV:
    ierr = MPI_Sendrecv(x, n, MPI_DOUBLE, next, 0, y, n, MPI_DOUBLE, before, 0, comm,
                        MPI_STATUS_IGNORE);
    break;
  default:
    ierr = MPI_Sendrecv(x, n, MPI_DOUBLE, before, 0, y, n, MPI_DOUBLE, next, 0, comm,
                        MPI_STATUS_IGNORE);
  }
  PetscCallMPI(ierr);
  return 0;
}
static PetscErrorCode bare_run(void *self) {
  const Run *r = self;
  for (int k = 0; k < r->times; k++) PetscCall(bare(r));
  return 0;
}
/* What somebody without adjoints that add would write. */
static PetscErrorCode bare_and_add_run(void *self) {
  const Run *r = self;
  const size_t n = (size_t)HgCollectiveInputs(r->c);
  for (int k = 0; k < r->times; k++) {
    PetscCall(bare(r));
    for (size_t i = 0; i < n; i++) r->sum[i] += r->x[i];
  }
  return 0;
}
/* Both give the same numbers: small integers, whose sums have no rounding. */
static PetscErrorCode same_result(Run *r) {
  const size_t all = (size_t)r->n * (size_t)r->ranks;
  double *kept;
  const int times = r->times;
  size_t wrong = 0;
  r->times = 1;
  const size_t results =
      (size_t)(r->adjoint ? HgCollectiveInputs(r->c) : HgCollectiveOutputs(r->c));
  double *const in = r->adjoint ? r->y : r->x, *const out = r->adjoint ? r->x : r->y;
  PetscCall(PetscMalloc1(all, &kept));
  for (size_t i = 0; i < all; i++) in[i] = (double)((i + 3 * (size_t)r->rank) % 17), out[i] = 0;
  PetscCall(own_run(r));
  const bool in_place = r->which == BROADCAST && !r->adjoint && r->rank == 0;
  memcpy(kept, in_place ? in : out, all * sizeof *kept);
  memset(out, 0, all * sizeof *out);
  PetscCall(bare_run(r));
  const bool bare_in_place =
      (r->which == BROADCAST && !r->adjoint) || (r->which == REDUCE && r->adjoint);
  const double *const expected = bare_in_place ? in : out;
  /* MPI_Scan has no direction: only its value can be compared */
  for (size_t i = 0; i < results && (r->which != SCAN || !r->adjoint); i++)
    wrong += kept[i] != expected[i];
  PetscCall(PetscFree(kept));
  memset(r->x, 0, all * sizeof *out); /* adjoints add up: to zero */
  memset(r->y, 0, all * sizeof *out);
  r->times = times;
  return HgAgree(r->comm, wrong > 0, "bench: %s: %zu numbers differ from those of MPI_%s",
                 names[r->which], wrong, mpi_names[r->which][r->adjoint]);
}
static PetscErrorCode row(MPI_Comm comm, Which which, bool adjoint, int n, int rounds) {
  Run r = {.comm = comm, .which = which, .adjoint = adjoint, .n = n};
  PetscCallMPI(MPI_Comm_rank(comm, &r.rank));
  PetscCallMPI(MPI_Comm_size(comm, &r.ranks));
  const size_t all = (size_t)n * (size_t)r.ranks;
  r.times = n > 100000 ? 2 : n > 100 ? 400 : 1000;
  PetscCall(create(&r));
  PetscCall(PetscCalloc3(all, &r.x, all, &r.y, all, &r.sum));
  PetscCall(same_result(&r));
  BenchCase c[] = {{.name = "halograd", .run = own_run, .context = &r},
                   {.name = "bare", .run = bare_run, .context = &r},
                   {.name = "bare and +=", .run = bare_and_add_run, .context = &r}};
  PetscCall(BenchInterleave(comm, rounds, adjoint ? 3 : 2, c));
  BenchLine l = {.row = "collective",
                 .ratio = BenchCompare(&c[0], &c[1], 1),
                 .sense = n < 1024 ? BENCH_NO_GOAL : BENCH_AT_MOST,
                 .goal = 1.1};
  const char *const size = n < 1024 ? "8 B" : n == 1024 ? "8 KiB" : "8 MiB";
  snprintf(l.run, sizeof l.run, "%s%s, %s, %d ranks", names[which], adjoint ? " adjoint" : "", size,
           r.ranks);
  snprintf(l.own, sizeof l.own, "%.2f us", BenchSeconds(&c[0]) / r.times * 1e6);
  snprintf(l.peer, sizeof l.peer, "MPI_%s %.2f us", mpi_names[which][adjoint],
           BenchSeconds(&c[1]) / r.times * 1e6);
  const size_t used = strlen(l.peer);
  if (adjoint)
    snprintf(l.peer + used, sizeof l.peer - used, " (and += %.2f)",
             BenchSeconds(&c[2]) / r.times * 1e6);
  PetscCall(BenchPrint(comm, &l));
  PetscCall(PetscFree3(r.x, r.y, r.sum));
  return HgCollectiveDestroy(&r.c);
}
static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int rounds = 15, only = COLLECTIVES;
  bool stop;
  const char *choice[COLLECTIVES + 1];
  HgOptions options;
  for (int k = 0; k < COLLECTIVES; k++) choice[k] = names[k];
  choice[COLLECTIVES] = "all";
  PetscCall(HgOptionsCreate(comm, "bench_collective", "collectives beside MPI's", &options));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsChoice(options, "-only", "which", COLLECTIVES + 1, choice, &only));
  PetscCall(HgOptionsEnd(options, &stop));
  if (stop) return 0;
  for (int which = 0; which < COLLECTIVES; which++)
    for (int adjoint = 0; adjoint < 2; adjoint++)
      for (int n = 1; n <= 1 << 20; n *= 1 << 10)
        if (only == COLLECTIVES || only == which)
          PetscCall(row(comm, (Which)which, adjoint, which == ALLTOALL && n == 1 ? 2 : n, rounds));
  return 0;
}
int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
