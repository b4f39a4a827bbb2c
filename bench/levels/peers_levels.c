/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_peers_levels: heat and sound of 8th order on n^3 cells, forward and their gradients: heat
   on one rank beside JAX, else as sound beside as many ranks of Devito. bench_peers_levels_single:
   all in floats. */
#include "bench.h"
#include "own_volume.h"
#include "peer_process.h"
#include <halograd/options.h>
#include <halograd/real_library.h>

typedef struct {
  const char *name, *variable; /* that is carried */
  bool sound;
  int n, steps, rounds, ranks;
  const char *peer; /* its program, and as it is called */
  const char *called;
} Case;

static PetscErrorCode start(const Case *s, const char what[], PeerProcess *peer, bool *installed) {
  char cells[16], steps[16], rounds[16];
  snprintf(cells, sizeof cells, "%d", s->n);
  snprintf(steps, sizeof steps, "%d", s->steps);
  snprintf(rounds, sizeof rounds, "%d", s->rounds);
  const char *const sound[] = {cells, steps, rounds, what, "levels", NULL}, *const heat[] = {
                                                                                cells, steps, what,
                                                                                "levels", NULL};
  return PeerProcessStart(PETSC_COMM_WORLD, s->peer, s->sound ? sound : heat, peer, installed);
}

static PetscErrorCode create(const Case *s, long steps, OwnVolume *own) {
  if (s->sound) return OwnVolumeSound(PETSC_COMM_WORLD, s->n, steps, own);
  return OwnVolumeHeat(PETSC_COMM_WORLD, s->n, own);
}

/* c[0]: ours, c[1]: the peer's. */
static PetscErrorCode report(const Case *s, const char what[], const BenchCase c[2]) {
  BenchLine l = {.row = "peers", .sense = BENCH_AT_LEAST, .goal = s->sound ? 1.1 : 1.7};
  if (s->ranks == 1 && !s->sound) l.sense = BENCH_NO_GOAL;
  snprintf(l.run, sizeof l.run, "%s %d^3, %d rank%s, %s%s", s->name, s->n, s->ranks,
           s->ranks > 1 ? "s" : "", what, HG_ROUNDING > 1 ? ", floats" : "");
  BenchSpeeds(&l, (double)s->n * s->n * s->n * s->steps, &c[0], &c[1]);
  return BenchPrint(PETSC_COMM_WORLD, &l);
}

/* Rounding of sound grows with the steps of all rounds. */
static double factor(const Case *s) { return s->sound ? 100 : 1; }

static PetscErrorCode forward(const Case *s) {
  PeerProcess peer;
  OwnVolume volume;
  OwnForward own;
  bool installed;
  PetscCall(start(s, "forward", &peer, &installed));
  if (!installed) return 0;
  PetscCall(create(s, (long)s->steps * (s->rounds + 1), &volume));
  PetscCall(OwnForwardCreate(volume.program, volume.x, s->steps, &own));
  BenchCase c[] = {{.name = "own", .run = OwnForwardRun, .context = &own},
                   {.name = s->called, .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, s->rounds, 2, c));
  PetscCall(PeerProcessSame(&peer, own.q, 1, &(PeerResult){s->variable, 0, factor(s)}));
  PetscCall(report(s, "forward", c));
  PetscCall(OwnForwardDestroy(&own));
  PetscCall(OwnVolumeDestroy(&volume));
  return PeerProcessEnd(&peer);
}

static PetscErrorCode gradient(const Case *s) {
  PeerProcess peer;
  OwnVolume volume;
  OwnTrajectory own;
  bool installed;
  const char *const known[] = {"damping", "source"};
  PetscCall(start(s, "gradient", &peer, &installed));
  if (!installed) return 0;
  PetscCall(create(s, s->steps, &volume));
  for (int k = 0; k < 2 && s->sound; k++)
    PetscCall(HgProgramSetActive(volume.program, known[k], false));
  PetscCall(OwnTrajectoryCreate(volume.program, volume.x, s->variable, s->steps, s->steps, &own));
  if (!s->sound) PetscCall(OwnVolumeData(own.data));
  BenchCase c[] = {{.name = "gradient", .run = OwnTrajectoryGradient, .context = &own},
                   {.name = s->called, .run = PeerProcessRun, .context = &peer}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, s->rounds, 2, c));
  PetscCall(PeerProcessSameValue(&peer, own.J));
  if (s->sound) PetscCall(PeerProcessSame(&peer, own.x_bar, 1, &(PeerResult){"m", 0, factor(s)}));
  else
    PetscCall(PeerProcessSame(&peer, own.x_bar, 2, (PeerResult[]){{"u", 0, 1}, {"kappa", 1, 1}}));
  PetscCall(report(s, "gradient", c));
  PetscCall(OwnTrajectoryDestroy(&own));
  PetscCall(OwnVolumeDestroy(&volume));
  return PeerProcessEnd(&peer);
}

static PetscErrorCode run(void) {
  int n = 200, rounds = 5, ranks;
  HgOptions options;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "bench_peers_levels",
                            "heat and sound in three dimensions beside JAX and Devito", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along each axis", "", 32, 1024, &n));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  const bool jax = ranks == 1;
  const Case heat = {.name = "heat",
                     .variable = "u",
                     .n = n,
                     .steps = 8,
                     .rounds = rounds,
                     .ranks = ranks,
                     .peer = jax ? "heat_jax" : "heat_devito",
                     .called = jax ? "JAX" : "Devito"};
  Case sound = heat;
  sound.name = "sound", sound.sound = true, sound.variable = "p";
  sound.peer = "wave_devito", sound.called = "Devito";
  PetscCall(forward(&heat));
  if (jax) PetscCall(gradient(&heat));
  PetscCall(forward(&sound));
  return gradient(&sound);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
