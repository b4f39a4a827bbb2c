/* tsunami_surface_generated.h -- written by hgstencil 7 from tsunami_surface.stencil: change
     that, not this.

     eta' = keep * (eta - (r * (U - U_W) + s * (V - V_S))) */
/* clang-format off */
#ifndef TSUNAMI_SURFACE_GENERATED_H
#define TSUNAMI_SURFACE_GENERATED_H

#include <halograd/kernel.h>

/* keep, h_u, h_v, eta, u, v -> eta */
extern const HgStencil hg_tsunami_surface_generated;
extern HgSecondFn hg_tsunami_surface_generated_second;

#endif
