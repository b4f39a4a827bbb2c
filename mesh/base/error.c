/* The start, the end and the errors of a program: see error.h. */
#include "fault_private.h"
#include "hooks_private.h"
#include <errno.h>
#include <halograd/error.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SENTENCE_SIZE = 2048 };

static struct {
  const char *help; /* what HgInitialize() was given */
  bool help_asked, mpi_is_ours, petsc_runs;
  char **argv; /* without -help: PETSc keeps the pointer */
} program;

static HgHooks hooks;

void HgHooksSet(HgHooks h) { hooks = h; }

static struct {
  int holds;
  char sentence[SENTENCE_SIZE]; /* "": none */
} kept;

/* One write per sentence, so that the lines of several ranks do not mix; no line breaks inside. */
static void print_line(const char line[]) {
  fflush(stdout);
  fputs(line, stderr);
  fflush(stderr);
}

static void tell(const char format[], va_list list) {
  char line[SENTENCE_SIZE] = "halograd: ";
  const size_t start = strlen(line);
  vsnprintf(line + start, sizeof line - start - 1, format, list);
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < 32 || *c == 127) *c = ' ';
  for (size_t n = strlen(line); n > start && line[n - 1] == ' '; n--) line[n - 1] = 0;
  strcat(line, "\n");
  if (kept.holds <= 0) print_line(line);
  else if (!*kept.sentence) memcpy(kept.sentence, line, sizeof line);
}

static void say(const char format[], ...) PETSC_ATTRIBUTE_FORMAT(1, 2);

static void say(const char format[], ...) {
  va_list list;
  kept.holds = 0; /* what nobody expected is said at once */
  va_start(list, format);
  tell(format, list);
  va_end(list);
}

static void pause_for(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&time, NULL);
}

/* An error that is no broken contract: PETSc's own, or a number returned by somebody's function.
   The ranks may not agree on it, so the job is aborted. Ranks other than the first of the failing
   communicator wait first: if all fail together, the first one speaks for them. */
static PetscErrorCode handle(MPI_Comm comm, int line, const char *function, const char *file,
                             PetscErrorCode code, PetscErrorType type, const char *message,
                             void *context) {
  int world_rank = 0, rank = 0, up = 0, down = 0;
  const char *meaning = NULL;
  (void)context;
  if (code == HG_ERROR_TOLD && type == PETSC_ERROR_REPEAT) return code;
  MPI_Initialized(&up);
  MPI_Finalized(&down);
  if (up && !down) {
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
    if (rank > 0) pause_for(2);
    pause_for(0.1 * (world_rank < 10 ? world_rank : 10));
  }
  PetscErrorMessage(code, &meaning, NULL);
  if (up && !down && !program.petsc_runs && type == PETSC_ERROR_INITIAL)
    say("the options cannot be read: %s", message);
  else
    say("unexpected error %d (%s) on rank %d in %s() at %s:%d: %s", (int)code,
        meaning ? meaning : "no PETSc error", world_rank, function ? function : "?",
        file ? file : "?", line, message && *message != ' ' ? message : "no further message");
  if (up && !down) MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

/* Is `word` an option's name, as PETSc sees it: a dash or two and a letter? "-1.5" is a value. */
static bool names_option(const char word[]) {
  const char *c = word[0] == '-' && word[1] == '-' ? word + 2 : word + 1;
  return word[0] == '-' && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z'));
}

/* Takes -help and -petscrc out: PETSc would print pages of its own help before ours, and would read
   .petscrc files unless told not to. */
static int take_arguments(int argc, char **argv, bool *petscrc) {
  int kept = 0;
  program.argv = calloc((size_t)argc + 2, sizeof *program.argv);
  if (!program.argv) return -1;
  for (int k = 0; k < argc; k++) {
    const char *word = argv[k];
    if (k && (!strcmp(word, "-help") || !strcmp(word, "--help") || !strcmp(word, "-h")))
      program.help_asked = true;
    else if (k && !strcmp(word, "-petscrc")) *petscrc = true;
    else program.argv[kept++] = argv[k];
  }
  if (!*petscrc) program.argv[kept++] = (char *)"-skip_petscrc";
  return kept;
}

/* PETSc opens the files on rank 0 and its own message about a missing one is a page long. */
static PetscErrorCode check_option_files(int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    struct stat status;
    char why[256] = "";
    int rank;
    if (strcmp(argv[k], "-options_file") && strcmp(argv[k], "-options_file_yaml")) continue;
    if (k + 1 >= argc || names_option(argv[k + 1]))
      return HgError(MPI_COMM_WORLD, "option %s: expected the name of a file, got nothing",
                     argv[k]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank) {
      if (stat(argv[k + 1], &status)) snprintf(why, sizeof why, "%s", strerror(errno));
      else if (S_ISDIR(status.st_mode)) snprintf(why, sizeof why, "it is a directory");
      else if (access(argv[k + 1], R_OK)) snprintf(why, sizeof why, "%s", strerror(errno));
    }
    const PetscErrorCode ierr =
        HgAgree(MPI_COMM_WORLD, *why, "option %s: expected a file of options, cannot read '%s': %s",
                argv[k], argv[k + 1], why);
    if (ierr) return ierr;
  }
  return 0;
}

/* Parallel HDF5 hangs where Open MPI finds no descriptor for a file. */
static PetscErrorCode require_descriptors(void) {
  enum { LEAST = 64 };
  struct rlimit limit;
  const bool few = !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < LEAST;
  return HgAgree(MPI_COMM_WORLD, few,
                 "environment: a process may open %lu files, expected at least %d (ulimit -n)",
                 few ? (unsigned long)limit.rlim_cur : 0, LEAST);
}

PetscErrorCode HgInitialize(int *argc, char ***argv, const char help[]) {
  bool petscrc = false;
  int up = 0;
  program.help = help ? help : "";
  signal(SIGXFSZ, SIG_IGN); /* a file beyond `ulimit -f` is an error like a full disk */
  MPI_Initialized(&up);
  if (!up) {
    int level;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level)) {
      say("MPI does not start on this machine");
      return HG_ERROR_TOLD;
    }
    program.mpi_is_ours = true;
  }
  PetscErrorCode ierr = require_descriptors();
  if (ierr) return ierr;
  const int kept = take_arguments(*argc, *argv, &petscrc);
  ierr = HgAgree(MPI_COMM_WORLD, kept < 0, "no memory for %d arguments", *argc);
  if (ierr) return ierr;
  *argc = kept;
  *argv = program.argv;
  ierr = check_option_files(*argc, *argv);
  if (ierr) return ierr;
  PetscCall(PetscPushErrorHandler(handle, NULL));
  PetscCall(PetscInitialize(argc, argv, NULL, help));
  program.petsc_runs = true;
  signal(SIGPIPE, SIG_IGN); /* who reads what is printed may go away: HgFinalize() tells */
  PetscCall(HgFaultBegin());
  return hooks.begin ? hooks.begin() : 0;
}

int HgFinalize(PetscErrorCode ierr) {
  int up = 0, down = 0;
  MPI_Initialized(&up);
  MPI_Finalized(&down);
  if (up && !down && HgFaultEnd()) ierr = HG_ERROR_TOLD;
  if (fflush(stdout) | ferror(stdout)) { /* one rank may have printed, and another not */
    say("what was printed could not all be written to the standard output");
    ierr = HG_ERROR_TOLD;
  }
  fflush(stderr);
  if (up && !down && HgErrorTell(MPI_COMM_WORLD, ierr)) ierr = HG_ERROR_TOLD;
  if (program.petsc_runs && PetscFinalize()) ierr = HG_ERROR_TOLD;
  program.petsc_runs = false;
  MPI_Finalized(&down);
  if (program.mpi_is_ours && up && !down) MPI_Finalize();
  if (hooks.end) hooks.end(ierr);
  free(program.argv);
  program.argv = NULL;
  return ierr ? 1 : 0;
}

const char *HgHelpAsked(void) { return program.help_asked ? program.help : NULL; }

PetscErrorCode HgError(MPI_Comm comm, const char format[], ...) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (!rank) {
    va_list list;
    va_start(list, format);
    tell(format, list);
    va_end(list);
  }
  return HG_ERROR_TOLD;
}

PetscErrorCode HgAgree(MPI_Comm comm, bool failed, const char format[], ...) {
  int rank, size, first;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int mine = failed ? rank : size;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == size) return 0;
  if (first == rank) {
    va_list list;
    va_start(list, format);
    tell(format, list);
    va_end(list);
  }
  return HG_ERROR_TOLD;
}

void HgErrorHold(bool hold) { kept.holds += hold ? 1 : -1; }

PetscErrorCode HgErrorTell(MPI_Comm comm, PetscErrorCode ierr) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int first[2] = {ierr ? 0 : 1, *kept.sentence ? rank : size}; /* did it fail; who has a sentence */
  MPI_Allreduce(MPI_IN_PLACE, first, 2, MPI_INT, MPI_MIN, comm);
  if (!first[0] && first[1] == rank) print_line(kept.sentence);
  *kept.sentence = 0;
  return first[0] ? 0 : HG_ERROR_TOLD;
}
