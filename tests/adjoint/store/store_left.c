/* A program that ends in an error before it destroys its stores leaves no checkpoint files. */
#include "claim.h"
#include "patches.h"
#include <halograd/store.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64], inner[96];

static PetscErrorCode end_early(void) {
  const HgVariable variable = {"u", "K", HG_FIELD, 0};
  HgMesh mesh;
  HgState q;
  HgStore first, second, third;
  struct stat found;
  int ranks;
  PetscCallMPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  PetscCall(patches_mesh(MPI_COMM_WORLD, ranks, 2, 1, false, false, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &variable, &q));
  PetscCall(HgStoreCreateHDF5(q, 2, inner, &first));
  PetscCall(HgStoreCreateHDF5(q, 1, inner, &second));
  PetscCall(HgStoreCreateHDF5(q, 1, inner, &third));
  PetscCall(HgStoreDestroy(&second));
  PetscCall(HgStorePut(first, 0, 0, q));
  claim_that(!stat(inner, &found), "%s is in use", inner);
  return HG_ERROR_TOLD;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv); /* so that ranks can still wait for each other after HgFinalize() */
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (ierr) return HgFinalize(ierr);
  claim_begin("a program that ends early leaves no checkpoint files", 0);
  if (!claim.rank) {
    snprintf(directory, sizeof directory, "/tmp/halograd-store-XXXXXX");
    claim_that(mkdtemp(directory), "%s can be made", directory);
  }
  MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
  snprintf(inner, sizeof inner, "%s/slots", directory);
  claim_that(HgFinalize(end_early()) == 1, "an error ends in exit status 1");
  MPI_Barrier(MPI_COMM_WORLD);
  if (!claim.rank) claim_that(!rmdir(directory), "nothing is left in %s", directory);
  MPI_Allreduce(MPI_IN_PLACE, &claim.failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return claim.failures != 0;
}
