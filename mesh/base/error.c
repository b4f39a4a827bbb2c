/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences: printed, kept while groups work side by side, or told as the job ends: see error.h. */
#include <errno.h>
#include <halograd/error_library.h>
#include <halograd/memory_library.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SENTENCE_SIZE = 2048, AFTER_THE_SPEAKER = 10 /* [s] */ };

static int failed = 1, ended = 0; /* the status of a program that failed, or did not */

/* The rank's own thread writes the sentence; it or the watchdog's thread takes it. */
static struct {
  int holds;
  double patience;
  atomic_bool full;
  char sentence[SENTENCE_SIZE];
} kept = {.patience = 1};

/* The sentence of an HgError() on a rank other than rank 0 of its communicator, which prints it for
   all ranks. Printed at the end of the job if no rank has printed anything: then only this rank has
   broken the contract. */
static struct {
  atomic_bool told;             /* has this rank said anything? */
  char sentence[SENTENCE_SIZE]; /* "": none */
} spare;

/* A message of one rank to all: it prints why the job ends. Of the ranks of one machine, the first
   to exchange *taken prints it, however late messages arrive. */
static struct {
  MPI_Comm comm;
  atomic_int *taken; /* NULL: no memory is shared */
} alarm_state = {MPI_COMM_NULL, NULL};

/* One write per sentence, so that the lines of several ranks do not mix; no line breaks inside. */
static void print_line(const char line[]) {
  spare.told = true;
  fflush(stdout);
  fputs(line, stderr);
  fflush(stderr);
}

int HgFilePrint(int file, const char line[], size_t length) {
  for (size_t done = 0; done < length;) {
    const ssize_t written = write(file, line + done, length - done);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) done += (size_t)written;
  }
  return 0;
}

void HgErrorSay(void) {
  if (!atomic_exchange(&kept.full, false)) return;
  spare.told = true;
  (void)HgFilePrint(STDERR_FILENO, kept.sentence, strlen(kept.sentence));
}

static const char *id_of(HgErrorId id) {
  static const char *const ids[] = {
#define HG_ERROR_ID(name, id, what) id,
      HG_ERROR_IDS(HG_ERROR_ID)
#undef HG_ERROR_ID
  };
  return ids[id];
}

static void format_line(char line[SENTENCE_SIZE], HgErrorId id, const char format[], va_list list) {
  const size_t start = (size_t)snprintf(line, SENTENCE_SIZE, "halograd: error [%s]: ", id_of(id));
  vsnprintf(line + start, SENTENCE_SIZE - start - 1, format, list);
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < 32 || *c == 127) *c = ' ';
  for (size_t n = strlen(line); n > start && line[n - 1] == ' '; n--) line[n - 1] = 0;
  strcat(line, "\n");
}

static void write_or_keep(HgErrorId id, const char format[], va_list list) {
  char line[SENTENCE_SIZE];
  format_line(line, id, format, list);
  if (kept.holds <= 0) print_line(line);
  else if (!atomic_load(&kept.full)) {
    memcpy(kept.sentence, line, sizeof line);
    atomic_store(&kept.full, true);
  }
}

void HgErrorSayNow(HgErrorId id, const char format[], ...) {
  va_list list;
  HgErrorSay();
  kept.holds = 0; /* an unexpected error is said at once */
  va_start(list, format);
  write_or_keep(id, format, list);
  va_end(list);
}

static void pause_for(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&time, NULL);
}

void HgErrorBegin(void) {
  MPI_Comm machine;
  failed = 1, ended = 0;
  kept.holds = 0, kept.patience = 1;
  atomic_store(&kept.full, false);
  MPI_Comm_dup(MPI_COMM_WORLD, &alarm_state.comm);
  PMPI_Comm_split_type(alarm_state.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  alarm_state.taken = HgSharedMemory(machine, sizeof *alarm_state.taken);
  PMPI_Comm_free(&machine);
}

void HgErrorEnd(void) {
  if (alarm_state.comm == MPI_COMM_NULL) return;

  HgFreeShared(alarm_state.taken, sizeof *alarm_state.taken);
  alarm_state.taken = NULL;
  MPI_Comm_free(&alarm_state.comm);
}

static void raise_alarm(void) {
  int rank, size;
  if (alarm_state.comm == MPI_COMM_NULL) return;
  PMPI_Comm_rank(alarm_state.comm, &rank);
  PMPI_Comm_size(alarm_state.comm, &size);
  for (int r = 0; r < size; r++) {
    MPI_Request request;
    if (r == rank) continue;
    PMPI_Isend(NULL, 0, MPI_BYTE, r, 0, alarm_state.comm, &request);
    PMPI_Request_free(&request);
  }
}

/* Whether another rank has printed why the job ends; then this one prints nothing. */
static bool hear_alarm(void) {
  int heard = 0;
  if (alarm_state.comm != MPI_COMM_NULL)
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, alarm_state.comm, &heard, MPI_STATUS_IGNORE);
  if (heard) atomic_store(&kept.full, false);
  return heard;
}

/* Whether this rank is the one to print why the job ends. */
static bool take_alarm(void) {
  if (hear_alarm()) return false;
  if (alarm_state.taken && atomic_exchange(alarm_state.taken, 1)) {
    atomic_store(&kept.full, false);
    return false;
  }
  raise_alarm();
  return true;
}

void HgErrorSayLostOutput(void) {
  HgErrorSayNow(HG_ERR_FILE_WRITE,
                "what was printed could not all be written to the standard output");
}

/* Whether PETSc refuses the value of an option, when it reads it or passes it to TAO. */
static bool of_an_option(PetscErrorCode code, const char function[]) {
  if (!function) return false;
  return !strncmp(function, "PetscOptionsStringTo", 20) ||
         (code == PETSC_ERR_ARG_OUTOFRANGE &&
          (!strncmp(function, "PetscOptions", 12) || !strncmp(function, "TaoSet", 6)));
}

/* Handles an error that is not a broken contract: PETSc's own, or one returned by a user's
   function. The ranks may disagree about it, so the job is aborted. Ranks other than the first of
   the failing communicator wait first. If all fail together, the first one prints for them and for
   those that fail by themselves at the same moment. */
PetscErrorCode HgErrorHandle(MPI_Comm comm, int line, const char *function, const char *file,
                             PetscErrorCode code, PetscErrorType type, const char *message,
                             void *context) {
  int world_rank = 0, rank = 0, up = 0, down = 0;
  const char *meaning = NULL;
  bool speaks = true;
  (void)context;
  if ((code == HG_ERROR_TOLD || code == HG_ENDED) && type == PETSC_ERROR_REPEAT) return code;
  MPI_Initialized(&up);
  MPI_Finalized(&down);
  if (up && !down) {
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
    if (rank > 0) pause_for(2);
    pause_for(0.1 * (world_rank < 10 ? world_rank : 10));
    speaks = take_alarm();
  }
  PetscErrorMessage(code, &meaning, NULL);
  if (!speaks) pause_for(AFTER_THE_SPEAKER);
  else if (up && !down && !PetscInitializeCalled && type == PETSC_ERROR_INITIAL)
    HgErrorSayNow(HG_ERR_OPTION_RANGE, "the options cannot be read: %s", message);
  else if (up && !down && of_an_option(code, function))
    HgErrorSayNow(HG_ERR_OPTION_RANGE, "an option of PETSc has a value that it does not take: %s",
                  message);
  else if (code == PETSC_ERR_FILE_WRITE && ferror(stdout)) HgErrorSayLostOutput();
  else
    HgErrorSayNow(HG_ERR_UNEXPECTED, "unexpected error %d (%s) on rank %d in %s() at %s:%d: %s",
                  (int)code, meaning ? meaning : "no PETSc error", world_rank,
                  function ? function : "?", file ? file : "?", line,
                  message && *message != ' ' ? message : "no further message");
  if (up && !down) MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

int HgErrorStatus(PetscErrorCode ierr) { return ierr ? failed : ended; }

void HgErrorSetStatus(int status) { failed = status; }

void HgSetExitStatus(int status) { ended = status; }

void HgSentenceAdd(size_t size, char sentence[], const char format[], ...) {
  const size_t used = strlen(sentence);
  va_list list;
  va_start(list, format);
  vsnprintf(sentence + used, size - used, format, list);
  va_end(list);
}

size_t HgCharacter(const char text[]) {
  const unsigned char *const c = (const unsigned char *)text;
  const size_t length = c[0] < 0x80                    ? 1
                        : c[0] >= 0xc2 && c[0] <= 0xdf ? 2
                        : c[0] >= 0xe0 && c[0] <= 0xef ? 3
                        : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                                       : 0;
  for (size_t k = 1; k < length; k++)
    if (c[k] < 0x80 || c[k] > 0xbf) return 0;
  const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90),
             surrogate = c[0] == 0xed && c[1] > 0x9f, beyond = c[0] == 0xf4 && c[1] > 0x8f;
  return overlong || surrogate || beyond ? 0 : length;
}

PetscErrorCode HgError(MPI_Comm comm, HgErrorId id, const char format[], ...) {
  int rank = 0;
  va_list list;
  MPI_Comm_rank(comm, &rank);
  va_start(list, format);
  if (!rank) write_or_keep(id, format, list);
  else format_line(spare.sentence, id, format, list);
  va_end(list);
  return HG_ERROR_TOLD;
}

PetscErrorCode HgAgree(MPI_Comm comm, bool failed, HgErrorId id, const char format[], ...) {
  int rank, size, first;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int mine = failed ? rank : size;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == size) return 0;
  spare.sentence[0] = 0;
  if (first == rank) {
    va_list list;
    va_start(list, format);
    write_or_keep(id, format, list);
    va_end(list);
  }
  return HG_ERROR_TOLD;
}

PetscErrorCode HgRequireAlike(MPI_Comm comm, const char format[], ...) {
  enum { MOST = 256 };

  char mine[MOST], first[MOST];
  va_list list;
  va_start(list, format);
  vsnprintf(mine, sizeof mine, format, list);
  va_end(list);
  strcpy(first, mine);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
  return HgAgree(comm, strcmp(first, mine) != 0, HG_ERR_RANKS_DIFFER,
                 "a rank has %s where rank 0 has %s; give all ranks the same", mine, first);
}

void HgErrorHold(bool hold) { kept.holds += hold ? 1 : -1; }

/* What a rank contributes to HgErrorMeet(), reduced by MPI_MIN. STATUS: 1; after an error minus its
   exit status, or INT_MIN if the program failed. KEEPER: its number if it keeps a sentence. SPARE:
   its number if it failed with a spare sentence, -1 if it has printed that. */
enum { STATUS, KEEPER, SPARE, BROUGHT };

static void bring(MPI_Comm comm, PetscErrorCode ierr, int first[BROUGHT]) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  first[STATUS] = !ierr ? 1 : failed == 1 ? INT_MIN : -failed;
  first[KEEPER] = atomic_load(&kept.full) ? rank : size;
  first[SPARE] = spare.told ? -1 : ierr && *spare.sentence ? rank : size;
}

/* first[] has been reduced over all ranks of `comm`. If these are not all ranks of the job, another
   rank may print the error for which a rank has a spare sentence. */
static PetscErrorCode settle(MPI_Comm comm, const int first[BROUGHT]) {
  const bool say = kept.holds <= 1;
  int rank, size, all;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  const bool wrong = first[STATUS] <= 0, speaks = wrong && first[KEEPER] == rank;
  if (wrong) failed = first[STATUS] == INT_MIN ? 1 : -first[STATUS];
  if (wrong && say && size == all && first[KEEPER] == size && first[SPARE] == rank)
    print_line(spare.sentence);
  if (speaks && say) {
    fflush(stdout);
    HgErrorSay();
  }
  if (!speaks) atomic_store(&kept.full, false);
  return wrong ? HG_ERROR_TOLD : 0;
}

PetscErrorCode HgErrorTell(MPI_Comm comm, PetscErrorCode ierr) {
  int first[BROUGHT];
  bring(comm, ierr, first);
  MPI_Allreduce(MPI_IN_PLACE, first, BROUGHT, MPI_INT, MPI_MIN, comm);
  return settle(comm, first);
}

PetscErrorCode HgErrorTake(MPI_Comm comm, size_t size, char sentence[]) {
  const bool keeps = atomic_exchange(&kept.full, false);
  int rank, ranks, first;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int mine = keeps ? rank : ranks;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  memset(sentence, 0, size);
  spare.sentence[0] = 0;
  if (first == ranks) return 0;
  if (first == rank)
    snprintf(sentence, size, "%.*s", (int)strcspn(kept.sentence, "\n"), kept.sentence);
  MPI_Bcast(sentence, (int)size, MPI_CHAR, first, comm);
  const char *const start = strstr(sentence, ": ");
  if (start) memmove(sentence, start + 2, strlen(start + 2) + 1);
  return 0;
}

void HgErrorSetPatience(double seconds) { kept.patience = seconds; }

double HgErrorPatience(void) { return kept.patience; }

/* mpirun takes its time to end the others. */
static void end_job(void) {
  const bool speaks = take_alarm(), silent = !atomic_load(&kept.full) && !spare.told;
  if (!speaks) pause_for(AFTER_THE_SPEAKER);
  fflush(stdout);
  HgErrorSay();
  if (speaks && silent && *spare.sentence) print_line(spare.sentence);
  MPI_Abort(MPI_COMM_WORLD, failed);
  _exit(failed);
}

/* When a rank that fails now ends the job: ranks that keep a sentence first, one after another. */
static double end_of_patience(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return MPI_Wtime() + kept.patience + 0.02 * (rank < 100 ? rank : 100) +
         (atomic_load(&kept.full) ? 0 : AFTER_THE_SPEAKER);
}

void HgErrorEndJob(void) {
  for (const double end = end_of_patience() - kept.patience; MPI_Wtime() < end;) pause_for(1e-3);
  end_job();
}

/* A failing rank does not wait for ranks that may be in another exchange and never come. If several
   groups fail that never meet, the first to print ends the others. */
PetscErrorCode HgErrorMeet(MPI_Comm comm, PetscErrorCode ierr) {
  int first[BROUGHT], all_here = 0;
  MPI_Request request;
  bring(comm, ierr, first);
  MPI_Iallreduce(MPI_IN_PLACE, first, BROUGHT, MPI_INT, MPI_MIN, comm, &request);
  if (!ierr) MPI_Wait(&request, MPI_STATUS_IGNORE);
  const double end = ierr ? end_of_patience() : 0;
  while (ierr && !all_here) {
    MPI_Test(&request, &all_here, MPI_STATUS_IGNORE);
    if (!all_here && (MPI_Wtime() > end || hear_alarm())) end_job();
    if (!all_here) pause_for(1e-3);
  }
  return settle(comm, first);
}
