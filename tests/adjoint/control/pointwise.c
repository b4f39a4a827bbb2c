/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: value, derivative and inverse of each ready pointwise function are right to rounding, far
   from 0 as well, against long double formulas. */
#include "claim.h"
#include <float.h>
#include <halograd/control_library.h>
#include <math.h>

static const double low = 0.2, high = 2.5;

static long double exact(int which, long double m, bool derivative) {
  if (which == 0) return expl(m);
  if (which == 1) return derivative ? 1 / (1 + expl(-m)) : log1pl(expl(m));
  const long double width = (long double)high - low;
  return derivative ? 2 * width / ((expl(m) + expl(-m)) * (expl(m) + expl(-m)))
                    : low + width / (1 + expl(-2 * m));
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("pointwise functions are right to rounding", 0);
  const HgPointwise functions[] = {HgPointwiseExp, HgPointwiseSoftplus,
                                   HgPointwiseBetween(low, high)};
  for (int f = 0; f < 3 && !ierr; f++)
    for (double m = -600; m <= 600; m += fabs(m) < 40 ? 0.37 : 17) {
      const HgPointwise *phi = &functions[f];
      const double value = (double)exact(f, m, false), derivative = (double)exact(f, m, true);
      claim_at_most(fabs(phi->value(m, phi->p) - value), 4 * DBL_EPSILON * value, "%s(%g)",
                    phi->name, m);
      claim_at_most(fabs(phi->derivative(m, phi->p) - derivative),
                    8 * DBL_EPSILON * derivative + DBL_TRUE_MIN, "%s'(%g)", phi->name, m);
      if (fabs(m) > 30 || (f == 2 && fabs(m) > 5)) continue; /* there the value has lost m */
      const double back = phi->inverse(phi->value(m, phi->p), phi->p),
                   blur = DBL_EPSILON * (fabs(m) + value / derivative);
      claim_at_most(fabs(back - m), 8 * blur, "inverse of %s(%g)", phi->name, m);
    }
  return claim_end(ierr);
}
