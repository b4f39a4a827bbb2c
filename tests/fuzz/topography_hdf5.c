/* Topography in netCDF-4. */
#include "topography.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  topography_start("sea.nc");
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return topography_read(data, size); }
