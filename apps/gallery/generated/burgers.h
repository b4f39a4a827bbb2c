/* burgers.h -- written by hgstencil 7 from burgers.stencil: change that, not this.

     sx' = limited(u - u_W, u_E - u)
     sy' = limited(u - u_S, u_N - u)
     X' = flux(u + 0.5 * sx, u_E - 0.5 * sx_E)
     Y' = flux(u + 0.5 * sy, u_N - 0.5 * sy_N)
     u' = u + dt * (nu * lap - ((X - X_W) / dx + (Y - Y_S) / dy)) */
/* clang-format off */
#ifndef BURGERS_H
#define BURGERS_H

#include <halograd/kernel.h>

/* u -> sx, sy */
extern const HgStencil burgers_slopes;

/* u, sx, sy -> X, Y */
extern const HgStencil burgers_fluxes;

/* u, X, Y, nu -> u */
extern const HgStencil burgers;
extern HgSecondFn burgers_second;

#endif
