/* shallow_surface_generated.h -- written by hgstencil 7 from shallow_surface.stencil: change
     that, not this.

     eta' = h + b */
/* clang-format off */
#ifndef SHALLOW_SURFACE_GENERATED_H
#define SHALLOW_SURFACE_GENERATED_H

#include <halograd/kernel.h>

/* h, b, eta -> eta */
extern const HgStencil hg_shallow_surface_generated;

#endif
