/* halograd/primitive.h -- exchange, strips and boundaries as operators, for checks and for programs
   of one's own. */
#ifndef HALOGRAD_PRIMITIVE_H
#define HALOGRAD_PRIMITIVE_H

#include <halograd/boundary.h>
#include <halograd/data_exchange.h>
#include <halograd/operator.h>

/* u (owned cells) -> u with `depth` ghosts filled (HG_GHOSTED; ghosts outside walls 0). Adjoint:
   the transposed exchange. Collective. */
PetscErrorCode HgPrimitiveExchange(HgMesh mesh, int depth, HgOperator *op);

#endif
