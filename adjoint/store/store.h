/* halograd/store.h -- numbered checkpoints ("slots") of a running program, in memory, in
   HDF5 files, or some here and some there. */
#ifndef HALOGRAD_STORE_H
#define HALOGRAD_STORE_H

#include <halograd/state.h>

typedef struct HgStore_s *HgStore;

/* `slots` states like `pattern` in memory. Collective. Errors: out of memory (says how much was
   asked for). */
PetscErrorCode HgStoreCreateMemory(HgState pattern, int slots, HgStore *store);

/* `slots` HDF5 images per patch under `directory` (created if missing; the files are removed by
   Destroy, or else when PETSc ends). An image is built in memory (core driver), digested (XXH3) and
   written with plain pwrite into a preallocated file that is overwritten, never synced; on the way
   back the digest is verified before HDF5 parses a byte. Removes first what HgStoreSweep() does.
   Collective. Errors: directory not writable, disk full (bytes asked for). */
PetscErrorCode HgStoreCreateHDF5(HgState pattern, int slots, const char directory[],
                                 HgStore *store);

/* The first `files` slots in files, the `memory` slots above them in memory. Either number may be
   0. Collective. Errors: those of the two above. */
PetscErrorCode HgStoreCreateTiers(HgState pattern, int files, int memory, const char directory[],
                                  HgStore *store);

/* As many slots as `like` has, in the same places, for states like `pattern`. Collective. Errors:
   as when `like` was made. */
PetscErrorCode HgStoreCreateLike(HgStore like, HgState pattern, HgStore *store);

/* Removes the checkpoint files that runs which were killed have left under `directory`; never those
   of a run that lives, whose ranks hold a lock. Collective. */
PetscErrorCode HgStoreSweep(MPI_Comm comm, const char directory[]);
PetscErrorCode HgStoreDestroy(HgStore *store);
int HgStoreSlots(HgStore store);

/* How many of them, the first ones, are not in memory. */
int HgStoreFiles(HgStore store);

/* The state behind a slot, so that a step can write straight into it; NULL if the store has none in
   memory. */
HgState HgStoreSlot(HgStore store, int slot);

/* Keeps q, the state after `step` steps, in `slot`; free of cost if q is the slot's own state.
   Collective. */
PetscErrorCode HgStorePut(HgStore store, int slot, long step, HgState q);

/* *q = the state kept in `slot`, which must be that of `step`: the slot's own state (read only), or
   `scratch`, filled from the file.
   Collective. Errors: another step in the slot; a file missing, short or altered (named). */
PetscErrorCode HgStoreGet(HgStore store, int slot, long step, HgState scratch, HgState *q);

/* Bytes held for all slots on this rank: in memory and in files. */
void HgStoreBytes(HgStore store, size_t *memory, size_t *files);

#endif
