/* halograd/collective_operator_library.h -- what other rooms of the library need of collective_operator.h. */
#ifndef HG_COLLECTIVE_OPERATOR_LIBRARY_H
#define HG_COLLECTIVE_OPERATOR_LIBRARY_H

#include <halograd/collective_operator.h>

/* y = x, and no rank goes on before all have come, forwards and backwards. Collective. */
PetscErrorCode HgBarrierOperator(HgState x, HgOperator *op);

#endif
