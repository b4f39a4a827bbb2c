/* SPDX-License-Identifier: BSD-2-Clause */
/* Long arrays in segments: as one is worked on, the next is on its way, and so are the results of
   the last. Two segments' room, whatever the length of the arrays. */
#include "collective_private.h"

static PetscErrorCode finish(HgCollective c, HgSegment *s, const HgSegmentSteps *steps,
                             void *context) {
  PetscCall(HgPendingEnd(&s->pending));
  return steps->finish ? steps->finish(c, s, context) : 0;
}

PetscErrorCode HgSegmentsRun(HgCollective c, int64_t n, int64_t length, const HgSegmentSteps *steps,
                             void *context) {
  const int64_t count = length ? (n + length - 1) / length : 0;
  for (int64_t k = 0; k <= count; k++) {
    HgSegment *const last = &c->segment[(k + 1) % 2], *const next = &c->segment[k % 2];
    if (k >= 1) PetscCall(HgPendingEnd(&last->pending));
    if (k >= 2) PetscCall(finish(c, next, steps, context));
    if (k < count) {
      next->at = (size_t)(k * length);
      next->length = (int)PetscMin(length, n - k * length);
      PetscCall(steps->begin(c, next, context));
    }
    if (k >= 1) PetscCall(steps->work(c, last, context));
  }
  return count ? finish(c, &c->segment[(count + 1) % 2], steps, context) : 0;
}
