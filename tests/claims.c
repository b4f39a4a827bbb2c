/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the claims of a room one after another in one process of each rank, since a start costs more
   than most claims do. Each is a main() linked here under a name of its own, which starts and ends
   the library; it runs in a directory of its own, called as it is, in the present one. Rank 0 says
   when each begins, in seconds since the first, so that the last line names a claim that crashes or
   hangs. A claim that fails keeps none of the others from running.

   usage: claims_ROOM [CLAIM]... [OPTION...]
   without a CLAIM: all that are made for this number of ranks. Every claim is given the options. */
#include "claims.h"
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WORDS = 64 };

/* Ends all ranks: a test that cannot be carried out. */
static void require(bool holds, const char what[]) {
  if (holds) return;
  fprintf(stderr, "claims: %s: %s\n", what, errno ? strerror(errno) : "not as expected");
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/* What a claim may change and leave so if it fails. */
typedef struct {
  int directory, streams[2];
  struct rlimit file_size;
} Place;

static Place place_keep(void) {
  Place here = {.directory = open(".", O_RDONLY | O_DIRECTORY)};
  for (int k = 0; k < 2; k++) here.streams[k] = dup(STDOUT_FILENO + k);
  require(here.directory >= 0 && here.streams[0] >= 0 && here.streams[1] >= 0, "open files");
  require(!getrlimit(RLIMIT_FSIZE, &here.file_size), "limits");
  return here;
}

static void place_return(Place here) {
  fflush(NULL);
  for (int k = 0; k < 2; k++) dup2(here.streams[k], STDOUT_FILENO + k);
  require(!fchdir(here.directory) && !setrlimit(RLIMIT_FSIZE, &here.file_size), "to come back");
}

static bool made_for(const Claim *c, int ranks) {
  const int *r = c->ranks;
  while (*r && *r != ranks) r++;
  return *r;
}

static bool named(const char name[], int names, char *argv[]) {
  int k = 0;
  while (k < names && strcmp(argv[k], name)) k++;
  return k < names;
}

/* Returns whether the claim failed on any rank. */
static bool fails(const Claim *c, int rank, Place here, char *program, char *options[]) {
  char *words[MOST_WORDS + 1] = {program};
  int argc = 1;
  for (int k = 0; c->arguments[k]; k++) words[argc++] = (char *)c->arguments[k];
  for (int k = 0; options[k]; k++) {
    require(argc < MOST_WORDS, "too many words");
    words[argc++] = options[k];
  }
  if (!rank) require(!mkdir(c->name, 0777) || errno == EEXIST, c->name);
  MPI_Barrier(MPI_COMM_WORLD);
  require(!chdir(c->name), c->name);
  int status = c->main(argc, words);
  place_return(here);
  status = status != 0;
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return status;
}

/* The closing words; returns the exit status. */
static int tell(int run, const char failed[], double seconds) {
  if (*failed) fprintf(stderr, "%7.2f s: these of %d claims fail:%s\n", seconds, run, failed);
  else if (run) printf("%7.2f s: %d claims hold\n", seconds, run);
  else fprintf(stderr, "no claim is made for this number of ranks\n");
  return *failed || !run;
}

/* Every name in front of the options is that of a claim. */
static void require_names(int names, char *argv[]) {
  for (int k = 0; k < names; k++) {
    const Claim *c = claims;
    while (c->name && strcmp(c->name, argv[k])) c++;
    errno = ENOENT;
    require(c->name != NULL, argv[k]);
  }
}

int main(int argc, char **argv) {
  int level, rank, ranks, names = 0, run = 0, status;
  char failed[4096] = "";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  while (1 + names < argc && argv[1 + names][0] != '-') names++;
  require_names(names, argv + 1);
  const Place here = place_keep();
  const double begin = MPI_Wtime();
  for (const Claim *c = claims; c->name; c++) {
    if (names ? !named(c->name, names, argv + 1) : !made_for(c, ranks)) continue;
    if (!rank) printf("%7.2f s: %s\n", MPI_Wtime() - begin, c->name), fflush(stdout);
    const size_t end = strlen(failed);
    if (fails(c, rank, here, argv[0], argv + 1 + names))
      snprintf(failed + end, sizeof failed - end, " %s", c->name);
    run++;
  }
  status = rank ? *failed || !run : tell(run, failed, MPI_Wtime() - begin);
  MPI_Finalize();
  return status;
}
