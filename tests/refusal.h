/* Calls that must be refused: what they say on stderr is caught and compared. */
#ifndef TESTS_REFUSAL_H
#define TESTS_REFUSAL_H
#include <halograd/error.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
typedef struct {
  int saved, lines;
  FILE *file;
  char sentence[4096];
} Refusal;
static inline void refusal_begin(Refusal *r) {
  *r = (Refusal){.saved = -1, .file = tmpfile()};
  fflush(stderr);
  r->saved = dup(STDERR_FILENO);
  if (r->file) dup2(fileno(r->file), STDERR_FILENO);
}
static inline void refusal_end(Refusal *r) {
  fflush(stderr);
  dup2(r->saved, STDERR_FILENO);
  close(r->saved);
  if (!r->file) return;
  rewind(r->file);
  r->sentence[fread(r->sentence, 1, sizeof r->sentence - 1, r->file)] = 0;
  fclose(r->file);
  for (const char *c = r->sentence; *c; c++) r->lines += *c == '\n';
}
/* The call ended with `ierr` between begin and end: was it refused on every rank, in one sentence of all ranks together that
   has each of the (up to three) words? Collective on PETSC_COMM_WORLD. */
static inline PetscErrorCode refusal_check(Refusal *r, PetscErrorCode ierr, const char call[],
                                           const char word0[], const char word1[],
                                           const char word2[]) {
  int rank, lines = r->lines, told = ierr == HG_ERROR_TOLD;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Allreduce(MPI_IN_PLACE, &lines, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &told, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
  const bool named = r->lines == 0 || (strstr(r->sentence, word0) && strstr(r->sentence, word1) &&
                                       strstr(r->sentence, word2));
  return HgAgree(PETSC_COMM_WORLD, !told || lines != 1 || !named,
                 "claim broken: %s: refused on all ranks: %d (must be 1), sentences: %d (must be "
                 "1), names '%s' '%s' '%s': %d; rank %d said: %s",
                 call, told, lines, word0, word1, word2, (int)named, rank, r->sentence);
}
#define REFUSED(call, word0, word1, word2)                                                         \
  do {                                                                                             \
    Refusal refusal_;                                                                              \
    refusal_begin(&refusal_);                                                                      \
    const PetscErrorCode refusal_ierr_ = (call);                                                   \
    refusal_end(&refusal_);                                                                        \
    PetscCall(refusal_check(&refusal_, refusal_ierr_, #call, word0, word1, word2));                \
  } while (0)
#endif
