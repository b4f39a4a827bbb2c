/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/exchange_library.h>
#include <halograd/fault_library.h>
#include <halograd/mesh_library.h>
#include <halograd/real_library.h>
#include <string.h>

/* One box of one field: owned cells to send, or ghosts to fill, equally many on both sides. */
typedef struct {
  int field, i0, i1, j0, j1, k0, k1;
} Piece;

/* All messages between this rank and one other, or itself (periodic neighbour). */
typedef struct {
  int rank, pieces;
  Piece *owned, *ghosts; /* piece k of `owned` arrives in piece k of the neighbour's `ghosts` */
  size_t sent, received; /* doubles */
  HgReal *out, *in;      /* message buffers */
} Peer;

struct HgExchange_s {
  HgMesh mesh;
  MPI_Comm comm;
  int tag, fields, peers, messages; /* messages: peers other than this rank */
  bool *surface;                    /* by field: it has one level */
  ptrdiff_t pitch;                  /* from a level to the next */
  Peer *peer;
  HgReal *buffer;
  MPI_Request *requests;
  PetscLogEvent event;
};

/* The eight directions in the order of a message, from the sender's point of view. */
static const int direction[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0},
                                    {1, 0},   {-1, 1}, {0, 1},  {1, 1}};

static void owned_range(int side, int n, int depth, int *first, int *end) {
  *first = side > 0 ? n - depth : 0;
  *end = side < 0 ? depth : n;
}

static void ghost_range(int side, int n, int depth, int *first, int *end) {
  *first = side < 0 ? -depth : side > 0 ? n : 0;
  *end = side < 0 ? 0 : side > 0 ? n + depth : n;
}

/* Along a wall, the piece continues outside it. */
static void add_outside(const HgPatch *p, const int d[2], int layers, Piece *piece) {
  if (!d[0]) {
    piece->i0 -= p->wall_west ? layers : 0;
    piece->i1 += p->wall_east ? layers : 0;
  }
  if (!d[1]) {
    piece->j0 -= p->wall_south ? layers : 0;
    piece->j1 += p->wall_north ? layers : 0;
  }
}

static size_t piece_size(const Piece *p) {
  return (size_t)(p->i1 - p->i0) * (size_t)(p->j1 - p->j0) * (size_t)(p->k1 - p->k0);
}

static PetscErrorCode check_depth(HgMesh mesh, int count, const int depth[], const int layers[]) {
  const MPI_Comm comm = HgMeshComm(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  int thin_x, thin_y;
  HgMeshThinnest(mesh, &thin_x, &thin_y);
  const bool across_x = s->px > 1 || s->periodic_x, across_y = s->py > 1 || s->periodic_y;
  for (int k = 0; k < count; k++) {
    HgRequire(comm, depth[k] >= 1 && depth[k] <= s->ghost, HG_ERR_HALO,
              "exchange: depth %d asked for, but the mesh has ghost width %d", depth[k], s->ghost);
    HgRequire(comm, !layers || (layers[k] >= 0 && layers[k] <= s->ghost), HG_ERR_HALO,
              "exchange: %d layers outside walls asked for, but the mesh has ghost width %d",
              layers[k], s->ghost);
    HgRequire(
        comm, !across_x || depth[k] <= thin_x, HG_ERR_HALO,
        "exchange: the halo is %d cells deep, but the narrowest of the %d patches along x has %d",
        depth[k], s->px, thin_x);
    HgRequire(
        comm, !across_y || depth[k] <= thin_y, HG_ERR_HALO,
        "exchange: the halo is %d cells deep, but the narrowest of the %d patches along y has %d",
        depth[k], s->py, thin_y);
  }
  return 0;
}

/* Adds the pieces of all fields to send to `rank` in direction d and to receive from the opposite
   one. */
static void add_pieces(HgExchange e, Peer *peer, const int depth[], const int layers[],
                       bool sending, const int d[2]) {
  const HgPatch *p = HgMeshGetPatch(e->mesh);
  const HgMeshSpec *spec = HgMeshGetSpec(e->mesh);
  for (int k = 0; k < e->fields; k++) {
    Piece *piece = sending ? &peer->owned[peer->pieces + k] : &peer->ghosts[peer->pieces + k];
    piece->field = k, piece->k0 = 0;
    piece->k1 = e->surface[k] ? 1 : HgMeshLevels(e->mesh);
    if (sending) {
      owned_range(d[0], p->nx, depth[k], &piece->i0, &piece->i1);
      owned_range(d[1], p->ny, depth[k], &piece->j0, &piece->j1);
    } else {
      ghost_range(-d[0], p->nx, depth[k], &piece->i0, &piece->i1);
      ghost_range(-d[1], p->ny, depth[k], &piece->j0, &piece->j1);
    }
    if (layers) add_outside(p, d, layers[k], piece);
    if (layers && spec->nz && !spec->periodic_z && !e->surface[k])
      piece->k0 -= layers[k], piece->k1 += layers[k];
  }
}

/* The pieces sent to a peer and received from it may differ in direction (a wall on one side) but
   not in number: rank a has b in direction d exactly as often as b has a in direction -d. */
static PetscErrorCode build_peer(HgExchange e, int rank, const int depth[], const int layers[],
                                 Peer *peer) {
  *peer = (Peer){.rank = rank};
  PetscCall(PetscMalloc2(8 * e->fields, &peer->owned, 8 * e->fields, &peer->ghosts));
  for (int d = 0; d < 8; d++)
    if (HgMeshNeighbour(e->mesh, direction[d][0], direction[d][1]) == rank) {
      add_pieces(e, peer, depth, layers, true, direction[d]);
      peer->pieces += e->fields;
    }
  const int pieces = peer->pieces;
  peer->pieces = 0;
  for (int d = 0; d < 8; d++)
    if (HgMeshNeighbour(e->mesh, -direction[d][0], -direction[d][1]) == rank) {
      add_pieces(e, peer, depth, layers, false, direction[d]);
      peer->pieces += e->fields;
    }
  PetscAssert(pieces == peer->pieces, PETSC_COMM_SELF, PETSC_ERR_PLIB, "unsymmetric neighbours");
  for (int k = 0; k < pieces; k++) {
    peer->sent += piece_size(&peer->owned[k]);
    peer->received += piece_size(&peer->ghosts[k]);
  }
  return 0;
}

PetscErrorCode HgExchangeCreate(HgMesh mesh, int count, const bool surface[], const int depth[],
                                HgExchange *exchange) {
  return HgExchangeCreateWithWalls(mesh, count, surface, depth, NULL, exchange);
}

PetscErrorCode HgExchangeCreateWithWalls(HgMesh mesh, int count, const bool surface[],
                                         const int depth[], const int layers[],
                                         HgExchange *exchange) {
  const MPI_Comm comm = HgMeshComm(mesh);
  HgRequire(comm, count >= 1, HG_ERR_ARGUMENT, "exchange: %d fields given, expected at least one",
            count);
  PetscCall(check_depth(mesh, count, depth, layers));
  HgExchange e;
  PetscCall(PetscNew(&e));
  PetscCall(HgMeshReference(mesh));
  e->mesh = mesh, e->comm = comm, e->fields = count, e->tag = HgMeshNewTag(mesh);
  e->pitch = HgMeshGetPatch(mesh)->pitch;
  PetscCall(PetscCalloc1(count, &e->surface));
  if (surface) PetscCall(PetscArraycpy(e->surface, surface, count));
  PetscCall(PetscLogEventRegister("HgExchange", PETSC_OBJECT_CLASSID, &e->event));
  PetscCall(PetscMalloc1(8, &e->peer));
  int self;
  PetscCallMPI(MPI_Comm_rank(comm, &self));
  size_t total = 0;
  for (int d = 0; d < 8; d++) {
    const int rank = HgMeshNeighbour(mesh, direction[d][0], direction[d][1]);
    bool known = rank < 0;
    for (int k = 0; k < e->peers; k++) known = known || e->peer[k].rank == rank;
    if (known) continue;
    Peer *peer = &e->peer[e->peers++];
    PetscCall(build_peer(e, rank, depth, layers, peer));
    e->messages += rank != self;
    total += PetscMax(peer->sent, peer->received) * 2;
  }
  PetscCall(PetscMalloc2(total, &e->buffer, 2 * (size_t)e->messages + 1, &e->requests));
  HgReal *next = e->buffer;
  for (int k = 0; k < e->peers; k++) {
    Peer *peer = &e->peer[k];
    const size_t room = PetscMax(peer->sent, peer->received);
    peer->out = next, peer->in = next + room, next += 2 * room;
  }
  *exchange = e;
  return 0;
}

PetscErrorCode HgExchangeDestroy(HgExchange *exchange) {
  HgExchange e = *exchange;
  *exchange = NULL;
  if (!e) return 0;
  for (int k = 0; k < e->peers; k++) PetscCall(PetscFree2(e->peer[k].owned, e->peer[k].ghosts));
  PetscCall(PetscFree(e->peer));
  PetscCall(PetscFree(e->surface));
  PetscCall(PetscFree2(e->buffer, e->requests));
  PetscCall(HgMeshDestroy(&e->mesh));
  PetscCall(PetscFree(e));
  return 0;
}

/* A row of n numbers; columns are the common short case. */
static inline void copy_row(int n, const HgReal *from, HgReal *to) {
  if (n == 1) *to = *from;
  else if (n < 8)
    for (int i = 0; i < n; i++) to[i] = from[i];
  else memcpy(to, from, (size_t)n * sizeof(HgReal));
}

/* Runs `action` for each row of a piece: `row` is its first number, of n. */
#define FOR_ROWS_OF(width, action)                                                                 \
  for (int j = p.j0; j < p.j1; j++)                                                                \
    for (int k = p.k0; k < p.k1; k++) {                                                            \
      HgReal *const row = rows[j] + k * pitch + p.i0;                                              \
      const int n = width;                                                                         \
      action;                                                                                      \
    }

/* The same for all pieces. Columns of one number have a loop of their own. */
#define FOR_ROWS(action)                                                                           \
  for (int piece = 0; piece < count; piece++) {                                                    \
    const Piece p = pieces[piece];                                                                 \
    HgReal *const *const rows = fields[p.field];                                                   \
    if (p.i1 - p.i0 == 1) FOR_ROWS_OF(1, action)                                                   \
    else FOR_ROWS_OF(p.i1 - p.i0, action)                                                          \
  }

static void pack(int count, const Piece pieces[], ptrdiff_t pitch, HgReal *const *const fields[],
                 HgReal *out) {
  FOR_ROWS((copy_row(n, row, out), out += n))
}

static void unpack(int count, const Piece pieces[], ptrdiff_t pitch, const HgReal *in,
                   HgReal *const *const fields[]) {
  FOR_ROWS((copy_row(n, in, row), in += n))
}

static void unpack_add(int count, const Piece pieces[], ptrdiff_t pitch, const HgReal *in,
                       HgReal *const *const fields[]) {
  FOR_ROWS(for (int i = 0; i < n; i++) row[i] += *in++)
}

static void clear(int count, const Piece pieces[], ptrdiff_t pitch, HgReal *const *const fields[]) {
  FOR_ROWS(for (int i = 0; i < n; i++) row[i] = 0)
}

/* The start of a message that is contiguous in memory and needs no buffer, else NULL. */
static HgReal *direct(int count, const Piece pieces[], HgReal *const *const fields[]) {
  return count == 1 && pieces[0].j1 - pieces[0].j0 == 1 && pieces[0].k1 - pieces[0].k0 == 1
             ? fields[pieces[0].field][pieces[0].j0] + pieces[0].i0
             : NULL;
}

/* Posts receives, then packs and sends: E from owned to ghosts, E^T from ghosts to owned. */
static PetscErrorCode begin_messages(HgExchange e, bool transposed, HgReal *const *const fields[]) {
  MPI_Request *request = e->requests;
  int self;
  PetscCheck(!HgFault(HG_FAULT_EXCHANGE), PETSC_COMM_SELF, PETSC_ERR_MPI,
             "the exchange of ghosts cannot start");
  PetscCallMPI(MPI_Comm_rank(e->comm, &self));
  for (int k = 0; k < e->peers; k++) {
    Peer *peer = &e->peer[k];
    if (peer->rank == self) continue;
    HgReal *in = transposed ? NULL : direct(peer->pieces, peer->ghosts, fields);
    PetscCallMPI(MPI_Irecv(in ? in : peer->in,
                           (PetscMPIInt)(transposed ? peer->sent : peer->received), HG_MPI_REAL,
                           peer->rank, e->tag, e->comm, request++));
  }
  for (int k = 0; k < e->peers; k++) {
    Peer *peer = &e->peer[k];
    const Piece *source = transposed ? peer->ghosts : peer->owned;
    HgReal *out = peer->rank == self || transposed ? NULL : direct(peer->pieces, source, fields);
    if (!out) {
      out = peer->out;
      pack(peer->pieces, source, e->pitch, fields, out);
    }
    if (transposed) clear(peer->pieces, source, e->pitch, fields);
    if (peer->rank == self) continue;
    PetscCallMPI(MPI_Isend(out, (PetscMPIInt)(transposed ? peer->received : peer->sent),
                           HG_MPI_REAL, peer->rank, e->tag, e->comm, request++));
  }
  return 0;
}

static PetscErrorCode end_messages(HgExchange e, bool transposed, HgReal *const *const fields[]) {
  int self;
  PetscCallMPI(MPI_Comm_rank(e->comm, &self));
  PetscCallMPI(MPI_Waitall(2 * e->messages, e->requests, MPI_STATUSES_IGNORE));
  for (int k = 0; k < e->peers; k++) {
    Peer *peer = &e->peer[k];
    const HgReal *in = peer->rank == self ? peer->out : peer->in;
    if (transposed) unpack_add(peer->pieces, peer->owned, e->pitch, in, fields);
    else if (peer->rank == self || !direct(peer->pieces, peer->ghosts, fields))
      unpack(peer->pieces, peer->ghosts, e->pitch, in, fields);
  }
  return 0;
}

PetscErrorCode HgExchangeBegin(HgExchange e, HgReal *const *const fields[]) {
  PetscCall(PetscLogEventBegin(e->event, 0, 0, 0, 0));
  PetscCall(begin_messages(e, false, fields));
  PetscCall(PetscLogEventEnd(e->event, 0, 0, 0, 0));
  return 0;
}

PetscErrorCode HgExchangeEnd(HgExchange e, HgReal *const *const fields[]) {
  PetscCall(PetscLogEventBegin(e->event, 0, 0, 0, 0));
  PetscCall(end_messages(e, false, fields));
  PetscCall(PetscLogEventEnd(e->event, 0, 0, 0, 0));
  return 0;
}

PetscErrorCode HgExchangeApply(HgExchange e, HgReal *const *const fields[]) {
  PetscCall(HgExchangeBegin(e, fields));
  return HgExchangeEnd(e, fields);
}

PetscErrorCode HgExchangeTransposed(HgExchange e, HgReal *const *const fields[]) {
  PetscCall(begin_messages(e, true, fields));
  return end_messages(e, true, fields);
}

void HgExchangeTraffic(HgExchange e, int *messages, size_t *bytes) {
  int self;
  MPI_Comm_rank(e->comm, &self);
  *messages = e->messages, *bytes = 0;
  for (int k = 0; k < e->peers; k++)
    if (e->peer[k].rank != self) *bytes += e->peer[k].sent * sizeof(HgReal);
}
