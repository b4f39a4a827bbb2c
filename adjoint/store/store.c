/* Which slot holds which step, and the store that keeps states in memory. Files: store_hdf5.c. */
#include "store_private.h"
#include <halograd/memory_library.h>
#include <halograd/state_library.h>
#include <stdint.h>
#include <stdio.h>

struct HgStore_s {
  MPI_Comm comm;
  int slots;
  long *step; /* [slots] of the state kept, or HG_EMPTY */
  const HgStoreTable *table;
  void *self;
  char directory[HG_STORE_DIRECTORY]; /* of slots in files */
};

enum { HG_EMPTY = -1 };

PetscErrorCode HgStoreCreate(MPI_Comm comm, int slots, const HgStoreTable *table, void *self,
                             HgStore *store) {
  HgStore s;
  PetscCall(PetscNew(&s));
  PetscCall(PetscMalloc1(slots, &s->step));
  for (int k = 0; k < slots; k++) s->step[k] = HG_EMPTY;
  s->comm = comm, s->slots = slots, s->table = table, s->self = self;
  *store = s;
  return 0;
}

void HgStoreSetDirectory(HgStore s, const char directory[]) {
  snprintf(s->directory, sizeof s->directory, "%s", directory);
}

PetscErrorCode HgStoreCreateLike(HgStore like, HgState pattern, HgStore *store) {
  const int files = HgStoreFiles(like);
  return HgStoreCreateTiers(pattern, files, like->slots - files, like->directory, store);
}

PetscErrorCode HgStoreDestroy(HgStore *store) {
  HgStore s = *store;
  *store = NULL;
  if (!s) return 0;
  PetscCall(s->table->destroy(s->self));
  PetscCall(PetscFree(s->step));
  PetscCall(PetscFree(s));
  return 0;
}

int HgStoreSlots(HgStore s) { return s->slots; }

int HgStoreFiles(HgStore s) {
  int files = 0;
  while (files < s->slots && !HgStoreSlot(s, files)) files++;
  return files;
}

HgState HgStoreSlot(HgStore s, int slot) { return s->table->slot(s->self, slot); }

void HgStoreBytes(HgStore s, size_t *memory, size_t *files) {
  s->table->bytes(s->self, memory, files);
}

PetscErrorCode HgStorePut(HgStore s, int slot, long step, HgState q) {
  HgRequire(s->comm, slot >= 0 && slot < s->slots, "store: slot is %d, expected 0 to %d", slot,
            s->slots - 1);
  HgRequire(s->comm, step >= 0, "store: step for slot %d is %ld, expected at least 0", slot, step);
  s->step[slot] = HG_EMPTY; /* until all of it is there */
  PetscCall(s->table->put(s->self, slot, step, q));
  s->step[slot] = step;
  return 0;
}

PetscErrorCode HgStoreGet(HgStore s, int slot, long step, HgState scratch, HgState *q) {
  HgRequire(s->comm, slot >= 0 && slot < s->slots, "store: slot is %d, expected 0 to %d", slot,
            s->slots - 1);
  HgRequire(s->comm, s->step[slot] != HG_EMPTY, "store: slot %d is empty, expected step %ld in it",
            slot, step);
  HgRequire(s->comm, s->step[slot] == step, "store: slot %d holds step %ld, expected step %ld",
            slot, s->step[slot], step);
  return s->table->get(s->self, slot, step, scratch, q);
}

typedef struct {
  int slots;
  HgState *state;
} Memory;

static HgState memory_slot(void *self, int slot) { return ((Memory *)self)->state[slot]; }

static PetscErrorCode memory_put(void *self, int slot, long step, HgState q) {
  (void)step;
  HgState kept = memory_slot(self, slot);
  return q == kept ? 0 : HgStateCopy(q, kept);
}

static PetscErrorCode memory_get(void *self, int slot, long step, HgState scratch, HgState *q) {
  (void)step, (void)scratch;
  *q = memory_slot(self, slot);
  return 0;
}

static void memory_bytes(void *self, size_t *memory, size_t *files) {
  const Memory *m = self;
  *memory = (size_t)m->slots * HgStateBytes(m->state[0]), *files = 0;
}

static PetscErrorCode memory_destroy(void *self) {
  Memory *m = self;
  for (int k = 0; k < m->slots; k++) PetscCall(HgStateDestroy(&m->state[k]));
  PetscCall(PetscFree(m->state));
  PetscCall(PetscFree(m));
  return 0;
}

static const HgStoreTable memory_table = {memory_slot, memory_put, memory_get, memory_bytes,
                                          memory_destroy};

/* Bytes that can be had without swapping, as the kernel estimates; SIZE_MAX if it does not say. */
static size_t available_memory(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  char line[128];
  size_t kib, available = SIZE_MAX;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %zu kB", &kib) == 1) available = kib * 1024;
  if (file) fclose(file);
  return available;
}

PetscErrorCode HgStoreOnMachine(MPI_Comm comm, double own, double there, double *wanted,
                                double *least) {
  MPI_Comm node;
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Allreduce(&own, wanted, 1, MPI_DOUBLE, MPI_SUM, node));
  PetscCallMPI(MPI_Allreduce(&there, least, 1, MPI_DOUBLE, MPI_MIN, node));
  PetscCallMPI(MPI_Comm_free(&node));
  return 0;
}

/* Linux hands out more memory than it has and kills a process that touches it: so the sum over the
   ranks of a node is compared with what is there before anything is touched. */
static PetscErrorCode require_memory(MPI_Comm comm, int slots, size_t each) {
  const bool countable = each <= SIZE_MAX / 2 / (size_t)slots;
  const size_t bytes = countable ? (size_t)slots * each : SIZE_MAX;
  const double own = (double)slots * (double)each;
  double wanted, least;
  PetscCall(HgStoreOnMachine(comm, own, (double)available_memory(), &wanted, &least));
  PetscCall(HgAgree(comm, wanted > least,
                    "store: no memory for %d slots of %zu bytes per rank: %.0f bytes asked for on "
                    "this machine, %.0f available",
                    slots, each, wanted, least));
  void *block = countable ? HgZeroedMemory(bytes) : NULL; /* meets ulimit -v; untouched */
  const bool failed = !block;
  HgFreeMemory(block, bytes);
  return HgAgree(comm, failed, "store: no memory for %d slots of %zu bytes per rank: %.0f bytes",
                 slots, each, own);
}

PetscErrorCode HgStoreCreateMemory(HgState pattern, int slots, HgStore *store) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(pattern));
  HgRequire(comm, slots >= 1, "store: %d slots asked for, expected at least 1", slots);
  PetscCall(require_memory(comm, slots, HgStateBytes(pattern)));
  Memory *m;
  PetscCall(PetscNew(&m));
  PetscCall(PetscCalloc1(slots, &m->state));
  for (; m->slots < slots; m->slots++) {
    const PetscErrorCode ierr = HgStateDuplicate(pattern, &m->state[m->slots]);
    if (!ierr) continue;
    PetscCall(memory_destroy(m));
    return ierr;
  }
  return HgStoreCreate(comm, slots, &memory_table, m, store);
}
