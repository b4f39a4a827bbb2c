/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs hgstencil and the C compiler: see compile_private.h. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np(), nftw() */
#include "compile_private.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <halograd/file_library.h>
#include <halograd/real_library.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char TEXT[] = "physics.stencil", SOURCE[] = "physics.c", LIBRARY[] = "physics.so",
                  LOG[] = "log";

/* Starts the command in `work`; what it prints goes to the file `log` there. 0 or an errno. */
static int start(const char work[], const char log[], const char *const argv[], pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  sigemptyset(&defaults); /* the library ignores it, a child must not */
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_addchdir_np(&actions, work);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int why = posix_spawnp(child, argv[0], &actions, &attributes, (char *const *)argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return why;
}

/* The exit status of a child that start() started, or -1 and errno. */
static int end(int not_started, pid_t child) {
  int status;
  errno = not_started;
  if (not_started) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  errno = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int HgCompileSpawn(const char work[], const char log[], const char *const argv[]) {
  pid_t child = 0;
  return end(start(work, log, argv, &child), child);
}

int HgCompileRead(const char path[], HgCompiled *file) {
  struct stat status;
  const int from = open(path, O_RDONLY | O_CLOEXEC);
  size_t done = 0;
  int why = 0;
  *file = (HgCompiled){0, NULL};
  if (from < 0) return errno;
  if (fstat(from, &status)) why = errno;
  else if (!S_ISREG(status.st_mode)) why = EINVAL;
  else if (!(file->bytes = malloc((size_t)status.st_size + 1))) why = ENOMEM;
  while (!why && done < (size_t)status.st_size) {
    const ssize_t got = read(from, file->bytes + done, (size_t)status.st_size - done);
    if (got < 0 && errno != EINTR) why = errno;
    if (!got) why = EIO;
    if (got > 0) done += (size_t)got;
  }
  close(from);
  file->size = done;
  if (!why) file->bytes[done] = 0;
  if (why) free(file->bytes), file->bytes = NULL;
  return why;
}

static int write_text(const char path[], const char text[]) {
  HgFileDraft draft;
  struct iovec piece = {(char *)text, strlen(text)};
  int why = HgFileDraftBegin(path, &draft);
  if (!why) why = HgFilePiecesWrite(draft.file, &piece, 1);
  return HgFileDraftEnd(&draft, why, false);
}

/* The error in the log: the first line with ": error: ", else the first line. */
static void read_log(const char work[], const char log_name[], size_t size, char line[]) {
  char path[HG_COMPILE_PATH];
  HgCompiled log;
  snprintf(path, sizeof path, "%s/%s", work, log_name);
  if (HgCompileRead(path, &log) || !log.size) {
    snprintf(line, size, "it says nothing");
    free(log.bytes);
    return;
  }
  const char *wrong = strstr(log.bytes, ": error: ");
  if (!wrong) wrong = strstr(log.bytes, "rror: ");
  const char *begin = wrong ? wrong : log.bytes;
  while (begin > log.bytes && begin[-1] != '\n') begin--;
  snprintf(line, size, "%.*s", (int)strcspn(begin, "\n"), begin);
  free(log.bytes);
}

/* Warnings of hgstencil, as it printed them. */
static void print_log(const char work[]) {
  char path[HG_COMPILE_PATH];
  HgCompiled log;
  snprintf(path, sizeof path, "%s/%s", work, LOG);
  if (!HgCompileRead(path, &log) && log.size) fputs(log.bytes, stderr);
  free(log.bytes);
}

static bool generate(const HgCompileTools *tools, const char work[], char problem[]) {
  const char *const argv[] = {"python3", "-I",   "-B", tools->generator,  TEXT,
                              "-o",      SOURCE, "-e", HG_COMPILED_ENTRY, NULL};
  char line[HG_COMPILE_PROBLEM / 2];
  const int status = HgCompileSpawn(work, LOG, argv);
  if (status < 0)
    snprintf(problem, HG_COMPILE_PROBLEM,
             "hgstencil, which writes the kernels of a physics, needs python3 on PATH: %s",
             strerror(errno));
  if (status > 0) {
    read_log(work, LOG, sizeof line, line);
    snprintf(problem, HG_COMPILE_PROBLEM, "%s", line);
  }
  if (!status) print_log(work);
  return !status;
}

/* Whether the compiler succeeded, given its exit status. If not, sets `problem`. */
static bool compiled(const HgCompileTools *tools, int status, const char work[], const char log[],
                     char problem[]) {
  char line[HG_COMPILE_PROBLEM / 2];
  if (!status) return true;
  if (status > 0) read_log(work, log, sizeof line, line);
  snprintf(problem, HG_COMPILE_PROBLEM,
           "the C compiler '%.200s' cannot make the kernels of a physics: %s", tools->compiler,
           status > 0 ? line : strerror(errno));
  return false;
}

/* Uses the options of cmake/HalogradStencil.cmake and of the library; none changes a bit. gcc's -O2
   vectorises only if asked, and the register allocator is set to a faster one. The source has two
   halves (hgstencil -e), compiled at the same time. */
static bool compile(const HgCompileTools *tools, const char work[], char problem[]) {
  enum { MOST = 40 };

  static const char flags[] = HALOGRAD_COMPILE_FLAGS, machine[] = HALOGRAD_MACHINE_FLAGS,
                    gcc[] = "-ftree-vectorize -fvect-cost-model=dynamic -fira-region=one";
  static const char *const half[] = {"-DHG_HALF=1", "-DHG_HALF=2"},
                           *const object[] = {"1.o", "2.o"}, *const log[] = {LOG, "log2"};
  char words[sizeof flags + sizeof gcc + sizeof machine + 2];
  const char *argv[MOST] = {tools->compiler}, **rest = argv + 1;
  char *next = NULL;
  pid_t child[2];
  int not_started[2];
  bool made = true;
  snprintf(words, sizeof words, "%s %s %s", flags, tools->gnu ? gcc : "",
           tools->own_machine ? machine : "");
  for (char *word = strtok_r(words, " ", &next); word && rest < argv + MOST - 12;
       word = strtok_r(NULL, " ", &next))
    *rest++ = word;
  for (int k = 0; k < tools->includes; k++) *rest++ = "-isystem", *rest++ = tools->include[k];
  for (int k = 0; k < 2; k++) {
    memcpy(rest, (const char *[]){half[k], "-c", SOURCE, "-o", object[k], NULL}, 6 * sizeof *rest);
    not_started[k] = start(work, log[k], argv, &child[k]);
  }
  for (int k = 0; k < 2; k++)
    made = compiled(tools, end(not_started[k], child[k]), work, log[k], problem) && made;
  const char *const link[] = {tools->compiler, "-shared", object[0], object[1], "-o",
                              LIBRARY,         "-lm",     NULL};
  return made && compiled(tools, HgCompileSpawn(work, LOG, link), work, LOG, problem);
}

static int remove_entry(const char path[], const struct stat *status, int kind, struct FTW *at) {
  (void)status, (void)kind, (void)at;
  return remove(path);
}

/* Also removes what a compiler leaves beside its output, as ccache does without a home. */
static void remove_work(const char work[]) { nftw(work, remove_entry, 8, FTW_DEPTH | FTW_PHYS); }

bool HgCompileRun(const HgCompileTools *tools, const char text[], HgCompiled *made,
                  char problem[]) {
  const char *const given = getenv("TMPDIR"), *const temporary = given && *given ? given : "/tmp";
  char work[HG_COMPILE_PATH - 32], path[HG_COMPILE_PATH];
  const int length = snprintf(work, sizeof work, "%s/halograd-XXXXXX", temporary);
  if (length >= (int)sizeof work || !mkdtemp(work)) {
    snprintf(problem, HG_COMPILE_PROBLEM,
             "a physics cannot be compiled, as no folder can be made in '%s': %s", temporary,
             strerror(errno));
    return false;
  }
  snprintf(path, sizeof path, "%s/%s", work, TEXT);
  int why = write_text(path, text);
  const bool runs = !why && generate(tools, work, problem) && compile(tools, work, problem);
  snprintf(path, sizeof path, "%s/%s", work, LIBRARY);
  if (runs) why = HgCompileRead(path, made);
  remove_work(work);
  if (why)
    snprintf(problem, HG_COMPILE_PROBLEM, "a physics cannot be compiled in '%s': %s", temporary,
             HgFileReason(why));
  return runs && !why;
}
