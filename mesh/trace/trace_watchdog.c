/* SPDX-License-Identifier: BSD-2-Clause */
/* -hg_watchdog: a thread of every rank that calls no MPI, looks at the rank's wait, and when it has
   lasted too long says what for and ends the rank, whereupon mpirun ends the others; these get
   SIGTERM and say where they are as well. -hg_watchdog_all: the same when every rank of the job has
   waited so long, which each thread finds on a page that all of them share. A sentence that the
   rank keeps (error.h) is said first. See trace.h. */
#include "trace_private.h"
#include <errno.h>
#include <halograd/error_library.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_GRACE = 3, LINE = 2048 };

static struct {
  bool runs;
  volatile sig_atomic_t rests;
  HgPatience patience;
  double
      idle; /* for how long, seen by a thread that was not stopped itself, this rank has waited */
  int rank, bell[2]; /* a pipe: 't' of a signal to end, 'q' of the end of the program */
  pthread_t thread;
  struct sigaction before;
} dog;

/* Where it began, in parentheses. */
static void add_frame(char line[LINE + 1], const HgTraceFrame *f) {
  static const char *const directions[] = {"forward", "tangent", "adjoint"};
  HgSentenceAdd(LINE, line, " (");
  if (*HgTraceOperator(f)) {
    HgSentenceAdd(LINE, line, "operator \"%s\"", HgTraceOperator(f));
    if (*HgTraceWithin(f)) HgSentenceAdd(LINE, line, " within \"%s\"", HgTraceWithin(f));
  } else HgSentenceAdd(LINE, line, "outside all operators");
  if (f->step >= 0) HgSentenceAdd(LINE, line, ", step %ld", f->step);
  if (f->mode != HG_NO_MODE) HgSentenceAdd(LINE, line, ", %s", directions[f->mode]);
  HgSentenceAdd(LINE, line, ")");
}

static void add_rank(char line[LINE + 1], int rank) {
  if (rank < 0) HgSentenceAdd(LINE, line, "any rank");
  else HgSentenceAdd(LINE, line, "rank %d", rank);
}

static void add_item(char line[LINE + 1], const HgTraceItem *i) {
  if (i->message) {
    HgSentenceAdd(LINE, line, "%s %s ", i->event, *i->event == 's' ? "to" : "from");
    add_rank(line, i->peer);
    if (i->tag >= 0) HgSentenceAdd(LINE, line, ", tag %d", i->tag);
    else HgSentenceAdd(LINE, line, ", any tag");
    HgSentenceAdd(LINE, line, ", %lld bytes", (long long)i->bytes);
    return;
  }
  HgSentenceAdd(LINE, line, "%s", i->event);
  if (i->communicator >= 0)
    HgSentenceAdd(LINE, line, " of %d ranks, number %ld on communicator %d", i->ranks, i->number,
                  i->communicator);
  if (i->peer >= 0) HgSentenceAdd(LINE, line, ", root %d", i->peer);
  HgSentenceAdd(LINE, line, ", %lld bytes", (long long)i->bytes);
}

static void tell_wait(const HgTraceSnapshot *s, double now, char line[LINE + 1]) {
  const HgTraceWait *w = &s->wait;
  HgSentenceAdd(LINE, line, "rank %d has waited for %.1f s in %s", dog.rank, now - w->since,
                w->call);
  add_frame(line, &s->frame);
  const int told = s->awaited < 8 ? s->awaited : 8;
  for (int k = 0; k < told; k++) {
    HgSentenceAdd(LINE, line, k ? "; " : ": ");
    add_item(line, &s->item[k]);
    /* What began elsewhere than the wait. */
    if (memcmp(&s->item[k].frame, &s->frame, sizeof s->frame)) add_frame(line, &s->item[k].frame);
  }
  const int more = (w->requests > s->awaited ? w->requests : s->awaited) - told;
  if (more > 0) HgSentenceAdd(LINE, line, "%s%d requests more", told ? "; " : ": ", more);
}

static void tell_last(const HgTraceSnapshot *s, double now, char line[LINE + 1]) {
  HgSentenceAdd(LINE, line, "rank %d waits for no other rank", dog.rank);
  add_frame(line, &s->frame);
  if (!s->last) return;
  HgSentenceAdd(LINE, line, "; its last call was %s, %.1f s ago", s->last, now - s->last_ended);
  if (!s->last_item.event) return;
  HgSentenceAdd(LINE, line, "; the last message or collective to end was ");
  add_item(line, &s->last_item);
  add_frame(line, &s->last_item.frame);
}

static void print_waits(const char why[]) {
  HgTraceSnapshot s;
  char line[LINE + 1] = "";
  const double now = HgTraceTime();
  HgErrorSay();
  HgTraceSnap(&s);
  HgSentenceAdd(LINE, line, "halograd: watchdog: %s", why);
  if (s.wait.call) tell_wait(&s, now, line);
  else tell_last(&s, now, line);
  strcat(line, "\n");
  (void)HgFilePrint(STDERR_FILENO, line, strlen(line));
  if (!ftrylockfile(stdout)) { /* what the program has printed so far */
    fflush(stdout);
    funlockfile(stdout);
  }
}

/* Waits up to `seconds` for a letter; 0: none. */
static char listen(double seconds) {
  struct pollfd bell = {.fd = dog.bell[0], .events = POLLIN};
  char letter = 0;
  if (poll(&bell, 1, (int)(1e3 * seconds)) > 0 && read(dog.bell[0], &letter, 1) == 1) return letter;
  return 0;
}

/* Adds a tick if the rank has not moved since the last one. While the job or a debugger stops the
   thread, only one tick is counted. */
static void look_at_idle(const HgTraceSnapshot *s, double now, double tick) {
  static struct {
    double now, since, last_ended;
    int requests;
  } before;

  const double passed = now - before.now;
  const bool same = s->wait.call && s->wait.since == before.since &&
                    s->wait.requests == before.requests && s->last_ended == before.last_ended;
  dog.idle = same ? dog.idle + fmin(passed, 2 * tick) : 0;
  before.now = now, before.since = s->wait.call ? s->wait.since : -1;
  before.requests = s->wait.requests, before.last_ended = s->last_ended;
  HgIdleSet(dog.idle);
}

static void *watch(void *unused) {
  const double one = dog.patience.one, all = dog.patience.all,
               tick = fmax(1e-3, fmin(one ? 0.25 : 1, 0.1 * (one ? one : all)));
  (void)unused;
  for (;;) {
    HgTraceSnapshot s;
    const char letter = listen(tick);
    if (letter == 'q') return NULL;
    if (letter == 't') {
      if (!dog.rests) print_waits("told to end: ");
      _exit(1);
    }
    HgTraceSnap(&s);
    const double now = HgTraceTime();
    look_at_idle(&s, now, tick);
    const bool too_long = one && s.wait.call && now - s.wait.since > one;
    if (!too_long && !(all && dog.idle >= all && HgIdleLeast() >= all)) continue;
    print_waits("");
    listen(fmin(one ? one : all, LONGEST_GRACE)); /* the others speak too */
    _exit(1);
  }
}

static void ring(char letter) {
  const int before = errno;
  if (write(dog.bell[1], &letter, 1) != 1 && letter == 't') _exit(1);
  errno = before;
}

static void told_to_end(int signal) {
  (void)signal;
  ring('t');
}

bool HgWatchdogBegin(HgPatience patience, int rank) {
  sigset_t all, before;
  dog.patience = patience, dog.idle = 0, dog.rank = rank, dog.rests = 0;
  if (pipe(dog.bell)) return false;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own thread */
  dog.runs = !pthread_create(&dog.thread, NULL, watch, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!dog.runs || !patience.one) return dog.runs;
  struct sigaction action = {.sa_handler = told_to_end, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  return !sigaction(SIGTERM, &action, &dog.before);
}

void HgWatchdogRest(void) { dog.rests = 1; }

void HgWatchdogEnd(void) {
  if (!dog.runs) return;
  dog.runs = false;
  if (dog.patience.one) sigaction(SIGTERM, &dog.before, NULL);
  ring('q');
  pthread_join(dog.thread, NULL);
  HgIdleEnd();
  close(dog.bell[0]);
  close(dog.bell[1]);
}
