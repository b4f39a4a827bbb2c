/* SPDX-License-Identifier: BSD-2-Clause */
/* stencil_checks.h -- the library's checks of a stencil on every kernel of the tree, with random
   parameters. */
#ifndef STENCIL_CHECKS_H
#define STENCIL_CHECKS_H
#include "kernel_harness.h"
#include <halograd/check_library.h>

#define CHECK(name) (1u << HG_CHECK_##name)

/* What turns round in a mirror. */
static const char *const mirror_x[] = {"vx", NULL}, *const mirror_y[] = {"vy", NULL};

/* One draw of the checks, with parameters of its own, and a box of its own if there is one. */
static HgFindings checked(const Subject *subject, const HgStencil *stencil, unsigned checks,
                          int largest, const HgBox *box, uint64_t seed) {
  HgCheckRange ranges[READS_MAX];
  HgFindings report;
  double params[8] = {0};
  const HgCheckStencilOptions options = {.seed = seed,
                                         .draws = 1,
                                         .largest = largest,
                                         .checks = checks,
                                         .box = box,
                                         .mirrored = !subject->staggered,
                                         .odd = {mirror_x, mirror_y}};
  harness_state = seed * 1000003u;
  subject->draw(params);
  for (int k = 0; k < READS_MAX; k++) ranges[k] = (HgCheckRange){subject->low, subject->high};
  if (HgExamineStencil(stencil, stencil->params_size ? params : NULL, ranges, &options, &report))
    exit(1);
  return report;
}

/* Prints what was found; returns the exit status of a test. */
static inline int told(const HgFindings *r) {
  char text[512];
  for (int k = 0; k < r->findings; k++) {
    HgFindingText(&r->finding[k], sizeof text, text);
    fprintf(stderr, "%s: %s, seed %llu, rank 0\n", r->name, text,
            (unsigned long long)r->finding[k].seed);
  }
  return r->findings > 0;
}

/* Does its adjoint add what it owes to a cell in one sum? The others add the contributions of
   several equations one after the other. */
static inline bool adds_at_once(const HgStencil *s) {
  return s != &hg_shallow_diagnostics && s != &hg_shallow_dynamics;
}

/* `checks` of every kernel, on boxes of up to `largest` cells and DRAWS seeds; each must have been
   made, and the worst value of `exact` must be 0 where an adjoint adds at once. */
static inline int check_subjects(unsigned checks, unsigned exact, int largest) {
  unsigned made = 0;
  for (int s = 0; s < SUBJECTS; s++)
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
      const HgFindings r = checked(&subjects[s], subjects[s].stencil, checks, largest, NULL, seed);
      if (told(&r)) return 1;
      for (unsigned k = 0; k < HG_CHECK_STENCIL; k++) {
        if (r.worst[k] == r.worst[k]) made |= 1u << k;
        if (exact >> k & 1 && adds_at_once(subjects[s].stencil) && r.worst[k] != 0)
          return failed("off", r.name, r.worst[k], 0, seed);
      }
    }
  return made == checks ? 0 : failed("checks made, as bits", "all", made, checks, 0);
}

#endif
