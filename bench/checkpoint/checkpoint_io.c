/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_checkpoint_io: a state written to a slot in a file and read from it, beside pwrite() and
   pread() of the same bytes and beside collective parallel HDF5 of one file; left in the page
   cache, or synced to the disk and read from there. */
#define _GNU_SOURCE
#include "bench.h"
#include "peer_hdf5.h"
#include <fcntl.h>
#include <halograd/memory_library.h>
#include <halograd/options.h>
#include <halograd/store_library.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 20 };

typedef struct {
  MPI_Comm comm;
  int rank;
  HgMesh mesh;
  HgState q, scratch;
  HgStore store;
  PeerHDF5 hdf5;
  double *values; /* the patch without ghosts */
  size_t bytes;
  char directory[256], own[600], raw[600], shared[600]; /* the files of this rank; that of all */
} Files;

/* This rank's file of the store, which has no name. */
static PetscErrorCode find_own(Files *f) {
  char target[600];
  for (int file = 3; !*f->own && file < 1024; file++) {
    snprintf(f->own, sizeof f->own, "/proc/self/fd/%d", file);
    const ssize_t n = readlink(f->own, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    if (!strstr(target, "/slots-") || !strstr(target, " (deleted)")) *f->own = 0;
  }
  return HgAgree(f->comm, !*f->own, HG_ERR_CHECK_FAILED, "bench: no file of slots under '%s'",
                 f->directory);
}

static double value(double x, double y, void *unused) {
  (void)unused;
  return 1 + 3 * x + 5 * y;
}

static PetscErrorCode create(MPI_Comm comm, int n, const char directory[], Files *f) {
  static const HgVariable u = {"u", "K", HG_GHOSTED, 0};
  const HgMeshSpec spec = {.nx = n, .ny = n, .dx = 1, .dy = 1, .ghost = 1};
  *f = (Files){.comm = comm};
  PetscCallMPI(MPI_Comm_rank(comm, &f->rank));
  snprintf(f->directory, sizeof f->directory, "%s", directory);
  PetscCall(HgMeshCreate(comm, &spec, &f->mesh));
  PetscCall(HgStateCreate(f->mesh, 1, &u, &f->q));
  PetscCall(HgStateSetField(f->q, "u", value, NULL));
  PetscCall(HgStateDuplicate(f->q, &f->scratch));
  PetscCall(HgStoreCreate(f->q, 0, 1, directory, &f->store));
  PetscCall(find_own(f));
  const HgPatch *p = HgMeshGetPatch(f->mesh);
  f->bytes = sizeof(double) * (size_t)p->nx * (size_t)p->ny;
  f->values = HgZeroedMemory(f->bytes);
  for (int j = 0; j < p->ny; j++)
    memcpy(f->values + (size_t)j * (size_t)p->nx, HgStateRows(f->q, 0)[j],
           sizeof(double) * (size_t)p->nx);
  snprintf(f->raw, sizeof f->raw, "%s/raw-%d", directory, f->rank);
  snprintf(f->shared, sizeof f->shared, "%s/shared.h5", directory);
  const int file = open(f->raw, O_RDWR | O_CREAT | O_TRUNC, 0600);
  const int error = file < 0 ? 1 : posix_fallocate(file, 0, (off_t)f->bytes);
  if (file >= 0) close(file);
  PetscCall(HgAgree(comm, error, HG_ERR_CHECK_FAILED, "bench: cannot reserve %zu bytes for '%s'",
                    f->bytes, f->raw));
  return PeerHDF5Create(comm, f->shared, n, n,
                        (const int[4]){p->i_global, p->j_global, p->nx, p->ny}, &f->hdf5);
}

static PetscErrorCode destroy(Files *f) {
  PetscCall(PeerHDF5Destroy(&f->hdf5));
  unlink(f->raw);
  PetscCallMPI(MPI_Barrier(f->comm));
  PetscCall(HgStoreDestroy(&f->store));
  HgFreeMemory(f->values, f->bytes);
  PetscCall(HgStateDestroy(&f->q));
  PetscCall(HgStateDestroy(&f->scratch));
  return HgMeshDestroy(&f->mesh);
}

/* What is in the file gets to the disk; `forget`: and out of the page cache. */
static PetscErrorCode sync_file(Files *f, const char path[], bool forget) {
  const int file = open(path, O_RDWR);
  bool failed = file < 0 || fsync(file);
  if (!failed && forget) failed = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0;
  if (file >= 0) close(file);
  return HgAgree(f->comm, failed, HG_ERR_CHECK_FAILED, "bench: cannot sync '%s'", path);
}

/* ---- ours ---- */

static PetscErrorCode own_write(void *self) {
  Files *f = self;
  return HgStorePut(f->store, 0, 7, f->q);
}

static PetscErrorCode own_read(void *self) {
  Files *f = self;
  HgState got;
  return HgStoreGet(f->store, 0, 7, f->scratch, &got);
}

static PetscErrorCode own_sync(void *self) {
  Files *f = self;
  PetscCall(own_write(f));
  return sync_file(f, f->own, false);
}

static PetscErrorCode own_forget(void *self) {
  Files *f = self;
  return sync_file(f, f->own, true);
}

/* ---- pwrite() and pread() ---- */

static PetscErrorCode raw_write(void *self) {
  Files *f = self;
  const int file = open(f->raw, O_WRONLY);
  bool failed = file < 0;
  for (size_t at = 0; !failed && at < f->bytes; at += BLOCK) {
    const size_t n = PetscMin(BLOCK, f->bytes - at);
    failed = pwrite(file, (char *)f->values + at, n, (off_t)at) != (ssize_t)n;
  }
  if (file >= 0) close(file);
  return HgAgree(f->comm, failed, HG_ERR_CHECK_FAILED, "bench: cannot write '%s'", f->raw);
}

static PetscErrorCode raw_read(void *self) {
  Files *f = self;
  const int file = open(f->raw, O_RDONLY);
  bool failed = file < 0;
  for (size_t at = 0; !failed && at < f->bytes; at += BLOCK) {
    const size_t n = PetscMin(BLOCK, f->bytes - at);
    failed = pread(file, (char *)f->values + at, n, (off_t)at) != (ssize_t)n;
  }
  if (file >= 0) close(file);
  return HgAgree(f->comm, failed, HG_ERR_CHECK_FAILED, "bench: cannot read '%s'", f->raw);
}

static PetscErrorCode raw_sync(void *self) {
  Files *f = self;
  PetscCall(raw_write(f));
  return sync_file(f, f->raw, false);
}

static PetscErrorCode raw_forget(void *self) {
  Files *f = self;
  return sync_file(f, f->raw, true);
}

/* ---- parallel HDF5 ---- */

static PetscErrorCode hdf5_write(void *self) {
  Files *f = self;
  return PeerHDF5Write(f->hdf5, f->values);
}

static PetscErrorCode hdf5_read(void *self) {
  Files *f = self;
  return PeerHDF5Read(f->hdf5, f->values);
}

static PetscErrorCode hdf5_sync(void *self) {
  Files *f = self;
  PetscCall(hdf5_write(f));
  return sync_file(f, f->shared, false);
}

static PetscErrorCode hdf5_forget(void *self) {
  Files *f = self;
  return sync_file(f, f->shared, true);
}

/* All three files hold the numbers that were written. */
static PetscErrorCode require_same(Files *f) {
  const HgPatch *p = HgMeshGetPatch(f->mesh);
  BenchFn *const reads[] = {raw_read, hdf5_read};
  PetscCall(HgStateZero(f->scratch));
  PetscCall(own_read(f));
  for (int k = 0; k < 2; k++) {
    bool same = true;
    memset(f->values, 0, f->bytes);
    PetscCall(reads[k](f));
    for (int j = 0; same && j < p->ny; j++)
      same = !memcmp(f->values + (size_t)j * (size_t)p->nx, HgStateRows(f->scratch, 0)[j],
                     sizeof(double) * (size_t)p->nx) &&
             !memcmp(HgStateRows(f->scratch, 0)[j], HgStateRows(f->q, 0)[j],
                     sizeof(double) * (size_t)p->nx);
    PetscCall(HgAgree(f->comm, !same, HG_ERR_CHECK_FAILED,
                      "bench: '%s' has other numbers than were written", k ? f->shared : f->raw));
  }
  return 0;
}

static PetscErrorCode row(Files *f, const char what[], int rounds, BenchFn *const prepare[3],
                          BenchFn *const run[3]) {
  static const char *const names[] = {"halograd", "raw", "parallel HDF5"};
  BenchCase c[3];
  double bytes = (double)f->bytes;
  int ranks;
  PetscCallMPI(MPI_Comm_size(f->comm, &ranks));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, f->comm));
  for (int k = 0; k < 3; k++)
    c[k] = (BenchCase){.name = names[k], .prepare = prepare[k], .run = run[k], .context = f};
  PetscCall(BenchInterleave(f->comm, rounds, 3, c));
  for (int k = 1; k < 3; k++) {
    BenchLine l = {.row = "checkpoint-io", .sense = BENCH_AT_LEAST, .goal = k == 1 ? 0.9 : 2};
    l.ratio = BenchCompare(&c[k], &c[0], 1);
    snprintf(l.run, sizeof l.run, "%s, %.0f MiB, %d ranks", what, bytes / 1048576, ranks);
    snprintf(l.own, sizeof l.own, "%.2f GB/s", bytes / BenchSeconds(&c[0]) / 1e9);
    snprintf(l.peer, sizeof l.peer, "%s %.2f GB/s", names[k], bytes / BenchSeconds(&c[k]) / 1e9);
    PetscCall(BenchPrint(f->comm, &l));
  }
  return 0;
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  BenchFn *const nothing[3] = {NULL, NULL, NULL},
                 *const forget[3] = {own_forget, raw_forget, hdf5_forget},
                 *const write[3] = {own_write, raw_write, hdf5_write},
                 *const sync[3] = {own_sync, raw_sync, hdf5_sync},
                 *const read[3] = {own_read, raw_read, hdf5_read};
  int n = 8192, rounds = 5;
  char directory[256] = "bench_io";
  Files f;
  HgOptions options;
  PetscCall(HgOptionsCreate(comm, "bench_checkpoint_io", "states in files", &options));
  PetscCall(HgOptionsInt(options, "-n", "cells along x and y", "", 16, 32768, &n));
  PetscCall(HgOptionsString(options, "-directory", "of the files", sizeof directory, directory));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, &rounds));
  PetscCall(HgOptionsEnd(options));
  PetscCall(create(comm, n, directory, &f));
  PetscCall(row(&f, "written, cached", rounds, nothing, write));
  PetscCall(row(&f, "read, cached", rounds, nothing, read));
  PetscCall(row(&f, "written, synced", rounds, nothing, sync));
  PetscCall(row(&f, "read from the disk", rounds, forget, read));
  PetscCall(require_same(&f));
  return destroy(&f);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
