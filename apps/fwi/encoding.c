/* SPDX-License-Identifier: BSD-2-Clause */
#include "encoding.h"
#include <math.h>
#include <string.h>

PetscErrorCode EncodingCheck(const Survey *s, bool recorded) {
  int own = 0;
  for (int e = 0; e < s->shots; e++)
    if (s->shot[e].wavelet != s->shot[0].wavelet ||
        (!recorded && s->shot[e].spread != s->shot[0].spread))
      own++;
  HgRequire(PETSC_COMM_WORLD, !own, HG_ERR_OPTION_CONFLICT,
            "option -encode: %d of %d shots have receivers or a wavelet of their own, expected "
            "shots that share both; leave out -encode",
            own, s->shots);
  return 0;
}

int EncodingSign(const Shots *s, int n, int k, int e) {
  const uint64_t number = ((uint64_t)n * (uint64_t)s->encode + (uint64_t)k) * SURVEY_MOST;
  return HgRandom(~(uint64_t)s->seed, number + (uint64_t)e) < 0 ? -1 : 1;
}

PetscErrorCode EncodingData(const Shots *s, int n, int k, HgObservations **sum) {
  const HgObservations *const first = s->data[0];
  const int readings = first->times * first->sensors;
  const size_t places = (size_t)first->sensors * sizeof *first->x;
  PetscCall(HgObservationsCreate(HgExperimentsGroup(s->all)->comm, first->name, first->unit,
                                 first->times, first->sensors, sum));
  HgObservations *const o = *sum;
  o->levels = first->levels;
  memcpy(o->time, first->time, (size_t)first->times * sizeof *first->time);
  memcpy(o->x, first->x, places);
  memcpy(o->y, first->y, places);
  memcpy(o->z, first->z, places);
  for (int i = 0; i < readings; i++) {
    double value = 0, square = 0;
    for (int e = 0; e < s->count; e++) {
      value += EncodingSign(s, n, k, e) * s->data[e]->value[i];
      square += s->data[e]->sigma[i] * s->data[e]->sigma[i];
    }
    o->value[i] = value, o->sigma[i] = sqrt(s->encode * square / s->count);
  }
  return 0;
}
