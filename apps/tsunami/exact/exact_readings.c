/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact_readings.h"

PetscErrorCode ExactReadingsCreate(const TohokuGauges *g, const HgObservations *o,
                                   ExactReadings *r) {
  *r = (ExactReadings){.gauges = o->sensors};
  for (int at = 0; at < o->times * o->sensors; at++) r->count += g->seen[at];
  PetscCall(PetscMalloc4(r->count, &r->gauge, r->count, &r->time, r->count, &r->value, r->count,
                         &r->sigma));
  for (int n = 0, to = 0; n < o->times; n++)
    for (int k = 0; k < o->sensors; k++) {
      const int at = n * o->sensors + k;
      if (!g->seen[at]) continue;
      r->gauge[to] = k, r->time[to] = o->time[n];
      r->value[to] = o->value[at], r->sigma[to] = o->sigma[at];
      to++;
    }
  return 0;
}

PetscErrorCode ExactReadingsDestroy(ExactReadings *r) {
  return PetscFree4(r->gauge, r->time, r->value, r->sigma);
}

int ExactReadingsUntil(const ExactReadings *r, double time) {
  int count = 0;
  while (count < r->count && r->time[count] <= time) count++;
  return count;
}

int ExactReadingsPeak(const ExactReadings *r, int gauge) {
  int peak = -1;
  for (int k = 0; k < r->count; k++)
    if (r->gauge[k] == gauge && (peak < 0 || r->value[k] > r->value[peak])) peak = k;
  return peak;
}
