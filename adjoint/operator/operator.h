/* halograd/operator.h -- everything differentiable is an operator, and a composite has the
   interface of a primitive.

   y = F(x),  dy = F'(x) dx,  x_bar += F'(x)^T y_bar,  with x, y states (state.h); to begin with
   x_bar = F'(x)^T y_bar, the transpose. Inner products are those of HgStateDot(). */
#ifndef HALOGRAD_OPERATOR_H
#define HALOGRAD_OPERATOR_H

#include <halograd/state.h>

typedef struct HgOperator_s *HgOperator;

typedef struct {
  PetscErrorCode (*apply)(void *self, HgState x, HgState y);
  PetscErrorCode (*tangent)(void *self, HgState x, HgState dx, HgState dy);
  PetscErrorCode (*adjoint)(void *self, HgState x, HgState y_bar,
                            HgState x_bar); /* adds to x_bar */
  PetscErrorCode (*gradient)(void *self, HgState x, double *J,
                             HgState x_bar); /* functionals only, may be NULL */
  PetscErrorCode (*destroy)(void *self);     /* may be NULL */
} HgOperatorTable;

/* An operator called `name` from states like `x` to states like `y` (both only serve as patterns
   and are duplicated). `self` is handed to the functions and freed by table->destroy.
   Collective. */
PetscErrorCode HgOperatorCreate(const char name[], HgState x, HgState y,
                                const HgOperatorTable *table, void *self, HgOperator *op);

/* One owner more (of NULL: nothing). Whatever is made of operators - a chain, a sum, controls,
   experiments, a program, an inversion - owns its parts: the caller may destroy them, in any order,
   as soon as it needs them no more. Not collective. */
PetscErrorCode HgOperatorReference(HgOperator op);

/* One owner less, the last one frees; sets NULL. Collective. */
PetscErrorCode HgOperatorDestroy(HgOperator *op);

/* What a composite is made of, for checks that must name the part that is wrong: *part = its k-th
   part (borrowed) and *at = the point, like the part's input, at which it works when the composite
   is at x (the caller's to destroy); both NULL beyond the last, and of an operator that has none
   (they are NULL when HgOperatorPartFn is called). k counts up from 0. Collective. Where groups of
   ranks share the parts (HgOperatorSetAcross()), *part alone is NULL on those that do not have this
   one. */
typedef PetscErrorCode HgOperatorPartFn(void *self, HgState x, int k, HgOperator *part,
                                        HgState *at);
void HgOperatorSetParts(HgOperator op, HgOperatorPartFn *part);
PetscErrorCode HgOperatorPart(HgOperator op, HgState x, int k, HgOperator *part, HgState *at);

/* The parts of `op` work side by side in groups of ranks, each on a mesh of its own: `across` is
   one rank of each group, numbered by group (borrowed). MPI_COMM_NULL: they do not, as of any
   operator to begin with. */
void HgOperatorSetAcross(HgOperator op, MPI_Comm across);
MPI_Comm HgOperatorAcross(HgOperator op);

/* For an operator that can set x_bar without adding to zeros: like table->adjoint, but x_bar holds
   anything before and F'(x)^T y_bar after. Without, HgOperatorTranspose() is zeros and the adjoint.
   */
typedef PetscErrorCode HgOperatorTransposeFn(void *self, HgState x, HgState y_bar, HgState x_bar);
void HgOperatorSetTranspose(HgOperator op, HgOperatorTransposeFn *transpose);

/* For an operator that has second derivatives: as HgOperatorSecond(), but that states fit and x_bar
   may be NULL. */
typedef PetscErrorCode HgOperatorSecondFn(void *self, HgState x, HgState dx, HgState y_bar,
                                          HgState dy_bar, HgState x_bar, HgState dx_bar);
void HgOperatorSetSecond(HgOperator op, HgOperatorSecondFn *second);

/* F' is the same at all x: second derivatives are 0. */
void HgOperatorSetLinear(HgOperator op);
bool HgOperatorLinear(HgOperator op);

/* Has it second derivatives, be they 0? Those of a composite's parts are not looked at. */
bool HgOperatorHasSecondDerivative(HgOperator op);

/* The operator on dual numbers with so many directions: (x, dx_1 .. dx_V) -> (F(x), F'(x) dx_1 ..
   F'(x) dx_V), all x before all dx_1, which are called d1(u), and so on. In reverse it is
   HgOperatorSecond() of `op`: from (y_bar, dy_bar_v) to (x_bar, dx_bar_v). It has no tangent, and
   is one of the owners of `op`. Collective. Error: less than one direction. */
PetscErrorCode HgOperatorDual(HgOperator op, int directions, HgOperator *dual);

/* Which variables of x an operator is differentiated by: those of which `active` says so, without
   all. The cotangents of the others stay as they were; checks do not move those variables. */
typedef bool HgOperatorActiveFn(void *self, int k);
void HgOperatorSetActive(HgOperator op, HgOperatorActiveFn *active);
bool HgOperatorActive(HgOperator op, int k);
const char *HgOperatorName(HgOperator op);

/* What an operator made with that apply was given as `self`; NULL: it was made with another. */
void *HgOperatorSelf(HgOperator op, PetscErrorCode (*apply)(void *self, HgState x, HgState y));

/* Fresh zero states of the operator's input and output. Collective. */
PetscErrorCode HgOperatorCreateInput(HgOperator op, HgState *x);
PetscErrorCode HgOperatorCreateOutput(HgOperator op, HgState *y);

/* A fresh zero state for the gradient of a functional: the variables of its input, each in the unit
   [J] / [x], which is what pictures and files then say. Collective. */
PetscErrorCode HgOperatorCreateGradient(HgOperator functional, HgState *x_bar);

/* The unit [y] / [x], cut to `size`. */
void HgUnitQuotient(const char y[], const char x[], size_t size, char unit[]);

/* y = F(x), dy = F'(x) dx, x_bar += F'(x)^T y_bar, x_bar = F'(x)^T y_bar. Each is a PETSc log event
   named after the operator, the last two are one. Collective: all ranks call the same. Errors:
   states of another pattern; an operator whose table has no such function. */
PetscErrorCode HgOperatorApply(HgOperator op, HgState x, HgState y);
PetscErrorCode HgOperatorTangent(HgOperator op, HgState x, HgState dx, HgState dy);
PetscErrorCode HgOperatorAdjoint(HgOperator op, HgState x, HgState y_bar, HgState x_bar);
PetscErrorCode HgOperatorTranspose(HgOperator op, HgState x, HgState y_bar, HgState x_bar);

/* The tangent of the transpose, as x moves by dx and y_bar by dy_bar:
     x_bar  = F'(x)^T y_bar                                NULL: not wanted
     dx_bar = F'(x)^T dy_bar + (F''(x) dx)^T y_bar
   Where the operator is linear and x_bar is not wanted, y_bar may be NULL. Collective. Errors: states of another
   pattern; an operator without second derivatives, which is named. */
PetscErrorCode HgOperatorSecond(HgOperator op, HgState x, HgState dx, HgState y_bar, HgState dy_bar,
                                HgState x_bar, HgState dx_bar);

/* Does it have a value by itself, and not only with its gradient? A chain and a sum have one if all
   their parts do. */
bool HgOperatorApplies(HgOperator op);

/* Either of them. */
typedef PetscErrorCode HgOperatorBackFn(HgOperator op, HgState x, HgState y_bar, HgState x_bar);

/* y = F_n(... F_1(x)): an operator again, one of the owners of its parts. Refuses neighbours whose
   states do not fit. Collective. */
PetscErrorCode HgOperatorChain(const char name[], int count, HgOperator parts[], HgOperator *chain);

/* y = F_1(x) + ... + F_n(x): an operator again, one of the owners of its parts, which all have the
   same patterns. Collective. */
PetscErrorCode HgOperatorSum(const char name[], int count, HgOperator parts[], HgOperator *sum);

/* A functional is an operator whose output is the single number J (HG_REPLICATED, size 1):
   HgFunctionalOutput() is its pattern.
   *J = F(x) and x_bar = F'(x)^T 1 (overwritten) in one go: a trajectory needs one forward sweep for
   both. Collective. */
PetscErrorCode HgFunctionalOutput(HgMesh mesh, HgState *J);
PetscErrorCode HgOperatorGradient(HgOperator functional, HgState x, double *J, HgState x_bar);

/* h = J''(x) dx of a functional (overwritten), exact. Collective. Errors: as HgOperatorSecond(). */
PetscErrorCode HgOperatorHessian(HgOperator functional, HgState x, HgState dx, HgState h);

#endif
