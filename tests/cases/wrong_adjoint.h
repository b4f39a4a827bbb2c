/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the dot product catches an adjoint that is another operator's. */
#ifndef WRONG_ADJOINT_H
#define WRONG_ADJOINT_H

#include "claim.h"
#include <halograd/check_library.h>
#include <halograd/operator_library.h>

/* An operator whose part is its context: the adjoint forgets to call that part's. */
static inline PetscErrorCode whole_apply(void *self, HgState x, HgState y) {
  return HgOperatorApply(self, x, y);
}

static inline PetscErrorCode whole_tangent(void *self, HgState x, HgState dx, HgState dy) {
  return HgOperatorTangent(self, x, dx, dy);
}

static inline PetscErrorCode whole_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  (void)self, (void)x, (void)y_bar, (void)x_bar;
  return 0;
}

static const HgOperatorTable forgetful = {whole_apply, whole_tangent, whole_adjoint, NULL, NULL};

/* Value and tangent are those of `right`, the adjoint is that of `wrong`. */
typedef struct {
  HgOperator right, wrong;
} WrongAdjoint;

static inline PetscErrorCode wrong_adjoint_apply(void *self, HgState x, HgState y) {
  return HgOperatorApply(((WrongAdjoint *)self)->right, x, y);
}

static inline PetscErrorCode wrong_adjoint_tangent(void *self, HgState x, HgState dx, HgState dy) {
  return HgOperatorTangent(((WrongAdjoint *)self)->right, x, dx, dy);
}

static inline PetscErrorCode wrong_adjoint_adjoint(void *self, HgState x, HgState y_bar,
                                                   HgState x_bar) {
  return HgOperatorAdjoint(((WrongAdjoint *)self)->wrong, x, y_bar, x_bar);
}

/* Claims that the dot product of `right` with the adjoint of `wrong` at x is above 1e-12, or, not
   `caught`, below. */
static inline PetscErrorCode claim_caught(const char what[], HgOperator right, HgOperator wrong,
                                          HgState x, bool caught) {
  static const HgOperatorTable table = {wrong_adjoint_apply, wrong_adjoint_tangent,
                                        wrong_adjoint_adjoint, NULL, NULL};
  WrongAdjoint pair = {right, wrong};
  HgOperator op;
  HgState y;
  HgFindings report;
  const HgCheckOptions options = {.seed = 5, .dot_bound = 1e-12};
  PetscCall(HgOperatorCreateOutput(right, &y));
  PetscCall(HgOperatorCreate("wrong adjoint", x, y, &table, &pair, &op));
  PetscCall(HgExamineOperator(op, x, &options, &report));
  claim_that((report.worst[HG_CHECK_DOT] > options.dot_bound * HG_ROUNDING) == caught,
             "%s: dot product %g, bound %g, expected %s", what, report.worst[HG_CHECK_DOT],
             options.dot_bound * HG_ROUNDING, caught ? "above" : "below");
  return DESTROY(&y, &op);
}

#endif
