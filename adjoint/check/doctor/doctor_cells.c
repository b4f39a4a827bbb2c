/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a part is wrong: directions restricted to some cells; see doctor.h. */
#include "doctor_private.h"
#include <halograd/mesh_library.h>
#include <halograd/state_library.h>
#include <limits.h>

/* A cell within so many cells of a seam or wall counts as being there: twice the reach of most
   kernels. */
enum { NEAR = 2 };

/* Cells [i0, i1) x [j0, j1) of levels [k0, k1) of the domain that are in `place`;
   HG_PLACE_EVERYWHERE: all. */
typedef struct {
  HgCheckPlace place;
  int i0, i1, j0, j1, k0, k1;
} Region;

static HgCheckPlace place_of(HgMesh mesh, int levels, int i, int j, int k) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const bool wall_x = !m->periodic_x && (i < NEAR || i >= m->nx - NEAR),
             wall_y = !m->periodic_y && (j < NEAR || j >= m->ny - NEAR),
             wall_z = m->nz && levels == m->nz && !m->periodic_z && (k < NEAR || k >= m->nz - NEAR);
  const bool seam_x = m->px > 1 && ((!p->wall_west && i - p->i_global < NEAR) ||
                                    (!p->wall_east && p->i_global + p->nx - i <= NEAR)),
             seam_y = m->py > 1 && ((!p->wall_south && j - p->j_global < NEAR) ||
                                    (!p->wall_north && p->j_global + p->ny - j <= NEAR));
  const bool wall = wall_x || wall_y || wall_z, seam = seam_x || seam_y;
  if (wall_x + wall_y + wall_z > 1 || (wall && seam)) return HG_PLACE_CORNER;
  if (wall) return HG_PLACE_WALL;
  return seam ? HG_PLACE_SEAM : HG_PLACE_INSIDE;
}

static bool contains(HgMesh mesh, const Region *r, int levels, int i, int j, int k) {
  if (i < r->i0 || i >= r->i1 || j < r->j0 || j >= r->j1 || k < r->k0 || k >= r->k1) return false;
  return r->place == HG_PLACE_EVERYWHERE || place_of(mesh, levels, i, j, k) == r->place;
}

/* The search through a part's cells. */
typedef struct {
  HgOperator op;
  HgState x, dx, y_bar, x_bar;
  int read;
  double bound;
  HgState part, dy; /* scratch */
} Search;

/* part = dx in the region, 0 elsewhere; only variable k is not 0. */
static PetscErrorCode restrict_to(HgState dx, int k, const Region *r, HgState part) {
  const HgMesh mesh = HgStateMesh(dx);
  const HgPatch *p = HgMeshGetPatch(mesh);
  PetscCall(HgStateZero(part));
  if (HgStateVariable(dx, k)->kind != HG_FIELD) {
    for (int i = r->i0; i < r->i1; i++) HgStateArray(part, k)[i] = HgStateArray(dx, k)[i];
    return 0;
  }
  const int levels = HgStateLevels(dx, k);
  for (int n = 0; n < HgStateRowCount(dx, k); n++)
    for (int i = 0; i < p->nx; i++)
      if (contains(mesh, r, levels, p->i_global + i, p->j_global + n % p->ny, n / p->ny))
        HgStateRow(part, k, n)[i] = HgStateRow(dx, k, n)[i];
  HgStateSetGhostDepth(part, k, 0);
  return 0;
}

/* *off = |<F' part, y_bar> - <part, x_bar>| of the direction's part in a region, 0 if it is
   rounding. */
static PetscErrorCode mismatch(Search *s, const Region *r, double *off) {
  HgCheckPair p;
  PetscCall(restrict_to(s->dx, s->read, r, s->part));
  PetscCall(HgOperatorTangent(s->op, s->x, s->part, s->dy));
  PetscCall(HgCheckDot(s->part, s->dy, s->y_bar, s->x_bar, &p));
  *off = p.off <= s->bound ? 0 : fabs(p.forward - p.back);
  return 0;
}

/* r is halved along each axis into at most 8 parts, fewer if it has one row, column or level. */
enum { PARTS = 8 };

static int halved(const Region *r, Region q[PARTS]) {
  const int i = (r->i0 + r->i1) / 2, j = (r->j0 + r->j1) / 2, k = (r->k0 + r->k1) / 2;
  int count = 0;
  for (int n = 0; n < PARTS; n++) {
    Region *const part = &q[count];
    *part = *r;
    *(n & 1 ? &part->i0 : &part->i1) = i;
    *(n & 2 ? &part->j0 : &part->j1) = j;
    *(n & 4 ? &part->k0 : &part->k1) = k;
    count += part->i1 > part->i0 && part->j1 > part->j0 && part->k1 > part->k0;
  }
  return count;
}

/* Whether the region has a cell. */
static PetscErrorCode present(const Search *s, const Region *r, bool *there) {
  const HgMesh mesh = HgStateMesh(s->x);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int levels = HgStateLevels(s->dx, s->read);
  int any = 0;
  for (int n = 0; n < levels * p->ny; n++)
    for (int i = 0; i < p->nx; i++)
      any |= contains(mesh, r, levels, p->i_global + i, p->j_global + n % p->ny, n / p->ny);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, HgMeshComm(mesh)));
  *there = any;
  return 0;
}

/* Descends to the cell that is most wrong. *wrong, *right: the first parts with such cells. */
static PetscErrorCode descend(Search *s, Region r, int *wrong, int *right, HgFinding *f) {
  *wrong = *right = 0;
  for (bool first = true; r.i1 - r.i0 > 1 || r.j1 - r.j0 > 1 || r.k1 - r.k0 > 1; first = false) {
    Region q[PARTS], worst = r;
    double most = 0, off;
    const int count = halved(&r, q);
    for (int k = 0; k < count; k++) {
      bool there = first && r.place;
      if (there) PetscCall(present(s, &q[k], &there));
      PetscCall(mismatch(s, &q[k], &off));
      *wrong += there && off > 0, *right += there && off == 0;
      if (off > most) most = off, worst = q[k];
    }
    if (most == 0) return 0; /* what is left is spread below rounding */
    r = worst;
  }
  f->i = r.i0, f->j = r.j0, f->level = HgMeshGetSpec(HgStateMesh(s->x))->nz ? r.k0 : -1;
  return 0;
}

/* The rank that owns the global cell (i, j). */
static int owner(HgMesh mesh, int i, int j) {
  int size;
  MPI_Comm_size(HgMeshComm(mesh), &size);
  for (int rank = 0; rank < size; rank++) {
    const HgPatch p = HgMeshPatchOf(mesh, rank);
    if (i >= p.i_global && i < p.i_global + p.nx && j >= p.j_global && j < p.j_global + p.ny)
      return rank;
  }
  return -1;
}

/* The first kind of place where the derivative is wrong. What is wrong inside is also wrong at
   seams and walls; what is wrong at seams or walls is also wrong in corners where they meet. If no
   cell is inside because the grid is thin: everywhere if it is wrong in each kind of place. */
static PetscErrorCode find_place(Search *s, const Region *all, HgCheckPlace *place) {
  bool inside = false, each = true;
  *place = HG_PLACE_NONE;
  for (HgCheckPlace k = HG_PLACE_INSIDE; k < HG_PLACES && !(inside && *place); k++) {
    Region r = *all;
    double off;
    bool there;
    r.place = k;
    PetscCall(present(s, &r, &there));
    if (!there) continue;
    PetscCall(mismatch(s, &r, &off));
    inside = inside || k == HG_PLACE_INSIDE, each = each && off > 0;
    if (off > 0 && !*place) *place = k;
  }
  if (*place && !inside && each) *place = HG_PLACE_EVERYWHERE;
  return 0;
}

PetscErrorCode HgDoctorCell(HgOperator part, HgState x, int read, HgState dx, HgState y_bar,
                            HgState x_bar, double bound, HgFinding *f) {
  const HgMesh mesh = HgStateMesh(x);
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  Search s = {
      .op = part, .x = x, .dx = dx, .y_bar = y_bar, .x_bar = x_bar, .read = read, .bound = bound};
  Region all = {HG_PLACE_EVERYWHERE, 0, m->nx, 0, m->ny, 0, 1};
  int wrong = 0, right = 0;
  const HgVariable *v = HgStateVariable(dx, read);
  if (v->kind != HG_FIELD && v->kind != HG_REPLICATED) return 0;
  PetscCall(HgStateDuplicate(dx, &s.part));
  PetscCall(HgOperatorCreateOutput(part, &s.dy));
  if (v->kind == HG_REPLICATED) all.i1 = v->size, all.j1 = 1;
  else {
    all.k1 = HgStateLevels(dx, read);
    PetscCall(find_place(&s, &all, &f->place));
  }
  all.place = f->place == HG_PLACE_INSIDE ? HG_PLACE_EVERYWHERE : f->place; /* seams move */
  if (v->kind == HG_REPLICATED || f->place != HG_PLACE_NONE)
    PetscCall(descend(&s, all, &wrong, &right, f));
  if (f->place == HG_PLACE_INSIDE && wrong > 1 && right < 2) f->place = HG_PLACE_EVERYWHERE;
  if (v->kind == HG_REPLICATED) f->j = f->level = -1;
  else if (f->i >= 0) f->rank = owner(mesh, f->i, f->j);
  return HgStatesDestroy(&s.dy, &s.part);
}

PetscErrorCode HgDoctorDifference(HgState a, HgState b, int k, double *largest, HgFinding *f) {
  const HgMesh mesh = HgStateMesh(a);
  const MPI_Comm comm = HgMeshComm(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const HgVariable *v = HgStateVariable(a, k);
  const bool field = v->kind == HG_FIELD; /* else i is the index, j is -1 */
  const int nx = field ? p->nx : v->size, rows = field ? HgStateRowCount(a, k) : 1;

  double found[6] = {0}, own = -1, most; /* i, j, was, is, place, level */
  long cell = LONG_MAX, first;           /* of those that are off by as much the domain's first */
  int rank, holder;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  *largest = 0;
  if (!field && v->kind != HG_REPLICATED) return 0;
  for (int n = 0; n < rows; n++) {
    const HgRow of_a = HgStateRowOf(a, k, n), of_b = HgStateRowOf(b, k, n);
    for (int l = 0; l < nx; l++) {
      const double was = HgRowGet(of_a, l), is = HgRowGet(of_b, l);
      const double off = was == is ? 0 : fabs(was - is);
      if (off <= own) continue; /* a NaN is taken */
      own = isnan(off) ? INFINITY : off;
      const int i = field ? p->i_global + l : l, j = field ? p->j_global + n % p->ny : -1,
                level = n / p->ny;
      const HgCheckPlace place =
          field ? place_of(mesh, HgStateLevels(a, k), i, j, level) : HG_PLACE_NONE;
      memcpy(found, (double[6]){i, j, was, is, place, level}, sizeof found);
    }
  }
  PetscCallMPI(MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, comm));
  if (own == most) cell = ((long)found[5] * m->ny + (long)found[1]) * m->nx + (long)found[0];
  PetscCallMPI(MPI_Allreduce(&cell, &first, 1, MPI_LONG, MPI_MIN, comm));
  if (cell != first) rank = -1;
  PetscCallMPI(MPI_Allreduce(&rank, &holder, 1, MPI_INT, MPI_MAX, comm));
  PetscCallMPI(MPI_Bcast(found, 6, MPI_DOUBLE, holder, comm));
  *largest = most;
  if (!(most > 0)) return 0;
  f->i = (int)found[0], f->j = (int)found[1], f->was = found[2], f->is = found[3];
  f->place = (HgCheckPlace)found[4], f->rank = field ? holder : -1;
  f->level = field && m->nz ? (int)found[5] : -1;
  return 0;
}

PetscErrorCode HgDoctorAltered(HgState was, HgState is, HgCheckId check, long step,
                               const char part[], HgFindings *report) {
  for (int k = 0; k < HgStateCount(was); k++) {
    HgFinding at = {.i = -1, .j = -1, .level = -1, .rank = -1};
    double off;
    PetscCall(HgDoctorDifference(was, is, k, &off, &at));
    HgFinding *f = off > 0 ? HgFindingsAdd(report, check, step) : NULL;
    if (!f) continue;
    HgFindingName(f, part, "", HgStateVariable(was, k)->name);
    f->place = at.place, f->i = at.i, f->j = at.j, f->level = at.level, f->rank = at.rank;
    f->was = at.was, f->is = at.is, f->value = off / fmax(fabs(at.was), fabs(at.is));
    return 0;
  }
  return 0;
}
