/* tsunami_east_generated.h -- written by hgstencil 7 from tsunami_east.stencil: change that,
     not this.

     u' = keep_u * (u + (turn * ((v + v_E) + (v_S + v_SE)) - slope * (eta_E - eta))) */
/* clang-format off */
#ifndef TSUNAMI_EAST_GENERATED_H
#define TSUNAMI_EAST_GENERATED_H

#include <halograd/kernel.h>
#include <halograd/tsunami.h>

/* keep_u, u, v, eta -> u; HgTsunamiParams */
extern const HgStencil hg_tsunami_east_generated;
extern HgSecondFn hg_tsunami_east_generated_second;

#endif
