/* shallow_friction_generated.h -- written by hgstencil 7 from shallow_friction.stencil: change
     that, not this.

     u' = u + dt * friction(u)
     v' = v + dt * friction(v) */
/* clang-format off */
#ifndef SHALLOW_FRICTION_GENERATED_H
#define SHALLOW_FRICTION_GENERATED_H

#include <halograd/kernel.h>

/* nu, u, v -> u, v */
extern const HgStencil hg_shallow_friction_generated;
extern HgSecondFn hg_shallow_friction_generated_second;

#endif
