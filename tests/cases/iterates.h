/* SPDX-License-Identifier: BSD-2-Clause */
/* All iterates of an inversion in one number: a monitor that hashes J, |g| and controls. */
#ifndef HALOGRAD_TEST_ITERATES_H
#define HALOGRAD_TEST_ITERATES_H

#include <halograd/inversion.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  int count;
  uint64_t hash;
  char last[160];
} Iterates;

static inline Iterates iterates_begin(void) { return (Iterates){.hash = 0xcbf29ce484222325}; }

static inline PetscErrorCode iterates_watch(const HgIterate *iterate, HgState m, void *context) {
  Iterates *all = context;
  char digest[17];
  PetscCall(HgStateDigest(m, NULL, digest));
  snprintf(all->last, sizeof all->last, "%d after %d: J %a |g| %a m %s", iterate->iteration,
           iterate->evaluations, iterate->J, iterate->gradient_norm, digest);
  for (const char *c = all->last; *c; c++)
    all->hash = (all->hash ^ (uint64_t)(unsigned char)*c) * 0x100000001b3; /* FNV-1a */
  all->count++;
  return 0;
}

#endif
