/* SPDX-License-Identifier: BSD-2-Clause */
/* The cells where the source may be, with the same numbers on any decomposition, and the precision
   of its prior,
     P = h1 L + tikhonov diag(a A)
   L is the weighted sum over faces between wet cells; cells outside the box count as 0. For
   tohoku_inverse. */
#ifndef EXACT_BOX_H
#define EXACT_BOX_H
#include "tohoku_source.h"
#include <petscmat.h>

enum { EXACT_SIDES = 4 /* east, west, north, south */ };

typedef struct {
  int cells, nx, ny;
  int *number;              /* [ny * nx] of the cell (i, j), at j nx + i; -1: not in the box */
  int *at;                  /* [cells] j nx + i */
  double *area;             /* [cells] A [m^2] */
  double *east, *north;     /* [cells] degrees */
  double *a;                /* [cells] distance from the epicentre, to some power */
  double (*w)[EXACT_SIDES]; /* [cells] weights of the faces, 0 at a coast */
} ExactBox;

/* All ranks have the whole box. Collective. */
PetscErrorCode ExactBoxCreate(const TohokuSea *sea, const TohokuSource *source, ExactBox *box);
PetscErrorCode ExactBoxDestroy(ExactBox *box);

/* The neighbour on that side in the box, -1: none. */
int ExactBoxBeside(const ExactBox *box, int cell, int side);

/* The only field of `state` = value[] in the box, 0 elsewhere. Not collective. */
void ExactBoxSpread(const ExactBox *box, const double value[], HgState state);

/* parts[] = h1/2 m^T L m, tikhonov/2 sum a A m^2. Not collective. */
void ExactBoxEnergy(const ExactBox *box, double h1, double tikhonov, const double m[],
                    double parts[2]);

/* Error: P is singular. An example: H1 alone in water surrounded by coasts. Collective on `comm`,
   with the same box on all ranks. */
PetscErrorCode ExactBoxRequireProper(MPI_Comm comm, const ExactBox *box, double h1,
                                     double tikhonov);

/* Assembles *P on the calling rank. Not collective. */
PetscErrorCode ExactBoxAssemble(const ExactBox *box, double h1, double tikhonov, Mat *P);

#endif
