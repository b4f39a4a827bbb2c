/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a restart, for adjoint/restart/restart*.c. */
#ifndef HALOGRAD_RESTART_PRIVATE_H
#define HALOGRAD_RESTART_PRIVATE_H

#include <halograd/generation_library.h>
#include <halograd/restart_library.h>
#include <halograd/trajectory_library.h>

enum {
  HG_RESTART_FOLDER = HG_GENERATION_STEM - 64,
  HG_RESTART_CANDIDATES = 16 /* generations of one key that are looked at */
};

/* States of a generation, in order; of the reverse sweep the last is left out if no constant is
   active. */
enum { HG_RESTART_STATE, HG_RESTART_OBSERVED, HG_RESTART_FINAL, HG_RESTART_CONSTANTS };

/* Of the first or the reverse sweep. */
HgGenerationKind HgRestartKind(HgMode sweep, const bool active[]);

/* DIRECTORY/KEY-NUMBER */
void HgRestartStem(const char directory[], const char key[], long number,
                   char stem[HG_GENERATION_STEM]);

/* *most: the highest number in the folder, of any key, 0: there is nothing. Collective. Error: it
   is there and cannot be read. */
PetscErrorCode HgRestartHighest(MPI_Comm comm, const char directory[], long *most);

/* The numbers of `key` in the folder that have a text, the highest first. Collective. Error: as
   above. */
PetscErrorCode HgRestartList(MPI_Comm comm, const char directory[], const char key[],
                             long number[HG_RESTART_CANDIDATES], int *count);

/* Removes what has `key` (NULL: any) and a number below `first`. Collective. Error: not permitted.
   */
PetscErrorCode HgRestartRemove(MPI_Comm comm, const char directory[], const char key[], long first);

struct HgRestart_s {
  HgTrajectory trajectory; /* NULL: it is gone */
  HgProgram program;
  HgObjective objective;
  MPI_Comm comm;
  char directory[HG_RESTART_FOLDER];
  double interval;
  bool sync, quiet;
  bool possible; /* all that is to be kept has a place on any ranks */
  bool probed;   /* the program's part of the key is known */
  char probe[2][17];
  uint64_t variables; /* of x, active or not, when it was found out */

  /* the gradient under way, or the last one */
  bool running, through;
  HgState x; /* borrowed while it runs */
  double J_bar;
  char key[17];        /* "": not asked for yet */
  bool *active;        /* of the constants */
  bool constants;      /* is one of them active? */
  HgManifest manifest; /* of what it goes on from */
  long from;           /* its number */
  HgTrajectoryPlace went_on;

  /* what is written */
  HgState observed;                  /* an array */
  HgGeneration generation[HG_MODES]; /* of both sweeps; NULL: not needed yet */
  long number, written;              /* of the last one; so many of them */
  HgMode sweep;                      /* where it is; HG_NO_MODE: there is none */
  long n;

  /* when */
  double written_at, round_at; /* MPI_Wtime() */
  double view[3];
  MPI_Request request;
  long passes, spacing; /* to the end of this round; of a round */
};

/* A gradient at x begins: what is known of the last one is forgotten. */
PetscErrorCode HgRestartOpen(HgRestart restart, HgState x, double J_bar);

/* restart->key. Collective. */
PetscErrorCode HgRestartKey(HgRestart restart);

/* The newest generation of this gradient that is whole; damaged ones are named. Collective. */
PetscErrorCode HgRestartFind(HgRestart restart, HgTrajectoryPlace *place);
PetscErrorCode HgRestartRestore(void *restart, HgTrajectoryPlace *place);

/* The generations of a gradient that is through go. Collective. */
PetscErrorCode HgRestartForget(HgRestart restart);

/* "first" and "reverse". */
const char *HgRestartSweep(HgMode sweep);

#endif
