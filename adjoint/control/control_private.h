/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by parametrisations and regularisations; for adjoint/control only. */
#ifndef HALOGRAD_CONTROL_PRIVATE_H
#define HALOGRAD_CONTROL_PRIVATE_H

#include <halograd/control.h>

/* Creates an operator from one control variable to one field; table->destroy frees `self`.
   Collective. */
PetscErrorCode HgParametrisationCreate(HgMesh mesh, const char name[], const HgVariable *control,
                                       const HgVariable *field, const HgOperatorTable *table,
                                       void *self, HgOperator *op);

/* Error: the mesh has levels, and the parametrisation `name` does not support them. */
PetscErrorCode HgParametrisationFlat(HgMesh mesh, const char name[], const char field[]);

/* Creates R of the array `index` of controls like `m`; the weights have been checked.
   Collective. */
PetscErrorCode HgRegularisationCreateArray(HgState m, int index, const HgRegularisation *weights,
                                           HgOperator *op);

/* Multiplies the weight of such an R by `factor`; false: it is another operator. */
bool HgRegularisationScaleArray(HgOperator op, double factor);

/* Sets weights->alpha = kappa^2 and beta = 1 of A = kappa^2 - laplace in d dimensions, and *tau of
   R = tau/2 |A m|^2, on a grid with the given widest cell and longest side. Collective. Errors: d
   is 0; a length below two cells, or above the longest side. */
PetscErrorCode HgRegularisationMatern(MPI_Comm comm, HgRegularisation *weights, int d,
                                      double widest, double longest, double *tau);

/* Error: the mean is `bad` on some rank. Collective. */
PetscErrorCode HgRegularisationRequireMean(HgMesh mesh, const HgRegularisation *weights, bool bad);

/* The second derivatives of a quadratic J, J'(m) = L (m - m_0), J''(m) dm = L dm:
     dm_bar = J_bar L dm + dJ_bar J'(m),  m_bar = J_bar J'(m) (NULL: not wanted)
   `form` is the argument of `adjoint`, and *direction a part of it: while it is true, m_0 and all
   that is not quadratic count as 0. Collective. */
typedef PetscErrorCode HgQuadraticAdjoint(void *form, HgState m, HgState J_bar, HgState m_bar);
PetscErrorCode HgQuadraticSecond(HgQuadraticAdjoint *adjoint, void *form, bool *direction,
                                 HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                                 HgState m_bar, HgState dm_bar);

#endif
