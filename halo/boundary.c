/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/boundary_library.h>
#include <halograd/error_library.h>
#include <halograd/location_library.h>
#include <halograd/mesh_library.h>
#include <math.h>

HgBoundary HgBoundaryAll(HgSideKind kind, double value) {
  const HgSide side = {kind, value};
  return (HgBoundary){side, side, side, side};
}

static bool reflects(bool wall, HgSide side) {
  return wall && (side.kind == HG_COPY || side.kind == HG_MIRROR);
}

static bool frozen(bool wall, HgSide side) { return wall && side.kind == HG_FROZEN; }

static bool any_side(HgMesh mesh, const HgBoundary *b, bool (*is)(bool wall, HgSide side)) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  return is(!s->periodic_x, b->west) || is(!s->periodic_x, b->east) ||
         is(!s->periodic_y, b->south) || is(!s->periodic_y, b->north);
}

static bool same_side(HgSide a, HgSide b) { return a.kind == b.kind && a.value == b.value; }

bool HgBoundarySame(const HgBoundary *a, const HgBoundary *b) {
  return same_side(a->west, b->west) && same_side(a->east, b->east) &&
         same_side(a->south, b->south) && same_side(a->north, b->north);
}

static HgSide tangent_of(HgSide side) {
  const bool given = side.kind == HG_FROZEN || side.kind == HG_FIXED;
  return given ? (HgSide){HG_FIXED, 0} : side;
}

HgBoundary HgBoundaryOfTangent(const HgBoundary *b) {
  return (HgBoundary){tangent_of(b->west), tangent_of(b->east), tangent_of(b->south),
                      tangent_of(b->north)};
}

bool HgBoundaryReflects(HgMesh mesh, const HgBoundary *b) { return any_side(mesh, b, reflects); }

bool HgBoundaryFreezes(HgMesh mesh, const HgBoundary *b) { return any_side(mesh, b, frozen); }

void HgBoundaryUnstated(HgMesh mesh, const HgBoundary *b, char sides[32]) {
  static const char *const names[] = {"west", "east", "south", "north"};
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgSideKind kinds[] = {b->west.kind, b->east.kind, b->south.kind, b->north.kind};
  sides[0] = 0;
  for (int k = 0; k < 4; k++)
    if (kinds[k] == HG_UNSTATED && !(k < 2 ? s->periodic_x : s->periodic_y))
      HgSentenceAdd(32, sides, "%s%s", sides[0] ? ", " : "", names[k]);
}

HgWindow HgWindowOfPatch(HgMesh mesh, int along) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  return (HgWindow){.i0 = p->wall_west ? 0 : -along,
                    .i1 = p->wall_east ? p->nx : p->nx + along,
                    .j0 = p->wall_south ? 0 : -along,
                    .j1 = p->wall_north ? p->ny : p->ny + along,
                    .west = p->wall_west,
                    .east = p->wall_east,
                    .south = p->wall_south,
                    .north = p->wall_north};
}

/* A wall as the kernels below see it: ghost layer k is line `ghost - k out`, the cell it came from
   line `cell(k)`. */
typedef struct {
  HgSide side;
  int first, out; /* innermost ghost line; +1 or -1, outwards */
} Wall;

static int source(const Wall *w, int k) {
  return w->side.kind == HG_COPY ? w->first - w->out : w->first - w->out * (k + 1);
}

/* What a side does with its ghosts: it leaves them, sets them to one number, or makes them `number`
   times the cells inside. */
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
  default: return (Rule){REFLECTS, side.kind == HG_MIRROR ? side.value : 1.0};
  }
}

static void fill_columns(const Wall *w, HgMode d, int depth, int j0, int j1, double *const *u) {
  const Rule rule = rule_of(w, d);
  if (rule.what == LEAVES) return;
  for (int j = j0; j < j1; j++) {
    double *const row = u[j], *const ghost = row + (w->out > 0 ? w->first : w->first - depth + 1);
    if (rule.what == SETS)
      for (int k = 0; k < depth; k++) ghost[k] = rule.number;
    else
      for (int k = 0; k < depth; k++) row[w->first + w->out * k] = rule.number * row[source(w, k)];
  }
}

static void fill_rows(const Wall *w, HgMode d, int depth, int i0, int i1, double *const *u) {
  const Rule rule = rule_of(w, d);
  for (int k = 0; k < depth && rule.what != LEAVES; k++) {
    double *const ghost = u[w->first + w->out * k];
    const double *const inside = u[source(w, k)];
    if (rule.what == SETS)
      for (int i = i0; i < i1; i++) ghost[i] = rule.number;
    else
      for (int i = i0; i < i1; i++) ghost[i] = rule.number * inside[i];
  }
}

/* The transposes: the cells inside get their share, and the ghosts become 0. */
static void add_columns(const Wall *w, int depth, int j0, int j1, double *const *u) {
  const Rule rule = rule_of(w, HG_COTANGENT);
  for (int j = j0; j < j1; j++)
    for (int k = 0; k < depth; k++) {
      double *const ghost = &u[j][w->first + w->out * k];
      if (rule.what == REFLECTS) u[j][source(w, k)] += rule.number * *ghost;
      *ghost = 0;
    }
}

static void add_rows(const Wall *w, int depth, int i0, int i1, double *const *u) {
  const Rule rule = rule_of(w, HG_COTANGENT);
  for (int k = 0; k < depth; k++) {
    double *const ghost = u[w->first + w->out * k], *const inside = u[source(w, k)];
    for (int i = i0; i < i1 && rule.what == REFLECTS; i++) inside[i] += rule.number * ghost[i];
    for (int i = i0; i < i1; i++) ghost[i] = 0;
  }
}

void HgBoundaryFill(const HgBoundary *b, HgMode action, int layers, const HgWindow *window,
                    double *const *u) {
  const Wall west = {b->west, window->i0 - 1, -1}, east = {b->east, window->i1, 1},
             south = {b->south, window->j0 - 1, -1}, north = {b->north, window->j1, 1};
  const int i0 = window->west ? window->i0 - layers : window->i0,
            i1 = window->east ? window->i1 + layers : window->i1;
  if (action == HG_COTANGENT) {
    if (window->south) add_rows(&south, layers, i0, i1, u);
    if (window->north) add_rows(&north, layers, i0, i1, u);
    if (window->west) add_columns(&west, layers, window->j0, window->j1, u);
    if (window->east) add_columns(&east, layers, window->j0, window->j1, u);
    return;
  }
  if (window->west) fill_columns(&west, action, layers, window->j0, window->j1, u);
  if (window->east) fill_columns(&east, action, layers, window->j0, window->j1, u);
  if (window->south) fill_rows(&south, action, layers, i0, i1, u);
  if (window->north) fill_rows(&north, action, layers, i0, i1, u);
}

void HgBoundaryApply(HgMesh mesh, const HgBoundary *b, HgMode mode, int depth, double *const *u) {
  const HgWindow window = HgWindowOfPatch(mesh, depth);
  HgBoundaryFill(b, mode, depth, &window, u);
}

/* ---- closed faces ---- */
HgClosedFaces HgBoundaryClosedFaces(HgMesh mesh, const HgBoundary *b, HgLocation location) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const bool east = !s->periodic_x && b->east.kind == HG_CLOSED && HgLocationEast(location) > 0;
  const bool north = !s->periodic_y && b->north.kind == HG_CLOSED && HgLocationNorth(location) > 0;
  return (HgClosedFaces){east ? s->nx - 1 - p->i_global : HG_NOWHERE,
                         north ? s->ny - 1 - p->j_global : HG_NOWHERE};
}

void HgClosedFacesMask(HgClosedFaces closed, int i0, int i1, int j0, int j1, double *const *u) {
  if (closed.column >= i0 && closed.column < i1)
    for (int j = j0; j < j1; j++) u[j][closed.column] = 0;
  if (closed.row >= j0 && closed.row < j1)
    for (int i = i0; i < i1; i++) u[closed.row][i] = 0;
}

/* ---- frozen sides ---- */

static void keep_column(int i, int j0, int j1, const double *const *u, double *const *u_next) {
  for (int j = j0; j < j1; j++) u_next[j][i] = u[j][i];
}

static void keep_row(int j, int i0, int i1, const double *const *u, double *const *u_next) {
  for (int i = i0; i < i1; i++) u_next[j][i] = u[j][i];
}

void HgBoundaryKeep(const HgBoundary *b, int layers, const HgWindow *w, const double *const *u,
                    double *const *u_next) {
  const int i0 = w->west ? w->i0 - layers : w->i0, i1 = w->east ? w->i1 + layers : w->i1;
  for (int k = 0; k < layers; k++) {
    if (frozen(w->west, b->west)) keep_column(w->i0 - 1 - k, w->j0, w->j1, u, u_next);
    if (frozen(w->east, b->east)) keep_column(w->i1 + k, w->j0, w->j1, u, u_next);
    if (frozen(w->south, b->south)) keep_row(w->j0 - 1 - k, i0, i1, u, u_next);
    if (frozen(w->north, b->north)) keep_row(w->j1 + k, i0, i1, u, u_next);
  }
}

void HgBoundaryKeepFrozen(HgMesh mesh, const HgBoundary *b, int depth, const double *const *u,
                          double *const *u_next) {
  const HgWindow window = HgWindowOfPatch(mesh, depth);
  HgBoundaryKeep(b, depth, &window, u, u_next);
}

/* ---- contracts ---- */
static PetscErrorCode check_side(MPI_Comm comm, const char name[], const char where[],
                                 const HgSide *side, int depth, int cells) {
  HgRequire(comm, side->kind != HG_UNSTATED, HG_ERR_BOUNDARY,
            "boundary of '%s' in the %s: it is not stated; expected HG_FIXED, HG_COPY, HG_MIRROR, "
            "HG_CLOSED or HG_FROZEN",
            name, where);
  HgRequire(comm, side->kind >= HG_FROZEN && side->kind <= HG_CLOSED, HG_ERR_BOUNDARY,
            "boundary of '%s' in the %s: unknown kind %d", name, where, (int)side->kind);
  HgRequire(comm, side->kind != HG_FIXED || isfinite(side->value), HG_ERR_BOUNDARY,
            "boundary of '%s' in the %s: fixed value is %g, expected a finite number", name, where,
            side->value);
  if (side->kind != HG_MIRROR) return 0;
  HgRequire(comm, side->value == 1 || side->value == -1, HG_ERR_BOUNDARY,
            "boundary of '%s' in the %s: mirror sign is %g, expected +1 or -1", name, where,
            side->value);
  HgRequire(
      comm, depth <= cells, HG_ERR_HALO,
      "boundary of '%s' in the %s: the mirror is %d cells deep, but the patch at that wall has %d",
      name, where, depth, cells);
  return 0;
}

PetscErrorCode HgBoundaryCheck(HgMesh mesh, const HgBoundary *b, int depth, const char name[]) {
  const MPI_Comm comm = HgMeshComm(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch first = HgMeshPatchOf(mesh, 0), last = HgMeshPatchOf(mesh, s->px * s->py - 1);
  if (!s->periodic_x) {
    PetscCall(check_side(comm, name, "west", &b->west, depth, first.nx));
    PetscCall(check_side(comm, name, "east", &b->east, depth, last.nx));
  }
  if (!s->periodic_y) {
    PetscCall(check_side(comm, name, "south", &b->south, depth, first.ny));
    PetscCall(check_side(comm, name, "north", &b->north, depth, last.ny));
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
  return 0;
}
