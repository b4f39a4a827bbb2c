/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a parameter server applies every mini-batch once, each gradient within the bound of
   staleness, while one worker is slow; m is the server's on every group; errors of a worker or of
   the server stop all. With -lose a worker stops answering: it is named, the others do its work and
   the job ends with an error; with -lose -late it answers later than the server waits, and ends
   with the others, not before them. */
#include "claim.h"
#include "refusal.h"
#include <halograd/error_library.h>
#include <halograd/stochastic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { UPDATES = 40, LATE = UPDATES - 4, SLOW = 1, NX = 5, NY = 7 };

/* Files that tell processes of others: the slow worker has begun; LATE updates are made. */
static const char begun[] = "begun", late[] = "late";

static const HgVariable variables[] = {{"u", "1", HG_FIELD, 0}, {"n", "1", HG_REPLICATED, 1}};

typedef struct {
  HgExperiments x;
  long fail_ticket, fail_update, lose_ticket; /* -1: none */
  long bound, seen[10 * UPDATES], updates, slow_updates;
  int comes_back; /* the lost worker answers after so many seconds; the others take their time */
  bool late;      /* the slow worker begins first and does nothing before LATE updates are made */
} Case;

static void sleep_ms(long ms) {
  nanosleep(&(struct timespec){ms / 1000, 1000000L * (ms % 1000)}, NULL);
}

static PetscErrorCode lost(int workers, HgState m, void *context) {
  const Case *c = context;
  const bool others = HgExperimentsGroup(c->x)->count > 2;
  (void)m;
  claim_that(workers == 1 && c->updates == (others ? UPDATES : c->updates) &&
                 c->updates >= (others ? UPDATES : 1),
             "%ld updates without %d workers", c->updates, workers);
  if (claim.failures) fprintf(stderr, "halograd: a second sentence, to fail the test\n");
  return 0;
}

static PetscErrorCode mark(const char name[]) {
  FILE *file = fopen(name, "w");
  return file && !fclose(file) ? 0 : PETSC_ERR_FILE_OPEN;
}

static void await(const char name[]) {
  while (access(name, F_OK)) sleep_ms(1);
}

/* n, which counts the updates, comes back as the gradient: it tells the version of m. */
static PetscErrorCode work(long ticket, HgState m, double *J, HgState gradient, void *context) {
  const Case *c = context;
  const int group = HgExperimentsGroup(c->x)->number;
  if (group == SLOW) sleep_ms(4);
  if (group == SLOW && c->late) PetscCall(mark(begun));
  if (c->late) await(group == SLOW ? late : begun);
  if (group == SLOW && c->lose_ticket >= 0 && ticket >= c->lose_ticket)
    sleep_ms(c->comes_back ? 1000 * c->comes_back : 600000);
  if (group != SLOW && c->comes_back) sleep_ms(600);
  HgRequire(HgExperimentsGroup(c->x)->comm, ticket != c->fail_ticket, HG_ERR_CHECK_FAILED,
            "planted: mini-batch %ld fails", ticket);
  PetscCall(HgStateCopy(m, gradient));
  *J = 100. + (double)ticket;
  return 0;
}

static PetscErrorCode update(const HgUpdate *u, HgState gradient, HgState m, void *context) {
  Case *c = context;
  const double version = HgStateArray(gradient, 1)[0], now = HgStateArray(m, 1)[0];
  HgRequire(HgExperimentsGroup(c->x)->comm, u->number != c->fail_update, HG_ERR_CHECK_FAILED,
            "planted: update %ld fails", u->number);
  claim_same((double)u->number, (double)++c->updates, "updates are numbered");
  claim_same((double)u->staleness, now - version, "staleness of update %ld", u->number);
  claim_same(HgStateRows(gradient, 0)[0][0], version, "the field is as old as the array");
  claim_same(u->J, 100. + (double)u->ticket, "J of update %ld", u->number);
  if (c->bound >= 0) claim_at_most((double)u->staleness, (double)c->bound, "bound of staleness");
  if (claim_that(u->ticket >= 0 && u->ticket < 10 * UPDATES, "ticket %ld", u->ticket))
    claim_same((double)++c->seen[u->ticket], 1, "mini-batch %ld is applied once", u->ticket);
  c->slow_updates += u->worker == SLOW;
  if (c->late && u->number == LATE) PetscCall(mark(late));
  HgStateArray(m, 1)[0] += 1;
  return HgStateSetConstant(m, "u", HgStateArray(m, 1)[0]);
}

static HgServerTable table_of(Case *c) { return (HgServerTable){work, update, lost, c}; }

static PetscErrorCode run_case(HgExperiments x, HgState m, Case *c, HgServerReport *report) {
  const HgServerTable table = table_of(c);
  const HgServerSpec spec = {UPDATES, c->bound, c->lose_ticket < 0 ? 60 : 4};
  PetscCall(HgStateZero(m));
  return HgServerRun(x, &spec, &table, m, report);
}

static PetscErrorCode bounds(HgExperiments x, HgState m) {
  const int workers = HgExperimentsGroup(x)->count - 1;
  for (long bound = HG_UNBOUNDED; bound < 4; bound++) {
    Case c = {x, -1, -1, -1, bound, {0}, 0, 0, 0, workers > 1 && bound < 0};
    HgServerReport report;
    if (!claim.rank) unlink(begun), unlink(late);
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(run_case(x, m, &c, &report));
    claim_same(HgStateArray(m, 1)[0], UPDATES, "m of all groups, bound %ld", bound);
    claim_same(HgStateRows(m, 0)[0][0], UPDATES, "field of all groups, bound %ld", bound);
    if (HgExperimentsGroup(x)->number) continue;
    claim_same((double)c.updates, UPDATES, "updates, bound %ld", bound);
    claim_that(c.slow_updates > 0, "the slow worker takes part, bound %ld", bound);
    for (long t = 0; t < UPDATES; t++) claim_same((double)c.seen[t], 1, "mini-batch %ld", t);
    if (workers > 1 && bound < 0)
      claim_that(report.staleness >= LATE && c.slow_updates <= UPDATES - LATE,
                 "unbounded: staleness %ld, %ld updates of the slow one", report.staleness,
                 c.slow_updates);
  }
  return 0;
}

static PetscErrorCode errors(HgExperiments x, HgState m) {
  HgServerReport report;
  HgErrorSetPatience(100); /* all come, on a machine as slow as it may be */
  Case worker = {x, 9, -1, -1, HG_UNBOUNDED, {0}, 0, 0, 0, false}, server = worker;
  server.fail_ticket = -1, server.fail_update = 7;
  REFUSED(run_case(x, m, &worker, &report), "planted: mini-batch 9 fails");
  REFUSED(run_case(x, m, &server, &report), "planted: update 7 fails");
  const HgServerTable table = table_of(&server);
  REFUSED(HgServerRun(x, &(HgServerSpec){0, 1, 1}, &table, m, &report), "0 updates");
  REFUSED(HgServerRun(x, &(HgServerSpec){1, -2, 1}, &table, m, &report), "-2 updates old");
  REFUSED(HgServerRun(x, &(HgServerSpec){1, 1, 0}, &table, m, &report), "patience of 0 s");
  HgExperiments alone;
  PetscCall(HgExperimentsCreate(HgExperimentsGroup(x)->comm, 1, 1, &alone));
  PetscCall(bounds(x, m)); /* after errors all is as before */
  if (!HgExperimentsGroup(x)->number) {
    refusal_begin();
    HgErrorHold(false); /* by x */
    const PetscErrorCode ierr = HgServerRun(alone, &(HgServerSpec){1, 1, 1}, &table, m, &report);
    HgErrorHold(true);
    PetscCall(
        refusal_end(HgExperimentsGroup(alone)->comm, ierr, "1 group of ranks", "one worker", NULL));
  }
  return HgExperimentsDestroy(&alone);
}

/* Worker 1 never answers its third mini-batch or later, or after so many seconds. */
static PetscErrorCode lose(HgExperiments x, HgState m, int comes_back) {
  Case c = {x, -1, -1, 3, 2, {0}, 0, 0, comes_back, false};
  HgServerReport report;
  return run_case(x, m, &c, &report);
}

static PetscErrorCode run(void) {
  HgExperiments x;
  HgMesh mesh;
  HgState m;
  const int size = claim.ranks;
  PetscInt late_by = 0;
  PetscBool losing;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-lose", &losing));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-late", &late_by, NULL));
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 1, .dy = 1, .ghost = 1};
  for (int groups = 2; groups <= size; groups++) {
    if (size % groups || groups > 6 || (losing && groups < size)) continue;
    PetscCall(HgExperimentsCreate(PETSC_COMM_WORLD, groups, groups, &x));
    PetscCall(HgMeshCreate(HgExperimentsGroup(x)->comm, &spec, &mesh));
    PetscCall(HgStateCreate(mesh, 2, variables, &m));
    if (losing) PetscCall(lose(x, m, (int)late_by));
    PetscCall(bounds(x, m));
    PetscCall(errors(x, m));
    PetscCall(DESTROY(&m, &mesh));
    PetscCall(HgExperimentsDestroy(&x));
  }
  return 0;
}

CLAIM("a parameter server applies every mini-batch once, in time", 0, run)
