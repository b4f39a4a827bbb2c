/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the recording of a gradient that is killed anywhere, twice, and goes on with other ranks
   is that of one that was not, and can be replayed then; one that does not come up to where the
   gradient goes on is not taken up. */
#include "draws.h"
#include "heat_case.h"
#include "patches.h"
#include "recorded.h"
#include "refusal.h"
#include "shallow_case.h"
#include <halograd/recorder_library.h>
#include <halograd/restart_library.h>
#include <halograd/trajectory_library.h>
#include <unistd.h>

enum { STEPS = 11, PLACES = 2 * STEPS + 2, NEVER = PLACES, AGAIN };

static const struct {
  bool shallow;
  int slots, every;
} kinds[] = {{.slots = 2, .every = 1}, {.shallow = true, .slots = STEPS, .every = 3}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *const unbroken[KINDS] = {"unbroken-0", "unbroken-1"}, *const broken[KINDS] = {
                                                                             "broken-0",
                                                                             "broken-1"};

/* Either case, as far as this test looks at it. */
typedef struct {
  HeatCase heat;
  ShallowCase shallow;
  HgTrajectory trajectory;
  HgOperator op;
  HgState x;
} Case;

static PetscErrorCode create(MPI_Comm comm, int k, Case *c) {
  if (kinds[k].shallow) {
    const ShallowSpec spec = {
        .nx = 14, .ny = 13, .steps = STEPS, .widens = true, .slots = kinds[k].slots};
    PetscCall(shallow_create(comm, &spec, &c->shallow));
    c->trajectory = c->shallow.trajectory, c->op = c->shallow.op, c->x = c->shallow.x;
    return 0;
  }
  const HeatSpec spec = {.nx = 13,
                         .ny = 12,
                         .steps = STEPS,
                         .walls = WALLS_MIXED,
                         .ghost = 3,
                         .conservative = true,
                         .snapshot = true,
                         .slots = kinds[k].slots};
  PetscCall(heat_create(comm, &spec, &c->heat));
  c->trajectory = c->heat.trajectory, c->op = c->heat.op, c->x = c->heat.x;
  return 0;
}

static PetscErrorCode destroy(int k, Case *c) {
  return kinds[k].shallow ? shallow_destroy(&c->shallow) : heat_destroy(&c->heat);
}

/* ---- where it is killed: q_0 .. q_N, lambda_N .. lambda_0 ---- */
typedef struct {
  MPI_Comm comm;
  int place;
} Kill;

static long next(void *self, HgMode direction, long n) {
  const int place = ((const Kill *)self)->place;
  const long at = place <= STEPS ? place : 2 * STEPS + 1 - place;
  const HgMode sweep = place <= STEPS ? HG_PRIMAL : HG_COTANGENT;
  return place < NEVER && direction == sweep && n <= at ? at : HG_NO_STEP;
}

static PetscErrorCode see(void *self, const HgTrajectorySight *s) {
  return HgError(((const Kill *)self)->comm, HG_ERR_CHECK_FAILED, "killed at step %ld", s->n);
}

/* After a gradient, wherever that one began: part of it once more. */
static PetscErrorCode replay(HgTrajectory t, int k) {
  HgRecordingDifference d;
  HgRecording r[2];
  PetscCall(HgReplay(t, unbroken[k], 2, 7, "replayed"));
  PetscCall(HgRecordingOpen(HgMeshComm(HgProgramMesh(HgTrajectoryProgram(t))), unbroken[k], &r[0]));
  PetscCall(HgRecordingOpen(HgMeshComm(HgProgramMesh(HgTrajectoryProgram(t))), "replayed", &r[1]));
  PetscCall(HgRecordingCompare(r[0], r[1], &d));
  claim_that(!d.differ && d.compared == 12, "replayed after it went on: differ %d, %d compared",
             d.differ, d.compared);
  PetscCall(HgRecordingClose(&r[0]));
  return HgRecordingClose(&r[1]);
}

/* A gradient that goes on from where the last one was killed, recorded and killed at `place`;
   AGAIN: never, and then replayed. */
static PetscErrorCode run(MPI_Comm comm, int k, bool first, int place, int *armed) {
  Kill at = {comm, place};
  const HgRecorderSpec spec = {.every = kinds[k].every, .goes_on = true};
  char text[256];
  Case c;
  HgRecorder recorder;
  HgRestart restart;
  PetscCall(create(comm, k, &c));
  PetscCall(HgRestartCreate(
      c.trajectory, &(HgRestartSpec){.directory = "restart", .interval = 0, .unsynced = true},
      &restart));
  if (first) PetscCall(HgRestartClear(restart)); /* of a test that was killed */
  PetscCall(HgRecorderCreate(c.trajectory, &spec, &recorder));
  PetscCall(HgRecorderArm(recorder, broken[k]));
  PetscCall(HgTrajectoryAddObserver(
      c.trajectory, &(HgTrajectoryObserver){.next = next, .see = see, .context = &at}));
  refusal_begin();
  const PetscErrorCode ierr = fingerprint(c.op, c.x, c.trajectory, text);
  PetscCall(refusal_or_success(comm, ierr, "killed at step"));
  if (!claim.rank)
    claim_that((place >= NEVER) == !ierr, "case %d: place %d, error %d", k, place, (int)ierr);
  *armed = HgRecorderArmed(recorder);
  PetscCall(HgRecorderDestroy(&recorder));
  PetscCall(HgRestartDestroy(&restart));
  if (place == AGAIN) PetscCall(replay(c.trajectory, k));
  return destroy(k, &c);
}

/* The same on the first `ranks` ranks. */
static PetscErrorCode leg(int k, int ranks, bool first, int place, int *armed) {
  MPI_Comm comm;
  PetscCall(patches_comm(ranks, &comm));
  if (comm != MPI_COMM_NULL) {
    PetscCall(run(comm, k, first, place, armed));
    PetscCallMPI(MPI_Comm_free(&comm));
  }
  PetscCallMPI(MPI_Bcast(armed, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  return 0;
}

/* Of the unbroken gradient and the killed one. */
static PetscErrorCode compare(int k, HgRecordingDifference *d, bool *whole) {
  PetscViewer nowhere;
  HgRecording r[2];
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, unbroken[k], &r[0]));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, broken[k], &r[1]));
  PetscCall(HgRecordingCompare(r[0], r[1], d));
  *whole = r[1]->ledger.whole;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", &nowhere));
  PetscCall(HgRecordingView(r[1], nowhere)); /* every file is verified */
  PetscCall(PetscViewerDestroy(&nowhere));
  PetscCall(HgRecordingClose(&r[0]));
  return HgRecordingClose(&r[1]);
}

/* Both ledgers are of the same bytes. */
static PetscErrorCode same_ledgers(int k, const char what[]) {
  char *text[2];
  PetscCall(recorded_text(PETSC_COMM_WORLD, unbroken[k], "steps.csv", &text[0]));
  PetscCall(recorded_text(PETSC_COMM_WORLD, broken[k], "steps.csv", &text[1]));
  claim_that(!strcmp(text[0], text[1]), "%s: another ledger:\n%s", what, text[1]);
  PetscCall(PetscFree(text[0]));
  return PetscFree(text[1]);
}

static PetscErrorCode cut(int k, int first, int second, int compared) {
  HgRecordingDifference d;
  char what[96];
  bool whole;
  int armed;
  const int ranks = claim.ranks;
  snprintf(what, sizeof what, "case %d, killed at places %d and %d", k, first, second);
  PetscCall(leg(k, ranks, true, first, &armed));
  PetscCall(leg(k, PetscMax(1, ranks / 2), false, second, &armed));
  if (second < NEVER)
    PetscCall(leg(k, PetscMax(1, ranks - 1), false, k || first % 6 ? NEVER : AGAIN, &armed));
  PetscCall(compare(k, &d, &whole));
  claim_that(whole && !armed && !d.differ && d.compared == compared,
             "%s: whole %d, armed %d, differ %d at step %ld, %d steps compared, expected %d", what,
             whole, armed, d.differ, d.n, d.compared, compared);
  return same_ledgers(k, what);
}

/* ---- what is not taken up ---- */
static PetscErrorCode spoiled(int k, int place, const char file[]) {
  HgRecordingDifference d;
  bool whole;
  int armed;
  const int ranks = claim.ranks;
  PetscCall(leg(k, ranks, true, place, &armed));
  claim_that(armed, "a gradient that was killed is waited for");
  if (!claim.rank) claim_that(!unlink(file), "'%s' is not there", file);
  PetscCall(leg(k, ranks, false, NEVER, &armed));
  claim_that(armed, "'%s' is missing: the recording goes on without it", file);
  PetscCall(leg(k, ranks, true, NEVER, &armed));
  PetscCall(compare(k, &d, &whole));
  claim_that(whole && !armed && !d.differ, "'%s' was missing: the next gradient is not recorded",
             file);
  return 0;
}

static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  for (int k = 0; k < KINDS; k++) {
    const HgRecorderSpec spec = {.every = kinds[k].every};
    char text[256];
    Case c;
    PetscCall(create(PETSC_COMM_WORLD, k, &c));
    PetscCall(record_gradient(c.trajectory, c.op, c.x, &spec, unbroken[k], text));
    PetscCall(destroy(k, &c));
    const int compared = 2 * ((STEPS - 1) / kinds[k].every + 2);
    for (int first = 0; first < PLACES; first += SANITIZED ? 7 : ranks == 1 ? 1 : 5)
      PetscCall(cut(k, first, PetscMin(NEVER, first + (first * 7 + k) % 9 + 1), compared));
    if (k) continue;
    PetscCall(spoiled(k, 7, "broken-0/forward-000000003.txt"));
    PetscCall(spoiled(k, 18, "broken-0/reverse-000000008.txt"));
    PetscCall(spoiled(k, 18, "broken-0/steps.csv"));
  }
  return 0;
}

CLAIM("the recording of a gradient that is killed and goes on is that of an unbroken one", 0, test)
