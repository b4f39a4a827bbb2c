/* What kinds of controls share; for adjoint/objective/regularisation*.c only. */
#ifndef HALOGRAD_REGULARISATION_PRIVATE_H
#define HALOGRAD_REGULARISATION_PRIVATE_H

#include <halograd/regularisation.h>

/* R of the array `index` of controls like `m`, weights checked. Collective. */
PetscErrorCode HgRegularisationCreateArray(HgState m, int index, const HgRegularisation *weights,
                                           HgOperator *op);

#endif
