/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_peers_shallow: the published shallow-water case, on one rank beside JAX, forward and the
   gradient of 1/2 ||h(T) - D||^2 over 16 stored steps, for h, u, v, then for b, f and nu too; on
   more beside as many ranks of mpi4jax, forward. bench_peers_shallow_single: all in floats. */
#include "bench.h"
#include "own_shallow.h"
#include "peer_process.h"
#include <halograd/real_library.h>

enum { STEPS = 6, GRADIENT_STEPS = 16, GRADIENT_ROUNDS = 3 };

static PetscErrorCode start(const char program[], int nx, int ny, int steps, const char what[],
                            PeerProcess *peer, bool *installed) {
  char cells_x[16], cells_y[16], count[16];
  snprintf(cells_x, sizeof cells_x, "%d", nx);
  snprintf(cells_y, sizeof cells_y, "%d", ny);
  snprintf(count, sizeof count, "%d", steps);
  return PeerProcessStart(PETSC_COMM_WORLD, program,
                          (const char *const[]){cells_x, cells_y, count, what, NULL}, peer,
                          installed);
}

/* c[0]: ours, c[1]: the peer's. */
static PetscErrorCode report(const char what[], double points, double goal, const BenchCase c[2]) {
  BenchLine l = {.row = "peers", .sense = BENCH_AT_LEAST, .goal = goal};
  snprintf(l.run, sizeof l.run, "%.50s%s", what, HG_ROUNDING > 1 ? ", floats" : "");
  BenchSpeeds(&l, points, &c[0], &c[1]);
  return BenchPrint(PETSC_COMM_WORLD, &l);
}

/* plain: the peer's program as one writes it; else the fastest that was found. */
static PetscErrorCode forward(int ranks, int nx, int ny, int rounds, bool plain) {
  PeerProcess peer;
  OwnShallow own;
  bool installed;
  char what[64], name[32];
  PetscCall(start(ranks > 1 ? "shallow_mpi4jax" : "shallow_jax", nx, ny, STEPS,
                  plain ? "plain" : "forward", &peer, &installed));
  if (!installed) return 0;
  PetscCall(OwnShallowCreate(nx, ny, NULL, STEPS, &own));
  snprintf(name, sizeof name, "%s%s", ranks > 1 ? "mpi4jax" : "JAX", plain ? ", plain," : "");
  BenchCase c[] = {{.name = "halograd", .run = OwnShallowRun, .context = &own},
                   {.name = name, .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, rounds, 2, c));
  PetscCall(
      PeerProcessSame(&peer, own.q, 3, (PeerResult[]){{"h", 0, 1}, {"u", 1, 1}, {"v", 1, 1}}));
  snprintf(what, sizeof what, "shallow %d x %d, %d rank%s", nx, ny, ranks, ranks > 1 ? "s" : "");
  PetscCall(report(what, (double)nx * ny * STEPS, ranks > 1 && HG_ROUNDING == 1 ? 25 : 12, c));
  PetscCall(OwnShallowDestroy(&own));
  return PeerProcessEnd(&peer);
}

/* Velocities are of one size, and so are h and b, of which P sees the sum. That of nu sums products
   of neighbours' differences, dt/dx^2 (u_E - u) (u_bar_E - u_bar) and the like: four each step of
   the size of u u_bar, u at most 10 m/s. */
static PetscErrorCode same_gradient(PeerProcess *peer, const OwnShallowGradient *own,
                                    bool constants) {
  enum { H, U, V, F = 4 };

  const double dt = HgProgramTimeStep(own->shallow.program);
  const double dx = HgMeshGetSpec(own->shallow.mesh)->dx;
  const double product = GRADIENT_STEPS * 4 * dt / (dx * dx) * 10;
  const PeerResult fields[] = {{"h", H, 1}, {"u", V, 1}, {"v", V, 1},
                               {"b", H, 1}, {"f", F, 1}, {"nu", U, product}};
  PetscCall(PeerProcessSameValue(peer, own->J));
  return PeerProcessSame(peer, own->x_bar, constants ? 6 : 3, fields);
}

static PetscErrorCode gradient(int nx, int ny, int rounds, bool constants) {
  PeerProcess peer;
  OwnShallowGradient own;
  bool installed;
  PetscCall(start("shallow_jax", nx, ny, GRADIENT_STEPS, constants ? "constants" : "gradient",
                  &peer, &installed));
  if (!installed) return 0;
  PetscCall(OwnShallowGradientCreate(nx, ny, GRADIENT_STEPS, GRADIENT_STEPS, constants, &own));
  BenchCase c[] = {{.name = "gradient", .run = OwnShallowGradientRun, .context = &own},
                   {.name = "jax.grad", .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, rounds, 2, c));
  PetscCall(same_gradient(&peer, &own, constants));
  PetscCall(report(constants ? "gradient, b f nu too, 1 rank" : "gradient h u v, 1 rank",
                   (double)nx * ny * GRADIENT_STEPS, constants ? 12 : 20, c));
  PetscCall(OwnShallowGradientDestroy(&own));
  return PeerProcessEnd(&peer);
}

static PetscErrorCode run(void) {
  int nx = 3600, ny = 1800, rounds = 5, ranks;
  PetscCall(OwnShallowOptions("bench_peers_shallow", "shallow water beside JAX or mpi4jax", &nx,
                              &ny, &rounds));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (int plain = 0; plain < 2; plain++) PetscCall(forward(ranks, nx, ny, rounds, plain));
  for (int constants = 0; ranks == 1 && constants < 2; constants++)
    PetscCall(gradient(nx, ny, PetscMin(rounds, GRADIENT_ROUNDS), constants));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
