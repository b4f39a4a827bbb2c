/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/sea.h>
#include <halograd/state_library.h>
#include <math.h>

static bool wet(const HgSea *s, double z) { return z <= -s->shore; }

static double depth(const HgSea *s, double z) { return wet(s, z) ? fmax(-z, s->shallowest) : 0; }

/* The rate of the sponge at global cell (i, j) [1/s] */
static double damping(const HgSea *s, const HgMeshSpec *m, int i, int j) {
  const int x = PetscMin(i, m->nx - 1 - i), y = PetscMin(j, m->ny - 1 - j), k = PetscMin(x, y);
  if (k >= s->sponge) return 0;
  const double part = (double)(s->sponge - k) / s->sponge;
  return s->strongest * (part * part);
}

typedef struct {
  const HgSea *sea;
  const HgMeshSpec *mesh;
  const HgPatch *patch;
  double dt;
  HgReal *const *b;
} Floor;

/* What a step keeps at cell (i, j), and on the face between it and cell (i + e, j + n). */
static double kept(const Floor *f, int i, int j, int e, int n) {
  const int x = f->patch->i_global + i, y = f->patch->j_global + j;
  if (x + e >= f->mesh->nx || y + n >= f->mesh->ny) return 0;
  if (!wet(f->sea, f->b[j][i]) || !wet(f->sea, f->b[j + n][i + e])) return 0;
  const double here = damping(f->sea, f->mesh, x, y),
               there = damping(f->sea, f->mesh, x + e, y + n);
  return 1 / (1 + f->dt * (0.5 * (here + there)));
}

static double face_depth(const Floor *f, int i, int j, int e, int n) {
  const bool open = kept(f, i, j, e, n) > 0;
  return open ? 0.5 * (depth(f->sea, f->b[j][i]) + depth(f->sea, f->b[j + n][i + e])) : 0;
}

enum { KEEP, KEEP_U, KEEP_V, DEPTH, DEPTH_V, FIELDS };

/* Rows of a linear or a nonlinear tsunami's constants: DEPTH is h_u and DEPTH_V h_v, or DEPTH is h.
   */
static void fill(const Floor *f, bool linear, HgReal *const *h, HgReal *const *const to[FIELDS]) {
  for (int j = 0; j < f->patch->ny; j++)
    for (int i = 0; i < f->patch->nx; i++) {
      h[j][i] = depth(f->sea, f->b[j][i]);
      to[KEEP][j][i] = kept(f, i, j, 0, 0);
      to[KEEP_U][j][i] = kept(f, i, j, 1, 0);
      to[KEEP_V][j][i] = kept(f, i, j, 0, 1);
      to[DEPTH][j][i] = linear ? face_depth(f, i, j, 1, 0) : fmax(h[j][i], f->sea->shallowest);
      if (linear) to[DEPTH_V][j][i] = face_depth(f, i, j, 0, 1);
    }
}

/* The least number of all ranks. */
static PetscErrorCode least_of(HgMesh mesh, double *number) {
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_DOUBLE, MPI_MIN, HgMeshComm(mesh)));
  return 0;
}

static double no_matter(double width, double height, double h) {
  (void)width, (void)height, (void)h;
  return 0;
}

PetscErrorCode HgSeaFill(HgState floor, const HgSea *s, double dt, HgState x) {
  const bool linear = HgStateFind(x, "h") < 0;
  const char *const names[FIELDS] = {"keep", "keep_u", "keep_v", linear ? "h_u" : "h", "h_v"};
  const HgMesh mesh = HgStateMesh(floor);
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  HgReal *const *to[FIELDS];
  double least;
  int b, h, index;
  HgRequire(
      HgMeshComm(mesh),
      isfinite(s->shore) && s->shore > 0 && isfinite(s->shallowest) && s->shallowest >= 0 &&
          s->sponge >= 0 && isfinite(s->strongest) && s->strongest >= 0,
      HG_ERR_DATA,
      "sea: shore %g m, shallowest %g m, sponge of %d cells and %g /s; expected a shore above 0 "
      "and no negative number",
      s->shore, s->shallowest, s->sponge, s->strongest);
  HgRequire(HgMeshComm(mesh), linear || s->shallowest > 0, HG_ERR_LIMIT_BROKEN,
            "sea: shallowest 0 m, expected more for a nonlinear tsunami, which divides by depths");
  HgRequire(HgMeshComm(mesh), 2 * (int64_t)s->sponge < PetscMin(m->nx, m->ny), HG_ERR_DATA,
            "sea: a sponge of %d cells along each side of %d x %d cells, expected less than half "
            "of the sea",
            s->sponge, m->nx, m->ny);
  PetscCall(HgStateIndex(floor, "b", &b));
  PetscCall(HgStateIndex(floor, "h", &h));
  for (int k = 0; k < FIELDS - !linear; k++) {
    PetscCall(HgStateIndex(x, names[k], &index));
    to[k] = HgStateRows(x, index);
    HgStateSetGhostDepth(x, index, 0);
  }
  const Floor f = {s, m, HgMeshGetPatch(mesh), dt, HgStateRows(floor, b)};
  fill(&f, linear, HgStateRows(floor, h), to);
  HgStateSetGhostDepth(floor, h, 0);

  PetscCall(HgSeaLeast(floor, no_matter, &least));
  HgRequire(HgMeshComm(mesh), isfinite(least), HG_ERR_DATA,
            "sea: none of the %d x %d cells has %g m of water or more, expected a sea", m->nx,
            m->ny, s->shore);
  return 0;
}

PetscErrorCode HgSeaLeast(HgState floor, double (*f)(double width, double height, double depth),
                          double *least) {
  const HgMesh mesh = HgStateMesh(floor);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgLatitude *row = HgMeshGetMetric(mesh)->latitudes;
  int index;
  PetscCall(HgStateIndex(floor, "h", &index));
  HgReal *const *h = HgStateRows(floor, index);
  *least = INFINITY;
  for (int j = 0; j < p->ny; j++) {
    const double width = HgMeshGetMetric(mesh)->width * (row ? row[p->j_global + j].cosine : 1);
    for (int i = 0; i < p->nx; i++)
      if (h[j][i] > 0) *least = fmin(*least, f(width, HgMeshGetMetric(mesh)->height, h[j][i]));
  }
  return least_of(mesh, least);
}

/* ---- where a gauge may stand ---- */

/* Distance on the mesh, squared, in its own unit; on a sphere degrees of latitude. */
static double distance2(HgMesh mesh, double x, double y, int i, int j) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const double across = (m->x0 + i * m->dx - x) * (m->radius > 0 ? cos(y * (PETSC_PI / 180)) : 1),
               along = m->y0 + j * m->dy - y;
  return across * across + along * along;
}

/* The nearest wet cell, the first in natural order of those equally near. Collective. */
static PetscErrorCode nearest_wet(HgMesh mesh, HgReal *const *h, double x, double y, int *i_found,
                                  int *j_found) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int nx = HgMeshGetSpec(mesh)->nx;
  double mine = INFINITY;
  int64_t cell = INT64_MAX;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double d = distance2(mesh, x, y, p->i_global + i, p->j_global + j);
      if (!(h[j][i] > 0) || d >= mine) continue;
      mine = d, cell = (int64_t)(p->j_global + j) * nx + p->i_global + i;
    }
  double nearest = mine;
  PetscCall(least_of(mesh, &nearest));
  if (mine > nearest) cell = INT64_MAX;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &cell, 1, MPI_INT64_T, MPI_MIN, HgMeshComm(mesh)));
  *i_found = (int)(cell % nx), *j_found = (int)(cell / nx);
  return 0;
}

PetscErrorCode HgSeaRequireWet(HgState floor, double x, double y, const char label[]) {
  const HgMesh mesh = HgStateMesh(floor);
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgSpot spot = HgSpotAt(mesh, HG_CENTRE, x, y, 0);
  int index, i_wet = 0, j_wet = 0, dry = 0;
  PetscCall(HgStateIndex(floor, "h", &index));
  HgReal *const *h = HgStateRows(floor, index);
  for (int c = 0; c < 4; c++) {
    const int i = PetscMin(PetscMax(spot.i + c % 2, 0), m->nx - 1) - p->i_global,
              j = PetscMin(PetscMax(spot.j + c / 2, 0), m->ny - 1) - p->j_global;
    const bool mine = i >= 0 && i < p->nx && j >= 0 && j < p->ny;
    dry = dry || (mine && spot.weight[c / 2][c % 2] > 0 && !(h[j][i] > 0));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &dry, 1, MPI_INT, MPI_MAX, HgMeshComm(mesh)));
  if (!dry) return 0;

  PetscCall(nearest_wet(mesh, h, x, y, &i_wet, &j_wet));
  const char *const unit = HgMeshGetMetric(mesh)->unit;
  return HgError(
      HgMeshComm(mesh), HG_ERR_DATA,
      "gauge%s at (%.10g, %.10g) %s stands beside land, expected water all round it; the "
      "nearest wet cell is that at (%.10g, %.10g) %s",
      label, x, y, unit, m->x0 + i_wet * m->dx, m->y0 + j_wet * m->dy, unit);
}
