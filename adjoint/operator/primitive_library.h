/* halograd/primitive_library.h -- what other rooms of the library need of primitive.h. */
#ifndef HG_PRIMITIVE_LIBRARY_H
#define HG_PRIMITIVE_LIBRARY_H

#include <halograd/primitive.h>

/* u with interior ghosts (HG_GHOSTED) -> the same with `depth` layers outside the walls filled;
   those of frozen sides hold 0. Collective. */
PetscErrorCode HgPrimitiveBoundary(HgMesh mesh, HgBoundary boundary, int depth, HgOperator *op);

/* (left, right, up, down) -> what the neighbours sent: HG_LOCAL arrays of the patch's own widths.
   Adjoint = tangent = apply. Collective. */
PetscErrorCode HgPrimitiveDataExchange(HgMesh mesh, HgOperator *op);

#endif
