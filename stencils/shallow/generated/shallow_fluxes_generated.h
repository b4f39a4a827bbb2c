/* shallow_fluxes_generated.h -- written by hgstencil 7 from shallow_fluxes.stencil: change
     that, not this.

     F' = 0.5 * (h + h_E) * u
     G' = 0.5 * (h + h_N) * v */
/* clang-format off */
#ifndef SHALLOW_FLUXES_GENERATED_H
#define SHALLOW_FLUXES_GENERATED_H

#include <halograd/kernel.h>

/* h, u, v -> F, G */
extern const HgStencil hg_shallow_fluxes_generated;
extern HgSecondFn hg_shallow_fluxes_generated_second;

#endif
