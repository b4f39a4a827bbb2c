/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: when there is no room, results say so in one sentence on all ranks, without a hang, keep
   the times before and leave nothing half-written; results_full_h5py.py reads what is kept. */
#include "claim.h"
#include "refusal.h"
#include <halograd/results.h>
#include <sys/resource.h>

enum { N = 96 /* 73728 bytes a field */ };

/* A limit on the size of files stands in for a full disk: the file system refuses the same call. */
static PetscErrorCode limit_files(rlim_t bytes) {
  struct rlimit limit;
  const bool failed = getrlimit(RLIMIT_FSIZE, &limit) || (limit.rlim_cur = bytes, false) ||
                      setrlimit(RLIMIT_FSIZE, &limit);
  return HgAgree(PETSC_COMM_WORLD, failed, HG_ERR_CHECK_FAILED,
                 "the test cannot limit the size of files");
}

static PetscErrorCode require_absent(const char path[]) {
  return HgAgree(PETSC_COMM_WORLD, access(path, F_OK) == 0, HG_ERR_CHECK_FAILED,
                 "claim broken: '%s' was left", path);
}

static PetscErrorCode require_there(const char path[]) {
  return HgAgree(PETSC_COMM_WORLD, access(path, F_OK) != 0, HG_ERR_CHECK_FAILED,
                 "claim broken: '%s' is gone", path);
}

static PetscErrorCode write_until_full(HgResults *results, HgState q) {
  for (int n = 0; n < 1000; n++) {
    PetscCall(HgStateSetConstant(q, "u", n));
    PetscCall(HgResultsWrite(*results, n, q, NULL));
  }
  return 0;
}

static PetscErrorCode run(HgMesh mesh, HgState q, const char directory[]) {
  char path[128];
  HgResults results;
  PetscCall(limit_files(1 << 16)); /* not even the slack fits */
  REFUSED(HgResultsCreate(mesh, directory, "full", "t", &results), "full.h5", "no room", "bytes");
  PetscCall(limit_files(3 << 20));
  PetscCall(HgResultsCreate(mesh, directory, "full", "t", &results));
  REFUSED(write_until_full(&results, q), "full.h5", "no room", "bytes");
  PetscCall(limit_files(RLIM_INFINITY));
  snprintf(path, sizeof path, "%s/full.h5", directory);
  PetscCall(require_there(path));
  snprintf(path, sizeof path, "%s/full.h5.part", directory);
  PetscCall(require_absent(path));
  PetscCall(HgResultsDestroy(&results));
  PetscCall(HgResultsCreate(mesh, directory, "again", "t", &results)); /* room again */
  PetscCall(HgResultsWrite(results, 0, q, NULL));
  PetscCall(limit_files(1 << 16));
  REFUSED(HgResultsWrite(results, 1, q, NULL), "", "", "");
  PetscCall(limit_files(RLIM_INFINITY));
  snprintf(path, sizeof path, "%s/again/again_0001.vti", directory);
  PetscCall(require_absent(path));
  snprintf(path, sizeof path, "%s/again.h5", directory);
  PetscCall(require_there(path));
  PetscCall(HgResultsDestroy(&results));
  return 0;
}

static PetscErrorCode run_all(void) {
  HgMesh mesh;
  HgState q;
  int ranks;
  char directory[64];
  const HgMeshSpec spec = {.nx = N, .ny = N, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  snprintf(directory, sizeof directory, "results_full_%d", ranks);
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &q));
  PetscCall(run(mesh, q, directory));
  return DESTROY(&q, &mesh);
}

CLAIM("results say in one sentence that there is no room, and keep the times before", 0, run_all)
