/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared by checks, the doctor and tests. */
#ifndef HG_CHECK_LIBRARY_H
#define HG_CHECK_LIBRARY_H

#include <halograd/check.h>
#include <halograd/finding_library.h>

/* ---- checks that return findings and print nothing ---- */

/* HgExamineStencil() for a stencil of a program, with ranges of its values in `at` as in
   HgCheckProgram(). Uses seed, checks and draws of `options`. Collective. */
PetscErrorCode HgExamineTerm(HgProgram program, long step, const HgStencil *stencil,
                             const void *params, HgState at, const HgCheckStencilOptions *options,
                             HgFindings *report);

/* HgCheckOperator() at x only, without its parts. The report has the same bits on every rank, and
   on every layout if the operator does. Collective. */
PetscErrorCode HgExamineOperator(HgOperator op, HgState x, const HgCheckOptions *options,
                                 HgFindings *report);

/* Checks that step `step` of a program with a mask of wet cells (HgProgramSetMask()) has the same
   bits without the mask: the step from its input x, and its adjoint with random cotangents. A
   program without a mask passes. Collective. Error: the bits differ; it names the first variable
   and cell, with both numbers. */
PetscErrorCode HgCheckMask(HgProgram program, long step, HgState x);

/* ---- states ---- */

/* x = (q, constants), the input of a step. */
PetscErrorCode HgCheckJoin(HgState q, HgState constants, HgState x);

/* q = q_n by steps from q_0 of x, `constants` = those of x; at = (q_n, constants). Collective. */
PetscErrorCode HgCheckAdvance(HgProgram program, HgState x, long n, HgState q, HgState constants);
PetscErrorCode HgCheckInput(HgProgram program, HgState x, long n, HgState at);

/* Whether both have the same bits on this rank. Not collective. */
bool HgCheckSame(HgState a, HgState b);

/* *norm = sqrt(<x, x>); norms[k] of each variable; largest[k] = max |x| of variable first + k,
   INFINITY if there is a NaN. Collective. */
PetscErrorCode HgCheckNorm(HgState x, double *norm);
PetscErrorCode HgCheckNorms(HgState x, double norms[]);
PetscErrorCode HgCheckLargest(HgState x, int first, int count, double largest[]);

/* The dot-product test of a linear map F: <F dx, y_bar> and <dx, F^T y_bar>. */
typedef struct {
  double forward, back, dx, dy, x_bar, y_bar; /* both products; norms */
  double off;                                 /* |forward - back|, relative */
} HgCheckPair;

PetscErrorCode HgCheckDot(HgState dx, HgState dy, HgState y_bar, HgState x_bar, HgCheckPair *pair);

/* v = random numbers; each variable has its norm in `like`, or is left as drawn if that is 0. k:
   only variable k, 0 in the others; -1: all. Collective. */
PetscErrorCode HgCheckRandomLike(HgState like, int k, uint64_t seed, HgState v);

/* Sets dx = 0 in variables by which the operator is not differentiated. */
PetscErrorCode HgCheckFix(HgOperator op, HgState dx);

/* beside = x with each number moved towards 0, unless a bound prevents it: by at most a thousandth
   of itself; `zeros`: by a hundredth, and numbers that are 0 move, too. Collective. */
PetscErrorCode HgCheckBeside(HgState x, bool zeros, int bounds, const HgCheckBound bound[],
                             uint64_t seed, HgState beside);

#endif
