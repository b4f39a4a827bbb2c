/* SPDX-License-Identifier: BSD-2-Clause */
/* What the ranks print to stderr, caught; and refusals: one sentence of one rank, an error on every
   rank.

     Said said = said_begin();                       refusal_begin();
     call(...);                                      ierr = call(...);
     lines = said_end(said, text, sizeof text);      PetscCall(refusal_end(comm, ierr, "what it must
     say", "and this", NULL));

   REFUSED(call(...), "what it must say", "and this") is the second on PETSC_COMM_WORLD. */
#ifndef HALOGRAD_TESTS_REFUSAL_H
#define HALOGRAD_TESTS_REFUSAL_H

#include <halograd/error.h>
#include <stdarg.h>
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
  Said said = {tmpfile(), dup(STDERR_FILENO)};
  if (!said.file || said.stderr_copy < 0) abort();
  dup2(fileno(said.file), STDERR_FILENO);
  return said;
}

/* `text`: what this rank said, cut to `size`. Returns its number of lines. Not collective. */
static inline int said_here(Said said, char text[], size_t size) {
  int lines = 0;
  fflush(stderr);
  dup2(said.stderr_copy, STDERR_FILENO);
  close(said.stderr_copy);
  rewind(said.file);
  const size_t length = fread(text, 1, size - 1, said.file);
  text[length] = 0;
  fclose(said.file);
  for (const char *c = text; *c; c++) lines += *c == '\n';
  return lines;
}

/* The same, but returns the number of lines of all ranks. Collective. */
static inline int said_end(Said said, char text[], size_t size) {
  int lines = said_here(said, text, size);
  MPI_Allreduce(MPI_IN_PLACE, &lines, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return lines;
}

static Said refusal_said;

static inline void refusal_begin(void) { refusal_said = said_begin(); }

/* The call between begin and here ended with `ierr`: was it refused on every rank, in one sentence
   of all ranks together that begins "halograd: " and has all the parts, ended by NULL? Collective
   on `comm`. */
static inline PetscErrorCode refusal_end(MPI_Comm comm, PetscErrorCode ierr, ...) {
  char text[4096], missing[256] = "";
  int rank, told = ierr == HG_ERROR_TOLD;
  const int mine = said_here(refusal_said, text, sizeof text);
  int lines = mine;
  const bool begins = !*text || !strncmp(text, "halograd: ", 10);
  va_list parts;
  va_start(parts, ierr);
  for (const char *part; (part = va_arg(parts, const char *));)
    if (mine && !*missing && !strstr(text, part)) snprintf(missing, sizeof missing, "%s", part);
  va_end(parts);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lines, 1, MPI_INT, MPI_SUM, comm));
  return HgAgree(comm, !told || lines != 1 || !begins || *missing, HG_ERR_CHECK_FAILED,
                 "claim fails: a refusal is one sentence and an error on every rank: rank %d has "
                 "error %d, expected %d; %d sentences, expected 1; '%s' is not in: %s",
                 rank, (int)ierr, (int)HG_ERROR_TOLD, lines, missing, text);
}

/* For calls that may succeed: silently, or they are refused in a sentence that has `part`. */
static inline PetscErrorCode refusal_or_success(MPI_Comm comm, PetscErrorCode ierr,
                                                const char part[]) {
  if (ierr) return refusal_end(comm, ierr, part, NULL);
  char text[4096];
  const int lines = said_here(refusal_said, text, sizeof text);
  return HgAgree(comm, lines > 0, HG_ERR_CHECK_FAILED,
                 "claim fails: a call that succeeds is silent; it said: %s", text);
}

#define REFUSED(call, ...)                                                                         \
  do {                                                                                             \
    refusal_begin();                                                                               \
    const PetscErrorCode refused_ = (call);                                                        \
    PetscCall(refusal_end(PETSC_COMM_WORLD, refused_, __VA_ARGS__, NULL));                         \
  } while (0)

#endif
