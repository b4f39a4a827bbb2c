/* SPDX-License-Identifier: BSD-2-Clause */
#include "readings_private.h"
#include <halograd/error_library.h>
#include <math.h>

static size_t numbers(const HgReadings *r) { return (size_t)r->places * (size_t)r->times; }

/* u or, v >= 0, what it changes by in direction v. */
static const double *row(const HgReadings *r, int v) {
  return v < 0 ? r->u : r->du + (size_t)v * numbers(r);
}

/* ---- each reading for itself ---- */

/* 0 where there is no value: sigma is infinite. */
static double residual(const HgReadings *r, int k) { return (r->u[k] - r->data[k]) / r->sigma[k]; }

/* The derivative of what x counts. */
static double pull(const HgReadings *r, double x) {
  const double s = r->student;
  if (s > 0) return (s + 1) * x / (s + x * x);
  return fabs(x) > r->huber ? copysign(r->huber, x) : x; /* nan stays */
}

/* The derivative of that. Of Student's, which may be negative, Gauss and Newton take pull / x. */
static double bend(const HgReadings *r, bool gauss_newton, double x) {
  const double s = r->student, both = s + x * x;
  if (s > 0) return (s + 1) / both * (gauss_newton ? 1 : (s - x * x) / both);
  return fabs(x) > r->huber ? 0 : 1;
}

/* Twice what x counts. */
static void add_square(const HgReadings *r, double x, HgSum *squares) {
  const double s = r->student, h = r->huber;
  if (s > 0) HgSumAdd(squares, 1, &(double){(s + 1) * log1p(x * x / s)});
  else if (fabs(x) > h) HgSumAdd(squares, 1, &(double){h * (2 * fabs(x) - h)});
  else HgSumAddProducts(squares, 1, &x, &x);
}

/* ---- what is new in a residual ---- */

/* The next reading with a value of the same sensor, step 1 later or -1 earlier; -1: none, or none
   that errors are correlated with. */
static int beside(const HgReadings *r, int k, int step) {
  const int first = k - k % r->times;
  for (int l = k + step; r->correlation > 0 && l >= first && l < first + r->times; l += step)
    if (isfinite(r->sigma[l])) return l;
  return -1;
}

/* r_k or its change in direction v. */
static double plain(const HgReadings *r, int v, int k) {
  return v < 0 ? residual(r, k) : row(r, v)[k] / r->sigma[k];
}

/* L_kl and L_kk of a reading k and the one before it, l. */
static double link(const HgReadings *r, int l, int k, double *own) {
  const double x = (r->time[k % r->times] - r->time[l % r->times]) / r->correlation;
  *own = 1 / sqrt(-expm1(-2 * x));
  return -exp(-x) * *own;
}

static double unlinked(const HgReadings *r, int v, int k) {
  const int l = isfinite(r->sigma[k]) ? beside(r, k, -1) : -1;
  double own;
  if (l < 0) return plain(r, v, k);
  const double other = link(r, l, k, &own);
  return own * plain(r, v, k) + other * plain(r, v, l);
}

/* r'_k or its change in direction v. */
static double white(const HgReadings *r, int v, int k) {
  const double x = unlinked(r, v, k);
  return v < 0 && r->disturbed ? x - r->disturbed[k] : x;
}

/* dJ/dr'_k or its change. */
static double force(const HgReadings *r, int v, bool gauss_newton, int k) {
  const double x = white(r, -1, k);
  return v < 0 ? pull(r, x) : bend(r, gauss_newton, x) * white(r, v, k);
}

/* dJ/dr_k = L^T of that. */
static double force_back(const HgReadings *r, int v, bool gauss_newton, int k) {
  const double f = force(r, v, gauss_newton, k);
  if (!(r->correlation > 0) || !isfinite(r->sigma[k])) return f;
  const int before = beside(r, k, -1), after = beside(r, k, 1);
  double own = 1, unused;
  if (before >= 0) link(r, before, k, &own);
  if (after < 0) return own * f;
  return own * f + link(r, k, after, &unused) * force(r, v, gauss_newton, after);
}

/* ---- shapes: r = |b| / |a| a - b ---- */

/* <x / sigma, y / sigma> of place p. */
static double product(const HgReadings *r, int p, const double x[], const double y[]) {
  double sum = 0;
  for (int k = p * r->times; k < (p + 1) * r->times; k++)
    sum += x[k] / r->sigma[k] * (y[k] / r->sigma[k]);
  return sum;
}

/* Of a sensor without readings all is 0, and counts so. */
static void know(HgReadings *r) {
  for (int p = 0; !r->known && p < r->places; p++) {
    const double bb = product(r, p, r->data, r->data);
    r->of[p] =
        (HgShapeProducts){bb > 0 ? product(r, p, r->u, r->u) : 1, bb, product(r, p, r->u, r->data)};
    for (int v = 0; v < r->directions; v++)
      r->change[v * r->places + p] =
          (HgShapeChange){product(r, p, r->u, row(r, v)), product(r, p, r->data, row(r, v))};
  }
  r->known = true;
}

static double shape_residual(const HgReadings *r, int k) {
  const HgShapeProducts *const s = &r->of[k / r->times];
  return (sqrt(s->bb / s->aa) * r->u[k] - r->data[k]) / r->sigma[k];
}

/* dJ/da = -c (b - l a) with c = |b| / |a|, l = <a, b> / |a|^2. */
static double shape_force(const HgReadings *r, int k) {
  const HgShapeProducts *const s = &r->of[k / r->times];
  return -sqrt(s->bb / s->aa) * ((r->data[k] - s->ab / s->aa * r->u[k]) / r->sigma[k]);
}

/* With e = <a, da> / |a|^2: dc = -c e, dl = <b, da> / |a|^2 - 2 l e; J^T J da = c^2 (da - e a). */
static double shape_change(const HgReadings *r, int v, bool gauss_newton, int k) {
  const int p = k / r->times;
  const HgShapeProducts *const s = &r->of[p];
  const HgShapeChange *const d = &r->change[v * r->places + p];
  const double a = r->u[k] / r->sigma[k], b = r->data[k] / r->sigma[k],
               da = row(r, v)[k] / r->sigma[k], c = sqrt(s->bb / s->aa), l = s->ab / s->aa,
               e = d->a / s->aa, dl = d->b / s->aa - 2 * l * e;
  return gauss_newton ? c * c * (da - e * a) : c * (e * (b - l * a) + dl * a + l * da);
}

/* ---- both ---- */

void HgReadingsValue(HgReadings *r, int p, HgSum *squares, HgSum products[]) {
  const bool coupled = r->shape || r->envelope;
  if (r->shape) know(r);
  if (r->envelope) HgEnvelopeKnow(r, false);
  for (int k = p * r->times; k < (p + 1) * r->times; k++) {
    const double x = r->envelope ? HgEnvelopeResidual(r, k)
                     : r->shape  ? shape_residual(r, k)
                                 : white(r, -1, k),
                 w = coupled ? HgReadingsPull(r, -1, false, k) : pull(r, x);
    add_square(r, x, squares);
    for (int v = 0; v < r->directions; v++) {
      const double dx = coupled ? plain(r, v, k) : white(r, v, k);
      HgSumAddProducts(&products[v], 1, &w, &dx);
    }
  }
}

double HgReadingsPull(HgReadings *r, int v, bool gauss_newton, int k) {
  if (r->envelope) {
    HgEnvelopeKnow(r, gauss_newton);
    return HgEnvelopePull(r, v, k);
  }
  if (!r->shape) return force_back(r, v, gauss_newton, k);
  know(r);
  return v < 0 ? shape_force(r, k) : shape_change(r, v, gauss_newton, k);
}

/* Twice the mean of what normal noise counts; of Student's by the trapezoidal rule. */
static double mean_square(const HgObservations *o) {
  const double h = o->huber, s = o->student, step = 1. / 64, density = step / sqrt(2 * PETSC_PI);
  const double inside = erf(h / sqrt(2)), edge = h * sqrt(2 / PETSC_PI) * exp(-h * h / 2);
  double sum = 0;
  for (double x = -12; s > 0 && x <= 12; x += step)
    sum += density * exp(-x * x / 2) * (s + 1) * log1p(x * x / s);
  if (s > 0) return sum;
  return h > 0 && isfinite(h) ? inside + edge - h * h * (1 - inside) : 1;
}

/* One reading less for each sensor whose size is free. */
double HgReadingsExpected(const HgObservations *o) {
  double count = 0;
  for (int k = 0; k < o->sensors; k++) {
    int readings = 0;
    for (int m = 0; m < o->times; m++) readings += isfinite(o->sigma[m * o->sensors + k]);
    count += o->shape && readings ? readings - 1 : readings;
  }
  return count * mean_square(o);
}

/* ---- room ---- */

PetscErrorCode HgReadingsCreate(const HgObservations *o, int places, HgReadings *r) {
  r->places = places, r->times = o->times, r->shape = o->shape, r->envelope = o->envelope;
  r->huber = o->huber > 0 ? o->huber : INFINITY, r->student = o->student;
  r->correlation = o->correlation;
  const size_t n = numbers(r);
  PetscCall(PetscMalloc3(n, &r->data, n, &r->sigma, n, &r->u));
  PetscCall(PetscMalloc2(o->times, &r->time, places, &r->of));
  if (r->envelope) PetscCall(PetscCalloc2(n, &r->level, r->times, &r->room));
  return PetscArraycpy(r->time, o->time, o->times);
}

PetscErrorCode HgReadingsStart(HgReadings *r, int directions) {
  if (directions != r->directions) {
    PetscCall(PetscFree2(r->du, r->change));
    PetscCall(PetscMalloc2((size_t)directions * numbers(r), &r->du,
                           (size_t)directions * (size_t)r->places, &r->change));
    PetscCall(PetscFree2(r->turned, r->pull));
    r->directions = directions;
  }
  const size_t all = (size_t)(1 + directions) * numbers(r);
  if (r->envelope && !r->pull) PetscCall(PetscCalloc2(all, &r->turned, all, &r->pull));
  r->known = false;
  PetscCall(PetscArrayzero(r->u, numbers(r)));
  return PetscArrayzero(r->du, (size_t)directions * numbers(r));
}

PetscErrorCode HgReadingsDestroy(HgReadings *r) {
  PetscCall(PetscFree(r->disturbed));
  PetscCall(PetscFree3(r->data, r->sigma, r->u));
  PetscCall(PetscFree2(r->time, r->of));
  PetscCall(PetscFree2(r->turned, r->pull));
  PetscCall(PetscFree2(r->level, r->room));
  return PetscFree2(r->du, r->change);
}

/* ---- what is refused ---- */

/* H is that of readings that are evenly apart, of all that a sensor has, or of none. */
static PetscErrorCode require_envelopes(MPI_Comm comm, const HgObservations *o) {
  const int last = o->times - 1;
  for (int m = 0; m < o->times; m++) {
    const double even = o->time[0] + (o->time[last] - o->time[0]) * m / PetscMax(1, last);
    HgRequire(comm, fabs(o->time[m] - even) <= 1e-6 * (o->time[last] - o->time[0]), HG_ERR_DATA,
              "objective: envelopes of '%s' are compared, but reading %d is at %g s; expected "
              "readings evenly apart, this one at %g s",
              o->name, m, o->time[m], even);
    for (int k = 0; k < o->sensors; k++)
      HgRequire(comm, isfinite(o->sigma[m * o->sensors + k]) == isfinite(o->sigma[k]), HG_ERR_DATA,
                "objective: sensor %d%s of '%s' has readings, but not at %s%g s; expected all of "
                "them or none, as envelopes are compared",
                k, o->label[k], o->name, isfinite(o->sigma[k]) ? "" : "the start, as at ",
                o->time[m]);
  }
  return 0;
}

static PetscErrorCode require_alone(MPI_Comm comm, const HgObservations *o) {
  const char *const what = o->shape ? "shapes" : "envelopes";
  HgRequire(comm, o->huber == 0 && o->student == 0 && o->correlation == 0, HG_ERR_DATA,
            "objective: %s of '%s' are compared, with huber %g, student %g and errors correlated "
            "over %g s; expected all three 0",
            what, o->name, o->huber, o->student, o->correlation);
  HgRequire(comm, !o->shape || !o->envelope, HG_ERR_DATA,
            "objective: shapes and envelopes of '%s' are compared, expected one of them", o->name);
  return 0;
}

static PetscErrorCode require_shapes(MPI_Comm comm, const HgObservations *o) {
  for (int k = 0; k < o->sensors; k++) {
    int readings = 0, some = 0;
    for (int m = 0; m < o->times; m++)
      if (isfinite(o->sigma[m * o->sensors + k]))
        readings++, some += o->value[m * o->sensors + k] != 0;
    HgRequire(
        comm, !readings || (readings > 1 && some), HG_ERR_DATA,
        "objective: sensor %d%s of '%s' has %d readings, %d of which are not 0; expected 2 or "
        "more, not all of them 0, as shapes are compared",
        k, o->label[k], o->name, readings, some);
  }
  return 0;
}

static PetscErrorCode require_robust(MPI_Comm comm, const HgObservations *o) {
  HgRequire(
      comm, o->huber >= 0, HG_ERR_DATA,
      "objective: residuals of '%s' are to grow linearly beyond %g sigma, expected a positive "
      "number, or 0: never",
      o->name, o->huber);
  HgRequire(comm, o->student >= 0 && isfinite(o->student), HG_ERR_DATA,
            "objective: errors of '%s' are Student's of %g degrees of freedom, expected a positive "
            "finite number, or 0: they are normal",
            o->name, o->student);
  HgRequire(comm, !(o->huber > 0) || !(o->student > 0), HG_ERR_DATA,
            "objective: huber %g and student %g of '%s', expected one of them to be 0", o->huber,
            o->student, o->name);
  return 0;
}

PetscErrorCode HgReadingsRequire(MPI_Comm comm, const HgObservations *o) {
  PetscCall(require_robust(comm, o));
  HgRequire(
      comm, o->correlation >= 0 && isfinite(o->correlation), HG_ERR_DATA,
      "objective: errors of '%s' are correlated over %g s, expected a positive finite number, "
      "or 0: they are not",
      o->name, o->correlation);
  HgRequire(comm, o->relative >= 0 && isfinite(o->relative), HG_ERR_DATA,
            "objective: errors of '%s' are at least %g of the values, expected a positive finite "
            "number, or 0: as sigma says",
            o->name, o->relative);
  if (o->shape || o->envelope) PetscCall(require_alone(comm, o));
  if (o->envelope) PetscCall(require_envelopes(comm, o));
  return o->shape ? require_shapes(comm, o) : 0;
}
