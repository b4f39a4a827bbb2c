/* heat_conservative_generated.h -- written by hgstencil 7 from heat_conservative.stencil:
     change that, not this.

     u' = u + dt * (rx * ((kappa + kappa_W) * (u_W - u) + (kappa + kappa_E) * (u_E - u)) + ry *
       ((kappa + kappa_S) * (u_S - u) + (kappa + kappa_N) * (u_N - u)))
     u' = u + dt * (rx * ((kappa + kappa_W) * (u_W - u) + (kappa + kappa_E) * (u_E - u)) + ry *
       ((kappa + kappa_S) * (u_S - u) + (kappa + kappa_N) * (u_N - u)) + s * f) */
/* clang-format off */
#ifndef HEAT_CONSERVATIVE_GENERATED_H
#define HEAT_CONSERVATIVE_GENERATED_H

#include <halograd/heat.h>
#include <halograd/kernel.h>

/* u, kappa -> u */
extern const HgStencil hg_heat_conservative_generated;
extern HgSecondFn hg_heat_conservative_generated_second;

/* u, kappa, f -> u; HgHeatParams */
extern const HgStencil hg_heat_conservative_forced_generated;
extern HgSecondFn hg_heat_conservative_forced_generated_second;

#endif
