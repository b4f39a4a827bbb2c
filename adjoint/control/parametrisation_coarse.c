/* SPDX-License-Identifier: BSD-2-Clause */
#include "control_private.h"
#include <halograd/state_library.h>

enum { SUMS = 2048 }; /* exact sums at a time, about 1 MB; an axis has at most so many nodes */

/* Cell k is between the nodes left[k] and right[k], at the fraction to_right[k] of their distance,
   which gives the weights of both. */
typedef struct {
  int *left, *right;
  double *to_left, *to_right;
} Axis;

typedef struct {
  int nx, ny, cx, cy;
  Axis x, y;
  double *row; /* of the patch */
  HgSum *sums;
} Coarse;

/* For cells first .. first + count - 1 of n. Cell k of a walled axis is at k (nodes - 1) / (n - 1),
   of a periodic axis at k nodes / n: integers and one division. */
static PetscErrorCode axis_create(int count, int first, int n, int nodes, bool periodic, Axis *a) {
  const int64_t cells = periodic ? n : n - 1, steps = periodic ? nodes : nodes - 1;
  PetscCall(
      PetscMalloc4(count, &a->left, count, &a->right, count, &a->to_left, count, &a->to_right));
  for (int k = 0; k < count; k++) {
    const int64_t place = (first + k) * steps;
    a->left[k] = (int)(place / cells);
    a->to_right[k] = (double)(place % cells) / (double)cells;
    a->to_left[k] = 1 - a->to_right[k];
    a->right[k] = a->left[k] + 1 < nodes ? a->left[k] + 1 : periodic ? 0 : nodes - 1;
  }
  return 0;
}

static PetscErrorCode axis_destroy(Axis *a) {
  return PetscFree4(a->left, a->right, a->to_left, a->to_right);
}

static PetscErrorCode coarse_destroy(void *self) {
  Coarse *c = self;
  PetscCall(axis_destroy(&c->x));
  PetscCall(axis_destroy(&c->y));
  PetscCall(PetscFree2(c->row, c->sums));
  return PetscFree(c);
}

/* Written so that equal numbers are interpolated exactly. */
static inline double between(double a, double b, double fraction) { return a + fraction * (b - a); }

static PetscErrorCode coarse_apply(void *self, HgState x, HgState y) {
  const Coarse *c = self;
  const double *const theta = HgStateArray(x, 0);
  HgReal *const *u = HgStateRows(y, 0);
  for (int j = 0; j < c->ny; j++) {
    const double *south = theta + c->y.left[j] * c->cx, *north = theta + c->y.right[j] * c->cx;
    for (int i = 0; i < c->nx; i++) {
      const int w = c->x.left[i], e = c->x.right[i];
      u[j][i] = between(between(south[w], south[e], c->x.to_right[i]),
                        between(north[w], north[e], c->x.to_right[i]), c->y.to_right[j]);
    }
  }
  HgStateSetGhostDepth(y, 0, 0);
  return 0;
}

/* sums[node] += weight_x(node, i) c->row[i]: runs of cells between the same two nodes. */
static void add_row(const Coarse *c, HgSum sums[]) {
  for (int i = 0, end; i < c->nx; i = end) {
    for (end = i + 1; end < c->nx && c->x.left[end] == c->x.left[i];) end++;
    const size_t n = (size_t)(end - i);
    HgSumAddProducts(&sums[c->x.left[i]], n, c->x.to_left + i, c->row + i);
    HgSumAddProducts(&sums[c->x.right[i]], n, c->x.to_right + i, c->row + i);
  }
}

/* Processes as many rows of nodes at a time as there are sums for. */
static PetscErrorCode coarse_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Coarse *c = self;
  HgReal *const *w = HgStateRows(y_bar, 0);
  double *theta_bar = HgStateArray(x_bar, 0), total[SUMS];
  const int rows = SUMS / c->cx;
  for (int first = 0; first < c->cy; first += rows) {
    const int end = first + rows < c->cy ? first + rows : c->cy, count = (end - first) * c->cx;
    for (int k = 0; k < count; k++) HgSumReset(&c->sums[k]);
    for (int j = 0; j < c->ny; j++)
      for (int side = 0; side < 2; side++) {
        const int node = side ? c->y.right[j] : c->y.left[j];
        const double weight = side ? c->y.to_right[j] : c->y.to_left[j];
        if (node < first || node >= end) continue;
        for (int i = 0; i < c->nx; i++) c->row[i] = weight * w[j][i];
        add_row(c, c->sums + (node - first) * c->cx);
      }
    PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(x)), count, c->sums, total));
    for (int k = 0; k < count; k++) theta_bar[first * c->cx + k] += total[k];
  }
  return 0;
}

PetscErrorCode HgParametrisationCoarse(HgMesh mesh, const char control[], const char field[],
                                       const char unit[], int cx, int cy, HgOperator *op) {
  static const HgOperatorTable table = {
      .apply = coarse_apply, .adjoint = coarse_adjoint, .destroy = coarse_destroy, .linear = true};
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  PetscCall(HgParametrisationFlat(mesh, "coarse", field));
  HgRequire(HgMeshComm(mesh),
            cx >= 2 && cy >= 2 && cx <= s->nx && cy <= s->ny && cx <= SUMS && cy <= SUMS,
            HG_ERR_CONTROL,
            "coarse parametrisation of '%s': %d x %d nodes given, expected at least 2 x 2 and at "
            "most %d x %d, the cells of the mesh, and %d along an axis",
            field, cx, cy, s->nx, s->ny, SUMS);
  const HgVariable in = {control, unit, HG_REPLICATED, cx * cy}, out = {field, unit, HG_FIELD, 0};
  Coarse *c;
  PetscCall(PetscNew(&c));
  c->nx = p->nx, c->ny = p->ny, c->cx = cx, c->cy = cy;
  PetscCall(axis_create(p->nx, p->i_global, s->nx, cx, s->periodic_x, &c->x));
  PetscCall(axis_create(p->ny, p->j_global, s->ny, cy, s->periodic_y, &c->y));
  PetscCall(PetscMalloc2(p->nx, &c->row, PetscMin(SUMS, cx * cy), &c->sums));
  return HgParametrisationCreate(mesh, "coarse parametrisation", &in, &out, &table, c, op);
}
