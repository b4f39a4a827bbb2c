/* Sizes of caches: see cache.h. */
#include <halograd/cache.h>
#include <unistd.h>

static const char name_l2[] = "-hg_cache_l2", name_l3[] = "-hg_cache_l3",
                  text_l2[] = "second-level cache, which tiles are to fit in",
                  text_l3[] = "last-level cache, beyond which results stream past it";
static const long least = 16L << 10, most = 16L << 30;

/* The second level counts as 256 KiB at least; a last level that is not known, as 16 MiB. */
static HgCaches of_processor(void) {
  const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE), l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return (HgCaches){.l2 = PetscMin(PetscMax(l2, 256L << 10), most),
                    .l3 = l3 > 0 ? PetscMin(l3, most) : 16L << 20};
}

PetscErrorCode HgCachesRead(MPI_Comm comm, HgCaches *c) {
  *c = of_processor();
  PetscCall(HgOptionReadBytes(comm, name_l2, text_l2, least, most, &c->l2));
  return HgOptionReadBytes(comm, name_l3, text_l3, least, most, &c->l3);
}

PetscErrorCode HgCachesDeclare(HgOptions options) {
  HgCaches c = of_processor();
  PetscCall(HgOptionsGroup(options, "Caches of the processor"));
  PetscCall(HgOptionsBytes(options, name_l2, text_l2, least, most, &c.l2));
  return HgOptionsBytes(options, name_l3, text_l3, least, most, &c.l3);
}
