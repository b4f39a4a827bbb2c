/* SPDX-License-Identifier: BSD-2-Clause */
/* What PETSc prints between caught_begin() and caught_end(), as text. */
#ifndef HALOGRAD_TESTS_CAUGHT_H
#define HALOGRAD_TESTS_CAUGHT_H

#include <petscsys.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns where it is printed else. */
static inline FILE *caught_begin(void) {
  FILE *const usual = PETSC_STDOUT;
  PETSC_STDOUT = tmpfile();
  if (!PETSC_STDOUT) abort();
  return usual;
}

/* text: what this rank printed, cut to `size`. */
static inline void caught_end(FILE *usual, char text[], size_t size) {
  rewind(PETSC_STDOUT);
  text[fread(text, 1, size - 1, PETSC_STDOUT)] = 0;
  fclose(PETSC_STDOUT);
  PETSC_STDOUT = usual;
}

/* Lines of a check; the findings below what fails do not count. */
static inline int lines_of(const char text[]) {
  int lines = 0;
  for (const char *c = text; *c; c++) lines += *c != ' ' && (c == text || c[-1] == '\n');
  return lines;
}

#endif
