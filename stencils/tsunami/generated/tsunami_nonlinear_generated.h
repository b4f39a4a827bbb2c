/* tsunami_nonlinear_generated.h -- written by hgstencil 7 from tsunami_nonlinear.stencil:
     change that, not this.

     u' = keep_u * (u + dt * (0.25 * (q * (G + G_E) + q_S * (G_S + G_SE)) - rx * (P_E - P)))
     v' = keep_v * (v - dt * (0.25 * (q * (F + F_N) + q_W * (F_W + F_NW)) + ry * (P_N - P)))
     eta' = keep * (eta - dt * (rx * (F - F_W) + ry * (G - G_S))) */
/* clang-format off */
#ifndef TSUNAMI_NONLINEAR_GENERATED_H
#define TSUNAMI_NONLINEAR_GENERATED_H

#include <halograd/kernel.h>
#include <halograd/tsunami.h>

/* keep_u, keep_v, h, eta, u, v -> u, v; HgTsunamiParams */
extern const HgStencil hg_tsunami_momentum;
extern HgSecondFn hg_tsunami_momentum_second;

/* keep, h, eta, u, v -> eta */
extern const HgStencil hg_tsunami_mass;
extern HgSecondFn hg_tsunami_mass_second;

#endif
