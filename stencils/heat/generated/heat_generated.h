/* heat_generated.h -- written by hgstencil 7 from heat.stencil: change that, not this.

     u_r' = kappa * lap(u)
     u' = u + dt * (kappa * lap(u))
     u' = u + dt * (kappa * lap(u) + s * f) */
/* clang-format off */
#ifndef HEAT_GENERATED_H
#define HEAT_GENERATED_H

#include <halograd/heat.h>
#include <halograd/kernel.h>

/* u, kappa -> u_r */
extern const HgStencil hg_heat_tendency_generated;
extern HgSecondFn hg_heat_tendency_generated_second;

/* u, kappa -> u */
extern const HgStencil hg_heat_generated;
extern HgSecondFn hg_heat_generated_second;

/* u, kappa, f -> u; HgHeatParams */
extern const HgStencil hg_heat_forced_generated;
extern HgSecondFn hg_heat_forced_generated_second;

#endif
