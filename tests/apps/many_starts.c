/* Starts a program many times in one process of each rank: its main(), linked here as
   program_main(), runs once for each line of FILE, with PETSc from its start to its end, and must
   come back. A line is a directory to run in and the words of a command line, with tabs between.
   What start k says to stderr goes to said-k.RANK in the present directory, what main() returns to
   code-k.RANK. usage: many_starts FILE, in an empty directory */
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

static void start(int k, int rank, char line[]) {
  char *words[MOST_WORDS + 1];
  const int argc = cut(line, words);
  FILE *said = note("said", k, rank);
  const int before = dup(STDERR_FILENO);
  require(argc > 1 && !chdir(words[0]), words[0]);
  dup2(fileno(said), STDERR_FILENO);
  const int code = program_main(argc - 1, words + 1);
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  fclose(said);
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
