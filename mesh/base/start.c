/* SPDX-License-Identifier: BSD-2-Clause */
/* The start and the end of a program: see error.h. */
#include <errno.h>
#include <fcntl.h>
#include <halograd/error_library.h>
#include <halograd/options_library.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
  const char *help; /* what HgInitialize() was given */
  bool help_asked, mpi_is_ours, petsc_runs;
  char **argv;         /* without -help: PETSc keeps the pointer */
  char directory[256]; /* "": Open MPI's is not in one of its own */
} program;

static HgHooks hooks;

void HgHooksSet(HgHooks h) { hooks = h; }

static bool asks_help(const char word[], size_t length) {
  static const char *const names[] = {"-help", "--help", "-h"};
  for (int k = 0; k < 3; k++)
    if (strlen(names[k]) == length && !strncmp(word, names[k], length)) return true;
  return false;
}

/* Removes -help and -petscrc. PETSc would print pages of its own help before ours, and read
   .petscrc files unless told not to. */
static int take_arguments(int argc, char **argv, bool *petscrc) {
  int kept = 0;
  program.argv = calloc((size_t)argc + 2, sizeof *program.argv);
  if (!program.argv) return -1;
  for (int k = 0; k < argc; k++) {
    const char *word = argv[k];
    if (k && asks_help(word, strlen(word))) program.help_asked = true;
    else if (k && !strcmp(word, "-petscrc")) *petscrc = true;
    else program.argv[kept++] = argv[k];
  }
  if (!*petscrc) program.argv[kept++] = (char *)"-skip_petscrc";
  return kept;
}

/* The same in PETSC_OPTIONS, which PETSc reads on rank 0. */
static void take_environment(void) {
  static const char NAME[] = "PETSC_OPTIONS", SPACES[] = " \t\n";
  const char *const given = getenv(NAME);
  char *const copy = given ? strdup(given) : NULL;
  int asked = 0;
  for (char *word = copy; word && *(word += strspn(word, SPACES)); word += strcspn(word, SPACES)) {
    const size_t length = strcspn(word, SPACES);
    if (!asks_help(word, length)) continue;
    memset(word, ' ', length);
    asked = 1;
  }
  if (asked) setenv(NAME, copy, 1);
  free(copy);
  MPI_Bcast(&asked, 1, MPI_INT, 0, MPI_COMM_WORLD);
  program.help_asked = program.help_asked || asked;
}

/* Error: too few file descriptors. Parallel HDF5 hangs if Open MPI finds none for a file. */
static PetscErrorCode require_descriptors(void) {
  enum { LEAST = 64 };
  struct rlimit limit;
  const bool few = !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < LEAST;
  return HgAgree(MPI_COMM_WORLD, few, HG_ERR_ENVIRONMENT,
                 "environment: a process may open %lu files, expected at least %d (ulimit -n)",
                 few ? (unsigned long)limit.rlim_cur : 0, LEAST);
}

/* A program of one rank that neither mpirun nor a PMI or PMIx (srun, prun, flux) has started needs
   no daemon of Open MPI. Without it, it starts in 0.7 of the time, and has no PMIx thread that
   listens to the daemon and can crash in MPI_Finalize() (open-mpi/ompi issue 10117).
   MPI_Comm_spawn() needs the daemon: a program that calls it sets the variable to 0. */
static bool without_daemon(void) {
  static const char NO_DAEMON[] = "OMPI_MCA_ess_singleton_isolated";
  static const char *const told[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                     "SLURM_STEP_ID"};
  for (int i = 0; i < (int)(sizeof told / sizeof *told); i++)
    if (getenv(told[i])) return false;
  setenv(NO_DAEMON, "1", 0);
  return !strcmp(getenv(NO_DAEMON), "1");
}

/* Without a daemon, Open MPI gives its directory the same name in all programs, so they would
   remove it under each other. This makes a directory around it for each program. It stays behind if
   the program is killed. */
static void make_directory(void) {
  static const char BASE[] = "OMPI_MCA_orte_tmpdir_base";
  const char *const given = getenv(BASE), *const temporary = getenv("TMPDIR");
  const int length = snprintf(program.directory, sizeof program.directory, "%s/halograd-XXXXXX",
                              given       ? given
                              : temporary ? temporary
                                          : "/tmp");
  const bool fits = length < (int)sizeof program.directory;
  if (fits && mkdtemp(program.directory)) setenv(BASE, program.directory, 1);
  else program.directory[0] = 0; /* MPI_Init() tells what it cannot make there */
}

static PetscErrorCode begin_mpi(int *argc, char ***argv) {
  int up = 0, level;
  MPI_Initialized(&up);
  if (up) return 0;
  /* an Open MPI 4 component for shared file pointers that formats names of files into 256 bytes;
     parallel HDF5 does not use it */
  setenv("OMPI_MCA_sharedfp", "^lockedfile", 0);
  if (without_daemon()) make_directory();
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level)) {
    HgErrorSayNow(HG_ERR_ENVIRONMENT, "MPI does not start on this machine");
    return HG_ERROR_TOLD;
  }
  program.mpi_is_ours = true;
  return 0;
}

/* After MPI has ended and emptied its directory. */
static void remove_directory(void) {
  if (program.directory[0]) rmdir(program.directory);
  program.directory[0] = 0;
}

/* Keeps a standard stream unusable if it was closed before the program began. Otherwise a file or
   pipe of MPI would get its number, and what is printed would go into it. */
static void hold_standard_streams(void) {
  for (int k = STDIN_FILENO; k <= STDERR_FILENO; k++)
    if (fcntl(k, F_GETFD) < 0) open("/dev/null", k == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Whether all that was printed was written, or was help whose reader has stopped reading. Called
   before and after PetscFinalize(), which prints -log_view and -options_view. */
static bool could_print(void) {
  if (!(fflush(stdout) | ferror(stdout))) return true; /* one rank may have printed, another not */
  if (program.help_asked && errno == EPIPE) return true;
  HgErrorSayLostOutput();
  return false;
}

PetscErrorCode HgInitialize(int *argc, char ***argv, const char help[]) {
  bool petscrc = false;
  program.help = help ? help : "", program.help_asked = false;
  hold_standard_streams();
  signal(SIGXFSZ, SIG_IGN); /* a file beyond `ulimit -f` is an error like a full disk */
  if (begin_mpi(argc, argv)) return HG_ERROR_TOLD;
  HgErrorBegin();
  PetscErrorCode ierr = require_descriptors();
  if (ierr) return ierr;
  ierr = HgOptionsCheck(*argc, *argv);
  if (ierr) return ierr;
  const int kept = take_arguments(*argc, *argv, &petscrc);
  ierr = HgAgree(MPI_COMM_WORLD, kept < 0, HG_ERR_MEMORY, "no memory for %d arguments", *argc);
  if (ierr) return ierr;
  *argc = kept;
  *argv = program.argv;
  take_environment();
  PetscCall(PetscPushErrorHandler(HgErrorHandle, NULL));
  PetscCall(PetscInitialize(argc, argv, NULL, help));
  program.petsc_runs = true;
  signal(SIGPIPE, SIG_IGN); /* a closed pipe must not kill the job: HgFinalize() reports it */
  PetscCall(HgFaultBegin());
  PetscCall(HgInputBegin());
  return hooks.begin ? hooks.begin() : 0;
}

/* Whether something has gone wrong on any rank. As soon as one rank exits with a status other than
   0, mpirun may kill those that still write. So ranks write for the last time while MPI is up, and
   wait for each other here. */
static bool wrong_anywhere(PetscErrorCode ierr) {
  int wrong = ierr != 0;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return wrong;
}

int HgFinalize(PetscErrorCode ierr) {
  int up = 0, down = 0;
  if (ierr == HG_ENDED) ierr = 0;
  MPI_Initialized(&up);
  MPI_Finalized(&down);
  if (!could_print()) ierr = HG_ERROR_TOLD;
  fflush(stderr);
  if (up && !down && HgErrorMeet(MPI_COMM_WORLD, ierr)) ierr = HG_ERROR_TOLD;
  if (up && !down && HgFaultEnd()) ierr = HG_ERROR_TOLD;
  if (up && !down) HgErrorEnd();
  if (program.petsc_runs && PetscFinalize()) ierr = HG_ERROR_TOLD;
  if (!ierr && !could_print()) ierr = HG_ERROR_TOLD;
  program.petsc_runs = false;
  if (hooks.end && !hooks.end(ierr)) ierr = HG_ERROR_TOLD;
  if (up && !down && wrong_anywhere(ierr)) ierr = HG_ERROR_TOLD;
  if (program.mpi_is_ours && up && !down) MPI_Finalize();
  remove_directory();
  free(program.argv);
  program.argv = NULL;
  return HgErrorStatus(ierr);
}

int HgMain(int argc, char **argv, const char help[], PetscErrorCode (*body)(void)) {
  const PetscErrorCode ierr = HgInitialize(&argc, &argv, help);
  return HgFinalize(ierr ? ierr : body());
}

const char *HgHelpAsked(void) { return program.help_asked ? program.help : NULL; }
