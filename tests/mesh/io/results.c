/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: results hold what was written, under their final names only after Close; results_*.py read
   them back. */
#include "claim.h"
#include "refusal.h"
#include <halograd/file_library.h>
#include <halograd/results_library.h>
#include <halograd/state_library.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { NX = 13, NY = 9 };

static const HgMeshSpec spec = {
    .nx = NX, .ny = NY, .x0 = 0.5, .y0 = -1, .dx = 0.25, .dy = 0.5, .ghost = 1};

/* 1/3 + offset + i + 1000 j, exact from the coordinates: spacing and origin are binary fractions */
static double value_of(double x, double y, void *offset) {
  return *(double *)offset + (x - 0.5) / 0.25 + 1000 * ((y + 1) / 0.5) + 1.0 / 3;
}

static const char *in(const char directory[], const char name[]) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static PetscErrorCode require_file(const char directory[], const char name[], bool expected) {
  const char *const path = in(directory, name);
  const bool there = access(path, F_OK) == 0;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  return HgAgree(PETSC_COMM_WORLD, there != expected, HG_ERR_CHECK_FAILED, "claim broken: '%s' %s",
                 path, expected ? "is missing" : "is there and must not");
}

static PetscErrorCode fill(HgState q, int n) {
  double offset = 1e6 * n;
  PetscCall(HgStateSetField(q, "u", value_of, &offset));
  offset += 0.5;
  PetscCall(HgStateSetField(q, "v", value_of, &offset));
  for (int k = 0; k < 3; k++) HgStateArray(q, HgStateFind(q, "sums"))[k] = 10 * n + k + 0.1;
  return 0;
}

static PetscErrorCode write_plate(const char directory[], HgState q, HgState m) {
  HgResults results;
  const char *const v[] = {"v", NULL}, *const u_and_sums[] = {"u", "sums", NULL};
  double offset = -7;
  PetscCall(HgResultsCreate(HgStateMesh(q), directory, "plate", "a plate", &results));
  PetscCall(HgStateSetField(m, "kappa", value_of, &offset));
  PetscCall(HgResultsWriteConstant(results, m, "kappa", NULL, "diffusivity"));
  PetscCall(HgResultsWriteConstant(results, m, "kappa", "kappa_start", NULL));
  PetscCall(HgResultsWriteConstant(results, q, "sums", "sums_start", NULL));
  for (int n = 0; n < 2; n++) {
    PetscCall(fill(q, n));
    PetscCall(HgResultsWrite(results, 0.125 * n, q, NULL));
  }
  PetscCall(fill(q, 2));
  PetscCall(HgResultsWrite(results, 0.25, q, u_and_sums));
  PetscCall(HgResultsWrite(results, 0.25, q, v)); /* the same time in two parts */
  PetscCall(require_file(directory, "plate.h5", false));
  PetscCall(HgResultsClose(&results));
  PetscCall(require_file(directory, "plate.h5", true));
  PetscCall(require_file(directory, "plate.pvd", true));
  return require_file(directory, "plate.h5.part", false);
}

static PetscErrorCode refuse_wrong_calls(const char directory[], HgState q, HgState m) {
  HgResults results;
  HgMesh mesh = HgStateMesh(q);
  const char *const w[] = {"w", NULL}, *const own[] = {"own", NULL}, *const u[] = {"u", NULL};
  REFUSED(HgResultsCreate(mesh, directory, "a/b", "t", &results), "a/b", "plain", "");
  REFUSED(HgResultsCreate(mesh, "/proc/none", "a", "t", &results), "/proc/none", "", "");
  HgResults other;
  PetscCall(HgResultsCreate(mesh, directory, "broken", "t", &results));
  REFUSED(HgResultsCreate(mesh, directory, "broken", "t", &other), "broken.h5", "another run", "");
  PetscCall(require_file(directory, "broken.h5.part", true));
  PetscCall(HgResultsDestroy(&results));
  for (int k = 0; k < 9; k++) {
    PetscCall(HgResultsCreate(mesh, directory, "broken", "t", &results));
    PetscCall(HgResultsWrite(results, 1, q, NULL));
    if (k == 0) REFUSED(HgResultsWrite(results, 0.5, q, NULL), "broken", "0.5", "go back");
    if (k == 1) REFUSED(HgResultsWrite(results, 2, q, w), "'w'", "", "");
    if (k == 2) REFUSED(HgResultsWrite(results, 2, q, own), "'own'", "replicated", "");
    if (k < 3) REFUSED(HgResultsWrite(results, 3, q, NULL), "broken", "ended in an error", "");
    if (k == 3) REFUSED(HgResultsWriteConstant(results, q, "u", "u", NULL), "'u'", "already", "");
    if (k == 4) REFUSED(HgResultsWriteConstant(results, q, "u", "x", NULL), "'x'", "taken", "");
    if (k == 5) REFUSED(HgResultsWrite(results, 2, m, NULL), "'kappa'", "first time", "");
    if (k == 6) REFUSED(HgResultsWriteConstant(results, q, "u", "time", NULL), "'time'", "taken");
    if (k == 7)
      REFUSED(HgResultsWriteConstant(results, q, "u", "broken_0000", NULL), "'broken_0000'",
              "file of a time");
    if (k == 8) {
      PetscCall(HgResultsWrite(results, 2, q, u));
      REFUSED(HgResultsWrite(results, 3, q, NULL), "'v'", "1 of 2", "");
    }
    PetscCall(require_file(directory, "broken.h5.part", false));
    REFUSED(HgResultsClose(&results), "broken", "ended in an error", "");
    PetscCall(HgResultsDestroy(&results));
    /* refused before anything was written: the time before stays; else nothing does */
    PetscCall(require_file(directory, "broken.h5", k < 8));
    PetscCall(require_file(directory, "broken.pvd", k < 8));
    PetscCall(require_file(directory, "broken/broken_0000.vti", k < 8));
    PetscCall(HgFileRemove(PETSC_COMM_WORLD, in(directory, "broken.h5")));
    PetscCall(HgFileRemove(PETSC_COMM_WORLD, in(directory, "broken.pvd")));
    PetscCall(HgFileRemove(PETSC_COMM_WORLD, in(directory, "broken/broken_0000.vti")));
  }
  return 0;
}

/* The name of a directory may be as long as the file system allows, where Open MPI can be told so
   before it starts; arrays of no entry are left out and are none that is missing. */
static PetscErrorCode write_far(HgMesh mesh) {
  const HgVariable variables[] = {{"u", "K", HG_FIELD, 0}, {"none", "1", HG_REPLICATED, 0}};
  char directory[256] = "results_";
  HgResults results;
  HgState q;
  double time;
  int ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  snprintf(directory + 8, sizeof directory - 8, "%0240d", ranks);
  PetscCall(HgStateCreate(mesh, 2, variables, &q));
#ifdef OPEN_MPI
  if (!getenv("OMPI_MCA_sharedfp")) {
    REFUSED(HgResultsCreate(mesh, directory, "far", "t", &results), "far.h5", "Open MPI takes");
    snprintf(directory, sizeof directory, "results_near_%d", ranks);
  }
#endif
  for (int sample = 0; sample < 2; sample++) {
    PetscCall(HgResultsCreate(mesh, directory, "far", "t", &results));
    if (sample) HgResultsCount(results, "sample");
    PetscCall(HgResultsWrite(results, 3, q, NULL));
    PetscCall(HgResultsClose(&results));
    PetscCall(HgResultsRead(q, in(directory, "far.h5"), -1, &time));
    PetscCall(HgAgree(PETSC_COMM_WORLD, time != 3, HG_ERR_CHECK_FAILED,
                      "claim broken: the time or sample read is %g", time));
  }
  return HgStateDestroy(&q);
}

static PetscErrorCode run(const char directory[]) {
  HgMesh mesh;
  HgState q, m;
  const HgVariable q_variables[] = {{"u", "K", HG_FIELD, 0},
                                    {"v", "m/s", HG_FIELD, 0},
                                    {"sums", "K", HG_REPLICATED, 3},
                                    {"own", "1", HG_LOCAL, 2}};
  const HgVariable m_variables[] = {{"kappa", "m^2/s", HG_FIELD, 0}};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 4, q_variables, &q));
  HgStateSetLocation(q, 1, HG_Y_FACE);
  PetscCall(HgStateCreate(mesh, 1, m_variables, &m));
  PetscCall(write_plate(directory, q, m));
  PetscCall(refuse_wrong_calls(directory, q, m));
  PetscCall(write_far(mesh));
  return DESTROY(&m, &q, &mesh);
}

static PetscErrorCode test(void) {
  char directory[64];
  snprintf(directory, sizeof directory, "results_%d", claim.ranks);
  PetscCall(claim_clear(directory)); /* of an earlier run */
  return run(directory);
}

CLAIM("results hold what was written", 0, test)
