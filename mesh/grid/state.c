/* SPDX-License-Identifier: BSD-2-Clause */
/* Storage, layout and access. Arithmetic is in state_algebra.c, the digest in state_digest.c. */
#include "state_private.h"
#include <halograd/error_library.h>
#include <halograd/memory_library.h>
#include <halograd/mesh_library.h>
#include <halograd/real_library.h>
#include <halograd/unit_library.h>
#include <string.h>

static size_t whole_lines(size_t n) { return (n + HG_LINE - 1) / HG_LINE * HG_LINE; }

static PetscErrorCode check_variables(MPI_Comm comm, int count, const HgVariable variables[]) {
  HgRequire(comm, count >= 1, HG_ERR_VARIABLE, "state: %d variables given, expected at least one",
            count);
  for (int k = 0; k < count; k++) {
    const HgVariable *v = &variables[k];
    const size_t length = v->name ? strlen(v->name) : 0;
    HgRequire(comm, length >= 1 && length < HG_NAME_SIZE, HG_ERR_VARIABLE,
              "state: name of variable %d has %zu characters, expected 1 to %d", k, length,
              HG_NAME_SIZE - 1);
    for (int l = 0; l < k; l++)
      HgRequire(comm, strcmp(variables[l].name, v->name), HG_ERR_VARIABLE,
                "state: variable '%s' is given twice", v->name);
    PetscCall(HgAgree(comm, !HgIsField(v) && v->size < 0, HG_ERR_VARIABLE,
                      "state: array '%s' has size %d, expected at least 0", v->name, v->size));
  }
  return 0;
}

/* Pitch in HgReals. Rows are aligned; it is no multiple of 4 KiB, which would map all rows to the
   same cache sets. */
static size_t pitch_of(size_t left, int nx, int ring) {
  size_t pitch = whole_lines(left + (size_t)nx + (size_t)ring);
  if (pitch * sizeof(HgReal) % 4096 == 0) pitch += HG_LINE;
  return pitch;
}

/* Levels that variable v has in memory. */
static size_t levels_of(HgState s, const HgVariable *v) {
  const HgMeshSpec *spec = HgMeshGetSpec(s->mesh);
  return spec->nz && !v->surface ? (size_t)(spec->nz + 2 * s->ring_levels) : 1;
}

/* Row j of level k is rows[k * height + j], with the height of the table of one level. */
static PetscErrorCode create_rows(HgState s, HgStored *var, size_t left) {
  const size_t height = (size_t)(HgMeshGetPatch(s->mesh)->ny + 2 * s->ring);
  const size_t levels = levels_of(s, &var->variable),
               below = levels > 1 ? (size_t)s->ring_levels : 0;
  PetscCall(PetscMalloc1(height * levels, &var->row_table));
  for (size_t k = 0; k < levels; k++)
    for (size_t j = 0; j < height; j++)
      var->row_table[k * height + j] = var->values + (j * levels + k) * s->pitch + left;
  var->rows = var->row_table + below * height + s->ring;
  var->levels = below ? HgMeshLevels(s->mesh) : 1, var->beside = (int)below;
  var->slab = levels * s->pitch;
  return 0;
}

/* An array is one row of doubles. */
static PetscErrorCode create_row(HgStored *var) {
  PetscCall(PetscMalloc1(1, &var->row_table));
  *var->row_table = var->values;
  var->rows = var->row_table;
  return 0;
}

static PetscErrorCode create(HgMesh mesh, int ghost, int count, const HgVariable variables[],
                             HgState *state) {
  const MPI_Comm comm = HgMeshComm(mesh);
  PetscCall(check_variables(comm, count, variables));
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int ring = 2 * ghost;
  HgState s;
  PetscCall(PetscNew(&s));
  PetscCall(PetscCalloc1(count, &s->variables));
  s->mesh = mesh, s->count = count, s->ghost = ghost, s->ring = ring;
  PetscCall(HgMeshReference(mesh));
  const size_t most = SIZE_MAX / 16; /* numbers; no machine has so many, and more might overflow */
  const bool levels = HgMeshGetSpec(mesh)->nz > 0;
  const size_t left = levels ? (size_t)HgMeshMargin(mesh) : whole_lines((size_t)ring),
               height = (size_t)p->ny + 2 * (size_t)ring;
  s->ring_levels = 2 * HgMeshGhostLevels(mesh);
  s->pitch = levels ? (size_t)HgMeshGetPatch(mesh)->pitch : pitch_of(left, p->nx, ring);
  for (int k = 0; k < count; k++) {
    HgStored *var = &s->variables[k];
    var->variable = variables[k];
    PetscCall(PetscStrncpy(var->name, variables[k].name, sizeof var->name));
    PetscCall(PetscStrncpy(var->unit, HgUnitText(variables[k].unit), sizeof var->unit));
    var->variable.name = var->name, var->variable.unit = var->unit;
    var->offset = s->length;
    var->length = HgIsField(&variables[k])
                      ? s->pitch * height * levels_of(s, &variables[k])
                      : (size_t)variables[k].size * (sizeof(double) / sizeof(HgReal));
    s->length = PetscMin(s->length + PetscMin(whole_lines(var->length), most), most);
  }
  s->length = PetscMax(s->length, HG_LINE);
  const size_t bytes = s->length * sizeof(HgReal);
  s->data = HgZeroedMemory(bytes); /* untouched pages take no memory: patterns are free */
  const bool failed = !s->data;
  PetscErrorCode ierr =
      HgAgree(comm, failed, HG_ERR_MEMORY,
              "state: no memory for %zu bytes (%d variables, %d x %d cells per patch)", bytes,
              count, p->nx, p->ny);
  if (ierr) {
    PetscCall(HgStateDestroy(&s));
    return ierr;
  }
  for (int k = 0; k < count; k++) {
    HgStored *var = &s->variables[k];
    var->values = s->data + var->offset;
    if (HgIsField(&var->variable)) PetscCall(create_rows(s, var, left));
    else PetscCall(create_row(var));
  }
  *state = s;
  return 0;
}

PetscErrorCode HgStateCreate(HgMesh mesh, int count, const HgVariable variables[], HgState *state) {
  return create(mesh, HgMeshGetSpec(mesh)->ghost, count, variables, state);
}

PetscErrorCode HgStateDuplicate(HgState state, HgState *copy) {
  HgVariable *variables;
  PetscCall(PetscMalloc1(state->count, &variables));
  for (int k = 0; k < state->count; k++) variables[k] = state->variables[k].variable;
  const PetscErrorCode ierr = create(state->mesh, state->ghost, state->count, variables, copy);
  PetscCall(PetscFree(variables));
  for (int k = 0; k < state->count && !ierr; k++)
    (*copy)->variables[k].location = state->variables[k].location;
  return ierr;
}

PetscErrorCode HgStateDestroy(HgState *state) {
  HgState s = *state;
  *state = NULL;
  if (!s) return 0;
  for (int k = 0; k < s->count; k++) PetscCall(PetscFree(s->variables[k].row_table));
  HgFreeMemory(s->data, HgStateBytes(s));
  PetscCall(PetscFree(s->variables));
  PetscCall(HgMeshDestroy(&s->mesh));
  PetscCall(PetscFree(s->same));
  return PetscFree(s);
}

HgMesh HgStateMesh(HgState state) { return state->mesh; }

int HgStateCount(HgState state) { return state->count; }

int HgStateGhosts(HgState state) { return state->ghost; }

const HgVariable *HgStateVariable(HgState state, int index) {
  return &state->variables[index].variable;
}

int HgStateFind(HgState state, const char name[]) {
  for (int k = 0; k < state->count; k++)
    if (!strcmp(state->variables[k].name, name)) return k;
  return -1;
}

PetscErrorCode HgStateIndex(HgState state, const char name[], int *index) {
  *index = HgStateFind(state, name);
  if (*index >= 0) return 0;
  char known[512] = "";
  for (int k = 0; k < state->count; k++)
    HgSentenceAdd(sizeof known, known, "%s%s", k ? ", " : "", state->variables[k].name);
  return HgError(HgMeshComm(state->mesh), HG_ERR_VARIABLE_UNKNOWN,
                 "state: no variable '%s', expected one of: %s", name, known);
}

HgReal *const *HgStateRows(HgState state, int index) { return state->variables[index].rows; }

HgReal *const *HgStateLevel(HgState state, int index, int level) {
  const int height = HgMeshGetPatch(state->mesh)->ny + 2 * state->ring;
  return state->variables[index].rows + (ptrdiff_t)level * height;
}

/* Whether owned rows j and j - 1 of a field are bitwise equal in the patch. */
static bool repeats(HgState s, int index, int j) {
  const size_t bytes = (size_t)HgMeshGetPatch(s->mesh)->nx * sizeof(HgReal);
  for (int k = 0; k < s->variables[index].levels; k++) {
    HgReal *const *const rows = HgStateLevel(s, index, k);
    if (memcmp(rows[j - 1], rows[j], bytes)) return false;
  }
  return true;
}

/* Stores each row of its own where it was created. */
static void share_nothing(HgState s, HgStored *var) {
  const int ny = HgMeshGetPatch(s->mesh)->ny, height = ny + 2 * s->ring;
  if (!var->shares) return;
  for (int k = -var->beside; k < var->levels + var->beside; k++)
    for (int j = 1; j < ny; j++)
      var->rows[k * height + j] = var->rows[k * height] + j * (ptrdiff_t)var->slab;
  var->shares = false, var->ghost_depth = 0;
}

/* Stores row j where row j - 1 is. */
static void share_row(HgState s, HgStored *var, int j) {
  const int height = HgMeshGetPatch(s->mesh)->ny + 2 * s->ring;
  for (int k = -var->beside; k < var->levels + var->beside; k++)
    var->rows[k * height + j] = var->rows[k * height + j - 1];
  var->shares = true;
}

PetscErrorCode HgStateShareRows(HgState s, uint64_t may) {
  const HgMeshSpec *m = HgMeshGetSpec(s->mesh);
  const HgPatch *p = HgMeshGetPatch(s->mesh);
  const size_t count = (size_t)PetscMin(s->count, HG_SHARED) * (size_t)m->ny;
  for (int k = 0; k < s->count; k++)
    if (HgIsField(&s->variables[k].variable)) share_nothing(s, &s->variables[k]);
  if (!may) return 0;
  if (!s->same) PetscCall(PetscMalloc1(count, &s->same));
  unsigned char *const same = s->same;
  memset(same, 1, count);
  for (int k = 0; k < s->count && k < HG_SHARED; k++)
    for (int j = 0; j < p->ny; j++)
      same[k * m->ny + p->j_global + j] = j && may >> k & 1 && repeats(s, k, j);
  if (m->px > 1)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, same, (int)count, MPI_UNSIGNED_CHAR, MPI_BAND,
                               HgMeshComm(s->mesh)));
  for (int k = 0; k < s->count && k < HG_SHARED; k++)
    for (int j = 1; j < p->ny; j++)
      if (same[k * m->ny + p->j_global + j]) share_row(s, &s->variables[k], j);
  return 0;
}

int HgStateRowCount(HgState state, int index) {
  return state->variables[index].levels * HgMeshGetPatch(state->mesh)->ny;
}

HgReal *HgStateRow(HgState state, int index, int n) {
  const int ny = HgMeshGetPatch(state->mesh)->ny;
  return state->variables[index].rows[n % ny] + (ptrdiff_t)(n / ny) * (ptrdiff_t)state->pitch;
}

HgRow HgStateRowOf(HgState state, int index, int n) {
  if (!HgIsField(HgStateVariable(state, index)))
    return (HgRow){.numbers = HgStateArray(state, index)};
  return (HgRow){.cells = HgStateRow(state, index, n)};
}

int HgStateLevels(HgState state, int index) { return state->variables[index].levels; }

int HgStateGhostLevels(HgState state) { return state->ring_levels / 2; }

HgLocation HgStateLocation(HgState state, int index) { return state->variables[index].location; }

void HgStateSetLocation(HgState state, int index, HgLocation location) {
  state->variables[index].location = location;
}

double *HgStateArray(HgState state, int index) { return (double *)state->variables[index].values; }

int HgStateGhostDepth(HgState state, int index) { return state->variables[index].ghost_depth; }

void HgStateSetGhostDepth(HgState state, int index, int depth) {
  state->variables[index].ghost_depth = depth;
}

const HgBoundary *HgStateGhostWalls(HgState state, int index) {
  return &state->variables[index].walls;
}

void HgStateSetGhostWalls(HgState state, int index, const HgBoundary *walls) {
  state->variables[index].walls = *walls;
}

HgStateClock HgStateGetClock(HgState state) { return state->clock; }

void HgStateSetClock(HgState state, HgStateClock clock) { state->clock = clock; }

size_t HgStateBytes(HgState x) { return x->length * sizeof(HgReal); }

void HgStateSwap(HgState a, HgState b) {
  const struct HgState_s t = *a;
  *a = *b, *b = t;
}

bool HgStateSame(HgState x, HgState y) {
  if (x->mesh != y->mesh || x->count != y->count) return false;
  for (int k = 0; k < x->count; k++) {
    const HgVariable *a = &x->variables[k].variable, *b = &y->variables[k].variable;
    if (strcmp(a->name, b->name) || a->kind != b->kind || (!HgIsField(a) && a->size != b->size) ||
        a->surface != b->surface || (a->kind == HG_GHOSTED && x->ghost != y->ghost))
      return false;
  }
  return true;
}
