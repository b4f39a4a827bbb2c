/* advection_diffusion.c -- see advection_diffusion.h. One expression per cell, in a fixed order. */
#include <halograd/advection_diffusion.h>
#include <halograd/five_point.h>
#include <math.h>
#include <stddef.h>

extern HgSecondFn hg_advection_diffusion_generated_second; /* by hgstencil */

enum { C, VX, VY, D };

typedef struct {
  double dt, hx, hy, rx, ry;
} Weights;

static Weights weights(const HgBox *b) {
  return (Weights){b->dt, 0.5 / b->dx, 0.5 / b->dy, 1 / (b->dx * b->dx), 1 / (b->dy * b->dy)};
}

double HgAdvectionDiffusionLargestStep(double d_smallest, double d_largest, double speed, double dx,
                                       double dy) {
  return fmin(1 / (2 * d_largest * (1 / (dx * dx) + 1 / (dy * dy))),
              2 * d_smallest / (speed * speed));
}

static inline double slope_x(Weights k, HgAround c, int i) {
  return k.hx * (c.at[i + 1] - c.at[i - 1]);
}

static inline double slope_y(Weights k, HgAround c, int i) {
  return k.hy * (c.north[i] - c.south[i]);
}

static inline double rate(Weights k, const double *vx, const double *vy, const double *d,
                          HgAround c, int i) {
  return d[i] * HgLaplacian(k.rx, k.ry, c, i) -
         (vx[i] * slope_x(k, c, i) + vy[i] * slope_y(k, c, i));
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const Weights k = weights(b);
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround c = HgRowsAround(x[C], j);
    const double *vx = x[VX][j], *vy = x[VY][j], *d = x[D][j];
    double *c_next = y[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++) c_next[i] = c.at[i] + k.dt * rate(k, vx, vy, d, c, i);
  }
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  const Weights k = weights(b);
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround c = HgRowsAround(x[C], j), dc = HgRowsAround(dx[C], j);
    const double *vx = x[VX][j], *vy = x[VY][j], *d = x[D][j];
    const double *dvx = dx[VX][j], *dvy = dx[VY][j], *dd = dx[D][j];
    double *dc_next = dy[0][j];
    HG_VECTOR
    for (int i = b->i0; i < b->i1; i++)
      dc_next[i] = dc.at[i] + k.dt * (rate(k, vx, vy, d, dc, i) + rate(k, dvx, dvy, dd, c, i));
  }
}

/* ((vx w)_E - (vx w)_W) / (2 dx) + ...: the transpose of c -> -v . grad c */
static inline double divergence(Weights k, HgAround vx, HgAround vy, HgAround w, int i) {
  return k.hx * (vx.at[i + 1] * w.at[i + 1] - vx.at[i - 1] * w.at[i - 1]) +
         k.hy * (vy.north[i] * w.north[i] - vy.south[i] * w.south[i]);
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const Weights k = weights(b);
  (void)params;
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround w = HgRowsAround(y_bar[0], j);
    const HgAround c = x_bar[VX] || x_bar[VY] || x_bar[D] ? HgRowsAround(x[C], j) : w;
    if (x_bar[C]) {
      const HgAround vx = HgRowsAround(x[VX], j), vy = HgRowsAround(x[VY], j),
                     d = HgRowsAround(x[D], j);
      double *c_bar = x_bar[C][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        c_bar[i] += w.at[i] + k.dt * (HgLaplacianOfProduct(k.rx, k.ry, d, w, i) +
                                      divergence(k, vx, vy, w, i));
    }
    if (x_bar[VX]) {
      double *vx_bar = x_bar[VX][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) vx_bar[i] -= k.dt * (w.at[i] * slope_x(k, c, i));
    }
    if (x_bar[VY]) {
      double *vy_bar = x_bar[VY][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) vy_bar[i] -= k.dt * (w.at[i] * slope_y(k, c, i));
    }
    if (x_bar[D]) {
      double *d_bar = x_bar[D][j];
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++)
        d_bar[i] += k.dt * (w.at[i] * HgLaplacian(k.rx, k.ry, c, i));
    }
  }
}

const HgStencil hg_advection_diffusion = {
    .name = "advection_diffusion",
    .reads = (const HgRead[]){{"c", 1, 1}, {"vx", 0, 1}, {"vy", 0, 1}, {"D", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"c", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_advection_diffusion_generated_second,
    .only_for = (const char *const[][2]){{"c", "vx"}, {"c", "vy"}, {"c", "D"}, {NULL, NULL}},
};
