/* A refusal: one sentence on stderr, printed by one rank, and an error on every rank.

     sentence_begin();
     ierr = call(...);
     PetscCall(sentence_end(comm, ierr, "what it must say", "and this", NULL)); */
#ifndef HALOGRAD_TESTS_SENTENCE_H
#define HALOGRAD_TESTS_SENTENCE_H
#include "claim.h"
#include <unistd.h>
static struct {
  FILE *file;
  int stderr_before;
} sentence;
static inline void sentence_begin(void) {
  fflush(stderr);
  sentence.file = tmpfile();
  sentence.stderr_before = dup(2);
  dup2(fileno(sentence.file), 2);
}
/* Collective on `comm`. The expected parts, ended by NULL, must be the same on every rank. */
static inline PetscErrorCode sentence_end(MPI_Comm comm, PetscErrorCode ierr, ...) {
  enum { SIZE = 4096 };
  char text[SIZE] = "";
  int rank, size;
  fflush(stderr);
  dup2(sentence.stderr_before, 2);
  close(sentence.stderr_before);
  rewind(sentence.file);
  text[fread(text, 1, SIZE - 1, sentence.file)] = 0;
  fclose(sentence.file);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  claim_that(ierr == HG_ERROR_TOLD, "rank %d gets error %d, expected HG_ERROR_TOLD: %s", rank,
             (int)ierr, text);
  char *all;
  PetscCall(PetscMalloc1(size * SIZE, &all));
  PetscCallMPI(MPI_Gather(text, SIZE, MPI_CHAR, all, SIZE, MPI_CHAR, 0, comm));
  if (!rank) {
    const char *said = "";
    int lines = 0;
    for (int k = 0; k < size; k++) {
      if (all[k * SIZE]) said = all + k * SIZE;
      for (const char *c = all + k * SIZE; *c; c++) lines += *c == '\n';
    }
    claim_that(lines == 1, "%d sentences, expected one: %s", lines, said);
    claim_that(!strncmp(said, "halograd: ", 10), "a sentence begins 'halograd: ': %s", said);
    va_list list;
    va_start(list, ierr);
    for (const char *part; (part = va_arg(list, const char *));)
      claim_that(strstr(said, part), "'%s' is in the sentence: %s", part, said);
    va_end(list);
  }
  PetscCall(PetscFree(all));
  return 0;
}
#endif
