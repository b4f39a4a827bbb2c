/* SPDX-License-Identifier: BSD-2-Clause */
/* What a store keeps comes back bit for bit, ghosts outside walls included, in memory, in files and
   in both. */
#include "claim.h"
#include "patches.h"
#include <halograd/state_library.h>
#include <halograd/store_library.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLOTS = 3, GHOST = 2 };

/* Numbers that a careless copy would change: signed zero, subnormals, the largest double. */
static double number(long step, int variable, int i, int j) {
  const long n = (step * 31 + variable) * 100003 + i * 997 + j;
  switch (n % 11) {
  case 0: return -0.0;
  case 1: return 4.9e-324 * (double)(1 + n % 5);
  case 2: return 1.7976931348623157e308;
  default: return sin((double)n);
  }
}

static bool beyond_wall(const HgPatch *p, int i, int j) {
  return (p->wall_west && i < 0) || (p->wall_east && i >= p->nx) || (p->wall_south && j < 0) ||
         (p->wall_north && j >= p->ny);
}

static bool counts(HgState q, int k, int i, int j) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  const bool owned = i >= 0 && i < p->nx && j >= 0 && j < p->ny;
  return owned || HgStateVariable(q, k)->kind == HG_GHOSTED || beyond_wall(p, i, j);
}

static bool is_field(HgState q, int k) { return HgIsField(HgStateVariable(q, k)); }

static void fill(HgState q, long step) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  for (int k = 0; k < HgStateCount(q); k++) {
    if (is_field(q, k)) {
      HgReal *const *u = HgStateRows(q, k);
      for (int j = -GHOST; j < p->ny + GHOST; j++)
        for (int i = -GHOST; i < p->nx + GHOST; i++)
          u[j][i] = number(step, k, p->i_global + i + 10, p->j_global + j + 10);
      HgStateSetGhostDepth(q, k, GHOST);
    } else {
      for (int i = 0; i < HgStateVariable(q, k)->size; i++)
        HgStateArray(q, k)[i] = number(step, k, i, claim.rank);
    }
  }
}

static void compare(HgState q, long step, const char kind[]) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  for (int k = 0; k < HgStateCount(q); k++) {
    const char *name = HgStateVariable(q, k)->name;
    if (is_field(q, k)) {
      HgReal *const *u = HgStateRows(q, k);
      for (int j = -GHOST; j < p->ny + GHOST; j++)
        for (int i = -GHOST; i < p->nx + GHOST; i++)
          if (counts(q, k, i, j))
            claim_same(u[j][i], (HgReal)number(step, k, p->i_global + i + 10, p->j_global + j + 10),
                       "%s: step %ld: %s[%d][%d]", kind, step, name, j, i);
    } else {
      for (int i = 0; i < HgStateVariable(q, k)->size; i++)
        claim_same(HgStateArray(q, k)[i], number(step, k, i, claim.rank), "%s: step %ld: %s[%d]",
                   kind, step, name, i);
    }
  }
}

static PetscErrorCode put(HgStore store, int slot, long step, HgState q) {
  fill(q, step);
  PetscCall(HgStorePut(store, slot, step, q));
  fill(q, 999); /* what is kept is a copy */
  return 0;
}

static PetscErrorCode get(HgStore store, int slot, long step, HgState scratch, const char kind[]) {
  HgState kept;
  fill(scratch, 777);
  PetscCall(HgStoreGet(store, slot, step, scratch, &kept));
  compare(kept, step, kind);
  if (kept != scratch) claim_that(kept == HgStoreSlot(store, slot), "%s: the slot's own", kind);
  else
    for (int k = 0; k < HgStateCount(kept); k++)
      claim_that(!is_field(kept, k) || HgStateGhostDepth(kept, k) == 0, "%s: ghosts are stale",
                 kind);
  return 0;
}

static PetscErrorCode round_trips(HgStore store, HgState q, HgState scratch, const char kind[]) {
  for (int k = 0; k < SLOTS; k++) PetscCall(put(store, k, 10 + k, q));
  for (int k = SLOTS - 1; k >= 0; k--) PetscCall(get(store, k, 10 + k, scratch, kind));
  PetscCall(put(store, 1, 123456789012, q)); /* overwritten, more than 32 bits */
  PetscCall(get(store, 1, 123456789012, scratch, kind));
  PetscCall(get(store, 1, 123456789012, scratch, kind)); /* a slot can be read twice */
  PetscCall(get(store, 0, 10, scratch, kind));
  HgState own = HgStoreSlot(store, 2);
  if (!own) return 0;
  fill(own, 55);
  PetscCall(HgStorePut(store, 2, 55, own));
  return get(store, 2, 55, scratch, kind);
}

static PetscErrorCode files(HgState q, HgState scratch, const char directory[]) {
  HgStore store, other;
  size_t memory, bytes;
  PetscCall(HgStoreCreate(q, 0, SLOTS, directory, &store));
  PetscCallMPI(MPI_Barrier(MPI_COMM_WORLD));
  claim_that(access(directory, F_OK), "no %s: nothing is left, however a run ends", directory);
  HgStoreBytes(store, &memory, &bytes);
  claim_that(!HgStoreSlot(store, 0) && HgStoreSlots(store) == SLOTS, "no state behind a slot");
  claim_that(memory >= bytes / SLOTS, "one image is held in memory: %zu", memory);
  PetscCall(HgStoreCreate(q, 0, 1, directory, &other)); /* two in one directory do not collide */
  PetscCall(round_trips(store, q, scratch, "files"));
  PetscCall(HgStoreDestroy(&other));
  PetscCall(get(store, 0, 10, scratch, "files"));
  return HgStoreDestroy(&store);
}

static PetscErrorCode memory(HgState q, HgState scratch) {
  HgStore store;
  size_t bytes, none;
  PetscCall(HgStoreCreate(q, SLOTS, 0, NULL, &store));
  HgStoreBytes(store, &bytes, &none);
  claim_that(bytes == SLOTS * HgStateBytes(q) && !none, "HgStoreBytes: %zu", bytes);
  PetscCall(round_trips(store, q, scratch, "memory"));
  return HgStoreDestroy(&store);
}

/* One slot in a file below two in memory, and what an empty tier makes of them. */
static PetscErrorCode tiers(HgState q, HgState scratch, const char directory[]) {
  size_t memory, files;
  for (int in_memory = 0; in_memory <= SLOTS; in_memory++) {
    HgStore store, slow;
    PetscCall(HgStoreCreate(q, in_memory, SLOTS - in_memory, directory, &store));
    claim_that(HgStoreSlots(store) == SLOTS, "%d slots", HgStoreSlots(store));
    for (int k = 0; k < SLOTS; k++)
      claim_that(!HgStoreSlot(store, k) == (k < SLOTS - in_memory), "%d in memory, slot %d",
                 in_memory, k);
    PetscCall(round_trips(store, q, scratch, "tiers"));
    HgStoreBytes(store, &memory, &files);
    PetscCall(HgStoreCreate(q, 0, PetscMax(SLOTS - in_memory, 1), directory, &slow));
    size_t image = 0, expected = 0;
    if (in_memory < SLOTS) HgStoreBytes(slow, &image, &expected);
    claim_that(files == expected && memory == image + (size_t)in_memory * HgStateBytes(q),
               "%d in memory: %zu bytes there, %zu in files", in_memory, memory, files);
    PetscCall(DESTROY(&slow, &store));
  }
  return 0;
}

static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  char directory[] = "/tmp/halograd-store-XXXXXX";
  if (!claim.rank) claim_that(mkdtemp(directory), "%s can be made", directory);
  PetscCallMPI(MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD));
  for (int px = 1; px <= ranks; px++) {
    if (ranks % px) continue;
    const HgVariable variables[] = {{"u", "K", HG_FIELD, 0},
                                    {"a", "1", HG_REPLICATED, 5},
                                    {"v", "m/s", HG_GHOSTED, 0},
                                    {"empty", "1", HG_REPLICATED, 0},
                                    {"mine", "Pa", HG_LOCAL, claim.rank % 3}};
    HgMesh mesh;
    HgState q, scratch;
    char path[64];
    snprintf(path, sizeof path, "%s/new/", directory);
    PetscCall(patches_mesh(MPI_COMM_WORLD, px, 1 + px % 3, GHOST, px % 2, px % 4 == 3, &mesh));
    PetscCall(HgStateCreate(mesh, 5, variables, &q));
    PetscCall(HgStateDuplicate(q, &scratch));
    PetscCall(memory(q, scratch));
    PetscCall(files(q, scratch, path));
    PetscCall(tiers(q, scratch, path));
    PetscCall(DESTROY(&q, &scratch, &mesh));
  }
  if (claim.rank) return 0;
  claim_that(!rmdir(directory), "nothing is left in %s", directory);
  return 0;
}

CLAIM("what a store keeps comes back bit for bit", 0, test)
