/* SPDX-License-Identifier: BSD-2-Clause */
/* claim: -help prints the program's own options first, in their groups, in 100 columns, and stops
   the program: no value is read, so that a bad one does not hide the help. Who reads no further
   than the first lines gets no error. The test gives itself -help, on an odd number of ranks in
   PETSC_OPTIONS. */
#include <halograd/options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char claim[] = "-help prints the program's own options first";
static int failures;

static void expect(bool holds, const char what[], const char text[]) {
  if (holds) return;
  failures++;
  printf("%s: %s, got:\n%s\n", claim, what, text);
}

static PetscErrorCode declare(int *nx, double *dt) {
  HgOptions options;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "test", "a test of help", &options));
  PetscCall(HgOptionsGroup(options, "Grid"));
  PetscCall(HgOptionsInt(options, "-nx", "cells along x", "", 1, 100000, nx));
  PetscCall(HgOptionsGroup(options, "Time"));
  PetscCall(HgOptionsReal(options, "-dt",
                          "time step, described in a sentence so long that it has to go on in the "
                          "next line or even the one after that",
                          "s", "(0, inf)", dt));
  return HgOptionsEnd(options);
}

static void check(char text[], int rank) {
  const char *order[] = {"test: a test of help\nmore about it\n",
                         "\nGrid\n  -nx ",
                         "128              1 to 100000          cells along x\n",
                         "Time\n  -dt [s] ",
                         "0.001            > 0                  time step, described",
                         "\n\nOptions can also stand",
                         "-tao_type"};
  const char *from = text;
  if (rank) {
    expect(!*text, "other ranks than 0 are silent", text);
    return;
  }
  for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
    const char *found = strstr(from, order[k]);
    expect(found, order[k], text);
    if (found) from = found;
  }
  expect(!strstr(text, "petscrc: "), "nothing of PETSc's own help", text);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    expect(strlen(line) <= 100, "at most 100 columns", line);
}

int main(int argc, char **argv) {
  const char *const open = getenv("OMPI_COMM_WORLD_SIZE"), *const launched =
                                                               open ? open : getenv("PMI_SIZE");
  const bool elsewhere = (launched ? atoi(launched) : 1) % 2;
  char *arguments[] = {
      argv[0], (char *)"-nx", (char *)"-5", (char *)"-typo", elsewhere ? NULL : (char *)"-help",
      NULL};
  char **argument = arguments, text[8192];
  int count = elsewhere ? 4 : 5, rank, nx = 128;
  double dt = 1e-3;
  (void)argc;
  if (elsewhere) setenv("PETSC_OPTIONS", "-dt 0.1 -help", 1);
  FILE *file = tmpfile();
  if (!file) return 1;
  const int copy = dup(1);
  dup2(fileno(file), 1);
  PetscErrorCode ierr = HgInitialize(&count, &argument, "more about it");
  if (!ierr) ierr = declare(&nx, &dt);
  fflush(stdout);
  dup2(copy, 1);
  close(copy);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  expect(ierr == HG_ENDED, "the program ends without an error", "");
  expect(nx == 128 && dt == 1e-3, "the values are the defaults", "");
  check(text, rank);
  fflush(stdout);
  int ends[2];
  if (pipe(ends)) return 1;
  close(ends[0]);
  dup2(ends[1], 1);
  printf("what nobody reads\n");
  return HgFinalize(ierr == HG_ENDED ? (PetscErrorCode)failures : ierr);
}
