/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/exchange_library.h -- the linear map that fills ghosts from their owners.

   One plan serves state, tangent and adjoint. Each exchange sends ONE message to every neighbouring
   rank, for all fields, sides and corners (Isend, Irecv, Waitall); a patch that is its own
   neighbour across a periodic axis copies. It does not change ghosts outside walls; these belong to
   the boundary (boundary.h).

   Adjoint. In gather form (kernel.h) the reverse sweep calls the SAME exchange on y_bar. For loops
   of your own that scatter into ghosts, HgExchangeTransposed() adds every ghost to its owner and
   zeroes it. */
#ifndef HG_EXCHANGE_LIBRARY_H
#define HG_EXCHANGE_LIBRARY_H

#include <halograd/mesh.h>
#include <halograd/real.h>

typedef struct HgExchange_s *HgExchange;

/* Creates a plan for `count` fields; field k gets depth[k] >= 1 ghost layers, with corners. It
   sends all levels of a field; fields with surface[k] have one (NULL: none has). It does not fill
   ghosts of levels, except outside frozen walls (below). Allocates all buffers. Collective. Errors:
   depth beyond the mesh's ghost width; a patch thinner than a depth (names the patch and axis). */
PetscErrorCode HgExchangeCreate(HgMesh mesh, int count, const bool surface[], const int depth[],
                                HgExchange *exchange);

/* The same, but layers[k] >= 0 layers of field k outside walls count as cells of the patch beside
   them: its neighbours along the wall get them, across seams and periodic edges. Corners outside
   two walls belong to the corner patch. Error: more layers than the mesh has ghosts. */
PetscErrorCode HgExchangeCreateWithWalls(HgMesh mesh, int count, const bool surface[],
                                         const int depth[], const int layers[],
                                         HgExchange *exchange);
PetscErrorCode HgExchangeDestroy(HgExchange *exchange);

/* Starts to fill the ghosts of fields[k][j][i]. Until End, owned cells may be read and must not be
   written. Collective. */
PetscErrorCode HgExchangeBegin(HgExchange exchange, HgReal *const *const fields[]);

/* Completes what Begin started with the same fields. Collective. */
PetscErrorCode HgExchangeEnd(HgExchange exchange, HgReal *const *const fields[]);

/* Begin and End. */
PetscErrorCode HgExchangeApply(HgExchange exchange, HgReal *const *const fields[]);

/* E^T: owner += each of its ghost copies, in the order of the sending patches, then ghosts = 0. The
   order is fixed for a given decomposition; the rounding of a corner's sum may differ between
   decompositions. Collective. */
PetscErrorCode HgExchangeTransposed(HgExchange exchange, HgReal *const *const fields[]);

/* Messages and bytes that this rank sends per Apply. */
void HgExchangeTraffic(HgExchange exchange, int *messages, size_t *bytes);

#endif
