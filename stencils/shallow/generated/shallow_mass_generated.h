/* shallow_mass_generated.h -- written by hgstencil 7 from shallow_mass.stencil: change that,
     not this.

     h_r' = -(rx * (F - F_W) + ry * (G - G_S))
     h' = h + dt * (now * rate + before * h_t)
     h_t' = rate */
/* clang-format off */
#ifndef SHALLOW_MASS_GENERATED_H
#define SHALLOW_MASS_GENERATED_H

#include <halograd/kernel.h>
#include <halograd/shallow_water.h>

/* F, G -> h_r */
extern const HgStencil hg_shallow_convergence_generated;

/* h, F, G, h_t -> h, h_t; HgShallowWaterParams */
extern const HgStencil hg_shallow_mass_generated;

#endif
