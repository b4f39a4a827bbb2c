/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/cache.h -- the size of the cache for which the engine cuts patches into tiles:

       max(L2, min(L3 / processors, 2 MiB))

   A small second level is not worth narrow tiles and short time blocks where a core has more of the
   third one: docs/performance.md has what was measured.

   Option: -hg_cache_l2 BYTES (262144, 256KiB, 2MiB) in its place, so that what a processor with
   another second level computes can be tried on this one. It changes no bit. */
#ifndef HG_CACHE_LIBRARY_H
#define HG_CACHE_LIBRARY_H

#include <petscsys.h>

/* Bytes, as above or by the option. Collective on `comm`. Error: the option is out of range. */
PetscErrorCode HgCacheRead(MPI_Comm comm, long *bytes);

#endif
