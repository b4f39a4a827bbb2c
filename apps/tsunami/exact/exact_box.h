/* SPDX-License-Identifier: BSD-2-Clause */
/* The cells where the source may be, numbered alike on any decomposition, and the precision of its
   prior,
     P = h1 L + tikhonov diag(a A)
   L the sum over faces between wet cells of their weights, a cell outside the box counting as 0.
   For tohoku_inverse. */
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
  double *a;                /* [cells] how far from the epicentre, to some power */
  double (*w)[EXACT_SIDES]; /* [cells] weights of the faces, 0 at a coast */
} ExactBox;

/* All ranks get all of it. Collective. */
PetscErrorCode ExactBoxCreate(const TohokuSea *sea, const TohokuSource *source, ExactBox *box);
PetscErrorCode ExactBoxDestroy(ExactBox *box);

/* The cell of the box on that side, -1: there is none. */
int ExactBoxBeside(const ExactBox *box, int cell, int side);

/* The only field of `state` becomes value[] in the box and 0 elsewhere. Not collective. */
void ExactBoxSpread(const ExactBox *box, const double value[], HgState state);

/* parts[] = h1/2 m^T L m, tikhonov/2 sum a A m^2. Not collective. */
void ExactBoxEnergy(const ExactBox *box, double h1, double tikhonov, const double m[],
                    double parts[2]);

/* Error: P is singular, as that of H1 alone in water that only coasts surround. Collective on
   `comm`, with the same box on all ranks. */
PetscErrorCode ExactBoxRequireProper(MPI_Comm comm, const ExactBox *box, double h1,
                                     double tikhonov);

/* *P, by one rank for itself. Not collective. */
PetscErrorCode ExactBoxAssemble(const ExactBox *box, double h1, double tikhonov, Mat *P);

#endif
