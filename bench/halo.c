/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_halo: the exchange of one row or column beside bare Isend, Irecv, Waitall of the same
   bytes, and the exchange of a 2048^2 grid beside DMGlobalToLocal. */
#include "bench.h"
#include "peer_exchange.h"
#include <halograd/exchange_library.h>
#include <halograd/options.h>
#include <halograd/state.h>
#include <petscdmda.h>

typedef struct {
  HgMesh mesh;
  HgState state;
  HgExchange exchange;
  HgReal *const *rows;
  int times;
} Own;

/* The global number of a cell. */
static double number(HgMesh mesh, int i, int j) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  return (double)(p->j_global + j) * HgMeshGetSpec(mesh)->nx + (p->i_global + i);
}

static PetscErrorCode own_create(MPI_Comm comm, int nx, int ny, int px, int py, int times,
                                 Own *own) {
  const HgMeshSpec spec = {.nx = nx, .ny = ny, .px = px, .py = py, .dx = 1, .dy = 1, .ghost = 1};
  *own = (Own){.times = times};
  PetscCall(HgMeshCreate(comm, &spec, &own->mesh));
  PetscCall(HgStateCreate(own->mesh, 1, &(HgVariable){"u", "1", HG_FIELD, 0}, &own->state));
  PetscCall(HgExchangeCreate(own->mesh, 1, NULL, (const int[]){1}, &own->exchange));
  own->rows = HgStateRows(own->state, 0);
  const HgPatch *p = HgMeshGetPatch(own->mesh);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) own->rows[j][i] = number(own->mesh, i, j);
  return 0;
}

static PetscErrorCode own_destroy(Own *own) {
  PetscCall(HgExchangeDestroy(&own->exchange));
  PetscCall(HgStateDestroy(&own->state));
  return HgMeshDestroy(&own->mesh);
}

static PetscErrorCode own_run(void *self) {
  const Own *own = self;
  for (int k = 0; k < own->times; k++) PetscCall(HgExchangeApply(own->exchange, &own->rows));
  return 0;
}

/* Ghosts between the patches hold their cells' numbers, and one message of n doubles brought them.
   */
static PetscErrorCode own_right(const Own *own, int n) {
  const HgPatch *p = HgMeshGetPatch(own->mesh);
  int messages, wrong = 0;
  size_t bytes;
  HgExchangeTraffic(own->exchange, &messages, &bytes);
  for (int j = -1; j <= p->ny; j++)
    for (int i = -1; i <= p->nx; i++) {
      const bool x = i < 0 || i == p->nx, y = j < 0 || j == p->ny;
      const bool wall = (i < 0 && p->wall_west) || (i == p->nx && p->wall_east) ||
                        (j < 0 && p->wall_south) || (j == p->ny && p->wall_north);
      wrong += x != y && !wall && own->rows[j][i] != number(own->mesh, i, j);
    }
  return HgAgree(HgMeshComm(own->mesh),
                 wrong || messages != 1 || bytes != (size_t)n * sizeof(double), HG_ERR_CHECK_FAILED,
                 "bench: %d wrong ghosts after %d messages of %zu bytes, expected 0, 1 and %zu",
                 wrong, messages, bytes, (size_t)n * sizeof(double));
}

/* Exchanges in a run: some milliseconds. */
static int times_for(int n) { return 600000 / (n + 300); }

static PetscErrorCode bare_row(MPI_Comm comm, bool columns, int n, int rounds) {
  Own own;
  PeerExchange peer;
  const int times = times_for(n);
  PetscCall(own_create(comm, columns ? 2 * n : n, columns ? n : 2 * n, columns ? 2 : 1,
                       columns ? 1 : 2, times, &own));
  PetscCall(PeerExchangeCreate(comm, columns, n, own.rows[1] - own.rows[0], times, &peer));
  BenchCase c[] = {{.name = "halograd", .run = own_run, .context = &own},
                   {.name = "bare", .run = PeerExchangeRun, .context = &peer}};
  PetscCall(BenchInterleave(comm, rounds, 2, c));
  PetscCall(own_right(&own, n));
  BenchLine l = {
      .row = "halo", .ratio = BenchCompare(&c[0], &c[1], 1), .sense = BENCH_AT_MOST, .goal = 1.1};
  snprintf(l.run, sizeof l.run, "%s of %d, 2 ranks", columns ? "column" : "row", n);
  snprintf(l.own, sizeof l.own, "%.2f us", BenchSeconds(&c[0]) / times * 1e6);
  snprintf(l.peer, sizeof l.peer, "Isend/Irecv/Waitall %.2f us", BenchSeconds(&c[1]) / times * 1e6);
  PetscCall(BenchPrint(comm, &l));
  PetscCall(PeerExchangeDestroy(&peer));
  return own_destroy(&own);
}

typedef struct {
  DM dm;
  Vec global, local;
} GlobalToLocal;

static PetscErrorCode global_to_local(void *self) {
  const GlobalToLocal *g = self;
  return DMGlobalToLocal(g->dm, g->global, INSERT_VALUES, g->local);
}

static PetscErrorCode petsc_row(MPI_Comm comm, int n, int rounds) {
  Own own;
  GlobalToLocal g;
  const int times = 40;
  PetscCall(own_create(comm, n, n, 1, 2, times, &own));
  PetscCall(DMDACreate2d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, n, 1, 2, 1,
                         1, NULL, NULL, &g.dm));
  PetscCall(DMSetUp(g.dm));
  PetscCall(DMCreateGlobalVector(g.dm, &g.global));
  PetscCall(DMCreateLocalVector(g.dm, &g.local));
  PetscCall(VecSet(g.global, 1));
  BenchCase c[] = {{.name = "halograd", .run = own_run, .context = &own},
                   {.name = "DMGlobalToLocal", .run = global_to_local, .context = &g}};
  PetscCall(BenchInterleave(comm, rounds, 2, c));
  PetscCall(own_right(&own, n));
  BenchLine l = {.row = "halo",
                 .ratio = BenchCompare(&c[1], &c[0], times),
                 .sense = BENCH_AT_LEAST,
                 .goal = 20};
  snprintf(l.run, sizeof l.run, "%d^2 cells, 2 ranks", n);
  snprintf(l.own, sizeof l.own, "%.2f us", BenchSeconds(&c[0]) / times * 1e6);
  snprintf(l.peer, sizeof l.peer, "DMGlobalToLocal %.1f us", BenchSeconds(&c[1]) * 1e6);
  PetscCall(BenchPrint(comm, &l));
  PetscCall(VecDestroy(&g.local));
  PetscCall(VecDestroy(&g.global));
  PetscCall(DMDestroy(&g.dm));
  return own_destroy(&own);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int rounds = 31;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_halo", "exchange beside bare MPI and PETSc", &options));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  for (int columns = 0; columns < 2; columns++)
    for (int n = 64; n <= 4096; n *= 8) PetscCall(bare_row(comm, columns, n, rounds));
  return petsc_row(comm, 2048, rounds);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
