/* acoustic.h -- written by hgstencil 7 from acoustic.stencil: change that, not this.

     p' = (2 * p - (1 - dt * damping) * p_old + dt * dt * force) / (1 + dt * damping)
     p_old' = p */
/* clang-format off */
#ifndef ACOUSTIC_H
#define ACOUSTIC_H

#include <halograd/kernel.h>

typedef struct {
  const double *wavelet; /* read by step */
  long wavelet_count; /* entries; beyond them it is 0 */
} AcousticParams;

/* p, p_old, m, damping, source -> p, p_old; AcousticParams */
extern const HgStencil acoustic;
extern HgSecondFn acoustic_second;

#endif
