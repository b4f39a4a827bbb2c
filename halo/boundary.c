#include <halograd/boundary.h>
#include <math.h>
HgBoundary HgBoundaryAll(HgSideKind kind, double value) {
  const HgSide side = {kind, value};
  return (HgBoundary){side, side, side, side};
}
static bool reflects(bool wall, HgSide side) {
  return wall && (side.kind == HG_COPY || side.kind == HG_MIRROR);
}
bool HgBoundaryReflects(HgMesh mesh, const HgBoundary *b) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  return reflects(!s->periodic_x, b->west) || reflects(!s->periodic_x, b->east) ||
         reflects(!s->periodic_y, b->south) || reflects(!s->periodic_y, b->north);
}
/* Rows that west and east fill: the patch's own, and ghost rows as far as the domain reaches. */
static void domain_rows(const HgPatch *p, int depth, int *j0, int *j1) {
  *j0 = p->wall_south ? 0 : -depth;
  *j1 = p->wall_north ? p->ny : p->ny + depth;
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
static double factor(const Wall *w) { return w->side.kind == HG_MIRROR ? w->side.value : 1.0; }
typedef enum { APPLY, TANGENT, ADJOINT } Direction;
static double outside(const Wall *w, Direction d, double inside, double ghost) {
  switch (w->side.kind) {
  case HG_FROZEN: return d == TANGENT ? 0 : ghost;
  case HG_FIXED: return d == TANGENT ? 0 : w->side.value;
  default: return factor(w) * inside;
  }
}
static void fill_columns(const Wall *w, Direction d, int depth, int j0, int j1, double *const *u) {
  for (int j = j0; j < j1; j++)
    for (int k = 0; k < depth; k++) {
      double *ghost = &u[j][w->first + w->out * k], *inside = &u[j][source(w, k)];
      if (d != ADJOINT) *ghost = outside(w, d, *inside, *ghost);
      else {
        if (reflects(true, w->side)) *inside += factor(w) * *ghost;
        *ghost = 0;
      }
    }
}
static void fill_rows(const Wall *w, Direction d, int depth, int i0, int i1, double *const *u) {
  for (int k = 0; k < depth; k++) {
    double *ghost = u[w->first + w->out * k], *inside = u[source(w, k)];
    for (int i = i0; i < i1; i++) {
      if (d != ADJOINT) ghost[i] = outside(w, d, inside[i], ghost[i]);
      else {
        if (reflects(true, w->side)) inside[i] += factor(w) * ghost[i];
        ghost[i] = 0;
      }
    }
  }
}
static void fill(HgMesh mesh, const HgBoundary *b, Direction d, int depth, double *const *u) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  const Wall west = {b->west, -1, -1}, east = {b->east, p->nx, 1}, south = {b->south, -1, -1},
             north = {b->north, p->ny, 1};
  int j0, j1;
  domain_rows(p, depth, &j0, &j1);
  for (int stage = 0; stage < 2; stage++) {
    if ((stage == 0) == (d != ADJOINT)) {
      if (p->wall_west) fill_columns(&west, d, depth, j0, j1, u);
      if (p->wall_east) fill_columns(&east, d, depth, j0, j1, u);
    } else {
      if (p->wall_south) fill_rows(&south, d, depth, -depth, p->nx + depth, u);
      if (p->wall_north) fill_rows(&north, d, depth, -depth, p->nx + depth, u);
    }
  }
}
void HgBoundaryApply(HgMesh mesh, const HgBoundary *b, int depth, double *const *u) {
  fill(mesh, b, APPLY, depth, u);
}
void HgBoundaryTangent(HgMesh mesh, const HgBoundary *b, int depth, double *const *du) {
  fill(mesh, b, TANGENT, depth, du);
}
void HgBoundaryAdjoint(HgMesh mesh, const HgBoundary *b, int depth, double *const *u_bar) {
  fill(mesh, b, ADJOINT, depth, u_bar);
}
void HgBoundaryKeepFrozen(HgMesh mesh, const HgBoundary *b, int depth, const double *const *u,
                          double *const *u_next) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  int j0, j1;
  domain_rows(p, depth, &j0, &j1);
  for (int k = 1; k <= depth; k++) {
    for (int j = j0; j < j1; j++) {
      if (p->wall_west && b->west.kind == HG_FROZEN) u_next[j][-k] = u[j][-k];
      if (p->wall_east && b->east.kind == HG_FROZEN) u_next[j][p->nx - 1 + k] = u[j][p->nx - 1 + k];
    }
    for (int i = -depth; i < p->nx + depth; i++) {
      if (p->wall_south && b->south.kind == HG_FROZEN) u_next[-k][i] = u[-k][i];
      if (p->wall_north && b->north.kind == HG_FROZEN)
        u_next[p->ny - 1 + k][i] = u[p->ny - 1 + k][i];
    }
  }
}
static PetscErrorCode check_side(MPI_Comm comm, const char name[], const char where[],
                                 const HgSide *side, int depth, int cells) {
  HgRequire(comm, side->kind >= HG_FROZEN && side->kind <= HG_MIRROR,
            "boundary of '%s' in the %s: unknown kind %d", name, where, (int)side->kind);
  HgRequire(comm, side->kind != HG_FIXED || isfinite(side->value),
            "boundary of '%s' in the %s: fixed value is %g, expected a finite number", name, where,
            side->value);
  if (side->kind != HG_MIRROR) return 0;
  HgRequire(comm, side->value == 1 || side->value == -1,
            "boundary of '%s' in the %s: mirror sign is %g, expected +1 or -1", name, where,
            side->value);
  HgRequire(
      comm, depth <= cells,
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
