/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_levels: steps of heat in a block (block.stencil) and their gradient, beside PETSc's TSEULER
   on a DMDA of three dimensions, and beside what the memory allows at four numbers for each cell
   (u, kappa and f read, u written). bench_levels_single: the same in floats, PETSc in doubles. */
#include "bench.h"
#include "own_program.h"
#include "peer_block.h"
#include "peer_triad.h"
#include <block.h>
#include <halograd/options.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <petscdmda.h>

enum { TRIAD_NUMBERS = 1 << 25, STEPS = 12 };

enum { OWN, SINGLE, PETSC, TRIAD, VALUE, GRADIENT, CASES };

static const BlockParams params = {.decay = 10};

static double kappa(double x, double y, double z, void *unused) {
  (void)unused;
  return 1 + 0.5 * sin(5 * x + 0.3) * cos(4 * y - z);
}

static double initial(double x, double y, double z, void *unused) {
  (void)unused;
  return sin(M_PI * x) * sin(2 * M_PI * y) * cos(3 * z) + x * (1 - y);
}

static double heaters(double x, double y, double z, void *unused) {
  (void)unused;
  return 100 * x * y * z;
}

/* ---- both sides ---- */

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgState x;
  OwnForward forward, single;
  OwnTrajectory trajectory;
} Own;

static PetscErrorCode own_create(MPI_Comm comm, int n, double dt, Own *o) {
  const double h = 1.0 / n;
  const HgMeshSpec cube = {
      .nx = n, .ny = n, .nz = n, .x0 = h / 2, .y0 = h / 2, .z0 = h / 2, .dx = h, .dy = h, .dz = h};
  PetscCall(HgMeshCreate(comm, &cube, &o->mesh));
  PetscCall(HgProgramCreatePhysics(o->mesh, &block_physics, &params, dt, &o->program));
  PetscCall(HgProgramSetUp(o->program));
  PetscCall(HgProgramCreateInput(o->program, &o->x));
  PetscCall(HgStateSetVolume(o->x, "u", initial, NULL));
  PetscCall(HgStateSetVolume(o->x, "kappa", kappa, NULL));
  PetscCall(HgStateSetVolume(o->x, "f", heaters, NULL));
  PetscCall(OwnForwardCreate(o->program, o->x, STEPS, &o->forward));
  PetscCall(OwnForwardCreate(o->program, o->x, STEPS, &o->single));
  o->single.single = true;
  return OwnTrajectoryCreate(o->program, o->x, "u", STEPS, STEPS, &o->trajectory);
}

static PetscErrorCode own_destroy(Own *o) {
  PetscCall(OwnTrajectoryDestroy(&o->trajectory));
  PetscCall(OwnForwardDestroy(&o->forward));
  PetscCall(OwnForwardDestroy(&o->single));
  PetscCall(HgStateDestroy(&o->x));
  PetscCall(HgProgramDestroy(&o->program));
  return HgMeshDestroy(&o->mesh);
}

static PetscErrorCode peer_create(HgMesh mesh, int n, double dt, PeerBlock *p) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  PetscCall(PeerBlockCreate(HgMeshComm(mesh), n, m->px, m->py, dt, params.decay, STEPS, p));
  PetscCall(PeerBlockSet(p, p->u, initial));
  PetscCall(PeerBlockSet(p, p->kappa, kappa));
  return PeerBlockSet(p, p->f, heaters);
}

/* Error unless both have computed the same, to rounding. */
static PetscErrorCode compare(const Own *o, const PeerBlock *p) {
  const MPI_Comm comm = HgMeshComm(o->mesh);
  const HgPatch *patch = HgMeshGetPatch(o->mesh);
  const double ***v;
  double largest[2] = {0, 0}; /* difference, value */
  PetscCall(DMDAVecGetArrayRead(p->dm, p->u, (void *)&v));
  for (int n = 0; n < HgStateRowCount(o->forward.q, 0); n++)
    for (int i = 0; i < patch->nx; i++) {
      const double theirs = v[n / patch->ny][patch->j_global + n % patch->ny][patch->i_global + i];
      largest[0] = fmax(largest[0], fabs(HgStateRow(o->forward.q, 0, n)[i] - theirs));
      largest[1] = fmax(largest[1], fabs(theirs));
    }
  PetscCall(DMDAVecRestoreArrayRead(p->dm, p->u, (void *)&v));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, comm));
  const double bound = 5000 * HG_REAL_EPSILON;
  HgRequire(comm, largest[1] > 0 && largest[0] <= bound * largest[1], HG_ERR_CHECK_FAILED,
            "bench: u differs from PETSc's by %g of at most %g, expected %g of it", largest[0],
            largest[1], bound);
  return 0;
}

/* ---- what is printed ---- */
static PetscErrorCode report(MPI_Comm comm, int n, BenchCase c[CASES]) {
  const double points = (double)n * n * n * STEPS, bytes = 24.0 * TRIAD_NUMBERS;
  BenchLine l = {.row = "levels", .sense = BENCH_AT_LEAST, .goal = 4};
  const char *const floats = sizeof(HgReal) == sizeof(float) ? ", floats" : "";
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  snprintf(l.run, sizeof l.run, "heat %d^3, %d ranks%s", n, ranks, floats);
  BenchSpeeds(&l, points, &c[OWN], &c[PETSC]);
  PetscCall(BenchPrint(comm, &l));
  l.goal = 1.5;
  BenchSpeeds(&l, points, &c[OWN], &c[SINGLE]);
  PetscCall(BenchPrint(comm, &l));
  l.sense = BENCH_NO_GOAL;
  snprintf(l.peer, sizeof l.peer, "triad %.1f GB/s", bytes / BenchSeconds(&c[TRIAD]) / 1e9);
  l.ratio = BenchCompare(&c[TRIAD], &c[OWN], 4 * sizeof(HgReal) * points / bytes);
  PetscCall(BenchPrint(comm, &l));
  snprintf(l.run, sizeof l.run, "heat %d^3, %d ranks, gradient%s", n, ranks, floats);
  l.sense = BENCH_AT_MOST, l.goal = 3.3;
  BenchSpeeds(&l, points, &c[GRADIENT], &c[VALUE]);
  return BenchPrint(comm, &l);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int n = 200, rounds = 7;
  HgOptions options;
  Own own;
  PeerBlock peer;
  PeerTriad triad;
  PetscCall(HgOptionsCreate(comm, "bench_levels", "heat in a block beside PETSc", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along each axis", "", 16, 1024, &n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  const double dt = 0.8 / (2 * 1.5 * 3.0 * n * n);
  PetscCall(own_create(comm, n, dt, &own));
  PetscCall(peer_create(own.mesh, n, dt, &peer));
  PetscCall(PeerTriadCreate(comm, TRIAD_NUMBERS, true, &triad));
  BenchCase cases[CASES] = {
      [OWN] = {.name = "halograd", .run = OwnForwardRun, .context = &own.forward},
      [SINGLE] = {.name = "own single steps", .run = OwnForwardRun, .context = &own.single},
      [PETSC] = {.name = "TSEULER/DMDA", .run = PeerBlockRun, .context = &peer},
      [TRIAD] = {.name = "triad", .run = PeerTriadRun, .context = &triad},
      [VALUE] = {.name = "J alone", .run = OwnTrajectoryValue, .context = &own.trajectory},
      [GRADIENT] = {.name = "gradient", .run = OwnTrajectoryGradient, .context = &own.trajectory}};
  PetscCall(BenchInterleave(comm, rounds, CASES, cases));
  PetscCall(compare(&own, &peer));
  PetscCall(report(comm, n, cases));
  PetscCall(PeerTriadDestroy(&triad));
  PetscCall(PeerBlockDestroy(&peer));
  return own_destroy(&own);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
