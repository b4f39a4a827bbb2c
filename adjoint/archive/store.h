/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/store.h -- numbered checkpoints ("slots") of a running program, in memory, in files, or
   in both. */
#ifndef HALOGRAD_STORE_H
#define HALOGRAD_STORE_H

#include <halograd/state.h>

/* Numbered slots for states. */
typedef struct HgStore_s *HgStore;

/* Creates slots for states like `pattern`: the first `files` in files, the next `memory` in memory.
   Either number may be 0; without files, `directory` is ignored. Each rank has one file under
   `directory`, which is created if missing. The file is unlinked at once, so it disappears with the
   store or with the process, however that ends. A slot is an HDF5 image of the rank's patch,
   overwritten in place and never synced. Its XXH3 digest stays in memory and is compared when the
   slot is read. Collective. Errors: directory not writable; disk full (with the bytes asked for);
   out of memory. */
PetscErrorCode HgStoreCreate(HgState pattern, int memory, int files, const char directory[],
                             HgStore *store);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgStoreDestroy(HgStore *store);

#endif
