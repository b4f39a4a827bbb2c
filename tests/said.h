/* What the ranks print to stderr between said_begin() and said_end(), for tests of sentences. */
#ifndef HALOGRAD_TESTS_SAID_H
#define HALOGRAD_TESTS_SAID_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef struct {
  FILE *file;
  int stderr_copy;
} Said;
static inline Said said_begin(void) {
  fflush(stderr);
  Said said = {tmpfile(), dup(2)};
  if (!said.file || said.stderr_copy < 0) abort();
  dup2(fileno(said.file), 2);
  return said;
}
/* `text`: what this rank said, cut to `size`. Returns the number of lines of all ranks. Collective. */
static inline int said_end(Said said, char text[], size_t size) {
  int lines = 0, total;
  fflush(stderr);
  dup2(said.stderr_copy, 2);
  close(said.stderr_copy);
  rewind(said.file);
  const size_t length = fread(text, 1, size - 1, said.file);
  text[length] = 0;
  fclose(said.file);
  for (const char *c = text; *c; c++) lines += *c == '\n';
  MPI_Allreduce(&lines, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return total;
}
#endif
