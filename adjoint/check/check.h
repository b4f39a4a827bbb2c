/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/check.h -- is it right? Checks of an operator and of a program; of a stencil:
   check_stencil.h, of a whole gradient: doctor.h. Each prints what it finds, a sentence for each
   error, unless `quiet`. */
#ifndef HALOGRAD_CHECK_H
#define HALOGRAD_CHECK_H

#include <halograd/check_stencil.h>
#include <halograd/operator.h>
#include <halograd/program.h>

/* lower <= control <= upper */
typedef struct {
  const char *control;
  double lower, upper;
} HgCheckBound;

typedef struct {
  uint64_t seed;    /* of the random directions */
  double dot_bound; /* 0: 100 eps. Linearity and adding are allowed 10 times as much; floats
                       eps(float) / eps(double) times as much */
  bool quiet;
  int bounds; /* of variables of x, for HgCheckOperator() and HgCheckGradient() */
  const HgCheckBound *bound;
  /* HgCheckGradient() keeps dq_n of all steps: so many bytes of them in memory on this rank (0: 1
     GiB), the others in files of that folder (NULL: the current one). */
  size_t memory;
  const char *directory;
} HgCheckOptions;

/* Zero, linearity, dot product, Taylor, untouched inputs: of any operator around x, with random
   directions. Prints "check <operator>: zero 0 linearity 1e-17 dot 3e-17 Taylor 2.00 ok" or "...
   FAILED:" and the findings; of a composite that fails, also the parts that fail, down to a
   stencil. Of a sum whose parts groups of ranks share, the group that has the first part that fails
   prints it. Of an operator that passes, what has no parts and is no trajectory, such as a prior of
   your own, is checked beside x as well: every number is moved by up to a hundredth, within the
   bounds, since much that is wrong does not show where a functional is stationary. `x` is copied.
   Costs 5 tangents, 2 transposes, an adjoint, and 7 to 29 values. Collective. Errors: options out
   of range; x not of the operator's pattern. */
PetscErrorCode HgCheckOperator(HgOperator op, HgState x, const HgCheckOptions *options,
                               bool *passed);

/* Checks each stencil of a program as HgCheckStencil() does, on the values that its reads have in
   step `step` on the way from x at step 0 (HgProgramCreateInput()), each widened by a tenth of its
   magnitude, [-1, 1] where all are 0; then that step as HgCheckOperator() does, with the constants
   that are active now; then whether its mask of wet cells changes a bit of the step or its adjoint.
   Collective. Errors: a value that is not finite; the mask changes something. */
PetscErrorCode HgCheckProgram(HgProgram program, long step, HgState x,
                              const HgCheckOptions *options, bool *passed);

#endif
