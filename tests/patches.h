/* SPDX-License-Identifier: BSD-2-Clause */
/* Meshes to try something on: every way to cut, periodic or not, unequal patches. */
#ifndef HALOGRAD_TESTS_PATCHES_H
#define HALOGRAD_TESTS_PATCHES_H

#include <halograd/mesh.h>

/* The first `ranks` ranks of the world; MPI_COMM_NULL on the others and where there are not so
   many. */
static inline PetscErrorCode patches_comm(int ranks, MPI_Comm *comm) {
  int rank, size;
  PetscCallMPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_split(MPI_COMM_WORLD, ranks <= size && rank < ranks ? 0 : MPI_UNDEFINED,
                              rank, comm));
  return 0;
}

/* p unequal widths, the thinnest of exactly `thin` cells; returns their sum. */
static inline int patches_uneven(int p, int thin, int widths[]) {
  int sum = 0;
  for (int k = 0; k < p; k++) {
    widths[k] = thin + (k == p / 2 ? 0 : (k * 5 + 3) % 4);
    sum += widths[k];
  }
  return sum;
}

/* px patches along x, size / px along y, thinnest patches of exactly `thin` cells. Collective on
   `comm`. */
static inline PetscErrorCode patches_mesh(MPI_Comm comm, int px, int thin, int ghost,
                                          bool periodic_x, bool periodic_y, HgMesh *mesh) {
  int size, widths_x[64], widths_y[64];
  PetscCallMPI(MPI_Comm_size(comm, &size));
  const int py = size / px;
  const HgMeshSpec spec = {.nx = patches_uneven(px, thin, widths_x),
                           .ny = patches_uneven(py, thin, widths_y),
                           .px = px,
                           .py = py,
                           .dx = 0.5,
                           .dy = 0.25,
                           .periodic_x = periodic_x,
                           .periodic_y = periodic_y,
                           .ghost = ghost,
                           .widths_x = widths_x,
                           .widths_y = widths_y};
  return HgMeshCreate(comm, &spec, mesh);
}

#endif
