/* SPDX-License-Identifier: BSD-2-Clause */
/* The unknown: the surface in a box of cells, or the slip on subfaults; its uplift and its prior.
   For tohoku_inverse. */
#ifndef EXACT_SOURCE_H
#define EXACT_SOURCE_H
#include "exact_box.h"
#include "tohoku_slip.h"

/* Functionals: of a surface its volume, and volume times east and north [km^3, degrees km^3]; of
   slip the seismic moment at 40 GPa [10^22 N m]. */
enum { EXACT_TOTAL, EXACT_EAST, EXACT_NORTH, EXACT_FUNCTIONALS };

typedef struct {
  const TohokuSea *sea;
  const TohokuSource *surface;
  const TohokuSlip *slip; /* NULL: the surface is the unknown */
  ExactBox box;           /* its cells, also for slip */
  int count;              /* of the unknowns */
  double *functional;     /* [EXACT_FUNCTIONALS * count] per 1 m of each unknown */
} ExactSource;

/* The precision of the prior, P = h1 L + tikhonov diag(a A) for a surface (exact_box.h), tikhonov I
   for slip; and the factor by which the noise exceeds the sigmas. */
typedef struct {
  double h1, tikhonov, noise;
} ExactPrior;

/* The unknown is slip if slip->sought. Borrows both. Collective. */
PetscErrorCode ExactSourceCreate(const TohokuSea *sea, const TohokuSource *surface,
                                 const TohokuSlip *slip, ExactSource *source);
PetscErrorCode ExactSourceDestroy(ExactSource *source);

/* row[] += weight <lambda, uplift by 1 m of each unknown>. The sum over ranks has the same bits on
   any decomposition. Collective. */
PetscErrorCode ExactSourceProject(const ExactSource *source, HgState lambda, double weight,
                                  double row[]);

/* Error: P is singular. Collective. */
PetscErrorCode ExactSourceRequireProper(const ExactSource *source, const ExactPrior *prior);

/* *factor: the Cholesky factor of P; x = P^-1 b. Not collective. */
PetscErrorCode ExactSourceFactor(const ExactSource *source, const ExactPrior *prior, Mat *factor);
PetscErrorCode ExactSourceSolve(const ExactSource *source, Mat factor, const double b[],
                                double x[]);

/* parts[] = the terms of h1 and tikhonov in J at m. Not collective. */
void ExactSourceEnergy(const ExactSource *source, const ExactPrior *prior, const double m[],
                       double parts[2]);

/* *state, created here: "eta" [m], the uplift by m; or its standard deviation, if m has the
   covariance C - X^T X, X[rows * count], C that of the prior with the diagonal `before`.
   Collective. */
PetscErrorCode ExactSourceSurface(const ExactSource *source, const double m[], HgState *state);
PetscErrorCode ExactSourceDeviation(const ExactSource *source, int rows, const double X[],
                                    const double before[], HgState *state);

#endif
