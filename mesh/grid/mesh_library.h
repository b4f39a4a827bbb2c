/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/mesh_library.h -- what other rooms of the library need of mesh.h. */
#ifndef HG_MESH_LIBRARY_H
#define HG_MESH_LIBRARY_H

#include <halograd/error.h>
#include <halograd/mesh.h>

/* Adds an owner; each Reference needs a Destroy. Not collective. */
PetscErrorCode HgMeshReference(HgMesh mesh);

/* Whether the mesh chooses the width of its ghosts: `ghost` of its spec was 0. */
bool HgMeshHasAutomaticGhosts(HgMesh mesh);

/* Gives states that are created from now on at least `ghost` ghost cells around a patch.
   Collective. Error: the spec sets the width, and it is smaller. */
PetscErrorCode HgMeshRequireGhosts(HgMesh mesh, int ghost);

/* Sets the number of ghosts while plans are compared; only for HgMeshHasAutomaticGhosts(). */
void HgMeshSetGhosts(HgMesh mesh, int ghost);

/* How many levels a field has: nz, or 1 on a mesh without levels. */
int HgMeshLevels(HgMesh mesh);

/* text = "(i, j)", with levels "(i, j, level)". */
void HgMeshCellText(HgMesh mesh, const int at[3], char text[40]);

/* Gives states that are created from now on at least `deep` ghost levels below and above, as deep
   as a kernel reads. Not collective. */
void HgMeshRequireLevels(HgMesh mesh, int deep);

/* Their number now; 0 without levels. */
int HgMeshGhostLevels(HgMesh mesh);

/* Numbers before column 0 in a row of a level, as pitches need; 0 without levels. */
int HgMeshMargin(HgMesh mesh);

/* The patch of `rank`, computed from the split. */
HgPatch HgMeshPatchOf(HgMesh mesh, int rank);

/* The rank that owns the patch (sx, sy) steps away from the caller's, sx, sy in {-1, 0, 1}; the
   caller if a periodic axis has only one patch; -1 beyond a wall. */
int HgMeshNeighbour(HgMesh mesh, int sx, int sy);

/* A new message tag for a plan on this mesh; the same on all ranks if all ask in the same order. */
int HgMeshNewTag(HgMesh mesh);

/* *nx, *ny: the smallest widths of a patch of the mesh along x and y [cells]. */
void HgMeshThinnest(HgMesh mesh, int *nx, int *ny);

/* Prints one line: grid, patches, ghost width, spacing. Collective. */
PetscErrorCode HgMeshView(HgMesh mesh, PetscViewer viewer);

/* Output of groups of ranks that work side by side, each in its own communicator: what all print is
   printed once. */

/* Makes `comm`, and what is duplicated from it later, such as a mesh's communicator, that of group
   `group`. Not collective. */
PetscErrorCode HgCommSetGroup(MPI_Comm comm, int group);

/* The number of the group; 0 if none was set. Not collective. */
int HgCommGroup(MPI_Comm comm);

/* Prints `text` of rank 0 to stdout: at once in group 0. Other groups keep it, up to 32 texts,
   until HgCommSayOthers(). No communication. */
PetscErrorCode HgCommSay(MPI_Comm comm, const char text[]);

/* Prints the texts that other groups have kept and no lower rank has printed: of equal groups
   nothing. Called by the maker of the groups at their end. Collective on `all`, the ranks of all
   groups. */
PetscErrorCode HgCommSayOthers(MPI_Comm all);

#endif
