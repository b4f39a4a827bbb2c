/* SPDX-License-Identifier: BSD-2-Clause */
#include "launch.h"
#include <fcntl.h>
#include <jansson.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "seconds" of a run.json; -1: it has none. */
static double reported(const char path[]) {
  json_t *const root = json_load_file(path, 0, NULL), *const seconds =
                                                          json_object_get(root, "seconds");
  const double value = json_is_number(seconds) ? json_number_value(seconds) : -1;
  json_decref(root);
  return value;
}

/* -1: it failed. */
static double run(const BenchLaunch *l) {
  if (l->report) unlink(l->report);
  const double start = now();
  const pid_t child = fork();
  int status;
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    execvp(l->command[0], l->command);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status) return -1;
  return l->report ? reported(l->report) : now() - start;
}

static void print_failure(const char program[], const BenchLaunch *l) {
  fprintf(stderr, "%s: '", program);
  for (int k = 0; l->command[k]; k++) fprintf(stderr, k ? " %s" : "%s", l->command[k]);
  fprintf(stderr, "' failed; expected mpirun on the PATH (. scripts/env)%s%s\n",
          l->report ? " and seconds in " : "", l->report ? l->report : "");
}

bool BenchLaunchBoth(const char program[], int rounds, const BenchLaunch launch[2],
                     BenchCase cases[2]) {
  for (int round = -1; round < rounds; round++)
    for (int k = 0; k < 2; k++) {
      const int turn = round % 2 ? 1 - k : k;
      const double seconds = run(&launch[turn]);
      if (seconds < 0) {
        print_failure(program, &launch[turn]);
        return false;
      }
      if (round >= 0) cases[turn].seconds[round] = seconds;
    }
  cases[0].rounds = cases[1].rounds = rounds;
  return true;
}
