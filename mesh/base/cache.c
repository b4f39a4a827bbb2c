/* The size of the second-level cache: see cache.h. */
#include <halograd/cache.h>
#include <unistd.h>

static const char name[] = "-hg_cache_l2", text[] = "second-level cache, which tiles are to fit in";
static const long least = 16L << 10, most = 16L << 30;

/* It counts as 256 KiB at least. */
static long of_processor(void) {
  return PetscMin(PetscMax(sysconf(_SC_LEVEL2_CACHE_SIZE), 256L << 10), most);
}

PetscErrorCode HgCacheRead(MPI_Comm comm, long *bytes) {
  *bytes = of_processor();
  return HgOptionReadBytes(comm, name, text, least, most, bytes);
}

PetscErrorCode HgCacheDeclare(HgOptions options) {
  long bytes = of_processor();
  PetscCall(HgOptionsGroup(options, "Cache of the processor"));
  return HgOptionsBytes(options, name, text, least, most, &bytes);
}
