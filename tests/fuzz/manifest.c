/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of manifests, of evaluations of a journal: text whose digest is right, as somebody may
   have made it, gives as many images as it says, or one sentence. */
#include "fuzz.h"
#include <halograd/generation_library.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const HgGenerationKind kind = {.title = "evaluation", .states = 1, .name = {""}};
static char stem[64];

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  fuzz_start("evaluation-0.txt");
  snprintf(stem, sizeof stem, "%.*s", (int)(strlen(fuzz_path) - strlen(".txt")), fuzz_path);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  HgManifest m;
  char *const text = malloc(size + 32);
  if (!text) return 0;
  memcpy(text, data, size);
  const int end =
      sprintf(text + size, "end %016llx\n", (unsigned long long)XXH3_64bits(data, size));
  fuzz_file((uint8_t *)text, size + (size_t)end);
  free(text);
  const PetscErrorCode ierr = HgManifestRead(PETSC_COMM_SELF, &kind, stem, &m);
  if (!ierr != (m.piece != NULL)) abort();
  if (!ierr && (m.ranks < 1 || m.states != 1 || strlen(m.line) >= sizeof m.line)) abort();
  return HgManifestDestroy(&m) ? 1 : 0;
}
