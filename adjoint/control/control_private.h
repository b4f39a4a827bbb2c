/* SPDX-License-Identifier: BSD-2-Clause */
/* What parametrisations share; for adjoint/control/parametrisation*.c only. */
#ifndef HALOGRAD_CONTROL_PRIVATE_H
#define HALOGRAD_CONTROL_PRIVATE_H

#include <halograd/control.h>

/* An operator from one control variable to one field; `self` is freed by table->destroy.
   Collective. */
PetscErrorCode HgParametrisationCreate(HgMesh mesh, const char name[], const HgVariable *control,
                                       const HgVariable *field, const HgOperatorTable *table,
                                       void *self, HgOperator *op);

/* Error: the mesh has levels, of which the parametrisation `name` of a field knows none. */
PetscErrorCode HgParametrisationFlat(HgMesh mesh, const char name[], const char field[]);

/* R of the array `index` of controls like `m`, weights checked. Collective. */
PetscErrorCode HgRegularisationCreateArray(HgState m, int index, const HgRegularisation *weights,
                                           HgOperator *op);

/* Is it one of these? If so, its weight is multiplied by `factor`. */
bool HgRegularisationScaleArray(HgOperator op, double factor);

/* weights->alpha = kappa^2 and beta = 1 of A = kappa^2 - laplace in d dimensions, and *tau of R =
   tau/2 |A m|^2, on a grid whose widest cell and longest side are such. Collective. Errors: a
   length below two cells, or above the longest side. */
PetscErrorCode HgRegularisationMatern(MPI_Comm comm, HgRegularisation *weights, int d,
                                      double widest, double longest, double *tau);

/* Error: the mean is `bad` on some rank. Collective. */
PetscErrorCode HgRegularisationRequireMean(HgMesh mesh, const HgRegularisation *weights, bool bad);

/* The second derivatives of a quadratic J, J'(m) = L (m - m_0), J''(m) dm = L dm:
     dm_bar = J_bar L dm + dJ_bar J'(m),  m_bar = J_bar J'(m), NULL: not wanted.
   `form` is what `adjoint` takes, *direction a part of it: with it m_0, and all that is not
   quadratic, counts as 0. Collective. */
typedef PetscErrorCode HgQuadraticAdjoint(void *form, HgState m, HgState J_bar, HgState m_bar);
PetscErrorCode HgQuadraticSecond(HgQuadraticAdjoint *adjoint, void *form, bool *direction,
                                 HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                                 HgState m_bar, HgState dm_bar);

#endif
