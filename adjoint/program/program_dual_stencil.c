/* SPDX-License-Identifier: BSD-2-Clause */
/* A stencil on dual numbers: it reads x and all dx_v, writes y and all dy_v. Reversed it adds the
   stencil's adjoint to x_bar and its `second` to each dx_bar_v. */
#include "program_private.h"
#include <halograd/program_dual_library.h>
#include <string.h>

/* The wrapped stencil has `reads` reads and `writes` writes. Variables with a dot come after all
   without. Reads that directions share occur once; `dot` has their indices. */
typedef struct {
  const HgStencil *stencil;
  const void *params;
  int reads, writes, directions;
  const int *dot;
} DualParams;

enum { MOST = HG_DIRECTIONS_MOST * HG_STENCIL_READS };

/* ---- kernels ---- */

/* Rows of dx_v, one direction after the other. */
static void gather(const DualParams *d, const HgRows x[], HgRows dx[]) {
  for (int k = 0; k < d->directions * d->reads; k++) dx[k] = x[d->dot[k]];
}

static void dual_apply(const HgBox *box, const void *params, const HgRows x[],
                       const HgRowsOut y[]) {
  const DualParams *d = params;
  HgRows dx[MOST];
  gather(d, x, dx);
  d->stencil->apply(box, d->params, x, y);
  for (int v = 0; v < d->directions; v++)
    d->stencil->tangent(box, d->params, x, dx + v * d->reads, y + (1 + v) * d->writes);
}

static bool any(int count, const HgRowsOut rows[]) {
  for (int k = 0; k < count; k++)
    if (rows[k]) return true;
  return false;
}

/* y_bar has the cotangents of y, then those of each dy_v: dy_bar_v = y_bar + (1 + v) writes. If a
   cotangent starts from nothing (HgBox.fresh), it does so for all directions. */
static void dual_adjoint(const HgBox *box, const void *params, const HgRows x[],
                         const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const DualParams *d = params;
  const HgStencil *s = d->stencil;
  HgRows dx[MOST];
  HgRowsOut dx_bar[HG_STENCIL_READS];
  gather(d, x, dx);
  if (any(d->reads, x_bar)) s->adjoint(box, d->params, x, y_bar, x_bar);
  for (int v = 0; v < d->directions; v++) {
    const HgRows *const dy_bar = y_bar + (1 + v) * d->writes;
    for (int k = 0; k < d->reads; k++) dx_bar[k] = x_bar[d->dot[v * d->reads + k]];
    if (!any(d->reads, dx_bar)) continue;
    if (s->second) s->second(box, d->params, x, dx + v * d->reads, y_bar, dy_bar, dx_bar);
    else s->adjoint(box, d->params, x, dy_bar, dx_bar);
  }
}

/* ---- what it reads and writes ---- */

/* A pair (a, b) that the stencil declares becomes (a, b) and, for each direction, (a, db) and (da,
   db). */
static PetscErrorCode multiply_pairs(HgDual d, int directions, const HgStencil *s,
                                     HgStencil *dual) {
  const char *(*pairs)[2];
  int count = 0, n = 0;
  if (!s->only_for) return 0;
  while (s->only_for[count][0]) count++;
  PetscCall(PetscCalloc1((1 + 2 * directions) * count + 1, &pairs));
  for (int k = 0; k < count; k++) {
    const char *const a = s->only_for[k][0], *const b = s->only_for[k][1];
    pairs[n][0] = a, pairs[n++][1] = b;
    for (int v = 1; v <= directions; v++) {
      pairs[n][0] = a, pairs[n++][1] = HgDualName(d, v, b);
      pairs[n][0] = HgDualName(d, v, a), pairs[n++][1] = HgDualName(d, v, b);
    }
  }
  dual->only_for = (const char *const(*)[2])pairs;
  return 0;
}

/* The index of `name` in reads[]; `count`: not found. */
static int find_read(const HgRead reads[], int count, const char name[]) {
  int k = 0;
  while (k < count && strcmp(reads[k].name, name)) k++;
  return k;
}

static PetscErrorCode multiply_reads(HgDual d, int directions, const HgTerm *t,
                                     HgDualStencil *dual) {
  const HgStencil *s = t->stencil;
  HgRead *reads;
  int count = t->reads;
  PetscCall(PetscCalloc1((1 + directions) * t->reads + 1, &reads));
  PetscCall(PetscMalloc1(directions * t->reads, &dual->dot));
  for (int k = 0; k < t->reads; k++) reads[k] = s->reads[k];
  for (int v = 0; v < directions; v++)
    for (int k = 0; k < t->reads; k++) {
      HgRead dot = s->reads[k];
      dot.name = HgDualName(d, 1 + v, dot.name);
      if (!s->second) dot.adjoint_radius = HG_ADJOINT_UNUSED;
      const int at = dual->dot[v * t->reads + k] = find_read(reads, count, dot.name);
      if (at == count) reads[count++] = dot;
    }
  dual->stencil.reads = reads;
  return 0;
}

static PetscErrorCode multiply_writes(HgDual d, int directions, const HgTerm *t, HgStencil *dual) {
  const char **writes;
  PetscCall(PetscCalloc1((1 + directions) * t->writes + 1, &writes));
  for (int v = 0; v <= directions; v++)
    for (int k = 0; k < t->writes; k++)
      writes[v * t->writes + k] = HgDualName(d, v, t->stencil->writes[k]);
  dual->writes = writes;
  return 0;
}

PetscErrorCode HgDualStencilCreate(HgDual d, int directions, const HgTerm *t, HgDualStencil *dual) {
  const HgStencil *s = t->stencil;
  DualParams *params;
  char *name;
  PetscCall(PetscMalloc1(strlen(s->name) + 12, &name));
  snprintf(name, strlen(s->name) + 12, "tangent of %s", s->name);
  dual->stencil = (HgStencil){.name = name,
                              .apply = dual_apply,
                              .adjoint = dual_adjoint,
                              .sets = s->sets,
                              .spherical = s->spherical,
                              .levels = s->levels,
                              .columns = s->columns,
                              .params_size = sizeof(DualParams)};
  PetscCall(multiply_reads(d, directions, t, dual));
  PetscCall(multiply_writes(d, directions, t, &dual->stencil));
  PetscCall(multiply_pairs(d, directions, s, &dual->stencil));
  PetscCall(PetscNew(&params));
  *params = (DualParams){s, t->params, t->reads, t->writes, directions, dual->dot};
  dual->params = params;
  return 0;
}

PetscErrorCode HgDualStencilFree(HgDualStencil *dual) {
  PetscCall(PetscFree(dual->stencil.name));
  PetscCall(PetscFree(dual->stencil.reads));
  PetscCall(PetscFree(dual->stencil.writes));
  PetscCall(PetscFree(dual->stencil.only_for));
  PetscCall(PetscFree(dual->params));
  return PetscFree(dual->dot);
}
