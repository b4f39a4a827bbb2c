/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures and pauses made on purpose: see fault.h. */
#include <errno.h>
#include <halograd/error.h>
#include <halograd/error_library.h>
#include <halograd/fault_library.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int error;
} kinds[HG_FAULTS] = {{"memory", ENOMEM},    {"write", ENOSPC}, {"fsync", EIO}, {"rename", EACCES},
                      {"lock", EWOULDBLOCK}, {"exchange", EIO}, {"pause", 0}};

bool hg_fault_on;

static struct {
  HgFaultKind kind;
  long n; /* the n-th of them fails; 0: none does */
  long met[HG_FAULTS];
  bool print;
} fault;

const char *HgFaultName(HgFaultKind kind) { return kinds[kind].name; }

void HgFaultSet(HgFaultKind kind, long n, int rank) {
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  fault.kind = kind;
  fault.n = rank < 0 || rank == own ? n : 0;
  memset(fault.met, 0, sizeof fault.met);
  hg_fault_on = true;
}

void HgFaultClear(void) { hg_fault_on = false; }

long HgFaultCount(HgFaultKind kind) { return fault.met[kind]; }

bool HgFaultMet(HgFaultKind kind) {
  const bool fails = ++fault.met[kind] == fault.n && kind == fault.kind;
  if (fails && kind == HG_FAULT_PAUSE) return raise(SIGSTOP) != 0;
  if (fails) errno = kinds[kind].error;
  return fails;
}

/* Reads a whole number in [min, max] that ends with `end`; moves *at behind it. */
static bool number(const char **at, char end, long min, long max, long *value) {
  const size_t digits = strspn(*at, "0123456789");
  if (!digits || digits > 9 || (*at)[digits] != end) return false;
  *value = strtol(*at, NULL, 10);
  *at += digits;
  return *value >= min && *value <= max;
}

/* KIND:N or KIND:N:RANK. */
static bool parse(const char text[], int ranks, HgFaultKind *kind, long *n, long *rank) {
  const char *at = strchr(text, ':');
  int k = 0;
  if (!at) return false;
  while (k < HG_FAULTS &&
         (strncmp(text, kinds[k].name, (size_t)(at - text)) || kinds[k].name[at - text]))
    k++;
  if (k == HG_FAULTS) return false;
  *kind = (HgFaultKind)k;
  *rank = -1;
  at++;
  if (!strchr(at, ':')) return number(&at, 0, 1, LONG_MAX, n);
  if (!number(&at, ':', 1, LONG_MAX, n)) return false;
  at++;
  return number(&at, 0, 0, ranks - 1, rank);
}

PetscErrorCode HgFaultBegin(void) {
  const char *text = NULL;
  PetscBool given = PETSC_FALSE;
  HgFaultKind kind = HG_FAULT_MEMORY;
  long n = 0, rank = -1;
  int ranks;
  PetscCallMPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsFindPair(NULL, NULL, "-hg_fault", &text, &given));
  fault.print = given && text && !strcmp(text, "count");
  const bool good = !given || fault.print || (text && parse(text, ranks, &kind, &n, &rank));
  PetscCall(
      HgAgree(MPI_COMM_WORLD, !good, HG_ERR_OPTION_RANGE,
              "option -hg_fault (what fails on purpose): expected count, KIND:N or "
              "KIND:N:RANK with KIND one of memory|write|fsync|rename|lock|exchange|pause, N from "
              "1 to 999999999, RANK from 0 to %d, got %s%.80s%s",
              ranks - 1, text ? "'" : "no value", text ? text : "", text ? "'" : ""));
  if (given) HgFaultSet(kind, n, (int)rank);
  else HgFaultClear();
  return 0;
}

PetscErrorCode HgFaultEnd(void) {
  int rank, ranks;
  long *all = NULL;
  if (!fault.print) return 0;
  fault.print = false;
  PetscCallMPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (!rank) PetscCall(PetscMalloc1((size_t)ranks * HG_FAULTS, &all));
  PetscCallMPI(
      MPI_Gather(fault.met, HG_FAULTS, MPI_LONG, all, HG_FAULTS, MPI_LONG, 0, MPI_COMM_WORLD));
  if (rank) return 0;
  printf("fault points");
  for (int k = 0; k < HG_FAULTS; k++) printf(" %9s", kinds[k].name);
  for (int r = 0; r < ranks; r++) {
    printf("\nrank %-7d", r);
    for (int k = 0; k < HG_FAULTS; k++) printf(" %9ld", all[r * HG_FAULTS + k]);
  }
  printf("\n");
  return PetscFree(all);
}
