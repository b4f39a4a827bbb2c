/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/exact_vec.h -- a PETSc vector whose bits do not depend on how it is cut.

   PETSc's VecDot and VecNorm add in rank order, and its VecAXPY is BLAS, whose fused multiply-adds
   and remainder loops depend on the local length.
   Here every sum is exact (sum.h) and every update is one multiplication and one addition per
   entry. */
#ifndef HG_EXACT_VEC_LIBRARY_H
#define HG_EXACT_VEC_LIBRARY_H

#include <halograd/sum.h>
#include <petscvec.h>

/* A vector of `local` entries on this rank; duplicates behave likewise. Collective. */
PetscErrorCode HgExactVecCreate(MPI_Comm comm, PetscInt local, Vec *vec);

/* Makes a vector of PETSc one whose bits do not depend on how it is cut. */
PetscErrorCode HgExactVecMake(Vec vec);

/* on: matrices that TAO's methods create are of such vectors until it is off again. Calls nest.
   Before the first: MatInitializePackage() and KSPInitializePackage(). */
PetscErrorCode HgExactMats(bool on);

#endif
