/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever goes wrong with a store is one sentence and an error on every rank, and the store serves
   on. */
#include "faults.h"
#include "patches.h"
#include <dirent.h>
#include <fcntl.h>
#include <halograd/mesh_library.h>
#include <halograd/state_library.h>
#include <halograd/store_library.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static MPI_Comm comm;
static int last; /* rank: things go wrong there alone */
static char directory[64];

static void fill(HgState q, double value) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) HgStateRows(q, 0)[j][i] = value + i + 10 * j;
}

static PetscErrorCode serves(HgStore store, int slot, long step, HgState scratch) {
  HgState kept;
  fill(scratch, -1);
  PetscCall(HgStoreGet(store, slot, step, scratch, &kept));
  claim_same(HgStateRows(kept, 0)[0][0], (double)step, "slot %d serves on", slot);
  return 0;
}

/* This rank's file of the store that lives in `directory`: it has no name, but a descriptor. */
static int store_file(void) {
  char link[64], target[256];
  for (int file = 3; file < 1024; file++) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t n = readlink(link, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    if (!strncmp(target, directory, strlen(directory)) && strstr(target, " (deleted)")) return file;
  }
  claim_that(false, "the store has a file in %s", directory);
  return -1;
}

static PetscErrorCode steps_and_slots(HgStore store, HgState q, HgState scratch, HgState other) {
  HgState kept;
  REFUSED(HgStoreGet(store, 1, 3, scratch, &kept), "slot 1", "empty", "step 3");
  fill(q, 4);
  PetscCall(HgStorePut(store, 1, 4, q));
  REFUSED(HgStoreGet(store, 1, 3, scratch, &kept), "slot 1", "step 4", "expected step 3");
  REFUSED(HgStoreGet(store, 2, 3, scratch, &kept), "slot is 2", "expected 0 to 1");
  REFUSED(HgStorePut(store, -1, 3, q), "slot is -1", "expected 0 to 1");
  REFUSED(HgStorePut(store, 0, -1, q), "slot 0", "-1");
  REFUSED(HgStorePut(store, 0, 1, other), "differ");
  return serves(store, 1, 4, scratch);
}

static PetscErrorCode memory(HgState q, HgState scratch, HgState other) {
  HgStore store;
  char bytes[64];
  PetscCall(HgStoreCreate(q, 2, 0, NULL, &store));
  PetscCall(steps_and_slots(store, q, scratch, other));
  PetscCall(HgStoreDestroy(&store));
  REFUSED(HgStoreCreate(q, 0, 0, NULL, &store), "0 slots", "at least 1");
  /* The lowest failing rank speaks: rank 0. */
  snprintf(bytes, sizeof bytes, "%zu bytes", HgStateBytes(q));
  REFUSED(HgStoreCreate(q, 2147483647, 0, NULL, &store), "no memory for 2147483647 slots of",
          "bytes");
  if (last == 0)
    REFUSED(HgStoreCreate(q, 2147483647, 0, NULL, &store), "no memory for 2147483647 slots of",
            bytes);
  return 0;
}

/* What is there for the stores that are made where something fails. */
typedef struct {
  HgState q, scratch;
} States;

static PetscErrorCode in_memory(void *context) {
  States *s = context;
  HgStore store = NULL;
  PetscCall(HgStoreCreate(s->q, 2, 0, NULL, &store));
  return HgStoreDestroy(&store);
}

static PetscErrorCode put_and_get(HgStore store, States *s) {
  HgState kept;
  for (int slot = 0; slot < 2; slot++) PetscCall(HgStorePut(store, slot, slot, s->q));
  return HgStoreGet(store, 1, 1, s->scratch, &kept);
}

static PetscErrorCode in_files(void *context) {
  States *s = context;
  HgStore store = NULL;
  PetscCall(HgStoreCreate(s->q, 0, 2, directory, &store));
  const PetscErrorCode ierr = put_and_get(store, s);
  PetscCall(HgStoreDestroy(&store));
  return ierr;
}

/* After each failure: the next store serves, and nothing stays but the directory. */
static PetscErrorCode serves_again(void *context, bool failed, const char what[]) {
  States *s = context;
  HgStore store;
  (void)failed;
  PetscCall(HgStoreCreate(s->q, 0, 2, directory, &store));
  fill(s->q, 5);
  PetscCall(HgStorePut(store, 1, 5, s->q));
  PetscCall(serves(store, 1, 5, s->scratch));
  PetscCall(HgStoreDestroy(&store));
  if (!claim.rank) {
    DIR *dir = opendir(directory);
    int left = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) left += e->d_name[0] != '.';
    if (dir) closedir(dir);
    claim_that(!left, "%s: %d files are left", what, left);
  }
  return MPI_Barrier(comm);
}

static PetscErrorCode failures_on_purpose(HgState q, HgState scratch) {
  States s = {q, scratch};
  PetscCall(faults_try(HG_FAULT_MEMORY, in_memory, NULL, &s));
  PetscCall(faults_try(HG_FAULT_MEMORY, in_files, serves_again, &s));
  return faults_try(HG_FAULT_WRITE, in_files, serves_again, &s);
}

static PetscErrorCode places(HgState q) {
  HgStore store;
  char path[128], below[160];
  snprintf(path, sizeof path, "%s/file", directory);
  snprintf(below, sizeof below, "%s/checkpoints", path);
  if (!claim.rank) close(open(path, O_CREAT | O_WRONLY, 0600));
  PetscCallMPI(MPI_Barrier(comm));
  REFUSED(HgStoreCreate(q, 0, 1, path, &store), path, "Not a directory");
  REFUSED(HgStoreCreate(q, 0, 1, below, &store), below, "Not a directory");
  REFUSED(HgStoreCreate(q, 0, 1, "/proc/halograd", &store), "/proc/halograd");
  REFUSED(HgStoreCreate(q, 0, 1, "", &store), "0 characters");
  REFUSED(HgStoreCreate(q, 0, 0, directory, &store), "0 slots");
  REFUSED(HgStoreCreate(q, 3, 2, path, &store), path, "Not a directory");
  REFUSED(HgStoreCreate(q, 0, 0, directory, &store), "0 slots in files and 0 in memory");
  REFUSED(HgStoreCreate(q, 2, -1, directory, &store), "-1 slots in files and 2 in memory");
  PetscCallMPI(MPI_Barrier(comm));
  if (!claim.rank) claim_that(!unlink(path), "%s is untouched", path);
  return 0;
}

static void alter(int file, off_t at) {
  char byte;
  claim_that(pread(file, &byte, 1, at) == 1, "byte %ld can be read", (long)at);
  byte ^= 16;
  claim_that(pwrite(file, &byte, 1, at) == 1, "byte %ld can be written", (long)at);
}

static PetscErrorCode damage(HgStore store, HgState q, HgState scratch) {
  HgState kept;
  struct stat before;
  const int file = store_file();
  fill(q, 5);
  PetscCall(HgStorePut(store, 0, 5, q));
  claim_that(!fstat(file, &before) && !before.st_nlink, "the file has no name");
  const off_t slot = before.st_size / 2, places[] = {0, slot / 2, slot - 1};
  PetscCallMPI(MPI_Barrier(comm));
  for (int k = 0; k < 3; k++) {
    if (claim.rank == last) alter(file, places[k]);
    REFUSED(HgStoreGet(store, 0, 5, scratch, &kept), "slot 0", directory, "altered", "XXH3",
            "expected");
    if (claim.rank == last) alter(file, places[k]);
    PetscCall(serves(store, 0, 5, scratch));
  }
  if (claim.rank == last) claim_that(!ftruncate(file, slot - 1), "it can be cut");
  REFUSED(HgStoreGet(store, 0, 5, scratch, &kept), "slot 0", "ends early");
  PetscCall(HgStorePut(store, 0, 5, q));
  PetscCall(serves(store, 0, 5, scratch));
  HgStateRows(q, 0)[0][1] = NAN; /* which the trajectory looks for, in either tier */
  PetscCall(HgStorePut(store, 1, 6, q));
  PetscCall(HgStoreGet(store, 1, 6, scratch, &kept));
  claim_that(isnan(HgStateRows(kept, 0)[0][1]), "a number that is not finite comes back");
  fill(q, 6);
  PetscCall(HgStorePut(store, 1, 6, q));
  return serves(store, 1, 6, scratch);
}

/* A limit on file sizes acts like a full disk, also in the middle of a write. */
static PetscErrorCode limit(HgStore store, HgState q, HgState scratch) {
  HgStore more = NULL;
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  tight = before, tight.rlim_cur = 1000;
  /* stderr goes to a file as well, in which the sentence must find room. */
  refusal_begin();
  if (claim.rank == last) setrlimit(RLIMIT_FSIZE, &tight);
  PetscErrorCode ierr = HgStorePut(store, 1, 7, q);
  setrlimit(RLIMIT_FSIZE, &before);
  PetscCall(refusal_end(comm, ierr, "slot 1", "cannot write", "bytes", "File too large", NULL));
  refusal_begin();
  if (claim.rank == last) setrlimit(RLIMIT_FSIZE, &tight);
  ierr = HgStoreCreate(q, 0, 3, directory, &more);
  setrlimit(RLIMIT_FSIZE, &before);
  PetscCall(refusal_end(comm, ierr, "cannot reserve", "bytes", "File too large", NULL));
  fill(q, 8);
  PetscCall(HgStorePut(store, 1, 8, q));
  return serves(store, 1, 8, scratch);
}

/* Needs the right to mount; the limit above serves where there is none. */
static PetscErrorCode full_disk(HgState q) {
  HgStore store;
  char disk[96];
  int mounted = 0;
  snprintf(disk, sizeof disk, "%s/disk", directory);
  if (!claim.rank) mounted = !mkdir(disk, 0700) && !mount("none", disk, "tmpfs", 0, "size=32k");
  PetscCallMPI(MPI_Bcast(&mounted, 1, MPI_INT, 0, comm));
  if (mounted)
    REFUSED(HgStoreCreate(q, 0, 100, disk, &store), disk, "cannot reserve", "bytes", "No space");
  PetscCallMPI(MPI_Barrier(comm));
  if (mounted && !claim.rank) {
    DIR *dir = opendir(disk);
    int left = 0;
    for (struct dirent *e; (e = readdir(dir));) left += e->d_name[0] != '.';
    closedir(dir);
    claim_that(!left, "nothing is left on the full disk: %d", left);
    claim_that(!umount2(disk, MNT_DETACH), "%s", disk);
  }
  if (!claim.rank) rmdir(disk);
  return 0;
}

static PetscErrorCode test(void) {
  const HgVariable variables[] = {{"u", "K", HG_FIELD, 0}, {"a", "1", HG_REPLICATED, 5}},
                   others[] = {{"w", "K", HG_FIELD, 0}, {"a", "1", HG_REPLICATED, 5}};
  HgMesh mesh;
  HgState q, scratch, other;
  HgStore store;
  PetscCallMPI(MPI_Comm_size(comm, &last));
  last--;
  if (!claim.rank) {
    snprintf(directory, sizeof directory, "/tmp/halograd-store-XXXXXX");
    claim_that(mkdtemp(directory), "%s can be made", directory);
  }
  PetscCallMPI(MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, comm));
  PetscCall(patches_mesh(comm, last + 1, 3, 1, false, false, &mesh));
  PetscCall(HgStateCreate(mesh, 2, variables, &q));
  PetscCall(HgStateCreate(mesh, 2, others, &other));
  PetscCall(HgStateDuplicate(q, &scratch));
  PetscCall(memory(q, scratch, other));
  PetscCall(failures_on_purpose(q, scratch));
  PetscCall(places(q));
  PetscCall(HgStoreCreate(q, 0, 2, directory, &store));
  PetscCall(steps_and_slots(store, q, scratch, other));
  PetscCall(damage(store, q, scratch));
  PetscCall(limit(store, q, scratch));
  PetscCall(HgStoreDestroy(&store));
  PetscCall(full_disk(q));
  PetscCall(DESTROY(&q, &other, &scratch, &mesh));
  if (!claim.rank) claim_that(!rmdir(directory), "nothing is left in %s", directory);
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (ierr) return HgFinalize(ierr);
  comm = MPI_COMM_WORLD;
  claim_begin("a store that cannot do its work says so once, on every rank", 0);
  return claim_end(test());
}
