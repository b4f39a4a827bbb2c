/* What the tsunami kernels and their physics share, for stencils/tsunami/tsunami_*.c only. */
#ifndef HALOGRAD_TSUNAMI_PRIVATE_H
#define HALOGRAD_TSUNAMI_PRIVATE_H

#include <halograd/five_point.h>
#include <halograd/tsunami.h>
#include <stddef.h>

/* The variables of both physics. */
#define TSUNAMI_STATE                                                                              \
  {"eta", "m", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0)},                                               \
      {"u", "m/s", HG_X_FACE, HG_SIDES_X_Y(HG_CLOSED, HG_FIXED)}, {                                \
    "v", "m/s", HG_Y_FACE, HG_SIDES_X_Y(HG_FIXED, HG_CLOSED)                                       \
  }
#define TSUNAMI_KEPT                                                                               \
  {"keep", "1", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},                                             \
      {"keep_u", "1", HG_X_FACE, HG_ALL_SIDES(HG_FIXED, 0)}, {                                     \
    "keep_v", "1", HG_Y_FACE, HG_ALL_SIDES(HG_FIXED, 0)                                            \
  }

/* Written by hgstencil (tsunami_east.stencil ...): the same equations. */
extern HgSecondFn hg_tsunami_east_generated_second, hg_tsunami_north_generated_second,
    hg_tsunami_surface_generated_second;

/* ---- in reverse ---- */

/* What row j of a part of a box contributes to, given keep w of two rows, w being y_bar. */
typedef void TsunamiRow(const HgBox *part, const void *params, const HgRows x[], HgRows w,
                        const HgRowsOut x_bar[], int j, const double *lower, const double *upper);

/* keep w is made once for all cells that read it, in parts of rows that stay in the first-level
   cache: of rows j and j + 1, or, from = -1, of rows j - 1 and j. */
static inline void tsunami_in_reverse(const HgBox *box, const void *params, const HgRows x[],
                                      const HgRows y_bar[], const HgRowsOut x_bar[], int from,
                                      TsunamiRow *row) {
  enum { PART = 256, LINE = 8 };

  _Alignas(64) double kept[2][PART + 2 * LINE];
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    for (int j = box->j0 + from; j <= box->j1 + from; j++) {
      const double *keep = x[0][j], *w = y_bar[0][j];
      double *const upper = kept[j & 1] + LINE - part.i0;
      HG_VECTOR
      for (int i = part.i0 - 1; i <= part.i1; i++) upper[i] = keep[i] * w[i];
      if (j > box->j0 + from)
        row(&part, params, x, y_bar[0], x_bar, j - 1 - from, kept[~j & 1] + LINE - part.i0, upper);
    }
  }
}

/* f at the centres and at the northern faces of a row [1/s]. */
static inline double tsunami_coriolis(const HgTsunamiParams *p, HgLatitude row) {
  return 2 * p->rotation * row.sine;
}

static inline double tsunami_coriolis_north(const HgTsunamiParams *p, HgLatitude row) {
  return 2 * p->rotation * row.north_sine;
}

#endif
