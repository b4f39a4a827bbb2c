/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/data_exchange.h -- strips to the four neighbours, strips from the four neighbours.

   left_out, right_out go to the west and east neighbour, up_out, down_out to the north and south
   one; what arrives in left_in is what the west neighbour sent right, and so on. Beyond a wall
   nothing arrives: that strip is 0 and what was sent there is dropped. On the strips that have a
   neighbour the map is a symmetric permutation, P = P^T = P^-1: tangent, adjoint and inverse are
   the operator itself. Source: ADCME, "Distributed Scientific Machine Learning using MPI":
   data_exchange. */
#ifndef HALOGRAD_DATA_EXCHANGE_H
#define HALOGRAD_DATA_EXCHANGE_H

#include <halograd/mesh.h>
#include <halograd/real.h>

/* `nx` numbers in each of up, down and `ny` in each of left, right; neighbours along an axis must
   agree on them (checked).
   in and out arrays must not overlap. Collective on the mesh. */
PetscErrorCode data_exchange(HgMesh mesh, int nx, int ny, const HgReal left_out[],
                             const HgReal right_out[], const HgReal up_out[],
                             const HgReal down_out[], HgReal left_in[], HgReal right_in[],
                             HgReal up_in[], HgReal down_in[]);

#endif
