/* SPDX-License-Identifier: BSD-2-Clause */
/* How a test fails: it prints claim, value, bound, seed and rank; and how it ends. */
#ifndef HALOGRAD_TESTS_CLAIM_H
#define HALOGRAD_TESTS_CLAIM_H

#include "destroy.h"
#include <halograd/error.h>
#include <halograd/real_library.h>
#include <halograd/state_library.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct {
  const char *text;
  uint64_t seed;
  int rank, ranks, failures;
} claim;

/* The first thing after HgInitialize(). */
static inline void claim_begin(const char text[], uint64_t seed) {
  claim.text = text, claim.seed = seed;
  MPI_Comm_rank(MPI_COMM_WORLD, &claim.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &claim.ranks);
}

/* Prints the first five failures of a rank: "<claim>: <what>: value .., <relation> .., seed,
   rank". */
static inline bool claim_fails(double value, const char format[], double limit, const char what[],
                               va_list list) {
  if (claim.failures++ >= 5) return false;
  char text[512], numbers[128];
  vsnprintf(text, sizeof text, what, list);
  snprintf(numbers, sizeof numbers, format, value, limit);
  fprintf(stderr, "claim fails: %s: %s: %s, seed %llu, rank %d\n", claim.text, text, numbers,
          (unsigned long long)claim.seed, claim.rank);
  return false;
}

/* Not collective. Returns whether value <= bound, which a NaN is not. */
static inline bool claim_at_most(double value, double bound, const char what[], ...)
    PETSC_ATTRIBUTE_FORMAT(3, 4);

static inline bool claim_at_most(double value, double bound, const char what[], ...) {
  if (value <= bound) return true;
  va_list list;
  va_start(list, what);
  claim_fails(value, "value %.17g, bound %.17g", bound, what, list);
  va_end(list);
  return false;
}

/* The same bits. */
static inline bool claim_same(double value, double expected, const char what[], ...)
    PETSC_ATTRIBUTE_FORMAT(3, 4);

static inline bool claim_same(double value, double expected, const char what[], ...) {
  if (!memcmp(&value, &expected, sizeof value)) return true;
  va_list list;
  va_start(list, what);
  claim_fails(value, "value %a, expected exactly %a", expected, what, list);
  va_end(list);
  return false;
}

static inline bool claim_that(bool holds, const char what[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

static inline bool claim_that(bool holds, const char what[], ...) {
  if (holds) return true;
  char text[512];
  va_list list;
  va_start(list, what);
  vsnprintf(text, sizeof text, what, list);
  va_end(list);
  return claim_at_most(1, 0, "%s", text);
}

/* Removes files, such as "out rec-*", when every rank is done with them. Collective. */
static inline PetscErrorCode claim_clear(const char files[]) {
  char command[256];
  snprintf(command, sizeof command, "rm -rf %s", files);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!claim.rank && system(command)) return PETSC_ERR_FILE_UNEXPECTED;
  return MPI_Barrier(PETSC_COMM_WORLD);
}

/* Ends the program; returns its exit status. Collective. */
static inline int claim_end(PetscErrorCode ierr) {
  if (ierr && !claim.rank) fprintf(stderr, "claim fails: %s: error %d\n", claim.text, (int)ierr);
  if (!ierr) MPI_Allreduce(MPI_IN_PLACE, &claim.failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int status = HgFinalize(ierr);
  return status || claim.failures;
}

/* The main() of a program whose claim is that of all these tests, one after another. */
#define CLAIM(text, seed, ...)                                                                     \
  int main(int argc, char **argv) {                                                                \
    PetscErrorCode (*const tests[])(void) = {__VA_ARGS__};                                         \
    PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);                                        \
    claim_begin(text, seed);                                                                       \
    for (size_t k = 0; k < sizeof tests / sizeof *tests && !ierr; k++) ierr = tests[k]();          \
    return claim_end(ierr);                                                                        \
  }

#endif
