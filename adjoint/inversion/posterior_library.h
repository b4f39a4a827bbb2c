/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/posterior.h -- how well the data determine the controls, at the minimum of
   J = misfit + R.

   R is the negative logarithm of the prior, whose covariance is R''^-1; near the minimum m the
   posterior is a Gaussian around m with the covariance C = (H + R'')^-1, H = misfit''(m). From the
   leading eigenpairs H v = lambda R'' v, <v, R'' v> = 1,

     C = R''^-1 - sum_k lambda_k / (1 + lambda_k) v_k v_k^T

   A direction with lambda above 1 is known from the data better than from the prior. Bounds of the
   controls are not looked at. All sums are exact (sum.h): the same bits on any decomposition.
   Source: T. Bui-Thanh, O. Ghattas, J. Martin & G. Stadler, SIAM J. Sci. Comput. 35 (2013); the
   eigenpairs by the double pass of A. K. Saibaba, J. Lee & P. K. Kitanidis, Numer. Linear Algebra
   Appl. 23 (2016). */
#ifndef HG_POSTERIOR_LIBRARY_H
#define HG_POSTERIOR_LIBRARY_H

#include <halograd/inversion.h>

typedef struct HgPosterior_s *HgPosterior;

/* Can `pairs` eigenpairs at m, or close to it, be asked for? It takes one product with H.
   Collective. Errors: more pairs than controls, or less than 1; R is NULL or not positive definite,
   as H1 without Tikhonov; no second derivatives. */
PetscErrorCode HgPosteriorRequire(HgOperator misfit, HgOperator R, HgState m, int pairs);

/* The `pairs` eigenpairs at m that change the covariance most. It takes 2 (pairs + 10) products
   with H, a product with R'' for each control, which assembles it, and a factor of R'' on each
   rank. The inversion, whose scales count, is borrowed. Collective. Errors: those of
   HgPosteriorRequire(); R'', or H + R'' as away from a minimum, is not positive definite; the data
   depend on a control that R does not. */
PetscErrorCode HgPosteriorCreate(HgInversion inversion, HgOperator misfit, HgOperator R, HgState m,
                                 int pairs, HgPosterior *posterior);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgPosteriorDestroy(HgPosterior *posterior);

/* How many eigenpairs there are: fewer than were asked for if all others are 0 to rounding.
   *lambda: theirs, the largest first (borrowed). Not collective. */
int HgPosteriorEigenvalues(HgPosterior posterior, const double **lambda);

/* Standard deviations of each control, before the data (`prior`: the square root of the diagonal of
   R''^-1) and after (`deviation`: of C), states like m. It takes one solution with the factor of
   R'' for each control, which the ranks share. Controls that neither R nor the data
   depend on have 0. Collective. */
PetscErrorCode HgPosteriorDeviations(HgPosterior posterior, HgState prior, HgState deviation);

/* Standard deviations of the number <g, m>, before the data and after; g like m. It takes one
   solution with the factor of R''. Collective. Error: g is not 0 at a control that R does not
   depend on. */
PetscErrorCode HgPosteriorFunctional(HgPosterior posterior, HgState g, double *prior,
                                     double *deviation);

#endif
