/* SPDX-License-Identifier: BSD-2-Clause */
/* How far something wet reaches, found once: cell by cell, then as stretches of rows. */
#include "mask_private.h"
#include <halograd/boundary_library.h>
#include <halograd/exchange_library.h>
#include <halograd/real_library.h>
#include <limits.h>

/* ---- whose it is ---- */
static PetscErrorCode free_table(HgStretchTable *t) {
  PetscCall(PetscFree(t->first));
  return PetscFree(t->stretch);
}

PetscErrorCode HgMaskReference(HgMask m) {
  m->references++;
  return 0;
}

PetscErrorCode HgMaskDestroy(HgMask *mask) {
  HgMask m = *mask;
  *mask = NULL;
  if (!m || --m->references) return 0;
  for (int reach = 0; reach < HG_REACHES; reach++) {
    PetscCall(free_table(&m->exact[reach]));
    for (int n = 0; n < HG_MASK_HEIGHTS; n++) PetscCall(free_table(&m->worth[reach][n]));
  }
  return PetscFree(m);
}

/* ---- how far it reaches ---- */

/* Ghosts of the owned cells; outside walls, what the nearest cell inside has. */
static PetscErrorCode fill_ghosts(HgMesh mesh, int ghosts, HgReal *const *rows) {
  const HgBoundary copy = HgBoundaryAll(HG_COPY, 0);
  HgReal *const *fields[1] = {rows};
  HgExchange exchange;
  if (!ghosts) return 0;
  PetscCall(HgExchangeCreate(mesh, 1, (const bool[]){true}, &ghosts, &exchange));
  PetscCall(HgExchangeApply(exchange, fields));
  PetscCall(HgExchangeDestroy(&exchange));
  HgBoundaryApply(mesh, &copy, true, HG_PRIMAL, ghosts, rows);
  return 0;
}

/* to = 1 where `from` is not 0 within the radius, else 0. */
static PetscErrorCode widen(HgMesh mesh, int radius, int ghosts, HgReal *const *from,
                            HgReal *const *to) {
  const HgPatch *patch = HgMeshGetPatch(mesh);
  for (int j = 0; j < patch->ny; j++)
    for (int i = 0; i < patch->nx; i++) {
      bool any = false;
      for (int l = j - radius; l <= j + radius && !any; l++)
        for (int k = i - radius; k <= i + radius && !any; k++) any = from[l][k] != 0;
      to[j][i] = any;
    }
  return fill_ghosts(mesh, ghosts, to);
}

/* ---- row by row ---- */

/* Rows of 0 and 1, columns [i0, i1); how many of them together, in whole lines of so many columns,
   across gaps up to so many. */
typedef struct {
  HgReal *const *rows;
  int i0, i1, high, line, gap;
} Cells;

static bool any(const Cells *c, int i, int j, int j_end) {
  for (; j < j_end; j++)
    if (c->rows[j][i] != 0) return true;
  return false;
}

/* The stretches of the rows from j on, none from `last` on; where they reach the ends, they go on
   beyond. `to` may be NULL: they are counted. */
static int stretches_of(const Cells *c, int j, int last, HgStretch *to) {
  enum { BEYOND = INT_MAX / 4 };

  const int end = PetscMin(j + c->high, last);
  HgStretch one = {0, 0};
  int count = 0;
  for (int i = c->i0; i < c->i1; i++) {
    if (!any(c, i, j, end)) continue;
    const int from = i & ~(c->line - 1);
    while (i < c->i1 && any(c, i, j, end)) i++;
    const int until = i == c->i1 ? BEYOND : (i + c->line - 1) & ~(c->line - 1);
    if (!count || from > one.i1 + c->gap) one.i0 = from <= c->i0 ? -BEYOND : from, count++;
    one.i1 = until;
    if (to) to[count - 1] = one;
  }
  return count;
}

static PetscErrorCode make_table(const HgMask m, const Cells *c, HgStretchTable *t) {
  const int high = m->j1 - m->j0;
  int count = 0;
  PetscCall(PetscMalloc1(high + 1, &t->first));
  for (int j = 0; j < high; j++) {
    t->first[j] = count;
    count += stretches_of(c, m->j0 + j, m->j1, NULL);
  }
  t->first[high] = count;
  PetscCall(PetscMalloc1(count + 1, &t->stretch));
  for (int j = 0; j < high; j++) stretches_of(c, m->j0 + j, m->j1, t->stretch + t->first[j]);
  return 0;
}

static bool is_dry(const HgMask m, const Cells *c) {
  for (int j = m->j0; j < m->j1; j++)
    for (int i = c->i0; i < c->i1; i++)
      if (c->rows[j][i] == 0) return true;
  return false;
}

static PetscErrorCode make_tables(HgMask m, int i0, int i1, HgReach reach, HgReal *const *rows) {
  enum { GAP = 16 }; /* what takes no longer than a call of its own */

  const Cells exact = {rows, i0, i1, 1, 1, 0};
  m->dry = m->dry || is_dry(m, &exact);
  PetscCall(make_table(m, &exact, &m->exact[reach]));
  for (int n = 0; n < HG_MASK_HEIGHTS; n++) {
    const Cells worth = {rows, i0, i1, 1 << n, HG_LINE, GAP};
    PetscCall(make_table(m, &worth, &m->worth[reach][n]));
  }
  return 0;
}

/* ---- the mask ---- */
enum { WET, WRITTEN, READ, FIELDS };

static PetscErrorCode create(HgMesh mesh, HgState fields, int ghosts, HgMask m) {
  const int i0 = -ghosts, i1 = HgMeshGetPatch(mesh)->nx + ghosts;
  HgReal *const *const rows[FIELDS] = {HgStateRows(fields, WET), HgStateRows(fields, WRITTEN),
                                       HgStateRows(fields, READ)};
  const HgWindow domain = HgWindowOfPatch(mesh, true, ghosts);
  m->domain = (HgSpan){domain.i0, domain.i1, domain.j0, domain.j1};
  m->j0 = -ghosts, m->j1 = HgMeshGetPatch(mesh)->ny + ghosts;
  PetscCall(fill_ghosts(mesh, ghosts, rows[WET]));
  PetscCall(widen(mesh, m->radius, ghosts, rows[WET], rows[WRITTEN]));
  PetscCall(widen(mesh, m->radius, ghosts, rows[WRITTEN], rows[READ]));
  PetscCall(make_tables(m, i0, i1, HG_REACH_WRITTEN, rows[WRITTEN]));
  return make_tables(m, i0, i1, HG_REACH_READ, rows[READ]);
}

PetscErrorCode HgMaskCreate(HgState wet, int index, int radius, int ghosts, HgMask *mask) {
  static const HgVariable list[FIELDS] = {{"wet", "1", HG_FIELD, 0, true},
                                          {"written", "1", HG_FIELD, 0, true},
                                          {"read", "1", HG_FIELD, 0, true}};
  const HgMesh mesh = HgStateMesh(wet);
  HgState fields;
  HgMask m;
  *mask = NULL;
  PetscCall(HgStateCreate(mesh, FIELDS, list, &fields));
  PetscCall(PetscNew(&m));
  m->references = 1, m->radius = radius;
  for (int j = 0; j < HgMeshGetPatch(mesh)->ny; j++)
    PetscCall(PetscArraycpy(HgStateRows(fields, WET)[j], HgStateRows(wet, index)[j],
                            HgMeshGetPatch(mesh)->nx));
  const PetscErrorCode ierr = create(mesh, fields, ghosts, m);
  PetscCall(HgStateDestroy(&fields));
  if (ierr) PetscCall(HgMaskDestroy(&m));
  *mask = m;
  return ierr;
}
