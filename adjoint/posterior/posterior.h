/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/posterior.h -- how well the data determine the controls, at the minimum of
   J = misfit + R.

   R is the negative logarithm of the prior, whose covariance is R''^-1. Near the minimum m the
   posterior is a Gaussian around m with the covariance C = (H + R'')^-1, H = misfit''(m). From the
   leading eigenpairs H v = lambda R'' v, <v, R'' v> = 1,

     C = R''^-1 - sum_k lambda_k / (1 + lambda_k) v_k v_k^T

   The data tell more of a direction with lambda above 1 than the prior does. Bounds of the controls
   are ignored. All sums are exact (sum.h): the same bits on any decomposition.
   Source: T. Bui-Thanh, O. Ghattas, J. Martin & G. Stadler, SIAM J. Sci. Comput. 35 (2013); the
   eigenpairs by the double pass of A. K. Saibaba, J. Lee & P. K. Kitanidis, Numer. Linear Algebra
   Appl. 23 (2016). */
#ifndef HALOGRAD_POSTERIOR_H
#define HALOGRAD_POSTERIOR_H

#include <halograd/operator.h>

/* A posterior, with the functionals that it is of. */
typedef struct HgPosterior_s *HgPosterior;

/* What a control may be, and the size of its numbers [its unit], as of HgInversionSetBounds(). */
typedef struct {
  double lower, upper, scale;
} HgControlRange;

/* The `pairs` eigenpairs at m that change the covariance most; range[k]: of variable k of m, whose
   scale counts here. Becomes an owner of both functionals. It takes 2 (pairs + 10) products with H,
   some 10 to 152 with R'' (one for each control if R'' sees further than two cells), and a sparse
   factor of R'' on each rank. Collective. Errors: more pairs than controls, or less than 1; R is
   NULL or not positive definite, as H1 without Tikhonov; no second derivatives; H + R'' is not
   positive definite, as away from a minimum; the data depend on a control that R does not. */
PetscErrorCode HgPosteriorCreate(const HgControlRange range[], HgOperator misfit, HgOperator R,
                                 HgState m, int pairs, HgPosterior *posterior);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgPosteriorDestroy(HgPosterior *posterior);

/* How many eigenpairs there are: fewer than were asked for if all others are 0 to rounding.
   *lambda: theirs, the largest first (borrowed). Not collective. */
int HgPosteriorEigenvalues(HgPosterior posterior, const double **lambda);

/* Standard deviations of each control, before the data (`prior`: the square root of the diagonal of
   R''^-1) and after them (`deviation`: of C), states like m. It takes a second sparse factor on
   each rank. Controls that neither R nor the data depend on have 0. Collective. */
PetscErrorCode HgPosteriorDeviations(HgPosterior posterior, HgState prior, HgState deviation);

/* Standard deviations of the number <g, m> (HgStateDot()), before the data and after them; g like
   m. Collective. Errors: g is not like m, or not finite; it is not 0 at a control that R does not
   depend on. */
PetscErrorCode HgPosteriorFunctional(HgPosterior posterior, HgState g, double *prior,
                                     double *deviation);

/* Samples before the data and after them, states like m, of the same normal numbers xi, which
   depend on (seed, control) only; R'' = U^T D U:
     s = U^-1 D^-1/2 xi,  prior = m - R''^-1 R'(m) + s,
     sample = m + s + sum_k (1 / sqrt(1 + lambda_k) - 1) <v_k, R'' s> v_k
   Source: T. Bui-Thanh et al., above. Collective. */
PetscErrorCode HgPosteriorSample(HgPosterior posterior, uint64_t seed, HgState prior,
                                 HgState sample);

#endif
