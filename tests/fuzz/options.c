/* Files of options: what is let through ends PETSc's readers of text and of YAML, too, with options or an
   error. */
#define _GNU_SOURCE
#include "fuzz.h"
#include "options_private.h"

/* From this descriptor on they are of files that PETSc's readers have left open when they failed; those
   before are the fuzzer's own, which it opens after LLVMFuzzerInitialize(). */
static unsigned first_left_open;

static void find_first_left_open(void) {
  const int next = dup(STDIN_FILENO);
  if (next < 0 || close(next)) abort();
  first_left_open = (unsigned)next;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  fuzz_start("options.txt");
  if (PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL)) abort();
  return 0;
}

/* The first byte says which reader; PETSC_ERR_... is as good an end as options are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  PetscOptions options;
  char why[2048];
  if (!first_left_open) find_first_left_open();
  if (!size) return 0;
  const bool yaml = *data % 2;
  const char *const path = fuzz_file(data + 1, size - 1);
  if (!HgOptionsFileCheck(yaml ? "-options_file_yaml" : "-options_file", path, sizeof why, why))
    return 0;
  if (PetscOptionsCreate(&options)) abort();
  if (yaml) (void)PetscOptionsInsertFileYAML(PETSC_COMM_SELF, options, path, PETSC_TRUE);
  else (void)PetscOptionsInsertFile(PETSC_COMM_SELF, options, path, PETSC_TRUE);
  if (PetscOptionsDestroy(&options) || close_range(first_left_open, ~0U, 0)) abort();
  return 0;
}
