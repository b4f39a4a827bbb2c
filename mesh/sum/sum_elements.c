/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums element by element over arrays that many ranks hold: see sum.h. */
#include <halograd/error_library.h>
#include <halograd/sum_library.h>
#include <string.h>

enum { CHUNK = 1 << 14 };

/* What travels for one chunk of elements. */
typedef struct {
  int rank, size, total; /* total: arrays of all ranks */
  int *arrays;           /* of each rank */
  int *sent, *sent_at, *got, *got_at, *share, *share_at;
  double *out, *in, *column, *sums;
} Travel;

static int first_of(int elements, int rank, int size) {
  return (int)((int64_t)elements * rank / size);
}

static void plan(Travel *t, int elements) {
  const int own = first_of(elements, t->rank + 1, t->size) - first_of(elements, t->rank, t->size);
  for (int r = 0, sent = 0, got = 0; r < t->size; sent += t->sent[r], got += t->got[r], r++) {
    t->share_at[r] = first_of(elements, r, t->size);
    t->share[r] = first_of(elements, r + 1, t->size) - t->share_at[r];
    t->sent[r] = t->arrays[t->rank] * t->share[r], t->sent_at[r] = sent;
    t->got[r] = t->arrays[r] * own, t->got_at[r] = got;
  }
}

/* Sums of this rank's share: element i of array k of rank r is in[got_at[r] + k own + i]. */
static void sum_share(const Travel *t) {
  const int own = t->share[t->rank];
  for (int i = 0; i < own; i++) {
    for (int k = 0; k < t->total; k++) t->column[k] = t->in[(size_t)k * (size_t)own + (size_t)i];
    HgSum sum;
    HgSumReset(&sum);
    HgSumAdd(&sum, (size_t)t->total, t->column);
    t->sums[i] = HgSumValue(&sum);
  }
}

static PetscErrorCode sum_chunk(MPI_Comm comm, Travel *t, const double *const x[], size_t first,
                                int elements, double y[]) {
  plan(t, elements);
  for (int r = 0; r < t->size; r++)
    for (int k = 0; k < t->arrays[t->rank]; k++)
      memcpy(t->out + t->sent_at[r] + (size_t)k * (size_t)t->share[r],
             x[k] + first + t->share_at[r], (size_t)t->share[r] * sizeof(double));
  PetscCallMPI(MPI_Alltoallv(t->out, t->sent, t->sent_at, MPI_DOUBLE, t->in, t->got, t->got_at,
                             MPI_DOUBLE, comm));
  sum_share(t);
  PetscCallMPI(MPI_Allgatherv(t->sums, t->share[t->rank], MPI_DOUBLE, y + first, t->share,
                              t->share_at, MPI_DOUBLE, comm));
  return 0;
}

PetscErrorCode HgSumElements(MPI_Comm comm, int count, const double *const x[], size_t n,
                             double y[]) {
  Travel t = {0};
  const size_t chunk = n < CHUNK ? n : CHUNK;
  PetscCall(HgRequireAlike(comm, "%zu elements to sum", n));
  PetscCallMPI(MPI_Comm_rank(comm, &t.rank));
  PetscCallMPI(MPI_Comm_size(comm, &t.size));
  PetscCall(PetscMalloc7(t.size, &t.arrays, t.size, &t.sent, t.size, &t.sent_at, t.size, &t.got,
                         t.size, &t.got_at, t.size, &t.share, t.size, &t.share_at));
  PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, t.arrays, 1, MPI_INT, comm));
  for (int r = 0; r < t.size; r++) t.total += t.arrays[r];
  const size_t own = chunk / (size_t)t.size + 1;
  PetscCall(PetscMalloc4((size_t)count * chunk, &t.out, (size_t)t.total * own, &t.in, t.total,
                         &t.column, own, &t.sums));
  for (size_t first = 0; first < n; first += CHUNK)
    PetscCall(sum_chunk(comm, &t, x, first, (int)(n - first < CHUNK ? n - first : CHUNK), y));
  PetscCall(PetscFree4(t.out, t.in, t.column, t.sums));
  return PetscFree7(t.arrays, t.sent, t.sent_at, t.got, t.got_at, t.share, t.share_at);
}
