/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever the caches of the processor, tiles are cut to fit, stored states of patches that no
   cache holds are streamed past it, and J, gradient and final state keep their bits. */
#include "shallow_case.h"
#include "trajectory_claims.h"
#include <halograd/fault_library.h>
#include <limits.h>

static const char *const caches[] = {"16KiB", "64KiB", "256KiB", "512KiB", "1MiB", "2MiB", "1GiB"};

enum { CACHES = sizeof caches / sizeof *caches, STEPS = 6, WIDE = 1403 };

/* regions: allocations of this rank; each tile makes one. */
static PetscErrorCode run(const ShallowSpec *spec, const char cache[], char text[256],
                          long *regions) {
  ShallowCase c;
  PetscCall(PetscOptionsSetValue(NULL, "-hg_cache_l2", cache));
  PetscCall(shallow_create(PETSC_COMM_WORLD, spec, &c));
  PetscCall(HgProgramSetActive(c.program, "nu", false));
  HgFaultSet(HG_FAULT_MEMORY, 0, -1);
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  HgFaultClear();
  *regions = HgFaultCount(HG_FAULT_MEMORY);
  return shallow_destroy(&c);
}

/* Patches WIDE cells wide, which no small cache holds. */
static PetscErrorCode test(void) {
  char first[256], text[256];
  long least = LONG_MAX, most = 0, regions;
  const int ranks = claim.ranks;
  const ShallowSpec spec = {.nx = WIDE,
                            .ny = 18 * ranks,
                            .px = 1,
                            .py = ranks,
                            .steps = STEPS,
                            .slots = STEPS,
                            .ghost = 18};
  PetscCall(run(&spec, caches[0], first, &regions));
  for (int k = 0; k < CACHES; k++) {
    PetscCall(run(&spec, caches[k], text, &regions));
    claim_that(!strcmp(text, first), "a cache of %s: '%s', expected '%s'", caches[k], text, first);
    least = PetscMin(least, regions), most = PetscMax(most, regions);
  }
  claim_that(least < most, "%ld tiles with every cache", most);
  return 0;
}

CLAIM("whatever the caches, the same bits", 0, test)
