/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/error_library.h>
#include <halograd/mailbox_library.h>
#include <halograd/stochastic.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

/* ---- what travels ---- */
typedef enum { HELLO, GRADIENT, FAILED, WORK, STOP } Letter;

enum { WORDS = 2 /* letter; ticket, or with a stop how many workers are lost */ };

/* The numbers of a letter: m or its gradient, packed, and J. */
typedef struct {
  HgMailbox box;
  size_t length;
  double *numbers;
} Post;

/* ---- a worker ---- */

/* A silent server waits for others, updates, or has given up this worker without telling it; then
   the worker ends with the job. */
static PetscErrorCode work(const HgServerTable *table, Post *p, HgState m) {
  HgState gradient;
  double limit = INFINITY;
  PetscErrorCode ierr = 0;
  int64_t words[WORDS] = {HELLO, 0};
  PetscCall(HgStateDuplicate(m, &gradient));
  PetscCall(HgMailboxPost(p->box, 0, words, NULL));
  for (;;) {
    bool arrived;
    PetscCall(HgMailboxWait(p->box, 0, limit, &arrived));
    if (!arrived) HgErrorEndJob();
    PetscCall(HgMailboxTake(p->box, 0, words, p->numbers));
    if (words[0] == STOP && words[1]) {
      /* Another worker is lost, which blocks all collective calls of MPI: waits until the server
         has finished with the remaining workers, has written its results, and ends. */
      (void)HgMailboxWait(p->box, 0, INFINITY, &arrived);
      _exit(1);
    }
    if (words[0] == STOP) break;
    HgStateUnpack(p->numbers, m);
    PetscCall(HgStateZero(gradient));
    ierr = table->work((long)words[1], m, &p->numbers[p->length], gradient, table->context);
    HgStatePack(gradient, p->numbers);
    words[0] = ierr ? FAILED : GRADIENT;
    PetscCall(HgMailboxPost(p->box, 0, words, p->numbers));
    if (ierr) limit = HgErrorPatience(); /* with what the others are at */
  }
  PetscCall(HgStateDestroy(&gradient));
  return ierr;
}

/* ---- the server ---- */
typedef enum { NEW, IDLE, BUSY, STOPPED, LOST } Status;

typedef struct {
  Status status;
  long ticket, version; /* busy: of the m that it was given */
  double since;         /* when it was last spoken to */
} Worker;

typedef struct {
  HgExperiments x;
  HgServerSpec spec;
  const HgServerTable *table;
  Post post;
  HgState m, gradient;
  Worker *worker; /* [groups], 0 unused */
  int last;       /* served */
  long applied, tickets;
  double start;
  PetscErrorCode ierr;
  double failed; /* when ierr was set */
  HgServerReport *report;
  int lost; /* workers given up */
} Server;

static int count(const Server *s, Status status) {
  int workers = 0;
  for (int w = 1; w < HgExperimentsGroup(s->x)->count; w++)
    workers += s->worker[w].status == status;
  return workers;
}

/* Whether all outstanding gradients but that of `except` can be applied in time after `applied`
   updates. Those with version v are applied next; the last of them is update number applied +
   count, so its staleness is applied + count - 1 - v. */
static bool in_time(const Server *s, long applied, int except) {
  if (s->spec.max_staleness < 0) return true;
  for (int w = 1; w < HgExperimentsGroup(s->x)->count; w++) {
    long older = 0;
    if (w == except || s->worker[w].status != BUSY) continue;
    for (int o = 1; o < HgExperimentsGroup(s->x)->count; o++)
      older += o != except && s->worker[o].status == BUSY &&
               s->worker[o].version <= s->worker[w].version;
    if (applied + older - 1 - s->worker[w].version > s->spec.max_staleness) return false;
  }
  return true;
}

static bool may_give(const Server *s) {
  const long bound = s->spec.max_staleness;
  return bound < 0 || count(s, BUSY) <= bound;
}

/* The server's next action, chosen by its first rank for all. */
typedef enum { TAKE, GIVE, END, DROP, DISMISS, GIVE_UP } Act;

static bool find_act(Server *s, Act *act, int *w) {
  const int groups = HgExperimentsGroup(s->x)->count;
  const bool enough = s->ierr || s->applied + count(s, BUSY) >= s->spec.updates;
  const double now = MPI_Wtime();
  bool all_gone = true;
  *act = GIVE_UP; /* those who are at work, after an error */
  if (s->ierr && now - s->failed > HgErrorPatience()) return true;
  for (int k = 1; k < groups; k++) {
    *w = 1 + (s->last + k - 1) % (groups - 1); /* in turn, beginning after the last one */
    Worker *o = &s->worker[*w];
    if (o->status == STOPPED || o->status == LOST) continue;
    all_gone = false;
    if (o->status == IDLE) { /* kept until all have come: it may have to do the work of another */
      *act = enough ? DISMISS : GIVE;
      if (enough ? count(s, BUSY) + count(s, NEW) == 0 : may_give(s)) return true;
      continue;
    }
    const bool arrived = HgMailboxArrived(s->post.box, *w);
    *act = arrived ? TAKE : DROP;
    if (arrived && (o->status == NEW || s->ierr || in_time(s, s->applied + 1, *w))) return true;
    if (!arrived && now - o->since > s->spec.patience) return true;
  }
  *act = END;
  return all_gone;
}

static PetscErrorCode decide(Server *s, Act *act, int *w) {
  const struct timespec pause = {0, 100000};
  int choice[2], rank;
  PetscCallMPI(MPI_Comm_rank(HgExperimentsGroup(s->x)->comm, &rank));
  while (!rank && !find_act(s, act, w)) nanosleep(&pause, NULL);
  choice[0] = (int)*act, choice[1] = *w;
  PetscCallMPI(MPI_Bcast(choice, 2, MPI_INT, 0, HgExperimentsGroup(s->x)->comm));
  *act = (Act)choice[0], *w = choice[1];
  return 0;
}

static PetscErrorCode drop(Server *s, int w) {
  const Worker *o = &s->worker[w];
  char what[64] = "without a hello";
  if (o->status == BUSY) snprintf(what, sizeof what, "with mini-batch %ld", o->ticket);
  int size, rank;
  PetscCallMPI(MPI_Comm_size(HgExperimentsGroup(s->x)->comm, &size));
  PetscCallMPI(MPI_Comm_rank(HgExperimentsGroup(s->x)->comm, &rank));
  s->worker[w].status = LOST, s->lost++;
  HgErrorHold(false); /* by the experiments: said now, the job goes on */
  HgError(HgExperimentsGroup(s->x)->comm, HG_ERR_RANK_LOST,
          "parameter server: worker %d (ranks %d to %d) has been silent for %g s %s; the others do "
          "its work, then the job ends with an error",
          w, w * size, (w + 1) * size - 1, s->spec.patience, what);
  HgErrorHold(true);
  return 0;
}

static void fail(Server *s, PetscErrorCode ierr) {
  if (ierr && !s->ierr) s->ierr = ierr, s->failed = MPI_Wtime();
}

/* Takes an arrived gradient. Other ranks of the worker may be dead though its first is alive. */
static PetscErrorCode take_gradient(Server *s, int w) {
  Worker *o = &s->worker[w];
  int64_t words[WORDS];
  bool arrived;
  PetscCall(HgMailboxWait(s->post.box, w, s->spec.patience, &arrived));
  int all = arrived;
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, HgExperimentsGroup(s->x)->comm));
  if (!all) return drop(s, w);
  PetscCall(HgMailboxTake(s->post.box, w, words, s->post.numbers));
  s->last = w, o->status = IDLE;
  if (words[0] == FAILED) fail(s, HG_ERROR_TOLD);
  if (words[0] != GRADIENT || s->ierr) return 0;
  const HgUpdate update = {
      s->applied + 1,        o->ticket, w, s->applied - o->version, s->post.numbers[s->post.length],
      MPI_Wtime() - s->start};
  s->applied++, s->report->staleness = PetscMax(s->report->staleness, update.staleness);
  HgStateUnpack(s->post.numbers, s->gradient);
  fail(s, s->table->update(&update, s->gradient, s->m, s->table->context));
  return 0;
}

static PetscErrorCode give_work(Server *s, int w) {
  Worker *o = &s->worker[w];
  HgStatePack(s->m, s->post.numbers);
  o->status = BUSY, o->version = s->applied, o->ticket = s->tickets++, o->since = MPI_Wtime();
  return HgMailboxPost(s->post.box, w, (int64_t[WORDS]){WORK, o->ticket}, s->post.numbers);
}

static PetscErrorCode dismiss(Server *s, int w) {
  s->worker[w].status = STOPPED;
  return HgMailboxPost(s->post.box, w, (int64_t[WORDS]){STOP, s->lost}, NULL);
}

static PetscErrorCode serve(Server *s) {
  for (;;) {
    Act act = END;
    int w = 0;
    PetscCall(decide(s, &act, &w));
    switch (act) {
    case TAKE: PetscCall(take_gradient(s, w)); break;
    case GIVE: PetscCall(give_work(s, w)); break;
    case DROP: PetscCall(drop(s, w)); break;
    case DISMISS: PetscCall(dismiss(s, w)); break;
    case GIVE_UP: HgErrorEndJob(); break;
    case END: return s->ierr;
    }
  }
}

/* Ends the job, including dead ranks. */
static PetscErrorCode abandon(Server *s) {
  (void)s->table->lost(s->lost, s->m, s->table->context);
  /* MPI_Abort() ends only what mpirun lets it */
  for (int w = 1; w < HgExperimentsGroup(s->x)->count; w++)
    if (s->worker[w].status == STOPPED) PetscCall(dismiss(s, w));
  HgErrorSay();
  nanosleep(&(struct timespec){0, 200000000}, NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return HG_ERROR_TOLD;
}

static PetscErrorCode run_server(HgExperiments x, const HgServerSpec *spec,
                                 const HgServerTable *table, Post post, HgState m,
                                 HgServerReport *report) {
  Server s = {.x = x, .spec = *spec, .table = table, .post = post, .m = m, .report = report};
  const int groups = HgExperimentsGroup(x)->count;
  PetscCall(HgStateDuplicate(m, &s.gradient));
  PetscCall(PetscCalloc1(groups, &s.worker));
  s.start = MPI_Wtime();
  for (int w = 1; w < groups; w++) s.worker[w] = (Worker){.status = NEW, .since = s.start};
  const PetscErrorCode ierr = serve(&s);
  PetscCall(HgStateDestroy(&s.gradient));
  if (s.lost) return abandon(&s);
  PetscCall(PetscFree(s.worker));
  return ierr;
}

/* ---- both ---- */
static PetscErrorCode check(HgExperiments x, const HgServerSpec *spec) {
  const MPI_Comm comm = HgExperimentsGroup(x)->comm;
  HgRequire(comm, HgExperimentsGroup(x)->count >= 2, HG_ERR_ARGUMENT,
            "parameter server: %d group of ranks, expected a server and at least one worker",
            HgExperimentsGroup(x)->count);
  HgRequire(comm, spec->updates >= 1, HG_ERR_ARGUMENT,
            "parameter server: %ld updates, expected at least one", spec->updates);
  HgRequire(comm, spec->max_staleness >= HG_UNBOUNDED, HG_ERR_ARGUMENT,
            "parameter server: gradients up to %ld updates old, expected at least 0",
            spec->max_staleness);
  HgRequire(comm, spec->patience > 0, HG_ERR_ARGUMENT,
            "parameter server: patience of %g s, expected above 0", spec->patience);
  return 0;
}

/* Sends the server's m to all groups. */
static PetscErrorCode share(HgExperiments x, Post *p, HgState m) {
  HgStatePack(m, p->numbers);
  for (size_t first = 0; first < p->length; first += 1 << 24)
    PetscCallMPI(MPI_Bcast(p->numbers + first, (int)PetscMin(p->length - first, (size_t)1 << 24),
                           MPI_DOUBLE, 0, HgExperimentsGroup(x)->across));
  HgStateUnpack(p->numbers, m);
  return 0;
}

PetscErrorCode HgServerRun(HgExperiments x, const HgServerSpec *spec, const HgServerTable *table,
                           HgState m, HgServerReport *report) {
  Post post;
  const double start = MPI_Wtime();
  PetscCall(HgExperimentsTell(x, check(x, spec)));
  *report = (HgServerReport){0};
  post.length = HgStateLength(m);
  PetscCall(PetscCalloc1(post.length + 1, &post.numbers));
  PetscCall(HgMailboxCreate(HgExperimentsGroup(x)->across, WORDS, post.length + 1, &post.box));
  const bool server = HgExperimentsGroup(x)->number == 0;
  PetscErrorCode ierr =
      server ? run_server(x, spec, table, post, m, report) : work(table, &post, m);
  report->seconds = MPI_Wtime() - start;
  ierr = HgExperimentsTell(x, ierr);
  if (!ierr) PetscCall(share(x, &post, m));
  PetscCall(HgMailboxDestroy(&post.box));
  PetscCall(PetscFree(post.numbers));
  return ierr;
}
