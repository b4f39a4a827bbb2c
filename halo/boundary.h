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
   ghost columns outside included: so a corner outside both walls is defined the same way on every
   decomposition. The adjoint runs in the opposite order. Everything is local: the interior ghosts
   must be valid before (exchange.h). */
#ifndef HALOGRAD_BOUNDARY_H
#define HALOGRAD_BOUNDARY_H

#include <halograd/location.h>
#include <halograd/mesh.h>
#include <halograd/mode.h>
#include <halograd/side.h>

/* The same side all round. */
HgBoundary HgBoundaryAll(HgSideKind kind, double value);

/* Is the same kept outside all sides? */
bool HgBoundarySame(const HgBoundary *a, const HgBoundary *b);

/* What a tangent is outside walls, as a boundary of its own: 0 where values are frozen or fixed. */
HgBoundary HgBoundaryOfTangent(const HgBoundary *boundary);

/* Does any cotangent flow back from outside the domain: is there a copy or a mirror at a wall of
   the mesh? */
bool HgBoundaryReflects(HgMesh mesh, const HgBoundary *boundary);

/* Does anything stay frozen outside the domain: is there such a side at a wall of the mesh? */
bool HgBoundaryFreezes(HgMesh mesh, const HgBoundary *boundary);

/* sides: the walls of the mesh of which nothing is stated, as "west, east"; "": none. */
void HgBoundaryUnstated(HgMesh mesh, const HgBoundary *boundary, char sides[32]);

/* Fills `depth` layers outside the walls of rows u[j][i]. Not collective, cannot fail (contracts:
   HgBoundaryCheck). */
void HgBoundaryApply(HgMesh mesh, const HgBoundary *boundary, int depth, double *const *u);

/* The same for a tangent. */
void HgBoundaryTangent(HgMesh mesh, const HgBoundary *boundary, int depth, double *const *du);

/* Hands the cotangent of `depth` layers outside the walls to the cells they came from, in a fixed
   order, and zeroes them. */
void HgBoundaryAdjoint(HgMesh mesh, const HgBoundary *boundary, int depth, double *const *u_bar);

/* Copies the frozen sides' ghosts of u to u_next, `depth` beyond the patch's seams as well: they
   keep their values for ever. */
void HgBoundaryKeepFrozen(HgMesh mesh, const HgBoundary *boundary, int depth,
                          const double *const *u, double *const *u_next);

/* The faces on closed walls that are cells of the patch or of its ghosts: column i = column of x
   faces and corners at a closed eastern wall, row j = row of y faces and corners at a closed
   northern one, patch-local; HG_NOWHERE: none. (Those on western and southern walls are ghosts of
   index -1.) */
enum { HG_NOWHERE = -(1 << 30) };

typedef struct {
  int column, row;
} HgClosedFaces;

HgClosedFaces HgBoundaryClosedFaces(HgMesh mesh, const HgBoundary *boundary, HgLocation location);

/* u = M u: 0 on those closed faces that are among the cells [i0, i1) x [j0, j1). The mask M is its
   own tangent and its own transpose. */
void HgClosedFacesMask(HgClosedFaces closed, int i0, int i1, int j0, int j1, double *const *u);

/* The same for part of a patch at a time, as an engine that works row by row needs it: cells [i0,
   i1) x [j0, j1), of which those sides that are marked lie at walls. West and east are filled on
   rows [j0, j1); south and north on columns [i0, i1) and, at marked sides, `layers` beyond. */
typedef struct {
  int i0, i1, j0, j1;
  bool west, east, south, north;
} HgWindow;

/* All cells of the patch, and `along` ghosts beside its seams. */
HgWindow HgWindowOfPatch(HgMesh mesh, int along);
void HgBoundaryFill(const HgBoundary *boundary, HgMode mode, int layers, const HgWindow *window,
                    double *const *u);
void HgBoundaryKeep(const HgBoundary *boundary, int layers, const HgWindow *window,
                    const double *const *u, double *const *u_next);

/* Errors: a side is not stated, sign not +1 or -1, value not finite, a patch at a wall thinner than a mirror is deep.
   Collective. */
PetscErrorCode HgBoundaryCheck(HgMesh mesh, const HgBoundary *boundary, int depth,
                               const char name[]);

/* Errors: a side is closed on which a variable of that location has no face. Collective. */
PetscErrorCode HgBoundaryCheckClosed(HgMesh mesh, const HgBoundary *boundary, HgLocation location,
                                     const char name[]);

#endif
