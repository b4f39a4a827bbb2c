/* tsunami_north_generated.h -- written by hgstencil 7 from tsunami_north.stencil: change that,
     not this.

     v' = keep_v * (v - (turn * ((u_W + u) + (u_NW + u_N)) + slope * (eta_N - eta))) */
/* clang-format off */
#ifndef TSUNAMI_NORTH_GENERATED_H
#define TSUNAMI_NORTH_GENERATED_H

#include <halograd/kernel.h>
#include <halograd/tsunami.h>

/* keep_v, v, u, eta -> v; HgTsunamiParams */
extern const HgStencil hg_tsunami_north_generated;
extern HgSecondFn hg_tsunami_north_generated_second;

#endif
