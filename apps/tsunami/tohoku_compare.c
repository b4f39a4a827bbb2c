/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_compare.h"
#include <math.h>

static const double length = 20e3; /* over which the published source is smoothed [m] */

/* The rectangle of cells around the box, global indices, and on every rank all that lies in it:
   where the box is (1 or 0) and eta there. */
typedef struct {
  int i0, i1, j0, j1, nx;
  double *inside, *eta;
} Box;

static HgReal *const *rows_of(HgState state, const char name[]) {
  return HgStateRows(state, HgStateFind(state, name));
}

/* The same on every rank. */
static PetscErrorCode enclose(const TohokuSource *s, Box *b) {
  const HgMesh mesh = HgStateMesh(s->factors);
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgReal *const *inside = rows_of(s->factors, "box");
  int most[4] = {-PETSC_MAX_INT, -PETSC_MAX_INT, 0, 0}; /* -i0, -j0, i1, j1 */
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      if (inside[j][i] == 0) continue;
      const int x = p->i_global + i, y = p->j_global + j, here[4] = {-x, -y, x + 1, y + 1};
      for (int k = 0; k < 4; k++) most[k] = PetscMax(most[k], here[k]);
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_INT, MPI_MAX, HgMeshComm(mesh)));
  *b = (Box){.i0 = -most[0], .j0 = -most[1], .i1 = most[2], .j1 = most[3]};
  b->nx = b->i1 - b->i0;
  return 0;
}

/* One rank has a cell, the others add 0. */
static PetscErrorCode gather(const TohokuSource *s, HgState eta, Box *b) {
  const HgMesh mesh = HgStateMesh(eta);
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgReal *const *inside = rows_of(s->factors, "box"), *const *from = rows_of(eta, "eta");
  const int cells = b->nx * (b->j1 - b->j0);
  PetscCall(PetscCalloc2(cells, &b->inside, cells, &b->eta));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      if (inside[j][i] == 0) continue;
      const int at = (p->j_global + j - b->j0) * b->nx + p->i_global + i - b->i0;
      b->inside[at] = 1, b->eta[at] = from[j][i];
    }
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, b->inside, cells, MPI_DOUBLE, MPI_SUM, HgMeshComm(mesh)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, b->eta, cells, MPI_DOUBLE, MPI_SUM, HgMeshComm(mesh)));
  return 0;
}

/* At a cell of the box: x and y its place in the rectangle, cells so wide and high [m]. */
static double average(const Box *b, int x, int y, double width, double height, double scale) {
  const int rx = (int)(4 * scale / width), ry = (int)(4 * scale / height);
  double sum = 0, weights = 0;
  for (int j = PetscMax(y - ry, 0); j <= PetscMin(y + ry, b->j1 - b->j0 - 1); j++)
    for (int i = PetscMax(x - rx, 0); i <= PetscMin(x + rx, b->nx - 1); i++) {
      const double east = (i - x) * width / scale, north = (j - y) * height / scale,
                   w = b->inside[j * b->nx + i] * exp(-0.5 * (east * east + north * north));
      weights += w, sum += w * b->eta[j * b->nx + i];
    }
  return sum / weights;
}

PetscErrorCode TohokuSmooth(const TohokuSource *s, HgState eta, double scale, HgState smooth) {
  const HgMesh mesh = HgStateMesh(eta);
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgReal *const *inside = rows_of(s->factors, "box"), *const *to = rows_of(smooth, "eta");
  Box b;
  PetscCall(enclose(s, &b));
  PetscCall(gather(s, eta, &b));
  for (int j = 0; j < p->ny; j++) {
    const double width =
        HgMeshGetMetric(mesh)->width * HgMeshGetMetric(mesh)->latitudes[p->j_global + j].cosine;
    for (int i = 0; i < p->nx; i++)
      to[j][i] = inside[j][i] == 0 ? 0
                                   : average(&b, p->i_global + i - b.i0, p->j_global + j - b.j0,
                                             width, HgMeshGetMetric(mesh)->height, scale);
  }
  HgStateSetGhostDepth(smooth, HgStateFind(smooth, "eta"), 0);
  return PetscFree2(b.inside, b.eta);
}

enum { AA, BB, AB, SUMS };

PetscErrorCode TohokuCorrelation(const TohokuSource *s, HgState a, HgState b, double *correlation) {
  const HgMesh mesh = HgStateMesh(a);
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgReal *const *inside = rows_of(s->factors, "box"), *const *u = rows_of(a, "eta"),
                *const *v = rows_of(b, "eta");
  double mean[2] = {0, 0}, t[SUMS];
  for (int round = 0; round < 2; round++) {
    HgSum sums[SUMS];
    for (int k = 0; k < SUMS; k++) HgSumReset(&sums[k]);
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) {
        const double area = inside[j][i] * HgMeshGetMetric(mesh)->latitudes[p->j_global + j].cosine,
                     x = u[j][i] - mean[0], y = v[j][i] - mean[1];
        const double means[SUMS] = {area * x, area * y, area},
                     products[SUMS] = {area * (x * x), area * (y * y), area * (x * y)};
        for (int k = 0; k < SUMS; k++) HgSumAdd(&sums[k], 1, round ? &products[k] : &means[k]);
      }
    PetscCall(HgSumReduce(HgMeshComm(mesh), SUMS, sums, t));
    if (!round) mean[0] = t[0] / t[2], mean[1] = t[1] / t[2];
  }
  *correlation = t[AA] > 0 && t[BB] > 0 ? t[AB] / sqrt(t[AA] * t[BB]) : 0; /* 0: of no wave */
  return 0;
}

PetscErrorCode TohokuCompare(HgRun run, const TohokuSource *source, const TohokuSlip *slip,
                             HgState eta) {
  const HgReport report = HgRunReport(run);
  HgState smooth;
  double plain, smoothed;
  if (!slip->faults) return 0;
  PetscCall(HgStateDuplicate(slip->published, &smooth));
  PetscCall(TohokuSmooth(source, slip->published, length, smooth));
  PetscCall(TohokuCorrelation(source, eta, slip->published, &plain));
  PetscCall(TohokuCorrelation(source, eta, smooth, &smoothed));
  PetscCall(HgStateDestroy(&smooth));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "correlation with the published source %.3f, with it smoothed by 20 km "
                        "%.3f\n",
                        plain, smoothed));
  PetscCall(HgReportSetReal(report, "correlation_unsmoothed", plain));
  return HgReportSetReal(report, "correlation", smoothed);
}
