/* SPDX-License-Identifier: BSD-2-Clause */
/* What parametrisations share; for adjoint/control/parametrisation*.c only. */
#ifndef HALOGRAD_PARAMETRISATION_PRIVATE_H
#define HALOGRAD_PARAMETRISATION_PRIVATE_H

#include <halograd/parametrisation.h>

/* An operator from one control variable to one field; `self` is freed by table->destroy.
   Collective. */
PetscErrorCode HgParametrisationCreate(HgMesh mesh, const char name[], const HgVariable *control,
                                       const HgVariable *field, const HgOperatorTable *table,
                                       void *self, HgOperator *op);

/* Error: the mesh has levels, of which the parametrisation `name` of a field knows none. */
PetscErrorCode HgParametrisationFlat(HgMesh mesh, const char name[], const char field[]);

#endif
