/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/store.h -- numbered checkpoints ("slots") of a running program, in memory, in HDF5
   files, or some here and some there. */
#ifndef HALOGRAD_STORE_H
#define HALOGRAD_STORE_H

#include <halograd/state.h>

/* Numbered slots for states. */
typedef struct HgStore_s *HgStore;

/* Slots for states like `pattern`: the first `files` in files, the `memory` above them in memory.
   Either number may be 0; without files `directory` is not looked at. A file is an HDF5 image of
   one rank's patch under `directory`, which is made if missing; it is overwritten in place and
   never synced. Its XXH3 digest stays in memory and is compared when the slot is read. The files
   are removed by Destroy, or else when PETSc ends; those that a killed run has left are removed
   first. Collective. Errors: directory not writable, disk full (bytes asked for), out of memory. */
PetscErrorCode HgStoreCreate(HgState pattern, int memory, int files, const char directory[],
                             HgStore *store);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgStoreDestroy(HgStore *store);

#endif
