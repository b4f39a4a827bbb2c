/* SPDX-License-Identifier: BSD-2-Clause */
#include "bare.h"
#include <halograd/mesh_library.h>
#include <halograd/real_library.h>
#include <string.h>

enum { MARGIN = 8, FIRST_LEVEL = 24 << 10 /* bytes */ };

/* What a field is in a step: read, written, the cotangent of what was written, of what was read. */
enum { NOW, NEXT, BAR, SUM, KINDS };

struct BareField_s {
  const char *name;
  HgReal *data[KINDS], **table[KINDS], **rows[KINDS];
};

static int field_of(Bare *b, const char name[]) {
  int k = 0;
  while (k < b->fields && strcmp(b->field[k].name, name)) k++;
  if (k == b->fields) b->field[b->fields++].name = name;
  return k;
}

/* Names of all terms; *radius: the largest. */
static PetscErrorCode find_fields(Bare *b, int *radius) {
  const HgStencil *s;
  const void *params;
  int most = 0;
  *radius = 0;
  for (int k = 0; HgProgramTerm(b->program, k, &s, &params); k++) {
    HgRequire(HgMeshComm(HgProgramMesh(b->program)), s, HG_ERR_ARGUMENT,
              "bench: a term of '%s' is an operator, expected stencils", HgProgramName(b->program));
    for (const HgRead *r = s->reads; r->name; r++) most++, *radius = PetscMax(*radius, r->radius);
    for (int l = 0; s->writes[l]; l++) most++;
  }
  PetscCall(PetscCalloc1(most, &b->field));
  for (int k = 0; HgProgramTerm(b->program, k, &s, &params); k++) {
    for (const HgRead *r = s->reads; r->name; r++) (void)field_of(b, r->name);
    for (int l = 0; s->writes[l]; l++) (void)field_of(b, s->writes[l]);
  }
  return 0;
}

/* Fields begin at different places of a page, as those of a state do. */
static PetscErrorCode fill(const Bare *b, bool small, size_t slab, size_t beside,
                           struct BareField_s *f) {
  const size_t height = (size_t)b->box.j1 + 2 * MARGIN;
  for (int k = 0; k < KINDS; k++) {
    const size_t shift = (size_t)((KINDS * (int)(f - b->field) + k) * 37 % 61) * 8;
    const size_t size = (small ? 1 : height) * slab + shift;
    PetscCall(PetscMalloc2(size, &f->data[k], height, &f->table[k]));
    for (size_t n = 0; n < size; n++) f->data[k][n] = (HgReal)(1 + 1e-3 * (double)(n % 17));
    for (size_t j = 0; j < height; j++)
      f->table[k][j] = f->data[k] + shift + (small ? 0 : j * slab) + beside;
    f->rows[k] = f->table[k] + MARGIN;
  }
  return 0;
}

/* The narrow box has as many columns as let all fields, of three kinds in an adjoint, stay in the
   first-level cache. */
static void shrink(Bare *b, int radius) {
  const int slabs = b->box.nz > 1 ? 2 * radius + 1 : 1;
  const int fitting =
      FIRST_LEVEL / (int)sizeof(HgReal) / (slabs * b->fields * (KINDS - 1)) - 2 * MARGIN;
  b->box.i1 = PetscMin(b->box.i1, PetscMax(32, fitting / 8 * 8));
  b->box.j1 = PetscMin(b->box.j1, 64);
  b->box.k1 = b->box.nz = 1;
}

PetscErrorCode BareCreate(HgProgram program, bool small, long laps, Bare *b) {
  int radius;
  *b = (Bare){.program = program, .box = HgProgramBox(program, 0)};
  const bool levels = HgMeshGetSpec(HgProgramMesh(program))->nz > 0;
  const double cells = (double)b->box.i1 * b->box.j1 * b->box.k1;
  PetscCall(find_fields(b, &radius));
  if (small) shrink(b, radius);
  b->laps = (long)PetscMax(1, (double)laps * cells / b->box.i1 / b->box.j1 / b->box.k1);
  b->box.pitch = (b->box.i1 + 2 * MARGIN + HG_LINE) / HG_LINE * HG_LINE;
  const size_t pitch = (size_t)b->box.pitch, above = levels ? MARGIN : 0,
               slab = ((size_t)b->box.k1 + 2 * above) * pitch, beside = above * pitch + MARGIN;
  PetscCall(PetscCalloc1(b->box.i1, &b->zeros));
  b->box.zeros = b->zeros;
  for (int k = 0; k < b->fields; k++) PetscCall(fill(b, small, slab, beside, &b->field[k]));
  return 0;
}

PetscErrorCode BareDestroy(Bare *b) {
  for (int k = 0; k < b->fields; k++)
    for (int kind = 0; kind < KINDS; kind++)
      PetscCall(PetscFree2(b->field[k].data[kind], b->field[k].table[kind]));
  PetscCall(PetscFree(b->zeros));
  return PetscFree(b->field);
}

double BareCells(const Bare *b) { return (double)b->laps * b->box.i1 * b->box.j1 * b->box.k1; }

enum { MOST = 32 };

typedef struct {
  const HgStencil *stencil;
  const void *params;
  HgRows x[MOST], y_bar[MOST];
  HgRowsOut y[MOST], x_bar[MOST];
} Term;

static bool term_at(Bare *b, int k, Term *t) {
  if (!HgProgramTerm(b->program, k, &t->stencil, &t->params)) return false;
  for (int l = 0; t->stencil->reads[l].name; l++) {
    const struct BareField_s *const f = &b->field[field_of(b, t->stencil->reads[l].name)];
    t->x[l] = (HgRows)f->rows[NOW], t->x_bar[l] = f->rows[SUM];
  }
  for (int l = 0; t->stencil->writes[l]; l++) {
    const struct BareField_s *const f = &b->field[field_of(b, t->stencil->writes[l])];
    t->y[l] = f->rows[NEXT], t->y_bar[l] = (HgRows)f->rows[BAR];
  }
  return true;
}

PetscErrorCode BareApply(void *self) {
  Bare *b = self;
  Term t;
  for (long lap = 0; lap < b->laps; lap++)
    for (int k = 0; term_at(b, k, &t); k++) t.stencil->apply(&b->box, t.params, t.x, t.y);
  return 0;
}

/* Every x_bar starts from nothing. */
PetscErrorCode BareAdjoint(void *self) {
  Bare *b = self;
  Term t;
  for (long lap = 0; lap < b->laps; lap++)
    for (int k = 0; term_at(b, k, &t); k++) {
      b->box.fresh = t.stencil->sets ? ~0u : 0;
      t.stencil->adjoint(&b->box, t.params, t.x, t.y_bar, t.x_bar);
    }
  return 0;
}
