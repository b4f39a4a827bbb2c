/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of observations in HDF5. */
#include "fuzz.h"
#include <halograd/observations.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  fuzz_start("observations.h5");
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  HgObservations *o = NULL;
  const PetscErrorCode ierr = HgObservationsRead(PETSC_COMM_SELF, fuzz_file(data, size), &o);
  if (!ierr != (o != NULL)) abort();
  if (o && HgObservationsDestroy(&o)) abort();
  return 0;
}
