/* halograd/primitive_library.h -- exchange, strips and boundaries as operators, for checks and for programs
   of one's own. */
#ifndef HG_PRIMITIVE_LIBRARY_H
#define HG_PRIMITIVE_LIBRARY_H

#include <halograd/boundary.h>
#include <halograd/data_exchange.h>
#include <halograd/operator.h>

/* u (owned cells) -> u with `depth` ghosts filled (HG_GHOSTED; ghosts outside walls 0). Adjoint:
   the transposed exchange. Collective. */
PetscErrorCode HgPrimitiveExchange(HgMesh mesh, int depth, HgOperator *op);

/* u with interior ghosts (HG_GHOSTED) -> the same with `depth` layers outside the walls filled;
   those of frozen sides hold 0. Collective. */
PetscErrorCode HgPrimitiveBoundary(HgMesh mesh, HgBoundary boundary, int depth, HgOperator *op);

/* (left, right, up, down) -> what the neighbours sent: HG_LOCAL arrays of the patch's own widths.
   Adjoint = tangent = apply. Collective. */
PetscErrorCode HgPrimitiveDataExchange(HgMesh mesh, HgOperator *op);

#endif
