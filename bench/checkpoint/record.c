/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_record: the gradient of 1/2 ||h(T) - D||^2 in the published shallow-water case with every
   tenth step of both sweeps recorded, beside the same gradient without: in the page cache, and synced
   to the disk. What no recorder can avoid stands beside it: an
   observer that stops at the same steps, and one that writes their fields with writev() and nothing
   else. */
#include "bench.h"
#include "own_shallow.h"
#include <fcntl.h>
#include <halograd/file_library.h>
#include <halograd/recorder_library.h>
#include <halograd/trajectory_library.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct {
  OwnShallowGradient *own;
  HgRecorder recorder;
  const char *folder;
} Recorded;

/* Removes what the last run has recorded. */
static PetscErrorCode clear(void *self) {
  return HgRecordingClear(PETSC_COMM_WORLD, ((Recorded *)self)->folder);
}

/* Only its own recorder is armed. */
static PetscErrorCode run_recorded(void *self) {
  Recorded *r = self;
  PetscCall(HgRecorderArm(r->recorder, r->folder));
  return OwnShallowGradientRun(r->own);
}

/* ---- what no recorder can avoid ---- */
enum { EVERY = 10 };

typedef struct {
  OwnShallowGradient *own;
  bool writes;
  double bytes;
} Plain;

static long plain_next(void *self, HgMode direction, long n) {
  (void)self, (void)direction;
  return HgStepMultiple(EVERY, n);
}

static void plain_path(int rank, HgMode direction, long n, char path[PETSC_MAX_PATH_LEN]) {
  snprintf(path, PETSC_MAX_PATH_LEN, "bench_record/plain/%d-%ld-rank-%d", (int)direction, n, rank);
}

static off_t plain_bytes(HgState q) {
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(q));
  return (off_t)sizeof(double) * patch->nx * patch->ny * HgStateCount(q);
}

/* The owned cells of all fields, as pieces of memory, into room that was asked for before. */
static PetscErrorCode plain_see(void *self, const HgTrajectorySight *s) {
  Plain *p = self;
  const HgMesh mesh = HgStateMesh(s->state);
  const HgPatch *patch = HgMeshGetPatch(mesh);
  char path[PETSC_MAX_PATH_LEN];
  int rank;
  if (!p->writes) return 0;
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(mesh), &rank));
  plain_path(rank, s->direction, s->n, path);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  bool good = file >= 0 && !posix_fallocate(file, 0, plain_bytes(s->state));
  for (int k = 0; good && k < HgStateCount(s->state); k++) {
    enum { AT_ONCE = 128 };

    struct iovec row[AT_ONCE];
    HgReal *const *u = HgStateRows(s->state, k);
    for (int j = 0, n; good && j < patch->ny; j += n) {
      const size_t bytes = sizeof(double) * (size_t)patch->nx;
      for (n = 0; n < AT_ONCE && j + n < patch->ny; n++) row[n] = (struct iovec){u[j + n], bytes};
      good = writev(file, row, n) == (ssize_t)((size_t)n * bytes);
      p->bytes += (double)n * (double)bytes;
    }
  }
  if (file >= 0) close(file);
  return HgAgree(HgMeshComm(mesh), !good, HG_ERR_CHECK_FAILED, "bench: cannot write '%s'", path);
}

static PetscErrorCode plain_clear(void *self) {
  Plain *p = self;
  char path[PETSC_MAX_PATH_LEN];
  int rank;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (HgMode direction = 0; direction < HG_MODES; direction++)
    for (long n = 0; n <= HgTrajectorySteps(p->own->trajectory); n += EVERY) {
      plain_path(rank, direction, n, path);
      unlink(path);
    }
  return 0;
}

static PetscErrorCode run_plain(void *self) {
  Plain *p = self;
  p->bytes = 0;
  PetscCall(HgTrajectoryAddObserver(
      p->own->trajectory,
      &(HgTrajectoryObserver){.next = plain_next, .see = plain_see, .context = p}));
  PetscCall(OwnShallowGradientRun(p->own));
  return HgTrajectoryRemoveObserver(p->own->trajectory, p);
}

/* What recording must not change. */
static PetscErrorCode require_same(OwnShallowGradient *own, Recorded *recorded, int count) {
  char plain[17], other[17];
  PetscCall(OwnShallowGradientRun(own));
  const double J = own->J;
  PetscCall(HgStateDigest(own->x_bar, NULL, plain));
  for (int k = 0; k < count; k++) {
    PetscCall(run_recorded(&recorded[k]));
    PetscCall(HgStateDigest(own->x_bar, NULL, other));
    HgRequire(PETSC_COMM_WORLD, own->J == J && !strcmp(plain, other), HG_ERR_CHECK_FAILED,
              "bench: recorded, J is %.17g and the gradient has digest %s, expected %.17g and %s",
              own->J, other, J, plain);
  }
  return 0;
}

static PetscErrorCode print(MPI_Comm comm, int nx, long steps, const BenchCase *c,
                            const BenchCase *plain, double bytes, BenchSense sense) {
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, comm));
  BenchLine l = {.row = "record", .ratio = BenchCompare(c, plain, 1), .sense = sense, .goal = 1.10};
  snprintf(l.run, sizeof l.run, "%d^2, %ld steps, %d ranks, %s", nx, steps, ranks, c->name);
  snprintf(l.own, sizeof l.own, "%.0f ms, %.0f MiB", BenchSeconds(c) * 1e3, bytes / 1048576);
  snprintf(l.peer, sizeof l.peer, "%s %.0f ms", plain->name, BenchSeconds(plain) * 1e3);
  return BenchPrint(comm, &l);
}

/* c[0]: not recorded; c[1] and c[2]: what no recorder can avoid; then the recorders. */
static PetscErrorCode compare(MPI_Comm comm, int nx, long steps, int rounds, BenchCase c[],
                              Plain plain[2], Recorded recorded[2]) {
  PetscCall(BenchInterleave(comm, rounds, 5, c));
  for (int k = 0; k < 2; k++)
    PetscCall(print(comm, nx, steps, &c[1 + k], &c[0], plain[k].bytes, BENCH_NO_GOAL));
  for (int k = 0; k < 2; k++) {
    const double bytes = HgRecorderBytes(recorded[k].recorder);
    PetscCall(print(comm, nx, steps, &c[3 + k], &c[0], bytes, k ? BENCH_NO_GOAL : BENCH_AT_MOST));
  }
  return print(comm, nx, steps, &c[3], &c[2], HgRecorderBytes(recorded[0].recorder), BENCH_NO_GOAL);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  static const char *const what[] = {"cached", "synced"};
  static const char *const folders[] = {"bench_record/cached", "bench_record/synced"};

  enum { STEPS = 40, SLOTS = 10 };

  const HgRecorderSpec spec[] = {{.every = EVERY}, {.every = EVERY, .sync = true}};
  int nx = 1024, ny = 1024, rounds = 5;
  OwnShallowGradient own;
  Recorded recorded[2];
  PetscCall(OwnShallowOptions("bench_record", "a gradient recorded at every tenth step", &nx, &ny,
                              &rounds));
  PetscCall(HgDirectoryCreate(comm, "bench_record/plain"));
  PetscCall(OwnShallowGradientCreate(nx, ny, STEPS, SLOTS, false, &own));
  Plain plain[2] = {{&own, false, 0}, {&own, true, 0}};
  BenchCase c[5] = {
      {.name = "not recorded", .run = OwnShallowGradientRun, .context = &own},
      {.name = "looked at", .run = run_plain, .context = &plain[0]},
      {.name = "writev", .prepare = plain_clear, .run = run_plain, .context = &plain[1]}};
  for (int k = 0; k < 2; k++) {
    recorded[k] = (Recorded){&own, NULL, folders[k]};
    PetscCall(HgRecorderCreate(own.trajectory, &spec[k], &recorded[k].recorder));
    c[k + 3] = (BenchCase){
        .name = what[k], .prepare = clear, .run = run_recorded, .context = &recorded[k]};
  }
  PetscCall(require_same(&own, recorded, 2));
  PetscCall(compare(comm, nx, STEPS, rounds, c, plain, recorded));
  PetscCall(plain_clear(&plain[1]));
  for (int k = 0; k < 2; k++) PetscCall(HgRecorderDestroy(&recorded[k].recorder));
  return OwnShallowGradientDestroy(&own);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
