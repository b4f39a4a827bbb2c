/* shallow_momentum_generated.h -- written by hgstencil 7 from shallow_momentum.stencil: change
     that, not this.

     u_r' = 0.25 * (q * (G + G_E) + q_S * (G_S + G_SE)) - rx * (P_E - P)
     v_r' = -0.25 * (q * (F + F_N) + q_W * (F_W + F_NW)) - ry * (P_N - P)
     u' = u + dt * (now * r + before * u_t)
     u_t' = r
     v' = v + dt * (now * s + before * v_t)
     v_t' = s */
/* clang-format off */
#ifndef SHALLOW_MOMENTUM_GENERATED_H
#define SHALLOW_MOMENTUM_GENERATED_H

#include <halograd/kernel.h>
#include <halograd/shallow_water.h>

/* F, G, q, P -> u_r, v_r */
extern const HgStencil hg_shallow_acceleration_generated;
extern HgSecondFn hg_shallow_acceleration_generated_second;

/* F, G, q, P, u, u_t, v, v_t -> u, u_t, v, v_t; HgShallowWaterParams */
extern const HgStencil hg_shallow_momentum_generated;
extern HgSecondFn hg_shallow_momentum_generated_second;

#endif
