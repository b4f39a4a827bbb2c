/* SPDX-License-Identifier: BSD-2-Clause */
/* Envelopes of readings: E(u)_m = sqrt(u_m^2 + (H u)_m^2 + sigma_m^2) with the Hilbert transform

     (H u)_m = sum over odd j of 2 / (pi j) u_(m - j),   H^T = -H

   of a series that is 0 outside; directly, n^2 / 2 products for n readings. With r = (E(u) - E(d))
   / sigma and f = r / sigma,

     dJ/du = f u / E - H (f H u / E)

   sigma makes E smooth where there is nothing but noise. Sources: M. T. Taner, F. Koehler & R. E.
   Sheriff, Geophysics 44 (1979); E. Bozdag, J. Trampert & J. Tromp, Geophys. J. Int. 185 (2011). */
#include "readings_private.h"
#include <math.h>

static void hilbert(int n, const double x[], double y[]) {
  for (int m = 0; m < n; m++) y[m] = 0;
  for (int j = 1; j < n; j += 2) {
    const double weight = 2 / (PETSC_PI * j);
    for (int m = j; m < n; m++) y[m] += weight * x[m - j];
    for (int m = 0; m < n - j; m++) y[m] -= weight * x[m + j];
  }
}

/* Of one sensor: u and H u, du and H du of a direction; all [n]. */
typedef struct {
  int n;
  const double *u, *Hu, *du, *Hdu, *sigma, *data; /* data: E(d) */
} Series;

static double envelope(const Series *s, int m) {
  return sqrt(s->u[m] * s->u[m] + s->Hu[m] * s->Hu[m] + s->sigma[m] * s->sigma[m]);
}

/* f x / E of x = u or H u; with du its change, for Gauss and Newton that of f alone. */
static double share(const Series *s, int m, bool gauss_newton, double x, double dx) {
  const double E = envelope(s, m), square = s->sigma[m] * s->sigma[m],
               f = (E - s->data[m]) / square;
  if (!s->du) return f * x / E;
  const double dE = (s->u[m] * s->du[m] + s->Hu[m] * s->Hdu[m]) / E, left = dE / square * x / E;
  return gauss_newton ? left : left + f * (dx - x * dE / E) / E;
}

/* p = sigma dJ/du, or with du its change; `turned` has room for [n], and p is used on the way. */
static void pull(const Series *s, bool gauss_newton, double turned[], double p[]) {
  for (int m = 0; m < s->n; m++)
    turned[m] = share(s, m, gauss_newton, s->Hu[m], s->du ? s->Hdu[m] : 0);
  hilbert(s->n, turned, p);
  for (int m = 0; m < s->n; m++)
    p[m] = s->sigma[m] * (share(s, m, gauss_newton, s->u[m], s->du ? s->du[m] : 0) - p[m]);
}

/* E(d) of a sensor, once: as sigma > 0, it is 0 until then. */
static void keep_level(HgReadings *r, size_t at) {
  const Series d = {.u = r->data + at, .Hu = r->turned + at, .sigma = r->sigma + at};
  if (r->level[at] > 0) return;
  hilbert(r->times, d.u, r->turned + at);
  for (int m = 0; m < r->times; m++) r->level[at + (size_t)m] = envelope(&d, m);
}

/* Of a sensor without readings all is 0. */
void HgEnvelopeKnow(HgReadings *r, bool gauss_newton) {
  const int n = r->times;
  const size_t all = (size_t)r->places * (size_t)n;
  if (r->known && r->gauss_newton == gauss_newton) return;
  for (int p = 0; p < r->places; p++) {
    const size_t at = (size_t)p * (size_t)n;
    if (!isfinite(r->sigma[at])) continue;
    keep_level(r, at);
    hilbert(n, r->u + at, r->turned + at);
    for (int v = -1; v < r->directions; v++) {
      const size_t row = (size_t)(v + 1) * all + at;
      Series s = {n, r->u + at, r->turned + at, NULL, NULL, r->sigma + at, r->level + at};
      if (v >= 0) {
        s.du = r->du + (size_t)v * all + at, s.Hdu = r->turned + row;
        hilbert(n, s.du, r->turned + row);
      }
      pull(&s, gauss_newton, r->room, r->pull + row);
    }
  }
  r->known = true, r->gauss_newton = gauss_newton;
}

double HgEnvelopeResidual(const HgReadings *r, int k) {
  if (!isfinite(r->sigma[k])) return 0;
  const Series s = {.u = r->u, .Hu = r->turned, .sigma = r->sigma};
  return (envelope(&s, k) - r->level[k]) / r->sigma[k];
}

double HgEnvelopePull(const HgReadings *r, int v, int k) {
  return r->pull[(size_t)(v + 1) * (size_t)r->places * (size_t)r->times + (size_t)k];
}
