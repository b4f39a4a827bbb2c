/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/subfaults.h>
#include <math.h>

static const double degree = PETSC_PI / 180;

enum { POINTS = 8 }; /* along each side of a cell near the fault */

PetscErrorCode HgSubfaultsDestroy(HgSubfaults **s) {
  if (*s) PetscCall(PetscFree((*s)->fault));
  return PetscFree(*s);
}

double HgSubfaultsSlip(const HgSubfaults *s, int k, double t) {
  double sum = 0;
  for (int w = 0; w < s->windows; w++) {
    const double since = t - (s->fault[k].start + w * s->window);
    if (since >= s->window) sum += s->fault[k].slip[w];
    else if (since > 0) sum += since / s->window * s->fault[k].slip[w];
  }
  return sum;
}

double HgSubfaultsMoment(const HgSubfaults *s, double rigidity, const double slip[]) {
  double potency = 0;
  for (int k = 0; k < s->count; k++)
    potency += s->fault[k].fault.length * s->fault[k].fault.width * fabs(slip[k]);
  return rigidity * potency;
}

/* Metres east and north of where the upper edge begins, the shorter way round. */
static void place_of(const HgSubfault *f, double radius, double longitude, double latitude,
                     double *east, double *north) {
  *east = radius * cos(latitude * degree) * (remainder(longitude - f->longitude, 360) * degree);
  *north = radius * ((latitude - f->latitude) * degree);
}

double HgSubfaultDistance(const HgSubfault *f, double radius, double longitude, double latitude) {
  const double s = sin(f->strike * degree), c = cos(f->strike * degree),
               along = 0.5 * f->fault.length,
               right = 0.5 * f->fault.width * cos(f->fault.dip * degree);
  double e, n;
  place_of(f, radius, longitude, latitude, &e, &n);
  return hypot(e - (along * s + right * c), n - (along * c - right * s));
}

HgOkadaMotion HgSubfaultMotion(const HgSubfault *f, double radius, double longitude,
                               double latitude) {
  const double along = sin(f->strike * degree), north = cos(f->strike * degree),
               upper = f->fault.width * cos(f->fault.dip * degree);
  double e, n;
  place_of(f, radius, longitude, latitude, &e, &n);
  const HgOkadaSlip unit = {cos(f->rake * degree), sin(f->rake * degree)};
  const HgOkadaMotion u =
      HgOkadaSurface(&f->fault, unit, e * along + n * north, n * along - e * north + upper);
  return (HgOkadaMotion){u.x * along - u.y * north, u.x * north + u.y * along, u.z};
}

/* ---- cells ---- */

typedef struct {
  const HgMeshSpec *mesh;
  const HgPatch *patch;
  double width, height; /* of a cell [m], the width at the equator */
  const HgLatitude *latitude;
  HgReal *const *z; /* NULL: flat */
} Floor;

/* The mean slope east and north in cell (i, j) of the floor between the centres. */
static void slope_of(const Floor *f, int i, int j, double *east, double *north) {
  *east = *north = 0;
  if (!f->z) return;
  const HgReal *s = f->z[j - 1], *c = f->z[j], *n = f->z[j + 1],
               width = f->width * f->latitude[f->patch->j_global + j].cosine;
  *east =
      (6 * (c[i + 1] - c[i - 1]) + (n[i + 1] - n[i - 1]) + (s[i + 1] - s[i - 1])) / (16 * width);
  *north = (6 * (n[i] - s[i]) + (n[i + 1] - s[i + 1]) + (n[i - 1] - s[i - 1])) / (16 * f->height);
}

/* How many points along each side of a cell: one where all of the fault is so far away that the
   motion is nearly linear across the cell. */
static int points_at(const HgSubfault *f, double radius, double x, double y) {
  double east, north;
  place_of(f, radius, x, y, &east, &north);
  return hypot(east, north) > 2.5 * (f->fault.length + f->fault.width) ? 1 : POINTS;
}

static double lift(const Floor *f, const HgSubfault *fault, int i, int j) {
  const HgMeshSpec *m = f->mesh;
  const double x = m->x0 + (f->patch->i_global + i) * m->dx,
               y = m->y0 + (f->patch->j_global + j) * m->dy;
  const int points = points_at(fault, m->radius, x, y);
  HgOkadaMotion sum = {0, 0, 0};
  double east, north;
  for (int b = 0; b < points; b++)
    for (int a = 0; a < points; a++) {
      const HgOkadaMotion u =
          HgSubfaultMotion(fault, m->radius, x + m->dx * ((a + 0.5) / points - 0.5),
                           y + m->dy * ((b + 0.5) / points - 0.5));
      sum.x += u.x, sum.y += u.y, sum.z += u.z;
    }
  slope_of(f, i, j, &east, &north);
  return (sum.z - (sum.x * east + sum.y * north)) / (points * points);
}

PetscErrorCode HgSubfaultsUplift(const HgSubfaults *s, HgState floor, const char b[], HgState mask,
                                 const char where[], HgState units) {
  const HgMesh mesh = HgStateMesh(floor);
  const HgPatch *p = HgMeshGetPatch(mesh);
  Floor f = {HgMeshGetSpec(mesh),
             p,
             HgMeshGetMetric(mesh)->width,
             HgMeshGetMetric(mesh)->height,
             HgMeshGetMetric(mesh)->latitudes,
             NULL};
  int index, inside;
  HgRequire(HgMeshComm(mesh), f.latitude, HG_ERR_DATA,
            "uplift of %d subfaults: the mesh is a plane, expected longitudes and latitudes",
            s->count);
  HgRequire(HgMeshComm(mesh), HgStateCount(units) == s->count, HG_ERR_DATA,
            "uplift of %d subfaults: %d fields for them, expected one for each", s->count,
            HgStateCount(units));
  if (b) {
    PetscCall(HgStateIndex(floor, b, &index));
    f.z = HgStateRows(floor, index);
  }
  PetscCall(HgStateIndex(mask, where, &inside));
  for (int k = 0; k < s->count; k++)
    HgRequire(HgMeshComm(mesh), HgStateVariable(units, k)->kind == HG_FIELD, HG_ERR_DATA,
              "uplift of %d subfaults: '%s' is no field", s->count,
              HgStateVariable(units, k)->name);
  for (int k = 0; k < s->count; k++) {
    HgReal *const *unit = HgStateRows(units, k);
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++)
        unit[j][i] = HgStateRows(mask, inside)[j][i] != 0 ? lift(&f, &s->fault[k], i, j) : 0;
    HgStateSetGhostDepth(units, k, 0);
  }
  return 0;
}
