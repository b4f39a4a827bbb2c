/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the library starts anew in a process in which it has ended: what one start was told, did
   or left undone does not reach the next. A program that calls MPI_Init() itself may start it
   often, as claims.c does with this one. */
#include "claim.h"
#include "refusal.h"
#include <halograd/error_library.h>
#include <halograd/fault_library.h>
#include <halograd/mesh_library.h>
#include <halograd/trace_library.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 8 };

/* The trace of a rank, and the number after the last `word` in it, -1 if there is none. */
static long traced(const char path[], const char word[], char text[], size_t size) {
  FILE *file = fopen(path, "r");
  text[file ? fread(text, 1, size - 1, file) : 0] = 0;
  if (file) fclose(file);
  long last = -1;
  for (const char *c = text; (c = strstr(c, word)); c++) last = atol(c + strlen(word));
  return last;
}

static PetscErrorCode ask_for_help(void) {
  claim_that(HgHelpAsked() != NULL, "-help is heard");
  return 0;
}

/* As a program leaves it that an error ends. */
static PetscErrorCode leave_much(void) {
  MPI_Comm other;
  claim_that(!HgHelpAsked(), "-help is forgotten");
  claim_that(hg_fault_on, "-hg_fault is heard");
  HgErrorHold(true);
  HgErrorSetPatience(50);
  HgTraceEnter("left open", HG_TANGENT);
  PetscCallMPI(MPI_Comm_dup(PETSC_COMM_WORLD, &other));
  PetscCallMPI(MPI_Barrier(other));
  return MPI_Comm_free(&other);
}

static PetscErrorCode find_nothing(void) {
  claim_that(!hg_fault_on, "-hg_fault is forgotten");
  claim_same(HgErrorPatience(), 1, "seconds of patience");
  REFUSED(HgError(PETSC_COMM_WORLD, HG_ERR_CHECK_FAILED, "is said at once"), "is said at once");
  return 0;
}

static PetscErrorCode meet(void) { return MPI_Barrier(PETSC_COMM_WORLD); }

static const struct {
  const char *words[MOST];
  PetscErrorCode (*work)(void);
} starts[] = {
    {{"-help"}, ask_for_help},
    {{"-hg_fault", "memory:999999999", "-hg_trace_files", "first"}, leave_much},
    {{NULL}, find_nothing},
    {{"-hg_trace_files", "second"}, meet},
};

/* What the second trace says is what that of a process says which starts once: no open operator,
   and the collectives counted from its own begin. */
static void compare_traces(void) {
  static char text[1 << 16];
  const long first = traced("first.0", " collectives=", text, sizeof text);
  claim_that(strstr(text, "operator=\"left open\"") != NULL, "an operator is open: %.300s", text);
  const long second = traced("second.0", " collectives=", text, sizeof text);
  claim_same((double)second, (double)first, "collectives of the second trace, counted anew");
  claim_that(!strstr(text, "left open"), "no operator is open: %.300s", text);
}

int main(int argc, char **argv) {
  int ended = 0;
  (void)argc;
  for (size_t k = 0; !ended && k < sizeof starts / sizeof *starts; k++) {
    char *words[MOST + 2] = {argv[0]}, **at = words;
    int count = 1;
    while (starts[k].words[count - 1]) words[count] = (char *)starts[k].words[count - 1], count++;
    PetscErrorCode ierr = HgInitialize(&count, &at, "help");
    if (!k) claim_begin("the library starts anew", 0);
    if (!ierr) ierr = starts[k].work();
    ended = HgFinalize(ierr);
  }
  if (!ended && !claim.rank) compare_traces();
  return ended || claim.failures;
}
