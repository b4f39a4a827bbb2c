/* halograd/check.h -- zero, linearity, dot product, Taylor: on ANY operator, primitive or composite. */
#ifndef HALOGRAD_CHECK_H
#define HALOGRAD_CHECK_H
#include <halograd/operator.h>
typedef struct {
  double zero;      /* ||F'(x) 0||, ||F'(x)^T 0||: must be 0 */
  double linearity; /* ||F'(a dx + b dx2) - a F'dx - b F'dx2|| relative */
  double dot;       /* |<F'dx, y_bar> - <dx, F'^T y_bar>| / max(||F'dx|| ||y_bar||, ||dx|| ||F'^T y_bar||) */
  double taylor;    /* observed order of ||F(x + e dx) - F(x) - e F'dx||: 2 if right; INFINITY if F is affine and the remainder is rounding */
  bool   untouched; /* x and y_bar were not changed, adjoint really added to x_bar */
} HgCheckReport;
typedef struct {
  uint64_t seed;      /* of the random directions */
  double   dot_bound; /* 0: 100 eps */
  double   taylor_step; /* largest relative step of the sweep; 0: 1e-2 */
} HgCheckOptions;
/* Checks `op` around `x` (restored bitwise afterwards) with random directions dx and y_bar. Collective. */
PetscErrorCode HgCheckOperator(HgOperator op, HgState x, const HgCheckOptions *options, HgCheckReport *report);
/* Which check failed: "" if none, else "zero", "linearity", "dot product", "Taylor", "untouched" with value and bound, in one line. */
PetscErrorCode HgCheckVerdict(const HgCheckReport *report, const HgCheckOptions *options, char line[], size_t size, bool *passed);
/* Checks and prints "check <operator>: zero 0 linearity 1e-17 dot 3e-17 Taylor 2.00 ok|FAILED: <which>"; *passed on every rank. Collective. */
PetscErrorCode HgCheckPrint(HgOperator op, HgState x, const HgCheckOptions *options, bool *passed);
#endif
