/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/boundary.h -- what ghosts outside the domain hold.

   With k = 0, 1, ... the ghost layers counted from the wall, and u_0, u_1, ... the cells inside it:

             value                   tangent               adjoint
     frozen  ghost_k = as in q_0     dghost_k = 0          none
     fixed   ghost_k = value         dghost_k = 0          none
     copy    ghost_k = u_0           dghost_k = du_0       u_0_bar += ghost_k_bar
     mirror  ghost_k = sign u_k      dghost_k = sign du_k  u_k_bar += sign ghost_k_bar
     closed  ghost_k = 0             dghost_k = 0          none

   A program refuses a wall for which nothing is stated.

   A closed side is for variables on faces: the face on the wall is 0, too.

   q_0 is the initial state. The owner of a frozen ghost is the rank whose patch lies beside it; in
   a corner outside two walls, the rank of the corner patch. The owner's value counts: a program
   copies it to the other ranks along walls, as far as ghosts reach beyond seams and periodic edges.

   Ghosts are filled in this order: west and east on rows of the domain; south and north on all
   columns, with the ghost columns outside; below and above on all columns and rows. So a corner
   outside two walls has the same value on every decomposition. The adjoint runs in the opposite
   order. Nothing communicates: an exchange must fill the interior ghosts before. */
#ifndef HALOGRAD_BOUNDARY_H
#define HALOGRAD_BOUNDARY_H

#include <halograd/location.h>
#include <halograd/mesh.h>
#include <halograd/mode.h>

/* The same kind and value on every side. */
HgBoundary HgBoundaryAll(HgSideKind kind, double value);

#endif
