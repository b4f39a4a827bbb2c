/* halograd/cache.h -- the sizes of the processor's caches, for which the engine cuts patches into
   tiles.

   Options: -hg_cache_l2 BYTES, -hg_cache_l3 BYTES (262144, 256KiB, 2MiB), so that what a processor
   with other caches computes can be tried on this one. They change no bit. */
#ifndef HALOGRAD_CACHE_H
#define HALOGRAD_CACHE_H

#include <halograd/options.h>

typedef struct {
  long l2; /* bytes that one core has alone */
  long l3; /* bytes of the last cache before memory */
} HgCaches;

/* As the processor says, or the options. Collective on `comm`. Error: an option out of range. */
PetscErrorCode HgCachesRead(MPI_Comm comm, HgCaches *caches);

/* Declares the options, for -help and so that what is out of range is refused at the start.
   Collective. */
PetscErrorCode HgCachesDeclare(HgOptions options);

#endif
