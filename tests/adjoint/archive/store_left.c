/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that ends in an error before it destroys its stores leaves no checkpoint files, and
   removes what one has left that was killed as it made its folder, but not what one is making. */
#include "claim.h"
#include "patches.h"
#include <fcntl.h>
#include <halograd/store_library.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static char directory[64], inner[96];

/* A folder that a run began to make so many seconds ago. */
static void begin_folder(const char name[], bool locked, long ago) {
  char path[128], lock[160];
  struct timeval now[2];
  snprintf(path, sizeof path, "%s/%s", inner, name);
  snprintf(lock, sizeof lock, "%s/lock", path);
  claim_that(!mkdir(path, 0777), "%s can be made", path);
  if (locked) claim_that(!close(creat(lock, 0600)), "%s can be made", lock);
  gettimeofday(&now[0], NULL);
  now[0].tv_sec -= ago, now[1] = now[0];
  claim_that(!utimes(path, now), "%s can be made older", path);
}

/* What is not ours to remove is there, and nothing else. */
static void claim_left(void) {
  char path[128];
  snprintf(path, sizeof path, "%s/.new-slots-young/lock", inner);
  claim_that(!unlink(path), "%s is being made, and stays", path);
  snprintf(path, sizeof path, "%s/.new-slots-young", inner);
  claim_that(!rmdir(path), "%s is being made, and stays", path);
  claim_that(!rmdir(inner), "nothing is left in %s", inner);
  claim_that(!rmdir(directory), "nothing is left in %s", directory);
}

static PetscErrorCode end_early(void) {
  const HgVariable variable = {"u", "K", HG_FIELD, 0};
  HgMesh mesh;
  HgState q;
  HgStore first, second, third;
  struct stat found;
  const int ranks = claim.ranks;
  PetscCall(patches_mesh(MPI_COMM_WORLD, ranks, 2, 1, false, false, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &variable, &q));
  PetscCall(HgStoreCreate(q, 0, 2, inner, &first));
  PetscCall(HgStoreCreate(q, 0, 1, inner, &second));
  PetscCall(HgStoreCreate(q, 0, 1, inner, &third));
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
  if (!claim.rank) {
    claim_that(!mkdir(inner, 0777), "%s can be made", inner);
    begin_folder(".new-slots-oldest", false, 86400);
    begin_folder(".new-slots-old", true, 3600);
    begin_folder(".new-slots-young", true, 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  claim_that(HgFinalize(end_early()) == 1, "an error ends in exit status 1");
  MPI_Barrier(MPI_COMM_WORLD);
  if (!claim.rank) claim_left();
  MPI_Allreduce(MPI_IN_PLACE, &claim.failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return claim.failures != 0;
}
