/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/program_dual.h -- a program on dual numbers q + e_1 dq_1 + ... + e_V dq_V, e_v e_w = 0:
   V directions at once. Its step is, for v = 1 .. V,

     (q, dq_v; c, dc_v)  ->  (F(q; c), F'(q; c)(dq_v, dc_v))

   Its reverse step is no transpose of that, but the tangent of the transpose of F': in the places
   of the cotangents of q and of dq_v it carries lambda and dlambda_v, with

     lambda_q    = F'(q)^T lambda
     dlambda_v,q = F'(q)^T dlambda_v + (F''(q) dq_v)^T lambda

   So the reverse sweep from dJ/dq and d2J/dq2 dq_v arrives at J'(x) and J''(x) dx_v, by blocks,
   tiles, exchanges, schedules and stores as they are. q and lambda are made once for all
   directions. What comes of a direction does not depend on the others, nor do its bits. */
#ifndef HG_PROGRAM_DUAL_LIBRARY_H
#define HG_PROGRAM_DUAL_LIBRARY_H

#include <halograd/program.h>

enum { HG_DIRECTIONS_MOST = 32 };

/* The program on dual numbers with so many directions, of `program`, which is set up and must
   outlive it. For each variable u it has u, and after all of those d1(u) for each u, then d2(u) and
   so on, or d(u) of one direction; a constant that the program does not differentiate by has one
   d(u) for all directions, which is 0. Those of one role stand in the program's order. At walls
   dots are what a tangent is: 0 where u is frozen or fixed. Limits are those of the program.
   Collective. Errors: those of HgProgramSetUp(); as many directions as 1 to HG_DIRECTIONS_MOST are
   expected. */
PetscErrorCode HgProgramCreateDual(HgProgram program, int directions, HgProgram *dual);

/* 0: it is no dual program. */
int HgProgramDualDirections(HgProgram program);

/* Are the constants that the program differentiates by, and its mask, still those of its dual? If
   not, another one is to be made. */
bool HgProgramDualFits(HgProgram dual);

/* Before steps are reversed. `gradient`: cotangents of constants, which are the gradient, are
   wanted, too. Collective. Error: a stencil without `second` whose adjoint reads x of what is
   carried or an active constant, or an operator without second derivatives; it is named. */
PetscErrorCode HgProgramDualReverse(HgProgram dual, bool gradient);

/* Where dq_v of variable k of a carried state of the dual is, v = 1 .. V: k + v
   HgProgramDualShift(). 0: it is no dual program. */
int HgProgramDualShift(HgProgram dual);

/* input = (x, dx[0], dx[1] ...), each like the program's input; dx of constants that are not active
   counts as 0. Collective. */
PetscErrorCode HgProgramDualJoin(HgProgram dual, HgState x, const HgState dx[], HgState input);

/* x += part v of a dual input: 0 that of x, v that of dx[v - 1]. Owned cells; constants that are
   not active stay. */
PetscErrorCode HgProgramDualAdd(HgProgram dual, HgState input, int v, HgState x);

#endif
