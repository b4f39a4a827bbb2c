/* bench_record: the gradient of 1/2 ||h(T) - D||^2 in the published shallow-water case with every
   tenth step of both sweeps recorded, beside the same gradient without: the ledger alone, states in
   the page cache, states synced to the disk. */
#include "bench.h"
#include "own_shallow.h"
#include <halograd/file.h>
#include <halograd/recorder.h>
#include <string.h>

typedef struct {
  OwnShallowGradient *own;
  HgRecorder recorder;
  const char *folder;
} Recorded;

/* Removes what the last run has recorded. */
static PetscErrorCode clear(void *self) {
  Recorded *r = self;
  return HgRecorderClear(r->recorder, r->folder);
}

/* Only its own recorder is armed. */
static PetscErrorCode run_recorded(void *self) {
  Recorded *r = self;
  PetscCall(HgRecorderArm(r->recorder, r->folder));
  return OwnShallowGradientRun(r->own);
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
    HgRequire(PETSC_COMM_WORLD, own->J == J && !strcmp(plain, other),
              "bench: recorded, J is %.17g and the gradient has digest %s, expected %.17g and %s",
              own->J, other, J, plain);
  }
  return 0;
}

static PetscErrorCode print(MPI_Comm comm, const char what[], int nx, long steps,
                            const BenchCase *c, const BenchCase *plain, double megabytes,
                            BenchSense sense) {
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  BenchLine l = {.row = "record", .ratio = BenchCompare(c, plain, 1), .sense = sense, .goal = 1.10};
  snprintf(l.run, sizeof l.run, "%d^2, %ld steps, %d ranks, %s", nx, steps, ranks, what);
  snprintf(l.own, sizeof l.own, "%.0f ms, %.0f MiB", BenchSeconds(c) * 1e3, megabytes);
  snprintf(l.peer, sizeof l.peer, "not recorded %.0f ms", BenchSeconds(plain) * 1e3);
  return BenchPrint(comm, &l);
}

static PetscErrorCode run(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  static const char *const what[] = {"ledger alone", "cached", "synced"};
  static const char *const folders[] = {"bench_record/ledger", "bench_record/cached",
                                        "bench_record/synced"};

  enum { STEPS = 40, SLOTS = 10 };

  const HgRecorderSpec spec[] = {
      {.every = 10, .ledger_alone = true}, {.every = 10}, {.every = 10, .sync = true}};
  int nx = 1024, ny = 1024, rounds = 5;
  bool stop;
  OwnShallowGradient own;
  Recorded recorded[3];
  PetscCall(OwnShallowOptions("bench_record", "a gradient recorded at every tenth step", &nx, &ny,
                              &rounds, &stop));
  if (stop) return 0;
  PetscCall(OwnShallowGradientCreate(nx, ny, STEPS, HG_SCHEDULE_REVOLVE, SLOTS, false, &own));
  BenchCase c[4] = {{.name = "plain", .run = OwnShallowGradientRun, .context = &own}};
  for (int k = 0; k < 3; k++) {
    recorded[k] = (Recorded){&own, NULL, folders[k]};
    PetscCall(HgRecorderCreate(own.trajectory, &spec[k], &recorded[k].recorder));
    c[k + 1] = (BenchCase){
        .name = what[k], .prepare = clear, .run = run_recorded, .context = &recorded[k]};
  }
  PetscCall(require_same(&own, recorded, 3));
  PetscCall(BenchInterleave(comm, rounds, 4, c));
  for (int k = 0; k < 3; k++) {
    double bytes = HgRecorderBytes(recorded[k].recorder);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, comm));
    PetscCall(print(comm, what[k], nx, STEPS, &c[k + 1], &c[0], bytes / 1048576,
                    k == 1 ? BENCH_AT_MOST : BENCH_NO_GOAL));
    PetscCall(HgRecorderDestroy(&recorded[k].recorder));
  }
  return OwnShallowGradientDestroy(&own);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
