/* halograd/check.h -- zero, linearity, dot product, Taylor: on ANY operator, primitive or
   composite. */
#ifndef HALOGRAD_CHECK_H
#define HALOGRAD_CHECK_H

#include <halograd/operator.h>
#include <halograd/program.h>

typedef struct {
  /* ||F'(x) 0|| + ||F'(x)^T 0||: must be 0 */
  double zero;
  /* ||F'(a dx + b dx2) - a F'dx - b F'dx2|| relative to ||F'|| ||a dx + b dx2|| */
  double linearity;
  /* |<F'dx, y_bar> - <dx, F'^T y_bar>| / max(||F'dx|| ||y_bar||, ||dx|| ||F'^T y_bar||) */
  double dot;
  /* observed order of ||F(x + e dx) - F(x) - e F'dx||: 2 (or more) if right, 1 if the tangent is
     wrong, 0 if F is not the same twice or jumps; INFINITY if F is affine, or so nearly that the
     remainder is rounding at every step */
  double taylor;
  /* x, dx and y_bar were not changed, the adjoint added to x_bar what the transpose sets it to */
  bool untouched;
} HgCheckReport;

/* lower <= control <= upper */
typedef struct {
  const char *control;
  double lower, upper;
} HgCheckBound;

typedef struct {
  uint64_t seed;      /* of the random directions */
  double dot_bound;   /* 0: 100 eps. Linearity and adding are allowed 10 times as much */
  double taylor_step; /* largest, relative to each variable of x (absolute where 0); 0: 1e-2 */
  bool quiet;         /* nothing is printed */
  int bounds;         /* of variables of x, for HgCheckPrint() */
  const HgCheckBound *bound;
} HgCheckOptions;

/* Checks `op` around `x` with random directions dx and y_bar. `x` is copied, never changed. The
   report has the same bits on every rank, and on every layout if the operator has. Costs 5
   tangents, 2 transposes, an adjoint, and 7 values for an affine operator, up to 29 for others.
   Collective. Errors: options out of range; x not of the operator's pattern. */
PetscErrorCode HgCheckOperator(HgOperator op, HgState x, const HgCheckOptions *options,
                               HgCheckReport *report);

/* Which checks failed: "" if none, else "zero", "linearity", "dot product", "Taylor",
   "untouched", each with value and bound, in one line. Not collective. */
PetscErrorCode HgCheckVerdict(const HgCheckReport *report, const HgCheckOptions *options,
                              char line[], size_t size, bool *passed);

/* Checks and prints "check <operator>: zero 0 linearity 1e-17 dot 3e-17 Taylor 2.00 ok|FAILED:
   <which>" (Taylor affine: INFINITY); *passed on every rank. Of a composite that fails, the parts
   that fail likewise, down to a stencil; if none does, that is said. Of a sum over experiments that
   groups of ranks run side by side, the first experiment that fails, told by the group that has it;
   there `quiet` of the first group counts. Of one that passes, what has no parts and is no
   trajectory, such as a prior of one's own, is checked beside x, too: each number is moved by up to
   a hundredth, within the bounds, as much that is wrong does not show where a functional is
   stationary; it is told if it fails. Collective. */
PetscErrorCode HgCheckPrint(HgOperator op, HgState x, const HgCheckOptions *options, bool *passed);

/* Checks each stencil of a program with its params as HgCheckStencilPrint() does (check_stencil.h),
   on the values that its reads have in step `step` on the way from x at step 0 (the input, see
   HgProgramCreateInput), each widened by a tenth of its magnitude, [-1, 1] where all are 0; then
   that step as HgCheckPrint() does, with the constants that are active now; and what HgCheckMask()
   looks at. Collective. Errors: a value that is not finite; those of HgCheckMask(). */
PetscErrorCode HgCheckProgram(HgProgram program, long step, HgState x,
                              const HgCheckOptions *options, bool *passed);

/* Step `step` of a program with a mask of wet cells (HgProgramSetMask()) from x, which is what it
   is before that step, and the adjoint of that step with random cotangents: their bits are those
   that come out where all cells are computed. A program without a mask passes. Collective. Error:
   they are not; the first variable and cell are named, with both numbers. */
PetscErrorCode HgCheckMask(HgProgram program, long step, HgState x);

#endif
