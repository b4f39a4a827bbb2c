/* SPDX-License-Identifier: BSD-2-Clause */
/* A functional to invert, smooth and not quadratic, as cheap as can be: a curved valley in every
   cell, tied together by an array.

     J(a, b, c) = integral of (1 - a)^2 + 10 (b - a^2)^2 + s (a - c_0 - c_1 x - c_2 y^2)^2,
     s = 1 + x/2
   Sums are exact, so J and its gradient have the same bits on any decomposition. */
#ifndef HALOGRAD_TESTS_VALLEY_H
#define HALOGRAD_TESTS_VALLEY_H

#include "destroy.h"
#include <halograd/operator_library.h>
#include <math.h>

enum { VALLEY_SUMS = 4, VALLEY_NX = 17, VALLEY_NY = 19 };

static inline PetscErrorCode valley_gradient(void *self, HgState m, double *J, HgState g) {
  (void)self;
  const HgMesh mesh = HgStateMesh(m);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  HgReal *const *a = HgStateRows(m, 0), *const *b = HgStateRows(m, 1);
  HgReal *const *ga = HgStateRows(g, 0), *const *gb = HgStateRows(g, 1);
  const double *c = HgStateArray(m, 2), area = s->dx * s->dy;
  HgSum sums[VALLEY_SUMS]; /* J and its derivative by c */
  double values[VALLEY_SUMS];
  for (int k = 0; k < VALLEY_SUMS; k++) HgSumReset(&sums[k]);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double x = s->x0 + s->dx * (p->i_global + i), y = s->y0 + s->dy * (p->j_global + j),
                   weight = area * (1 + x / 2), d = b[j][i] - a[j][i] * a[j][i],
                   r = a[j][i] - c[0] - c[1] * x - c[2] * y * y,
                   terms[VALLEY_SUMS] = {
                       area * ((1 - a[j][i]) * (1 - a[j][i]) + 10 * d * d) + weight * r * r,
                       -2 * weight * r, -2 * weight * r * x, -2 * weight * r * y * y};
      for (int k = 0; k < VALLEY_SUMS; k++) HgSumAdd(&sums[k], 1, &terms[k]);
      ga[j][i] += area * (2 * (a[j][i] - 1) - 40 * a[j][i] * d) + 2 * weight * r;
      gb[j][i] += 20 * area * d;
    }
  PetscCall(HgSumReduce(HgMeshComm(mesh), VALLEY_SUMS, sums, values));
  *J = values[0];
  for (int k = 1; k < VALLEY_SUMS; k++) HgStateArray(g, 2)[k - 1] += values[k];
  return 0;
}

/* dm_bar = J_bar J''(m) dm + dJ_bar J'(m), m_bar = J_bar J'(m) */
static inline PetscErrorCode valley_second(void *self, HgState m, HgState dm, HgState J_bar,
                                           HgState dJ_bar, HgState m_bar, HgState dm_bar) {
  const HgMesh mesh = HgStateMesh(m);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  HgReal *const *a = HgStateRows(m, 0), *const *b = HgStateRows(m, 1);
  HgReal *const *da = HgStateRows(dm, 0), *const *db = HgStateRows(dm, 1);
  const double *dc = HgStateArray(dm, 2), area = s->dx * s->dy;
  const double one = HgStateArray(J_bar, 0)[0], moved = HgStateArray(dJ_bar, 0)[0];
  HgSum sums[VALLEY_SUMS - 1];
  double values[VALLEY_SUMS - 1], J;
  HgState g;
  PetscCall(HgStateDuplicate(m, &g));
  PetscCall(valley_gradient(self, m, &J, g));
  PetscCall(HgStateZero(dm_bar));
  for (int k = 0; k < VALLEY_SUMS - 1; k++) HgSumReset(&sums[k]);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double x = s->x0 + s->dx * (p->i_global + i), y = s->y0 + s->dy * (p->j_global + j),
                   weight = area * (1 + x / 2), d = b[j][i] - a[j][i] * a[j][i],
                   dd = db[j][i] - 2 * a[j][i] * da[j][i],
                   dr = da[j][i] - dc[0] - dc[1] * x - dc[2] * y * y,
                   terms[] = {-2 * weight * dr, -2 * weight * dr * x, -2 * weight * dr * y * y};
      for (int k = 0; k < VALLEY_SUMS - 1; k++) HgSumAdd(&sums[k], 1, &terms[k]);
      HgStateRows(dm_bar, 0)[j][i] =
          area * (2 * da[j][i] - 40 * (da[j][i] * d + a[j][i] * dd)) + 2 * weight * dr;
      HgStateRows(dm_bar, 1)[j][i] = 20 * area * dd;
    }
  PetscCall(HgSumReduce(HgMeshComm(mesh), VALLEY_SUMS - 1, sums, values));
  for (int k = 0; k < VALLEY_SUMS - 1; k++) HgStateArray(dm_bar, 2)[k] = values[k];
  PetscCall(HgStateScale(dm_bar, one));
  PetscCall(HgStateAXPY(dm_bar, moved, g));
  if (m_bar) PetscCall(HgStateZero(m_bar));
  if (m_bar) PetscCall(HgStateAXPY(m_bar, one, g));
  return HgStateDestroy(&g);
}

/* The functional and a first guess on px x py patches of `comm`. Collective. */
static inline PetscErrorCode valley_create(MPI_Comm comm, int px, int py, HgMesh *mesh,
                                           HgOperator *valley, HgState *m) {
  const HgVariable variables[] = {
      {"a", "1", HG_FIELD, 0}, {"b", "1", HG_FIELD, 0}, {"c", "1", HG_REPLICATED, 3}};
  const HgMeshSpec spec = {.nx = VALLEY_NX,
                           .ny = VALLEY_NY,
                           .px = px,
                           .py = py,
                           .x0 = -1,
                           .y0 = -1,
                           .dx = 2. / VALLEY_NX,
                           .dy = 2. / VALLEY_NY,
                           .ghost = 1};
  PetscCall(HgMeshCreate(comm, &spec, mesh));
  PetscCall(HgStateCreate(*mesh, 3, variables, m));
  PetscCall(HgStateRandom(*m, 20260105));
  return HgOperatorCreate("valley", *m, NULL,
                          &(HgOperatorTable){.gradient = valley_gradient, .second = valley_second},
                          NULL, valley);
}

static inline PetscErrorCode valley_destroy(HgMesh *mesh, HgOperator *valley, HgState *m) {
  return DESTROY(m, valley, mesh);
}

#endif
