/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of DART gauges in NDBC's text: any bytes give observations or one sentence. */
#include "fuzz.h"
#include <halograd/dart.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  fuzz_start("dart.txt");
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const HgDart dart = {.origin = "2011-03-11T05:46:24",
                              .before = 43200,
                              .after = 129600,
                              .degree = 2,
                              .last = 43200,
                              .every = 60,
                              .sigma = 1};
  HgObservations *o = NULL;
  int zeros;
  const PetscErrorCode ierr = HgDartRead(PETSC_COMM_SELF, fuzz_file(data, size), &dart, &zeros, &o);
  if (!ierr != (o != NULL)) abort();
  if (o && HgObservationsDestroy(&o)) abort();
  return 0;
}
