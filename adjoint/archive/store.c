/* SPDX-License-Identifier: BSD-2-Clause */
/* Which slot holds which step, and slots in memory. Files: store_files.c. */
#include "store_private.h"
#include <halograd/error_library.h>
#include <halograd/memory_library.h>
#include <halograd/state_library.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- slots in memory ---- */

/* Bytes available without swapping, by the kernel's estimate; SIZE_MAX if unknown. */
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

/* Linux grants more memory than it has, and kills a process that touches it. So compares the sum
   over the ranks of a node with what is available before touching any. */
static PetscErrorCode require_memory(MPI_Comm comm, int slots, size_t each) {
  const bool countable = each <= SIZE_MAX / 2 / (size_t)slots;
  const size_t bytes = countable ? (size_t)slots * each : SIZE_MAX;
  const double own = (double)slots * (double)each;
  double wanted, least;
  PetscCall(HgStoreOnMachine(comm, own, (double)available_memory(), &wanted, &least));
  PetscCall(HgAgree(comm, wanted > least, HG_ERR_MEMORY,
                    "store: no memory for %d slots of %zu bytes per rank: %.0f bytes asked for on "
                    "this machine, %.0f available",
                    slots, each, wanted, least));
  void *block = countable ? HgZeroedMemory(bytes) : NULL; /* meets ulimit -v; untouched */
  const bool failed = !block;
  HgFreeMemory(block, bytes);
  return HgAgree(comm, failed, HG_ERR_MEMORY,
                 "store: no memory for %d slots of %zu bytes per rank: %.0f bytes", slots, each,
                 own);
}

static PetscErrorCode create_states(HgStore s, HgState pattern) {
  if (!s->states) return 0;
  PetscCall(require_memory(s->comm, s->states, HgStateBytes(pattern)));
  PetscCall(PetscCalloc1(s->states, &s->state));
  for (int k = 0; k < s->states; k++) PetscCall(HgStateDuplicate(pattern, &s->state[k]));
  return 0;
}

static size_t rounded_bytes(HgStore s) { return HgStateNumbers(s->state[0]) * sizeof(float); }

/* The states have not been touched yet, so they count as well. */
static PetscErrorCode create_rounded(HgStore s) {
  const size_t states = (size_t)s->states * HgStateBytes(s->state[0]);
  bool failed = false;
  PetscCall(require_memory(s->comm, s->slots, rounded_bytes(s) + states / (size_t)s->slots));
  PetscCall(PetscCalloc1(s->slots, &s->rounded));
  for (int k = 0; k < s->slots; k++) {
    s->rounded[k] = HgZeroedMemory(rounded_bytes(s));
    failed = failed || !s->rounded[k];
  }
  return HgAgree(s->comm, failed, HG_ERR_MEMORY,
                 "store: no memory for %d slots of %zu bytes per rank", s->slots, rounded_bytes(s));
}

/* ---- a store ---- */
/* at_once 0: slots in memory are states. */
static PetscErrorCode create(HgState pattern, int memory, int files, const char directory[],
                             int at_once, HgStore *store) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(pattern));
  const size_t length = directory ? strlen(directory) : 0;
  HgStore s;
  PetscCall(HgRequireAlike(comm, "%d checkpoints in files and %d in memory", files, memory));
  HgRequire(comm, files >= 0 && memory >= 0 && files <= INT_MAX - memory && files + memory > 0,
            HG_ERR_ARGUMENT,
            "store: %d slots in files and %d in memory asked for, expected at least 1 together",
            files, memory);
  HgRequire(comm, !files || (length && length < HG_STORE_ROOT), HG_ERR_FILE_NAME,
            "store: name of the directory has %zu characters, expected 1 to %d", length,
            HG_STORE_ROOT - 1);
  PetscCall(PetscNew(&s));
  PetscCallMPI(MPI_Comm_dup(comm, &s->comm));
  PetscCallMPI(MPI_Comm_rank(comm, &s->rank));
  s->slots = files + memory, s->files = files, s->file = -1;
  if (directory) PetscCall(PetscStrncpy(s->directory, directory, sizeof s->directory));
  s->states = at_once ? PetscMin(at_once, memory) : memory;
  PetscErrorCode ierr = create_states(s, pattern);
  if (!ierr && at_once) ierr = create_rounded(s);
  if (!ierr && files) ierr = HgStoreReserve(s, pattern);
  if (!ierr) PetscCall(PetscMalloc1(s->slots, &s->step));
  for (int k = 0; !ierr && k < s->slots; k++) s->step[k] = HG_EMPTY;
  if (ierr) PetscCall(HgStoreDestroy(&s));
  else *store = s;
  return ierr;
}

PetscErrorCode HgStoreCreate(HgState pattern, int memory, int files, const char directory[],
                             HgStore *store) {
  return create(pattern, memory, files, directory, 0, store);
}

PetscErrorCode HgStoreCreateRounded(HgState pattern, int slots, int at_once, HgStore *store) {
  return create(pattern, slots, 0, NULL, at_once, store);
}

PetscErrorCode HgStoreCreateLike(HgStore like, HgState pattern, HgStore *store) {
  return create(pattern, like->slots - like->files, like->files, like->directory,
                like->rounded ? like->states : 0, store);
}

PetscErrorCode HgStoreDestroy(HgStore *store) {
  HgStore s = *store;
  *store = NULL;
  if (!s) return 0;
  if (s->files) PetscCall(HgStoreRemove(s));
  for (int k = 0; s->rounded && k < s->slots; k++) HgFreeMemory(s->rounded[k], rounded_bytes(s));
  for (int k = 0; s->state && k < s->states; k++) PetscCall(HgStateDestroy(&s->state[k]));
  PetscCall(PetscFree(s->rounded));
  PetscCallMPI(MPI_Comm_free(&s->comm));
  PetscCall(PetscFree(s->state));
  PetscCall(PetscFree(s->step));
  return PetscFree(s);
}

int HgStoreSlots(HgStore s) { return s->slots; }

int HgStoreFiles(HgStore s) { return s->files; }

HgState HgStoreSlot(HgStore s, int slot) {
  return slot < s->files ? NULL : s->state[(slot - s->files) % s->states];
}

long HgStorePuts(HgStore s) { return s->puts; }

bool HgStoreRounds(HgStore s) { return s->rounded; }

int HgStoreAtOnce(HgStore s) { return s->rounded ? s->states : INT_MAX; }

void HgStoreBytes(HgStore s, size_t *memory, size_t *files) {
  *memory = s->states ? (size_t)s->states * HgStateBytes(s->state[0]) : 0, *files = 0;
  if (s->rounded) *memory += (size_t)s->slots * rounded_bytes(s);
  if (!s->files) return;
  *memory += HgImageMemory(s->image), *files = (size_t)s->files * HgImageSize(s->image);
}

PetscErrorCode HgStorePut(HgStore s, int slot, long step, HgState q) {
  HgRequire(s->comm, slot >= 0 && slot < s->slots, HG_ERR_CALL_ORDER,
            "store: slot is %d, expected 0 to %d", slot, s->slots - 1);
  HgRequire(s->comm, step >= 0, HG_ERR_ARGUMENT,
            "store: step for slot %d is %ld, expected at least 0", slot, step);
  const HgState kept = HgStoreSlot(s, slot);
  s->puts++;
  s->step[slot] = HG_EMPTY; /* until all of it is there */
  if (s->rounded) HgStateRound(q, s->rounded[slot]);
  else if (!kept) PetscCall(HgStoreWrite(s, slot, step, q));
  else if (kept != q) PetscCall(HgStateCopy(q, kept));
  s->step[slot] = step;
  return 0;
}

PetscErrorCode HgStoreGet(HgStore s, int slot, long step, HgState scratch, HgState *q) {
  HgRequire(s->comm, slot >= 0 && slot < s->slots, HG_ERR_CALL_ORDER,
            "store: slot is %d, expected 0 to %d", slot, s->slots - 1);
  HgRequire(s->comm, s->step[slot] != HG_EMPTY, HG_ERR_CALL_ORDER,
            "store: slot %d is empty, expected step %ld in it", slot, step);
  HgRequire(s->comm, s->step[slot] == step, HG_ERR_CALL_ORDER,
            "store: slot %d holds step %ld, expected step %ld", slot, s->step[slot], step);
  *q = HgStoreSlot(s, slot);
  if (s->rounded) HgStateUnround(s->rounded[slot], *q);
  if (*q) return 0;
  *q = scratch;
  return HgStoreRead(s, slot, scratch);
}
