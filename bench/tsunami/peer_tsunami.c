/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_tsunami.h"
#include <halograd/kernel.h>
#include <halograd/memory_library.h>
#include <stdlib.h>

enum { ALIGN = 8, SOUTH = 2, NORTH = 1 }; /* numbers in 64 bytes; ghost rows */

/* Rows of a strip: their cells 0 are aligned, with room for a ghost on both sides. */
static size_t pitch_of(int nx) { return ((size_t)nx + 1 + 2 * ALIGN) / ALIGN * ALIGN + ALIGN; }

static void move_east(const PeerTsunami *p, int j) {
  const int nx = p->nx;
  const double turn = p->row[j].turn, slope = p->row[j].slope;
  const double *const keep = p->field[PEER_KEEP_EAST][j], *const eta = p->field[PEER_ETA][j];
  const double *const v = p->field[PEER_NORTH][j], *const v_south = p->field[PEER_NORTH][j - 1];
  double *const u = p->field[PEER_EAST][j];
  HG_VECTOR
  for (int i = 0; i < nx; i++)
    u[i] = keep[i] * (u[i] + (turn * ((v[i] + v[i + 1]) + (v_south[i] + v_south[i + 1])) -
                              slope * (eta[i + 1] - eta[i])));
}

static void move_north(const PeerTsunami *p, int j) {
  const int nx = p->nx;
  const double turn = p->row[j].turn_north, slope = p->row[j].slope_north;
  const double *const keep = p->field[PEER_KEEP_NORTH][j];
  const double *const eta = p->field[PEER_ETA][j], *const eta_north = p->field[PEER_ETA][j + 1];
  const double *const u = p->field[PEER_EAST][j], *const u_north = p->field[PEER_EAST][j + 1];
  double *const v = p->field[PEER_NORTH][j];
  HG_VECTOR
  for (int i = 0; i < nx; i++)
    v[i] = keep[i] * (v[i] - (turn * ((u[i - 1] + u[i]) + (u_north[i - 1] + u_north[i])) +
                              slope * (eta_north[i] - eta[i])));
}

static void lift(const PeerTsunami *p, int j) {
  const int nx = p->nx;
  const PeerRow k = p->row[j];
  const double *const keep = p->field[PEER_KEEP][j];
  const double *const h_u = p->field[PEER_DEPTH_EAST][j], *const u = p->field[PEER_EAST][j];
  const double *const h_v = p->field[PEER_DEPTH_NORTH][j], *const v = p->field[PEER_NORTH][j];
  const double *const h_v_south = p->field[PEER_DEPTH_NORTH][j - 1];
  const double *const v_south = p->field[PEER_NORTH][j - 1];
  double *const eta = p->field[PEER_ETA][j];
  HG_VECTOR
  for (int i = 0; i < nx; i++)
    eta[i] = keep[i] *
             (eta[i] - (k.r * (h_u[i] * u[i] - h_u[i - 1] * u[i - 1]) +
                        k.s * (k.north * (h_v[i] * v[i]) - k.south * (h_v_south[i] * v_south[i]))));
}

/* Ghost rows of the fields first .. end. */
static PetscErrorCode exchange(const PeerTsunami *p, int first, int end) {
  MPI_Request request[4 * PEER_SEA_FIELDS];
  const int row = p->nx + 2, rows = (int)pitch_of(p->nx) + row;
  int n = 0;
  for (int k = first; k < end; k++) {
    double **const f = p->field[k];
    PetscCallMPI(MPI_Irecv(f[-2] - 1, rows, MPI_DOUBLE, p->south, k, p->comm, &request[n++]));
    PetscCallMPI(MPI_Irecv(f[p->ny] - 1, row, MPI_DOUBLE, p->north, k, p->comm, &request[n++]));
    PetscCallMPI(MPI_Isend(f[0] - 1, row, MPI_DOUBLE, p->south, k, p->comm, &request[n++]));
    PetscCallMPI(
        MPI_Isend(f[p->ny - 2] - 1, rows, MPI_DOUBLE, p->north, k, p->comm, &request[n++]));
  }
  PetscCallMPI(MPI_Waitall(n, request, MPI_STATUSES_IGNORE));
  return 0;
}

PetscErrorCode PeerTsunamiRun(void *self) {
  const PeerTsunami *p = self;
  for (int n = 0; n < p->steps; n++) {
    PetscCall(exchange(p, 0, PEER_WAVES));
    move_east(p, -1), move_east(p, 0), move_north(p, -1);
    for (int j = 0; j < p->ny; j++) move_east(p, j + 1), move_north(p, j), lift(p, j);
  }
  return 0;
}

PetscErrorCode PeerTsunamiFill(PeerTsunami *p) { return exchange(p, PEER_KEEP, PEER_SEA_FIELDS); }

PetscErrorCode PeerTsunamiCreate(MPI_Comm comm, int nx, int ny, PeerTsunami *p) {
  int rank, ranks;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  const int rows = ny / ranks + (rank < ny % ranks);
  PetscCheck(rows >= 2, comm, PETSC_ERR_ARG_OUTOFRANGE, "%d rows on a rank, expected 2", rows);
  *p = (PeerTsunami){.comm = comm,
                     .nx = nx,
                     .ny = rows,
                     .south = rank > 0 ? rank - 1 : MPI_PROC_NULL,
                     .north = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL};
  const size_t pitch = pitch_of(nx), high = (size_t)rows + SOUTH + NORTH;
  p->bytes = (PEER_SEA_FIELDS * high * pitch + 2 * ALIGN) * sizeof(double);
  p->pointers = calloc(PEER_SEA_FIELDS * high, sizeof *p->pointers);
  p->rows = calloc(high, sizeof *p->rows);
  p->cells = HgZeroedMemory(p->bytes);
  PetscCheck(p->pointers && p->rows && p->cells, comm, PETSC_ERR_MEM,
             "no memory for the peer's fields");
  p->row = p->rows + SOUTH;
  for (size_t k = 0; k < PEER_SEA_FIELDS; k++) {
    for (size_t j = 0; j < high; j++)
      p->pointers[k * high + j] = p->cells + ALIGN + (k * high + j) * pitch;
    p->field[k] = p->pointers + k * high + SOUTH;
  }
  return 0;
}

PetscErrorCode PeerTsunamiDestroy(PeerTsunami *p) {
  free(p->pointers);
  free(p->rows);
  HgFreeMemory(p->cells, p->bytes);
  *p = (PeerTsunami){0};
  return 0;
}
