/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/boundary_library.h -- what other rooms of the library need of boundary.h. */
#ifndef HG_BOUNDARY_LIBRARY_H
#define HG_BOUNDARY_LIBRARY_H

#include <halograd/boundary.h>
#include <halograd/real.h>

/* Levels [first, end) of a field's rows (mesh.h). Beside them are walls or, if the mesh is periodic
   in z, the levels of the other end. */
typedef struct {
  int first, end;
  ptrdiff_t pitch;   /* numbers between two levels */
  bool flat;         /* only one level: a mesh without levels, or a surface */
  bool below, above; /* walls */
  bool round;
} HgLevels;

HgLevels HgLevelsOf(HgMesh mesh, bool surface);

/* The faces on closed walls that have the index of a cell of the patch or its ghosts (patch-local);
   HG_NOWHERE: none. `column` is that of x faces and corners at a closed eastern wall, `row` that of
   y faces and corners at a closed northern wall, `level` that of z faces and edges at a closed wall
   above. (Faces on the opposite walls are ghosts of index -1.) */
enum { HG_NOWHERE = -(1 << 30) };

typedef struct {
  int column, row, level;
} HgClosedFaces;

/* Part of a patch: cells [i0, i1) x [j0, j1); the marked sides are walls. West and east are filled
   on rows [j0, j1); south and north on columns [i0, i1) and `layers` more at marked sides; below
   and above on all of these. */
typedef struct {
  int i0, i1, j0, j1;
  bool west, east, south, north;
  HgLevels levels;
} HgWindow;

/* The sides as text, such as "west fixed 3, east copy, south ...". */
void HgBoundaryText(HgMesh mesh, const HgBoundary *boundary, bool surface, size_t size,
                    char text[]);

/* Whether both boundaries are the same on all sides. */
bool HgBoundarySame(const HgBoundary *a, const HgBoundary *b);

/* The boundary of a tangent: 0 where values are frozen or fixed. */
HgBoundary HgBoundaryOfTangent(const HgBoundary *boundary);

/* Whether a cotangent flows back from outside the domain: there is a copy or a mirror at a wall. */
bool HgBoundaryReflects(HgMesh mesh, const HgBoundary *boundary);

/* Whether there is a frozen side at a wall of the mesh. */
bool HgBoundaryFreezes(HgMesh mesh, const HgBoundary *boundary);

/* Whether there is a closed side at a wall of the mesh: what a program writes on its faces is 0. */
bool HgBoundaryCloses(HgMesh mesh, const HgBoundary *boundary);

/* sides: the walls of the mesh for which nothing is stated, as "west, east"; "": none. */
enum { HG_SIDES_SIZE = 48 };

void HgBoundaryUnstated(HgMesh mesh, const HgBoundary *boundary, bool surface,
                        char sides[HG_SIDES_SIZE]);

/* Value or tangent: fills `depth` layers of rows u[j][i] outside walls. Cotangent: adds what is
   there to the cells that it came from, in a fixed order, and zeroes it. Not collective; cannot
   fail (HgBoundaryCheck() checks). */
void HgBoundaryApply(HgMesh mesh, const HgBoundary *boundary, bool surface, HgMode mode, int depth,
                     HgReal *const *u);

/* Fills `depth` ghost levels of a mesh that is periodic in z from the other end. */
void HgLevelsWrap(const HgLevels *levels, int depth, int i0, int i1, int j0, int j1,
                  HgReal *const *u);

/* Copies the ghosts of frozen sides from u to u_next, also `depth` beyond the patch's seams: they
   never change. */
void HgBoundaryKeepFrozen(HgMesh mesh, const HgBoundary *boundary, bool surface, int depth,
                          const HgReal *const *u, HgReal *const *u_next);

HgClosedFaces HgBoundaryClosedFaces(HgMesh mesh, const HgBoundary *boundary, HgLocation location);

/* u = M u: sets closed faces in [i0, i1) x [j0, j1) to 0, also on `ghosts` levels beyond periodic
   ends. The mask M is its own tangent and its own transpose. */
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

/* Error: a side is closed where a variable of that location has no face. Collective. */
PetscErrorCode HgBoundaryCheckClosed(HgMesh mesh, const HgBoundary *boundary, HgLocation location,
                                     const char name[]);

#endif
