/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/exchange_library.h -- the linear map that fills ghosts from their owners.

   One plan serves state, tangent and adjoint. Each exchange sends ONE message to every neighbouring
   rank, whatever the number of fields, sides and corners it stands for (Isend, Irecv, Waitall); a
   patch that is its own neighbour across a periodic axis copies. Ghosts outside a wall are not
   touched: they belong to the boundary (boundary.h).

   Adjoint. In gather form (kernel.h) the reverse sweep calls the SAME exchange on y_bar. For
   hand-made loops that scatter into ghosts, HgExchangeTransposed() adds every ghost to its owner
   and zeroes it; both are checked against each other. */
#ifndef HG_EXCHANGE_LIBRARY_H
#define HG_EXCHANGE_LIBRARY_H

#include <halograd/mesh.h>
#include <halograd/real.h>

typedef struct HgExchange_s *HgExchange;

/* A plan for `count` fields of which field k gets depth[k] >= 1 ghost layers, corners included. All
   levels of a field travel; fields with surface[k] have one (NULL: none has). Ghosts of levels are
   not filled, but those outside frozen walls (below). All buffers are allocated here. Collective.
   Errors: depth beyond the mesh's ghost width; a patch thinner than a depth (names the patch and
   axis). */
PetscErrorCode HgExchangeCreate(HgMesh mesh, int count, const bool surface[], const int depth[],
                                HgExchange *exchange);

/* The same, but what field k holds outside a wall beside a patch, layers[k] >= 0 deep, counts as
   that patch's own: its neighbours along the wall get it like any cell, across seams and periodic
   edges. Corners outside two walls are the corner patch's. Error: more layers than the mesh has
   ghosts. */
PetscErrorCode HgExchangeCreateWithWalls(HgMesh mesh, int count, const bool surface[],
                                         const int depth[], const int layers[],
                                         HgExchange *exchange);
PetscErrorCode HgExchangeDestroy(HgExchange *exchange);

/* Starts to fill the ghosts of fields[k][j][i]; owned cells may be read, not written, until End.
   Collective. */
PetscErrorCode HgExchangeBegin(HgExchange exchange, HgReal *const *const fields[]);

/* Completes what Begin started with the same fields. Collective. */
PetscErrorCode HgExchangeEnd(HgExchange exchange, HgReal *const *const fields[]);

/* Begin and End. */
PetscErrorCode HgExchangeApply(HgExchange exchange, HgReal *const *const fields[]);

/* E^T: owner += each of its ghost copies in the order of the sending patch's position (fixed for a
   given decomposition; the rounding of a corner's sum may differ between decompositions), ghosts =
   0. Collective. */
PetscErrorCode HgExchangeTransposed(HgExchange exchange, HgReal *const *const fields[]);

/* Messages sent and bytes sent per Apply by this rank. */
void HgExchangeTraffic(HgExchange exchange, int *messages, size_t *bytes);

#endif
