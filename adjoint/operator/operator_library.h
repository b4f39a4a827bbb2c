/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/operator_library.h -- what other rooms of the library need of operator.h. */
#ifndef HG_OPERATOR_LIBRARY_H
#define HG_OPERATOR_LIBRARY_H

#include <halograd/operator.h>

/* One owner more (of NULL: nothing). Whatever is made of operators - a chain, a sum, controls,
   experiments, a program, an inversion - owns its parts: the caller may destroy them, in any order,
   as soon as it needs them no more. Not collective. */
PetscErrorCode HgOperatorReference(HgOperator op);

/* x_bar += F'(x)^T y_bar, as one log event with HgOperatorTranspose(). Collective. */
PetscErrorCode HgOperatorAdjoint(HgOperator op, HgState x, HgState y_bar, HgState x_bar);

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

/* HgOperatorAdjoint() or HgOperatorTranspose(). */
typedef PetscErrorCode HgOperatorBackFn(HgOperator op, HgState x, HgState y_bar, HgState x_bar);

/* As its table says it, known later. */
void HgOperatorSetLinear(HgOperator op);

/* What its table, or HgOperatorSetLinear(), said. */
bool HgOperatorLinear(HgOperator op);

/* Has it second derivatives, be they 0? Those of a composite's parts are not looked at. */
bool HgOperatorHasSecondDerivative(HgOperator op);

/* The operator on dual numbers with so many directions: (x, dx_1 .. dx_V) -> (F(x), F'(x) dx_1 ..
   F'(x) dx_V), all x before all dx_1, which are called d1(u), and so on. In reverse it is
   HgOperatorSecond() of `op`: from (y_bar, dy_bar_v) to (x_bar, dx_bar_v). It has no tangent, and
   is one of the owners of `op`. Collective. Error: less than one direction. */
PetscErrorCode HgOperatorDual(HgOperator op, int directions, HgOperator *dual);

/* Second derivatives of a functional in several directions at once: h[v] = J''(x) dx[v],
   overwritten, and x_bar = J'(x)^T, NULL: not wanted. Without, HgOperatorHessians() takes them one
   by one: the same bits. Collective. Errors: as HgOperatorSecond(). */
typedef PetscErrorCode HgOperatorHessiansFn(void *self, HgState x, int directions,
                                            const HgState dx[], HgState x_bar, const HgState h[]);
void HgOperatorSetHessians(HgOperator op, HgOperatorHessiansFn *hessians);
PetscErrorCode HgOperatorHessians(HgOperator functional, HgState x, int directions,
                                  const HgState dx[], HgState x_bar, const HgState h[]);

/* Which variables of x an operator is differentiated by: those of which `active` says so, without
   all. The cotangents of the others stay as they were; checks do not move those variables. */
typedef bool HgOperatorActiveFn(void *self, int k);
void HgOperatorSetActive(HgOperator op, HgOperatorActiveFn *active);
bool HgOperatorActive(HgOperator op, int k);

const char *HgOperatorName(HgOperator op);

/* What an operator made with that apply was given as `self`; NULL: it was made with another. */
void *HgOperatorSelf(HgOperator op, PetscErrorCode (*apply)(void *self, HgState x, HgState y));

/* The unit [y] / [x], cut to `size`. */
void HgUnitQuotient(const char y[], const char x[], size_t size, char unit[]);

/* The tangent of the transpose, as x moves by dx and y_bar by dy_bar:
     x_bar  = F'(x)^T y_bar                                NULL: not wanted
     dx_bar = F'(x)^T dy_bar + (F''(x) dx)^T y_bar
   Where the operator is linear and x_bar is not wanted, y_bar may be NULL. Collective. Errors:
   states of another pattern; an operator without second derivatives, which is named. */
PetscErrorCode HgOperatorSecond(HgOperator op, HgState x, HgState dx, HgState y_bar, HgState dy_bar,
                                HgState x_bar, HgState dx_bar);

/* Does it have a value by itself, and not only with its gradient? A chain and a sum have one if all
   their parts do. */
bool HgOperatorApplies(HgOperator op);

/* The pattern of a functional's output. Collective. */
PetscErrorCode HgFunctionalOutput(HgMesh mesh, HgState *J);

#endif
