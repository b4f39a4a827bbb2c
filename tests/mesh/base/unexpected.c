/* claim: an error that nobody expects on one rank, the others waiting, ends the job with one
   sentence.
   The program fails as -how says; tests/expect_refusal looks at its end. */
#include <halograd/error.h>
#include <petscvec.h>
#include <string.h>

static PetscErrorCode returns_seven(void) { return 7; }

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
  if (!strcmp(how, "number") && rank == size - 1) PetscCall(returns_seven());
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
