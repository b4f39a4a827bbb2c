/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a store, for adjoint/archive/store*.c only. */
#ifndef HALOGRAD_STORE_PRIVATE_H
#define HALOGRAD_STORE_PRIVATE_H

#include <halograd/fault_library.h>
#include <halograd/file_library.h>
#include <halograd/image_library.h>
#include <halograd/store_library.h>

#define XXH_INLINE_ALL /* the library's copy is built for SSE2 only, half as fast */
#include <xxhash.h>

enum { HG_STORE_PATH = PETSC_MAX_PATH_LEN, HG_STORE_ROOT = HG_STORE_PATH - 128 };

/* root/slots-<process>, in which every rank keeps a file "lock" locked while it lives: whatever
   kills a process unlocks it, so a folder that can be locked alone has no owner. */
typedef struct {
  char root[HG_STORE_ROOT], own[HG_STORE_PATH]; /* the user's directory, and the store's in it */
  bool made_root, made_own;                     /* did this store make them? */
  int lock;                                     /* -1: the file system has no locks */
} HgStoreFolder;

struct HgStore_s {
  MPI_Comm comm;
  int slots, files, rank; /* the first `files` slots are files */
  long *step;             /* [slots] of the state kept, or HG_EMPTY */
  int states;             /* those of slots in memory, or those that floats are read into in turn */
  HgState *state;         /* [states] */
  float **rounded;        /* [slots]: what slots keep instead; NULL: states */

  /* of slots in files */
  HgStoreFolder folder;
  HgImage image;
  XXH3_state_t *hash;
  XXH64_hash_t *digest; /* [files] */
  int reserved;         /* files that exist */
  HgStore next;         /* of all that have files */
};

enum { HG_EMPTY = -1 };

/* Makes the folder under `root`, which is made if missing, after removing what dead runs have left
   there. Collective; returns 0 or an errno, the same on every rank. */
int HgStoreFolderMake(MPI_Comm comm, const char root[], HgStoreFolder *folder);

/* The file of slot `slot` of rank `rank`. */
void HgStoreFolderFile(const HgStoreFolder *folder, int slot, int rank, char path[HG_STORE_PATH]);

/* Lets the folder go: the last rank to come removes it. Not collective. */
void HgStoreFolderLeave(HgStoreFolder *folder);

/* Reserves store->files files like `pattern` under `root`. Collective. */
PetscErrorCode HgStoreReserve(HgStore store, HgState pattern, const char root[]);

/* Removes them. Not collective. */
PetscErrorCode HgStoreRemove(HgStore store);

PetscErrorCode HgStoreWrite(HgStore store, int slot, long step, HgState q);
PetscErrorCode HgStoreRead(HgStore store, int slot, HgState q);

/* What the ranks of this machine ask for together, and the least that one of them says there is.
   Collective. */
PetscErrorCode HgStoreOnMachine(MPI_Comm comm, double own, double there, double *wanted,
                                double *least);

#endif
