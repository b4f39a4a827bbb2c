/* elastic.c -- written by hgstencil 1 from elastic.stencil: change that, not this.

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
      vx_next[i] = keep[i] * (vx[i] +
          k.c0 * ((sxx[i + 1] - sxx[i]) / k.dx_ + (sxy[i] - sxy_S[i]) / k.dy_));
      vy_next[i] = keep[i] * (vy[i] +
          k.c0 * ((sxy[i] - sxy[i - 1]) / k.dx_ + (syy_N[i] - syy[i]) / k.dy_ + k.c3 * force[i]));
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
      dvx_next[i] = (vx[i] + k.c0 * ((sxx[i + 1] - sxx[i]) / k.dx_ + (sxy[i] - sxy_S[i]) / k.dy_)) *
          dkeep[i] + keep[i] * (dvx[i] +
          k.c0 * ((dsxx[i + 1] - dsxx[i]) / k.dx_ + (dsxy[i] - dsxy_S[i]) / k.dy_));
      dvy_next[i] = (vy[i] + k.c0 * ((sxy[i] - sxy[i - 1]) / k.dx_ + (syy_N[i] - syy[i]) / k.dy_ +
          k.c3 * force[i])) * dkeep[i] +
          keep[i] * (dvy[i] + k.c0 * ((dsxy[i] - dsxy[i - 1]) / k.dx_ +
          (dsyy_N[i] - dsyy[i]) / k.dy_ + k.c3 * dforce[i]));
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
    HgContribute(vx_bar, i, t0);
    HgContribute(sxx_bar, i, k.c4 * (keep[i - 1] * w_vx[i - 1] - t0));
    const double t1 = keep[i] * w_vy[i];
    HgContribute(syy_bar, i, k.c5 * (keep_S[i] * w_vy_S[i] - t1));
    HgContribute(sxy_bar, i, k.c4 * (t1 - keep[i + 1] * w_vy[i + 1]) +
        k.c5 * (t0 - keep_N[i] * w_vx_N[i]));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_velocity_together1_bar_rows(const HgBox *box, ElasticVelocityWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent vy_bar, HgCotangent force_bar) {
  const double *keep = x[5][j], *w_vy = y_bar[1][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = keep[i] * w_vy[i];
    HgContribute(vy_bar, i, t0);
    HgContribute(force_bar, i, k.c6 * t0);
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

const HgStencil elastic_velocity = {
    .name = "elastic_velocity",
    .reads = (const HgRead[]){{"vx", 0, 0}, {"vy", 0, 0}, {"sxx", 1, 1}, {"syy", 1, 1},
        {"sxy", 1, 1}, {"keep", 0, 1}, {"force", 0, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"vx", "vy", NULL},
    .apply = elastic_velocity_apply,
    .tangent = elastic_velocity_tangent,
    .adjoint = elastic_velocity_adjoint,
    .only_for = (const char *const[][2]){{"vx", "keep"}, {"vy", "keep"}, {"sxx", "keep"},
        {"syy", "keep"}, {"sxy", "keep"}, {"force", "keep"}, {NULL, NULL}},
    .sets = true,
    .params_size = sizeof(ElasticVelocityParams),
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
    HgContribute(sxx_bar, i, t0);
    const double t1 = keep[i] * w_syy[i];
    const double t2 = vx[i - 1] - vx[i];
    const double t3 = vy_S[i] - vy[i];
    const double t4 = k.c6 * (t1 * t3) + k.c4 * (t0 * t2);
    HgContribute(lambda_bar, i, -(k.c4 * (t1 * t2) + k.c6 * (t0 * t3) + t4));
    HgContribute(mu_bar, i, k.c7 * (keep[i] * s0[i] * w_sxy[i] +
        keep[i - 1] * s0[i - 1] * w_sxy[i - 1] + keep_S[i] * s0_S[i] * w_sxy_S[i] +
        keep_S[i - 1] * s0_S[i - 1] * w_sxy_S[i - 1]) - 2 * t4);
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void elastic_stress_together1_bar_rows(const HgBox *box, ElasticStressWeights k,
    const HgRows x[], const HgRows y_bar[], const ElasticStressAdjointStage0 stage0[], int j,
    HgCotangent vx_bar, HgCotangent vy_bar, HgCotangent keep_bar) {
  const double *mu = x[6][j], *mu_N = x[6][j + 1], *keep = x[7][j], *w_sxy = y_bar[2][j],
      *lambda = x[5][j], *keep_S = x[7][j - 1], *mu_S = x[6][j - 1], *w_sxy_S = y_bar[2][j - 1],
      *w_syy = y_bar[1][j], *w_sxx = y_bar[0][j], *keep_N = x[7][j + 1], *lambda_N = x[5][j + 1],
      *w_syy_N = y_bar[1][j + 1], *w_sxx_N = y_bar[0][j + 1], *vx = x[3][j], *vy = x[4][j],
      *vy_S = x[4][j - 1], *sxy = x[2][j], *s0 = stage0[(j - box->j0 + 1) % 2].s0 + 1 - box->i0,
      *syy = x[1][j], *sxx = x[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = mu[i] + mu[i + 1];
    const double t1 = t0 + (mu_N[i] + mu_N[i + 1]);
    const double t2 = keep[i] * t1 * w_sxy[i];
    const double t3 = lambda[i] + 2 * mu[i];
    HgContribute(vx_bar, i, k.c3 * (keep_S[i] * (mu_S[i] + mu_S[i + 1] + t0) * w_sxy_S[i] - t2) +
        (k.c4 * (keep[i] * (lambda[i] * w_syy[i] + t3 * w_sxx[i])) -
        k.c4 * (keep[i + 1] * (lambda[i + 1] * w_syy[i + 1] +
        (lambda[i + 1] + 2 * mu[i + 1]) * w_sxx[i + 1]))));
    HgContribute(vy_bar, i, k.c5 * (keep[i - 1] * (mu[i - 1] + mu[i] + (mu_N[i - 1] + mu_N[i])) *
        w_sxy[i - 1] - t2) + (k.c6 * (keep[i] * (t3 * w_syy[i] + lambda[i] * w_sxx[i])) -
        k.c6 * (keep_N[i] * ((lambda_N[i] + 2 * mu_N[i]) * w_syy_N[i] +
        lambda_N[i] * w_sxx_N[i]))));
    const double mu_corner = 0.25 * t1;
    const double exx = (vx[i] - vx[i - 1]) / k.dx_;
    const double eyy = (vy[i] - vy_S[i]) / k.dy_;
    HgContribute(keep_bar, i, (sxy[i] + k.dt * mu_corner * s0[i]) * w_sxy[i] +
        w_syy[i] * (syy[i] + k.dt * (lambda[i] * exx + t3 * eyy)) +
        w_sxx[i] * (sxx[i] + k.dt * (t3 * exx + lambda[i] * eyy)));
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
      if (vx_bar.row && vy_bar.row && keep_bar.row) {
        elastic_stress_together1_bar_rows(&part, k, x, y_bar, stage0, j, vx_bar, vy_bar, keep_bar);
      } else {
        if (vx_bar.row) elastic_stress_vx_bar_row(&part, k, x, y_bar, j, vx_bar);
        if (vy_bar.row) elastic_stress_vy_bar_row(&part, k, x, y_bar, j, vy_bar);
        if (keep_bar.row) elastic_stress_keep_bar_row(&part, k, x, y_bar, stage0, j, keep_bar);
      }
      if (syy_bar.row) elastic_stress_syy_bar_row(&part, x, y_bar, j, syy_bar);
      if (sxy_bar.row) elastic_stress_sxy_bar_row(&part, x, y_bar, j, sxy_bar);
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
    .only_for = (const char *const[][2]){{"sxx", "keep"}, {"syy", "keep"}, {"sxy", "keep"},
        {"vx", "lambda"}, {"vx", "mu"}, {"vx", "keep"}, {"vy", "lambda"}, {"vy", "mu"},
        {"vy", "keep"}, {"lambda", "vx"}, {"lambda", "vy"}, {"lambda", "keep"}, {"mu", "vx"},
        {"mu", "vy"}, {"mu", "keep"}, {NULL, NULL}},
    .sets = true,
};
