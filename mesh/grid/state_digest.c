/* SPDX-License-Identifier: BSD-2-Clause */
/* The digest of a field: every row of the grid has one, the XXH3 of its numbers from west to east,
   and that of the field is the XXH3 of the digests of its rows from south to north. So ranks share
   the work: rows of a patch as wide as the grid are digested where they are; in a band of several
   patches every patch gathers a share of the band's rows. 8 bytes of each row travel to rank 0. */
#include "state_private.h"
#include <halograd/mesh_library.h>
#include <halograd/real_library.h>
#include <string.h>

#define XXH_INLINE_ALL /* the library's copy is built for SSE2 only, half as fast */
#include <xxhash.h>

enum { HG_DIGEST_TAG = 7001, HG_DIGEST_DOUBLES = 1 << 17 };

/* The patches of a band share a few rows at a time: patch ix gathers `share` rows from row j0 + ix
   share on, as far as the band has them. */
typedef struct {
  HgMesh mesh;
  int iy, px, share;
  HgReal *out, *in, *row; /* what is sent, patch by patch; what is gathered; one row of the grid */
  MPI_Request *request;
} Band;

static int rows_of(const Band *b, int j0, int ix) {
  const int left = HgMeshGetPatch(b->mesh)->ny - j0 - ix * b->share;
  return PetscMax(0, PetscMin(b->share, left));
}

/* `in` has the gathered rows of each patch, one patch after another. */
static void digest_gathered(const Band *b, int rows, uint64_t digest[]) {
  const size_t nx = (size_t)HgMeshGetSpec(b->mesh)->nx;
  for (int j = 0; j < rows; j++) {
    for (int ix = 0; ix < b->px; ix++) {
      const HgPatch p = HgMeshPatchOf(b->mesh, b->iy * b->px + ix);
      const size_t n = (size_t)p.nx, part = (size_t)rows * (size_t)p.i_global;
      memcpy(b->row + p.i_global, b->in + part + (size_t)j * n, sizeof(HgReal) * n);
    }
    digest[j] = XXH3_64bits(b->row, sizeof(HgReal) * nx);
  }
}

/* Digests px shares of rows from row j0 of the band on; `digest` has one for each row of the grid.
   */
static PetscErrorCode digest_shares(Band *b, HgReal *const *u, int j0, uint64_t digest[]) {
  const MPI_Comm comm = HgMeshComm(b->mesh);
  const HgPatch *own = HgMeshGetPatch(b->mesh);
  const int gathered = rows_of(b, j0, own->ix), j_own = j0 + own->ix * b->share;
  const size_t n = (size_t)own->nx;
  int count = 0;
  HgReal *out = b->out;
  for (int ix = 0; ix < b->px; ix++) {
    const HgPatch p = HgMeshPatchOf(b->mesh, b->iy * b->px + ix);
    const int rows = rows_of(b, j0, ix), at = j0 + ix * b->share;
    HgReal *const in = b->in + (size_t)gathered * (size_t)p.i_global;
    HgReal *const to = ix == own->ix ? in : out;
    for (int j = 0; j < rows; j++) memcpy(to + (size_t)j * n, u[at + j], sizeof(HgReal) * n);
    if (ix == own->ix) continue;
    PetscCallMPI(MPI_Irecv(in, gathered * p.nx, HG_MPI_REAL, b->iy * b->px + ix, HG_DIGEST_TAG,
                           comm, &b->request[count++]));
    PetscCallMPI(MPI_Isend(out, rows * own->nx, HG_MPI_REAL, b->iy * b->px + ix, HG_DIGEST_TAG,
                           comm, &b->request[count++]));
    out += (size_t)rows * n;
  }
  PetscCallMPI(MPI_Waitall(count, b->request, MPI_STATUSES_IGNORE));
  digest_gathered(b, gathered, digest + own->j_global + j_own);
  return 0;
}

/* Digests of the rows of a level that this rank gathers; the others are 0. */
static PetscErrorCode digest_rows(HgState x, HgReal *const *u, uint64_t digest[]) {
  const HgMeshSpec *s = HgMeshGetSpec(x->mesh);
  const HgPatch *own = HgMeshGetPatch(x->mesh);
  if (s->px == 1) {
    for (int j = 0; j < own->ny; j++)
      digest[own->j_global + j] = XXH3_64bits(u[j], sizeof(HgReal) * (size_t)s->nx);
    return 0;
  }
  Band b = {x->mesh, own->iy, s->px, PetscMax(1, HG_DIGEST_DOUBLES / s->nx),
            NULL,    NULL,    NULL,  NULL};
  const size_t share = (size_t)b.share;
  PetscCall(PetscMalloc4(share * (size_t)s->px * (size_t)own->nx, &b.out, share * (size_t)s->nx,
                         &b.in, s->nx, &b.row, 2 * s->px, &b.request));
  for (int j0 = 0; j0 < own->ny; j0 += b.px * b.share) PetscCall(digest_shares(&b, u, j0, digest));
  return PetscFree4(b.out, b.in, b.row, b.request);
}

static int rows_of_grid(HgState x) { return HgMeshGetSpec(x->mesh)->ny * HgMeshLevels(x->mesh); }

/* Gathers digests by row of the fields among the variables `which` on rank 0: all[k * rows of the
   grid + j], where each level has ny rows. */
static PetscErrorCode gather_rows(HgState x, int count, const int which[], const uint64_t own[],
                                  uint64_t all[]) {
  const HgPatch *p = HgMeshGetPatch(x->mesh);
  const int ny = HgMeshGetSpec(x->mesh)->ny, rows = rows_of_grid(x);
  int rank;
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(x->mesh), &rank));
  for (int k = 0; k < count; k++) {
    uint64_t *const of_k = all + (size_t)k * (size_t)rows;
    if (!HgIsField(&x->variables[which[k]].variable)) continue;
    if (own)
      memcpy(of_k + p->j_global, own + (size_t)k * (size_t)p->ny, sizeof *own * (size_t)p->ny);
    for (int level = 0; !own && level < x->variables[which[k]].levels; level++)
      PetscCall(digest_rows(x, HgStateLevel(x, which[k], level), of_k + level * ny));
  }
  PetscCallMPI(MPI_Reduce(rank ? all : MPI_IN_PLACE, all, count * rows, MPI_UINT64_T, MPI_SUM, 0,
                          HgMeshComm(x->mesh)));
  return 0;
}

/* Digests each rank's numbers, in rank order. */
static PetscErrorCode digest_local(HgState x, int k, XXH3_state_t *hash) {
  const MPI_Comm comm = HgMeshComm(x->mesh);
  int rank, ranks, length = x->variables[k].variable.size;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (rank) {
    PetscCallMPI(MPI_Ssend(&length, 1, MPI_INT, 0, HG_DIGEST_TAG, comm));
    PetscCallMPI(MPI_Ssend(HgStateArray(x, k), length, MPI_DOUBLE, 0, HG_DIGEST_TAG, comm));
    return 0;
  }
  XXH3_64bits_update(hash, HgStateArray(x, k), sizeof(double) * (size_t)length);
  for (int from = 1; from < ranks; from++) {
    double *values;
    PetscCallMPI(MPI_Recv(&length, 1, MPI_INT, from, HG_DIGEST_TAG, comm, MPI_STATUS_IGNORE));
    PetscCall(PetscMalloc1(length, &values));
    PetscCallMPI(
        MPI_Recv(values, length, MPI_DOUBLE, from, HG_DIGEST_TAG, comm, MPI_STATUS_IGNORE));
    XXH3_64bits_update(hash, values, sizeof(double) * (size_t)length);
    PetscCall(PetscFree(values));
  }
  return 0;
}

/* One digest of all variables, or one of each, on rank 0. */
static PetscErrorCode digest_all(HgState x, int count, const int which[], const uint64_t own[],
                                 bool together, unsigned long long digest[]) {
  const size_t ny = (size_t)HgMeshGetSpec(x->mesh)->ny, rows = (size_t)rows_of_grid(x);
  XXH3_state_t *hash = XXH3_createState();
  uint64_t *all;
  PetscCall(PetscCalloc1((size_t)count * rows, &all));
  PetscCall(gather_rows(x, count, which, own, all));
  XXH3_64bits_reset(hash);
  for (int k = 0; k < count; k++) {
    const HgStored *const v = &x->variables[which[k]];
    if (HgIsField(&x->variables[which[k]].variable))
      XXH3_64bits_update(hash, all + (size_t)k * rows, sizeof *all * ny * (size_t)v->levels);
    else if (v->variable.kind == HG_LOCAL) PetscCall(digest_local(x, which[k], hash));
    else
      XXH3_64bits_update(hash, HgStateArray(x, which[k]),
                         sizeof(double) * (size_t)v->variable.size);
    if (together && k < count - 1) continue;
    digest[together ? 0 : k] = XXH3_64bits_digest(hash);
    XXH3_64bits_reset(hash);
  }
  XXH3_freeState(hash);
  return PetscFree(all);
}

PetscErrorCode HgStateDigest(HgState x, const char name[], char hex[17]) {
  unsigned long long digest = 0;
  int *which, count = name ? 1 : x->count;
  PetscCall(PetscMalloc1(PetscMax(1, count), &which));
  for (int k = 0; k < count; k++) which[k] = k;
  PetscErrorCode ierr = name ? HgStateIndex(x, name, which) : 0;
  if (!ierr) ierr = digest_all(x, count, which, NULL, true, &digest);
  PetscCall(PetscFree(which));
  if (ierr) return ierr;
  PetscCallMPI(MPI_Bcast(&digest, 1, MPI_UNSIGNED_LONG_LONG, 0, HgMeshComm(x->mesh)));
  snprintf(hex, 17, "%016llx", digest);
  return 0;
}

PetscErrorCode HgStateDigestEach(HgState x, int count, const int which[], const uint64_t own[],
                                 char hex[][17]) {
  unsigned long long *digest;
  PetscCall(PetscCalloc1(PetscMax(1, count), &digest));
  PetscCall(digest_all(x, count, which, own, false, digest));
  PetscCallMPI(MPI_Bcast(digest, count, MPI_UNSIGNED_LONG_LONG, 0, HgMeshComm(x->mesh)));
  for (int k = 0; k < count; k++) snprintf(hex[k], 17, "%016llx", digest[k]);
  return PetscFree(digest);
}
