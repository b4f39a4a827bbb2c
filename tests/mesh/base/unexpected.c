/* SPDX-License-Identifier: BSD-2-Clause */
/* claim: an error that nobody expects on one rank, the others waiting, ends the job with one
   sentence; so do errors of all ranks that end the job at the same moment, and a contract of all
   ranks that one rank alone breaks, whether the others wait for it or come to the end.
   The program fails as -how says; tests/expect_refusal looks at its end. */
#include <halograd/error_library.h>
#include <petscvec.h>
#include <string.h>

static PetscErrorCode returns_seven(void) { return 7; }

/* Rank r waits `each` r seconds less than rank 0 does: as much as the library makes it wait more
   before it speaks, so that all ranks speak together and no message of one comes in time. */
static void wait_together(double each, int rank, int size) {
  MPI_Barrier(PETSC_COMM_WORLD);
  for (const double end = MPI_Wtime() + each * (size - rank); MPI_Wtime() < end;) continue;
}

static void end_together(int rank, int size) {
  HgErrorHold(true);
  (void)HgError(PETSC_COMM_SELF, HG_ERR_CHECK_FAILED, "rank %d of %d cannot go on", rank, size);
  wait_together(0.02, rank, size);
  HgErrorEndJob();
}

static PetscErrorCode run(void) {
  char how[32] = "";
  int rank, size;
  Vec vector;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-how", how, sizeof how, NULL));
  if (!strcmp(how, "all") || (!strcmp(how, "petsc") && rank == size - 1)) {
    PetscCall(VecCreate(!strcmp(how, "all") ? PETSC_COMM_WORLD : PETSC_COMM_SELF, &vector));
    PetscCall(VecSetType(vector, "nonsense"));
  }
  if (!strcmp(how, "together")) end_together(rank, size);
  if (!strcmp(how, "numbers")) {
    wait_together(0.1, rank, size);
    PetscCall(returns_seven());
  }
  const bool late = !strcmp(how, "late"), alone = late || !strcmp(how, "alone");
  if (late) PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  HgRequire(PETSC_COMM_WORLD, !alone || rank < size - 1, HG_ERR_CHECK_FAILED,
            "rank %d of %d is alone", rank, size);
  if (late) return 0;
  if (!strcmp(how, "number") && rank == size - 1) PetscCall(returns_seven());
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
