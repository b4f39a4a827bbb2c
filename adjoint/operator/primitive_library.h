/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/primitive_library.h -- the exchange as an operator, for checks. */
#ifndef HG_PRIMITIVE_LIBRARY_H
#define HG_PRIMITIVE_LIBRARY_H

#include <halograd/operator.h>

/* u (owned cells) -> u with `depth` ghosts filled (HG_GHOSTED; ghosts outside walls 0). Adjoint:
   the transposed exchange. Collective. */
PetscErrorCode HgPrimitiveExchange(HgMesh mesh, int depth, HgOperator *op);

#endif
