/* shallow_energy_generated.h -- written by hgstencil 7 from shallow_energy.stencil: change
     that, not this.

     P' = gravity * (h + b) + 0.25 * ((u * u + u_W * u_W) + (v * v + v_S * v_S)) */
/* clang-format off */
#ifndef SHALLOW_ENERGY_GENERATED_H
#define SHALLOW_ENERGY_GENERATED_H

#include <halograd/kernel.h>
#include <halograd/shallow_water.h>

/* h, b, u, v -> P; HgShallowWaterParams */
extern const HgStencil hg_shallow_energy_generated;
extern HgSecondFn hg_shallow_energy_generated_second;

#endif
