/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library asks of a store, besides store.h. */
#ifndef HG_STORE_LIBRARY_H
#define HG_STORE_LIBRARY_H

#include <halograd/store.h>

/* The state behind a slot, so that a step can write straight into it; NULL if it is in a file. Of a
   store of floats it is the slot's until HgStoreAtOnce() slots later. */
HgState HgStoreSlot(HgStore store, int slot);

/* As HgStoreCreate(), all in memory, but slots keep their states rounded to floats: half the bytes.
   `at_once` of them in a row can be looked at together. Collective. Error: out of memory. */
PetscErrorCode HgStoreCreateRounded(HgState pattern, int slots, int at_once, HgStore *store);

/* Does it keep floats? How many slots in a row can be looked at together. */
bool HgStoreRounds(HgStore store);
int HgStoreAtOnce(HgStore store);

/* Keeps q, the state after `step` steps, in `slot`; free of cost if q is the slot's own state.
   Collective. */
PetscErrorCode HgStorePut(HgStore store, int slot, long step, HgState q);

/* *q = the state kept in `slot`, which must be that of `step`: the slot's own state (read only), or
   `scratch`, filled from the file.
   Collective. Errors: another step in the slot; it was altered, or cannot be read. */
PetscErrorCode HgStoreGet(HgStore store, int slot, long step, HgState scratch, HgState *q);

/* As many slots as `like` has, in the same places, for states like `pattern`. Collective. Errors:
   as when `like` was made. */
PetscErrorCode HgStoreCreateLike(HgStore like, HgState pattern, HgStore *store);

/* How many slots; how many of them, the first ones, are in files. */
int HgStoreSlots(HgStore store);
int HgStoreFiles(HgStore store);

/* Bytes held for all slots on this rank: in memory and in files. */
void HgStoreBytes(HgStore store, size_t *memory, size_t *files);

#endif
