/* halograd/cache.h -- the size of the processor's second-level cache, for which the engine cuts
   patches into tiles.

   Option: -hg_cache_l2 BYTES (262144, 256KiB, 2MiB), so that what a processor with another cache
   computes can be tried on this one. It changes no bit. */
#ifndef HALOGRAD_CACHE_H
#define HALOGRAD_CACHE_H

#include <halograd/options.h>

/* Bytes that one core has alone, as the processor says, or the option. Collective on `comm`. Error:
   the option is out of range. */
PetscErrorCode HgCacheRead(MPI_Comm comm, long *bytes);

/* Declares the option, for -help and so that what is out of range is refused at the start.
   Collective. */
PetscErrorCode HgCacheDeclare(HgOptions options);

#endif
