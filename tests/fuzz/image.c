/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of images of states: bytes whose digest is right, as somebody may have made it. */
#include "fuzz.h"
#include <halograd/image_library.h>
#include <string.h>

static HgState state;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const HgVariable variables[] = {{"u", "K", HG_FIELD, 0}, {"lamps", "W", HG_REPLICATED, 3}};
  const HgMeshSpec spec = {.nx = 3, .ny = 3, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  (void)argc, (void)argv;
  fuzz_start("image.h5");
  if (HgMeshCreate(PETSC_COMM_SELF, &spec, &mesh) || HgStateCreate(mesh, 2, variables, &state))
    abort();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const int window[4] = {0, 3, 0, 3};
  char why[256];
  unsigned char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  memcpy(bytes, data, size);
  (void)HgImageRead(bytes, size, 2, window, state, why, sizeof why);
  free(bytes);
  return 0;
}
