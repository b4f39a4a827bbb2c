/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/mesh_library.h -- what other rooms of the library need of mesh.h. */
#ifndef HG_MESH_LIBRARY_H
#define HG_MESH_LIBRARY_H

#include <halograd/error.h>
#include <halograd/mesh.h>

/* Adds an owner; every Reference needs its Destroy. Not collective. */
PetscErrorCode HgMeshReference(HgMesh mesh);

/* Does the mesh give its states as many ghosts as they need: was its spec's `ghost` 0? */
bool HgMeshHasAutomaticGhosts(HgMesh mesh);

/* States made from now on have at least `ghost` ghost cells around a patch. Collective. Error: the
   spec says how many there are, and these are fewer. */
PetscErrorCode HgMeshRequireGhosts(HgMesh mesh, int ghost);

/* They have so many, while plans are compared. Only where HgMeshHasAutomaticGhosts(). */
void HgMeshSetGhosts(HgMesh mesh, int ghost);

/* How many levels a field has: nz, or 1 on a mesh without levels. */
int HgMeshLevels(HgMesh mesh);

/* "(i, j)", on a mesh with levels "(i, j, level)". */
void HgMeshCellText(HgMesh mesh, const int at[3], char text[40]);

/* Ghost levels below and above that states made from now on have at least: as deep as a kernel
   reads. Not collective. */
void HgMeshRequireLevels(HgMesh mesh, int deep);

/* Those that states have now; 0 without levels. */
int HgMeshGhostLevels(HgMesh mesh);

/* Numbers before column 0 of a level's row, as pitches need; without levels 0. */
int HgMeshMargin(HgMesh mesh);

/* The patch of `rank`, computed on the spot from the split. */
HgPatch HgMeshPatchOf(HgMesh mesh, int rank);

/* The rank that owns the patch (sx, sy) steps away from the caller's, sx, sy in {-1, 0, 1}; itself
   where a periodic axis has one patch; -1 beyond a wall. */
int HgMeshNeighbour(HgMesh mesh, int sx, int sy);

/* A message tag of its own for every plan on this mesh; the same on all ranks if all ask in the
   same order. */
int HgMeshNewTag(HgMesh mesh);

/* Widths of the narrowest patch of the whole mesh along x and y (cells). */
void HgMeshThinnest(HgMesh mesh, int *nx, int *ny);

/* Prints one line: grid, patches, ghost width, spacing. Collective. */
PetscErrorCode HgMeshView(HgMesh mesh, PetscViewer viewer);

/* Groups of ranks that work side by side, each in a communicator of its own, and
   what they say: once what they all say. */

/* `comm`, and what is duplicated from it from now on, such as a mesh's, is that of group number
   `group`. Not collective. */
PetscErrorCode HgCommSetGroup(MPI_Comm comm, int group);

/* The number of the group, 0 if none was set. Not collective. */
int HgCommGroup(MPI_Comm comm);

/* Prints `text` of rank 0 to stdout, of group 0 at once; of other groups it is kept, up to 32
   texts, until HgCommSayOthers(). No communication. */
PetscErrorCode HgCommSay(MPI_Comm comm, const char text[]);

/* Prints what other groups have kept and no rank below them has said: of equal groups nothing.
   Called by the maker of the groups, at their end. Collective on `all`, the ranks of all groups. */
PetscErrorCode HgCommSayOthers(MPI_Comm all);

#endif
