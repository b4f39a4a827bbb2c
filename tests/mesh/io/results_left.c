/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a program that ends in an error before its results are closed leaves the times that are
   whole, nothing of what is not, and files of others alone. */
#include "claim.h"
#include "patches.h"
#include <halograd/results.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];

static const char *in(const char name[]) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static bool there(const char name[]) { return !access(in(name), F_OK); }

static PetscErrorCode end_early(void) {
  const HgVariable variables[2] = {{"u", "K", HG_FIELD, 0}, {"kappa", "m^2/s", HG_FIELD, 0}};
  HgMesh mesh;
  HgState q;
  HgResults left, half, kept, closed;
  const int ranks = claim.ranks;
  PetscCall(patches_mesh(MPI_COMM_WORLD, ranks, 2, 1, false, false, &mesh));
  PetscCall(HgStateCreate(mesh, 2, variables, &q));
  PetscCall(HgResultsCreate(mesh, directory, "closed", "closed", &closed));
  PetscCall(HgResultsWrite(closed, 0, q, NULL));
  PetscCall(HgResultsClose(&closed));
  PetscCall(HgResultsCreate(mesh, directory, "left", "left open", &left));
  PetscCall(HgResultsCreate(mesh, directory, "half", "left open before its first time", &half));
  PetscCall(HgResultsWriteConstant(half, q, "kappa", NULL, NULL));
  PetscCall(HgResultsCreate(mesh, directory, "kept", "left open too", &kept));
  PetscCall(HgResultsWriteConstant(left, q, "kappa", NULL, NULL));
  PetscCall(HgResultsWrite(left, 0, q, (const char *const[]){"u", NULL}));
  PetscCall(HgResultsWrite(left, 1, q, (const char *const[]){"u", NULL}));
  PetscCallMPI(MPI_Barrier(MPI_COMM_WORLD));
  if (claim.rank) return HG_ERROR_TOLD;
  claim_that(there("left/left_0001.vti") && there("left/kappa.vti"), "results are being written");
  FILE *file = fopen(in("kept/notes.txt"), "w");
  claim_that(file && !fclose(file), "a file of somebody else's is made");
  return HG_ERROR_TOLD;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv); /* so that ranks can still wait for each other after HgFinalize() */
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (ierr) return HgFinalize(ierr);
  claim_begin("a program that ends early leaves no results", 0);
  if (!claim.rank) {
    snprintf(directory, sizeof directory, "/tmp/halograd-results-XXXXXX");
    claim_that(mkdtemp(directory), "%s can be made", directory);
  }
  MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
  claim_that(HgFinalize(end_early()) == 1, "an error ends in exit status 1");
  MPI_Barrier(MPI_COMM_WORLD);
  if (!claim.rank) {
    claim_that(!there("half"), "the folder of results without a time is gone");
    static const char *const files[] = {
        "kept/notes.txt",     "closed/closed_0000.vti", "closed.h5", "closed.pvd",    "left.h5",
        "left/left_0000.vti", "left/left_0001.vti",     "left.pvd",  "left/kappa.vti"};
    for (int k = 0; k < 9; k++) claim_that(!unlink(in(files[k])), "%s stays", files[k]);
    claim_that(!rmdir(in("kept")) && !rmdir(in("closed")) && !rmdir(in("left")),
               "the folders hold nothing else");
    claim_that(!rmdir(directory), "nothing else is left in %s", directory);
  }
  MPI_Allreduce(MPI_IN_PLACE, &claim.failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return claim.failures != 0;
}
