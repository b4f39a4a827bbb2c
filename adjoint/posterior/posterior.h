/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/posterior.h -- how well the data determine the controls, where J = misfit + R is least.

   R is the negative logarithm of the prior, with the covariance R''^-1. Near the minimum m the
   posterior is a Gaussian around m with the covariance C = (H + R'')^-1, H = misfit''(m). From the
   leading eigenpairs H v = lambda R'' v, <v, R'' v> = 1,

     C = R''^-1 - sum_k lambda_k / (1 + lambda_k) v_k v_k^T

   In a direction with lambda above 1, the data say more than the prior. Bounds of the controls are
   ignored. All sums are exact (sum.h): the same bits on any decomposition. Source: T. Bui-Thanh, O.
   Ghattas, J. Martin & G. Stadler, SIAM J. Sci. Comput. 35 (2013); the eigenpairs by the double
   pass of A. K. Saibaba, J. Lee & P. K. Kitanidis, Numer. Linear Algebra Appl. 23 (2016). */
#ifndef HALOGRAD_POSTERIOR_H
#define HALOGRAD_POSTERIOR_H

#include <halograd/operator.h>

/* A posterior, an owner of its two functionals. */
typedef struct HgPosterior_s *HgPosterior;

/* Bounds and scale of a control [its unit], as for HgInversionSetBounds(). */
typedef struct {
  double lower, upper, scale;
} HgControlRange;

/* Computes the `pairs` eigenpairs at m that change the covariance most; range[k] belongs to
   variable k of m, of which the scale is used. Becomes an owner of both functionals. Takes 2 (pairs
   + 10) products with H, some 10 to 152 with R'' (one for each control if R'' couples cells farther
   than two apart), and a sparse factor of R'' on each rank. Collective. Errors: more pairs than
   controls, or less than 1; R is NULL or not positive definite, as H1 without Tikhonov; no second
   derivatives; H + R'' is not positive definite, as away from a minimum; the data depend on a
   control that R does not depend on. */
PetscErrorCode HgPosteriorCreate(const HgControlRange range[], HgOperator misfit, HgOperator R,
                                 HgState m, int pairs, HgPosterior *posterior);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgPosteriorDestroy(HgPosterior *posterior);

/* Returns the number of eigenpairs: fewer than requested if all others are 0 to rounding. *lambda:
   the eigenvalues, largest first (borrowed). Not collective. */
int HgPosteriorEigenvalues(HgPosterior posterior, const double **lambda);

/* Standard deviations of each control, states like m: `prior` before the data (square root of the
   diagonal of R''^-1) and `deviation` after them (of C). Takes a second sparse factor on each rank.
   Controls on which neither R nor the data depend have 0. Collective. */
PetscErrorCode HgPosteriorDeviations(HgPosterior posterior, HgState prior, HgState deviation);

/* Standard deviations of the number <g, m> (HgStateDot()) before and after the data; g is like m.
   Collective. Errors: g is not like m, or not finite, or not 0 at a control that R does not depend
   on. */
PetscErrorCode HgPosteriorFunctional(HgPosterior posterior, HgState g, double *prior,
                                     double *deviation);

/* A sample of the prior and one of the posterior, states like m, from the same normal numbers xi,
   which depend on (seed, control) only. With R'' = U^T D U:
     s = U^-1 D^-1/2 xi,  prior = m - R''^-1 R'(m) + s,
     sample = m + s + sum_k (1 / sqrt(1 + lambda_k) - 1) <v_k, R'' s> v_k
   Source: T. Bui-Thanh et al., above. Collective. */
PetscErrorCode HgPosteriorSample(HgPosterior posterior, uint64_t seed, HgState prior,
                                 HgState sample);

#endif
