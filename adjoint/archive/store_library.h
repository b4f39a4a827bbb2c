/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of a store for the library, besides store.h. */
#ifndef HG_STORE_LIBRARY_H
#define HG_STORE_LIBRARY_H

#include <halograd/store.h>

/* The state of a slot, so that a step can write straight into it; NULL: it is in a file. In a store
   of floats it belongs to the slot only until HgStoreAtOnce() slots later. */
HgState HgStoreSlot(HgStore store, int slot);

/* HgStoreCreate() with all slots in memory and states rounded to floats: half the bytes. `at_once`
   consecutive slots can be read together. Collective. Error: out of memory. */
PetscErrorCode HgStoreCreateRounded(HgState pattern, int slots, int at_once, HgStore *store);

/* Whether it keeps floats; and how many consecutive slots can be read together. */
bool HgStoreRounds(HgStore store);
int HgStoreAtOnce(HgStore store);

/* Stores q, the state after `step` steps, in `slot`; free of cost if q is the slot's own state.
   Collective. */
PetscErrorCode HgStorePut(HgStore store, int slot, long step, HgState q);

/* How many states have been stored: whether slots still hold the same ones. */
long HgStorePuts(HgStore store);

/* *q = the state in `slot`, which must be that of `step`: the slot's own state (read only), or
   `scratch`, filled from the file. Collective. Errors: another step in the slot; the slot was
   altered, or cannot be read. */
PetscErrorCode HgStoreGet(HgStore store, int slot, long step, HgState scratch, HgState *q);

/* Creates a store with as many slots as `like`, in the same places, for states like `pattern`.
   Collective. Errors: as for `like`. */
PetscErrorCode HgStoreCreateLike(HgStore like, HgState pattern, HgStore *store);

/* The number of slots; and of those in files, which come first. */
int HgStoreSlots(HgStore store);
int HgStoreFiles(HgStore store);

/* Bytes held for all slots on this rank: in memory and in files. */
void HgStoreBytes(HgStore store, size_t *memory, size_t *files);

#endif
