/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_acceleration.c -- tendencies of u and v:

     u_r = -(P_E - P)/dx + (q (G + G_E) + q_S (G_S + G_SE))/4
     v_r = -(P_N - P)/dy - (q (F + F_N) + q_W (F_W + F_NW))/4

   pressure gradient: that of the Bernoulli function P; vorticity flux: q G and -q F. */
#include "shallow_acceleration_private.h"

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j);
    HgReal *u_r = y[0][j], *v_r = y[1][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      u_r[i] = acceleration_x(k, at, i);
      v_r[i] = acceleration_y(k, at, i);
    }
  }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Rows at = rows_of(x, j), d = rows_of(dx, j);
    HgReal *du_r = dy[0][j], *dv_r = dy[1][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) {
      du_r[i] = acceleration_dx(k, at, d, i);
      dv_r[i] = acceleration_dy(k, at, d, i);
    }
  }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const Shallow k = shallow(b, params);
  for (int j = b->j0; j < b->j1; j++) {
    const Reverse reverse = {k,
                             HgRowsAround(y_bar[0], j),
                             HgRowsAround(y_bar[1], j),
                             HgRowsAround(x[F], j),
                             HgRowsAround(x[G], j),
                             HgRowsAround(x[Q], j)};
    HgCotangent to[P + 1];
    for (int n = 0; n <= P; n++) to[n] = HgCotangentRow(b, x_bar, n, j);
    acceleration_transposed(b, reverse, to);
  }
}

const HgStencil hg_shallow_acceleration = {
    .name = "shallow_acceleration",
    .reads =
        (const HgRead[]){
            {"F", 1, 1}, {"G", 1, 1}, {"q", 1, 1}, {"P", 1, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u_r", "v_r", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_shallow_acceleration_generated_second,
    .sets = true,
    .params_size = sizeof(HgShallowWaterParams),
};
