/* SPDX-License-Identifier: BSD-2-Clause */
#include "gauge_control.h"
#include <math.h>

typedef struct {
  GaugeWay way;
  HgState known, base;
  int h, b, eta; /* in the base */
} Control;

static HgRows rows_of(HgState state, const char name[]) {
  return (HgRows)HgStateRows(state, HgStateFind(state, name));
}

/* The ghosts of owned cells that are written are old from then on. */
static HgRowsOut rows_out(HgState state, int index) {
  HgStateSetGhostDepth(state, index, 0);
  return HgStateRows(state, index);
}

static PetscErrorCode control_apply(void *self, HgState m, HgState x) {
  const Control *c = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const bool surface = c->way == GAUGE_SURFACE;
  PetscCall(HgStateCopy(c->base, x));
  const HgRows depth = rows_of(c->known, "depth"), level = rows_of(c->known, "surface"),
               of_m = rows_of(m, "m");
  const HgRowsOut h = rows_out(x, c->h), b = rows_out(x, c->b), eta = rows_out(x, c->eta);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double D = surface ? depth[j][i] : depth[j][i] * exp(of_m[j][i]);
      const double S = surface ? level[j][i] + of_m[j][i] : level[j][i];
      h[j][i] = S + D, b[j][i] = -D, eta[j][i] = S;
    }
  return 0;
}

static PetscErrorCode control_tangent(void *self, HgState m, HgState dm, HgState dx) {
  const Control *c = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const bool surface = c->way == GAUGE_SURFACE;
  PetscCall(HgStateZero(dx));
  const HgRows depth = rows_of(c->known, "depth"), of_m = rows_of(m, "m"), d = rows_of(dm, "m");
  const HgRowsOut h = rows_out(dx, c->h), b = rows_out(dx, c->b), eta = rows_out(dx, c->eta);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double dD = surface ? 0 : depth[j][i] * exp(of_m[j][i]) * d[j][i];
      const double dS = surface ? d[j][i] : 0;
      h[j][i] = dS + dD, b[j][i] = -dD, eta[j][i] = dS;
    }
  return 0;
}

static PetscErrorCode control_adjoint(void *self, HgState m, HgState x_bar, HgState m_bar) {
  const Control *c = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const HgRows depth = rows_of(c->known, "depth"), of_m = rows_of(m, "m");
  const HgRows h = rows_of(x_bar, "h"), b = rows_of(x_bar, "b"), eta = rows_of(x_bar, "eta");
  const HgRowsOut to = rows_out(m_bar, 0);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      to[j][i] += c->way == GAUGE_SURFACE ? h[j][i] + eta[j][i]
                                          : depth[j][i] * exp(of_m[j][i]) * (h[j][i] - b[j][i]);
  return 0;
}

/* Of the bottom: that of the surface is affine. */
static PetscErrorCode control_second(void *self, HgState m, HgState dm, HgState x_bar,
                                     HgState dx_bar, HgState m_bar, HgState dm_bar) {
  const Control *c = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const HgRows depth = rows_of(c->known, "depth"), of_m = rows_of(m, "m"), d = rows_of(dm, "m");
  const HgRows h = rows_of(x_bar, "h"), b = rows_of(x_bar, "b"), dh = rows_of(dx_bar, "h"),
               db = rows_of(dx_bar, "b");
  const HgRowsOut to = rows_out(dm_bar, 0);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      to[j][i] =
          depth[j][i] * exp(of_m[j][i]) * (dh[j][i] - db[j][i] + d[j][i] * (h[j][i] - b[j][i]));
  if (!m_bar) return 0;
  PetscCall(HgStateZero(m_bar));
  return control_adjoint(self, m, x_bar, m_bar);
}

static PetscErrorCode control_destroy(void *self) {
  Control *c = self;
  PetscCall(HgStateDestroy(&c->known));
  PetscCall(HgStateDestroy(&c->base));
  return PetscFree(c);
}

PetscErrorCode GaugeControlCreate(GaugeWay way, HgState known, HgState base, HgOperator *op) {
  const bool linear = way == GAUGE_SURFACE;
  const HgOperatorTable table = {.apply = control_apply,
                                 .tangent = control_tangent,
                                 .adjoint = control_adjoint,
                                 .destroy = control_destroy,
                                 .second = linear ? NULL : control_second,
                                 .linear = linear};
  HgState m;
  Control *c;
  PetscCall(PetscNew(&c));
  c->way = way;
  PetscCall(HgStateDuplicate(known, &c->known));
  PetscCall(HgStateCopy(known, c->known));
  PetscCall(HgStateDuplicate(base, &c->base));
  PetscCall(HgStateCopy(base, c->base));
  PetscCall(HgStateIndex(base, "h", &c->h));
  PetscCall(HgStateIndex(base, "b", &c->b));
  PetscCall(HgStateIndex(base, "eta", &c->eta));
  PetscCall(HgStateCreate(HgStateMesh(base), 1,
                          &(HgVariable){.name = "m", .unit = linear ? "m" : "1", .kind = HG_FIELD},
                          &m));
  PetscCall(HgOperatorCreate(linear ? "surface" : "bathymetry", m, base, &table, c, op));
  return HgStateDestroy(&m);
}

const char *const *GaugeControlled(GaugeWay way) {
  static const char *const surface[] = {"h", "eta", NULL}, *const bottom[] = {"h", "b", "eta",
                                                                              NULL};
  return way == GAUGE_SURFACE ? surface : bottom;
}
