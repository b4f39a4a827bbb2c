/* SPDX-License-Identifier: BSD-2-Clause */
/* -hg_trace: its options, its lines, its end. See trace.h. */
#include "trace_calls_private.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <halograd/error_library.h>
#include <halograd/options_library.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
  int file; /* -1: no trace */
  int rank;
  double start;
  long sends, receives, collectives;
  char path[1100]; /* of the file; "": stderr */
  bool all;        /* -hg_trace_all */
  bool lost;       /* a line could not be written: no more are */
} trace = {.file = -1};

static void lose(int problem) {
  trace.lost = true;
  fprintf(stderr, "halograd: option -hg_trace%s: %s: lines are lost: %s\n",
          *trace.path ? "_files" : "", *trace.path ? trace.path : "stderr", strerror(problem));
}

/* Writes each line at once: no buffer is lost when the job is killed, and lines of several ranks do
   not mix in one file. */
static void print_line(const char format[], ...) PETSC_ATTRIBUTE_FORMAT(1, 2);

static void print_line(const char format[], ...) {
  char line[512];
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  const int problem = trace.lost ? 0 : HgFilePrint(trace.file, line, (size_t)length);
  if (problem) lose(problem);
}

/* The number as text, "-" if there is none. */
static const char *number_text(long value, char text[24]) {
  if (value < 0) snprintf(text, 24, "-");
  else snprintf(text, 24, "%ld", value);
  return text;
}

bool HgTracePrints(void) { return trace.file >= 0; }

void HgTracePrint(const char event[], const HgTraceItem *item) {
  static const char *const directions[] = {"forward", "tangent", "adjoint", "-"};
  const HgTraceFrame *f = &item->frame;
  const bool got = *event == 'g';
  char head[256], step[24], peer[24], tag[24], communicator[24];
  if (trace.file < 0) return;
  if (!item->message) trace.collectives++;
  else if (got) trace.receives++;
  else trace.sends += *event == 's';
  number_text(item->peer, peer), number_text(item->communicator, communicator);
  snprintf(head, sizeof head,
           "trace rank=%d time=%.6f direction=%s step=%s operator=\"%s\" within=\"%s\" event=%s",
           trace.rank, HgTraceTime() - trace.start, directions[f->mode], number_text(f->step, step),
           HgTraceOperator(f), HgTraceWithin(f), event);
  if (item->message)
    print_line("%s peer=%s tag=%s bytes=%lld communicator=%s\n", head, peer,
               number_text(item->tag, tag), (long long)item->bytes, communicator);
  else
    print_line("%s root=%s bytes=%lld communicator=%s ranks=%d number=%ld\n", head, peer,
               (long long)item->bytes, communicator, item->ranks, item->number);
}

const HgTraceTable hg_trace_calls = {
    sizeof hg_trace_calls, &hg_trace_on,     HgTraceMessage, HgTraceCollective, HgTraceRequest,
    HgTraceWaitBegin,      HgTraceAwait,     HgTraceWaitEnd, HgTraceComplete,   HgTraceGot,
    HgTraceFreed,          HgTraceCommFreed, HgWatchdogRest};

/* Passes the table to the library that wraps MPI, if there is one. *attached: it sees all calls of
   MPI. Error: its version differs. */
static PetscErrorCode attach(bool *attached) {
  HgTraceAttachFn *fn = NULL;
  void *const symbol = dlsym(RTLD_DEFAULT, HG_TRACE_ATTACH);
  memcpy(&fn, &symbol, sizeof fn);
  *attached = symbol != NULL;
  return HgAgree(
      PETSC_COMM_WORLD, fn && !fn(&hg_trace_calls), HG_ERR_ENVIRONMENT,
      "LD_PRELOAD: libhalograd_trace is of another version of halograd, expected that of "
      "this one");
}

static PetscErrorCode open_files(const char prefix[]) {
  char why[128] = "";
  snprintf(trace.path, sizeof trace.path, "%s.%d", prefix, trace.rank);
  /* O_NONBLOCK: a pipe that nobody reads is an error at once */
  trace.file = open(trace.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  if (trace.file < 0 || fcntl(trace.file, F_SETFL, 0))
    snprintf(why, sizeof why, "%s", strerror(errno));
  return HgAgree(PETSC_COMM_WORLD, *why, HG_ERR_FILE_WRITE,
                 "option -hg_trace_files: '%s' cannot be written: %s", trace.path, why);
}

static PetscErrorCode given(bool *any) {
  static const char *const names[] = {"-hg_trace", "-hg_trace_all", "-hg_trace_files",
                                      "-hg_watchdog", "-hg_watchdog_all"};
  int mine = 0;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    PetscBool has;
    PetscCall(PetscOptionsHasName(NULL, NULL, names[k], &has));
    mine = mine || has;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  *any = mine;
  return 0;
}

/* Reads the options and opens the trace. Errors: those of options.h; a file that cannot be written.
   */
static PetscErrorCode read_options(HgPatience *patience, bool *all_given) {
  bool print = false;
  char prefix[1024] = "";
  HgOptions options;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "halograd", "", &options));
  PetscCall(HgOptionsFlag(options, "-hg_trace", HgOptionText("-hg_trace"), &print));
  PetscCall(HgOptionsFlag(options, "-hg_trace_all", HgOptionText("-hg_trace_all"), &trace.all));
  PetscCall(HgOptionsString(options, "-hg_trace_files", HgOptionText("-hg_trace_files"),
                            sizeof prefix, prefix));
  PetscCall(HgOptionsReal(options, "-hg_watchdog", HgOptionText("-hg_watchdog"), "s", "[0, 1e6]",
                          &patience->one));
  PetscCall(HgOptionsReal(options, "-hg_watchdog_all", HgOptionText("-hg_watchdog_all"), "s",
                          "[0, 1e6]", &patience->all));
  *all_given = HgOptionsGiven(options, "-hg_watchdog_all") && patience->all;
  if (HgOptionsGiven(options, "-hg_watchdog") && !*all_given) patience->all = 0;
  if (*prefix) return open_files(prefix);
  if (print || trace.all) trace.file = dup(STDERR_FILENO);
  return 0;
}

/* Prepares to detect that all ranks wait for each other. Needs several ranks on one machine. */
static PetscErrorCode share_idle(bool must, HgPatience *patience) {
  int ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks == 1) patience->all = 0;
  if (!patience->all || HgIdleBegin()) return 0;
  patience->all = 0;
  HgRequire(PETSC_COMM_WORLD, !must, HG_ERR_ENVIRONMENT,
            "-hg_watchdog_all: the ranks share no memory, expected all on one machine; or "
            "-hg_watchdog SECONDS for the wait of one rank");
  return 0;
}

static PetscErrorCode begin_trace(void) {
  HgPatience patience = {.all = 600};
  bool any = false, all_given = false, attached;
  PetscCall(given(&any));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &trace.rank));
  if (any) PetscCall(read_options(&patience, &all_given));
  PetscCall(share_idle(all_given, &patience));
  if (trace.file < 0 && !patience.one && !patience.all) return 0;
  PetscCall(attach(&attached));
  HgRequire(PETSC_COMM_WORLD, attached || !trace.all, HG_ERR_ENVIRONMENT,
            "-hg_trace_all: nothing stands in front of MPI, expected libhalograd_trace.so there: "
            "mpirun -x LD_PRELOAD=PATH/libhalograd_trace.so; -hg_trace shows halograd's own calls");
  hg_trace_on = true, hg_trace_own = !attached;
  trace.start = HgTraceTime();
  trace.sends = trace.receives = trace.collectives = 0;
  const bool watched = (!patience.one && !patience.all) || HgWatchdogBegin(patience, trace.rank);
  return HgAgree(PETSC_COMM_WORLD, !watched, HG_ERR_ENVIRONMENT,
                 "-hg_watchdog: no thread can be started on rank %d", trace.rank);
}

/* Prints the last line, done or failed, and ends the watchdog. */
static bool end_trace(bool failed) {
  if (!hg_trace_on) return true;
  hg_trace_on = hg_trace_own = false;
  HgWatchdogEnd();
  HgTraceForget();
  if (trace.file < 0) return true;
  print_line("trace rank=%d time=%.6f event=%s sends=%ld receives=%ld collectives=%ld\n",
             trace.rank, HgTraceTime() - trace.start, failed ? "failed" : "done", trace.sends,
             trace.receives, trace.collectives);
  if (close(trace.file) && !trace.lost) lose(errno);
  trace.file = -1;
  return !trace.lost;
}

__attribute__((constructor)) static void hook(void) {
  HgHooksSet((HgHooks){begin_trace, end_trace});
}
