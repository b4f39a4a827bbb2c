/* SPDX-License-Identifier: BSD-2-Clause */
/* euler.c -- x' = x + dt r; see integrator.h. */
#include <halograd/integrator.h>
#include <halograd/kernel.h>

enum { X, R };

void HgEulerApply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const HgReal dt = b->dt;
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *u = x[X][j], *r = x[R][j];
    HgReal *u_next = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) u_next[i] = u[i] + dt * r[i];
  }
}

void HgEulerTangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)x; /* linear */
  HgEulerApply(b, params, dx, dy);
}

void HgEulerAdjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const HgReal dt = b->dt;
  (void)params, (void)x;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *w = y_bar[0][j];
    const HgCotangent u_bar = HgCotangentRow(b, x_bar, X, j),
                      r_bar = HgCotangentRow(b, x_bar, R, j);
    if (u_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(u_bar, i, w[i]);
    }
    if (r_bar.row) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) HgContribute(r_bar, i, dt * w[i]);
    }
  }
}
