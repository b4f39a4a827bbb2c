/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of refusals.py: compile_file TEXT [OTHER] compiles the text of a file, on the last
   rank that of another one, and prints the name of the physics. */
#include <halograd/file_library.h>
#include <halograd/physics_compile.h>
#include <halograd/problem.h>

int main(int argc, char **argv) {
  const HgPhysics *physics;
  char *text = NULL;
  size_t size;
  int rank, ranks;
  const char *files[2] = {argv[1], argc > 2 ? argv[2] : argv[1]};
  PetscErrorCode ierr = HgInitialize(&(int){1}, &(char **){(char *[]){argv[0], NULL}}, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *const file = files[rank == ranks - 1];
  if (!ierr) ierr = HgFileReadAll(PETSC_COMM_SELF, file, 1 << 20, &text, &size);
  if (!ierr) ierr = HgPhysicsCompile(PETSC_COMM_WORLD, text, &physics);
  if (!ierr) ierr = PetscPrintf(PETSC_COMM_WORLD, "%s\n", physics->name);
  if (text && PetscFree(text)) ierr = HG_ERROR_TOLD;
  return HgFinalize(ierr);
}
