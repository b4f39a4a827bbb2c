/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program is to be given before it runs: walls that are stated, ghosts and patches that are
   wide enough, the same params on all ranks; which variables there are. */
#include <halograd/boundary_library.h>
#include <halograd/error_library.h>
#include <halograd/exchange_library.h>
#include <halograd/step_library.h>
#include <limits.h>
#include <string.h>

/* ---- walls ---- */

/* Error: a stencil reads across a wall where nobody has stated a boundary. */
static PetscErrorCode require_walls(HgProgram p, const HgTerm *t) {
  for (int k = 0; k < t->reads; k++) {
    const HgProgramVariable *v = HgVersionVariable(p, t->read[k]);
    char sides[HG_SIDES_SIZE] = "";
    if (t->stencil->reads[k].radius > 0)
      HgBoundaryUnstated(p->mesh, &v->boundary, v->surface, sides);
    HgRequire(
        HgMeshComm(p->mesh), !sides[0], HG_ERR_BOUNDARY,
        "program '%s': stencil '%s' reads '%s' across the walls (%s), and nothing states what "
        "lies beyond; state it in the text of its physics (fixed, copy, mirror, closed or frozen) "
        "or by HgProgramSetBoundary(), or make the mesh periodic",
        p->name, t->stencil->name, v->name, sides);
  }
  return 0;
}

PetscErrorCode HgProgramStateWalls(HgProgram p) {
  for (int k = 0; k < p->terms; k++) PetscCall(require_walls(p, &p->term[k]));
  for (int k = 0; k < p->variables; k++) {
    HgBoundary *const b = &p->variable[k].boundary;
    HgSide *const sides[] = {&b->west, &b->east, &b->south, &b->north, &b->below, &b->above};
    for (int n = 0; n < 6; n++)
      if (sides[n]->kind == HG_UNSTATED) *sides[n] = (HgSide){HG_COPY, 0};
  }
  return 0;
}

PetscErrorCode HgProgramCheckDepths(HgProgram p) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    HgRequire(comm, v->depth <= p->ghost, HG_ERR_HALO,
              "program '%s': variable '%s' needs %d ghost layers, but the mesh has ghost width %d",
              p->name, v->name, v->depth, p->ghost);
    PetscCall(HgBoundaryCheckClosed(p->mesh, &v->boundary, v->location, v->name));
    PetscCall(HgBoundaryCheck(p->mesh, &v->boundary, v->surface, v->depth, v->name));
    if (!v->depth) continue;
    HgExchange probe; /* says which patch is too thin */
    PetscCall(HgExchangeCreate(p->mesh, 1, &v->surface, &v->depth, &probe));
    PetscCall(HgExchangeDestroy(&probe));
  }
  return 0;
}

/* ---- what stencils and variables are ---- */

PetscErrorCode HgProgramCheckMesh(HgProgram p, const HgStencil *s) {
  HgRequire(HgMeshComm(p->mesh), !s->levels || HgMeshGetSpec(p->mesh)->nz, HG_ERR_STENCIL,
            "program '%s': stencil '%s' computes levels, but the mesh has none; set nz and dz",
            p->name, s->name);
  if (s->spherical || !HgMeshGetMetric(p->mesh)->latitudes) return 0;
  for (int k = 0; s->reads[k].name; k++)
    HgRequire(
        HgMeshComm(p->mesh), !s->reads[k].radius, HG_ERR_STENCIL,
        "program '%s': stencil '%s' reads '%s' around a cell and knows no sphere, on which the "
        "mesh lies (HgStencil.spherical)",
        p->name, s->name, s->reads[k].name);
  return 0;
}

PetscErrorCode HgProgramCheckLimited(HgProgram p) {
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    HgRequire(HgMeshComm(p->mesh), !v->limited || v->role == HG_CARRIED, HG_ERR_VARIABLE,
              "program '%s': '%s' has a limit, but it is %s, expected a carried variable", p->name,
              v->name, v->role == HG_CONSTANT ? "a constant" : "work within a step");
    HgRequire(HgMeshComm(p->mesh), !v->limited || v->kind == HG_FIELD, HG_ERR_VARIABLE,
              "program '%s': '%s' has a limit, but it is an array, expected a field", p->name,
              v->name);
  }
  return 0;
}

/* ---- variables by name ---- */

PetscErrorCode HgProgramKnownVariable(HgProgram p, const char name[], int *index) {
  char known[256] = "";
  for (*index = 0; *index < p->variables; ++*index) {
    if (!strcmp(p->variable[*index].name, name)) return 0;
    HgSentenceAdd(sizeof known, known, "%s%s", *index ? ", " : "", p->variable[*index].name);
  }
  return HgError(HgMeshComm(p->mesh), HG_ERR_VARIABLE_UNKNOWN,
                 "program '%s': no variable '%s', expected one of: %s", p->name, name, known);
}

/* ---- params ---- */

/* Whether word k of params can be a double or two floats. Otherwise it is an address (each rank has
   its own), an integer, or padding. */
static bool is_number(const uint64_t words[], size_t k) { return !words[k] || words[k] >> 48; }

/* *byte: position of the first number in `params` that differs from rank 0's; `size`: none. */
static PetscErrorCode compare_params(MPI_Comm comm, const void *params, size_t size, size_t *byte) {
  const size_t count = (size + sizeof(uint64_t) - 1) / sizeof(uint64_t);
  uint64_t *own, *first;
  size_t k = 0;
  PetscCall(PetscCalloc2(count, &own, count, &first));
  PetscCall(PetscMemcpy(own, params, size));
  PetscCall(PetscMemcpy(first, own, size));
  PetscCallMPI(MPI_Bcast(first, (int)count, MPI_UINT64_T, 0, comm));
  while (k < count && (own[k] == first[k] || !is_number(own, k) || !is_number(first, k))) k++;
  *byte = k < count ? k * sizeof(uint64_t) : size;
  return PetscFree2(own, first);
}

/* The number of entries of a table according to params, and their address. */
static long entries(HgProgram p, const void *params, const HgTable *of, const double **table) {
  const HgMeshSpec *m = HgMeshGetSpec(p->mesh);
  long count = of->axis == 'i' ? m->nx : m->ny;
  memcpy(table, (const char *)params + of->table, sizeof *table);
  if (of->axis == 's') memcpy(&count, (const char *)params + of->count, sizeof count);
  return count;
}

/* Error: entries of a table differ from rank 0's. */
static PetscErrorCode compare_table(HgProgram p, const void *params, const HgTable *of,
                                    bool *same) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  const double *table;
  double *first;
  long own = entries(p, params, of, &table);
  if (!table || own < 0) own = 0;
  long count = PetscMin(own, INT_MAX);
  PetscCallMPI(MPI_Bcast(&count, 1, MPI_LONG, 0, comm));
  PetscCall(PetscCalloc1(count, &first));
  if (own == count) PetscCall(PetscArraycpy(first, table, count));
  PetscCallMPI(MPI_Bcast(first, (int)count, MPI_DOUBLE, 0, comm));
  *same = own == count && (!count || !memcmp(first, table, sizeof *first * (size_t)count));
  return PetscFree(first);
}

static PetscErrorCode check_tables(HgProgram p, const char taker[], const void *params,
                                   const HgTable tables[]) {
  const double *table;
  for (const HgTable *of = tables; of && of->axis; of++) {
    bool same = false;
    PetscCall(compare_table(p, params, of, &same));
    PetscCall(HgAgree(HgMeshComm(p->mesh), !same, HG_ERR_RANKS_DIFFER,
                      "program '%s': table %d in the params of '%s' differs between ranks; give "
                      "all ranks the same entries",
                      p->name, (int)(of - tables) + 1, taker));
    PetscCall(HgAgree(
        HgMeshComm(p->mesh), entries(p, params, of, &table) > 0 && !table, HG_ERR_PHYSICS,
        "program '%s': table %d in the params of '%s', read by %s, is not given; one "
        "by i or j stands in a struct of C, else declare a field",
        p->name, (int)(of - tables) + 1, taker, of->axis == 's' ? "step" : (char[]){of->axis, 0}));
  }
  return 0;
}

PetscErrorCode HgProgramCheckParams(HgProgram p, const char taker[], const void *params,
                                    size_t size, const HgTable tables[]) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  size_t byte = size;
  PetscCall(HgAgree(comm, size && !params, HG_ERR_PHYSICS,
                    "program '%s': '%s' takes %zu bytes of params, but none were given", p->name,
                    taker, size));
  PetscCall(HgAgree(comm, !size && params, HG_ERR_PHYSICS,
                    "program '%s': '%s' takes no params (its params_size is 0), but some were "
                    "given; set .params_size to the size of their struct",
                    p->name, taker));
  if (!size) return 0;
  PetscCall(compare_params(comm, params, size, &byte));
  double number = 0;
  if (byte + sizeof number <= size) memcpy(&number, (const char *)params + byte, sizeof number);
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(
      HgAgree(comm, byte < size, HG_ERR_RANKS_DIFFER,
              "program '%s': the params of '%s' differ between ranks: byte %zu of %zu on (%g as a "
              "double) is another on rank 0 than on rank %d; give all ranks the same numbers",
              p->name, taker, byte, size, number, rank));
  return check_tables(p, taker, params, tables);
}
