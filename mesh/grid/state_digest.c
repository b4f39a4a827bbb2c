/* The digest of a field is that of the global array in natural order: band by band of patches, each
   rank hands its rows to rank 0, which never holds more than a few rows of the domain. */
#include "state_private.h"
#include <string.h>

#define XXH_INLINE_ALL /* the library's copy is built for SSE2 only, half as fast */
#include <xxhash.h>

enum { HG_DIGEST_TAG = 7001, HG_DIGEST_DOUBLES = 1 << 17 };

/* Rows that stand in `packed` patch by patch, put together; a patch as wide as the grid needs no
   copy. */
static void digest_rows(HgMesh mesh, int iy, int rows, const double packed[], double line[],
                        XXH3_state_t *hash) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const size_t row = sizeof(double) * (size_t)s->nx;
  if (s->px == 1) XXH3_64bits_update(hash, packed, row * (size_t)rows);
  for (int j = 0; s->px > 1 && j < rows; j++) {
    for (int ix = 0; ix < s->px; ix++) {
      const HgPatch p = HgMeshPatchOf(mesh, iy * s->px + ix);
      memcpy(line + p.i_global,
             packed + (size_t)rows * (size_t)p.i_global + (size_t)j * (size_t)p.nx,
             sizeof(double) * (size_t)p.nx);
    }
    XXH3_64bits_update(hash, line, row);
  }
}

static PetscErrorCode digest_field(HgState x, int k, XXH3_state_t *hash) {
  const MPI_Comm comm = HgMeshComm(x->mesh);
  const HgMeshSpec *s = HgMeshGetSpec(x->mesh);
  const HgPatch *own = HgMeshGetPatch(x->mesh);
  double *const *u = x->variables[k].rows;
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  const int chunk = PetscMax(1, HG_DIGEST_DOUBLES / s->nx); /* rows at a time */
  double *packed, *line;
  PetscCall(PetscMalloc2((size_t)chunk * (size_t)s->nx, &packed, s->nx, &line));
  for (int iy = 0; iy < s->py; iy++) {
    const HgPatch band = HgMeshPatchOf(x->mesh, iy * s->px);
    if (rank && own->iy != iy) continue;
    if (!rank && !iy && s->px == 1) {
      for (int j = 0; j < band.ny; j++)
        XXH3_64bits_update(hash, u[j], sizeof(double) * (size_t)s->nx);
      continue;
    }
    for (int j0 = 0; j0 < band.ny; j0 += chunk) {
      const int rows = PetscMin(chunk, band.ny - j0);
      if (rank) {
        for (int j = 0; j < rows; j++)
          memcpy(packed + (size_t)j * (size_t)own->nx, u[j0 + j], sizeof(double) * (size_t)own->nx);
        PetscCallMPI(MPI_Ssend(packed, rows * own->nx, MPI_DOUBLE, 0, HG_DIGEST_TAG, comm));
        continue;
      }
      for (int ix = 0; ix < s->px;
           ix++) { /* patch ix starts rows * i_global numbers into `packed` */
        const int from = iy * s->px + ix;
        const HgPatch p = HgMeshPatchOf(x->mesh, from);
        double *part = packed + (size_t)rows * (size_t)p.i_global;
        if (from)
          PetscCallMPI(MPI_Recv(part, rows * p.nx, MPI_DOUBLE, from, HG_DIGEST_TAG, comm,
                                MPI_STATUS_IGNORE));
        else
          for (int j = 0; j < rows; j++)
            memcpy(part + (size_t)j * (size_t)p.nx, u[j0 + j], sizeof(double) * (size_t)p.nx);
      }
      digest_rows(x->mesh, iy, rows, packed, line, hash);
    }
  }
  PetscCall(PetscFree2(packed, line));
  return 0;
}

/* Each rank's numbers, in rank order. */
static PetscErrorCode digest_local(HgState x, int k, XXH3_state_t *hash) {
  const MPI_Comm comm = HgMeshComm(x->mesh);
  int rank, ranks, length = (int)x->variables[k].length;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (rank) {
    PetscCallMPI(MPI_Ssend(&length, 1, MPI_INT, 0, HG_DIGEST_TAG, comm));
    PetscCallMPI(MPI_Ssend(x->variables[k].values, length, MPI_DOUBLE, 0, HG_DIGEST_TAG, comm));
    return 0;
  }
  XXH3_64bits_update(hash, x->variables[k].values, sizeof(double) * (size_t)length);
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

PetscErrorCode HgStateDigest(HgState x, const char name[], char hex[17]) {
  const MPI_Comm comm = HgMeshComm(x->mesh);
  int only = -1;
  if (name) PetscCall(HgStateIndex(x, name, &only));
  XXH3_state_t *hash = XXH3_createState();
  XXH3_64bits_reset(hash);
  for (int k = 0; k < x->count; k++) {
    if (only >= 0 && k != only) continue;
    switch (x->variables[k].variable.kind) {
    case HG_REPLICATED:
      XXH3_64bits_update(hash, x->variables[k].values, sizeof(double) * x->variables[k].length);
      break;
    case HG_LOCAL: PetscCall(digest_local(x, k, hash)); break;
    default: PetscCall(digest_field(x, k, hash));
    }
  }
  unsigned long long digest = XXH3_64bits_digest(hash);
  XXH3_freeState(hash);
  PetscCallMPI(MPI_Bcast(&digest, 1, MPI_UNSIGNED_LONG_LONG, 0, comm));
  snprintf(hex, 17, "%016llx", digest);
  return 0;
}
