/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/boundary.h -- what a ghost outside the domain holds.

   With k = 0, 1, ... the ghost layer counted from the wall and u_0, u_1, ... the cells inside it:

             value                   tangent               adjoint
     frozen  ghost_k = what q_0 has  dghost_k = 0          none
     fixed   ghost_k = value         dghost_k = 0          none
     copy    ghost_k = u_0           dghost_k = du_0       u_0_bar += ghost_k_bar
     mirror  ghost_k = sign u_k      dghost_k = sign du_k  u_k_bar += sign ghost_k_bar
     closed  ghost_k = 0             dghost_k = 0          none

   A side of which nothing is stated is refused (HgBoundaryCheck()).

   Closed is a side of faces: the face on the wall is 0, too (HgBoundaryClosedFaces()).

   q_0 is the initial state. A frozen ghost has an owner, the rank whose patch lies beside it (in a
   corner outside two walls the corner patch), and what the owner puts there counts: a program
   copies it to the other ranks along walls, as far as ghosts reach beyond seams and periodic edges.

   West and east are filled first, on rows of the domain; then south and north, on all columns,
   ghost columns outside included; then below and above, on all columns and rows: so a corner
   outside two walls is defined the same way on every decomposition. The adjoint runs in the
   opposite order. Everything is local: the interior ghosts must be valid before (exchange.h). */
#ifndef HALOGRAD_BOUNDARY_H
#define HALOGRAD_BOUNDARY_H

#include <halograd/location.h>
#include <halograd/mesh.h>
#include <halograd/mode.h>

/* The same side all round. */
HgBoundary HgBoundaryAll(HgSideKind kind, double value);

#endif
