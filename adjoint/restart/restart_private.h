/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a restart, for adjoint/restart/restart*.c. */
#ifndef HALOGRAD_RESTART_PRIVATE_H
#define HALOGRAD_RESTART_PRIVATE_H

#include <halograd/generation_library.h>
#include <halograd/restart_library.h>
#include <halograd/trajectory_library.h>

enum {
  HG_RESTART_FOLDER = HG_GENERATION_STEM - 64,
  HG_RESTART_CANDIDATES = 16 /* most generations of one key to try */
};

/* States of a generation, in order; in the reverse sweep the last is omitted if no constant is
   active. */
enum { HG_RESTART_STATE, HG_RESTART_OBSERVED, HG_RESTART_FINAL, HG_RESTART_CONSTANTS };

/* The kind of generations of the forward or reverse sweep. */
HgGenerationKind HgRestartKind(HgMode sweep, const bool active[]);

/* stem = DIRECTORY/KEY-NUMBER. */
void HgRestartStem(const char directory[], const char key[], long number,
                   char stem[HG_GENERATION_STEM]);

/* *most: the highest number in the folder, of any key; 0: there is none. Collective. Error: the
   folder cannot be read. */
PetscErrorCode HgRestartHighest(MPI_Comm comm, const char directory[], long *most);

/* number[]: the generations of `key` in the folder that have a text, highest first. Collective.
   Error: as above. */
PetscErrorCode HgRestartList(MPI_Comm comm, const char directory[], const char key[],
                             long number[HG_RESTART_CANDIDATES], int *count);

/* Removes generations of `key` (NULL: any) with a number below `first`. Collective. Error: not
   permitted. */
PetscErrorCode HgRestartRemove(MPI_Comm comm, const char directory[], const char key[], long first);

struct HgRestart_s {
  HgTrajectory trajectory; /* NULL: it is gone */
  HgProgram program;
  HgObjective objective;
  MPI_Comm comm;
  char directory[HG_RESTART_FOLDER];
  double interval;
  bool sync;
  bool possible; /* everything can be kept for any number of ranks */
  bool probed;   /* the program's part of the key is known */
  char probe[2][17];
  uint64_t variables; /* of x, active or not, for which it is known */

  /* the present gradient, or the last one */
  bool running, through;
  HgState x; /* borrowed during the gradient */
  double J_bar;
  char key[17];        /* "": not computed yet */
  bool *active;        /* of the constants */
  bool constants;      /* one of them is active */
  HgManifest manifest; /* of the generation to resume from */
  long from;           /* its number */
  HgTrajectoryPlace went_on;

  /* what is written */
  HgState observed;                  /* an array */
  HgGeneration generation[HG_MODES]; /* of both sweeps; NULL: not needed yet */
  long number, written;              /* number of the last one; how many */
  HgMode sweep;                      /* sweep of the last one; HG_NO_MODE: there is none */
  long n;

  /* when */
  double written_at, round_at; /* MPI_Wtime() */
  double view[3];
  MPI_Request request;
  long passes, spacing; /* left in this round; in a round */
};

/* Begins a gradient at x and forgets the last one. */
PetscErrorCode HgRestartOpen(HgRestart restart, HgState x, double J_bar);

/* Computes restart->key. Collective. */
PetscErrorCode HgRestartKey(HgRestart restart);

/* Finds the newest complete generation of this gradient; names damaged ones. Collective. */
PetscErrorCode HgRestartFind(HgRestart restart, HgTrajectoryPlace *place);
PetscErrorCode HgRestartRestore(void *restart, HgTrajectoryPlace *place);

/* Removes the generations of a finished gradient. Collective. */
PetscErrorCode HgRestartForget(HgRestart restart);

/* "first" and "reverse". */
const char *HgRestartSweep(HgMode sweep);

#endif
