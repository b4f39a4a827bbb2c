/* SPDX-License-Identifier: BSD-2-Clause */
/* adams_bashforth.c -- x' = x + dt (a r + b old), old' = r; see integrator.h. */
#include <halograd/integrator_library.h>
#include <halograd/kernel.h>

enum { X, R, OLD };

static inline HgAdamsBashforthWeights weights(const HgBox *b, const void *params) {
  return HgAdamsBashforthStep(b, *(const HgAdamsBashforth *)params);
}

void HgAdamsBashforthApply(const HgBox *b, const void *params, const HgRows x[],
                           const HgRowsOut y[]) {
  const HgAdamsBashforthWeights k = weights(b, params);
  const HgReal dt = b->dt;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *u = x[X][j], *r = x[R][j], *old = x[OLD][j];
    HgReal *u_next = y[0][j], *old_next = y[1][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      u_next[i] = u[i] + dt * (k.a * r[i] + k.b * old[i]);
      old_next[i] = r[i];
    }
  }
}

void HgAdamsBashforthTangent(const HgBox *b, const void *params, const HgRows x[],
                             const HgRows dx[], const HgRowsOut dy[]) {
  (void)x; /* linear */
  HgAdamsBashforthApply(b, params, dx, dy);
}

void HgAdamsBashforthAdjoint(const HgBox *b, const void *params, const HgRows x[],
                             const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const HgAdamsBashforthWeights k = weights(b, params);
  const HgReal dt = b->dt, now = dt * k.a, before = dt * k.b;
  (void)x;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *w = y_bar[0][j], *t = y_bar[1][j];
    const HgCotangent u_bar = HgCotangentRow(b, x_bar, X, j),
                      r_bar = HgCotangentRow(b, x_bar, R, j),
                      old_bar = HgCotangentRow(b, x_bar, OLD, j);
    if (u_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(u_bar, i, w[i]);
    }
    if (r_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(r_bar, i, t[i] + now * w[i]);
    }
    if (old_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(old_bar, i, before * w[i]);
    }
  }
}
