/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/operator.h -- everything differentiable is an operator; composites have the interface of
   primitives.

   y = F(x),  dy = F'(x) dx,  x_bar += F'(x)^T y_bar,  with x, y states (state.h).
   HgOperatorTranspose() starts from zero: x_bar = F'(x)^T y_bar. Inner products are those of
   HgStateDot(). */
#ifndef HALOGRAD_OPERATOR_H
#define HALOGRAD_OPERATOR_H

#include <halograd/collective.h>
#include <halograd/state.h>

/* An operator. It is reference-counted: it lives until its last owner destroys it. */
typedef struct HgOperator_s *HgOperator;

typedef struct {
  PetscErrorCode (*apply)(void *self, HgState x, HgState y);
  PetscErrorCode (*tangent)(void *self, HgState x, HgState dx, HgState dy);
  PetscErrorCode (*adjoint)(void *self, HgState x, HgState y_bar,
                            HgState x_bar); /* adds to x_bar */
  PetscErrorCode (*gradient)(void *self, HgState x, double *J,
                             HgState x_bar); /* functionals only, may be NULL */
  PetscErrorCode (*destroy)(void *self);     /* may be NULL */
  /* Second derivatives, the tangent of the transpose as x moves by dx and y_bar by dy_bar, x_bar =
     F'(x)^T y_bar (NULL: not wanted) and dx_bar = F'(x)^T dy_bar + (F''(x) dx)^T y_bar. NULL: the
     operator has none, or is linear. */
  PetscErrorCode (*second)(void *self, HgState x, HgState dx, HgState y_bar, HgState dy_bar,
                           HgState x_bar, HgState dx_bar);
  bool linear; /* F' is the same at all x; then tangent may be NULL, which means F */
} HgOperatorTable;

/* Creates an operator called `name` from states like `x` to states like `y`, which serve as
   patterns only; y NULL: a functional. The functions get `self`, and table->destroy frees it.
   Collective. */
PetscErrorCode HgOperatorCreate(const char name[], HgState x, HgState y,
                                const HgOperatorTable *table, void *self, HgOperator *op);

/* Gives up ownership; the last owner frees the operator. Sets NULL. Collective. */
PetscErrorCode HgOperatorDestroy(HgOperator *op);

/* Create zero states like the operator's input and output. Collective. */
PetscErrorCode HgOperatorCreateInput(HgOperator op, HgState *x);
PetscErrorCode HgOperatorCreateOutput(HgOperator op, HgState *y);

/* Creates a zero state for the gradient of a functional: the variables of its input, each in the
   unit [J] / [x], which pictures and files then show. Collective. */
PetscErrorCode HgOperatorCreateGradient(HgOperator functional, HgState *x_bar);

/* y = F(x), dy = F'(x) dx, x_bar = F'(x)^T y_bar. Each is a PETSc log event named after the
   operator. Collective. Errors: states of another pattern; an operator whose table lacks the
   function. */
PetscErrorCode HgOperatorApply(HgOperator op, HgState x, HgState y);
PetscErrorCode HgOperatorTangent(HgOperator op, HgState x, HgState dx, HgState dy);
PetscErrorCode HgOperatorTranspose(HgOperator op, HgState x, HgState y_bar, HgState x_bar);

/* Creates y = F_n(... F_1(x)), an operator that becomes an owner of its parts. Collective. Error:
   neighbours whose states do not fit. */
PetscErrorCode HgOperatorChain(const char name[], int count, HgOperator parts[], HgOperator *chain);

/* Creates y = F_1(x) + ... + F_n(x), an operator that becomes an owner of its parts. Collective.
   Error: parts whose states differ. */
PetscErrorCode HgOperatorSum(const char name[], int count, HgOperator parts[], HgOperator *sum);

/* *J = F(x) and x_bar = F'(x)^T 1 (overwritten) at once: a trajectory needs only one forward sweep
   for both. A functional is an operator whose output is a single number J (HG_REPLICATED, size 1).
   Collective. */
PetscErrorCode HgOperatorGradient(HgOperator functional, HgState x, double *J, HgState x_bar);

/* h = J''(x) dx of a functional (overwritten), exact. Collective. Errors: states of another
   pattern; an operator without second derivatives, which is named. */
PetscErrorCode HgOperatorHessian(HgOperator functional, HgState x, HgState dx, HgState h);

/* A collective between ranks (collective.h) as an operator on states, for chains, sums, checks,
   controls and inversions.

   The kinds of the variables say how copies count, as in HgStateDot():
     HG_LOCAL       each rank's own numbers; copies on several ranks count one by one
     HG_REPLICATED  the same numbers on every rank; they count once
     HG_FIELD       the owned cells of a patch, row by row, each counted by its owner
   So the adjoint of an allreduce to HG_LOCAL arrays is an allreduce of their cotangents. The
   adjoint of an allreduce to an HG_REPLICATED array is a copy, because every rank knows the one
   cotangent. */

/* Creates an operator from states like `x` to the same states with variable `in` replaced by `out`
   = C(in). Other variables stay as they are. The size of `out` is C's number of outputs (out->size
   is ignored). The operator takes ownership of C and sets *collective to NULL; after an error C is
   still yours. C may work on sub-communicators of the mesh's, one for each rank; on a rank that
   belongs to none, it is NULL and `in` has size 0. Collective on the mesh. Errors: ranks that do
   not belong to the mesh; sizes of `in` or `out` that are not C's; HG_REPLICATED arrays if C works
   on only part of the mesh's ranks; an HG_REPLICATED `in` for a C other than spread; an
   HG_REPLICATED `out` for a C whose results differ between ranks. */
PetscErrorCode HgCollectiveOperator(HgState x, const char in[], HgCollective *collective,
                                    const HgVariable *out, HgOperator *op);

#endif
