/* SPDX-License-Identifier: BSD-2-Clause */
/* R, its gradient and R'' times it, as text that any layout must print alike. */
#ifndef HALOGRAD_TEST_REGULARISATION_TEXT_H
#define HALOGRAD_TEST_REGULARISATION_TEXT_H

#include "same_bits.h"
#include <halograd/control.h>
#include <halograd/state_library.h>

/* At a random m, which this draws. */
static inline PetscErrorCode regularisation_text(HgState m, const HgRegularisation *weights,
                                                 char text[LAYOUT_TEXT]) {
  HgState g, h;
  HgOperator R;
  double J;
  char digest[2][17];
  PetscCall(HgStateDuplicate(m, &g));
  PetscCall(HgStateDuplicate(m, &h));
  PetscCall(HgRegularisationCreate(m, weights, &R));
  PetscCall(HgStateRandom(m, 5));
  PetscCall(HgOperatorGradient(R, m, &J, g));
  PetscCall(HgOperatorHessian(R, m, g, h));
  PetscCall(HgStateDigest(g, "m", digest[0]));
  PetscCall(HgStateDigest(h, "m", digest[1]));
  snprintf(text, LAYOUT_TEXT, "R %a, gradient %s, R'' gradient %s", J, digest[0], digest[1]);
  return DESTROY(&R, &g, &h);
}

#endif
