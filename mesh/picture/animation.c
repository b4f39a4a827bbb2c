/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames and the film that ffmpeg makes of them: see animation.h. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <halograd/animation.h>
#include <halograd/file_library.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BASENAME = 64, PATH = 1024, WHY = 512 };

struct HgAnimation_s {
  MPI_Comm comm;
  char directory[PATH], frames[PATH + 16], basename[BASENAME];
  int count;
};

static bool plain_name(const char name[]) {
  bool plain = isalpha((unsigned char)name[0]) && strlen(name) < BASENAME;
  for (const char *c = name; plain && *c; c++) plain = isalnum((unsigned char)*c) || *c == '_';
  return plain;
}

/* basename_<digits>.png */
static bool is_frame(const char file[], const char basename[]) {
  const size_t length = strlen(basename);
  if (strncmp(file, basename, length) || file[length] != '_') return false;
  const char *digits = file + length + 1;
  const size_t count = strspn(digits, "0123456789");
  return count >= 4 && !strcmp(digits + count, ".png");
}

static int remove_frame(void *basename, int folder, const char name[]) {
  return is_frame(name, basename) && unlinkat(folder, name, 0) ? errno : 0;
}

PetscErrorCode HgAnimationCreate(MPI_Comm comm, const char directory[], const char basename[],
                                 HgAnimation *animation) {
  HgAnimation a;
  char film[PATH + BASENAME + 8];
  int rank, why = 0;
  *animation = NULL;
  HgRequire(comm, plain_name(basename), HG_ERR_FILE_NAME,
            "animation: '%.80s' is no plain file name (letters, digits, '_')", basename);
  HgRequire(comm, *directory && strlen(directory) < PATH, HG_ERR_FILE_NAME,
            "animation: expected a directory's name of 1 to %d bytes, got %zu", PATH - 1,
            strlen(directory));
  PetscCall(PetscNew(&a));
  a->comm = comm;
  strcpy(a->directory, directory);
  strcpy(a->basename, basename);
  snprintf(a->frames, sizeof a->frames, "%s/frames", directory);
  snprintf(film, sizeof film, "%s/%s.mp4", directory, basename);
  PetscErrorCode ierr = HgDirectoryCreate(comm, directory);
  if (!ierr) ierr = HgDirectoryCreate(comm, a->frames);
  if (!ierr) ierr = HgFileRemove(comm, film);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!ierr && !rank) why = HgFolderEach(a->frames, remove_frame, a->basename);
  if (!ierr)
    ierr = HgAgree(comm, why, HG_ERR_FILE_WRITE,
                   "cannot remove the frames of an earlier run from '%s': %s", a->frames,
                   HgFileReason(why));
  if (!ierr) *animation = a;
  else PetscCall(PetscFree(a));
  return ierr;
}

PetscErrorCode HgAnimationAdd(HgAnimation a, int count, const HgPanel panels[]) {
  char name[BASENAME + 16];
  snprintf(name, sizeof name, "%s_%04d", a->basename, a->count);
  PetscCall(HgPictureWrite(a->comm, a->frames, name, count, panels));
  a->count++;
  return 0;
}

/* ---- the film: ffmpeg, started without a shell and waited for with patience that ends ---- */

/* In `folder`; its stdin is empty, its stdout unheard, its stderr goes to `said`. Returns 0 or
   errno. */
static int start(const char *const words[], int folder, FILE *said, pid_t *pid) {
  posix_spawn_file_actions_t files;
  int why = posix_spawn_file_actions_init(&files);
  if (why) return why;
  why = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!why) why = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!why) why = posix_spawn_file_actions_adddup2(&files, fileno(said), STDERR_FILENO);
  if (!why) why = posix_spawn_file_actions_addfchdir_np(&files, folder);
  if (!why) why = posix_spawnp(pid, words[0], &files, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&files);
  return why;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns 0 once it has ended by itself, ETIME once it was ended after `patience` seconds, or
   errno. */
static int wait_for(pid_t pid, double patience, int *status) {
  const struct timespec nap = {0, 10000000};
  const double begun = now();
  for (;;) {
    const pid_t ended = waitpid(pid, status, WNOHANG);
    if (ended == pid) return 0;
    if (ended < 0 && errno != EINTR) return errno;
    if (now() - begun > patience) {
      kill(pid, SIGKILL);
      waitpid(pid, status, 0);
      return ETIME;
    }
    nanosleep(&nap, NULL);
  }
}

/* The last line that is not empty, in plain bytes. */
static void last_line(FILE *said, char line[], size_t size) {
  char text[256];
  *line = 0;
  rewind(said);
  while (fgets(text, sizeof text, said)) {
    text[strcspn(text, "\r\n")] = 0;
    for (char *c = text; *c; c++)
      if ((unsigned char)*c < 32 || *c == 127) *c = ' ';
    if (text[strspn(text, " ")]) snprintf(line, size, "%s", text);
  }
}

/* Has ffmpeg write `to` in the film's folder, `folder`. Names that begin with a letter are nothing
   that it takes for a protocol or an option. */
static void run_ffmpeg(int folder, const char to[], HgAnimation a, double rate, FILE *said,
                       char why[], size_t size) {
  const double patience = 10 + a->count;
  char from[PATH], per_second[32], frames[16], line[256];
  int status = 0;
  pid_t pid;
  snprintf(from, sizeof from, "frames/%s_%%04d.png", a->basename);
  snprintf(per_second, sizeof per_second, "%.6g", rate);
  snprintf(frames, sizeof frames, "%d", a->count);
  /* sides must be even, and yuv420p is what every player knows */
  const char *const words[] = {"ffmpeg",
                               "-nostdin",
                               "-y",
                               "-loglevel",
                               "error",
                               "-framerate",
                               per_second,
                               "-i",
                               from,
                               "-vf",
                               "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                               "-pix_fmt",
                               "yuv420p",
                               "-frames:v",
                               frames,
                               "-movflags",
                               "+faststart",
                               "-f",
                               "mp4",
                               to,
                               NULL};
  int error = start(words, folder, said, &pid);
  if (error == ENOENT) snprintf(why, size, "there is no ffmpeg in PATH");
  else if (error) snprintf(why, size, "ffmpeg cannot be started: %s", strerror(error));
  if (error) return;
  error = wait_for(pid, patience, &status);
  last_line(said, line, sizeof line);
  const char *const colon = *line ? ": " : "";
  if (error == ETIME)
    snprintf(why, size, "ffmpeg was not ready after %g s%s%s", patience, colon, line);
  else if (error) snprintf(why, size, "ffmpeg was lost sight of: %s", strerror(error));
  else if (WIFSIGNALED(status))
    snprintf(why, size, "ffmpeg was ended by signal %d%s%s", WTERMSIG(status), colon, line);
  else if (WEXITSTATUS(status))
    snprintf(why, size, "ffmpeg failed with exit status %d%s%s", WEXITSTATUS(status), colon, line);
}

/* Runs ffmpeg and waits for it, not for ever. `why`: "" if directory/basename.mp4 is there, whole;
   else the reason, and there is no such file. Not collective. */
static void make_film(HgAnimation a, double rate, char why[], size_t size) {
  char path[2 * PATH];
  HgFileDraft draft;
  struct stat made;
  FILE *said = tmpfile();
  *why = 0;
  snprintf(path, sizeof path, "%s/%s.mp4", a->directory, a->basename);
  int error = said ? HgFileDraftBegin(path, &draft) : errno;
  if (error) snprintf(why, size, "its files cannot be made: %s", HgFileReason(error));
  else {
    run_ffmpeg(draft.folder, draft.temporary, a, rate, said, why, size);
    if (!*why && (fstat(draft.file, &made) || !made.st_size))
      snprintf(why, size, "ffmpeg wrote nothing");
    error = HgFileDraftEnd(&draft, *why ? ECANCELED : 0, false);
    if (error && !*why) snprintf(why, size, "its file cannot be renamed: %s", strerror(error));
  }
  if (said) fclose(said);
}

/* Until rank 0 is here too; the others leave their cores to ffmpeg. */
static PetscErrorCode wait_for_film(MPI_Comm comm) {
  const struct timespec nap = {0, 10000000};
  MPI_Request request;
  int here = 0;
  PetscCallMPI(MPI_Ibarrier(comm, &request));
  while (!here) {
    PetscCallMPI(MPI_Test(&request, &here, MPI_STATUS_IGNORE));
    if (!here) nanosleep(&nap, NULL);
  }
  return 0;
}

PetscErrorCode HgAnimationClose(HgAnimation *animation, double rate) {
  HgAnimation a = *animation;
  char why[WHY] = "";
  int rank;
  *animation = NULL;
  if (!a) return 0;
  PetscCallMPI(MPI_Comm_rank(a->comm, &rank));
  if (!rank && a->count) make_film(a, rate, why, sizeof why);
  PetscCall(wait_for_film(a->comm));
  if (a->count && !*why)
    PetscCall(PetscPrintf(a->comm, "animation: %s/%s.mp4 of %d frames\n", a->directory, a->basename,
                          a->count));
  if (a->count && *why)
    PetscCall(PetscPrintf(a->comm, "animation: none, as %s; its %d frames are in %s\n", why,
                          a->count, a->frames));
  return PetscFree(a);
}
