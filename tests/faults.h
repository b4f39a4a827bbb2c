/* SPDX-License-Identifier: BSD-2-Clause */
/* Every point of a kind (halograd/fault.h) that a piece of work meets, failing one after another.

     faults_try(HG_FAULT_MEMORY, work, check, context)

   runs work(context) once with nothing failing, then once for each point met, which fails on one
   rank, and check(context, ...) after each. Claimed: the work is refused in one sentence on all
   ranks, or succeeds in silence; the point was met. With -say the points are named as they are
   tried. Under the sanitizers every fifth allocation fails. */
#ifndef HALOGRAD_TESTS_FAULTS_H
#define HALOGRAD_TESTS_FAULTS_H

#include "claim.h"
#include "draws.h"
#include "refusal.h"
#include <halograd/fault_library.h>

typedef PetscErrorCode FaultsWork(void *context);

/* `what`: "write 12 on rank 3"; failed: the work was refused. NULL: nothing more is to be
   checked. */
typedef PetscErrorCode FaultsCheck(void *context, bool failed, const char what[]);

static inline PetscErrorCode faults_try_one(HgFaultKind kind, long n, int rank, FaultsWork *work,
                                            FaultsCheck *check, void *context) {
  char what[64];
  PetscBool say;
  snprintf(what, sizeof what, "%s %ld on rank %d", HgFaultName(kind), n, rank);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-say", &say));
  if (say && !claim.rank) printf("%s\n", what), fflush(stdout);
  refusal_begin();
  HgFaultSet(kind, n, rank);
  const PetscErrorCode ierr = work(context);
  HgFaultClear();
  PetscCall(refusal_or_success(PETSC_COMM_WORLD, ierr, ""));
  if (claim.rank == rank) claim_that(HgFaultCount(kind) >= n, "%s is not met", what);
  return check ? check(context, ierr != 0, what) : 0;
}

static inline PetscErrorCode faults_try(HgFaultKind kind, FaultsWork *work, FaultsCheck *check,
                                        void *context) {
  long met[64], most = 0;
  int ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  HgFaultSet(kind, 0, -1);
  PetscCall(work(context));
  HgFaultClear();
  if (check) PetscCall(check(context, false, "a run that counts"));
  const long own = HgFaultCount(kind);
  PetscCallMPI(MPI_Allgather(&own, 1, MPI_LONG, met, 1, MPI_LONG, PETSC_COMM_WORLD));
  for (int r = 0; r < ranks; r++) most = PetscMax(most, met[r]);
  claim_that(most > 0, "no %s can fail", HgFaultName(kind));
  const long every = SANITIZED && kind == HG_FAULT_MEMORY ? 5 : 1;
  for (long n = 1; n <= most; n += every) {
    int rank = (int)(n % ranks); /* the next that meets so many */
    while (met[rank] < n) rank = (rank + 1) % ranks;
    PetscCall(faults_try_one(kind, n, rank, work, check, context));
  }
  return 0;
}

#endif
