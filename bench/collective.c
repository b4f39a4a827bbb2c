/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_collective: value, transpose and adjoint of every collective beside MPI's own call of the
   same size, 8 B, 8 KiB and 8 MiB a rank. Exact sums are in our time. A transpose sets x_bar, as
   MPI's call does, which stands beside it. An adjoint adds to x_bar: beside it stands MPI's call
   with a loop that adds, and in brackets the ratio to the call alone. */
#include "bench.h"
#include <halograd/collective.h>
#include <halograd/memory_library.h>
#include <halograd/options.h>
#include <math.h>
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

static const HgCollectiveKind kinds[COLLECTIVES] = {HG_BROADCAST, HG_REDUCE,   HG_ALLREDUCE,
                                                    HG_SCAN,      HG_GATHER,   HG_SCATTER,
                                                    HG_ALLGATHER, HG_ALLTOALL, HG_SENDRECV};
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

typedef enum { VALUE, TRANSPOSE, ADJOINT } Form;

static const char *const form_names[] = {"", " transpose", " adjoint"};

typedef struct {
  MPI_Comm comm, back; /* back: from the last rank to the first, the way of a scan's adjoint */
  Which which;
  Form form;
  int rank, ranks, n, times; /* n: numbers of each rank */
  HgCollective c;
  double *x, *y, *sum; /* of n numbers from each rank, on the ranks that need them */
} Run;

static PetscErrorCode create(Run *r) {
  int64_t to[64];
  for (int s = 0; s < r->ranks; s++) to[s] = r->n / r->ranks;
  const HgCollectiveSpec spec = {.kind = kinds[r->which],
                                 .n = r->which == ALLTOALL ? 0 : r->n,
                                 .parts = to,
                                 .to = (r->rank + 1) % r->ranks,
                                 .from = (r->rank + r->ranks - 1) % r->ranks,
                                 .received = r->which == SENDRECV ? r->n : 0};
  return HgCollectiveCreate(r->comm, &spec, &r->c);
}

/* What goes in and what comes out; MPI_Bcast works in place, and so does ours beside it. */
static double *input(const Run *r) { return r->form ? r->y : r->x; }

static double *output(const Run *r) { return r->form ? r->x : r->y; }

static bool is_bcast(const Run *r) {
  return (r->which == BROADCAST && r->form == VALUE) || (r->which == REDUCE && r->form);
}

static double *own_output(const Run *r) {
  return is_bcast(r) && r->form != ADJOINT && r->rank == 0 ? input(r) : output(r);
}

static PetscErrorCode own_run(void *self) {
  const Run *r = self;
  const double *const in = input(r);
  double *const out = own_output(r);
  for (int k = 0; k < r->times; k++) switch (r->form) {
    case VALUE: PetscCall(HgCollectiveApply(r->c, in, out)); break;
    case TRANSPOSE: PetscCall(HgCollectiveTranspose(r->c, NULL, in, out)); break;
    default: PetscCall(HgCollectiveAdjoint(r->c, NULL, in, out));
    }
  return 0;
}

static PetscErrorCode bare(const Run *r) {
  const int n = r->n, part = r->n / r->ranks, next = (r->rank + 1) % r->ranks,
            before = (r->rank + r->ranks - 1) % r->ranks;
  double *const x = input(r), *const y = output(r);
  const MPI_Comm comm = r->which == SCAN && r->form ? r->back : r->comm;
  int ierr = 0;
  switch (2 * (int)r->which + (r->form != VALUE)) {
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

/* What one would write without adjoints that add. */
static PetscErrorCode bare_and_add_run(void *self) {
  const Run *r = self;
  int n, m;
  HgCollectiveSizes(r->c, &n, &m);
  for (int k = 0; k < r->times; k++) {
    PetscCall(bare(r));
    for (int i = 0; i < n; i++) r->sum[i] += r->x[i];
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
  int n, m;
  HgCollectiveSizes(r->c, &n, &m);
  const size_t results = (size_t)(r->form ? n : m);
  double *const in = input(r), *const out = output(r);
  const double before = r->form == ADJOINT ? 0 : NAN;
  PetscCall(PetscMalloc1(all, &kept));
  for (size_t i = 0; i < all; i++)
    in[i] = (double)((i + 3 * (size_t)r->rank) % 17), out[i] = before;
  PetscCall(own_run(r));
  memcpy(kept, own_output(r), all * sizeof *kept);
  memset(out, 0, all * sizeof *out);
  PetscCall(bare_run(r));
  const double *const expected = is_bcast(r) ? in : out;
  for (size_t i = 0; i < results; i++) wrong += kept[i] != expected[i];
  PetscCall(PetscFree(kept));
  memset(r->x, 0, all * sizeof *out); /* adjoints add up: to zero */
  memset(r->y, 0, all * sizeof *out);
  r->times = times;
  return HgAgree(r->comm, wrong > 0, HG_ERR_CHECK_FAILED,
                 "bench: %s: %zu numbers differ from those of MPI_%s", names[r->which], wrong,
                 mpi_names[r->which][r->form != VALUE]);
}

/* `own` beside MPI's call; of an adjoint beside the call that adds, with the ratio to it alone. */
static PetscErrorCode print(const Run *r, const BenchCase *own, const BenchCase *bare_call,
                            const BenchCase *adding) {
  const bool adds = r->form == ADJOINT;
  const BenchCase *const peer = adds ? adding : bare_call;
  BenchLine l = {.row = "collective",
                 .ratio = BenchCompare(own, peer, 1),
                 .sense = r->n < 1024 ? BENCH_NO_GOAL : BENCH_AT_MOST,
                 .goal = 1.1};
  const char *const size = r->n < 1024    ? "8 B"
                           : r->n == 1024 ? "8 KiB"
                                          : "8 MiB",
                    *const call = mpi_names[r->which][r->form != VALUE];
  snprintf(l.run, sizeof l.run, "%s%s, %s, %d ranks", names[r->which], form_names[r->form], size,
           r->ranks);
  snprintf(l.own, sizeof l.own, "%.2f us", BenchSeconds(own) / r->times * 1e6);
  snprintf(l.peer, sizeof l.peer, "MPI_%s%s %.2f us", call, adds ? ", +=" : "",
           BenchSeconds(peer) / r->times * 1e6);
  const size_t used = strlen(l.peer);
  if (adds)
    snprintf(l.peer + used, sizeof l.peer - used, " (alone: %.2f)",
             BenchCompare(own, bare_call, 1).median);
  return BenchPrint(r->comm, &l);
}

/* The value's line, or those of transpose and adjoint. */
static PetscErrorCode row(MPI_Comm comm, Which which, bool back, int n, int rounds) {
  Run r = {.comm = comm, .which = which, .form = back ? TRANSPOSE : VALUE, .n = n};
  PetscCallMPI(MPI_Comm_rank(comm, &r.rank));
  PetscCallMPI(MPI_Comm_size(comm, &r.ranks));
  PetscCallMPI(MPI_Comm_split(comm, 0, -r.rank, &r.back));
  const size_t all = (size_t)n * (size_t)r.ranks;
  r.times = n > 100000 ? 2 : n > 100 ? 400 : 1000;
  PetscCall(create(&r));
  double **const arrays[] = {&r.x, &r.y, &r.sum};
  bool failed = false;
  for (int k = 0; k < 3; k++) {
    *arrays[k] = HgZeroedMemory(all * sizeof(double));
    failed = failed || !*arrays[k];
  }
  PetscCall(
      HgAgree(comm, failed, HG_ERR_MEMORY, "bench: no memory for three times %zu numbers", all));
  Run adds = r;
  adds.form = ADJOINT;
  PetscCall(same_result(&r));
  if (back) PetscCall(same_result(&adds));
  BenchCase c[] = {{.name = "halograd", .run = own_run, .context = &r},
                   {.name = "bare", .run = bare_run, .context = &r},
                   {.name = "bare and +=", .run = bare_and_add_run, .context = &adds},
                   {.name = "adds", .run = own_run, .context = &adds}};
  PetscCall(BenchInterleave(comm, rounds, back ? 4 : 2, c));
  PetscCall(print(&r, &c[0], &c[1], &c[2]));
  if (back) PetscCall(print(&adds, &c[3], &c[1], &c[2]));
  for (int k = 0; k < 3; k++) HgFreeMemory(*arrays[k], all * sizeof(double));
  PetscCallMPI(MPI_Comm_free(&r.back));
  return HgCollectiveDestroy(&r.c);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int rounds = 15, only = COLLECTIVES;
  const char *choice[COLLECTIVES + 1];
  HgOptions options;
  for (int k = 0; k < COLLECTIVES; k++) choice[k] = names[k];
  choice[COLLECTIVES] = "all";
  PetscCall(HgOptionsCreate(comm, "bench_collective", "collectives beside MPI's", &options));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsChoice(options, "-only", "which", COLLECTIVES + 1, choice, &only));
  PetscCall(HgOptionsEnd(options));
  for (int which = 0; which < COLLECTIVES; which++)
    for (int back = 0; back < 2; back++)
      for (int n = 1; n <= 1 << 20; n *= 1 << 10)
        if (only == COLLECTIVES || only == which)
          PetscCall(row(comm, (Which)which, back, which == ALLTOALL && n == 1 ? 2 : n, rounds));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
