/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts a program many times in one process of each rank: its main(), linked here as
   program_main(), runs once for each line of FILE, with PETSc from its start to its end, and must
   come back. A line is a directory to run in and the words of a command line, with tabs between. In
   the present directory, what start k prints goes to printed-k.RANK, what it says to stderr to
   said-k.RANK, what main() returns to code-k.RANK. usage: many_starts FILE, in an empty directory
   */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef main
int program_main(int argc, char **argv);

enum { MOST_WORDS = 64, LINE = 1 << 14 };

/* Ends all ranks: a test that cannot be carried out. */
static void require(int holds, const char what[]) {
  if (holds) return;
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/* `line` cut at its tabs; argv ends with NULL. Returns the number of words. */
static int cut(char line[], char *argv[]) {
  int argc = 0;
  line[strcspn(line, "\n")] = 0;
  for (char *word = strtok(line, "\t"); word; word = strtok(NULL, "\t")) {
    require(argc < MOST_WORDS, "too many words");
    argv[argc++] = word;
  }
  argv[argc] = NULL;
  return argc;
}

static int here; /* the directory that this began in */

static FILE *note(const char kind[], int k, int rank) {
  char name[64];
  snprintf(name, sizeof name, "%s-%d.%d", kind, k, rank);
  const int file = openat(here, name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  require(file >= 0, name);
  return fdopen(file, "w");
}

/* What goes to `stream` goes to the file from now on; returns where it went before. */
static int turn(FILE *stream, FILE *file) {
  fflush(stream);
  const int before = dup(fileno(stream));
  dup2(fileno(file), fileno(stream));
  fclose(file);
  return before;
}

static void turn_back(FILE *stream, int before) {
  fflush(stream);
  dup2(before, fileno(stream));
  close(before);
}

static void start(int k, int rank, char line[]) {
  char *words[MOST_WORDS + 1];
  const int argc = cut(line, words);
  const int out = turn(stdout, note("printed", k, rank));
  const int err = turn(stderr, note("said", k, rank));
  require(argc > 1 && !chdir(words[0]), words[0]);
  const int code = program_main(argc - 1, words + 1);
  turn_back(stderr, err);
  turn_back(stdout, out);
  require(!fchdir(here), "the directory that this began in");
  FILE *codes = note("code", k, rank);
  fprintf(codes, "%d", code);
  fclose(codes);
}

int main(int argc, char **argv) {
  static char line[LINE];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  here = open(".", O_RDONLY | O_DIRECTORY);
  FILE *lines = argc == 2 ? fopen(argv[1], "r") : NULL;
  require(here >= 0 && lines, "usage: many_starts FILE");
  for (int k = 0; fgets(line, sizeof line, lines); k++) {
    start(k, rank, line);
    MPI_Barrier(MPI_COMM_WORLD); /* the next one may run in the same directory */
  }
  fclose(lines);
  MPI_Finalize();
  return 0;
}
