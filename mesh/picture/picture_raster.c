/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture_private.h"
#include <halograd/memory.h>
#include <halograd/state_library.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Sums of integers are the same in any order: so are the pictures, on any decomposition. */
static const double UNITS = 1 << 30;

static int pixel_of(int cell, int pixels, int cells) {
  return (int)((int64_t)cell * pixels / cells);
}

/* Of levels the one in the middle. */
static HgReal *const *section(HgState state, int index) {
  return HgStateLevel(state, index, HgStateLevels(state, index) / 2);
}

static void add_cells(HgState state, int index, double least, double most, int width, int height,
                      int64_t sum[], int64_t bad[]) {
  const HgMeshSpec *g = HgMeshGetSpec(HgStateMesh(state));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(state));
  HgReal *const *u = section(state, index);
  const double span = most / 2 - least / 2; /* halves cannot overflow */
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const size_t at = (size_t)pixel_of(j + p->j_global, height, g->ny) * (size_t)width +
                        (size_t)pixel_of(i + p->i_global, width, g->nx);
      if (!isfinite(u[j][i])) bad[at]++;
      else if (span > 0) sum[at] += llround((u[j][i] / 2 - least / 2) / span * UNITS);
    }
}

static void find_range(HgState state, int index, double range[2]) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(state));
  HgReal *const *u = section(state, index);
  range[0] = range[1] = INFINITY; /* least, -most */
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      if (!isfinite(u[j][i])) continue;
      if (u[j][i] < range[0]) range[0] = u[j][i];
      if (-u[j][i] < range[1]) range[1] = -u[j][i];
    }
}

static void average(const HgRaster *r, const HgMeshSpec *g, const int64_t sum[],
                    const int64_t bad[]) {
  for (int y = 0; y < r->height; y++)
    for (int x = 0; x < r->width; x++) {
      const size_t at = (size_t)y * (size_t)r->width + (size_t)x;
      /* cells c with floor(c pixels / cells) = x: from ceil(x cells / pixels) to the next */
      const int64_t columns = ((int64_t)(x + 1) * g->nx + r->width - 1) / r->width -
                              ((int64_t)x * g->nx + r->width - 1) / r->width;
      const int64_t rows = ((int64_t)(y + 1) * g->ny + r->height - 1) / r->height -
                           ((int64_t)y * g->ny + r->height - 1) / r->height;
      const double t = (double)sum[at] / ((double)(columns * rows) * UNITS);
      r->value[at] = bad[at] ? NAN : r->least + 2 * t * (r->most / 2 - r->least / 2);
    }
}

PetscErrorCode HgRasterCreate(HgState state, int index, HgRaster *raster) {
  HgMesh mesh = HgStateMesh(state);
  MPI_Comm comm = HgMeshComm(mesh);
  const HgMeshSpec *g = HgMeshGetSpec(mesh);
  PetscMPIInt rank;
  double range[2];
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  raster->width = g->nx < HG_RASTER_MOST ? g->nx : HG_RASTER_MOST;
  raster->height = g->ny < HG_RASTER_MOST ? g->ny : HG_RASTER_MOST;
  const size_t size = (size_t)raster->width * (size_t)raster->height;
  int64_t *sum = HgAllocate(2 * size, sizeof *sum);
  raster->value = rank == 0 ? HgAllocate(size, sizeof *raster->value) : NULL;
  const PetscErrorCode ierr = HgAgree(comm, !sum || (rank == 0 && !raster->value), HG_ERR_MEMORY,
                                      "no memory for a picture");
  if (ierr) {
    free(sum);
    free(raster->value);
    raster->value = NULL;
  }
  PetscCall(ierr);
  find_range(state, index, range);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_DOUBLE, MPI_MIN, comm));
  const bool any = isfinite(range[0]);
  raster->least = any ? range[0] : NAN;
  raster->most = any ? -range[1] : NAN;
  add_cells(state, index, raster->least, raster->most, raster->width, raster->height, sum,
            sum + size);
  PetscCallMPI(MPI_Reduce(rank == 0 ? MPI_IN_PLACE : sum, rank == 0 ? sum : NULL, (int)(2 * size),
                          MPI_INT64_T, MPI_SUM, 0, comm));
  if (rank == 0) average(raster, g, sum, sum + size);
  free(sum);
  return 0;
}

HgColour HgColourOf(double t, bool diverging) {
  /* viridis (S. van der Walt, N. Smith, CC0) and RdBu, reversed (C. Brewer), at equal distances */
  static const unsigned viridis[] = {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e,
                                     0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};
  static const unsigned blue_red[] = {0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7,
                                      0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b, 0x67001f};
  const unsigned *table = diverging ? blue_red : viridis;
  const int last = (int)((diverging ? sizeof blue_red : sizeof viridis) / sizeof *table) - 1;
  if (isnan(t)) return (HgColour){0.6, 0.6, 0.6};
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  const int k = t < 1 ? (int)(t * last) : last - 1;
  const double w = t * last - k;
  double channel[3];
  for (int shift = 0; shift < 3; shift++) {
    const unsigned a = table[k] >> (16 - 8 * shift) & 255,
                   b = table[k + 1] >> (16 - 8 * shift) & 255;
    channel[shift] = ((1 - w) * a + w * b) / 255;
  }
  return (HgColour){channel[0], channel[1], channel[2]};
}
