/* What the checks of an operator share; for adjoint/check/check*.c only. */
#ifndef HG_CHECK_LIBRARY_H
#define HG_CHECK_LIBRARY_H

#include <halograd/check.h>
#include <halograd/check_stencil.h>
#include <string.h>

enum { HG_CHECK_SUMS = 16 }; /* that travel in one reduction */

typedef struct {
  HgOperator op;
  HgState x;         /* the caller's: copied, never handed to the operator */
  HgState at;        /* the copy that the operator gets */
  HgState dx, x_bar; /* of the input's kind, as are the next two */
  HgState work[2];
  HgState y, dy, y_bar; /* of the output's kind, as is the next */
  HgState moved;
  uint64_t seed;
  double bound;     /* of the dot product */
  double scale;     /* a lower bound of the norm ||F'(x)|| */
  double linearity; /* relative rounding of the tangent */
  bool untouched;   /* so far, on this rank */
} HgChecker;

/* y = F(point), dy = F'(x) dx, x_bar += F'(x)^T y_bar, x_bar = F'(x)^T y_bar where x_bar holds NaN
   before, and untouched is cleared on ranks where an input has changed. Collective. */
PetscErrorCode HgCheckerApply(HgChecker *checker, HgState point, HgState y);
PetscErrorCode HgCheckerTangent(HgChecker *checker, HgState dx, HgState dy);
PetscErrorCode HgCheckerAdjoint(HgChecker *checker, HgState y_bar, HgState x_bar);
PetscErrorCode HgCheckerTranspose(HgChecker *checker, HgState y_bar, HgState x_bar);

/* sqrt(<x, x>). Collective. */
PetscErrorCode HgCheckerNorm(HgState x, double *norm);

/* The norms of all variables of x, one after the other. Collective. */
PetscErrorCode HgCheckerNorms(HgState x, double norms[]);

/* products[k] = <a[k], b[k]> for up to HG_CHECK_SUMS pairs, in one reduction. Collective. */
PetscErrorCode HgCheckerProducts(int count, const HgState a[], const HgState b[],
                                 double products[]);

/* dx = 0 in variables that the operator is not differentiated by; a random dx that is. */
PetscErrorCode HgCheckerFix(const HgChecker *checker, HgState dx);
PetscErrorCode HgCheckerDirection(const HgChecker *checker, uint64_t seed, HgState dx);

/* v = random numbers, each variable's norm that of `like`, or left as drawn where that is 0.
   Collective. */
PetscErrorCode HgCheckerRandomLike(HgState like, uint64_t seed, HgState v);

/* The same in variable k, 0 in the others. Collective. */
PetscErrorCode HgCheckerRandomIn(HgState like, int k, uint64_t seed, HgState v);

/* beside = x, each number moved nearer to 0 unless a bound is there: by a thousandth of itself at
   most or, `zeros`, by a hundredth, and then those that are 0 move, too. Collective. */
PetscErrorCode HgCheckerBeside(HgState x, bool zeros, int bounds, const HgCheckBound bound[],
                               uint64_t seed, HgState beside);

/* HgCheckStencil() of a stencil of a program where its values lie in `at`, see HgCheckProgram();
   seed, checks and draws of `options` count. Collective. */
PetscErrorCode HgCheckTerm(HgProgram program, long step, const HgStencil *stencil,
                           const void *params, HgState at, const HgCheckStencilOptions *options,
                           HgStencilReport *report);

/* The observed order of the remainder of F(x + e dx) for e from `largest` downwards. Overwrites
   dx, work, y, dy, moved. Collective. */
PetscErrorCode HgCheckerTaylor(HgChecker *checker, double largest, double *order);

#endif
