/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_shallow.h"
#include <halograd/kernel.h>
#include <halograd/memory_library.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 8 }; /* numbers in 64 bytes */

/* Rows of work: those of a sweep; of each velocity three at either end of the strip, three in
   turn. */
enum { SWEEP_ROWS = 8, VELOCITY_ROWS = 9 };

/* Rows of a strip: their cells 0 are aligned, with room for a ghost on both sides. */
static size_t pitch_of(int nx) { return ((size_t)nx + 1 + 2 * ALIGN) / ALIGN * ALIGN + ALIGN; }

/* One copy of a step for each kind of problem, so that no loop asks which it is. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A row stays in cache from its making to its use: h, u, v and tendencies where they are, F, G, q
   and P = g (h + b) + K in pairs, this row's and the next one's or the last one's. */
typedef struct {
  double *F, *F_north, *G, *G_south, *q, *q_south, *P, *P_north;
} Sweep;

static inline void swap_rows(double **a, double **b) {
  double *const kept = *a;
  *a = *b, *b = kept;
}

static void wrap(int nx, double *row) { row[-1] = row[nx - 1], row[nx] = row[0]; }

/* G and q of row j, F and P of row j + 1. */
ALWAYS_INLINE void make_row(const PeerShallow *p, bool uniform, int j, const Sweep *s) {
  const int nx = p->nx;
  const double rx = 1 / p->dx, ry = 1 / p->dy, g = p->gravity;
  const double *const h = p->field[PEER_H][j], *const h_north = p->field[PEER_H][j + 1];
  const double *const u = p->field[PEER_U][j], *const u_north = p->field[PEER_U][j + 1];
  const double *const v = p->field[PEER_V][j], *const v_north = p->field[PEER_V][j + 1];
  const double *const f = p->field[PEER_F][j], *const b = p->field[PEER_B][j + 1];
  double *const G = s->G, *const q = s->q, *const F = s->F_north, *const P = s->P_north;
  const double f_row = f[0];
  HG_VECTOR
  for (int i = 0; i < nx; i++) {
    const double z = (uniform ? f_row : f[i]) + (rx * (v[i + 1] - v[i]) - ry * (u_north[i] - u[i]));
    G[i] = 0.5 * (h[i] + h_north[i]) * v[i];
    q[i] = z / (0.25 * ((h[i] + h[i + 1]) + (h_north[i] + h_north[i + 1])));
    F[i] = 0.5 * (h_north[i] + h_north[i + 1]) * u_north[i];
    P[i] = g * (uniform ? h_north[i] : h_north[i] + b[i]) +
           0.25 * ((u_north[i] * u_north[i] + u_north[i - 1] * u_north[i - 1]) +
                   (v_north[i] * v_north[i] + v[i] * v[i]));
  }
  wrap(nx, G), wrap(nx, q), wrap(nx, F), wrap(nx, P);
}

/* Adams-Bashforth in row j: h and the tendencies in place, u and v into rows of their own. */
ALWAYS_INLINE void advance_row(const PeerShallow *p, int j, const Sweep *s) {
  const int nx = p->nx;
  const double rx = 1 / p->dx, ry = 1 / p->dy, dt = p->dt;
  const double now = p->step ? 1.5 + p->epsilon : 1, before = p->step ? -(0.5 + p->epsilon) : 0;
  const double *const G = s->G, *const G_south = s->G_south, *const F = s->F;
  const double *const F_north = s->F_north, *const q = s->q, *const q_south = s->q_south;
  const double *const P = s->P, *const P_north = s->P_north;
  const double *const u = p->field[PEER_U][j], *const v = p->field[PEER_V][j];
  double *const h = p->field[PEER_H][j], *const h_t = p->field[PEER_H_T][j];
  double *const u_t = p->field[PEER_U_T][j], *const v_t = p->field[PEER_V_T][j];
  double *const u_next = p->u[j], *const v_next = p->v[j];
  HG_VECTOR
  for (int i = 0; i < nx; i++) {
    const double rate = -(rx * (F[i] - F[i - 1]) + ry * (G[i] - G_south[i]));
    const double east =
        0.25 * (q[i] * (G[i] + G[i + 1]) + q_south[i] * (G_south[i] + G_south[i + 1])) -
        rx * (P[i + 1] - P[i]);
    const double north =
        -0.25 * (q[i] * (F[i] + F_north[i]) + q[i - 1] * (F[i - 1] + F_north[i - 1])) -
        ry * (P_north[i] - P[i]);
    h[i] += dt * (now * rate + before * h_t[i]);
    u_next[i] = u[i] + dt * (now * east + before * u_t[i]);
    v_next[i] = v[i] + dt * (now * north + before * v_t[i]);
    h_t[i] = rate, u_t[i] = east, v_t[i] = north;
  }
  if (p->north == MPI_PROC_NULL && j == p->ny - 1)
    for (int i = 0; i < nx; i++) v_next[i] = v_t[i] = 0;
  wrap(nx, h), wrap(nx, p->u[j]), wrap(nx, p->v[j]);
}

/* Row j of u and v from their rows before friction; no stress through the walls. */
ALWAYS_INLINE void rub_row(const PeerShallow *p, bool uniform, int j) {
  const int nx = p->nx;
  const bool wall_south = p->south == MPI_PROC_NULL && j == 0;
  const bool wall_north = p->north == MPI_PROC_NULL && j == p->ny - 1;
  const double kx = p->dt / (p->dx * p->dx), ky = p->dt / (p->dy * p->dy);
  const double to_south = wall_south ? 0 : ky, to_north = wall_north ? 0 : ky;
  const double *const nu = p->field[PEER_NU][j], *const nu_south = p->field[PEER_NU][j - 1];
  const double nu_row = nu[0];
  for (int k = 0; k < 2; k++) {
    double *const *const from = k ? p->v : p->u;
    const double *const c = from[j], *const c_south = from[j - 1], *const c_north = from[j + 1];
    double *const next = p->field[k ? PEER_V : PEER_U][j];
    HG_VECTOR
    for (int i = 0; i < nx; i++) {
      const double n = uniform ? nu_row : nu[i], west = uniform ? nu_row : nu[i - 1];
      const double south = uniform ? nu_row : nu_south[i];
      next[i] =
          c[i] + (kx * (n * (c[i + 1] - c[i]) - west * (c[i] - c[i - 1])) +
                  (to_north * n * (c_north[i] - c[i]) - to_south * south * (c[i] - c_south[i])));
    }
    if (k && wall_north) memset(next, 0, (size_t)nx * sizeof *next);
    wrap(nx, next);
  }
}

/* The ghost rows of `count` variables, with their columns; walls copy what is inside. */
static PetscErrorCode exchange(const PeerShallow *p, int count, double **const rows[]) {
  MPI_Request request[12];
  const int width = p->nx + 2;
  int n = 0;
  for (int k = 0; k < count; k++) {
    double **const r = rows[k];
    PetscCallMPI(MPI_Irecv(r[-1] - 1, width, MPI_DOUBLE, p->south, k, p->comm, &request[n++]));
    PetscCallMPI(MPI_Irecv(r[p->ny] - 1, width, MPI_DOUBLE, p->north, k, p->comm, &request[n++]));
    PetscCallMPI(MPI_Isend(r[0] - 1, width, MPI_DOUBLE, p->south, k, p->comm, &request[n++]));
    PetscCallMPI(
        MPI_Isend(r[p->ny - 1] - 1, width, MPI_DOUBLE, p->north, k, p->comm, &request[n++]));
  }
  PetscCallMPI(MPI_Waitall(n, request, MPI_STATUSES_IGNORE));
  return 0;
}

/* A wall's ghost row: the thickness copied, no velocity across; u stays as it was. */
static void wall_row(const PeerShallow *p, int ghost, int inside) {
  double **const h = p->field[PEER_H];
  memcpy(h[ghost] - 1, h[inside] - 1, ((size_t)p->nx + 2) * sizeof(double));
}

ALWAYS_INLINE PetscErrorCode step(PeerShallow *p, bool uniform) {
  double *const *w = p->work;
  Sweep s = {w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]};
  PetscCall(exchange(p, 3, p->field));
  if (p->south == MPI_PROC_NULL) wall_row(p, -1, 0);
  if (p->north == MPI_PROC_NULL) wall_row(p, p->ny, p->ny - 1);
  make_row(p, uniform, -1, &s);
  if (p->south == MPI_PROC_NULL) {
    memset(s.G - 1, 0, ((size_t)p->nx + 2) * sizeof(double));
    memset(s.q - 1, 0, ((size_t)p->nx + 2) * sizeof(double));
  }
  for (int j = 0; j < p->ny; j++) {
    swap_rows(&s.G, &s.G_south), swap_rows(&s.q, &s.q_south);
    swap_rows(&s.F, &s.F_north), swap_rows(&s.P, &s.P_north);
    make_row(p, uniform, j, &s);
    advance_row(p, j, &s);
    if (j >= 2) rub_row(p, uniform, j - 1);
  }
  PetscCall(exchange(p, 2, (double **const[]){p->u, p->v}));
  rub_row(p, uniform, 0);
  rub_row(p, uniform, p->ny - 1);
  p->step++;
  return 0;
}

PetscErrorCode PeerShallowRun(void *self) {
  PeerShallow *p = self;
  for (int n = 0; n < p->steps; n++) PetscCall(p->uniform ? step(p, true) : step(p, false));
  return 0;
}

PetscErrorCode PeerShallowCreate(MPI_Comm comm, int nx, int ny, PeerShallow *p) {
  int rank, ranks;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  const int rows = ny / ranks + (rank < ny % ranks);
  PetscCheck(rows >= 6, comm, PETSC_ERR_ARG_OUTOFRANGE, "%d rows on a rank, expected 6", rows);
  *p = (PeerShallow){.comm = comm,
                     .nx = nx,
                     .ny = rows,
                     .south = rank > 0 ? rank - 1 : MPI_PROC_NULL,
                     .north = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL};
  const size_t pitch = pitch_of(nx), high = (size_t)rows + 2;
  const size_t bytes = (PEER_FIELDS * high + PEER_WORK_ROWS) * pitch * sizeof(double);
  double **pointers = calloc((PEER_FIELDS + 2) * high, sizeof *pointers);
  double *cell = HgZeroedMemory(bytes);
  PetscCheck(pointers && cell, comm, PETSC_ERR_MEM, "no memory for the peer's fields");
  p->pointers = pointers, p->cells = cell, p->bytes = bytes;
  cell += ALIGN;
  for (int k = 0; k < PEER_FIELDS + 2; k++, pointers += high) {
    double ***const rows_of = k < PEER_FIELDS ? &p->field[k] : k == PEER_FIELDS ? &p->u : &p->v;
    *rows_of = pointers + 1;
    for (size_t j = 0; k < PEER_FIELDS && j < high; j++, cell += pitch) pointers[j] = cell;
  }
  for (int k = 0; k < PEER_WORK_ROWS; k++, cell += pitch) p->work[k] = cell;
  for (int j = -1; j <= rows; j++) {
    const int row = SWEEP_ROWS + (j < 2 ? j + 1 : j >= rows - 2 ? 3 + j - (rows - 2) : 6 + j % 3);
    p->u[j] = p->work[row], p->v[j] = p->work[row + VELOCITY_ROWS];
  }
  return 0;
}

PetscErrorCode PeerShallowDestroy(PeerShallow *p) {
  free(p->pointers);
  HgFreeMemory(p->cells, p->bytes);
  *p = (PeerShallow){0};
  return 0;
}

PetscErrorCode PeerShallowFill(PeerShallow *p) {
  for (int k = 0; k < PEER_FIELDS; k++)
    for (int j = 0; j < p->ny; j++) wrap(p->nx, p->field[k][j]);
  return exchange(p, PEER_FIELDS - PEER_B, p->field + PEER_B);
}
