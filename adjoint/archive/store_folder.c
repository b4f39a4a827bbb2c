/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder of one store's files and its lock: see store_private.h. */
#include "store_private.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_NAME "lock"
#define NEW_NAME ".new-slots-"

static bool is_ours(const char name[]) {
  int slot, rank, end = 0;
  return sscanf(name, "slot-%d-rank-%d.h5%n", &slot, &rank, &end) == 2 && end && !name[end];
}

static int remove_file(void *context, int folder, const char name[]) {
  (void)context;
  if (is_ours(name) || !strcmp(name, LOCK_NAME)) unlinkat(folder, name, 0);
  return 0;
}

/* Removes the folder with our files in it if no process holds its lock. One without a lock is left
   alone: it may be in use. */
static void remove_if_dead(const char path[]) {
  char name[HG_STORE_PATH + 8];
  snprintf(name, sizeof name, "%s/" LOCK_NAME, path);
  const int lock = HgFileOpen(name, O_RDWR);
  if (lock < 0) return;
  if (!flock(lock, LOCK_EX | LOCK_NB)) {
    HgFolderEach(path, remove_file, NULL);
    rmdir(path); /* fails, and should, if someone else put files there */
  }
  close(lock);
}

/* make_own() takes no more than moments, in which nobody is to lock its folder: what is older was
   left by a killed run, perhaps before it had a lock. */
static void remove_unfinished(const char path[]) {
  enum { OLD = 600 }; /* [s] */

  struct stat found;
  if (lstat(path, &found) || time(NULL) - found.st_mtime < OLD) return;
  remove_if_dead(path);
  rmdir(path);
}

static int remove_dead(void *root, int folder, const char name[]) {
  char path[HG_STORE_PATH];
  (void)folder;
  if (snprintf(path, sizeof path, "%s/%s", (char *)root, name) >= (int)sizeof path) return 0;
  if (!strncmp(name, "slots-", 6)) remove_if_dead(path);
  if (!strncmp(name, NEW_NAME, strlen(NEW_NAME))) remove_unfinished(path);
  return 0;
}

PetscErrorCode HgStoreSweep(MPI_Comm comm, const char directory[]) {
  char root[HG_STORE_PATH];
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  snprintf(root, sizeof root, "%s", directory);
  if (!rank) HgFolderEach(root, remove_dead, root);
  PetscCallMPI(MPI_Barrier(comm));
  return 0;
}

/* The folder gets its name with the lock held, so that no other run ever sees it unlocked. Two runs
   may share a root, even from two machines with the same process number. Returns 0 or an errno. */
static int make_own(HgStoreFolder *f) {
  char new[HG_STORE_PATH + 8], lock[sizeof new + 8];
  snprintf(new, sizeof new, "%.*s/" NEW_NAME "XXXXXX", HG_STORE_ROOT, f->root);
  if (!mkdtemp(new)) return errno;
  snprintf(lock, sizeof lock, "%s/" LOCK_NAME, new);
  int error = 0;
  f->lock = HgFileOpen(lock, O_RDWR | O_CREAT | O_EXCL);
  if (f->lock < 0) error = errno;
  else if (HgFileTryLock(f->lock, LOCK_SH, lock)) { /* no locks here: it never counts as dead */
    close(f->lock);
    HgFileUnlink(lock);
    f->lock = -1;
  }
  for (int k = 0; !error && !f->made_own && k < 1000; k++) {
    if (k) snprintf(f->own, sizeof f->own, "%s/slots-%ld-%d", f->root, (long)getpid(), k);
    else snprintf(f->own, sizeof f->own, "%s/slots-%ld", f->root, (long)getpid());
    f->made_own = !HgFileRename(new, f->own);
    if (!f->made_own && errno != EEXIST && errno != ENOTEMPTY) error = errno;
  }
  if (f->made_own) return 0;
  if (f->lock >= 0) close(f->lock);
  f->lock = -1;
  HgFileUnlink(lock);
  rmdir(new);
  return error ? error : EEXIST;
}

int HgStoreFolderMake(MPI_Comm comm, const char root[], HgStoreFolder *f) {
  int rank, error = 0, worst;
  MPI_Comm_rank(comm, &rank);
  *f = (HgStoreFolder){.lock = -1};
  snprintf(f->root, sizeof f->root, "%s", root);
  for (size_t n = strlen(f->root); n > 1 && f->root[n - 1] == '/'; n--) f->root[n - 1] = 0;
  if (!rank) {
    error = HgDirectoriesMake(f->root, &f->made_root);
    if (!error) error = HgFolderHold(f->root);
    if (!error) HgFolderEach(f->root, remove_dead, f->root);
    if (!error) error = make_own(f);
  }
  const int lock = f->lock;
  MPI_Bcast(&error, 1, MPI_INT, 0, comm);
  if (error) return error;
  MPI_Bcast(f, sizeof *f, MPI_BYTE, 0, comm);
  if (rank) error = HgFolderHold(f->root);
  if (!rank || f->lock < 0) { /* rank 0 has it already, or there is none */
    if (!rank) f->lock = lock;
  } else {
    char path[HG_STORE_PATH + 8];
    snprintf(path, sizeof path, "%s/" LOCK_NAME, f->own);
    f->lock = HgFileOpen(path, O_RDWR);
    const int why = f->lock < 0 ? errno : HgFileTryLock(f->lock, LOCK_SH, path);
    if (why && why != ENOLCK) error = why;
  }
  MPI_Allreduce(&error, &worst, 1, MPI_INT, MPI_MAX, comm);
  return worst;
}

void HgStoreFolderFile(const HgStoreFolder *f, int slot, int rank, char path[HG_STORE_PATH]) {
  snprintf(path, HG_STORE_PATH, "%.*s/slot-%d-rank-%d.h5", HG_STORE_ROOT + 32, f->own, slot, rank);
}

void HgStoreFolderLeave(HgStoreFolder *f) {
  if (f->lock >= 0) {
    close(f->lock);
    f->lock = -1;
    remove_if_dead(f->own);
  } else if (f->made_own) rmdir(f->own);
  if (f->made_root) rmdir(f->root); /* fails, and should, if someone else put files there */
}
