/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/boundary_library.h>
#include <halograd/error_library.h>
#include <halograd/location_library.h>
#include <halograd/mesh_library.h>
#include <math.h>
#include <string.h>

HgBoundary HgBoundaryAll(HgSideKind kind, double value) {
  const HgSide side = {kind, value};
  return (HgBoundary){side, side, side, side, side, side};
}

static bool reflects(bool wall, HgSide side) {
  return wall && (side.kind == HG_COPY || side.kind == HG_MIRROR);
}

static bool frozen(bool wall, HgSide side) { return wall && side.kind == HG_FROZEN; }

static bool closed(bool wall, HgSide side) { return wall && side.kind == HG_CLOSED; }

static bool any_side(HgMesh mesh, const HgBoundary *b, bool (*is)(bool wall, HgSide side)) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  return is(!s->periodic_x, b->west) || is(!s->periodic_x, b->east) ||
         is(!s->periodic_y, b->south) || is(!s->periodic_y, b->north) ||
         is(s->nz && !s->periodic_z, b->below) || is(s->nz && !s->periodic_z, b->above);
}

static bool same_side(HgSide a, HgSide b) { return a.kind == b.kind && a.value == b.value; }

bool HgBoundarySame(const HgBoundary *a, const HgBoundary *b) {
  return same_side(a->west, b->west) && same_side(a->east, b->east) &&
         same_side(a->south, b->south) && same_side(a->north, b->north) &&
         same_side(a->below, b->below) && same_side(a->above, b->above);
}

static HgSide tangent_of(HgSide side) {
  const bool given = side.kind == HG_FROZEN || side.kind == HG_FIXED;
  return given ? (HgSide){HG_FIXED, 0} : side;
}

HgBoundary HgBoundaryOfTangent(const HgBoundary *b) {
  return (HgBoundary){tangent_of(b->west),  tangent_of(b->east),  tangent_of(b->south),
                      tangent_of(b->north), tangent_of(b->below), tangent_of(b->above)};
}

bool HgBoundaryReflects(HgMesh mesh, const HgBoundary *b) { return any_side(mesh, b, reflects); }

bool HgBoundaryFreezes(HgMesh mesh, const HgBoundary *b) { return any_side(mesh, b, frozen); }

bool HgBoundaryCloses(HgMesh mesh, const HgBoundary *b) { return any_side(mesh, b, closed); }

static const char *const side_names[] = {"west", "east", "south", "north", "below", "above"};

void HgBoundaryUnstated(HgMesh mesh, const HgBoundary *b, bool surface, char sides[HG_SIDES_SIZE]) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgSideKind kinds[] = {b->west.kind,  b->east.kind,  b->south.kind,
                              b->north.kind, b->below.kind, b->above.kind};
  const bool open[] = {s->periodic_x, s->periodic_y, !s->nz || s->periodic_z || surface};
  sides[0] = 0;
  for (int k = 0; k < 6; k++)
    if (kinds[k] == HG_UNSTATED && !open[k / 2])
      HgSentenceAdd(HG_SIDES_SIZE, sides, "%s%s", sides[0] ? ", " : "", side_names[k]);
}

HgLevels HgLevelsOf(HgMesh mesh, bool surface) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const bool flat = !s->nz || surface, walls = !flat && !s->periodic_z;
  return (HgLevels){.end = flat ? 1 : s->nz,
                    .pitch = HgMeshGetPatch(mesh)->pitch,
                    .flat = flat,
                    .below = walls,
                    .above = walls,
                    .round = !flat && !walls};
}

HgWindow HgWindowOfPatch(HgMesh mesh, bool surface, int along) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  return (HgWindow){.i0 = p->wall_west ? 0 : -along,
                    .i1 = p->wall_east ? p->nx : p->nx + along,
                    .j0 = p->wall_south ? 0 : -along,
                    .j1 = p->wall_north ? p->ny : p->ny + along,
                    .west = p->wall_west,
                    .east = p->wall_east,
                    .south = p->wall_south,
                    .north = p->wall_north,
                    .levels = HgLevelsOf(mesh, surface)};
}

/* A wall for the kernels below: ghost layer k is line `ghost - k out`; its values come from line
   `cell(k)`. */
typedef struct {
  HgSide side;
  int first, out; /* innermost ghost line; +1 or -1, outwards */
} Wall;

static int source(const Wall *w, int k) {
  return w->side.kind == HG_COPY ? w->first - w->out : w->first - w->out * (k + 1);
}

/* What a side does with its ghosts: nothing, sets them to a number, or to `number` times the cells
   inside. */
typedef struct {
  enum { LEAVES, SETS, REFLECTS } what;

  double number;
} Rule;

static Rule rule_of(const Wall *w, HgMode d) {
  const HgSide side = d == HG_TANGENT ? tangent_of(w->side) : w->side;
  switch (side.kind) {
  case HG_FROZEN: return (Rule){LEAVES, 0};
  case HG_FIXED: return (Rule){SETS, side.value};
  case HG_CLOSED: return (Rule){SETS, 0};
  case HG_MIRROR: return (Rule){REFLECTS, side.value};
  case HG_UNSTATED:
  case HG_COPY: break;
  }
  return (Rule){REFLECTS, 1};
}

static void fill_columns(const Wall *w, HgMode d, int depth, int j0, int j1, HgReal *const *u,
                         ptrdiff_t level) {
  const Rule rule = rule_of(w, d);
  if (rule.what == LEAVES) return;
  for (int j = j0; j < j1; j++) {
    HgReal *const row = u[j] + level, *const ghost =
                                          row + (w->out > 0 ? w->first : w->first - depth + 1);
    if (rule.what == SETS)
      for (int k = 0; k < depth; k++) ghost[k] = rule.number;
    else
      for (int k = 0; k < depth; k++) row[w->first + w->out * k] = rule.number * row[source(w, k)];
  }
}

/* Fills a row outside from one inside. */
static void fill_row(Rule rule, int i0, int i1, HgReal *ghost, const HgReal *inside) {
  if (rule.what == SETS)
    for (int i = i0; i < i1; i++) ghost[i] = rule.number;
  else
    for (int i = i0; i < i1; i++) ghost[i] = rule.number * inside[i];
}

static void fill_rows(const Wall *w, HgMode d, int depth, int i0, int i1, HgReal *const *u,
                      ptrdiff_t level) {
  const Rule rule = rule_of(w, d);
  for (int k = 0; k < depth && rule.what != LEAVES; k++)
    fill_row(rule, i0, i1, u[w->first + w->out * k] + level, u[source(w, k)] + level);
}

/* The transposes add the ghosts to the cells inside, and set them to 0. */
static void add_columns(const Wall *w, int depth, int j0, int j1, HgReal *const *u,
                        ptrdiff_t level) {
  const Rule rule = rule_of(w, HG_COTANGENT);
  for (int j = j0; j < j1; j++)
    for (int k = 0; k < depth; k++) {
      HgReal *const row = u[j] + level, *const ghost = &row[w->first + w->out * k];
      if (rule.what == REFLECTS) row[source(w, k)] += rule.number * *ghost;
      *ghost = 0;
    }
}

static void add_row(Rule rule, int i0, int i1, HgReal *ghost, HgReal *inside) {
  for (int i = i0; i < i1 && rule.what == REFLECTS; i++) inside[i] += rule.number * ghost[i];
  for (int i = i0; i < i1; i++) ghost[i] = 0;
}

static void add_rows(const Wall *w, int depth, int i0, int i1, HgReal *const *u, ptrdiff_t level) {
  const Rule rule = rule_of(w, HG_COTANGENT);
  for (int k = 0; k < depth; k++)
    add_row(rule, i0, i1, u[w->first + w->out * k] + level, u[source(w, k)] + level);
}

/* ---- below and above: within each row's slab ---- */

void HgLevelsWrap(const HgLevels *l, int depth, int i0, int i1, int j0, int j1, HgReal *const *u) {
  const int count = l->end;
  if (!l->round) return;
  for (int j = j0; j < j1; j++)
    for (int k = 0; k < depth; k++) {
      const int below = count - 1 - k % count, above = k % count;
      const size_t bytes = (size_t)(i1 - i0) * sizeof(HgReal);
      memcpy(u[j] + i0 - (k + 1) * l->pitch, u[j] + i0 + below * l->pitch, bytes);
      memcpy(u[j] + i0 + (count + k) * l->pitch, u[j] + i0 + above * l->pitch, bytes);
    }
}

/* Fills ghosts of the walls below and above, on columns [i0, i1) of rows [j0, j1); cotangents are
   added inside. */
static void fill_levels(const HgBoundary *b, HgMode mode, int layers, const HgLevels *l, int i0,
                        int i1, int j0, int j1, HgReal *const *u) {
  const Wall walls[] = {{b->below, l->first - 1, -1}, {b->above, l->end, 1}};
  const bool marked[] = {l->below, l->above};
  for (int n = 0; n < 2; n++) {
    const Wall *const w = &walls[n];
    const Rule rule = rule_of(w, mode);
    for (int j = j0; marked[n] && j < j1; j++)
      for (int k = 0; k < layers; k++) {
        HgReal *const ghost = u[j] + (w->first + w->out * k) * l->pitch;
        HgReal *const inside = u[j] + source(w, k) * l->pitch;
        if (mode == HG_COTANGENT) add_row(rule, i0, i1, ghost, inside);
        else if (rule.what != LEAVES) fill_row(rule, i0, i1, ghost, inside);
      }
  }
}

/* The transpose, in reverse order. If levels are periodic, their ghosts are copies until the end.
   */
static void add_window(const HgBoundary *b, int layers, const HgWindow *w, const Wall side[4],
                       int i0, int i1, HgReal *const *u) {
  const HgLevels *const l = &w->levels;
  const bool marked[] = {w->west, w->east, w->south, w->north};
  for (int n = 2; n < 4; n++) {
    const int j0 = n == 2 ? w->j0 - layers : w->j1;
    if (!marked[n]) continue;
    fill_levels(b, HG_COTANGENT, layers, l, i0, i1, j0, j0 + layers, u);
    for (int k = l->first; k < l->end; k++) add_rows(&side[n], layers, i0, i1, u, k * l->pitch);
    HgLevelsWrap(l, layers, i0, i1, j0, j0 + layers, u);
  }
  fill_levels(b, HG_COTANGENT, layers, l, i0, i1, w->j0, w->j1, u);
  for (int n = 0; n < 2; n++)
    for (int k = l->first; marked[n] && k < l->end; k++)
      add_columns(&side[n], layers, w->j0, w->j1, u, k * l->pitch);
  HgLevelsWrap(l, layers, i0, i1, w->j0, w->j1, u);
}

void HgBoundaryFill(const HgBoundary *b, HgMode mode, int layers, const HgWindow *w,
                    HgReal *const *u) {
  const Wall side[] = {{b->west, w->i0 - 1, -1},
                       {b->east, w->i1, 1},
                       {b->south, w->j0 - 1, -1},
                       {b->north, w->j1, 1}};
  const int i0 = w->west ? w->i0 - layers : w->i0, i1 = w->east ? w->i1 + layers : w->i1,
            j0 = w->south ? w->j0 - layers : w->j0, j1 = w->north ? w->j1 + layers : w->j1;
  if (mode == HG_COTANGENT) {
    add_window(b, layers, w, side, i0, i1, u);
    return;
  }
  for (int k = w->levels.first; k < w->levels.end; k++) {
    const ptrdiff_t level = k * w->levels.pitch;
    if (w->west) fill_columns(&side[0], mode, layers, w->j0, w->j1, u, level);
    if (w->east) fill_columns(&side[1], mode, layers, w->j0, w->j1, u, level);
    if (w->south) fill_rows(&side[2], mode, layers, i0, i1, u, level);
    if (w->north) fill_rows(&side[3], mode, layers, i0, i1, u, level);
  }
  HgLevelsWrap(&w->levels, layers, i0, i1, j0, j1, u);
  fill_levels(b, mode, layers, &w->levels, i0, i1, j0, j1, u);
}

void HgBoundaryApply(HgMesh mesh, const HgBoundary *b, bool surface, HgMode mode, int depth,
                     HgReal *const *u) {
  const HgWindow window = HgWindowOfPatch(mesh, surface, depth);
  HgBoundaryFill(b, mode, depth, &window, u);
}

/* ---- closed faces ---- */
HgClosedFaces HgBoundaryClosedFaces(HgMesh mesh, const HgBoundary *b, HgLocation location) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const bool east = !s->periodic_x && b->east.kind == HG_CLOSED && HgLocationEast(location) > 0;
  const bool north = !s->periodic_y && b->north.kind == HG_CLOSED && HgLocationNorth(location) > 0;
  const bool above =
      s->nz && !s->periodic_z && b->above.kind == HG_CLOSED && HgLocationUp(location) > 0;
  return (HgClosedFaces){east ? s->nx - 1 - p->i_global : HG_NOWHERE,
                         north ? s->ny - 1 - p->j_global : HG_NOWHERE,
                         above ? s->nz - 1 : HG_NOWHERE};
}

static void zero(HgReal *row, int i0, int i1) {
  for (int i = i0; i < i1; i++) row[i] = 0;
}

void HgClosedFacesMask(HgClosedFaces closed, const HgLevels *l, int ghosts, int i0, int i1, int j0,
                       int j1, HgReal *const *u) {
  const int beyond = l->round ? ghosts : 0;
  for (int k = l->first - beyond; k < l->end + beyond; k++) {
    const ptrdiff_t level = k * l->pitch;
    if (closed.column >= i0 && closed.column < i1)
      for (int j = j0; j < j1; j++) u[j][level + closed.column] = 0;
    if (closed.row >= j0 && closed.row < j1) zero(u[closed.row] + level, i0, i1);
    for (int j = j0; k == closed.level && j < j1; j++) zero(u[j] + level, i0, i1);
  }
}

/* ---- frozen sides ---- */

static void keep_column(int i, int j0, int j1, ptrdiff_t level, const HgReal *const *u,
                        HgReal *const *u_next) {
  for (int j = j0; j < j1; j++) u_next[j][level + i] = u[j][level + i];
}

static void keep_row(int j, int i0, int i1, ptrdiff_t level, const HgReal *const *u,
                     HgReal *const *u_next) {
  for (int i = i0; i < i1; i++) u_next[j][level + i] = u[j][level + i];
}

static void keep_levels(const HgBoundary *b, int layers, const HgWindow *w, int i0, int i1,
                        const HgReal *const *u, HgReal *const *u_next) {
  const HgLevels *const l = &w->levels;
  const int j0 = w->south ? w->j0 - layers : w->j0, j1 = w->north ? w->j1 + layers : w->j1;
  for (int j = j0; j < j1; j++)
    for (int k = 0; k < layers; k++) {
      if (frozen(l->below, b->below)) keep_row(j, i0, i1, (l->first - 1 - k) * l->pitch, u, u_next);
      if (frozen(l->above, b->above)) keep_row(j, i0, i1, (l->end + k) * l->pitch, u, u_next);
    }
}

void HgBoundaryKeep(const HgBoundary *b, int layers, const HgWindow *w, const HgReal *const *u,
                    HgReal *const *u_next) {
  const int i0 = w->west ? w->i0 - layers : w->i0, i1 = w->east ? w->i1 + layers : w->i1;
  for (int n = w->levels.first; n < w->levels.end; n++)
    for (int k = 0; k < layers; k++) {
      const ptrdiff_t l = n * w->levels.pitch;
      if (frozen(w->west, b->west)) keep_column(w->i0 - 1 - k, w->j0, w->j1, l, u, u_next);
      if (frozen(w->east, b->east)) keep_column(w->i1 + k, w->j0, w->j1, l, u, u_next);
      if (frozen(w->south, b->south)) keep_row(w->j0 - 1 - k, i0, i1, l, u, u_next);
      if (frozen(w->north, b->north)) keep_row(w->j1 + k, i0, i1, l, u, u_next);
    }
  keep_levels(b, layers, w, i0, i1, u, u_next);
}

void HgBoundaryKeepFrozen(HgMesh mesh, const HgBoundary *b, bool surface, int depth,
                          const HgReal *const *u, HgReal *const *u_next) {
  const HgWindow window = HgWindowOfPatch(mesh, surface, depth);
  HgBoundaryKeep(b, depth, &window, u, u_next);
}

/* ---- contracts ---- */
static const char *name_of(HgSideKind kind) {
  switch (kind) {
  case HG_UNSTATED: break;
  case HG_FROZEN: return "frozen";
  case HG_FIXED: return "fixed";
  case HG_COPY: return "copy";
  case HG_MIRROR: return "mirror";
  case HG_CLOSED: return "closed";
  }
  return "not stated";
}

void HgBoundaryText(HgMesh mesh, const HgBoundary *b, bool surface, size_t size, char text[]) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgSide side[] = {b->west, b->east, b->south, b->north, b->below, b->above};
  const bool periodic[] = {s->periodic_x, s->periodic_y, s->periodic_z};
  text[0] = 0;
  for (int k = 0; k < (s->nz && !surface ? 6 : 4); k++) {
    const bool valued = side[k].kind == HG_FIXED || side[k].kind == HG_MIRROR;
    HgSentenceAdd(size, text, "%s%s %s", k ? ", " : "", side_names[k],
                  periodic[k / 2] ? "periodic" : name_of(side[k].kind));
    if (valued && !periodic[k / 2]) HgSentenceAdd(size, text, " %g", side[k].value);
  }
}

static PetscErrorCode check_side(MPI_Comm comm, const char name[], const char where[],
                                 const HgSide *side, int depth, int cells) {
  HgRequire(comm, side->kind != HG_UNSTATED, HG_ERR_BOUNDARY,
            "boundary of '%s' %s: it is not stated; expected HG_FIXED, HG_COPY, HG_MIRROR, "
            "HG_CLOSED or HG_FROZEN",
            name, where);
  HgRequire(comm, side->kind >= HG_FROZEN && side->kind <= HG_CLOSED, HG_ERR_BOUNDARY,
            "boundary of '%s' %s: unknown kind %d", name, where, (int)side->kind);
  HgRequire(comm, side->kind != HG_FIXED || isfinite(side->value), HG_ERR_BOUNDARY,
            "boundary of '%s' %s: fixed value is %g, expected a finite number", name, where,
            side->value);
  if (side->kind != HG_MIRROR) return 0;
  HgRequire(comm, side->value == 1 || side->value == -1, HG_ERR_BOUNDARY,
            "boundary of '%s' %s: mirror sign is %g, expected +1 or -1", name, where, side->value);
  HgRequire(comm, depth <= cells, HG_ERR_HALO,
            "boundary of '%s' %s: the mirror is %d cells deep, but the patch at that wall has %d",
            name, where, depth, cells);
  return 0;
}

PetscErrorCode HgBoundaryCheck(HgMesh mesh, const HgBoundary *b, bool surface, int depth,
                               const char name[]) {
  const MPI_Comm comm = HgMeshComm(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch first = HgMeshPatchOf(mesh, 0), last = HgMeshPatchOf(mesh, s->px * s->py - 1);
  if (!s->periodic_x) {
    PetscCall(check_side(comm, name, "in the west", &b->west, depth, first.nx));
    PetscCall(check_side(comm, name, "in the east", &b->east, depth, last.nx));
  }
  if (!s->periodic_y) {
    PetscCall(check_side(comm, name, "in the south", &b->south, depth, first.ny));
    PetscCall(check_side(comm, name, "in the north", &b->north, depth, last.ny));
  }
  if (s->nz && !s->periodic_z && !surface) {
    PetscCall(check_side(comm, name, "below", &b->below, depth, s->nz));
    PetscCall(check_side(comm, name, "above", &b->above, depth, s->nz));
  }
  return 0;
}

PetscErrorCode HgBoundaryCheckClosed(HgMesh mesh, const HgBoundary *b, HgLocation location,
                                     const char name[]) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const bool x = b->west.kind == HG_CLOSED || b->east.kind == HG_CLOSED,
             y = b->south.kind == HG_CLOSED || b->north.kind == HG_CLOSED;
  HgRequire(HgMeshComm(mesh), s->periodic_x || !x || HgLocationEast(location) > 0, HG_ERR_BOUNDARY,
            "boundary of '%s': it is closed in the west or east, where a variable at the %s has no "
            "face on the "
            "wall; expected an x face or corner",
            name, HgLocationName(location));
  HgRequire(HgMeshComm(mesh), s->periodic_y || !y || HgLocationNorth(location) > 0, HG_ERR_BOUNDARY,
            "boundary of '%s': it is closed in the south or north, where a variable at the %s has "
            "no face on the "
            "wall; expected a y face or corner",
            name, HgLocationName(location));
  const bool z = b->below.kind == HG_CLOSED || b->above.kind == HG_CLOSED;
  HgRequire(HgMeshComm(mesh), !s->nz || s->periodic_z || !z || HgLocationUp(location) > 0,
            HG_ERR_BOUNDARY,
            "boundary of '%s': it is closed below or above, where a variable at the %s has no face "
            "on the wall; expected a z face or edge",
            name, HgLocationName(location));
  return 0;
}
