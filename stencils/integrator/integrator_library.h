/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/integrator_library.h -- the weights of Adams-Bashforth, for kernels that integrate as
   they go. */
#ifndef HG_INTEGRATOR_LIBRARY_H
#define HG_INTEGRATOR_LIBRARY_H

#include <halograd/integrator.h>

/* a and b of a step. */
typedef struct {
  HgReal a, b;
} HgAdamsBashforthWeights;

static inline HgAdamsBashforthWeights HgAdamsBashforthStep(const HgBox *box, HgAdamsBashforth s) {
  return box->step == 0 ? (HgAdamsBashforthWeights){1, 0}
                        : (HgAdamsBashforthWeights){1.5 + s.epsilon, -(0.5 + s.epsilon)};
}

#endif
