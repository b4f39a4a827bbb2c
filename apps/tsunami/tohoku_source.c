/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_source.h"
#include <halograd/control.h>
#include <math.h>

static const double per_degree = 111.2e3; /* [m], as in the distance from the epicentre */

enum { BOX, A, B_X, B_Y, FACTORS };

PetscErrorCode TohokuSourceOptions(HgRun run, const TohokuEvent *event, TohokuSource *s) {
  const HgOptions o = HgRunOptions(run);
  *s = (TohokuSource){.west = event->box[0],
                      .east = event->box[1],
                      .south = event->box[2],
                      .north = event->box[3],
                      .longitude = event->epicentre[0],
                      .latitude = event->epicentre[1],
                      .radius = event->prior_radius,
                      .power = 4,
                      .metric = event->metric};

  const struct {
    const char *name, *text, *unit, *range;
    double *value;
  } all[] = {
      {"-box_west", "western edge of the box that may hold the source", "degrees", "[-360, 360]",
       &s->west},
      {"-box_east", "eastern edge of that box", "degrees", "[-360, 360]", &s->east},
      {"-box_south", "southern edge of that box", "degrees", "[-90, 90]", &s->south},
      {"-box_north", "northern edge of that box", "degrees", "[-90, 90]", &s->north},
      {"-prior_longitude", "longitude of the epicentre", "degrees", "[-360, 360]", &s->longitude},
      {"-prior_latitude", "latitude of the epicentre", "degrees", "[-90, 90]", &s->latitude},
      {"-prior_radius",
       "R_0: beyond this distance from the epicentre the weights grow as (r/R_0)^p", "m",
       "(0, inf)", &s->radius}};

  PetscCall(HgOptionsGroup(o, "Source"));
  for (int k = 0; k < (int)(sizeof all / sizeof *all); k++)
    PetscCall(HgOptionsReal(o, all[k].name, all[k].text, all[k].unit, all[k].range, all[k].value));
  PetscCall(HgOptionsInt(o, "-prior_power", "p in (r/R_0)^p", "", 1, 20, &s->power));
  if (HgOptionsGiven(o, "-prior_latitude")) s->metric = s->latitude;
  return 0;
}

PetscErrorCode TohokuSourceWeigh(HgRun run, TohokuSource *s) {
  if (!HgOptionsGiven(HgRunOptions(run), "-prior_length")) return 0; /* nor has it a deviation */
  s->power = 0;
  return HgOptionsRefuse(HgRunOptions(run), "with -prior_deviation, the same in all of the box",
                         (const char *const[]){"-prior_longitude", "-prior_latitude",
                                               "-prior_radius", "-prior_power", NULL});
}

static double prior_at(const TohokuSource *s, double longitude, double latitude) {
  const double east = remainder(longitude - s->longitude, 360) * cos(s->metric * (PETSC_PI / 180)),
               r = per_degree * hypot(east, latitude - s->latitude), part = r / s->radius;
  double grown = s->power % 2 ? part : 1;
  for (int k = 0; k < s->power / 2; k++) grown *= part * part;
  return grown;
}

/* Longitudes 190 and -170 are the same: the box nearest to the middle of the sea; its east may be a
   turn less than its west, across the date line. */
static void turn_box(const double end[4], TohokuSource *s) {
  const double across = s->east < s->west ? 360 : 0, middle = 0.5 * (s->west + s->east + across),
               turns = 360 * floor((0.5 * (end[0] + end[1]) - middle) / 360 + 0.5);
  s->west += turns, s->east += turns + across;
}

/* A box that reaches half a cell and more beyond the outermost cells would be cut. */
static PetscErrorCode require_inside(const TohokuSea *sea, TohokuSource *s) {
  const double slack = (0.5 + 1e-6) * sea->cell;
  double end[4];
  TohokuSeaEdges(sea, end);
  turn_box(end, s);
  HgRequire(HgMeshComm(sea->mesh),
            s->west >= end[0] - slack && s->east <= end[1] + slack && s->south >= end[2] - slack &&
                s->north <= end[3] + slack,
            HG_ERR_OPTION_RANGE,
            "box of the source: %g to %g E, %g to %g N, expected inside the sea, %.10g to %.10g E, "
            "%.10g to %.10g N",
            s->west, s->east, s->south, s->north, end[0], end[1], end[2], end[3]);
  return 0;
}

PetscErrorCode TohokuSourceCreate(const TohokuSea *sea, TohokuSource *s) {
  static const HgVariable fields[FACTORS] = {{"box", "1", HG_FIELD, 0},
                                             {"a", "1", HG_FIELD, 0},
                                             {"b_x", "1", HG_FIELD, 0},
                                             {"b_y", "1", HG_FIELD, 0}};
  const HgMeshSpec *m = HgMeshGetSpec(sea->mesh);
  const HgPatch *p = HgMeshGetPatch(sea->mesh);
  const double slack = 1e-6 * m->dx;
  int wet = 0;
  PetscCall(require_inside(sea, s));
  PetscCall(HgStateCreate(sea->mesh, FACTORS, fields, &s->factors));
  HgReal *const *h = HgStateRows(sea->floor, HgStateFind(sea->floor, "h")),
                *const *keep_u = HgStateRows(sea->x, HgStateFind(sea->x, "keep_u")),
                *const *keep_v = HgStateRows(sea->x, HgStateFind(sea->x, "keep_v"));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double x = m->x0 + (p->i_global + i) * m->dx, y = m->y0 + (p->j_global + j) * m->dy;
      const bool inside = x >= s->west - slack && x <= s->east + slack && y >= s->south - slack &&
                          y <= s->north + slack && h[j][i] > 0;
      wet += inside;
      HgStateRows(s->factors, BOX)[j][i] = inside;
      HgStateRows(s->factors, A)[j][i] = prior_at(s, x, y);
      HgStateRows(s->factors, B_X)[j][i] = keep_u[j][i] > 0;
      HgStateRows(s->factors, B_Y)[j][i] = keep_v[j][i] > 0;
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &wet, 1, MPI_INT, MPI_SUM, HgMeshComm(sea->mesh)));
  HgRequire(HgMeshComm(sea->mesh), wet, HG_ERR_OPTION_RANGE,
            "box of the source: no wet cell between %g and %g E, %g and %g N, expected some sea",
            s->west, s->east, s->south, s->north);
  return 0;
}

PetscErrorCode TohokuSourceDestroy(TohokuSource *s) { return HgStateDestroy(&s->factors); }

PetscErrorCode TohokuSourceSeek(const TohokuSource *s, const HgInverse *inverse,
                                HgProblem problem) {
  const HgRegularisation prior = {
      .control = "eta", .alpha = inverse->tikhonov, .beta = inverse->h1, .factors = s->factors};
  HgOperator box;
  PetscCall(HgParametrisationScaled(s->factors, "box", "m", "eta", "m", &box));
  PetscCall(HgProblemControl(problem, "eta", box));
  PetscCall(HgOperatorDestroy(&box));
  return HgProblemRegularise(problem, &prior);
}

/* ---- how large it is ---- */

enum { NET, RISEN, PART, EAST, NORTH, SUMS };

/* Sums over cells of the box, of area A: eta A, its positive part; of what rose more than 1 m eta
   A, and that times longitude and latitude. */
static PetscErrorCode sums_of(const TohokuSource *source, HgState state, double total[SUMS],
                              double *highest) {
  const HgMesh mesh = HgStateMesh(state);
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgReal *const *eta = HgStateRows(state, HgStateFind(state, "eta")), *const *inside = HgStateRows(
                                                                          source->factors, BOX);
  HgSum sums[SUMS];
  for (int k = 0; k < SUMS; k++) HgSumReset(&sums[k]);
  *highest = -INFINITY;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      if (inside[j][i] == 0) continue;
      const double c = HgMeshGetMetric(mesh)->latitudes[p->j_global + j].cosine,
                   volume = eta[j][i] *
                            (HgMeshGetMetric(mesh)->width * c * HgMeshGetMetric(mesh)->height),
                   part = eta[j][i] > 1 ? volume : 0;
      const double terms[SUMS] = {volume, fmax(volume, 0), part,
                                  part * (m->x0 + (p->i_global + i) * m->dx),
                                  part * (m->y0 + (p->j_global + j) * m->dy)};
      for (int k = 0; k < SUMS; k++) HgSumAdd(&sums[k], 1, &terms[k]);
      *highest = fmax(*highest, eta[j][i]);
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, highest, 1, MPI_DOUBLE, MPI_MAX, HgMeshComm(mesh)));
  return HgSumReduce(HgMeshComm(mesh), SUMS, sums, total);
}

PetscErrorCode TohokuSourceTell(HgRun run, const TohokuSource *source, HgState eta,
                                const char what[], const char before[]) {
  double t[SUMS], highest;
  PetscCall(sums_of(source, eta, t, &highest));
  const double km3 = 1e-9, east = t[EAST] / t[PART], north = t[NORTH] / t[PART];

  const struct {
    const char *key;
    double value;
  } all[] = {{"volume_km3", km3 * t[NET]},
             {"positive_km3", km3 * t[RISEN]},
             {"centroid_east", east},
             {"centroid_north", north},
             {"maximum", highest}};

  char centroid[96] = "no uplift above 1 m";
  if (t[PART] > 0)
    snprintf(centroid, sizeof centroid, "centroid of uplift above 1 m %.2f E %.2f N", east, north);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s: volume %.1f km^3, positive part %.1f km^3, %s, maximum %.2f m\n", what,
                        km3 * t[NET], km3 * t[RISEN], centroid, highest));
  for (int k = 0; k < (int)(sizeof all / sizeof *all); k++) {
    char key[64];
    snprintf(key, sizeof key, "%s%s", before, all[k].key);
    PetscCall(HgReportSetReal(HgRunReport(run), key, all[k].value));
  }
  return 0;
}
