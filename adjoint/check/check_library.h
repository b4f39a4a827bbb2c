/* SPDX-License-Identifier: BSD-2-Clause */
/* What checks share; for adjoint/check, the doctor and tests. */
#ifndef HG_CHECK_LIBRARY_H
#define HG_CHECK_LIBRARY_H

#include <halograd/check.h>
#include <halograd/finding_library.h>

/* ---- checks that return what they find, and print nothing ---- */

/* HgExamineStencil() of a stencil of a program where its values lie in `at`, see HgCheckProgram();
   seed, checks and draws of `options` count. Collective. */
PetscErrorCode HgExamineTerm(HgProgram program, long step, const HgStencil *stencil,
                             const void *params, HgState at, const HgCheckStencilOptions *options,
                             HgFindings *report);

/* HgCheckOperator() at x alone, and not of its parts. The report has the same bits on every rank,
   and on every layout if the operator has. Collective. */
PetscErrorCode HgExamineOperator(HgOperator op, HgState x, const HgCheckOptions *options,
                                 HgFindings *report);

/* Step `step` of a program with a mask of wet cells (HgProgramSetMask()) from x, which is what it
   is before that step, and the adjoint of that step with random cotangents have the bits that come
   out where all cells are computed. A program without a mask passes. Collective. Error: they have
   not; the first variable and cell are named, with both numbers. */
PetscErrorCode HgCheckMask(HgProgram program, long step, HgState x);

/* ---- states ---- */

/* x = (q, constants), the input of a step. */
PetscErrorCode HgCheckJoin(HgState q, HgState constants, HgState x);

/* q = q_n by steps from q_0 of x, `constants` those of x; at = (q_n, constants). Collective. */
PetscErrorCode HgCheckAdvance(HgProgram program, HgState x, long n, HgState q, HgState constants);
PetscErrorCode HgCheckInput(HgProgram program, HgState x, long n, HgState at);

/* Have both the same bits on this rank? Not collective. */
bool HgCheckSame(HgState a, HgState b);

/* *norm = sqrt(<x, x>); norms[k]: of each variable; largest[k]: max |x| of variable first + k,
   INFINITY if there is a NaN. Collective. */
PetscErrorCode HgCheckNorm(HgState x, double *norm);
PetscErrorCode HgCheckNorms(HgState x, double norms[]);
PetscErrorCode HgCheckLargest(HgState x, int first, int count, double largest[]);

/* What of the dot product of a linear map F does not fit: <F dx, y_bar> and <dx, F^T y_bar>. */
typedef struct {
  double forward, back, dx, dy, x_bar, y_bar; /* both products; norms */
  double off;                                 /* |forward - back|, relative */
} HgCheckPair;

PetscErrorCode HgCheckDot(HgState dx, HgState dy, HgState y_bar, HgState x_bar, HgCheckPair *pair);

/* v = random numbers, each variable's norm that of `like`, or left as drawn where that is 0; in
   variable k alone, 0 in the others (-1: in all). Collective. */
PetscErrorCode HgCheckRandomLike(HgState like, int k, uint64_t seed, HgState v);

/* dx = 0 in variables that the operator is not differentiated by. */
PetscErrorCode HgCheckFix(HgOperator op, HgState dx);

/* beside = x, each number moved nearer to 0 unless a bound is there: by a thousandth of itself at
   most or, `zeros`, by a hundredth, and then those that are 0 move, too. Collective. */
PetscErrorCode HgCheckBeside(HgState x, bool zeros, int bounds, const HgCheckBound bound[],
                             uint64_t seed, HgState beside);

#endif
