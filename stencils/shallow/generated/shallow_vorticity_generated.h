/* shallow_vorticity_generated.h -- written by hgstencil 7 from shallow_vorticity.stencil:
     change that, not this.

     q' = z / depth */
/* clang-format off */
#ifndef SHALLOW_VORTICITY_GENERATED_H
#define SHALLOW_VORTICITY_GENERATED_H

#include <halograd/kernel.h>

/* f, u, v, h -> q */
extern const HgStencil hg_shallow_vorticity_generated;
extern HgSecondFn hg_shallow_vorticity_generated_second;

#endif
