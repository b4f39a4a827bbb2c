/* The folder of one store's files, for adjoint/store/store_*.c only. */
#ifndef HALOGRAD_STORE_FOLDER_PRIVATE_H
#define HALOGRAD_STORE_FOLDER_PRIVATE_H

#include <petscsys.h>
#include <stdbool.h>

enum { HG_STORE_PATH = PETSC_MAX_PATH_LEN, HG_STORE_ROOT = HG_STORE_PATH - 128 };

/* root/slots-<process>, in which every rank keeps a file "lock" locked while it lives: whatever
   kills a process unlocks it, so a folder that can be locked alone has no owner. */
typedef struct {
  char root[HG_STORE_ROOT], own[HG_STORE_PATH]; /* the user's directory, and the store's in it */
  bool made_root, made_own;                     /* did this store make them? */
  int lock;                                     /* -1: the file system has no locks */
} HgStoreFolder;

/* Makes the folder under `root`, which is made if missing, after removing what dead runs have left
   there. Collective; returns 0 or an errno, the same on every rank. */
int HgStoreFolderMake(MPI_Comm comm, const char root[], HgStoreFolder *folder);

/* The file of slot `slot` of rank `rank`. */
void HgStoreFolderFile(const HgStoreFolder *folder, int slot, int rank, char path[HG_STORE_PATH]);

/* Lets the folder go: the last rank to come removes it. Not collective. */
void HgStoreFolderLeave(HgStoreFolder *folder);

#endif
