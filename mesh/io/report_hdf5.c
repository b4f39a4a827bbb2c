/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of the HDF5 library that runs, not that of its headers. */
#include "results_private.h"
#include <hdf5.h>
#include <stdio.h>

void HgReportVersionHDF5(char version[], size_t size) {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  snprintf(version, size, "%u.%u.%u", major, minor, release);
}
