/* SPDX-License-Identifier: BSD-2-Clause */
/* What is sought: the surface in a box of cells, or the slip on subfaults; how it lifts the sea,
   and what is known of it in advance. For tohoku_inverse. */
#ifndef EXACT_SOURCE_H
#define EXACT_SOURCE_H
#include "exact_box.h"
#include "tohoku_slip.h"

/* One of them, and its moments: of a surface the volume, and that times east and north [km^3,
   degrees km^3]; of slip the seismic moment at 40 GPa [10^22 N m]. */
enum { EXACT_TOTAL, EXACT_EAST, EXACT_NORTH, EXACT_FUNCTIONALS };

typedef struct {
  const TohokuSea *sea;
  const TohokuSource *surface;
  const TohokuSlip *slip; /* NULL: the surface is sought */
  ExactBox box;           /* its cells, also if slip is sought */
  int count;              /* of the unknowns */
  double *functional;     /* [EXACT_FUNCTIONALS * count] what 1 m of each adds */
} ExactSource;

/* The precision of the prior, P = h1 L + tikhonov diag(a A) of a surface (exact_box.h), tikhonov I
   of slip, and the factor by which readings are worse than their sigmas. */
typedef struct {
  double h1, tikhonov, noise;
} ExactPrior;

/* Slip if slip->sought. Both are borrowed. Collective. */
PetscErrorCode ExactSourceCreate(const TohokuSea *sea, const TohokuSource *surface,
                                 const TohokuSlip *slip, ExactSource *source);
PetscErrorCode ExactSourceDestroy(ExactSource *source);

/* row[] += weight <lambda, what 1 m of each unknown lifts>; summed over the ranks it has the same
   bits on any decomposition. Collective. */
PetscErrorCode ExactSourceProject(const ExactSource *source, HgState lambda, double weight,
                                  double row[]);

/* Error: P is singular. Collective. */
PetscErrorCode ExactSourceRequireProper(const ExactSource *source, const ExactPrior *prior);

/* *factor: Cholesky's of P; x = P^-1 b. Not collective. */
PetscErrorCode ExactSourceFactor(const ExactSource *source, const ExactPrior *prior, Mat *factor);
PetscErrorCode ExactSourceSolve(const ExactSource *source, Mat factor, const double b[],
                                double x[]);

/* parts[] = what h1 and tikhonov add to J at m. Not collective. */
void ExactSourceEnergy(const ExactSource *source, const ExactPrior *prior, const double m[],
                       double parts[2]);

/* *state, made here: "eta" [m], the surface that m lifts; and its standard deviation, m having the
   covariance C - X^T X, X[rows * count], C that of the prior, its diagonal `before`. Collective. */
PetscErrorCode ExactSourceSurface(const ExactSource *source, const double m[], HgState *state);
PetscErrorCode ExactSourceDeviation(const ExactSource *source, int rows, const double X[],
                                    const double before[], HgState *state);

#endif
