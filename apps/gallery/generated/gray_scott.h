/* gray_scott.h -- written by hgstencil 7 from gray_scott.stencil: change that, not this.

     u' = u + dt * (Du * lap(u) - r + F * (1 - u))
     v' = v + dt * (Dv * lap(v) + r - (F + K) * v) */
/* clang-format off */
#ifndef GRAY_SCOTT_H
#define GRAY_SCOTT_H

#include <halograd/kernel.h>

/* u, v, Du, Dv, F, K -> u, v */
extern const HgStencil gray_scott;
extern HgSecondFn gray_scott_second;

#endif
