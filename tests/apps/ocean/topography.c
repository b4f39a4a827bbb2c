/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: topography of other programs (topography_make.py) is interpolated exactly where it is
   bilinear and to second order where it is smooth, or refused in one sentence that says why. */
#include "claim.h"
#include "faults.h"
#include <halograd/file_library.h>
#include <halograd/topography.h>
#include <math.h>
#include <sys/stat.h>

enum { WORDS = 5 };

static const char *directory;

static double plane(double x, double y) { return -1000 + 0.5 * x - 0.25 * y + 1e-3 * x * y; }

static double slope(double x, double y) { return -100 + x / 4 - y / 8; }

static double waves(double x, double y) { return -500 - 100 * sin(x / 400) * cos(y / 300); }

/* plane() of longitude and latitude, of which 10 E, 40 N is the mesh's origin */
static double degrees(double x, double y) {
  const double radius = 6371e3, degree = acos(-1) / 180;
  return plane(10 + x / (radius * degree * cos(40 * degree)), 40 + y / (radius * degree));
}

/* The largest distance from `f`, ghosts included, where those beyond walls are the nearest cell. */
static PetscErrorCode distance(HgState q, double (*f)(double, double), double *largest) {
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(q));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  *largest = 0;
  for (int j = -m->ghost; j < p->ny + m->ghost; j++)
    for (int i = -m->ghost; i < p->nx + m->ghost; i++) {
      const double x = fmin(fmax(i + p->i_global, 0), m->nx - 1),
                   y = fmin(fmax(j + p->j_global, 0), m->ny - 1);
      const double e = fabs(HgStateRows(q, 0)[j][i] - f(m->x0 + x * m->dx, m->y0 + y * m->dy));
      *largest = e <= *largest ? *largest : e;
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  return 0;
}

static PetscErrorCode accept(HgState q, const char kind[], const char path[]) {
  static double last_error, last_points;
  const HgTopographyOrigin origin = {10, 40};
  double e, points = 0;
  const bool order = sscanf(kind, "order %lf", &points) == 1, turned = !strcmp(kind, "degrees");
  PetscCall(HgTopographyRead(q, "b", path, turned ? &origin : NULL));
  PetscCall(distance(q,
                     order                    ? waves
                     : turned                 ? degrees
                     : strstr(path, "single") ? slope
                                              : plane,
                     &e));
  if (!order) claim_at_most(e, 2e-12, "'%s': distance from the bilinear function [km]", path);
  if (order && last_points)
    claim_at_most(fabs(log(last_error / e) / log(points / last_points) - 2), 0.02,
                  "'%s': distance of the order from 2", path);
  last_error = e, last_points = points;
  return 0;
}

/* Metres that fall to both sides of the date line, between points `offset` and whole degrees from
   there. */
static double ridge(double longitude, double latitude, double offset) {
  const double west = floor(longitude - offset) + offset, part = longitude - west;
  const double height[2] = {fabs(fmod(west + 720, 360) - 180), fabs(fmod(west + 721, 360) - 180)};
  return -3000 + 10 * ((1 - part) * height[0] + part * height[1]) + latitude / 2;
}

/* A chart of all longitudes, on seas across its ends, wherever it has them. */
static PetscErrorCode accept_globe(const char path[], double offset) {
  static const HgVariable b = {"b", "m", HG_FIELD, 0};
  static const double west[] = {170, 350, -10, -540};
  for (int k = 0; k < 4; k++) {
    const HgMeshSpec spec = {.nx = 41,
                             .ny = 9,
                             .x0 = west[k],
                             .y0 = -10,
                             .dx = 0.5,
                             .dy = 2.5,
                             .ghost = 1,
                             .radius = 6371e3};
    HgMesh mesh;
    HgState q;
    double largest = 0;
    PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
    PetscCall(HgStateCreate(mesh, 1, &b, &q));
    PetscCall(HgTopographyRead(q, "b", path, NULL));
    const HgPatch *p = HgMeshGetPatch(mesh);
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) {
        const double x = west[k] + 0.5 * (p->i_global + i), y = -10 + 2.5 * (p->j_global + j);
        largest = fmax(largest, fabs(HgStateRows(q, 0)[j][i] - ridge(x, y, offset)));
      }
    claim_at_most(largest, strstr(path, "single") ? 1e-3 : 1e-9, "'%s' from %g E: error [m]", path,
                  west[k]);
    PetscCall(DESTROY(&q, &mesh));
  }
  return 0;
}

static PetscErrorCode try_line(HgState q, char line[]) {
  char *word[WORDS] = {line, "", "", "", ""}, path[4096];
  for (int k = 1; k < WORDS; k++) {
    char *bar = strchr(word[k - 1], '|');
    if (!bar) break;
    *bar = 0;
    word[k] = bar + 1;
  }
  snprintf(path, sizeof path, "%s/%s", directory, word[1]);
  PetscCall(HgStateSetConstant(q, "b", 7));
  if (!strcmp(word[0], "globe")) return accept_globe(path, atof(word[2]));
  if (strcmp(word[0], "refused")) return accept(q, word[0], path);
  word[1][strcspn(word[1], "?")] = 0; /* sentences name the file, not what was asked of it */
  REFUSED(HgTopographyRead(q, "b", path, NULL), word[1], word[2], word[3], word[4]);
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      claim_same(HgStateRows(q, 0)[j][i], 7, "the field after '%s' was refused", path);
  return 0;
}

/* Whatever byte is damaged, wherever it ends: one sentence or numbers, never a crash or a hang. */
static PetscErrorCode survive_damage(HgState q, const char good[], const char bad[]) {
  char *bytes, path[4096];
  size_t size;
  snprintf(path, sizeof path, "%s/%s", directory, good);
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, path, 1 << 20, &bytes, &size));
  for (size_t k = 0; k < 150; k++) {
    const size_t at = k * size / 150;
    bytes[at] ^= (char)0x81;
    PetscCall(HgFileWrite(PETSC_COMM_WORLD, bad, bytes, k % 3 ? size : at));
    bytes[at] ^= (char)0x81;
    refusal_begin();
    const PetscErrorCode ierr = HgTopographyRead(q, "b", bad, NULL);
    PetscCall(refusal_or_success(PETSC_COMM_WORLD, ierr, bad));
    claim_that(k % 3 || ierr, "'%s' cut to %zu of %zu bytes is refused", good, at, size);
  }
  return PetscFree(bytes);
}

/* Metres of `path`; a chart that ends before the sea, in its own numbers. */
static PetscErrorCode refuse_on_sphere(const char path[]) {
  const HgMeshSpec spec = {
      .nx = 8, .ny = 4, .x0 = 359, .y0 = -20, .dx = 3, .dy = 10, .radius = 6371e3};
  static const HgVariable b = {"b", "m", HG_FIELD, 0};
  char part[4096];
  HgMesh mesh;
  HgState q;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &b, &q));
  REFUSED(HgTopographyRead(q, "b", path, NULL), "x is in metres, expected degrees");
  snprintf(part, sizeof part, "%s/turned.nc", directory);
  REFUSED(HgTopographyRead(q, "b", part, NULL), "from x = -350 to -349.97 degrees",
          "cell centres, 359 to 380 degrees");
  return DESTROY(&q, &mesh);
}

static PetscErrorCode refuse_others(HgState q) {
  const int ranks = claim.ranks;
  char fifo[64], path[4096];
  const HgTopographyOrigin pole = {0, 90}, origin = {10, 40};
  snprintf(fifo, sizeof fifo, "topography_fifo_%d", ranks);
  snprintf(path, sizeof path, "%s/degrees.nc", directory);
  if (!claim.rank) mkfifo(fifo, 0600);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  REFUSED(HgTopographyRead(q, "b", fifo, NULL), fifo, "regular file");
  REFUSED(HgTopographyRead(q, "b", "none.asc", NULL), "none.asc", "No such file");
  REFUSED(HgTopographyRead(q, "b", "/", NULL), "'/'", "regular file");
  REFUSED(HgTopographyRead(q, "z", path, NULL), "no variable 'z'");
  REFUSED(HgTopographyRead(q, "a", path, NULL), "'a' is an array");
  REFUSED(HgTopographyRead(q, "b", path, &pole), "latitude 90 degrees", "between -90 and 90");
  snprintf(path, sizeof path, "%s/yx_.nc", directory);
  REFUSED(HgTopographyRead(q, "b", path, &origin), "x is in metres, expected degrees");
  PetscCall(refuse_on_sphere(path));
  snprintf(path, sizeof path, "%s/esri_center.asc", directory);
  REFUSED(HgTopographyRead(q, "b", path, &origin), "x from 450 to 1650", "degrees between -360");
  return 0;
}

/* No memory, anywhere, for a chart of each format. */
static PetscErrorCode read_charts(void *state) {
  static const char *const charts[] = {"esri_corner.asc", "gzip_earliest.nc"};
  char path[4096];
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/%s", directory, charts[k]);
    PetscCall(HgTopographyRead(state, "b", path, NULL));
  }
  return 0;
}

/* h + b is the sea level; land is named by the first cell in natural order. */
static PetscErrorCode still_water(HgState q) {
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(q));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  char path[4096];
  snprintf(path, sizeof path, "%s/esri_corner.asc", directory);
  PetscCall(HgTopographyRead(q, "b", path, NULL));
  PetscCall(HgTopographyStillWater(q, "b", 1500, 100, "h"));
  for (int j = -m->ghost; j < p->ny + m->ghost; j++)
    for (int i = -m->ghost; i < p->nx + m->ghost; i++)
      claim_same(HgStateRows(q, 1)[j][i], 1500 - HgStateRows(q, 0)[j][i], "thickness at (%d, %d)",
                 i + p->i_global, j + p->j_global);
  REFUSED(HgTopographyStillWater(q, "b", 500, 100, "h"), "cell (11, 2) at (1600, 460) m",
          "is 421 m", "at most 400 m");
  REFUSED(HgTopographyStillWater(q, "b", 500, 0, "h"), "least depth 0 m");
  REFUSED(HgTopographyStillWater(q, "b", NAN, 1, "h"), "sea level nan m");
  REFUSED(HgTopographyStillWater(q, "b", 500, 1, "a"), "'b' and 'a' must be fields");
  REFUSED(HgTopographyStillWater(q, "x", 500, 1, "h"), "no variable 'x'");
  HgStateRows(q, 0)[0][0] = NAN;
  REFUSED(HgTopographyStillWater(q, "b", 5000, 1, "h"), "cell (0, 0) at (500, 300) m", "nan");
  return 0;
}

static PetscErrorCode run(void) {
  char path[4096], *text, *rest;
  size_t size;
  int lines = 0;
  HgMesh mesh;
  HgState q;
  const HgMeshSpec spec = {
      .nx = 12, .ny = 10, .x0 = 500, .y0 = 300, .dx = 100, .dy = 80, .ghost = 2};
  const HgVariable variables[] = {
      {"b", "m", HG_FIELD, 0}, {"h", "m", HG_FIELD, 0}, {"a", "m", HG_REPLICATED, 3}};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 3, variables, &q));
  snprintf(path, sizeof path, "%s/manifest.txt", directory);
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, path, 1 << 20, &text, &size));
  rest = text;
  for (char *line; (line = strtok_r(rest, "\n", &rest)); lines++) PetscCall(try_line(q, line));
  PetscCall(PetscFree(text));
  claim_that(lines > 90, "%d files were tried, expected more than 90", lines);
  PetscCall(refuse_others(q));
  PetscCall(survive_damage(q, "yx_.nc", "topography_bad.nc"));
  PetscCall(survive_damage(q, "gzip_earliest.nc", "topography_bad.nc"));
  PetscCall(survive_damage(q, "own.nc", "topography_bad.nc"));
  PetscCall(survive_damage(q, "esri_corner.asc", "topography_bad.asc"));
  PetscCall(faults_try(HG_FAULT_MEMORY, read_charts, NULL, q));
  PetscCall(still_water(q));
  return DESTROY(&q, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  claim_begin("topography of others is interpolated, or refused in one sentence", 0);
  directory = argv[1];
  if (!ierr) ierr = run();
  return claim_end(ierr);
}
