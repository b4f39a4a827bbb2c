/* advection_diffusion_generated.h -- written by hgstencil 7 from advection_diffusion.stencil:
     change that, not this.

     c' = c + dt * (D * lap - (vx * (hx * (c_E - c_W)) + vy * (hy * (c_N - c_S)))) */
/* clang-format off */
#ifndef ADVECTION_DIFFUSION_GENERATED_H
#define ADVECTION_DIFFUSION_GENERATED_H

#include <halograd/kernel.h>

/* c, vx, vy, D -> c */
extern const HgStencil hg_advection_diffusion_generated;
extern HgSecondFn hg_advection_diffusion_generated_second;

#endif
