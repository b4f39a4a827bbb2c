/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers of fields and of results, whose variables are read as HgFieldReadAt() reads one. */
#include "fuzz.h"
#include <halograd/results.h>

static HgState field, results;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const HgVariable variables[] = {{"u", "K", HG_FIELD, 0}, {"a", "W", HG_REPLICATED, 3}};
  const HgMeshSpec spec = {.nx = 8, .ny = 6, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  (void)argc, (void)argv;
  fuzz_start("results.h5");
  if (HgMeshCreate(PETSC_COMM_SELF, &spec, &mesh) || HgStateCreate(mesh, 1, variables, &field) ||
      HgStateCreate(mesh, 2, variables, &results))
    abort();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *const path = fuzz_file(data, size);
  double time = -1;
  if (HgResultsRead(results, path, -1, &time) && time != -1) abort();
  (void)HgFieldRead(field, "u", path, "u");
  return 0;
}
