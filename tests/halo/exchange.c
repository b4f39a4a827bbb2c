/* SPDX-License-Identifier: BSD-2-Clause */
/* An exchange fills exactly the ghosts that have an owner, with its numbers, in one message per
   neighbouring rank. */
#include "claim.h"
#include "patches.h"
#include "refusal.h"
#include <halograd/exchange_library.h>
#include <halograd/mesh_library.h>
#include <halograd/state.h>

enum { GHOST = 3, FIELDS = 3, UNTOUCHED = -7 };

/* What this rank sent since the counters were cleared: every way of sending that a plan could use.
   */
static struct {
  int to[64], other;
  size_t bytes;
} sent;

static void count(int n, MPI_Datatype type, int rank) {
  int size;
  MPI_Type_size(type, &size);
  sent.to[rank]++;
  sent.bytes += (size_t)n * (size_t)size;
}

#undef MPI_Isend /* PETSc's headers count calls by macros of these names */
#undef MPI_Send
#undef MPI_Start
#undef MPI_Startall
#undef MPI_Barrier
#undef MPI_Allreduce

int MPI_Isend(const void *buffer, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
              MPI_Request *request) {
  count(n, type, rank);
  return PMPI_Isend(buffer, n, type, rank, tag, comm, request);
}

int MPI_Send(const void *buffer, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  sent.other++;
  return PMPI_Send(buffer, n, type, rank, tag, comm);
}

int MPI_Start(MPI_Request *request) {
  sent.other++;
  return PMPI_Start(request);
}

int MPI_Startall(int n, MPI_Request requests[]) {
  sent.other += n;
  return PMPI_Startall(n, requests);
}

int MPI_Barrier(MPI_Comm comm) {
  sent.other++;
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  sent.other++;
  return PMPI_Allreduce(in, out, n, type, op, comm);
}

/* Does a patch of n cells from 0 on have i: `depth` beyond its seams, `layers` outside its
   walls? */
static bool within(int i, int n, bool wall_low, bool wall_high, int depth, int layers) {
  return i >= (wall_low ? -layers : -depth) && i < n + (wall_high ? layers : depth);
}

static bool reached(const HgPatch *p, int i, int j, int depth, int layers) {
  return within(i, p->nx, p->wall_west, p->wall_east, depth, layers) &&
         within(j, p->ny, p->wall_south, p->wall_north, depth, layers);
}

static int wrap(int i, int n) { return (i % n + n) % n; }

static double number(const HgMeshSpec *s, int field, int i, int j) {
  return field + 1 + 8 * (wrap(i, s->nx) + 1024.0 * wrap(j, s->ny));
}

/* What each patch owns, layers[k] of field k outside its walls included. */
static void fill(HgState q, const int layers[]) {
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(q));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  for (int k = 0; k < HgStateCount(q); k++)
    for (int j = -GHOST; j < p->ny + GHOST; j++)
      for (int i = -GHOST; i < p->nx + GHOST; i++) {
        HgStateRows(q, k)[j][i] = reached(p, i, j, 0, layers[k])
                                      ? number(s, k, p->i_global + i, p->j_global + j)
                                      : UNTOUCHED;
      }
}

static void compare(HgState q, const int depth[], const int layers[], const char what[]) {
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(q));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  for (int k = 0; k < HgStateCount(q); k++)
    for (int j = -GHOST; j < p->ny + GHOST; j++)
      for (int i = -GHOST; i < p->nx + GHOST; i++) {
        const int d = depth[k], gi = p->i_global + i, gj = p->j_global + j;
        claim_same(HgStateRows(q, k)[j][i],
                   reached(p, i, j, d, layers[k]) ? number(s, k, gi, gj) : UNTOUCHED,
                   "%s, %d x %d patches, periodic %d %d, depth %d, layers %d: field %d, cell "
                   "(%d, %d) of %d x %d",
                   what, s->px, s->py, s->periodic_x, s->periodic_y, d, layers[k], k, i, j, p->nx,
                   p->ny);
      }
}

/* One message to each other rank around, and the counters of the plan say so. */
static void compare_traffic(HgMesh mesh, HgExchange exchange) {
  bool neighbour[64] = {false};
  int expected = 0, messages;
  size_t bytes;
  for (int sy = -1; sy <= 1; sy++)
    for (int sx = -1; sx <= 1; sx++) {
      const int rank = HgMeshNeighbour(mesh, sx, sy);
      if (rank >= 0 && rank != claim.rank) neighbour[rank] = true;
    }
  for (int r = 0; r < 64; r++) {
    expected += neighbour[r];
    claim_that(sent.to[r] == neighbour[r], "%d messages to rank %d, expected %d", sent.to[r], r,
               neighbour[r]);
  }
  HgExchangeTraffic(exchange, &messages, &bytes);
  claim_that(!sent.other, "nothing but Isend, Irecv and Waitall: %d other calls", sent.other);
  claim_that(messages == expected && bytes == sent.bytes,
             "HgExchangeTraffic: %d messages of %zu bytes, expected %d of %zu", messages, bytes,
             expected, sent.bytes);
}

static const int none[FIELDS];

/* layers: outside walls, `none` for a plan that knows of no walls. */
static PetscErrorCode exchange(HgMesh mesh, HgState q, int count_, const int depth[],
                               const int layers[]) {
  HgExchange e;
  HgReal *const *fields[FIELDS];
  for (int k = 0; k < count_; k++) fields[k] = HgStateRows(q, k);
  if (layers == none) PetscCall(HgExchangeCreate(mesh, count_, NULL, depth, &e));
  else PetscCall(HgExchangeCreateWithWalls(mesh, count_, NULL, depth, layers, &e));
  const int all[FIELDS] = {depth[0], count_ > 1 ? depth[1] : 0, count_ > 2 ? depth[2] : 0};
  for (int twice = 0; twice < 2; twice++) {
    fill(q, layers);
    memset(&sent, 0, sizeof sent);
    PetscCall(HgExchangeApply(e, fields));
    compare_traffic(mesh, e);
    compare(q, all, layers, "Apply");
  }
  fill(q, layers);
  PetscCall(HgExchangeBegin(e, fields));
  PetscCall(HgExchangeEnd(e, fields));
  compare(q, all, layers, "Begin, End");
  PetscCall(HgExchangeDestroy(&e));
  claim_that(!e, "Destroy sets NULL");
  return 0;
}

static PetscErrorCode layout(int px, int thin, bool periodic_x, bool periodic_y) {
  const HgVariable variables[FIELDS] = {
      {"u", "K", HG_FIELD, 0}, {"v", "m/s", HG_FIELD, 0}, {"w", "1", HG_GHOSTED, 0}};
  HgMesh mesh;
  HgState q;
  PetscCall(patches_mesh(MPI_COMM_WORLD, px, thin, GHOST, periodic_x, periodic_y, &mesh));
  PetscCall(HgStateCreate(mesh, FIELDS, variables, &q));
  for (int d = 1; d <= thin; d++) {
    PetscCall(exchange(mesh, q, 1, (const int[]){d}, none));
    PetscCall(exchange(mesh, q, 2, (const int[]){d, 1}, none));
    PetscCall(exchange(mesh, q, 3, (const int[]){1, d, thin}, none));
    PetscCall(exchange(mesh, q, 3, (const int[]){1, d, thin}, (const int[]){GHOST, 0, d}));
  }
  return DESTROY(&q, &mesh);
}

/* Two plans under way at once do not mix. */
static PetscErrorCode two_at_once(int px) {
  const HgVariable variables[2] = {{"u", "K", HG_FIELD, 0}, {"v", "K", HG_FIELD, 0}};
  const int depth[2] = {2, 1};
  HgMesh mesh;
  HgState q;
  HgExchange first, second;
  PetscCall(patches_mesh(MPI_COMM_WORLD, px, 2, GHOST, true, false, &mesh));
  PetscCall(HgStateCreate(mesh, 2, variables, &q));
  HgReal *const *const u[1] = {HgStateRows(q, 0)}, *const *const v[1] = {HgStateRows(q, 1)};
  PetscCall(HgExchangeCreate(mesh, 1, NULL, &depth[0], &first));
  PetscCall(HgExchangeCreate(mesh, 1, NULL, &depth[1], &second));
  fill(q, none);
  PetscCall(HgExchangeBegin(first, u));
  PetscCall(HgExchangeBegin(second, v));
  PetscCall(HgExchangeEnd(second, v));
  PetscCall(HgExchangeEnd(first, u));
  compare(q, depth, none, "two at once");
  return DESTROY(&first, &second, &q, &mesh);
}

static PetscErrorCode refusals(int ranks) {
  HgMesh mesh;
  HgExchange e;
  PetscCall(patches_mesh(MPI_COMM_WORLD, ranks, 2, GHOST, true, false, &mesh));
  refusal_begin();
  PetscErrorCode ierr = HgExchangeCreate(mesh, 1, NULL, (const int[]){3}, &e);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "3 cells deep", "along x has 2", NULL));
  refusal_begin();
  ierr = HgExchangeCreate(mesh, 2, NULL, (const int[]){1, GHOST + 1}, &e);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "depth 4", "ghost width 3", NULL));
  refusal_begin();
  ierr = HgExchangeCreate(mesh, 1, NULL, (const int[]){0}, &e);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "depth 0", NULL));
  refusal_begin();
  ierr = HgExchangeCreateWithWalls(mesh, 1, NULL, (const int[]){1}, (const int[]){GHOST + 1}, &e);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "4 layers", "ghost width 3", NULL));
  refusal_begin();
  ierr = HgExchangeCreate(mesh, 0, NULL, NULL, &e);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "0 fields", NULL));
  PetscCall(HgMeshDestroy(&mesh));
  PetscCall(patches_mesh(MPI_COMM_WORLD, 1, 1, GHOST, false, ranks == 1, &mesh));
  refusal_begin();
  ierr = HgExchangeCreate(mesh, 1, NULL, (const int[]){2}, &e);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "2 cells deep", "along y has 1", NULL));
  return HgMeshDestroy(&mesh);
}

static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  for (int px = 1; px <= ranks; px++) {
    if (ranks % px) continue;
    for (int thin = 1; thin <= GHOST; thin++)
      for (int periodic = 0; periodic < 4; periodic++)
        PetscCall(layout(px, thin, periodic & 1, periodic & 2));
    PetscCall(two_at_once(px));
  }
  return refusals(ranks);
}

CLAIM("an exchange fills exactly the ghosts that have an owner, in one message per rank", 0, test)
