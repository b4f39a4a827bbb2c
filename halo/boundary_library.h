/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/boundary_library.h -- what other rooms of the library need of boundary.h. */
#ifndef HG_BOUNDARY_LIBRARY_H
#define HG_BOUNDARY_LIBRARY_H

#include <halograd/boundary.h>
#include <halograd/real.h>

/* Levels [first, end) of a field's rows (mesh.h), and what lies beside them: walls, or, where the
   mesh is periodic in z, each other. */
typedef struct {
  int first, end;
  ptrdiff_t pitch;   /* numbers from one to the next */
  bool flat;         /* the only one: without levels, or of a surface */
  bool below, above; /* walls */
  bool round;
} HgLevels;

HgLevels HgLevelsOf(HgMesh mesh, bool surface);

/* The faces on closed walls that are cells of the patch or of its ghosts: column i = column of x
   faces and corners at a closed eastern wall, row j = row of y faces and corners at a closed
   northern one, patch-local, level k of z faces and edges at a closed wall above; HG_NOWHERE: none.
   (Those on the opposite walls are ghosts of index -1.) */
enum { HG_NOWHERE = -(1 << 30) };

typedef struct {
  int column, row, level;
} HgClosedFaces;

/* Part of a patch, as an engine that works row by row needs it: cells [i0, i1) x [j0, j1), of which
   those sides that are marked lie at walls. West and east are filled on rows [j0, j1); south and
   north on columns [i0, i1) and, at marked sides, `layers` beyond; below and above on all of
   these. */
typedef struct {
  int i0, i1, j0, j1;
  bool west, east, south, north;
  HgLevels levels;
} HgWindow;

/* What a view says of the sides of a mesh, such as "west fixed 3, east copy, south ...". */
void HgBoundaryText(HgMesh mesh, const HgBoundary *boundary, bool surface, size_t size,
                    char text[]);

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
enum { HG_SIDES_SIZE = 48 };

void HgBoundaryUnstated(HgMesh mesh, const HgBoundary *boundary, bool surface,
                        char sides[HG_SIDES_SIZE]);

/* Fills `depth` layers outside the walls of rows u[j][i] of a value or a tangent. Of a cotangent:
   hands what lies there to the cells that it came from, in a fixed order, and zeroes it. Not
   collective, cannot fail (contracts: HgBoundaryCheck). */
void HgBoundaryApply(HgMesh mesh, const HgBoundary *boundary, bool surface, HgMode mode, int depth,
                     HgReal *const *u);

/* Ghosts of levels are those of the other end, `depth` of them: what an exchange would do. */
void HgLevelsWrap(const HgLevels *levels, int depth, int i0, int i1, int j0, int j1,
                  HgReal *const *u);

/* Copies the frozen sides' ghosts of u to u_next, `depth` beyond the patch's seams as well: they
   keep their values for ever. */
void HgBoundaryKeepFrozen(HgMesh mesh, const HgBoundary *boundary, bool surface, int depth,
                          const HgReal *const *u, HgReal *const *u_next);

HgClosedFaces HgBoundaryClosedFaces(HgMesh mesh, const HgBoundary *boundary, HgLocation location);

/* u = M u: 0 on those closed faces that are among the cells [i0, i1) x [j0, j1), and on `ghosts`
   levels beyond those that go round. The mask M is its own tangent and its own transpose. */
void HgClosedFacesMask(HgClosedFaces closed, const HgLevels *levels, int ghosts, int i0, int i1,
                       int j0, int j1, HgReal *const *u);

/* All cells of the patch, and `along` ghosts beside its seams. */
HgWindow HgWindowOfPatch(HgMesh mesh, bool surface, int along);
void HgBoundaryFill(const HgBoundary *boundary, HgMode mode, int layers, const HgWindow *window,
                    HgReal *const *u);
void HgBoundaryKeep(const HgBoundary *boundary, int layers, const HgWindow *window,
                    const HgReal *const *u, HgReal *const *u_next);

/* Errors: a side is not stated, sign not +1 or -1, value not finite, a patch at a wall thinner than
   a mirror is deep. Collective. */
PetscErrorCode HgBoundaryCheck(HgMesh mesh, const HgBoundary *boundary, bool surface, int depth,
                               const char name[]);

/* Errors: a side is closed on which a variable of that location has no face. Collective. */
PetscErrorCode HgBoundaryCheckClosed(HgMesh mesh, const HgBoundary *boundary, HgLocation location,
                                     const char name[]);

#endif
