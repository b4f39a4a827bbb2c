/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of gauges in text: any bytes give observations or one sentence. */
#include "fuzz.h"
#include <halograd/gauges.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  fuzz_start("gauges.csv");
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  HgObservations *o = NULL;
  const PetscErrorCode ierr = HgGaugesRead(PETSC_COMM_SELF, fuzz_file(data, size), false, 1, &o);
  if (!ierr != (o != NULL)) abort();
  if (o && HgObservationsDestroy(&o)) abort();
  return 0;
}
