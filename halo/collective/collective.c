/* SPDX-License-Identifier: BSD-2-Clause */
/* What all collectives share: creation, checks, calls, the end. */
#include "collective_private.h"
#include <halograd/collective_library.h>
#include <halograd/memory_library.h>
#include <halograd/options_library.h>
#include <halograd/trace_library.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SEGMENT = 1 << 16,    /* numbers of all ranks that one works on at once: 512 KiB, */
  BLOCK_LEAST = 1 << 12 /* but of each rank at least 32 KiB, a message worth sending */
};

static PetscErrorCode check_comm(MPI_Comm comm, const char name[]) {
  int inter = 0;
  if (comm != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_test_inter(comm, &inter));
  HgRequire(PETSC_COMM_SELF, comm != MPI_COMM_NULL && !inter, HG_ERR_RANKS_DIFFER,
            "%s: its communicator %s, expected one of ranks that tell each other something", name,
            inter ? "joins two groups" : "is MPI_COMM_NULL (was it freed?)");
  return 0;
}

/* Checks that do not depend on the kind of collective. Every rank sees all calls, so all find the
   same. */
static PetscErrorCode check_calls(MPI_Comm comm, const HgCollectiveTable *kind, int ranks,
                                  const HgCollectiveCall calls[]) {
  const HgCollectiveCall *first = &calls[0];
  for (int r = 0; r < ranks; r++) {
    const HgCollectiveCall *c = &calls[r];
    HgRequire(comm, !strcmp(c->name, first->name), HG_ERR_RANKS_DIFFER,
              "collective: rank %d creates '%s' where rank 0 creates '%s'; expected the same "
              "operators in the same order",
              r, c->name, first->name);
    HgRequire(comm,
              c->reduction >= HG_REDUCE_SUM && c->reduction <= HG_REDUCE_MAX &&
                  c->reduction == first->reduction,
              HG_ERR_RANKS_DIFFER,
              "%s: rank %d asks for reduction %lld, rank 0 for %lld; expected the same of 0 (sum) "
              "to 3 (maximum)",
              c->name, r, (long long)c->reduction, (long long)first->reduction);
    HgRequire(comm, c->in >= 0 && c->in <= INT_MAX && c->out >= 0 && c->out <= INT_MAX,
              HG_ERR_OPERATOR, "%s: rank %d has %lld numbers, expected 0 to %d", c->name, r,
              (long long)(c->in < 0 || c->in > INT_MAX ? c->in : c->out), INT_MAX);
    HgRequire(comm, !kind->rooted || (c->root >= 0 && c->root < ranks), HG_ERR_OPERATOR,
              "%s: rank %d names rank %lld as the root, expected 0 to %d", c->name, r,
              (long long)c->root, ranks - 1);
    HgRequire(comm, !kind->rooted || c->root == first->root, HG_ERR_RANKS_DIFFER,
              "%s: rank %d names rank %lld as the root, rank 0 names rank %lld; expected the same",
              c->name, r, (long long)c->root, (long long)first->root);
    HgRequire(comm, !kind->alike || c->in == first->in, HG_ERR_RANKS_DIFFER,
              "%s: rank %d has %lld numbers, rank 0 has %lld; expected the same", c->name, r,
              (long long)c->in, (long long)first->in);
  }
  return 0;
}

PetscErrorCode HgCollectiveLayOut(HgCollective c, const HgCollectiveCall calls[], int counts[],
                                  int first[], int *total) {
  int64_t sum = 0;
  for (int s = 0; s < c->ranks; s++) {
    counts[s] = (int)calls[s].in, first[s] = (int)PetscMin(sum, INT_MAX);
    sum += calls[s].in;
    c->longest = PetscMax(c->longest, calls[s].in);
  }
  HgRequire(c->comm, sum <= INT_MAX, HG_ERR_OPERATOR,
            "%s: %d ranks have %lld numbers together, expected at most %d", c->table->name,
            c->ranks, (long long)sum, INT_MAX);
  *total = (int)sum;
  return 0;
}

static double *allocate_array(size_t room, size_t *bytes, bool *failed) {
  double *const array = room ? HgAllocate(room, sizeof *array) : NULL;
  *bytes += room * sizeof *array;
  *failed = *failed || (room && !array);
  return array;
}

static PetscErrorCode allocate(HgCollective c) {
  bool failed = false;
  size_t bytes = 0;
  for (int k = 0; k < 6; k++)
    c->segment[k / 3].work[k % 3] = allocate_array(c->room, &bytes, &failed);
  c->window = allocate_array(c->window_room, &bytes, &failed);
  return HgAgree(c->comm, failed, HG_ERR_MEMORY, "%s: no memory for %zu bytes", c->table->name,
                 bytes);
}

static PetscErrorCode set_up(HgCollective c, const HgCollectiveCall calls[]) {
  const size_t ranks = (size_t)c->ranks;
  PetscCall(PetscCalloc4(ranks, &c->in, ranks, &c->in_first, ranks, &c->out, ranks, &c->out_first));
  for (int k = 0; k < 2; k++) {
    int **const part = c->segment[k].part;
    PetscCall(PetscCalloc4(ranks, &part[0], ranks, &part[1], ranks, &part[2], ranks, &part[3]));
  }
  PetscCall(PetscCalloc3(ranks, &c->row, ranks, &c->row2, ranks, &c->out_row));
  PetscCall(HgLongMessageCreate(c));
  const HgCollectiveCall *mine = &calls[c->rank];
  c->n = (int)mine->in, c->m = (int)mine->out, c->reduction = (HgReduction)mine->reduction;
  c->root = (int)mine->root;
  c->block = PetscMax(BLOCK_LEAST, SEGMENT / c->ranks);
  if (c->table->set_up) PetscCall(c->table->set_up(c, calls));
  return allocate(c);
}

/* What this rank requests, for the other ranks to compare. */
static void read_spec(int ranks, const HgCollectiveSpec *spec, const char name[],
                      HgCollectiveCall *mine) {
  *mine = (HgCollectiveCall){.reduction = (int64_t)spec->reduction,
                             .root = spec->root,
                             .in = spec->n,
                             .out = spec->received,
                             .to = spec->to,
                             .from = spec->from,
                             .parts = spec->parts};
  snprintf(mine->name, sizeof mine->name, "%s", name);
  for (int s = 0; spec->kind == HG_ALLTOALL && s < ranks && mine->in >= 0 && mine->in <= INT_MAX;
       s++) {
    const int64_t n = spec->parts[s];
    mine->in = n < 0 || n > INT_MAX ? n : mine->in + n; /* one that is wrong stays */
  }
}

PetscErrorCode HgCollectiveCreate(MPI_Comm comm, const HgCollectiveSpec *spec,
                                  HgCollective *collective) {
  static const HgCollectiveTable *const tables[] = {
      &hg_collective_sum,      &hg_collective_reduce,    &hg_collective_allreduce,
      &hg_collective_scan,     &hg_collective_broadcast, &hg_collective_spread,
      &hg_collective_gather,   &hg_collective_allgather, &hg_collective_scatter,
      &hg_collective_alltoall, &hg_collective_sendrecv,  &hg_collective_barrier};
  const HgCollectiveTable *const table = tables[spec->kind];
  *collective = NULL;
  PetscCall(check_comm(comm, table->name));
  HgCollective c;
  HgCollectiveCall *calls, mine;
  char name[32];
  bool checked = false;
  PetscCall(HgOptionReadFlag(comm, "-hg_collective_check", &checked));
  PetscCall(PetscNew(&c));
  c->table = table;
  PetscCall(PetscCommDuplicate(comm, &c->comm, &c->tag));
  PetscCallMPI(MPI_Comm_rank(c->comm, &c->rank));
  PetscCallMPI(MPI_Comm_size(c->comm, &c->ranks));
  read_spec(c->ranks, spec, table->name, &mine);
  PetscCall(PetscMalloc1(c->ranks, &calls));
  PetscCallMPI(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, calls, sizeof mine, MPI_BYTE, c->comm));
  PetscErrorCode ierr = check_calls(c->comm, table, c->ranks, calls);
  if (!ierr) ierr = set_up(c, calls);
  if (!ierr && spec->once) ierr = HgCollectiveCountOnce(c);
  PetscCall(PetscFree(calls));
  if (ierr) {
    PetscCall(HgCollectiveDestroy(&c));
    return ierr;
  }
  c->checked = checked;
  snprintf(name, sizeof name, "Hg %s", table->name);
  PetscCall(PetscLogEventRegister(name, PETSC_OBJECT_CLASSID, &c->event[0]));
  snprintf(name, sizeof name, "Hg %s adjoint", table->name);
  PetscCall(PetscLogEventRegister(name, PETSC_OBJECT_CLASSID, &c->event[1]));
  *collective = c;
  return 0;
}

PetscErrorCode HgCollectiveDestroy(HgCollective *collective) {
  HgCollective c = *collective;
  *collective = NULL;
  if (!c) return 0;
  for (int k = 0; k < 6; k++) free(c->segment[k / 3].work[k % 3]);
  free(c->window);
  PetscCall(PetscFree4(c->in, c->in_first, c->out, c->out_first));
  for (int k = 0; k < 2; k++) {
    int **const part = c->segment[k].part;
    PetscCall(PetscFree4(part[0], part[1], part[2], part[3]));
  }
  PetscCall(PetscFree3(c->row, c->row2, c->out_row));
  PetscCall(PetscFree(c->request));
  PetscCall(PetscCommDestroy(&c->comm));
  return PetscFree(c);
}

PetscErrorCode HgCollectiveCountOnce(HgCollective c) {
  HgRequire(c->comm, c->table->equal, HG_ERR_OPERATOR,
            "%s: it gives each rank numbers of its own, which cannot count once; expected sum, "
            "allreduce, broadcast or allgather",
            c->table->name);
  c->once = true;
  return 0;
}

void HgCollectiveSizes(HgCollective c, int *in, int *out) { *in = c->n, *out = c->m; }

const char *HgCollectiveName(HgCollective c) { return c->table->name; }

bool HgCollectiveLinear(HgCollective c) {
  return !c->table->tangent || c->reduction == HG_REDUCE_SUM;
}

bool HgCollectiveInputOnce(HgCollective c) { return c->table->once; }

MPI_Comm HgCollectiveComm(HgCollective c) { return c->comm; }

void HgCollectivePut(size_t n, const double x[], bool add, double y[]) {
  for (size_t i = 0; add && i < n; i++) y[i] += x[i];
  if (!add && n && x != y) memcpy(y, x, n * sizeof *y);
}

/* ---- calls ---- */
typedef enum { VALUE, TANGENT, ADJOINT, TRANSPOSE } Direction;

static const char *const direction_name[] = {"the value", "the tangent", "the adjoint",
                                             "the transpose"};

typedef struct {
  char name[16];
  int tag;
  Direction direction;
} Call;

/* Error: ranks are in different calls or operators. All operators on a communicator share a private
   one, so a rank that skipped a call meets the others here. */
static PetscErrorCode check_order(HgCollective c, Direction direction) {
  Call mine = {.tag = c->tag, .direction = direction}, *all;
  int other = 0;
  snprintf(mine.name, sizeof mine.name, "%s", c->table->name);
  PetscCall(PetscMalloc1(c->ranks, &all));
  PetscCallMPI(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, c->comm));
  while (other < c->ranks && all[other].tag == all[0].tag &&
         all[other].direction == all[0].direction)
    other++;
  const Call first = all[0], found = all[other % c->ranks];
  PetscCall(PetscFree(all));
  HgRequire(
      c->comm, other == c->ranks, HG_ERR_OPERATOR,
      "collective: rank %d is at %s of '%s' (tag %d), rank 0 at %s of '%s' (tag %d); expected "
      "the same operators in the same order on every rank",
      other, direction_name[found.direction], found.name, found.tag,
      direction_name[first.direction], first.name, first.tag);
  return 0;
}

/* Error: the n numbers, which count once, differ between ranks. */
static PetscErrorCode check_equal(HgCollective c, const char role[], int n, const double x[]) {
  double *first;
  int differs = 0;
  PetscCall(PetscMalloc1(n, &first));
  if (n) memcpy(first, x, (size_t)n * sizeof *first);
  PetscCallMPI(MPI_Bcast(first, n, MPI_DOUBLE, 0, c->comm));
  while (differs < n && !memcmp(&first[differs], &x[differs], sizeof *first)) differs++;
  const bool failed = differs < n;
  const double here = failed ? x[differs] : 0, there = failed ? first[differs] : 0;
  PetscCall(PetscFree(first));
  return HgAgree(c->comm, failed, HG_ERR_RANKS_DIFFER,
                 "%s: %s counts once, but number %d is %.17g on rank %d and %.17g on rank 0",
                 c->table->name, role, differs, here, c->rank, there);
}

/* `given`: x, dx or y_bar. */
static PetscErrorCode check_call(HgCollective c, Direction direction, const double given[]) {
  HgRequire(PETSC_COMM_SELF, c, HG_ERR_CALL_ORDER,
            "collective: %s is asked for, but it does not exist (destroyed?)",
            direction_name[direction]);
  if (!c->checked) return 0;
  PetscCall(check_order(c, direction));
  if (!given) return 0;
  if (direction >= ADJOINT) return c->once ? check_equal(c, "y_bar", c->m, given) : 0;
  return c->table->once ? check_equal(c, "x", c->n, given) : 0;
}

static PetscErrorCode call(HgCollective c, Direction direction, const double x[],
                           const double given[], double result[]) {
  static const HgMode modes[] = {HG_PRIMAL, HG_TANGENT, HG_COTANGENT, HG_COTANGENT};
  const bool back = direction >= ADJOINT;
  PetscCall(check_call(c, direction, given));
  const int outside = HgTraceEnter(c->table->name, modes[direction]);
  PetscCall(PetscLogEventBegin(c->event[back], 0, 0, 0, 0));
  if (back) PetscCall(c->table->adjoint(c, x, given, direction == ADJOINT, result));
  else if (direction == VALUE || HgCollectiveLinear(c))
    PetscCall(c->table->apply(c, given, result));
  else PetscCall(c->table->tangent(c, x, given, result));
  PetscCall(PetscLogEventEnd(c->event[back], 0, 0, 0, 0));
  HgTraceLeave(outside);
  return 0;
}

PetscErrorCode HgCollectiveApply(HgCollective c, const double x[], double y[]) {
  return call(c, VALUE, NULL, x, y);
}

PetscErrorCode HgCollectiveTangent(HgCollective c, const double x[], const double dx[],
                                   double dy[]) {
  return call(c, TANGENT, x, dx, dy);
}

PetscErrorCode HgCollectiveAdjoint(HgCollective c, const double x[], const double y_bar[],
                                   double x_bar[]) {
  return call(c, ADJOINT, x, y_bar, x_bar);
}

PetscErrorCode HgCollectiveTranspose(HgCollective c, const double x[], const double y_bar[],
                                     double x_bar[]) {
  return call(c, TRANSPOSE, x, y_bar, x_bar);
}
