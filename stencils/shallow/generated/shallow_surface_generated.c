/* shallow_surface_generated.c -- written by hgstencil 7 from shallow_surface.stencil: change
     that, not this.

     eta' = h + b */
/* clang-format off */
#include <halograd/shallow_surface_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* eta' = h + b */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    double *eta_next = y[0][j];
    const double *h = x[0][j], *b_ = x[1][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++)
      eta_next[i] = h[i] + b_[i];
  }
}

/* deta' = dh + db */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  (void)params;
  (void)x;
  for (int j = box->j0; j < box->j1; j++) {
    double *deta_next = dy[0][j];
    const double *dh = dx[0][j], *db = dx[1][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++)
      deta_next[i] = dh[i] + db[i];
  }
}

/* h_bar += w */
static inline void h_bar_row(const HgBox *box, const HgRows y_bar[], int j, HgCotangent h_bar) {
  const double *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(h_bar, i, w[i]);
}

/* b_bar += w */
static inline void b_bar_row(const HgBox *box, const HgRows y_bar[], int j, HgCotangent b_bar) {
  const double *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(b_bar, i, w[i]);
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void together0_bar_rows(const HgBox *box, const HgRows y_bar[], int j,
    HgCotangent h_bar, HgCotangent b_bar) {
  const double *w = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(h_bar, i, w[i]);
    HgContribute(b_bar, i, w[i]);
  }
}

/* x_bar += 0: the derivative does not depend on it */
static inline void nothing_to(const HgBox *box, HgCotangent bar) {
  if (bar.before == bar.row) return;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) bar.row[i] = bar.before[i];
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params;
  (void)x;
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent h_bar = HgCotangentRow(box, x_bar, 0, j),
        b_bar = HgCotangentRow(box, x_bar, 1, j), eta_bar = HgCotangentRow(box, x_bar, 2, j);
    if (eta_bar.row) nothing_to(box, eta_bar);
    if (h_bar.row && b_bar.row) {
      together0_bar_rows(box, y_bar, j, h_bar, b_bar);
    } else {
      if (h_bar.row) h_bar_row(box, y_bar, j, h_bar);
      if (b_bar.row) b_bar_row(box, y_bar, j, b_bar);
    }
  }
}

const HgStencil hg_shallow_surface_generated = {
    .name = "shallow_surface",
    .reads = (const HgRead[]){{"h", 0, HG_ADJOINT_UNUSED}, {"b", 0, HG_ADJOINT_UNUSED},
        {"eta", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"eta", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .sets = true,
    .stated = (const HgStated[]){{"h", "m", HG_CENTRE}, {"b", "m", HG_CENTRE},
        {"eta", "m", HG_CENTRE}, {NULL, NULL, 0}},
};
