/* halograd/program_dual.h -- a program on dual numbers q + e dq, e^2 = 0: its step is

     (q, dq; c, dc)  ->  (F(q; c), F'(q; c)(dq, dc))

   and its adjoint, with the cotangents of F(q) and F' dq called dlambda and lambda,

     lambda_q  = F'(q)^T lambda
     dlambda_q = F'(q)^T dlambda + (F''(q) dq)^T lambda

   is the adjoint of the program beside the tangent of that adjoint. So the gradient of J'(x) dx is
   (J''(x) dx, J'(x)): a Hessian times dx, by blocks, tiles, exchanges, schedules and stores as they
   are. */
#ifndef HALOGRAD_PROGRAM_DUAL_H
#define HALOGRAD_PROGRAM_DUAL_H

#include <halograd/program.h>

/* The program of dual numbers of `program`, which is set up and must outlive it. For each variable u it
   has u and u.dot, those of one role in the program's order, then their .dot likewise. At walls u.dot is what
   a tangent is: 0 where u is frozen or fixed. Collective. Errors: as HgProgramDualUpdate(); those of
   HgProgramSetUp(). */
PetscErrorCode HgProgramCreateDual(HgProgram program, HgProgram *dual);

/* The constants that `program` differentiates by now are those of the dual. `gradient`: cotangents of
   the .dot of constants, which are the gradient, are wanted too. Collective. Error: a stencil without `second` whose
   adjoint reads x of what is carried or an active constant, or an operator without second derivatives; it is named. */
PetscErrorCode HgProgramDualUpdate(HgProgram dual, bool gradient);

/* Where the .dot of variable k of a carried state of the dual is: k + HgProgramDualShift(). 0: it is no
   dual program. */
int HgProgramDualShift(HgProgram dual);

/* input = (x, dx) with x and dx like the program's input; dx of constants that are not active counts as 0.
   Collective. */
PetscErrorCode HgProgramDualJoin(HgProgram dual, HgState x, HgState dx, HgState input);

/* x += alpha times one half of a dual input: that of u, or of u.dot. Owned cells. */
PetscErrorCode HgProgramDualAdd(HgProgram dual, HgState input, bool dot, double alpha, HgState x);

#endif
