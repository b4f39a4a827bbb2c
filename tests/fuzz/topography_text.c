/* Topography in text: ESRI and GeoClaw. */
#include "topography.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  topography_start("sea.asc");
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return topography_read(data, size); }
