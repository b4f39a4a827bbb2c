/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/store.h -- numbered checkpoints ("slots") of a running program, in memory, in HDF5
   files, or some here and some there. */
#ifndef HALOGRAD_STORE_H
#define HALOGRAD_STORE_H

#include <halograd/state.h>

/* Numbered slots for states. */
typedef struct HgStore_s *HgStore;

/* `slots` states like `pattern` in memory. Collective. Errors: out of memory (says how much was
   asked for). */
PetscErrorCode HgStoreCreateMemory(HgState pattern, int slots, HgStore *store);

/* The first `files` slots in files, the `memory` slots above them in memory. Either number may be
   0. A file is an HDF5 image of one rank's patch under `directory`, which is made if missing; it is
   overwritten in place and never synced. Its XXH3 digest stays in memory and is compared when the
   slot is read. The files are removed by Destroy, or else when PETSc ends; those that a killed run
   has left are removed first. Collective. Errors: directory not writable, disk full (bytes asked
   for), out of memory. */
PetscErrorCode HgStoreCreateTiers(HgState pattern, int files, int memory, const char directory[],
                                  HgStore *store);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgStoreDestroy(HgStore *store);

#endif
