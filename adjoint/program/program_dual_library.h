/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/program_dual_library.h -- a program on dual numbers, q + e_1 dq_1 + ... + e_V dq_V with
   e_v e_w = 0: V directions at once. Its step is, for v = 1 .. V,

     (q, dq_v; c, dc_v)  ->  (F(q; c), F'(q; c)(dq_v, dc_v))

   Its reverse step is not the transpose of this step, but the tangent of the transpose of F'. The
   cotangents of q and dq_v hold lambda and dlambda_v, with

     lambda_q    = F'(q)^T lambda
     dlambda_v,q = F'(q)^T dlambda_v + (F''(q) dq_v)^T lambda

   So the reverse sweep from dJ/dq and d2J/dq2 dq_v gives J'(x) and J''(x) dx_v, with the same
   blocks, tiles, exchanges, schedules and stores. q and lambda are computed once for all
   directions. The bits of one direction do not depend on the others. */
#ifndef HG_PROGRAM_DUAL_LIBRARY_H
#define HG_PROGRAM_DUAL_LIBRARY_H

#include <halograd/program.h>

enum { HG_DIRECTIONS_MOST = 32 };

/* Creates the program on dual numbers with `directions` directions. `program` must be set up and
   outlive it. Its variables are those of the program, then d1(u) for each variable u, then d2(u)
   and so on; d(u) if there is only one direction. A constant that is not active has one d(u) for
   all directions, which is 0. Variables of one role are in the program's order. At walls d(u)
   behaves as a tangent: 0 where u is frozen or fixed. Limits are those of the program. Collective.
   Errors: those of HgProgramSetUp(); not 1 to HG_DIRECTIONS_MOST directions. */
PetscErrorCode HgProgramCreateDual(HgProgram program, int directions, HgProgram *dual);

/* The number of directions; 0: this is not a dual program. */
int HgProgramDualDirections(HgProgram program);

/* Whether the dual still has the active constants and the mask of its program. If not, create a new
   one. */
bool HgProgramDualFits(HgProgram dual);

/* Call before reversing steps. `gradient`: the cotangents of constants, which are the gradient, are
   also wanted. Collective. Error, which names it: a stencil without `second` whose adjoint reads x
   for a carried variable or an active constant; an operator without second derivatives. */
PetscErrorCode HgProgramDualReverse(HgProgram dual, bool gradient);

/* The distance between q and dq_v in a carried state of the dual: variable k has its dq_v at k + v
   HgProgramDualShift(), v = 1 .. V. 0: this is not a dual program. */
int HgProgramDualShift(HgProgram dual);

/* input = (x, dx[0], dx[1] ...), each like the program's input; constants that are not active count
   as dx = 0. Collective. */
PetscErrorCode HgProgramDualJoin(HgProgram dual, HgState x, const HgState dx[], HgState input);

/* x += part v of a dual input: v = 0 is that of x, v >= 1 that of dx[v - 1]. Owned cells; constants
   that are not active do not change. */
PetscErrorCode HgProgramDualAdd(HgProgram dual, HgState input, int v, HgState x);

#endif
