/* cahn_hilliard.h -- written by hgstencil 7 from cahn_hilliard.stencil: change that, not this.

     c' = c + dt * lap(mu) */
/* clang-format off */
#ifndef CAHN_HILLIARD_H
#define CAHN_HILLIARD_H

#include <halograd/kernel.h>

/* c, gamma -> c */
extern const HgStencil cahn_hilliard;
extern HgSecondFn cahn_hilliard_second;

#endif
