/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/error_library.h>
#include <halograd/mesh_library.h>
#include <halograd/real_library.h>
#include <limits.h>
#include <math.h>

enum {
  HG_MOST_GHOSTS = 1024,
  HG_LEVEL_GHOSTS = 8 /* with levels: states share one pitch, which leaves room for so many */
};

struct HgMesh_s {
  MPI_Comm comm;
  HgMeshSpec spec;
  bool widens; /* ghosts are as many as are needed */
  int ghost_levels;
  int rank, size, owners, tags;
  int *first_x,
      *first_y; /* px + 1 and py + 1 offsets: patch k covers cells first[k] .. first[k+1]-1 */
  HgPatch patch;
  HgLatitude *rows; /* as allocated; NULL: a plane */
  HgMeshMetric metric;
};

/* Even split of n cells into p patches: the first n mod p are one wider. */
static int even_offset(int n, int p, int k) {
  const int remainder = n % p;
  return k * (n / p) + (k < remainder ? k : remainder);
}

/* The ghost width assumed for choosing patches, before the real one is known. */
enum { HG_USUAL_GHOSTS = 8 };

/* Prefers strips along y while they are `thick` rows high, because rows are contiguous in memory.
   */
static void choose_patches(int size, int nx, int ny, int ghost, int *px, int *py) {
  const int thick = PetscMax(4, 2 * (ghost ? ghost : HG_USUAL_GHOSTS));
  if (*px && !*py) *py = size / *px;
  if (*py && !*px) *px = size / *py;
  if (*px) return;
  int thickest = 0;
  *px = 1, *py = size;
  for (int k = size; k >= 1; k--) { /* k patches along y */
    if (size % k || k > ny || size / k > nx) continue;
    const int thinnest = PetscMin(ny / k, nx / (size / k));
    if (PetscMin(thinnest, thick) <= thickest) continue;
    thickest = PetscMin(thinnest, thick);
    *py = k, *px = size / k;
  }
}

static PetscErrorCode split(MPI_Comm comm, const char axis[], int n, int p, const int widths[],
                            int **first) {
  PetscCall(PetscMalloc1(p + 1, first));
  for (int k = 0; k <= p; k++) (*first)[k] = even_offset(n, p, k);
  if (!widths) return 0;
  long total = 0;
  for (int k = 0; k < p; k++) {
    HgRequire(comm, widths[k] >= 1, HG_ERR_MESH,
              "mesh: patch %d along %s has %d cells, expected at least 1", k, axis, widths[k]);
    (*first)[k] = (int)total;
    total += widths[k];
    HgRequire(comm, total <= n, HG_ERR_MESH,
              "mesh: patch widths along %s exceed the n%s = %d cells", axis, axis, n);
  }
  HgRequire(comm, total == n, HG_ERR_MESH,
            "mesh: patch widths along %s sum to %ld, expected n%s = %d", axis, total, axis, n);
  (*first)[p] = n;
  return 0;
}

/* ---- a sphere: its metric, row by row ---- */

static double radians(double degrees) { return degrees * (PETSC_PI / 180); }

static HgLatitude latitude_of(double degrees, double step) {
  const double centre = radians(degrees), north = radians(degrees + 0.5 * step);
  return (HgLatitude){cos(centre), sin(centre), cos(north), sin(north)};
}

static PetscErrorCode check_sphere(MPI_Comm comm, const HgMeshSpec *s) {
  HgRequire(comm, isfinite(s->radius) && s->radius >= 0, HG_ERR_MESH,
            "mesh: radius of the sphere is %g m, expected a positive finite number, or 0: a plane",
            s->radius);
  if (s->radius == 0) return 0;

  const double south = s->y0 - 1.5 * s->dy, north = s->y0 + (s->ny + 0.5) * s->dy,
               round = s->nx * s->dx;
  HgRequire(comm, south > -90 && north < 90, HG_ERR_MESH,
            "mesh: with one more row on either side it reaches from %g to %g degrees north, "
            "expected latitudes between the poles",
            south, north);
  HgRequire(comm, round <= 360 * (1 + 1e-12), HG_ERR_MESH,
            "mesh: %d cells of %g degrees reach %g degrees round the sphere, expected at most 360",
            s->nx, s->dx, round);
  HgRequire(comm, !s->periodic_x || fabs(round - 360) <= 1e-9 * 360, HG_ERR_MESH,
            "mesh: periodic in x, but its cells reach %g degrees round the sphere, expected 360",
            round);
  HgRequire(comm, !s->periodic_y, HG_ERR_MESH, "mesh: periodic in y on a sphere, expected walls");
  return 0;
}

static const char *unit_of(const HgMeshSpec *s) { return s->radius > 0 ? "degrees" : "m"; }

static PetscErrorCode check_spec(MPI_Comm comm, const HgMeshSpec *s, int size) {
  HgRequire(comm, s->nx >= 1 && s->ny >= 1, HG_ERR_MESH,
            "mesh: nx x ny is %d x %d, expected at least 1 x 1 cells", s->nx, s->ny);
  HgRequire(comm, s->px >= 0 && s->py >= 0, HG_ERR_MESH,
            "mesh: px x py is %d x %d, expected positive numbers of patches (0: chosen)", s->px,
            s->py);
  HgRequire(
      comm, (!s->widths_x || s->px) && (!s->widths_y || s->py), HG_ERR_MESH,
      "mesh: widths of patches are given, but px x py is %d x %d, expected as many patches as "
      "widths",
      s->px, s->py);
  HgRequire(comm, s->ghost >= 0 && s->ghost <= HG_MOST_GHOSTS, HG_ERR_HALO,
            "mesh: ghost width is %d, expected 1 to %d cells, or 0: as programs need them",
            s->ghost, HG_MOST_GHOSTS);
  HgRequire(comm, isfinite(s->dx) && isfinite(s->dy) && s->dx > 0 && s->dy > 0, HG_ERR_MESH,
            "mesh: cell size is %g x %g %s, expected positive finite numbers", s->dx, s->dy,
            unit_of(s));
  HgRequire(comm, isfinite(s->x0) && isfinite(s->y0), HG_ERR_MESH,
            "mesh: origin is (%g, %g) %s, expected finite numbers", s->x0, s->y0, unit_of(s));
  HgRequire(comm, s->nz >= 0, HG_ERR_MESH, "mesh: nz is %d, expected at least 1 level, or 0: none",
            s->nz);
  HgRequire(comm, !s->nz || (isfinite(s->dz) && s->dz > 0 && isfinite(s->z0)), HG_ERR_MESH,
            "mesh: levels are %g m thick and the first is at %g m, expected finite numbers, the "
            "thickness positive",
            s->dz, s->z0);
  HgRequire(comm, s->nz || !s->periodic_z, HG_ERR_MESH,
            "mesh: periodic in z, but it has no levels; set nz");
  PetscCall(check_sphere(comm, s));
  const long px = s->px, py = s->py;
  const bool fits = px && py ? px * py == size : px ? size % px == 0 : py ? size % py == 0 : true;
  HgRequire(
      comm, fits, HG_ERR_MESH,
      "mesh: px x py is %ld x %ld patches%s, expected a factorisation of the %d ranks that run", px,
      py, px && py ? "" : " (0: chosen)", size);
  return 0;
}

/* latitudes[j], j from -2 HG_MOST_GHOSTS to ny + 2 HG_MOST_GHOSTS - 1. */
static PetscErrorCode create_metric(HgMesh m) {
  const HgMeshSpec *s = &m->spec;
  m->metric = (HgMeshMetric){.width = s->dx, .height = s->dy, .unit = unit_of(s)};
  if (s->radius == 0) return 0;

  /* kernels that are checked reach a little further than ghosts do */
  const int around = 2 * HG_MOST_GHOSTS;
  m->metric.width = s->radius * radians(s->dx), m->metric.height = s->radius * radians(s->dy);
  PetscCall(PetscMalloc1(s->ny + 2 * around, &m->rows));
  for (int j = -around; j < s->ny + around; j++)
    m->rows[j + around] = latitude_of(s->y0 + s->dy * fmin(fmax(j, -1), s->ny), s->dy);
  m->metric.latitudes = m->rows + around;
  return 0;
}

PetscErrorCode HgMeshCreate(MPI_Comm comm, const HgMeshSpec *spec, HgMesh *mesh) {
  int size, rank;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  HgMeshSpec s = *spec;
  PetscCall(HgRequireAlike(comm,
                           "a mesh of %d x %d x %d cells in %d x %d patches, periodic %d%d%d, of "
                           "%.17g x %.17g x %.17g from %.17g %.17g %.17g, radius %.17g",
                           s.nx, s.ny, s.nz, s.px, s.py, s.periodic_x, s.periodic_y, s.periodic_z,
                           s.dx, s.dy, s.dz, s.x0, s.y0, s.z0, s.radius));
  PetscCall(check_spec(comm, spec, size));
  choose_patches(size, s.nx, s.ny, s.ghost, &s.px, &s.py);
  HgRequire(comm, s.px <= s.nx && s.py <= s.ny, HG_ERR_MESH,
            "mesh: %d x %d patches need at least as many cells, but nx x ny is %d x %d", s.px, s.py,
            s.nx, s.ny);
  HgMesh m;
  PetscCall(PetscNew(&m));
  m->owners = 1, m->rank = rank, m->size = size, m->spec = s;
  m->widens = !s.ghost, m->spec.ghost = PetscMax(1, s.ghost);
  PetscErrorCode ierr = split(comm, "x", s.nx, s.px, s.widths_x, &m->first_x);
  if (!ierr) ierr = split(comm, "y", s.ny, s.py, s.widths_y, &m->first_y);
  if (ierr) {
    PetscCall(PetscFree(m->first_x));
    PetscCall(PetscFree(m->first_y));
    PetscCall(PetscFree(m));
    return ierr;
  }
  m->spec.widths_x = m->spec.widths_y = NULL; /* the caller's; first_x, first_y know them */
  PetscCallMPI(MPI_Comm_dup(comm, &m->comm));
  m->patch = HgMeshPatchOf(m, rank);
  *mesh = m;
  return create_metric(m);
}

PetscErrorCode HgMeshReference(HgMesh mesh) {
  mesh->owners++;
  return 0;
}

PetscErrorCode HgMeshDestroy(HgMesh *mesh) {
  HgMesh m = *mesh;
  *mesh = NULL;
  if (!m || --m->owners) return 0;
  PetscCallMPI(MPI_Comm_free(&m->comm));
  PetscCall(PetscFree(m->first_x));
  PetscCall(PetscFree(m->first_y));
  PetscCall(PetscFree(m->rows));
  return PetscFree(m);
}

MPI_Comm HgMeshComm(HgMesh mesh) { return mesh->comm; }

const HgMeshSpec *HgMeshGetSpec(HgMesh mesh) { return &mesh->spec; }

const HgPatch *HgMeshGetPatch(HgMesh mesh) { return &mesh->patch; }

const HgMeshMetric *HgMeshGetMetric(HgMesh mesh) { return &mesh->metric; }

bool HgMeshHasAutomaticGhosts(HgMesh mesh) { return mesh->widens; }

static int most_ghosts(HgMesh m) {
  return !m->widens ? m->spec.ghost : m->spec.nz ? HG_LEVEL_GHOSTS : HG_MOST_GHOSTS;
}

PetscErrorCode HgMeshRequireGhosts(HgMesh m, int ghost) {
  HgRequire(m->comm, ghost <= most_ghosts(m), HG_ERR_HALO,
            "mesh: %d ghost cells are needed, but %s %d", ghost,
            m->widens ? "there can be at most" : "its spec says that there are", most_ghosts(m));
  m->spec.ghost = PetscMax(m->spec.ghost, ghost);
  return 0;
}

void HgMeshSetGhosts(HgMesh m, int ghost) { m->spec.ghost = ghost; }

void HgMeshRequireLevels(HgMesh m, int deep) { m->ghost_levels = PetscMax(m->ghost_levels, deep); }

int HgMeshGhostLevels(HgMesh m) { return m->spec.nz ? PetscMax(1, m->ghost_levels) : 0; }

void HgMeshCellText(HgMesh m, const int at[3], char text[40]) {
  if (m->spec.nz) snprintf(text, 40, "(%d, %d, %d)", at[0], at[1], at[2]);
  else snprintf(text, 40, "(%d, %d)", at[0], at[1]);
}

int HgMeshLevels(HgMesh m) { return PetscMax(1, m->spec.nz); }

/* Width of ghosts and the margin around them, for the widest state possible. */
int HgMeshMargin(HgMesh m) { return m->spec.nz ? 2 * PetscMax(HG_LEVEL_GHOSTS, m->spec.ghost) : 0; }

static ptrdiff_t pitch_of(HgMesh m, int nx) {
  const int numbers = nx + 2 * HgMeshMargin(m), unit = HG_LINE;
  const ptrdiff_t pitch = ((ptrdiff_t)numbers + unit - 1) / unit * unit;
  return pitch * (ptrdiff_t)sizeof(HgReal) % 4096 ? pitch : pitch + unit;
}

HgPatch HgMeshPatchOf(HgMesh m, int rank) {
  const HgMeshSpec *s = &m->spec;
  const int ix = rank % s->px, iy = rank / s->px;
  return (HgPatch){.nx = m->first_x[ix + 1] - m->first_x[ix],
                   .ny = m->first_y[iy + 1] - m->first_y[iy],
                   .ix = ix,
                   .iy = iy,
                   .i_global = m->first_x[ix],
                   .j_global = m->first_y[iy],
                   .wall_west = ix == 0 && !s->periodic_x,
                   .wall_east = ix == s->px - 1 && !s->periodic_x,
                   .wall_south = iy == 0 && !s->periodic_y,
                   .wall_north = iy == s->py - 1 && !s->periodic_y,
                   .pitch = pitch_of(m, m->first_x[ix + 1] - m->first_x[ix])};
}

int HgMeshNeighbour(HgMesh m, int sx, int sy) {
  const HgMeshSpec *s = &m->spec;
  int ix = m->patch.ix + sx, iy = m->patch.iy + sy;
  if (s->periodic_x) ix = (ix + s->px) % s->px;
  if (s->periodic_y) iy = (iy + s->py) % s->py;
  return ix < 0 || ix >= s->px || iy < 0 || iy >= s->py ? -1 : iy * s->px + ix;
}

int HgMeshNewTag(HgMesh m) { return m->tags++ % 4096; }

void HgMeshThinnest(HgMesh m, int *nx, int *ny) {
  *nx = *ny = INT_MAX;
  for (int k = 0; k < m->spec.px; k++) *nx = PetscMin(*nx, m->first_x[k + 1] - m->first_x[k]);
  for (int k = 0; k < m->spec.py; k++) *ny = PetscMin(*ny, m->first_y[k + 1] - m->first_y[k]);
}

PetscErrorCode HgMeshView(HgMesh m, PetscViewer viewer) {
  const HgMeshSpec *s = &m->spec;
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "mesh: %d x %d cells of %g x %g %s, %d x %d patches, ghost width %d%s%s", s->nx,
      s->ny, s->dx, s->dy, m->metric.unit, s->px, s->py, s->ghost,
      s->periodic_x ? ", periodic in x" : "", s->periodic_y ? ", periodic in y" : ""));
  if (s->nz)
    PetscCall(PetscViewerASCIIPrintf(viewer, ", %d levels of %g m%s", s->nz, s->dz,
                                     s->periodic_z ? ", periodic in z" : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  return 0;
}
