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

#endif
