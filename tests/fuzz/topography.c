/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers of topography, the one that the ending of HG_FUZZ_FILE asks for: a field of finite
   numbers, or one sentence. */
#include "fuzz.h"
#include <halograd/topography.h>
#include <math.h>

static HgMesh mesh;
static HgState state;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const HgVariable b = {"b", "m", HG_FIELD, 0};
  const HgMeshSpec spec = {.nx = 4, .ny = 3, .x0 = 500, .y0 = 300, .dx = 100, .dy = 80, .ghost = 1};
  (void)argc, (void)argv;
  fuzz_start(HG_FUZZ_FILE);
  if (HgMeshCreate(PETSC_COMM_SELF, &spec, &mesh) || HgStateCreate(mesh, 1, &b, &state)) abort();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const HgTopographyOrigin origin = {10, 40};
  const bool degrees = size && data[size - 1] % 2;
  const PetscErrorCode ierr =
      HgTopographyRead(state, "b", fuzz_file(data, size), degrees ? &origin : NULL);
  HgReal *const *rows = HgStateRows(state, 0);
  for (int j = 0; !ierr && j < 3; j++)
    for (int i = 0; i < 4; i++)
      if (!isfinite(rows[j][i])) abort();
  return 0;
}
