/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/operator_library.h -- what other rooms of the library need of operator.h. */
#ifndef HG_OPERATOR_LIBRARY_H
#define HG_OPERATOR_LIBRARY_H

#include <halograd/operator.h>

/* Adds an owner (of NULL: does nothing). Whatever is made of operators - a chain, a sum, controls,
   experiments, a program, an inversion - owns its parts: you may destroy them in any order as soon
   as you do not need them. Not collective. */
PetscErrorCode HgOperatorReference(HgOperator op);

/* x_bar += F'(x)^T y_bar; the same log event as HgOperatorTranspose(). Collective. */
PetscErrorCode HgOperatorAdjoint(HgOperator op, HgState x, HgState y_bar, HgState x_bar);

/* The parts of a composite, for checks that name the wrong part. *part = its k-th part (borrowed),
   k = 0, 1, ...; *at = the part's input when the composite is at x (to be destroyed by the caller).
   Both are NULL beyond the last part, and for an operator without parts; they are NULL when
   HgOperatorPartFn is called. If groups of ranks share the parts (HgOperatorSetAcross()), only
   *part is NULL on groups without this part. Collective. */
typedef PetscErrorCode HgOperatorPartFn(void *self, HgState x, int k, HgOperator *part,
                                        HgState *at);
void HgOperatorSetParts(HgOperator op, HgOperatorPartFn *part);
PetscErrorCode HgOperatorPart(HgOperator op, HgState x, int k, HgOperator *part, HgState *at);

/* Declares that the parts of `op` run in groups of ranks, each on its own mesh. `across` has one
   rank of each group, numbered by group (borrowed). MPI_COMM_NULL: no groups, the default. */
void HgOperatorSetAcross(HgOperator op, MPI_Comm across);
MPI_Comm HgOperatorAcross(HgOperator op);

/* For an operator that can set x_bar without adding to zeros: like table->adjoint, but x_bar holds
   anything before and F'(x)^T y_bar after. Otherwise HgOperatorTranspose() sets zeros and calls the
   adjoint. */
typedef PetscErrorCode HgOperatorTransposeFn(void *self, HgState x, HgState y_bar, HgState x_bar);
void HgOperatorSetTranspose(HgOperator op, HgOperatorTransposeFn *transpose);

/* HgOperatorAdjoint() or HgOperatorTranspose(). */
typedef PetscErrorCode HgOperatorBackFn(HgOperator op, HgState x, HgState y_bar, HgState x_bar);

/* Declares the operator linear after its creation (HgOperatorTable.linear). */
void HgOperatorSetLinear(HgOperator op);

/* Whether it is linear, by its table or HgOperatorSetLinear(). */
bool HgOperatorLinear(HgOperator op);

/* Whether it has second derivatives, even if they are 0; does not ask the parts of a composite. */
bool HgOperatorHasSecondDerivative(HgOperator op);

/* Creates the operator on dual numbers: (x, dx_1 .. dx_V) -> (F(x), F'(x) dx_1 .. F'(x) dx_V), all
   x before all dx_1, which are called d1(u), and so on. In reverse it is HgOperatorSecond() of
   `op`: (y_bar, dy_bar_v) -> (x_bar, dx_bar_v). It has no tangent, and is an owner of `op`.
   Collective. Error: less than one direction. */
PetscErrorCode HgOperatorDual(HgOperator op, int directions, HgOperator *dual);

/* Second derivatives of a functional in several directions at once: h[v] = J''(x) dx[v]
   (overwritten) and x_bar = J'(x)^T (NULL: not wanted). Without such a function,
   HgOperatorHessians() computes one direction at a time, with the same bits. Collective. Errors: as
   HgOperatorSecond(). */
typedef PetscErrorCode HgOperatorHessiansFn(void *self, HgState x, int directions,
                                            const HgState dx[], HgState x_bar, const HgState h[]);
void HgOperatorSetHessians(HgOperator op, HgOperatorHessiansFn *hessians);
PetscErrorCode HgOperatorHessians(HgOperator functional, HgState x, int directions,
                                  const HgState dx[], HgState x_bar, const HgState h[]);

/* The variables of x by which an operator is differentiated: those that `active` names; without it,
   all. The cotangents of other variables do not change, and checks do not move them. */
typedef bool HgOperatorActiveFn(void *self, int k);
void HgOperatorSetActive(HgOperator op, HgOperatorActiveFn *active);
bool HgOperatorActive(HgOperator op, int k);

const char *HgOperatorName(HgOperator op);

/* The `self` of an operator that was created with this apply; NULL: it has another one. */
void *HgOperatorSelf(HgOperator op, PetscErrorCode (*apply)(void *self, HgState x, HgState y));

/* The unit [y] / [x], cut to `size`. */
void HgUnitQuotient(const char y[], const char x[], size_t size, char unit[]);

/* The tangent of the transpose, as x moves by dx and y_bar by dy_bar:
     x_bar  = F'(x)^T y_bar                                NULL: not wanted
     dx_bar = F'(x)^T dy_bar + (F''(x) dx)^T y_bar
   If the operator is linear and x_bar is not wanted, y_bar may be NULL. Collective. Errors: states
   of another pattern; an operator without second derivatives, which is named. */
PetscErrorCode HgOperatorSecond(HgOperator op, HgState x, HgState dx, HgState y_bar, HgState dy_bar,
                                HgState x_bar, HgState dx_bar);

/* Whether it has a value on its own, not only with its gradient. A chain and a sum have one if all
   parts do. */
bool HgOperatorApplies(HgOperator op);

/* *J: a state like the output of a functional. Collective. */
PetscErrorCode HgFunctionalOutput(HgMesh mesh, HgState *J);

#endif
