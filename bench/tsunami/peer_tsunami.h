/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/tsunami/peer_tsunami.h -- the linear tsunami's step (tsunami.stencil) as one hand-fused
   sweep.

   What one writes for speed of this one scheme in a closed basin: strips of rows, eta, u and v
   updated in place in one pass over the rows, u a row ahead of v and v beside eta, so that each
   carried number is read and written once: 88 bytes a cell. One exchange a step, two rows to the
   north and one to the south, on which u and v are computed twice. */
#ifndef HALOGRAD_PEER_TSUNAMI_H
#define HALOGRAD_PEER_TSUNAMI_H

#include <petscsys.h>

enum { PEER_ETA, PEER_EAST, PEER_NORTH, PEER_WAVES };

enum {
  PEER_KEEP = PEER_WAVES,
  PEER_KEEP_EAST,
  PEER_KEEP_NORTH,
  PEER_DEPTH_EAST,
  PEER_DEPTH_NORTH,
  PEER_SEA_FIELDS
};

/* Of a row: dt f/4 at centres and at northern faces, dt g/(c dx), dt g/dy, dt/(c dx), dt/(c dy),
   cosines of the northern and the southern faces. */
typedef struct {
  double turn, turn_north, slope, slope_north, r, s, north, south;
} PeerRow;

typedef struct {
  MPI_Comm comm;
  int nx, ny, south, north; /* cells of this strip; the ranks beyond, MPI_PROC_NULL at a wall */
  int steps;                /* of one PeerTsunamiRun() */
  double **field[PEER_SEA_FIELDS]; /* [j][i], j in [-2, ny], i in [-1, nx], 0 beyond the walls */
  PeerRow *row;                    /* [j], j in [-2, ny] */
  double **pointers, *cells;
  PeerRow *rows;
  size_t bytes; /* of cells */
} PeerTsunami;

/* Ranks are strips from south to north; all fields are zero. Collective. */
PetscErrorCode PeerTsunamiCreate(MPI_Comm comm, int nx, int ny, PeerTsunami *peer);
PetscErrorCode PeerTsunamiDestroy(PeerTsunami *peer);

/* Ghosts of the constants, once their owned cells are written. Collective. */
PetscErrorCode PeerTsunamiFill(PeerTsunami *peer);

/* `steps` steps on; a BenchFn of bench.h for a PeerTsunami. Collective. */
PetscErrorCode PeerTsunamiRun(void *peer);

#endif
