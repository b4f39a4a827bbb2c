/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a file of the project's data that is nowhere is refused in one sentence that names it and
   the folders it was looked for in: the one beside the program, the source's, the one to install
   into; and one of the working directory is found. */
#include "claim.h"
#include "refusal.h"
#include <halograd/observations.h>
#include <halograd/run.h>
#include <stdio.h>

static PetscErrorCode data_path(void) {
  char path[HG_PATH_SIZE];
  HgObservations *none;
  PetscCall(HgRunDataPath("nowhere.h5", sizeof path, path));
  REFUSED(HgObservationsRead(PETSC_COMM_WORLD, path, &none), "'nowhere.h5 (in none of ",
          "/share/halograd:", "/data:", "No such file");

  if (!claim.rank) fclose(fopen("somewhere.h5", "w"));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(HgRunDataPath("somewhere.h5", sizeof path, path));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!claim.rank) remove("somewhere.h5");
  claim_that(!strcmp(path, "somewhere.h5"), "one of the working directory, not '%s'", path);
  return 0;
}

CLAIM("data that are nowhere are refused with where they were looked for", 0, data_path)
