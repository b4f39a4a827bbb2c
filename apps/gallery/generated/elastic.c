/* elastic.c -- written by hgstencil 7 from elastic.stencil: change that, not this.

     vx' = keep * (vx + dt / rho * ((sxx_E - sxx) / dx + (sxy - sxy_S) / dy))
     vy' = keep * (vy + dt / rho * ((sxy - sxy_W) / dx + (syy_N - syy) / dy + wavelet[step] *
       force))
     sxx' = keep * (sxx + dt * ((lambda + 2 * mu) * exx + lambda * eyy))
     syy' = keep * (syy + dt * (lambda * exx + (lambda + 2 * mu) * eyy))
     sxy' = keep * (sxy + dt * mu_corner * ((vx_N - vx) / dy + (vy_E - vy) / dx)) */
/* clang-format off */
#include "elastic.h"
#include <halograd/five_point.h>
#include <stddef.h>

/* An entry of a table by step; 0 before and after it. */
static inline double entry(const double *table, long count, long at) {
  return at >= 0 && at < count ? table[at] : 0;
}

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double c0, dx_, dy_, c3, c4, c5, c6;
} ElasticVelocityWeights;

static inline ElasticVelocityWeights elastic_velocity_weights(const HgBox *box, const void *params) {
  const ElasticVelocityParams *p = params;
  const double c0 = box->dt / p->rho;
  return (ElasticVelocityWeights){.c0 = c0, .dx_ = box->dx, .dy_ = box->dy,
      .c3 = entry(p->wavelet, p->wavelet_count, box->step), .c4 = c0 * (1 / box->dx),
      .c5 = c0 * (1 / box->dy), .c6 = c0 * entry(p->wavelet, p->wavelet_count, box->step)};
}

/* vx' = keep * (vx + dt / rho * ((sxx_E - sxx) / dx + (sxy - sxy_S) / dy))
   vy' = keep * (vy + dt / rho * ((sxy - sxy_W) / dx + (syy_N - syy) / dy + wavelet[step] *
     force)) */
static void elastic_velocity_apply(const HgBox *box, const void *params, const HgRows x[],
                                   const HgRowsOut y[]) {
  const ElasticVelocityWeights k = elastic_velocity_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *vx_next = y[0][j], *vy_next = y[1][j];
    const double *keep = x[5][j], *vx = x[0][j], *sxx = x[2][j], *sxy = x[4][j],
        *sxy_S = x[4][j - 1], *vy = x[1][j], *syy_N = x[3][j + 1], *syy = x[3][j], *force = x[6][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = keep[i] * (vx[i] +
          k.c0 * ((sxx[i + 1] - sxx[i]) / k.dx_ + (sxy[i] - sxy_S[i]) / k.dy_));
      const double t1 = keep[i] * (vy[i] +
          k.c0 * ((sxy[i] - sxy[i - 1]) / k.dx_ + (syy_N[i] - syy[i]) / k.dy_ + k.c3 * force[i]));
      vx_next[i] = t0;
      vy_next[i] = t1;
    }
  }
}

/* dvx' = (vx + dt / rho * ((sxx_E - sxx) / dx + (sxy - sxy_S) / dy)) * dkeep + keep * (dvx + dt
     / rho * ((dsxx_E - dsxx) / dx + (dsxy - dsxy_S) / dy))
   dvy' = (vy + dt / rho * ((sxy - sxy_W) / dx + (syy_N - syy) / dy + wavelet[step] * force)) *
     dkeep + keep * (dvy + dt / rho * ((dsxy - dsxy_W) / dx + (dsyy_N - dsyy) / dy +
     wavelet[step] * dforce)) */
static void elastic_velocity_tangent(const HgBox *box, const void *params, const HgRows x[],
                                     const HgRows dx[], const HgRowsOut dy[]) {
  const ElasticVelocityWeights k = elastic_velocity_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *dvx_next = dy[0][j], *dvy_next = dy[1][j];
    const double *vx = x[0][j], *sxx = x[2][j], *sxy = x[4][j], *sxy_S = x[4][j - 1],
        *dkeep = dx[5][j], *keep = x[5][j], *dvx = dx[0][j], *dsxx = dx[2][j], *dsxy = dx[4][j],
        *dsxy_S = dx[4][j - 1], *vy = x[1][j], *syy_N = x[3][j + 1], *syy = x[3][j],
        *force = x[6][j], *dvy = dx[1][j], *dsyy_N = dx[3][j + 1], *dsyy = dx[3][j],
        *dforce = dx[6][j];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = (vx[i] + k.c0 *
          ((sxx[i + 1] - sxx[i]) / k.dx_ + (sxy[i] - sxy_S[i]) / k.dy_)) * dkeep[i] +
          keep[i] * (dvx[i] + k.c0 * ((dsxx[i + 1] - dsxx[i]) / k.dx_ +
          (dsxy[i] - dsxy_S[i]) / k.dy_));
      const double t1 = (vy[i] + k.c0 *
          ((sxy[i] - sxy[i - 1]) / k.dx_ + (syy_N[i] - syy[i]) / k.dy_ + k.c3 * force[i])) *
          dkeep[i] + keep[i] * (dvy[i] +
          k.c0 * ((dsxy[i] - dsxy[i - 1]) / k.dx_ + (dsyy_N[i] - dsyy[i]) / k.dy_ +
          k.c3 * dforce[i]));
      dvx_next[i] = t0;
      dvy_next[i] = t1;
    }
  }
}

/* vx_bar += keep * w_vx */
static inline void elastic_velocity_vx_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent vx_bar) {
  const double *keep = x[5][j], *w_vx = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(vx_bar, i, keep[i] * w_vx[i]);
}

/* vy_bar += keep * w_vy */
static inline void elastic_velocity_vy_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent vy_bar) {
  const double *keep = x[5][j], *w_vy = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(vy_bar, i, keep[i] * w_vy[i]);
}

/* sxx_bar += dt / rho * (1 / dx) * (keep_W * w_vx_W - keep * w_vx) */
static inline void elastic_velocity_sxx_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent sxx_bar) {
  const double *keep = x[5][j], *w_vx = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(sxx_bar, i, k.c4 * (keep[i - 1] * w_vx[i - 1] - keep[i] * w_vx[i]));
}

/* syy_bar += dt / rho * (1 / dy) * (keep_S * w_vy_S - keep * w_vy) */
static inline void elastic_velocity_syy_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent syy_bar) {
  const double *keep_S = x[5][j - 1], *w_vy_S = y_bar[1][j - 1], *keep = x[5][j],
      *w_vy = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(syy_bar, i, k.c5 * (keep_S[i] * w_vy_S[i] - keep[i] * w_vy[i]));
}

/* sxy_bar += dt / rho * (1 / dx) * (keep * w_vy - keep_E * w_vy_E) + dt / rho * (1 / dy) *
     (keep * w_vx - keep_N * w_vx_N) */
static inline void elastic_velocity_sxy_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent sxy_bar) {
  const double *keep = x[5][j], *w_vy = y_bar[1][j], *w_vx = y_bar[0][j], *keep_N = x[5][j + 1],
      *w_vx_N = y_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(sxy_bar, i, k.c4 * (keep[i] * w_vy[i] - keep[i + 1] * w_vy[i + 1]) +
        k.c5 * (keep[i] * w_vx[i] - keep_N[i] * w_vx_N[i]));
  }
}

/* keep_bar += w_vy * (vy + dt / rho * ((sxy - sxy_W) / dx + (syy_N - syy) / dy + wavelet[step]
     * force)) + w_vx * (vx + dt / rho * ((sxx_E - sxx) / dx + (sxy - sxy_S) / dy)) */
static inline void elastic_velocity_keep_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent keep_bar) {
  const double *w_vy = y_bar[1][j], *vy = x[1][j], *sxy = x[4][j], *syy_N = x[3][j + 1],
      *syy = x[3][j], *force = x[6][j], *w_vx = y_bar[0][j], *vx = x[0][j], *sxx = x[2][j],
      *sxy_S = x[4][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(keep_bar, i, w_vy[i] *
        (vy[i] + k.c0 * ((sxy[i] - sxy[i - 1]) / k.dx_ + (syy_N[i] - syy[i]) / k.dy_ +
        k.c3 * force[i])) + w_vx[i] * (vx[i] +
        k.c0 * ((sxx[i + 1] - sxx[i]) / k.dx_ + (sxy[i] - sxy_S[i]) / k.dy_)));
  }
}

/* force_bar += dt / rho * wavelet[step] * (keep * w_vy) */
static inline void elastic_velocity_force_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent force_bar) {
  const double *keep = x[5][j], *w_vy = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(force_bar, i, k.c6 * (keep[i] * w_vy[i]));
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_velocity_together0_bar_rows(const HgBox *box, ElasticVelocityWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent vx_bar, HgCotangent sxx_bar,
    HgCotangent syy_bar, HgCotangent sxy_bar) {
  const double *keep = x[5][j], *w_vx = y_bar[0][j], *w_vy = y_bar[1][j], *keep_S = x[5][j - 1],
      *w_vy_S = y_bar[1][j - 1], *keep_N = x[5][j + 1], *w_vx_N = y_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = keep[i] * w_vx[i];
    HgContribute(sxx_bar, i, k.c4 * (keep[i - 1] * w_vx[i - 1] - t0));
    const double t1 = keep[i] * w_vy[i];
    HgContribute(syy_bar, i, k.c5 * (keep_S[i] * w_vy_S[i] - t1));
    HgContribute(sxy_bar, i, k.c4 * (t1 - keep[i + 1] * w_vy[i + 1]) +
        k.c5 * (t0 - keep_N[i] * w_vx_N[i]));
    HgContribute(vx_bar, i, t0);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_velocity_together1_bar_rows(const HgBox *box, ElasticVelocityWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent vy_bar, HgCotangent force_bar) {
  const double *keep = x[5][j], *w_vy = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = keep[i] * w_vy[i];
    HgContribute(force_bar, i, k.c6 * t0);
    HgContribute(vy_bar, i, t0);
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void elastic_velocity_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                     const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const ElasticVelocityWeights k = elastic_velocity_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent vx_bar = HgCotangentRow(box, x_bar, 0, j),
        vy_bar = HgCotangentRow(box, x_bar, 1, j), sxx_bar = HgCotangentRow(box, x_bar, 2, j),
        syy_bar = HgCotangentRow(box, x_bar, 3, j), sxy_bar = HgCotangentRow(box, x_bar, 4, j),
        keep_bar = HgCotangentRow(box, x_bar, 5, j), force_bar = HgCotangentRow(box, x_bar, 6, j);
    if (vx_bar.row && sxx_bar.row && syy_bar.row && sxy_bar.row) {
      elastic_velocity_together0_bar_rows(box, k, x, y_bar, j, vx_bar, sxx_bar, syy_bar, sxy_bar);
    } else {
      if (vx_bar.row) elastic_velocity_vx_bar_row(box, x, y_bar, j, vx_bar);
      if (sxx_bar.row) elastic_velocity_sxx_bar_row(box, k, x, y_bar, j, sxx_bar);
      if (syy_bar.row) elastic_velocity_syy_bar_row(box, k, x, y_bar, j, syy_bar);
      if (sxy_bar.row) elastic_velocity_sxy_bar_row(box, k, x, y_bar, j, sxy_bar);
    }
    if (vy_bar.row && force_bar.row) {
      elastic_velocity_together1_bar_rows(box, k, x, y_bar, j, vy_bar, force_bar);
    } else {
      if (vy_bar.row) elastic_velocity_vy_bar_row(box, x, y_bar, j, vy_bar);
      if (force_bar.row) elastic_velocity_force_bar_row(box, k, x, y_bar, j, force_bar);
    }
    if (keep_bar.row) elastic_velocity_keep_bar_row(box, k, x, y_bar, j, keep_bar);
  }
}

typedef struct {
  double s0[PART + 2], s1[PART + 2];
} ElasticVelocitySecondStage0;

/* s0 = w_vx * dkeep + keep * dw_vx
   s1 = w_vy * dkeep + keep * dw_vy */
static inline void elastic_velocity_second_stage0(const HgBox *box, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    ElasticVelocitySecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0, *s1 = to->s1 + 1 - box->i0;
  const double *w_vx = y_bar[0][j], *dkeep = dx[5][j], *keep = x[5][j], *dw_vx = dy_bar[0][j],
      *w_vy = y_bar[1][j], *dw_vy = dy_bar[1][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++) {
    s0[i] = w_vx[i] * dkeep[i] + keep[i] * dw_vx[i];
    s1[i] = w_vy[i] * dkeep[i] + keep[i] * dw_vy[i];
  }
}

/* dvx_bar += s0 */
static inline void elastic_velocity_dvx_bar_row(const HgBox *box,
    const ElasticVelocitySecondStage0 stage0[], int j, HgCotangent dvx_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dvx_bar, i, s0[i]);
}

/* dvy_bar += s1 */
static inline void elastic_velocity_dvy_bar_row(const HgBox *box,
    const ElasticVelocitySecondStage0 stage0[], int j, HgCotangent dvy_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dvy_bar, i, s1[i]);
}

/* dsxx_bar += dt / rho * (1 / dx) * (s0_W - s0) */
static inline void elastic_velocity_dsxx_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const ElasticVelocitySecondStage0 stage0[], int j, HgCotangent dsxx_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dsxx_bar, i, k.c4 * (s0[i - 1] - s0[i]));
}

/* dsyy_bar += dt / rho * (1 / dy) * (s1_S - s1) */
static inline void elastic_velocity_dsyy_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const ElasticVelocitySecondStage0 stage0[], int j, HgCotangent dsyy_bar) {
  const double *s1_S = stage0[(j - box->j0) % 3].s1 + 1 - box->i0,
      *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dsyy_bar, i, k.c5 * (s1_S[i] - s1[i]));
}

/* dsxy_bar += dt / rho * (1 / dx) * (s1 - s1_E) + dt / rho * (1 / dy) * (s0 - s0_N) */
static inline void elastic_velocity_dsxy_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const ElasticVelocitySecondStage0 stage0[], int j, HgCotangent dsxy_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0,
      *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dsxy_bar, i, k.c4 * (s1[i] - s1[i + 1]) + k.c5 * (s0[i] - s0_N[i]));
}

/* dkeep_bar += (vy + dt / rho * ((sxy - sxy_W) / dx + (syy_N - syy) / dy + wavelet[step] *
     force)) * dw_vy + w_vy * (dvy + dt / rho * ((dsxy - dsxy_W) / dx + (dsyy_N - dsyy) / dy +
     wavelet[step] * dforce)) + ((vx + dt / rho * ((sxx_E - sxx) / dx + (sxy - sxy_S) / dy)) *
     dw_vx + w_vx * (dvx + dt / rho * ((dsxx_E - dsxx) / dx + (dsxy - dsxy_S) / dy))) */
static inline void elastic_velocity_dkeep_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent dkeep_bar) {
  const double *vy = x[1][j], *sxy = x[4][j], *syy_N = x[3][j + 1], *syy = x[3][j],
      *force = x[6][j], *dw_vy = dy_bar[1][j], *w_vy = y_bar[1][j], *dvy = dx[1][j],
      *dsxy = dx[4][j], *dsyy_N = dx[3][j + 1], *dsyy = dx[3][j], *dforce = dx[6][j], *vx = x[0][j],
      *sxx = x[2][j], *sxy_S = x[4][j - 1], *dw_vx = dy_bar[0][j], *w_vx = y_bar[0][j],
      *dvx = dx[0][j], *dsxx = dx[2][j], *dsxy_S = dx[4][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dkeep_bar, i, (vy[i] +
        k.c0 * ((sxy[i] - sxy[i - 1]) / k.dx_ + (syy_N[i] - syy[i]) / k.dy_ + k.c3 * force[i])) *
        dw_vy[i] + w_vy[i] * (dvy[i] +
        k.c0 * ((dsxy[i] - dsxy[i - 1]) / k.dx_ + (dsyy_N[i] - dsyy[i]) / k.dy_ +
        k.c3 * dforce[i])) + ((vx[i] +
        k.c0 * ((sxx[i + 1] - sxx[i]) / k.dx_ + (sxy[i] - sxy_S[i]) / k.dy_)) * dw_vx[i] +
        w_vx[i] * (dvx[i] + k.c0 * ((dsxx[i + 1] - dsxx[i]) / k.dx_ +
        (dsxy[i] - dsxy_S[i]) / k.dy_))));
  }
}

/* dforce_bar += dt / rho * wavelet[step] * s1 */
static inline void elastic_velocity_dforce_bar_row(const HgBox *box, ElasticVelocityWeights k,
    const ElasticVelocitySecondStage0 stage0[], int j, HgCotangent dforce_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dforce_bar, i, k.c6 * s1[i]);
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_velocity_dtogether0_bar_rows(const HgBox *box, ElasticVelocityWeights k,
    const ElasticVelocitySecondStage0 stage0[], int j, HgCotangent dvx_bar, HgCotangent dsxx_bar,
    HgCotangent dsxy_bar, HgCotangent dforce_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 3].s0 + 1 - box->i0,
      *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s0_N = stage0[(j - box->j0 + 2) % 3].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dvx_bar, i, s0[i]);
    HgContribute(dsxx_bar, i, k.c4 * (s0[i - 1] - s0[i]));
    HgContribute(dsxy_bar, i, k.c4 * (s1[i] - s1[i + 1]) + k.c5 * (s0[i] - s0_N[i]));
    HgContribute(dforce_bar, i, k.c6 * s1[i]);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_velocity_dtogether1_bar_rows(const HgBox *box, ElasticVelocityWeights k,
    const ElasticVelocitySecondStage0 stage0[], int j, HgCotangent dvy_bar, HgCotangent dsyy_bar) {
  const double *s1 = stage0[(j - box->j0 + 1) % 3].s1 + 1 - box->i0,
      *s1_S = stage0[(j - box->j0) % 3].s1 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dvy_bar, i, s1[i]);
    HgContribute(dsyy_bar, i, k.c5 * (s1_S[i] - s1[i]));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void elastic_velocity_second(const HgBox *box, const void *params, const HgRows x[],
                             const HgRows dx[], const HgRows y_bar[],
                             const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const ElasticVelocityWeights k = elastic_velocity_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    ElasticVelocitySecondStage0 stage0[3];
    for (int j = part.j0 - 1; (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3] || dx_bar[4] ||
        dx_bar[6]) && j < part.j0 + 1; j++)
      elastic_velocity_second_stage0(&part, x, dx, y_bar, dy_bar, j,
          &stage0[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3] || dx_bar[4] || dx_bar[6])
        elastic_velocity_second_stage0(&part, x, dx, y_bar, dy_bar, j + 1,
            &stage0[(j - part.j0 + 2) % 3]);
      const HgCotangent dvx_bar = HgCotangentRow(box, dx_bar, 0, j),
          dvy_bar = HgCotangentRow(box, dx_bar, 1, j), dsxx_bar = HgCotangentRow(box, dx_bar, 2, j),
          dsyy_bar = HgCotangentRow(box, dx_bar, 3, j), dsxy_bar = HgCotangentRow(box, dx_bar, 4, j),
          dkeep_bar = HgCotangentRow(box, dx_bar, 5, j),
          dforce_bar = HgCotangentRow(box, dx_bar, 6, j);
      if (dvx_bar.row && dsxx_bar.row && dsxy_bar.row && dforce_bar.row) {
        elastic_velocity_dtogether0_bar_rows(&part, k, stage0, j, dvx_bar, dsxx_bar, dsxy_bar,
            dforce_bar);
      } else {
        if (dvx_bar.row) elastic_velocity_dvx_bar_row(&part, stage0, j, dvx_bar);
        if (dsxx_bar.row) elastic_velocity_dsxx_bar_row(&part, k, stage0, j, dsxx_bar);
        if (dsxy_bar.row) elastic_velocity_dsxy_bar_row(&part, k, stage0, j, dsxy_bar);
        if (dforce_bar.row) elastic_velocity_dforce_bar_row(&part, k, stage0, j, dforce_bar);
      }
      if (dvy_bar.row && dsyy_bar.row) {
        elastic_velocity_dtogether1_bar_rows(&part, k, stage0, j, dvy_bar, dsyy_bar);
      } else {
        if (dvy_bar.row) elastic_velocity_dvy_bar_row(&part, stage0, j, dvy_bar);
        if (dsyy_bar.row) elastic_velocity_dsyy_bar_row(&part, k, stage0, j, dsyy_bar);
      }
      if (dkeep_bar.row) elastic_velocity_dkeep_bar_row(&part, k, x, dx, y_bar, dy_bar, j, dkeep_bar);
    }
  }
}

const HgStencil elastic_velocity = {
    .name = "elastic_velocity",
    .reads = (const HgRead[]){{"vx", 0, 0}, {"vy", 0, 0}, {"sxx", 1, 1}, {"syy", 1, 1},
        {"sxy", 1, 1}, {"keep", 0, 1}, {"force", 0, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"vx", "vy", NULL},
    .apply = elastic_velocity_apply,
    .tangent = elastic_velocity_tangent,
    .adjoint = elastic_velocity_adjoint,
    .second = elastic_velocity_second,
    .only_for = (const char *const[][2]){{"vx", "keep"}, {"vy", "keep"}, {"sxx", "keep"},
        {"syy", "keep"}, {"sxy", "keep"}, {"force", "keep"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(ElasticVelocityParams),
    .params_name = "ElasticVelocityParams",
    .stated = (const HgStated[]){{"vx", "m/s", HG_X_FACE}, {"vy", "m/s", HG_Y_FACE},
        {"sxx", "kg/(m s^2)", HG_CENTRE}, {"syy", "kg/(m s^2)", HG_CENTRE},
        {"sxy", "kg/(m s^2)", HG_CORNER}, {"keep", "1", HG_ANYWHERE},
        {"force", "kg/(m^2 s^2)", HG_Y_FACE}, {NULL, NULL, 0}},
};

/* What is the same in all cells. */
typedef struct {
  double dx_, dy_, dt, c3, c4, c5, c6, c7;
} ElasticStressWeights;

static inline ElasticStressWeights elastic_stress_weights(const HgBox *box, const void *params) {
  (void)params;
  const double c0 = 0.25 * box->dt;
  const double c1 = 1 / box->dy;
  const double c2 = 1 / box->dx;
  return (ElasticStressWeights){.dx_ = box->dx, .dy_ = box->dy, .dt = box->dt, .c3 = c0 * c1,
      .c4 = box->dt * c2, .c5 = c0 * c2, .c6 = box->dt * c1, .c7 = c0};
}

/* exx = (vx - vx_W) / dx
   eyy = (vy - vy_S) / dy
   mu_corner = 0.25 * (mu + mu_E + (mu_N + mu_NE))
   sxx' = keep * (sxx + dt * ((lambda + 2 * mu) * exx + lambda * eyy))
   syy' = keep * (syy + dt * (lambda * exx + (lambda + 2 * mu) * eyy))
   sxy' = keep * (sxy + dt * mu_corner * ((vx_N - vx) / dy + (vy_E - vy) / dx)) */
static void elastic_stress_apply(const HgBox *box, const void *params, const HgRows x[],
                                 const HgRowsOut y[]) {
  const ElasticStressWeights k = elastic_stress_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *sxx_next = y[0][j], *syy_next = y[1][j], *sxy_next = y[2][j];
    const double *lambda = x[5][j], *mu = x[6][j], *vx = x[3][j], *vy = x[4][j],
        *vy_S = x[4][j - 1], *keep = x[7][j], *sxx = x[0][j], *syy = x[1][j], *mu_N = x[6][j + 1],
        *sxy = x[2][j], *vx_N = x[3][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = lambda[i] + 2 * mu[i];
      const double exx = (vx[i] - vx[i - 1]) / k.dx_;
      const double eyy = (vy[i] - vy_S[i]) / k.dy_;
      sxx_next[i] = keep[i] * (sxx[i] + k.dt * (t0 * exx + lambda[i] * eyy));
      syy_next[i] = keep[i] * (syy[i] + k.dt * (lambda[i] * exx + t0 * eyy));
      const double mu_corner = 0.25 * (mu[i] + mu[i + 1] + (mu_N[i] + mu_N[i + 1]));
      sxy_next[i] = keep[i] * (sxy[i] +
          k.dt * mu_corner * ((vx_N[i] - vx[i]) / k.dy_ + (vy[i + 1] - vy[i]) / k.dx_));
    }
  }
}

/* dsxx' = (sxx + dt * ((lambda + 2 * mu) * exx + lambda * eyy)) * dkeep + keep * (dsxx + dt *
     (exx * (dlambda + 2 * dmu) + (lambda + 2 * mu) * ((dvx - dvx_W) / dx) + (eyy * dlambda +
     lambda * ((dvy - dvy_S) / dy))))
   dsyy' = (syy + dt * (lambda * exx + (lambda + 2 * mu) * eyy)) * dkeep + keep * (dsyy + dt *
     (exx * dlambda + lambda * ((dvx - dvx_W) / dx) + (eyy * (dlambda + 2 * dmu) + (lambda + 2 *
     mu) * ((dvy - dvy_S) / dy))))
   dsxy' = (sxy + dt * mu_corner * ((vx_N - vx) / dy + (vy_E - vy) / dx)) * dkeep + keep * (dsxy
     + (((vx_N - vx) / dy + (vy_E - vy) / dx) * (dt * (0.25 * (dmu + dmu_E + (dmu_N + dmu_NE))))
     + dt * mu_corner * ((dvx_N - dvx) / dy + (dvy_E - dvy) / dx))) */
static void elastic_stress_tangent(const HgBox *box, const void *params, const HgRows x[],
                                   const HgRows dx[], const HgRowsOut dy[]) {
  const ElasticStressWeights k = elastic_stress_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *dsxx_next = dy[0][j], *dsyy_next = dy[1][j], *dsxy_next = dy[2][j];
    const double *lambda = x[5][j], *mu = x[6][j], *vx = x[3][j], *vy = x[4][j],
        *vy_S = x[4][j - 1], *dlambda = dx[5][j], *dmu = dx[6][j], *dvx = dx[3][j], *dvy = dx[4][j],
        *dvy_S = dx[4][j - 1], *sxx = x[0][j], *dkeep = dx[7][j], *keep = x[7][j], *dsxx = dx[0][j],
        *syy = x[1][j], *dsyy = dx[1][j], *mu_N = x[6][j + 1], *vx_N = x[3][j + 1], *sxy = x[2][j],
        *dsxy = dx[2][j], *dmu_N = dx[6][j + 1], *dvx_N = dx[3][j + 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = lambda[i] + 2 * mu[i];
      const double exx = (vx[i] - vx[i - 1]) / k.dx_;
      const double eyy = (vy[i] - vy_S[i]) / k.dy_;
      const double t3 = dlambda[i] + 2 * dmu[i];
      const double t4 = (dvx[i] - dvx[i - 1]) / k.dx_;
      const double t5 = (dvy[i] - dvy_S[i]) / k.dy_;
      dsxx_next[i] = (sxx[i] + k.dt * (t0 * exx + lambda[i] * eyy)) * dkeep[i] +
          keep[i] * (dsxx[i] + k.dt * (exx * t3 + t0 * t4 + (eyy * dlambda[i] + lambda[i] * t5)));
      dsyy_next[i] = (syy[i] + k.dt * (lambda[i] * exx + t0 * eyy)) * dkeep[i] +
          keep[i] * (dsyy[i] + k.dt * (exx * dlambda[i] + lambda[i] * t4 + (eyy * t3 + t0 * t5)));
      const double mu_corner = 0.25 * (mu[i] + mu[i + 1] + (mu_N[i] + mu_N[i + 1]));
      const double t7 = k.dt * mu_corner;
      const double t8 = (vx_N[i] - vx[i]) / k.dy_ + (vy[i + 1] - vy[i]) / k.dx_;
      dsxy_next[i] = (sxy[i] + t7 * t8) * dkeep[i] +
          keep[i] * (dsxy[i] + (t8 * (k.dt *
          (0.25 * (dmu[i] + dmu[i + 1] + (dmu_N[i] + dmu_N[i + 1])))) +
          t7 * ((dvx_N[i] - dvx[i]) / k.dy_ + (dvy[i + 1] - dvy[i]) / k.dx_)));
    }
  }
}

typedef struct {
  double s0[PART + 1];
} ElasticStressAdjointStage0;

/* s0 = (vx_N - vx) / dy + (vy_E - vy) / dx */
static inline void elastic_stress_adjoint_stage0(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], int j, ElasticStressAdjointStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0;
  const double *vx_N = x[3][j + 1], *vx = x[3][j], *vy = x[4][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++)
    s0[i] = (vx_N[i] - vx[i]) / k.dy_ + (vy[i + 1] - vy[i]) / k.dx_;
}

/* sxx_bar += keep * w_sxx */
static inline void elastic_stress_sxx_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent sxx_bar) {
  const double *keep = x[7][j], *w_sxx = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(sxx_bar, i, keep[i] * w_sxx[i]);
}

/* syy_bar += keep * w_syy */
static inline void elastic_stress_syy_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent syy_bar) {
  const double *keep = x[7][j], *w_syy = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(syy_bar, i, keep[i] * w_syy[i]);
}

/* sxy_bar += keep * w_sxy */
static inline void elastic_stress_sxy_bar_row(const HgBox *box, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent sxy_bar) {
  const double *keep = x[7][j], *w_sxy = y_bar[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(sxy_bar, i, keep[i] * w_sxy[i]);
}

/* vx_bar += 0.25 * dt * (1 / dy) * (keep_S * (mu_S + mu_SE + (mu + mu_E)) * w_sxy_S - keep *
     (mu + mu_E + (mu_N + mu_NE)) * w_sxy) + (dt * (1 / dx) * (keep * (lambda * w_syy + (lambda
     + 2 * mu) * w_sxx)) - dt * (1 / dx) * (keep_E * (lambda_E * w_syy_E + (lambda_E + 2 * mu_E)
     * w_sxx_E))) */
static inline void elastic_stress_vx_bar_row(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent vx_bar) {
  const double *mu = x[6][j], *keep_S = x[7][j - 1], *mu_S = x[6][j - 1],
      *w_sxy_S = y_bar[2][j - 1], *keep = x[7][j], *mu_N = x[6][j + 1], *w_sxy = y_bar[2][j],
      *lambda = x[5][j], *w_syy = y_bar[1][j], *w_sxx = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = mu[i] + mu[i + 1];
    HgContribute(vx_bar, i, k.c3 * (keep_S[i] * (mu_S[i] + mu_S[i + 1] + t0) * w_sxy_S[i] -
        keep[i] * (t0 + (mu_N[i] + mu_N[i + 1])) * w_sxy[i]) +
        (k.c4 * (keep[i] * (lambda[i] * w_syy[i] + (lambda[i] + 2 * mu[i]) * w_sxx[i])) -
        k.c4 * (keep[i + 1] * (lambda[i + 1] * w_syy[i + 1] +
        (lambda[i + 1] + 2 * mu[i + 1]) * w_sxx[i + 1]))));
  }
}

/* vy_bar += 0.25 * dt * (1 / dx) * (keep_W * (mu_W + mu + (mu_NW + mu_N)) * w_sxy_W - keep *
     (mu + mu_E + (mu_N + mu_NE)) * w_sxy) + (dt * (1 / dy) * (keep * ((lambda + 2 * mu) * w_syy
     + lambda * w_sxx)) - dt * (1 / dy) * (keep_N * ((lambda_N + 2 * mu_N) * w_syy_N + lambda_N
     * w_sxx_N))) */
static inline void elastic_stress_vy_bar_row(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent vy_bar) {
  const double *keep = x[7][j], *mu = x[6][j], *mu_N = x[6][j + 1], *w_sxy = y_bar[2][j],
      *lambda = x[5][j], *w_syy = y_bar[1][j], *w_sxx = y_bar[0][j], *keep_N = x[7][j + 1],
      *lambda_N = x[5][j + 1], *w_syy_N = y_bar[1][j + 1], *w_sxx_N = y_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(vy_bar, i, k.c5 * (keep[i - 1] * (mu[i - 1] + mu[i] + (mu_N[i - 1] + mu_N[i])) *
        w_sxy[i - 1] - keep[i] * (mu[i] + mu[i + 1] + (mu_N[i] + mu_N[i + 1])) * w_sxy[i]) +
        (k.c6 * (keep[i] * ((lambda[i] + 2 * mu[i]) * w_syy[i] + lambda[i] * w_sxx[i])) -
        k.c6 * (keep_N[i] * ((lambda_N[i] + 2 * mu_N[i]) * w_syy_N[i] +
        lambda_N[i] * w_sxx_N[i]))));
  }
}

/* lambda_bar += -(dt * (1 / dx) * (keep * w_syy * (vx_W - vx)) + dt * (1 / dy) * (keep * w_sxx
     * (vy_S - vy)) + (dt * (1 / dy) * (keep * w_syy * (vy_S - vy)) + dt * (1 / dx) * (keep *
     w_sxx * (vx_W - vx)))) */
static inline void elastic_stress_lambda_bar_row(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent lambda_bar) {
  const double *keep = x[7][j], *w_syy = y_bar[1][j], *vx = x[3][j], *w_sxx = y_bar[0][j],
      *vy_S = x[4][j - 1], *vy = x[4][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = keep[i] * w_syy[i];
    const double t1 = vx[i - 1] - vx[i];
    const double t2 = keep[i] * w_sxx[i];
    const double t3 = vy_S[i] - vy[i];
    HgContribute(lambda_bar, i, -(k.c4 * (t0 * t1) + k.c6 * (t2 * t3) +
        (k.c6 * (t0 * t3) + k.c4 * (t2 * t1))));
  }
}

/* mu_bar += 0.25 * dt * (keep * s0 * w_sxy + keep_W * s0_W * w_sxy_W + keep_S * s0_S * w_sxy_S
     + keep_SW * s0_SW * w_sxy_SW) - 2 * (dt * (1 / dy) * (keep * w_syy * (vy_S - vy)) + dt * (1
     / dx) * (keep * w_sxx * (vx_W - vx))) */
static inline void elastic_stress_mu_bar_row(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows y_bar[], const ElasticStressAdjointStage0 stage0[], int j,
    HgCotangent mu_bar) {
  const double *keep = x[7][j], *s0 = stage0[(j - box->j0 + 1) % 2].s0 + 1 - box->i0,
      *w_sxy = y_bar[2][j], *keep_S = x[7][j - 1],
      *s0_S = stage0[(j - box->j0) % 2].s0 + 1 - box->i0, *w_sxy_S = y_bar[2][j - 1],
      *w_syy = y_bar[1][j], *vy_S = x[4][j - 1], *vy = x[4][j], *w_sxx = y_bar[0][j], *vx = x[3][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(mu_bar, i, k.c7 * (keep[i] * s0[i] * w_sxy[i] +
        keep[i - 1] * s0[i - 1] * w_sxy[i - 1] + keep_S[i] * s0_S[i] * w_sxy_S[i] +
        keep_S[i - 1] * s0_S[i - 1] * w_sxy_S[i - 1]) -
        2 * (k.c6 * (keep[i] * w_syy[i] * (vy_S[i] - vy[i])) +
        k.c4 * (keep[i] * w_sxx[i] * (vx[i - 1] - vx[i]))));
  }
}

/* keep_bar += (sxy + dt * mu_corner * s0) * w_sxy + w_syy * (syy + dt * (lambda * exx + (lambda
     + 2 * mu) * eyy)) + w_sxx * (sxx + dt * ((lambda + 2 * mu) * exx + lambda * eyy)) */
static inline void elastic_stress_keep_bar_row(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows y_bar[], const ElasticStressAdjointStage0 stage0[], int j,
    HgCotangent keep_bar) {
  const double *mu = x[6][j], *mu_N = x[6][j + 1], *vx = x[3][j], *lambda = x[5][j], *vy = x[4][j],
      *vy_S = x[4][j - 1], *sxy = x[2][j], *s0 = stage0[(j - box->j0 + 1) % 2].s0 + 1 - box->i0,
      *w_sxy = y_bar[2][j], *w_syy = y_bar[1][j], *syy = x[1][j], *w_sxx = y_bar[0][j],
      *sxx = x[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double mu_corner = 0.25 * (mu[i] + mu[i + 1] + (mu_N[i] + mu_N[i + 1]));
    const double exx = (vx[i] - vx[i - 1]) / k.dx_;
    const double t2 = lambda[i] + 2 * mu[i];
    const double eyy = (vy[i] - vy_S[i]) / k.dy_;
    HgContribute(keep_bar, i, (sxy[i] + k.dt * mu_corner * s0[i]) * w_sxy[i] +
        w_syy[i] * (syy[i] + k.dt * (lambda[i] * exx + t2 * eyy)) +
        w_sxx[i] * (sxx[i] + k.dt * (t2 * exx + lambda[i] * eyy)));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_stress_together0_bar_rows(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows y_bar[], const ElasticStressAdjointStage0 stage0[], int j,
    HgCotangent sxx_bar, HgCotangent lambda_bar, HgCotangent mu_bar) {
  const double *keep = x[7][j], *w_sxx = y_bar[0][j], *w_syy = y_bar[1][j], *vx = x[3][j],
      *vy_S = x[4][j - 1], *vy = x[4][j], *s0 = stage0[(j - box->j0 + 1) % 2].s0 + 1 - box->i0,
      *w_sxy = y_bar[2][j], *keep_S = x[7][j - 1],
      *s0_S = stage0[(j - box->j0) % 2].s0 + 1 - box->i0, *w_sxy_S = y_bar[2][j - 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = keep[i] * w_sxx[i];
    const double t1 = keep[i] * w_syy[i];
    const double t2 = vx[i - 1] - vx[i];
    const double t3 = vy_S[i] - vy[i];
    const double t4 = k.c6 * (t1 * t3) + k.c4 * (t0 * t2);
    HgContribute(lambda_bar, i, -(k.c4 * (t1 * t2) + k.c6 * (t0 * t3) + t4));
    HgContribute(mu_bar, i, k.c7 * (keep[i] * s0[i] * w_sxy[i] +
        keep[i - 1] * s0[i - 1] * w_sxy[i - 1] + keep_S[i] * s0_S[i] * w_sxy_S[i] +
        keep_S[i - 1] * s0_S[i - 1] * w_sxy_S[i - 1]) - 2 * t4);
    HgContribute(sxx_bar, i, t0);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_stress_together1_bar_rows(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent vx_bar, HgCotangent vy_bar) {
  const double *mu = x[6][j], *keep = x[7][j], *mu_N = x[6][j + 1], *w_sxy = y_bar[2][j],
      *lambda = x[5][j], *keep_S = x[7][j - 1], *mu_S = x[6][j - 1], *w_sxy_S = y_bar[2][j - 1],
      *w_syy = y_bar[1][j], *w_sxx = y_bar[0][j], *keep_N = x[7][j + 1], *lambda_N = x[5][j + 1],
      *w_syy_N = y_bar[1][j + 1], *w_sxx_N = y_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = mu[i] + mu[i + 1];
    const double t1 = keep[i] * (t0 + (mu_N[i] + mu_N[i + 1])) * w_sxy[i];
    const double t2 = lambda[i] + 2 * mu[i];
    HgContribute(vx_bar, i, k.c3 * (keep_S[i] * (mu_S[i] + mu_S[i + 1] + t0) * w_sxy_S[i] - t1) +
        (k.c4 * (keep[i] * (lambda[i] * w_syy[i] + t2 * w_sxx[i])) -
        k.c4 * (keep[i + 1] * (lambda[i + 1] * w_syy[i + 1] +
        (lambda[i + 1] + 2 * mu[i + 1]) * w_sxx[i + 1]))));
    HgContribute(vy_bar, i, k.c5 * (keep[i - 1] * (mu[i - 1] + mu[i] + (mu_N[i - 1] + mu_N[i])) *
        w_sxy[i - 1] - t1) + (k.c6 * (keep[i] * (t2 * w_syy[i] + lambda[i] * w_sxx[i])) -
        k.c6 * (keep_N[i] * ((lambda_N[i] + 2 * mu_N[i]) * w_syy_N[i] +
        lambda_N[i] * w_sxx_N[i]))));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void elastic_stress_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                   const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const ElasticStressWeights k = elastic_stress_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    ElasticStressAdjointStage0 stage0[2];
    for (int j = part.j0 - 1; (x_bar[6] || x_bar[7]) && j < part.j0; j++)
      elastic_stress_adjoint_stage0(&part, k, x, j, &stage0[(j - part.j0 + 1) % 2]);
    for (int j = part.j0; j < part.j1; j++) {
      if (x_bar[6] || x_bar[7])
        elastic_stress_adjoint_stage0(&part, k, x, j, &stage0[(j - part.j0 + 1) % 2]);
      const HgCotangent sxx_bar = HgCotangentRow(box, x_bar, 0, j),
          syy_bar = HgCotangentRow(box, x_bar, 1, j), sxy_bar = HgCotangentRow(box, x_bar, 2, j),
          vx_bar = HgCotangentRow(box, x_bar, 3, j), vy_bar = HgCotangentRow(box, x_bar, 4, j),
          lambda_bar = HgCotangentRow(box, x_bar, 5, j), mu_bar = HgCotangentRow(box, x_bar, 6, j),
          keep_bar = HgCotangentRow(box, x_bar, 7, j);
      if (sxx_bar.row && lambda_bar.row && mu_bar.row) {
        elastic_stress_together0_bar_rows(&part, k, x, y_bar, stage0, j, sxx_bar, lambda_bar, mu_bar);
      } else {
        if (sxx_bar.row) elastic_stress_sxx_bar_row(&part, x, y_bar, j, sxx_bar);
        if (lambda_bar.row) elastic_stress_lambda_bar_row(&part, k, x, y_bar, j, lambda_bar);
        if (mu_bar.row) elastic_stress_mu_bar_row(&part, k, x, y_bar, stage0, j, mu_bar);
      }
      if (vx_bar.row && vy_bar.row) {
        elastic_stress_together1_bar_rows(&part, k, x, y_bar, j, vx_bar, vy_bar);
      } else {
        if (vx_bar.row) elastic_stress_vx_bar_row(&part, k, x, y_bar, j, vx_bar);
        if (vy_bar.row) elastic_stress_vy_bar_row(&part, k, x, y_bar, j, vy_bar);
      }
      if (syy_bar.row) elastic_stress_syy_bar_row(&part, x, y_bar, j, syy_bar);
      if (sxy_bar.row) elastic_stress_sxy_bar_row(&part, x, y_bar, j, sxy_bar);
      if (keep_bar.row) elastic_stress_keep_bar_row(&part, k, x, y_bar, stage0, j, keep_bar);
    }
  }
}

typedef struct {
  double s0[PART + 1], s4[PART + 1], s5[PART + 1];
} ElasticStressSecondStage0;

typedef struct {
  double s1[PART + 1];
} ElasticStressSecondStage1;

typedef struct {
  double s2[PART + 1], s3[PART + 1];
} ElasticStressSecondStage2;

/* s0 = w_sxy * (((vx_N - vx) / dy + (vy_E - vy) / dx) * dkeep + keep * ((dvx_N - dvx) / dy +
     (dvy_E - dvy) / dx)) + keep * ((vx_N - vx) / dy + (vy_E - vy) / dx) * dw_sxy
   s4 = (vx_N - vx) / dy + (vy_E - vy) / dx
   s5 = (dvx_N - dvx) / dy + (dvy_E - dvy) / dx */
static HG_APART void elastic_stress_second_stage0(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    ElasticStressSecondStage0 *to) {
  double *s0 = to->s0 + 1 - box->i0, *s4 = to->s4 + 1 - box->i0, *s5 = to->s5 + 1 - box->i0;
  const double *vx_N = x[3][j + 1], *vx = x[3][j], *vy = x[4][j], *dvx_N = dx[3][j + 1],
      *dvx = dx[3][j], *dvy = dx[4][j], *w_sxy = y_bar[2][j], *dkeep = dx[7][j], *keep = x[7][j],
      *dw_sxy = dy_bar[2][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++) {
    const double t0 = (vx_N[i] - vx[i]) / k.dy_ + (vy[i + 1] - vy[i]) / k.dx_;
    const double t1 = (dvx_N[i] - dvx[i]) / k.dy_ + (dvy[i + 1] - dvy[i]) / k.dx_;
    const double t2 = w_sxy[i] * (t0 * dkeep[i] + keep[i] * t1) + keep[i] * t0 * dw_sxy[i];
    s0[i] = t2;
    s4[i] = t0;
    s5[i] = t1;
  }
}

/* s1 = w_sxy * ((mu + mu_E + (mu_N + mu_NE)) * dkeep + keep * (dmu + dmu_E + (dmu_N + dmu_NE)))
     + keep * (mu + mu_E + (mu_N + mu_NE)) * dw_sxy */
static HG_APART void elastic_stress_second_stage1(const HgBox *box, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    ElasticStressSecondStage1 *to) {
  double *s1 = to->s1 + 1 - box->i0;
  const double *mu = x[6][j], *mu_N = x[6][j + 1], *w_sxy = y_bar[2][j], *dkeep = dx[7][j],
      *keep = x[7][j], *dmu = dx[6][j], *dmu_N = dx[6][j + 1], *dw_sxy = dy_bar[2][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++) {
    const double t0 = mu[i] + mu[i + 1] + (mu_N[i] + mu_N[i + 1]);
    s1[i] = w_sxy[i] * (t0 * dkeep[i] +
        keep[i] * (dmu[i] + dmu[i + 1] + (dmu_N[i] + dmu_N[i + 1]))) + keep[i] * t0 * dw_sxy[i];
  }
}

/* s2 = dt * (1 / dx) * ((lambda * w_syy + (lambda + 2 * mu) * w_sxx) * dkeep + keep * (w_syy *
     dlambda + lambda * dw_syy + (w_sxx * (dlambda + 2 * dmu) + (lambda + 2 * mu) * dw_sxx)))
   s3 = dt * (1 / dy) * (((lambda + 2 * mu) * w_syy + lambda * w_sxx) * dkeep + keep * (w_syy *
     (dlambda + 2 * dmu) + (lambda + 2 * mu) * dw_syy + (w_sxx * dlambda + lambda * dw_sxx))) */
static HG_APART void elastic_stress_second_stage2(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    ElasticStressSecondStage2 *to) {
  double *s2 = to->s2 - box->i0, *s3 = to->s3 - box->i0;
  const double *lambda = x[5][j], *mu = x[6][j], *dlambda = dx[5][j], *dmu = dx[6][j],
      *w_syy = y_bar[1][j], *w_sxx = y_bar[0][j], *dkeep = dx[7][j], *keep = x[7][j],
      *dw_syy = dy_bar[1][j], *dw_sxx = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1 + 1; i++) {
    const double t0 = lambda[i] + 2 * mu[i];
    const double t1 = dlambda[i] + 2 * dmu[i];
    s2[i] = k.c4 * ((lambda[i] * w_syy[i] + t0 * w_sxx[i]) * dkeep[i] +
        keep[i] * (w_syy[i] * dlambda[i] + lambda[i] * dw_syy[i] +
        (w_sxx[i] * t1 + t0 * dw_sxx[i])));
    s3[i] = k.c6 * ((t0 * w_syy[i] + lambda[i] * w_sxx[i]) * dkeep[i] +
        keep[i] * (w_syy[i] * t1 + t0 * dw_syy[i] +
        (w_sxx[i] * dlambda[i] + lambda[i] * dw_sxx[i])));
  }
}

/* dsxx_bar += w_sxx * dkeep + keep * dw_sxx */
static inline void elastic_stress_dsxx_bar_row(const HgBox *box, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dsxx_bar) {
  const double *w_sxx = y_bar[0][j], *dkeep = dx[7][j], *keep = x[7][j], *dw_sxx = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dsxx_bar, i, w_sxx[i] * dkeep[i] + keep[i] * dw_sxx[i]);
}

/* dsyy_bar += w_syy * dkeep + keep * dw_syy */
static inline void elastic_stress_dsyy_bar_row(const HgBox *box, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dsyy_bar) {
  const double *w_syy = y_bar[1][j], *dkeep = dx[7][j], *keep = x[7][j], *dw_syy = dy_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dsyy_bar, i, w_syy[i] * dkeep[i] + keep[i] * dw_syy[i]);
}

/* dsxy_bar += w_sxy * dkeep + keep * dw_sxy */
static inline void elastic_stress_dsxy_bar_row(const HgBox *box, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dsxy_bar) {
  const double *w_sxy = y_bar[2][j], *dkeep = dx[7][j], *keep = x[7][j], *dw_sxy = dy_bar[2][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dsxy_bar, i, w_sxy[i] * dkeep[i] + keep[i] * dw_sxy[i]);
}

/* dvx_bar += 0.25 * dt * (1 / dy) * (s1_S - s1) + (s2 - s2_E) */
static inline void elastic_stress_dvx_bar_row(const HgBox *box, ElasticStressWeights k,
    const ElasticStressSecondStage1 stage1[], const ElasticStressSecondStage2 stage2[], int j,
    HgCotangent dvx_bar) {
  const double *s1_S = stage1[(j - box->j0) % 2].s1 + 1 - box->i0,
      *s1 = stage1[(j - box->j0 + 1) % 2].s1 + 1 - box->i0,
      *s2 = stage2[(j - box->j0) % 2].s2 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dvx_bar, i, k.c3 * (s1_S[i] - s1[i]) + (s2[i] - s2[i + 1]));
}

/* dvy_bar += 0.25 * dt * (1 / dx) * (s1_W - s1) + (s3 - s3_N) */
static inline void elastic_stress_dvy_bar_row(const HgBox *box, ElasticStressWeights k,
    const ElasticStressSecondStage1 stage1[], const ElasticStressSecondStage2 stage2[], int j,
    HgCotangent dvy_bar) {
  const double *s1 = stage1[(j - box->j0 + 1) % 2].s1 + 1 - box->i0,
      *s3 = stage2[(j - box->j0) % 2].s3 - box->i0,
      *s3_N = stage2[(j - box->j0 + 1) % 2].s3 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++)
    HgContribute(dvy_bar, i, k.c5 * (s1[i - 1] - s1[i]) + (s3[i] - s3_N[i]));
}

/* dlambda_bar += -(dt * (1 / dx) * ((vx_W - vx) * (w_syy * dkeep + keep * dw_syy) + keep *
     w_syy * (dvx_W - dvx)) + dt * (1 / dy) * ((vy_S - vy) * (w_sxx * dkeep + keep * dw_sxx) +
     keep * w_sxx * (dvy_S - dvy)) + (dt * (1 / dy) * ((vy_S - vy) * (w_syy * dkeep + keep *
     dw_syy) + keep * w_syy * (dvy_S - dvy)) + dt * (1 / dx) * ((vx_W - vx) * (w_sxx * dkeep +
     keep * dw_sxx) + keep * w_sxx * (dvx_W - dvx)))) */
static inline void elastic_stress_dlambda_bar_row(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent dlambda_bar) {
  const double *vx = x[3][j], *w_syy = y_bar[1][j], *dkeep = dx[7][j], *keep = x[7][j],
      *dw_syy = dy_bar[1][j], *dvx = dx[3][j], *vy_S = x[4][j - 1], *vy = x[4][j],
      *w_sxx = y_bar[0][j], *dw_sxx = dy_bar[0][j], *dvy_S = dx[4][j - 1], *dvy = dx[4][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = vx[i - 1] - vx[i];
    const double t1 = w_syy[i] * dkeep[i] + keep[i] * dw_syy[i];
    const double t2 = keep[i] * w_syy[i];
    const double t3 = dvx[i - 1] - dvx[i];
    const double t4 = vy_S[i] - vy[i];
    const double t5 = w_sxx[i] * dkeep[i] + keep[i] * dw_sxx[i];
    const double t6 = keep[i] * w_sxx[i];
    const double t7 = dvy_S[i] - dvy[i];
    HgContribute(dlambda_bar, i, -(k.c4 * (t0 * t1 + t2 * t3) + k.c6 * (t4 * t5 + t6 * t7) +
        (k.c6 * (t4 * t1 + t2 * t7) + k.c4 * (t0 * t5 + t6 * t3))));
  }
}

/* dmu_bar += 0.25 * dt * (s0 + s0_W + s0_S + s0_SW) - 2 * (dt * (1 / dy) * ((vy_S - vy) *
     (w_syy * dkeep + keep * dw_syy) + keep * w_syy * (dvy_S - dvy)) + dt * (1 / dx) * ((vx_W -
     vx) * (w_sxx * dkeep + keep * dw_sxx) + keep * w_sxx * (dvx_W - dvx))) */
static inline void elastic_stress_dmu_bar_row(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const ElasticStressSecondStage0 stage0[], int j, HgCotangent dmu_bar) {
  const double *s0 = stage0[(j - box->j0 + 1) % 2].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 2].s0 + 1 - box->i0, *vy_S = x[4][j - 1], *vy = x[4][j],
      *w_syy = y_bar[1][j], *dkeep = dx[7][j], *keep = x[7][j], *dw_syy = dy_bar[1][j],
      *dvy_S = dx[4][j - 1], *dvy = dx[4][j], *vx = x[3][j], *w_sxx = y_bar[0][j],
      *dw_sxx = dy_bar[0][j], *dvx = dx[3][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dmu_bar, i, k.c7 * (s0[i] + s0[i - 1] + s0_S[i] + s0_S[i - 1]) -
        2 * (k.c6 * ((vy_S[i] - vy[i]) * (w_syy[i] * dkeep[i] + keep[i] * dw_syy[i]) +
        keep[i] * w_syy[i] * (dvy_S[i] - dvy[i])) +
        k.c4 * ((vx[i - 1] - vx[i]) * (w_sxx[i] * dkeep[i] + keep[i] * dw_sxx[i]) +
        keep[i] * w_sxx[i] * (dvx[i - 1] - dvx[i]))));
  }
}

/* dkeep_bar += as in the loop below */
static inline void elastic_stress_dkeep_bar_row(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const ElasticStressSecondStage0 stage0[], int j, HgCotangent dkeep_bar) {
  const double *mu = x[6][j], *mu_N = x[6][j + 1], *vx = x[3][j], *lambda = x[5][j], *vy = x[4][j],
      *vy_S = x[4][j - 1], *dvx = dx[3][j], *dlambda = dx[5][j], *dmu = dx[6][j], *dvy = dx[4][j],
      *dvy_S = dx[4][j - 1], *w_sxy = y_bar[2][j], *dsxy = dx[2][j],
      *s4 = stage0[(j - box->j0 + 1) % 2].s4 + 1 - box->i0, *dmu_N = dx[6][j + 1],
      *s5 = stage0[(j - box->j0 + 1) % 2].s5 + 1 - box->i0, *sxy = x[2][j], *dw_sxy = dy_bar[2][j],
      *syy = x[1][j], *dw_syy = dy_bar[1][j], *w_syy = y_bar[1][j], *dsyy = dx[1][j],
      *sxx = x[0][j], *dw_sxx = dy_bar[0][j], *w_sxx = y_bar[0][j], *dsxx = dx[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double mu_corner = 0.25 * (mu[i] + mu[i + 1] + (mu_N[i] + mu_N[i + 1]));
    const double t1 = k.dt * mu_corner;
    const double exx = (vx[i] - vx[i - 1]) / k.dx_;
    const double t3 = lambda[i] + 2 * mu[i];
    const double eyy = (vy[i] - vy_S[i]) / k.dy_;
    const double t5 = (dvx[i] - dvx[i - 1]) / k.dx_;
    const double t6 = dlambda[i] + 2 * dmu[i];
    const double t7 = (dvy[i] - dvy_S[i]) / k.dy_;
    HgContribute(dkeep_bar, i, w_sxy[i] *
        (dsxy[i] + (s4[i] * (k.dt * (0.25 * (dmu[i] + dmu[i + 1] + (dmu_N[i] + dmu_N[i + 1])))) +
        t1 * s5[i])) + (sxy[i] + t1 * s4[i]) * dw_sxy[i] +
        ((syy[i] + k.dt * (lambda[i] * exx + t3 * eyy)) * dw_syy[i] +
        w_syy[i] * (dsyy[i] + k.dt * (exx * dlambda[i] + lambda[i] * t5 + (eyy * t6 + t3 * t7)))) +
        ((sxx[i] + k.dt * (t3 * exx + lambda[i] * eyy)) * dw_sxx[i] +
        w_sxx[i] * (dsxx[i] + k.dt * (exx * t6 + t3 * t5 + (eyy * dlambda[i] + lambda[i] * t7)))));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_stress_dtogether0_bar_rows(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const ElasticStressSecondStage0 stage0[], int j, HgCotangent dsxx_bar, HgCotangent dlambda_bar,
    HgCotangent dmu_bar) {
  const double *w_sxx = y_bar[0][j], *dkeep = dx[7][j], *keep = x[7][j], *dw_sxx = dy_bar[0][j],
      *vx = x[3][j], *w_syy = y_bar[1][j], *dw_syy = dy_bar[1][j], *dvx = dx[3][j],
      *vy_S = x[4][j - 1], *vy = x[4][j], *dvy_S = dx[4][j - 1], *dvy = dx[4][j],
      *s0 = stage0[(j - box->j0 + 1) % 2].s0 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 2].s0 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = w_sxx[i] * dkeep[i] + keep[i] * dw_sxx[i];
    const double t1 = vx[i - 1] - vx[i];
    const double t2 = w_syy[i] * dkeep[i] + keep[i] * dw_syy[i];
    const double t3 = keep[i] * w_syy[i];
    const double t4 = dvx[i - 1] - dvx[i];
    const double t5 = vy_S[i] - vy[i];
    const double t6 = keep[i] * w_sxx[i];
    const double t7 = dvy_S[i] - dvy[i];
    const double t8 = k.c6 * (t5 * t2 + t3 * t7) + k.c4 * (t1 * t0 + t6 * t4);
    HgContribute(dlambda_bar, i, -(k.c4 * (t1 * t2 + t3 * t4) + k.c6 * (t5 * t0 + t6 * t7) + t8));
    HgContribute(dmu_bar, i, k.c7 * (s0[i] + s0[i - 1] + s0_S[i] + s0_S[i - 1]) - 2 * t8);
    HgContribute(dsxx_bar, i, t0);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_stress_dtogether1_bar_rows(const HgBox *box, ElasticStressWeights k,
    const ElasticStressSecondStage1 stage1[], const ElasticStressSecondStage2 stage2[], int j,
    HgCotangent dvx_bar, HgCotangent dvy_bar) {
  const double *s1_S = stage1[(j - box->j0) % 2].s1 + 1 - box->i0,
      *s1 = stage1[(j - box->j0 + 1) % 2].s1 + 1 - box->i0,
      *s2 = stage2[(j - box->j0) % 2].s2 - box->i0, *s3 = stage2[(j - box->j0) % 2].s3 - box->i0,
      *s3_N = stage2[(j - box->j0 + 1) % 2].s3 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dvx_bar, i, k.c3 * (s1_S[i] - s1[i]) + (s2[i] - s2[i + 1]));
    HgContribute(dvy_bar, i, k.c5 * (s1[i - 1] - s1[i]) + (s3[i] - s3_N[i]));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void elastic_stress_second(const HgBox *box, const void *params, const HgRows x[],
                           const HgRows dx[], const HgRows y_bar[],
                           const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const ElasticStressWeights k = elastic_stress_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    ElasticStressSecondStage0 stage0[2];
    ElasticStressSecondStage1 stage1[2];
    ElasticStressSecondStage2 stage2[2];
    for (int j = part.j0 - 1; (dx_bar[6] || dx_bar[7]) && j < part.j0; j++)
      elastic_stress_second_stage0(&part, k, x, dx, y_bar, dy_bar, j,
          &stage0[(j - part.j0 + 1) % 2]);
    for (int j = part.j0 - 1; (dx_bar[3] || dx_bar[4]) && j < part.j0; j++)
      elastic_stress_second_stage1(&part, x, dx, y_bar, dy_bar, j, &stage1[(j - part.j0 + 1) % 2]);
    for (int j = part.j0; (dx_bar[3] || dx_bar[4]) && j < part.j0 + 1; j++)
      elastic_stress_second_stage2(&part, k, x, dx, y_bar, dy_bar, j, &stage2[(j - part.j0) % 2]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[6] || dx_bar[7])
        elastic_stress_second_stage0(&part, k, x, dx, y_bar, dy_bar, j,
            &stage0[(j - part.j0 + 1) % 2]);
      if (dx_bar[3] || dx_bar[4])
        elastic_stress_second_stage1(&part, x, dx, y_bar, dy_bar, j,
            &stage1[(j - part.j0 + 1) % 2]);
      if (dx_bar[3] || dx_bar[4])
        elastic_stress_second_stage2(&part, k, x, dx, y_bar, dy_bar, j + 1,
            &stage2[(j - part.j0 + 1) % 2]);
      const HgCotangent dsxx_bar = HgCotangentRow(box, dx_bar, 0, j),
          dsyy_bar = HgCotangentRow(box, dx_bar, 1, j), dsxy_bar = HgCotangentRow(box, dx_bar, 2, j),
          dvx_bar = HgCotangentRow(box, dx_bar, 3, j), dvy_bar = HgCotangentRow(box, dx_bar, 4, j),
          dlambda_bar = HgCotangentRow(box, dx_bar, 5, j),
          dmu_bar = HgCotangentRow(box, dx_bar, 6, j), dkeep_bar = HgCotangentRow(box, dx_bar, 7, j);
      if (dsxx_bar.row && dlambda_bar.row && dmu_bar.row) {
        elastic_stress_dtogether0_bar_rows(&part, k, x, dx, y_bar, dy_bar, stage0, j, dsxx_bar,
            dlambda_bar, dmu_bar);
      } else {
        if (dsxx_bar.row) elastic_stress_dsxx_bar_row(&part, x, dx, y_bar, dy_bar, j, dsxx_bar);
        if (dlambda_bar.row) elastic_stress_dlambda_bar_row(&part, k, x, dx, y_bar, dy_bar, j,
            dlambda_bar);
        if (dmu_bar.row) elastic_stress_dmu_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0, j,
            dmu_bar);
      }
      if (dvx_bar.row && dvy_bar.row) {
        elastic_stress_dtogether1_bar_rows(&part, k, stage1, stage2, j, dvx_bar, dvy_bar);
      } else {
        if (dvx_bar.row) elastic_stress_dvx_bar_row(&part, k, stage1, stage2, j, dvx_bar);
        if (dvy_bar.row) elastic_stress_dvy_bar_row(&part, k, stage1, stage2, j, dvy_bar);
      }
      if (dsyy_bar.row) elastic_stress_dsyy_bar_row(&part, x, dx, y_bar, dy_bar, j, dsyy_bar);
      if (dsxy_bar.row) elastic_stress_dsxy_bar_row(&part, x, dx, y_bar, dy_bar, j, dsxy_bar);
      if (dkeep_bar.row) elastic_stress_dkeep_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0, j,
          dkeep_bar);
    }
  }
}

const HgStencil elastic_stress = {
    .name = "elastic_stress",
    .reads = (const HgRead[]){{"sxx", 0, 0}, {"syy", 0, 0}, {"sxy", 0, 0}, {"vx", 1, 1},
        {"vy", 1, 1}, {"lambda", 0, 1}, {"mu", 1, 1}, {"keep", 0, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"sxx", "syy", "sxy", NULL},
    .apply = elastic_stress_apply,
    .tangent = elastic_stress_tangent,
    .adjoint = elastic_stress_adjoint,
    .second = elastic_stress_second,
    .only_for = (const char *const[][2]){{"sxx", "keep"}, {"syy", "keep"}, {"sxy", "keep"},
        {"vx", "lambda"}, {"vx", "mu"}, {"vx", "keep"}, {"vy", "lambda"}, {"vy", "mu"},
        {"vy", "keep"}, {"lambda", "vx"}, {"lambda", "vy"}, {"lambda", "keep"}, {"mu", "vx"},
        {"mu", "vy"}, {"mu", "keep"}, {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"sxx", "kg/(m s^2)", HG_CENTRE}, {"syy", "kg/(m s^2)", HG_CENTRE},
        {"sxy", "kg/(m s^2)", HG_CORNER}, {"vx", "m/s", HG_X_FACE}, {"vy", "m/s", HG_Y_FACE},
        {"lambda", "kg/(m s^2)", HG_CENTRE}, {"mu", "kg/(m s^2)", HG_CENTRE},
        {"keep", "1", HG_ANYWHERE}, {NULL, NULL, 0}},
};
