/* Slots in two tiers, each a store of its own: the lowest are the files. */
#include "store_private.h"
#include <limits.h>

typedef struct {
  int files; /* slots below this number are files */
  HgStore slow, fast;
} Tiers;

static HgStore tier_of(const Tiers *t, int *slot) {
  if (*slot < t->files) return t->slow;
  *slot -= t->files;
  return t->fast;
}

static HgState tiers_slot(void *self, int slot) {
  const HgStore tier = tier_of(self, &slot);
  return HgStoreSlot(tier, slot);
}

static PetscErrorCode tiers_put(void *self, int slot, long step, HgState q) {
  const HgStore tier = tier_of(self, &slot);
  return HgStorePut(tier, slot, step, q);
}

static PetscErrorCode tiers_get(void *self, int slot, long step, HgState scratch, HgState *q) {
  const HgStore tier = tier_of(self, &slot);
  return HgStoreGet(tier, slot, step, scratch, q);
}

static void tiers_bytes(void *self, size_t *memory, size_t *files) {
  const Tiers *t = self;
  size_t image, none;
  HgStoreBytes(t->fast, memory, &none);
  HgStoreBytes(t->slow, &image, files);
  *memory += image;
}

static PetscErrorCode tiers_destroy(void *self) {
  Tiers *t = self;
  PetscCall(HgStoreDestroy(&t->slow));
  PetscCall(HgStoreDestroy(&t->fast));
  return PetscFree(t);
}

static const HgStoreTable tiers_table = {tiers_slot, tiers_put, tiers_get, tiers_bytes,
                                         tiers_destroy};

PetscErrorCode HgStoreCreateTiers(HgState pattern, int files, int memory, const char directory[],
                                  HgStore *store) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(pattern));
  HgStore slow, fast;
  Tiers *t;
  HgRequire(comm, files >= 0 && memory >= 0 && files <= INT_MAX - memory && files + memory > 0,
            "store: %d slots in files and %d in memory asked for, expected at least 1 together",
            files, memory);
  if (!files) return HgStoreCreateMemory(pattern, memory, store);
  if (!memory) return HgStoreCreateHDF5(pattern, files, directory, store);
  PetscCall(HgStoreCreateMemory(pattern, memory, &fast));
  const PetscErrorCode ierr = HgStoreCreateHDF5(pattern, files, directory, &slow);
  if (ierr) {
    PetscCall(HgStoreDestroy(&fast));
    return ierr;
  }
  PetscCall(PetscNew(&t));
  *t = (Tiers){files, slow, fast};
  PetscCall(HgStoreCreate(comm, files + memory, &tiers_table, t, store));
  HgStoreSetDirectory(*store, directory);
  return 0;
}
