/* SPDX-License-Identifier: BSD-2-Clause */
#include "control_private.h"
#include <halograd/boundary_library.h>
#include <halograd/control_library.h>
#include <halograd/error_library.h>
#include <halograd/exchange_library.h>
#include <halograd/mesh_library.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <math.h>

/* Variables of `factors`; of `ghosted`, after m and n. */
enum { A, B_X, B_Y, FACTORS, MEAN = 2, SHARE, SIDES = 6, COPIES = SHARE + SIDES };

static const char *const copy_names[COPIES] = {"m",     "n",     "mean",  "west", "east",
                                               "south", "north", "below", "above"};
static const char *const factor_names[FACTORS] = {"a", "b_x", "b_y"};

typedef struct {
  HgMesh mesh;
  int index;
  bool surface;             /* of a mesh with levels it has one */
  HgRegularisation weights; /* of Matern's prior kappa^2 and 1 */
  double tau;               /* of Matern's prior; 0: this is none */
  bool centred, direction;  /* is there an m_0; m is a direction: it counts as 0 */
  bool gauss_newton;        /* second derivatives leave R' out */
  HgState factors;
  HgState ghosted; /* copies of m - m_0 and n, whose ghosts mirror at walls; m_0; shares of sides */
  HgExchange exchange;
  HgBoundary mirror; /* no difference across a wall */
} Regularisation;

/* Weights of a row: of its cells, its eastern faces, and its northern and southern faces without
   their lengths `north` and `south`; and the factors there. */
typedef struct {
  double volume, alpha, bx, by, bz, north, south;
  const HgReal *a, *b_x, *b_y, *b_y_south;
} Row;

/* Row n; rows of all levels are numbered one after another. With levels a cell is dz thick. */
static Row row_of(const Regularisation *r, int n) {
  const HgMeshSpec *s = HgMeshGetSpec(r->mesh);
  const bool levels = s->nz > 0;
  const int ny = HgMeshGetPatch(r->mesh)->ny, j = n % ny, level = n / ny;
  const double dx = HgMeshGetMetric(r->mesh)->width, dy = HgMeshGetMetric(r->mesh)->height,
               area = dx * dy * (levels && !r->surface ? s->dz : 1);
  const HgLatitude *all = HgMeshGetMetric(r->mesh)->latitudes, plane = {1, 0, 1, 0};
  const int global = HgMeshGetPatch(r->mesh)->j_global + j;
  const HgLatitude at = all ? all[global] : plane, south = all ? all[global - 1] : plane;
  const double bx = r->weights.beta * area / (dx * dx), by = r->weights.beta * area / (dy * dy);
  HgReal *const *b_y = HgStateLevel(r->factors, B_Y, level);
  return (Row){.bz = levels && !r->surface ? r->weights.beta * area / (s->dz * s->dz) : 0,
               .volume = area * at.cosine,
               .alpha = r->weights.alpha * area * at.cosine,
               .bx = bx / at.cosine,
               .by = by,
               .north = at.north_cosine,
               .south = south.north_cosine,
               .a = HgStateLevel(r->factors, A, level)[j],
               .b_x = HgStateLevel(r->factors, B_X, level)[j],
               .b_y = b_y[j],
               .b_y_south = b_y[j - 1]};
}

static PetscErrorCode fill_ghosts(const Regularisation *r, HgState m, int index) {
  HgReal *const *fields[1] = {HgStateRows(m, index)};
  PetscCall(HgExchangeApply(r->exchange, fields));
  HgBoundaryApply(r->mesh, &r->mirror, r->surface, HG_PRIMAL, 1, fields[0]);
  return 0;
}

/* Copy k = m's variable, or m - m_0, with ghosts. The caller's may be frozen. */
static PetscErrorCode with_ghosts(const Regularisation *r, HgState m, bool above, int k) {
  PetscCall(HgStateCopyVariable(m, r->index, r->ghosted, k));
  if (above && r->centred && !r->direction)
    PetscCall(HgStateAXPYVariable(r->ghosted, k, -1, r->ghosted, MEAN));
  return fill_ghosts(r, r->ghosted, k);
}

/* The rows around row n of copy k: itself, south and north, below and above. */
typedef struct {
  const HgReal *at, *south, *north, *below, *above;
} Around;

static Around around(const Regularisation *r, int k, int n) {
  const int ny = HgMeshGetPatch(r->mesh)->ny, j = n % ny, level = n / ny;
  HgReal *const *u = HgStateLevel(r->ghosted, k, level);
  const ptrdiff_t pitch = HgMeshGetPatch(r->mesh)->pitch;
  return (Around){u[j], u[j - 1], u[j + 1], u[j] - pitch, u[j] + pitch};
}

/* sum += alpha a m n + beta b grad m . grad n over owned cells, each face with the cell east or
   north of it; m is copy 0, n copy `second`. */
static PetscErrorCode add_form(const Regularisation *r, int second, HgSum *sum) {
  const HgPatch *p = HgMeshGetPatch(r->mesh);
  double *cell;
  PetscCall(PetscMalloc1(p->nx, &cell));
  for (int row = 0; row < HgStateRowCount(r->ghosted, 0); row++) {
    const Row w = row_of(r, row);
    const Around a = around(r, 0, row), b = around(r, second, row);
    const HgReal *const m = a.at, *const n = b.at;
    for (int i = 0; i < p->nx; i++)
      cell[i] = w.alpha * w.a[i] * (m[i] * n[i]) +
                w.bx * w.b_x[i - 1] * ((m[i] - m[i - 1]) * (n[i] - n[i - 1])) +
                w.by * (w.south * w.b_y_south[i]) * ((m[i] - a.south[i]) * (n[i] - b.south[i]));
    for (int i = 0; w.bz > 0 && i < p->nx; i++)
      cell[i] += w.bz * ((m[i] - a.below[i]) * (n[i] - b.below[i]));
    HgSumAdd(sum, (size_t)p->nx, cell);
  }
  return PetscFree(cell);
}

/* out += weight times the derivative of the form's half square at copy k, in row n. */
static void add_derivative(const Regularisation *r, int k, int n, double weight, HgReal out[]) {
  const int nx = HgMeshGetPatch(r->mesh)->nx;
  const Row w = row_of(r, n);
  const Around a = around(r, k, n);
  const double alpha = weight * w.alpha, bx = weight * w.bx, by = weight * w.by, bz = weight * w.bz;
  const HgReal *const u = a.at;
  for (int i = 0; i < nx; i++)
    out[i] += alpha * w.a[i] * u[i] +
              bx * (w.b_x[i - 1] * (u[i] - u[i - 1]) - w.b_x[i] * (u[i + 1] - u[i])) +
              by * (w.south * w.b_y_south[i] * (u[i] - a.south[i]) -
                    w.north * w.b_y[i] * (a.north[i] - u[i]));
  for (int i = 0; w.bz > 0 && i < nx; i++)
    out[i] += bz * ((u[i] - a.below[i]) - (a.above[i] - u[i]));
}

/* ---- Matern's prior: A = (kappa^2 - lap), A^T = A in the product weighted by volumes ---- */

/* out = A m in row n, m being copy k. */
static void roughness(const Regularisation *r, int k, int n, HgReal out[]) {
  const int nx = HgMeshGetPatch(r->mesh)->nx;
  const double volume = row_of(r, n).volume;
  for (int i = 0; i < nx; i++) out[i] = 0;
  add_derivative(r, k, n, 1, out);
  for (int i = 0; i < nx; i++) out[i] = (HgReal)(out[i] / volume);
}

/* sum += tau <A m, A n> */
static PetscErrorCode add_roughness(const Regularisation *r, int second, HgSum *sum) {
  const int nx = HgMeshGetPatch(r->mesh)->nx;
  HgReal *u, *v;
  double *cell;
  PetscCall(PetscMalloc3(nx, &u, nx, &v, nx, &cell));
  for (int row = 0; row < HgStateRowCount(r->ghosted, 0); row++) {
    const double weight = r->tau * row_of(r, row).volume;
    roughness(r, 0, row, u);
    roughness(r, second, row, v);
    for (int i = 0; i < nx; i++) cell[i] = weight * ((double)u[i] * v[i]);
    HgSumAdd(sum, (size_t)nx, cell);
  }
  return PetscFree3(u, v, cell);
}

/* Copy 1 = A m, m in copy 0. */
static PetscErrorCode keep_roughness(const Regularisation *r) {
  for (int n = 0; n < HgStateRowCount(r->ghosted, 0); n++)
    roughness(r, 0, n, HgStateRow(r->ghosted, 1, n));
  return fill_ghosts(r, r->ghosted, 1);
}

/* Sources: P. Whittle, Biometrika 41 (1954); F. Lindgren, H. Rue & J. Lindstroem, J. R. Statist.
   Soc. B 73 (2011): nu = 2 - d/2, kappa = sqrt(8 nu) / length, deviation^2 = Gamma(nu) / (Gamma(2)
   (4 pi)^(d/2) kappa^(2 nu) tau). */
PetscErrorCode HgRegularisationMatern(MPI_Comm comm, HgRegularisation *w, int d, double widest,
                                      double longest, double *tau) {
  HgRequire(comm, d > 0, HG_ERR_CONTROL,
            "regularisation of '%s': one cell or step has no correlation length, expected weights "
            "(-tikhonov, no -prior_deviation)",
            w->control);
  HgRequire(comm, w->length >= 2 * widest, HG_ERR_CONTROL,
            "regularisation of '%s': correlation length %g, expected at least two cells or steps, "
            "%g (-prior_length)",
            w->control, w->length, 2 * widest);
  HgRequire(comm, w->length <= longest, HG_ERR_CONTROL,
            "regularisation of '%s': correlation length %g, expected at most the longest side of "
            "the domain or all steps, %g, as walls raise the deviation (-prior_length)",
            w->control, w->length, longest);
  const double nu = 2 - 0.5 * d, kappa = sqrt(8 * nu) / w->length;
  *tau = tgamma(nu) / (pow(4 * M_PI, 0.5 * d) * pow(kappa, 2 * nu) * w->deviation * w->deviation);
  w->alpha = kappa * kappa, w->beta = 1;
  HgRequire(comm, isnormal(*tau), HG_ERR_CONTROL,
            "regularisation of '%s': deviation %g means the weight %g, expected a deviation whose "
            "square a double can hold (-prior_deviation)",
            w->control, w->deviation, *tau);
  return 0;
}

/* An axis of one cell counts as none. */
static PetscErrorCode set_matern(Regularisation *r) {
  const HgMeshSpec *s = HgMeshGetSpec(r->mesh);
  const int n[3] = {s->nx, s->ny, r->surface ? 1 : s->nz};
  const double width[3] = {HgMeshGetMetric(r->mesh)->width, HgMeshGetMetric(r->mesh)->height,
                           s->nz && !r->surface ? s->dz : 1};
  double thick = 1, widest = 0, longest = 0;
  int d = 0;
  for (int axis = 0; axis < 3; axis++)
    if (n[axis] > 1) {
      d++, widest = fmax(widest, width[axis]), longest = fmax(longest, n[axis] * width[axis]);
    } else thick *= width[axis];
  PetscCall(HgRegularisationMatern(HgMeshComm(r->mesh), &r->weights, d, widest, longest, &r->tau));
  r->tau /= thick;
  return 0;
}

/* ---- total variation: tv integral sqrt(|grad m|^2 + epsilon^2) ----

   A cell has two faces along each axis, and counts the mean over all choices of one for each: a
   step between two cells costs its height. With s a choice's root, R' = tv grad^T (grad m / s), and
   R'' dm = tv grad^T (grad dm / s - grad m (grad m . grad dm) / s^3), as R is convex never
   negative. */

static Row unit_row(const Regularisation *r, int n) {
  Regularisation unit = *r;
  unit.weights.beta = 1;
  return row_of(&unit, n);
}

/* slope[side] = the product of both slopes at each face of cell i. */
static void slopes(const Row *w, const Around *a, const Around *b, int i, double slope[SIDES]) {
  const HgReal *const u = a->at, *const v = b->at;
  const double x = w->bx / w->volume, y = w->by / w->volume, z = w->bz / w->volume;
  slope[0] = x * w->b_x[i - 1] * ((u[i] - u[i - 1]) * (v[i] - v[i - 1]));
  slope[1] = x * w->b_x[i] * ((u[i + 1] - u[i]) * (v[i + 1] - v[i]));
  slope[2] = y * (w->south * w->b_y_south[i]) * ((u[i] - a->south[i]) * (v[i] - b->south[i]));
  slope[3] = y * (w->north * w->b_y[i]) * ((a->north[i] - u[i]) * (b->north[i] - v[i]));
  slope[4] = z > 0 ? z * ((u[i] - a->below[i]) * (v[i] - b->below[i])) : 0;
  slope[5] = z > 0 ? z * ((a->above[i] - u[i]) * (b->above[i] - v[i])) : 0;
}

/* The mean over a cell's choices of faces of s, or of along / s if `along` is not NULL.
   share[side]: the mean over choices with that face of 1 / s, or -along / s^3. */
static double choose(const double square[], const double along[], double floor, bool levels,
                     double share[SIDES]) {
  const int choices = levels ? 8 : 4;
  double mean = 0;
  for (int side = 0; side < SIDES; side++) share[side] = 0;
  for (int k = 0; k < choices; k++) {
    const int x = k & 1, y = 2 + (k >> 1 & 1), z = 4 + (k >> 2);
    const double s = sqrt(square[x] + square[y] + square[z] + floor),
                 d = along ? along[x] + along[y] + along[z] : 0,
                 part = (along ? -d / (s * s * s) : 1 / s) / choices;
    mean += (along ? d / s : s) / choices;
    share[x] += part, share[y] += part, share[z] += part;
  }
  return mean;
}

/* Sets copies SHARE to the share of each side of a cell (`second`: its derivative along dm, copy
   1). Or sums the variation, or its derivative along dm. */
static PetscErrorCode vary(const Regularisation *r, bool second, HgSum *sum) {
  const int nx = HgMeshGetPatch(r->mesh)->nx;
  const double floor = r->weights.epsilon * r->weights.epsilon;
  double *cell, square[SIDES], along[SIDES], share[SIDES];
  PetscCall(PetscMalloc1(nx, &cell));
  for (int n = 0; n < HgStateRowCount(r->ghosted, 0); n++) {
    const Row w = unit_row(r, n);
    const Around a = around(r, 0, n), b = around(r, 1, n);
    for (int i = 0; i < nx; i++) {
      slopes(&w, &a, &a, i, square);
      if (second) slopes(&w, &a, &b, i, along);
      cell[i] =
          r->weights.tv * w.volume * choose(square, second ? along : NULL, floor, w.bz > 0, share);
      for (int side = 0; side < SIDES && !sum; side++)
        HgStateRow(r->ghosted, SHARE + side, n)[i] = (HgReal)share[side];
    }
    if (sum) HgSumAdd(sum, (size_t)nx, cell);
  }
  const int sides = HgMeshGetSpec(r->mesh)->nz > 0 && !r->surface ? SIDES : SIDES - 2;
  for (int side = 0; side < sides && !sum; side++)
    PetscCall(fill_ghosts(r, r->ghosted, SHARE + side));
  return PetscFree(cell);
}

/* out += weight tv grad^T (share grad m), m being copy k, of row n. */
static void add_shares(const Regularisation *r, int k, int n, double weight, HgReal out[]) {
  const Row w = unit_row(r, n);
  const Around a = around(r, k, n);
  Around c[SIDES];
  for (int side = 0; side < SIDES; side++) c[side] = around(r, SHARE + side, n);
  const double all = weight * r->weights.tv, bx = all * w.bx, by = all * w.by, bz = all * w.bz;
  const HgReal *const u = a.at;
  for (int i = 0; i < HgMeshGetPatch(r->mesh)->nx; i++) {
    out[i] +=
        bx * (w.b_x[i - 1] * ((c[0].at[i] + c[1].at[i - 1]) * (u[i] - u[i - 1])) -
              w.b_x[i] * ((c[0].at[i + 1] + c[1].at[i]) * (u[i + 1] - u[i]))) +
        by * (w.south * w.b_y_south[i] * ((c[2].at[i] + c[3].south[i]) * (u[i] - a.south[i])) -
              w.north * w.b_y[i] * ((c[2].north[i] + c[3].at[i]) * (a.north[i] - u[i])));
    if (w.bz > 0)
      out[i] += bz * ((c[4].at[i] + c[5].below[i]) * (u[i] - a.below[i]) -
                      (c[4].above[i] + c[5].at[i]) * (a.above[i] - u[i]));
  }
}

/* m_bar += weight tv grad^T (share grad m), m being copy k; share as vary() makes it. */
static PetscErrorCode add_variation(const Regularisation *r, int k, bool second, double weight,
                                    HgState m_bar) {
  PetscCall(vary(r, second, NULL));
  for (int n = 0; n < HgStateRowCount(m_bar, r->index); n++)
    add_shares(r, k, n, weight, HgStateRow(m_bar, r->index, n));
  return 0;
}

/* *value = factor (m - m_0, n) and the variation, or its derivative; n NULL: m - m_0, too. */
static PetscErrorCode value(const Regularisation *r, HgState m, HgState n, double factor,
                            double *value) {
  HgSum sum[2];
  double total[2];
  for (int k = 0; k < 2; k++) HgSumReset(&sum[k]);
  PetscCall(with_ghosts(r, m, true, 0));
  if (n) PetscCall(with_ghosts(r, n, false, 1));
  PetscCall((r->tau > 0 ? add_roughness : add_form)(r, n != NULL, &sum[0]));
  if (r->weights.tv > 0) PetscCall(vary(r, n != NULL, &sum[1]));
  PetscCall(HgSumReduce(HgMeshComm(r->mesh), 2, sum, total));
  *value = factor * total[0] + total[1];
  return 0;
}

static PetscErrorCode regularisation_apply(void *self, HgState m, HgState J) {
  return value(self, m, NULL, 0.5, HgStateArray(J, 0));
}

static PetscErrorCode regularisation_tangent(void *self, HgState m, HgState dm, HgState dJ) {
  return value(self, m, dm, 1, HgStateArray(dJ, 0));
}

static PetscErrorCode regularisation_adjoint(void *self, HgState m, HgState J_bar, HgState m_bar) {
  const Regularisation *r = self;
  const bool matern = r->tau > 0;
  const double J_weight = HgStateArray(J_bar, 0)[0], weight = matern ? r->tau * J_weight : J_weight;
  PetscCall(with_ghosts(r, m, true, 0));
  if (matern) PetscCall(keep_roughness(r));
  for (int n = 0; n < HgStateRowCount(m_bar, r->index); n++)
    add_derivative(r, matern, n, weight, HgStateRow(m_bar, r->index, n));
  if (r->weights.tv > 0 && !r->direction) PetscCall(add_variation(r, 0, false, weight, m_bar));
  HgStateSetGhostDepth(m_bar, r->index, 0);
  return 0;
}

static PetscErrorCode regularisation_second(void *self, HgState m, HgState dm, HgState J_bar,
                                            HgState dJ_bar, HgState m_bar, HgState dm_bar) {
  const Regularisation *r = self;
  const double weight = HgStateArray(J_bar, 0)[0];
  Regularisation form = *r;
  if (r->gauss_newton && m_bar) PetscCall(HgStateZero(m_bar));
  PetscCall(HgQuadraticSecond(regularisation_adjoint, &form, &form.direction, m, dm, J_bar, dJ_bar,
                              r->gauss_newton ? NULL : m_bar, dm_bar));
  if (!(r->weights.tv > 0)) return 0;
  PetscCall(with_ghosts(r, m, true, 0));
  PetscCall(with_ghosts(r, dm, false, 1));
  PetscCall(add_variation(r, 1, false, weight, dm_bar));
  return add_variation(r, 0, true, weight, dm_bar);
}

static PetscErrorCode regularisation_destroy(void *self) {
  Regularisation *r = self;
  PetscCall(HgStatesDestroy(&r->factors, &r->ghosted));
  PetscCall(HgExchangeDestroy(&r->exchange));
  return PetscFree(r);
}

/* Copies the factors with ghosts. Faces on walls have no weight, whatever their factors. */
static PetscErrorCode keep_factors(Regularisation *r, HgState given) {
  HgVariable variables[FACTORS];
  for (int k = 0; k < FACTORS; k++)
    variables[k] = (HgVariable){factor_names[k], "1", HG_FIELD, 0, r->surface};
  PetscCall(HgStateCreate(r->mesh, FACTORS, variables, &r->factors));
  for (int k = 0, from; k < FACTORS; k++) {
    if (given) {
      PetscCall(HgStateIndex(given, factor_names[k], &from));
      PetscCall(HgStateCopyVariable(given, from, r->factors, k));
    } else PetscCall(HgStateSetConstant(r->factors, factor_names[k], 1));
    PetscCall(fill_ghosts(r, r->factors, k));
  }
  return 0;
}

/* Copies m_0, if it is not 0 everywhere. */
static PetscErrorCode keep_mean(Regularisation *r) {
  const HgState mean = r->weights.mean;
  int from, bad = 0;
  r->centred = mean || r->weights.reference != 0;
  if (!r->centred) return 0;
  if (!mean) return HgStateSetConstant(r->ghosted, "mean", r->weights.reference);
  PetscCall(HgStateIndex(mean, r->weights.control, &from));
  PetscCall(HgStateCopyVariable(mean, from, r->ghosted, MEAN));
  for (int n = 0; n < HgStateRowCount(r->ghosted, MEAN); n++)
    for (int i = 0; i < HgMeshGetPatch(r->mesh)->nx; i++)
      bad |= !isfinite(HgStateRow(r->ghosted, MEAN, n)[i]);
  return HgRegularisationRequireMean(r->mesh, &r->weights, bad);
}

static PetscErrorCode check_factors(const Regularisation *r) {
  int bad = -1;
  double found = 0;
  for (int k = 0; k < FACTORS; k++)
    for (int n = 0; n < HgStateRowCount(r->factors, k); n++)
      for (int i = 0; i < HgMeshGetPatch(r->mesh)->nx; i++) {
        const double f = HgStateRow(r->factors, k, n)[i];
        if (bad < 0 && !(isfinite(f) && f >= 0)) bad = k, found = f;
      }
  return HgAgree(
      HgMeshComm(r->mesh), bad >= 0, HG_ERR_CONTROL,
      "regularisation of '%s': a factor '%s' is %g, expected finite numbers, none negative",
      r->weights.control, factor_names[bad < 0 ? 0 : bad], found);
}

static PetscErrorCode check_weights(MPI_Comm comm, const HgRegularisation *w) {
  const double a = w->alpha, b = w->beta, sd = w->deviation, length = w->length;
  PetscCall(HgRequireAlike(comm, "weights %.17g and %.17g, reference %.17g of '%s'", a, b,
                           w->reference, w->control));
  HgRequire(comm, isfinite(a) && isfinite(b) && a >= 0 && b >= 0 && isfinite(w->reference),
            HG_ERR_CONTROL,
            "regularisation of '%s': weights %g and %g, reference %g; expected finite numbers, "
            "weights not negative",
            w->control, a, b, w->reference);
  PetscCall(
      HgRequireAlike(comm, "deviation %.17g and length %.17g of '%s'", sd, length, w->control));
  const bool matern = sd > 0 && length > 0 && isfinite(sd) && isfinite(length);
  const double tv = w->tv, epsilon = w->epsilon;
  PetscCall(HgRequireAlike(comm, "variation %.17g and its epsilon %.17g of '%s'", tv, epsilon,
                           w->control));
  HgRequire(comm,
            (tv == 0 && epsilon == 0) ||
                (tv > 0 && epsilon > 0 && isfinite(tv) && isfinite(epsilon) && !matern),
            HG_ERR_CONTROL,
            "regularisation of '%s': weight %g of the total variation, epsilon %g%s; expected both "
            "above 0 and no deviation, or both 0 (-tv, -tv_epsilon)",
            w->control, tv, epsilon, matern ? " and a deviation" : "");
  HgRequire(comm, tv == 0 || isnormal(epsilon * epsilon * epsilon), HG_ERR_CONTROL,
            "regularisation of '%s': epsilon %g of the total variation, expected one whose cube a "
            "double can hold (-tv_epsilon)",
            w->control, epsilon);
  HgRequire(comm, (matern && a == 0 && b == 0) || (sd == 0 && length == 0), HG_ERR_CONTROL,
            "regularisation of '%s': deviation %g and correlation length %g beside weights %g and "
            "%g; expected both above 0 and no weights, or both 0 (-prior_deviation, -prior_length)",
            w->control, sd, length, a, b);
  return 0;
}

PetscErrorCode HgRegularisationCreate(HgState m, const HgRegularisation *weights, HgOperator *op) {
  static const HgOperatorTable table = {regularisation_apply,   regularisation_tangent,
                                        regularisation_adjoint, NULL,
                                        regularisation_destroy, regularisation_second};
  const HgMesh mesh = HgStateMesh(m);
  const MPI_Comm comm = HgMeshComm(mesh);
  PetscCall(check_weights(comm, weights));
  int index;
  PetscCall(HgStateIndex(m, weights->control, &index));
  if (HgStateVariable(m, index)->kind == HG_REPLICATED)
    return HgRegularisationCreateArray(m, index, weights, op);
  HgRequire(comm, HgStateVariable(m, index)->kind == HG_FIELD, HG_ERR_CONTROL,
            "regularisation of '%s': expected a field, or numbers that every rank holds",
            weights->control);
  HgRequire(comm, weights->across == 0, HG_ERR_CONTROL,
            "regularisation of '%s': weight %g of differences side by side, expected 0 for a field",
            weights->control, weights->across);
  Regularisation *r;
  PetscCall(PetscNew(&r));
  r->mesh = mesh, r->index = index, r->weights = *weights, r->mirror = HgBoundaryAll(HG_MIRROR, 1);
  const bool surface = r->surface = HgStateVariable(m, index)->surface;
  HgVariable copies[COPIES];
  for (int k = 0; k < COPIES; k++)
    copies[k] = (HgVariable){copy_names[k], "1", HG_FIELD, 0, surface};
  const int depth = 1;
  PetscCall(HgStateCreate(mesh, weights->tv > 0 ? COPIES : SHARE, copies, &r->ghosted));
  PetscCall(HgExchangeCreate(mesh, 1, &surface, &depth, &r->exchange));
  PetscErrorCode ierr = keep_factors(r, weights->factors);
  if (!ierr && weights->deviation > 0) ierr = set_matern(r);
  if (!ierr) ierr = check_factors(r);
  if (!ierr) ierr = keep_mean(r);
  if (ierr) {
    PetscCall(regularisation_destroy(r));
    return ierr;
  }
  return HgOperatorCreate("regularisation", m, NULL, &table, r, op);
}

void HgRegularisationScale(HgOperator op, double factor) {
  if (HgRegularisationScaleArray(op, factor)) return;
  Regularisation *const r = HgOperatorSelf(op, regularisation_apply);
  if (r->tau > 0) r->tau *= factor;
  else r->weights.alpha *= factor, r->weights.beta *= factor, r->weights.tv *= factor;
}

void HgRegularisationSetGaussNewton(HgOperator op, bool yes) {
  Regularisation *const r = HgOperatorSelf(op, regularisation_apply);
  if (r) r->gauss_newton = yes;
}
