/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a gradient that is stopped at any step of either sweep, twice, and goes on with other
   ranks has the bits of one that was not, whatever the program, its walls, schedule and store. */
#include "draws.h"
#include "heat_case.h"
#include "patches.h"
#include "refusal.h"
#include "shallow_case.h"
#include <dirent.h>
#include <halograd/error_library.h>
#include <halograd/restart_library.h>
#include <signal.h>

enum { STEPS = 11 };

static const struct {
  bool shallow, periodic, in_files;
  Walls walls;
  int slots;
} kinds[] = {{.walls = WALLS_MIXED, .slots = STEPS},
             {.walls = WALLS_FROZEN, .slots = 2},
             {.walls = WALLS_PERIODIC, .slots = 3, .in_files = true},
             {.shallow = true, .slots = 3},
             {.shallow = true, .periodic = true, .slots = STEPS}};

enum { KINDS = sizeof kinds / sizeof *kinds };

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
    const ShallowSpec spec = {.nx = 14,
                              .ny = 13,
                              .steps = STEPS,
                              .widens = true,
                              .periodic_x = kinds[k].periodic,
                              .periodic_y = kinds[k].periodic,
                              .slots = kinds[k].slots};
    PetscCall(shallow_create(comm, &spec, &c->shallow));
    c->trajectory = c->shallow.trajectory, c->op = c->shallow.op, c->x = c->shallow.x;
    return 0;
  }
  const HeatSpec spec = {.nx = 13,
                         .ny = 12,
                         .steps = STEPS,
                         .walls = kinds[k].walls,
                         .ghost = 3,
                         .conservative = true,
                         .snapshot = true,
                         .in_files = kinds[k].in_files,
                         .slots = kinds[k].slots};
  PetscCall(heat_create(comm, &spec, &c->heat));
  c->trajectory = c->heat.trajectory, c->op = c->heat.op, c->x = c->heat.x;
  return 0;
}

static PetscErrorCode destroy(int k, Case *c) {
  return kinds[k].shallow ? shallow_destroy(&c->shallow) : heat_destroy(&c->heat);
}

/* ---- where it is stopped ---- */
typedef struct {
  HgMode sweep;
  long n;
} Place;

static long next(void *self, HgMode direction, long n) {
  const Place *p = self;
  return direction == p->sweep && n <= p->n ? p->n : HG_NO_STEP;
}

static PetscErrorCode see(void *self, const HgTrajectorySight *s) {
  (void)self, (void)s;
  return raise(SIGUSR1) ? PETSC_ERR_SYS : 0;
}

/* The k-th place of a gradient at which it may be stopped: q_1 .. q_{N-1}, lambda_N .. lambda_0. */
static Place place(int k) {
  return k < STEPS - 1 ? (Place){HG_PRIMAL, k + 1} : (Place){HG_COTANGENT, 2 * STEPS - 1 - k};
}

static int number(Place p) {
  return p.sweep == HG_NO_MODE  ? -1
         : p.sweep == HG_PRIMAL ? (int)p.n - 1
                                : 2 * STEPS - 1 - (int)p.n;
}

enum { PLACES = 2 * STEPS, LONGEST = 6 /* steps at once */ };

/* A gradient that goes on from `from` and is stopped as soon as it comes to `to`, or where the
   steps made at once end; PLACES: it is not. */
static PetscErrorCode run(MPI_Comm comm, int k, int from, int to, int *stopped, char text[256]) {
  Case c;
  HgRestart restart;
  Place at = to < PLACES ? place(to) : (Place){HG_NO_MODE, 0}, went_on;
  PetscCall(create(comm, k, &c));
  PetscCall(HgRestartCreate(
      c.trajectory, &(HgRestartSpec){.directory = "restart", .interval = 0, .unsynced = true},
      &restart));
  if (from < 0) PetscCall(HgRestartClear(restart)); /* of a test that was killed */
  PetscCall(HgTrajectoryAddObserver(
      c.trajectory, &(HgTrajectoryObserver){.next = next, .see = see, .context = &at}));
  refusal_begin();
  const PetscErrorCode ierr = fingerprint(c.op, c.x, c.trajectory, text);
  PetscCall(refusal_or_success(comm, ierr, "SIGUSR1: stopped at step"));
  HgStopForget();
  HgErrorSetStatus(1);
  HgRestartWentOn(restart, &went_on.sweep, &went_on.n);
  if (!claim.rank)
    claim_that(number(went_on) >= from && number(went_on) < from + LONGEST,
               "case %d, stopped at place %d: goes on at %d", k, from, number(went_on));
  if (!claim.rank)
    claim_that(ierr || to == PLACES || number(went_on) >= to, "case %d: not stopped at place %d", k,
               to);
  *stopped = ierr != 0;
  HgTrajectoryCost cost;
  HgTrajectoryGetCost(c.trajectory, &cost);
  if (!claim.rank && !ierr)
    claim_that(isnan(cost.recompute_factor) == (went_on.sweep != HG_NO_MODE) &&
                   isnan(cost.gradient_over_forward) == (went_on.sweep != HG_NO_MODE),
               "case %d, stopped at place %d: factors %g and %g", k, from, cost.recompute_factor,
               cost.gradient_over_forward);
  PetscCall(HgRestartDestroy(&restart));
  return destroy(k, &c);
}

/* The same on the first `ranks` ranks. */
static PetscErrorCode leg(int k, int ranks, int from, int to, int *stopped, char text[256]) {
  MPI_Comm comm;
  PetscCall(patches_comm(ranks, &comm));
  if (comm != MPI_COMM_NULL) {
    PetscCall(run(comm, k, from, to, stopped, text));
    PetscCallMPI(MPI_Comm_free(&comm));
  }
  PetscCallMPI(MPI_Bcast(stopped, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  return 0;
}

static int files(void) {
  int count = 0;
  DIR *const list = opendir("restart");
  for (struct dirent *e; list && (e = readdir(list));) count += *e->d_name != '.';
  if (list) closedir(list);
  return count;
}

static PetscErrorCode cut(int k, int first, int second, const char expected[]) {
  char text[256] = "";
  int stopped;
  const int ranks = claim.ranks;
  PetscCall(leg(k, ranks, -1, first, &stopped, text));
  if (!claim.rank)
    claim_that(stopped && files() > 0, "case %d: nothing is left of a gradient stopped", k);
  PetscCall(leg(k, PetscMax(1, ranks / 2), first, second, &stopped, text));
  if (stopped) PetscCall(leg(k, PetscMax(1, ranks - 1), second, PLACES, &stopped, text));
  if (claim.rank) return 0;
  claim_that(!strcmp(text, expected), "case %d, cut at places %d and %d: '%s', expected '%s'", k,
             first, second, text, expected);
  claim_that(!files(), "case %d: %d files are left of a gradient that is through", k, files());
  return 0;
}

/* All of them on one rank, every fourth on several, from another on in each case. */
static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  for (int k = 0; k < KINDS; k++) {
    char expected[256];
    Case c;
    PetscCall(create(PETSC_COMM_WORLD, k, &c));
    PetscCall(fingerprint(c.op, c.x, c.trajectory, expected));
    PetscCall(destroy(k, &c));
    const int further = SANITIZED ? 7 : ranks == 1 ? 1 : 4;
    for (int first = k % further; first < PLACES; first += further)
      PetscCall(cut(k, first, PetscMin(PLACES, first + (first * 7 + k) % 9 + 1), expected));
  }
  return 0;
}

CLAIM("a gradient that is stopped anywhere and goes on has the same bits", 0, test)
