/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/check.h -- checks of an operator and of a program. Checks of a stencil are in
   check_stencil.h, of a whole gradient in doctor.h. Each check prints what it finds, one sentence
   per error, unless `quiet`. */
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
  double dot_bound; /* 0: 100 eps. Linearity and adding may be off by 10 times as much; in
                       single precision all by eps(float) / eps(double) times as much */
  bool quiet;
  int bounds; /* of variables of x, in HgCheckOperator() and HgCheckGradient() */
  const HgCheckBound *bound;
  /* HgCheckGradient() keeps dq_n of all steps: at most so many bytes in memory on this rank (0: 1
     GiB), the rest in files in this folder (NULL: the current one). */
  size_t memory;
  const char *directory;
} HgCheckOptions;

/* Checks any operator around x with random directions: zero, linearity, dot product, Taylor,
   unchanged inputs. Prints "check <operator>: zero 0 linearity 1e-17 dot 3e-17 Taylor 2.00 ok" or
   "... FAILED:" and the findings. If a composite fails, it also prints the parts that fail, down to
   a stencil. If the parts of a sum belong to several groups of ranks, the group with the first part
   that fails prints it. If an operator passes, its parts without parts of their own, except
   trajectories, are also checked beside x, with every number moved by up to a hundredth within the
   bounds: many errors do not show where a functional is stationary. `x` is copied. Costs 5
   tangents, 2 transposes, an adjoint, and 7 to 29 values. Collective. Errors: options out of range;
   x not of the operator's pattern. */
PetscErrorCode HgCheckOperator(HgOperator op, HgState x, const HgCheckOptions *options,
                               bool *passed);

/* Checks a program in three parts. First each stencil, as HgCheckStencil() does, on the values that
   its reads have in step `step` of a run from the input x (HgProgramCreateInput()), with each range
   widened by a tenth of its magnitude, or [-1, 1] if all values are 0. Then that step, as
   HgCheckOperator() does, with the constants that are active now. Then whether the mask of wet
   cells changes a bit of the step or of its adjoint. Collective. Errors: a value that is not
   finite; the mask changes something. */
PetscErrorCode HgCheckProgram(HgProgram program, long step, HgState x,
                              const HgCheckOptions *options, bool *passed);

#endif
