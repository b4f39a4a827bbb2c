/* SPDX-License-Identifier: BSD-2-Clause */
/* The size of the cache that tiles are made for: see cache.h. */
#include <halograd/cache_library.h>
#include <halograd/options_library.h>
#include <unistd.h>

static const long least = 16L << 10, most = 16L << 30;

/* Sizes that the system does not know are 0 or -1, and the second level counts as 256 KiB at least.
   */
static long of_processor(void) {
  const long second = PetscMax(sysconf(_SC_LEVEL2_CACHE_SIZE), 256L << 10),
             share = sysconf(_SC_LEVEL3_CACHE_SIZE) / PetscMax(1, sysconf(_SC_NPROCESSORS_ONLN));
  return PetscMin(PetscMax(second, PetscMin(share, 2L << 20)), most);
}

PetscErrorCode HgCacheRead(MPI_Comm comm, long *bytes) {
  *bytes = of_processor();
  return HgOptionReadBytes(comm, "-hg_cache_l2", least, most, bytes);
}
