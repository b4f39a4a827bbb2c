/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/pairs/peer_shallow.h -- the shallow-water step of docs/shallow-water.md as one hand-fused
   sweep.

   What one writes for speed of this one scheme on a periodic channel: strips of rows, h, u,
   v and their tendencies updated in place, F, G, q, g (h + b) + K and the velocities before
   friction only in a few rows that stay in cache, so that the sweep reads and writes each carried
   number once: 96 bytes a cell. Two exchanges a step, single rows: (h, u, v), and (u, v) before
   friction. */
#ifndef HALOGRAD_PEER_SHALLOW_H
#define HALOGRAD_PEER_SHALLOW_H

#include <petscsys.h>
#include <stdbool.h>

enum { PEER_H, PEER_U, PEER_V, PEER_H_T, PEER_U_T, PEER_V_T, PEER_CARRIED };

enum { PEER_B = PEER_CARRIED, PEER_F, PEER_NU, PEER_FIELDS };

enum { PEER_WORK_ROWS = 26 };

typedef struct {
  MPI_Comm comm;
  int nx, ny, south, north; /* cells of this strip; the ranks beyond, MPI_PROC_NULL at a wall */
  double dx, dy, dt, gravity, epsilon;
  bool uniform; /* b = 0, nu the same everywhere, f the same along x: not read for each cell */
  long step;
  int steps;                   /* of one PeerShallowRun() */
  double **field[PEER_FIELDS]; /* [j][i], j in [-1, ny], i in [-1, nx] */
  double **u, **v;             /* after Adams-Bashforth, before friction; j in [-1, ny] */
  double *work[PEER_WORK_ROWS];
  double **pointers, *cells;
  size_t bytes; /* of cells */
} PeerShallow;

/* Ranks are strips from south to north; all fields are zero. Collective. */
PetscErrorCode PeerShallowCreate(MPI_Comm comm, int nx, int ny, PeerShallow *peer);
PetscErrorCode PeerShallowDestroy(PeerShallow *peer);

/* Ghosts of all fields, once their owned cells are written. Collective. */
PetscErrorCode PeerShallowFill(PeerShallow *peer);

/* `steps` steps on; a BenchFn of bench.h for a PeerShallow. Collective. */
PetscErrorCode PeerShallowRun(void *peer);

#endif
