/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/operator.h -- everything differentiable is an operator, and a composite has the
   interface of a primitive.

   y = F(x),  dy = F'(x) dx,  x_bar += F'(x)^T y_bar,  with x, y states (state.h); to begin with
   x_bar = F'(x)^T y_bar, the transpose. Inner products are those of HgStateDot(). */
#ifndef HALOGRAD_OPERATOR_H
#define HALOGRAD_OPERATOR_H

#include <halograd/collective.h>
#include <halograd/state.h>

/* An operator, shared by its owners. */
typedef struct HgOperator_s *HgOperator;

typedef struct {
  PetscErrorCode (*apply)(void *self, HgState x, HgState y);
  PetscErrorCode (*tangent)(void *self, HgState x, HgState dx, HgState dy);
  PetscErrorCode (*adjoint)(void *self, HgState x, HgState y_bar,
                            HgState x_bar); /* adds to x_bar */
  PetscErrorCode (*gradient)(void *self, HgState x, double *J,
                             HgState x_bar); /* functionals only, may be NULL */
  PetscErrorCode (*destroy)(void *self);     /* may be NULL */
  /* Second derivatives: as HgOperatorSecond(), but that states fit and x_bar may be NULL; NULL: it
     has none, or is linear. */
  PetscErrorCode (*second)(void *self, HgState x, HgState dx, HgState y_bar, HgState dy_bar,
                           HgState x_bar, HgState dx_bar);
  bool linear; /* F' is the same at all x. Then a tangent that is NULL is F */
} HgOperatorTable;

/* An operator called `name` from states like `x` to states like `y` (both only serve as patterns
   and are duplicated); y NULL: a functional. `self` is handed to the functions and freed by
   table->destroy. Collective. */
PetscErrorCode HgOperatorCreate(const char name[], HgState x, HgState y,
                                const HgOperatorTable *table, void *self, HgOperator *op);

/* One owner less, the last one frees; sets NULL. Collective. */
PetscErrorCode HgOperatorDestroy(HgOperator *op);

/* Fresh zero states of the operator's input and output. Collective. */
PetscErrorCode HgOperatorCreateInput(HgOperator op, HgState *x);
PetscErrorCode HgOperatorCreateOutput(HgOperator op, HgState *y);

/* A fresh zero state for the gradient of a functional: the variables of its input, each in the unit
   [J] / [x], which is what pictures and files then say. Collective. */
PetscErrorCode HgOperatorCreateGradient(HgOperator functional, HgState *x_bar);

/* y = F(x), dy = F'(x) dx, x_bar = F'(x)^T y_bar. Each is a PETSc log event named after the
   operator. Collective: all ranks call the same. Errors: states of another pattern; an operator
   whose table has no such function. */
PetscErrorCode HgOperatorApply(HgOperator op, HgState x, HgState y);
PetscErrorCode HgOperatorTangent(HgOperator op, HgState x, HgState dx, HgState dy);
PetscErrorCode HgOperatorTranspose(HgOperator op, HgState x, HgState y_bar, HgState x_bar);

/* y = F_n(... F_1(x)): an operator again, one of the owners of its parts. Refuses neighbours whose
   states do not fit. Collective. */
PetscErrorCode HgOperatorChain(const char name[], int count, HgOperator parts[], HgOperator *chain);

/* y = F_1(x) + ... + F_n(x): an operator again, one of the owners of its parts, which all have the
   same patterns. Collective. */
PetscErrorCode HgOperatorSum(const char name[], int count, HgOperator parts[], HgOperator *sum);

/* A functional is an operator whose output is the single number J (HG_REPLICATED, size 1).
   *J = F(x) and x_bar = F'(x)^T 1 (overwritten) in one go: a trajectory needs one forward sweep for
   both. Collective. */
PetscErrorCode HgOperatorGradient(HgOperator functional, HgState x, double *J, HgState x_bar);

/* h = J''(x) dx of a functional (overwritten), exact. Collective. Errors: as HgOperatorSecond(). */
PetscErrorCode HgOperatorHessian(HgOperator functional, HgState x, HgState dx, HgState h);

/* A collective between ranks (collective.h) as an operator on
   states, for chains, sums, checks, controls of a trajectory, inversions.

   The kinds of the variables say how copies count, here as everywhere (HgStateDot()):
     HG_LOCAL       a rank's own numbers; copies on several ranks count one by one
     HG_REPLICATED  the same numbers on every rank; they count once
     HG_FIELD       the owned cells of a patch, row by row, each counted where it is owned
   So the adjoint of an allreduce to HG_LOCAL arrays is an allreduce of their cotangents, and that
   of one to an HG_REPLICATED array is a copy: the one cotangent there is, is known to everybody. */

/* From states like `x` to the same states with variable `in` replaced by `out` = C(in); all other
   variables stay as they are. The size of `out` is C's number of outputs (out->size is ignored). C
   belongs to the operator from then on, and *collective is NULL; after an error it is still the
   caller's. It may work on sub-communicators of the mesh's, one for each rank; where a rank belongs
   to none it is NULL, and `in` has size 0. Collective on the mesh. Errors: ranks that do not belong
   to the mesh; sizes of `in` or `out` that are not C's; HG_REPLICATED arrays where C works on a
   part of the mesh's ranks; an HG_REPLICATED `in` of another operator than spread, an HG_REPLICATED
   `out` of one whose results differ between ranks. */
PetscErrorCode HgCollectiveOperator(HgState x, const char in[], HgCollective *collective,
                                    const HgVariable *out, HgOperator *op);

#endif
