/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture_private.h"
#include <halograd/memory_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Sums of integers are the same in any order: so are the pictures, on any decomposition. */
static const double UNITS = 1 << 30;

static int pixel_of(int cell, int pixels, int cells) {
  return (int)((int64_t)cell * pixels / cells);
}

/* What a rank has of a section: cells [0, across) x [0, up) of its own. */
typedef struct {
  HgState state;
  int index, across, up, before[3]; /* before: cells of the domain before the first of its own */
  const HgSection *section;
} Piece;

static Piece piece_of(HgState state, int index, const HgSection *s) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(state));
  const int own[3] = {p->nx, p->ny, HgStateLevels(state, index)};
  Piece piece = {.state = state,
                 .index = index,
                 .across = own[s->across],
                 .up = own[s->up],
                 .before = {p->i_global, p->j_global, 0},
                 .section = s};
  const int at = s->at - piece.before[s->cut];
  if (at < 0 || at >= own[s->cut]) piece.up = 0;
  return piece;
}

/* Its numbers in row `up`: cell a is at [a * step]. */
static const HgReal *row_of(const Piece *p, int up, ptrdiff_t *step) {
  const HgSection *s = p->section;
  int cell[3] = {0};
  cell[s->up] = up, cell[s->cut] = s->at - p->before[s->cut];
  HgReal *const *const rows = HgStateLevel(p->state, p->index, cell[2]);
  *step = s->across == 0 ? 1 : rows[1] - rows[0];
  return &rows[cell[1]][cell[0]];
}

static void add_cells(const Piece *p, const HgRaster *r, int64_t sum[], int64_t bad[]) {
  const HgMeshSpec *g = HgMeshGetSpec(HgStateMesh(p->state));
  const int right = p->section->across, up = p->section->up;
  const double span = r->most / 2 - r->least / 2; /* halves cannot overflow */
  for (int b = 0; b < p->up; b++) {
    ptrdiff_t step;
    const HgReal *const u = row_of(p, b, &step);
    const size_t first =
        (size_t)pixel_of(b + p->before[up], r->height, HgAxisOf(g, up).cells) * (size_t)r->width;
    for (int a = 0; a < p->across; a++) {
      const double v = u[a * step];
      const size_t at =
          first + (size_t)pixel_of(a + p->before[right], r->width, HgAxisOf(g, right).cells);
      if (!isfinite(v)) bad[at]++;
      else if (span > 0) sum[at] += llround((v / 2 - r->least / 2) / span * UNITS);
    }
  }
}

static void find_range(const Piece *p, double range[2]) {
  range[0] = range[1] = INFINITY; /* least, -most */
  for (int b = 0; b < p->up; b++) {
    ptrdiff_t step;
    const HgReal *const u = row_of(p, b, &step);
    for (int a = 0; a < p->across; a++) {
      const double v = u[a * step];
      if (!isfinite(v)) continue;
      range[0] = fmin(range[0], v), range[1] = fmin(range[1], -v);
    }
  }
}

static void average(const HgRaster *r, const HgMeshSpec *g, const int64_t sum[],
                    const int64_t bad[]) {
  const int nx = HgAxisOf(g, r->section.across).cells, ny = HgAxisOf(g, r->section.up).cells;
  for (int y = 0; y < r->height; y++)
    for (int x = 0; x < r->width; x++) {
      const size_t at = (size_t)y * (size_t)r->width + (size_t)x;
      /* cells c with floor(c pixels / cells) = x: from ceil(x cells / pixels) to the next */
      const int64_t columns = ((int64_t)(x + 1) * nx + r->width - 1) / r->width -
                              ((int64_t)x * nx + r->width - 1) / r->width;
      const int64_t rows = ((int64_t)(y + 1) * ny + r->height - 1) / r->height -
                           ((int64_t)y * ny + r->height - 1) / r->height;
      const double t = (double)sum[at] / ((double)(columns * rows) * UNITS);
      r->value[at] = bad[at] ? NAN : r->least + 2 * t * (r->most / 2 - r->least / 2);
    }
}

PetscErrorCode HgRasterCreate(const HgPanel *panel, const HgSection *s, HgRaster *raster) {
  HgMesh mesh = HgStateMesh(panel->state);
  MPI_Comm comm = HgMeshComm(mesh);
  const HgMeshSpec *g = HgMeshGetSpec(mesh);
  PetscMPIInt rank;
  double range[2];
  raster->section = *s;
  const Piece piece = piece_of(panel->state, HgStateFind(panel->state, panel->field), s);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  raster->width = PetscMin(HgAxisOf(g, s->across).cells, HG_RASTER_MOST);
  raster->height = PetscMin(HgAxisOf(g, s->up).cells, HG_RASTER_MOST);
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
  find_range(&piece, range);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_DOUBLE, MPI_MIN, comm));
  const bool any = isfinite(range[0]);
  raster->least = any ? range[0] : NAN;
  raster->most = any ? -range[1] : NAN;
  add_cells(&piece, raster, sum, sum + size);
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
