/* ffmpeg, started without a shell and waited for with patience that ends. */
#define _GNU_SOURCE
#include "animation_private.h"
#include <errno.h>
#include <fcntl.h>
#include <halograd/file_library.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In `folder`; its stdin is empty, its stdout unheard, its stderr goes to `said`. Returns 0 or errno.
   */
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
static void run(int folder, const char to[], const HgFilm *film, FILE *said, char why[],
                size_t size) {
  const double patience = 10 + film->frames;
  char from[HG_FILM_PATH], rate[32], frames[16], line[256];
  int status = 0;
  pid_t pid;
  snprintf(from, sizeof from, "frames/%s_%%04d.png", film->basename);
  snprintf(rate, sizeof rate, "%.6g", film->rate);
  snprintf(frames, sizeof frames, "%d", film->frames);
  /* sides must be even, and yuv420p is what every player knows */
  const char *const words[] = {"ffmpeg",
                               "-nostdin",
                               "-y",
                               "-loglevel",
                               "error",
                               "-framerate",
                               rate,
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

void HgFilmMake(const HgFilm *film, char why[], size_t size) {
  char path[2 * HG_FILM_PATH];
  HgFileDraft draft;
  struct stat made;
  FILE *said = tmpfile();
  *why = 0;
  snprintf(path, sizeof path, "%s/%s.mp4", film->directory, film->basename);
  int error = said ? HgFileDraftBegin(path, &draft) : errno;
  if (error) snprintf(why, size, "its files cannot be made: %s", HgFileReason(error));
  else {
    run(draft.folder, draft.temporary, film, said, why, size);
    if (!*why && (fstat(draft.file, &made) || !made.st_size))
      snprintf(why, size, "ffmpeg wrote nothing");
    error = HgFileDraftEnd(&draft, *why ? ECANCELED : 0, false);
    if (error && !*why) snprintf(why, size, "its file cannot be renamed: %s", strerror(error));
  }
  if (said) fclose(said);
}
