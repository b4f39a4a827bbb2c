/* tsunami_nonlinear_generated.c -- written by hgstencil 7 from tsunami_nonlinear.stencil:
     change that, not this.

     u' = keep_u * (u + dt * (0.25 * (q * (G + G_E) + q_S * (G_S + G_SE)) - rx * (P_E - P)))
     v' = keep_v * (v - dt * (0.25 * (q * (F + F_N) + q_W * (F_W + F_NW)) + ry * (P_N - P)))
     eta' = keep * (eta - dt * (rx * (F - F_W) + ry * (G - G_S))) */
/* clang-format off */
#include <halograd/tsunami_nonlinear_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* Columns whose stages are kept at once, on the stack. */
enum { PART = 256 };

/* What is the same in all cells. */
typedef struct {
  double gravity, c1, dx_, dy_, dt, ry, c6, c7, dt_ry, gravity_dt, gravity_dt_ry, c11, c12;
} TsunamiMomentumWeights;

static inline TsunamiMomentumWeights tsunami_momentum_weights(const HgBox *box, const void *params) {
  const HgTsunamiParams *p = params;
  const double ry = 1 / box->dy;
  return (TsunamiMomentumWeights){.gravity = p->gravity, .c1 = 2 * p->rotation, .dx_ = box->dx,
      .dy_ = box->dy, .dt = box->dt, .ry = ry, .c6 = 0.25 * box->dt, .c7 = 0.125 * box->dt,
      .dt_ry = box->dt * ry, .gravity_dt = p->gravity * box->dt,
      .gravity_dt_ry = p->gravity * box->dt * ry, .c11 = 0.5 * box->dt * ry,
      .c12 = 0.25 * box->dt * ry};
}

typedef struct {
  double s1[PART + 1];
} TsunamiMomentumApplyStage0;

typedef struct {
  double s2[PART + 1], s3[PART + 1];
} TsunamiMomentumApplyStage1;

/* s1 = gravity * eta_N + 0.25 * (u_N * u_N + u_NW * u_NW + (v_N * v_N + v * v)) */
static HG_APART void tsunami_momentum_apply_stage0(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], int j, TsunamiMomentumApplyStage0 *to) {
  double *s1 = to->s1 - box->i0;
  const double *eta_N = x[3][j + 1], *u_N = x[4][j + 1], *v_N = x[5][j + 1], *v = x[5][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1 + 1; i++) {
    s1[i] = k.gravity * eta_N[i] + 0.25 *
        (u_N[i] * u_N[i] + u_N[i - 1] * u_N[i - 1] + (v_N[i] * v_N[i] + v[i] * v[i]));
  }
}

/* s2 = q * (F + 0.5 * (h_N + eta_N + (h_NE + eta_NE)) * u_N)
   s3 = q * (G + 0.5 * (h_E + eta_E + (h_NE + eta_NE)) * v_E) */
static HG_APART void tsunami_momentum_apply_stage1(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], int j, TsunamiMomentumApplyStage1 *to) {
  double *s2 = to->s2 + 1 - box->i0, *s3 = to->s3 + 1 - box->i0;
  const double *v = x[5][j], *u_N = x[4][j + 1], *u = x[4][j], *h = x[2][j], *eta = x[3][j],
      *h_N = x[2][j + 1], *eta_N = x[3][j + 1];
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double f = k.c1 * north_sine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx_north = 1 / (north_cosine * k.dx_);
  const double ry_north = 1 / (north_cosine * k.dy_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++) {
    const double vorticity = f + (rx_north * (v[i + 1] - v[i]) -
        ry_north * (cosine_N * u_N[i] - cosine * u[i]));
    const double H = h[i] + eta[i];
    const double t9 = h[i + 1] + eta[i + 1];
    const double t10 = H + t9;
    const double t11 = h_N[i] + eta_N[i];
    const double t12 = h_N[i + 1] + eta_N[i + 1];
    const double t13 = t11 + t12;
    const double q = vorticity / (0.25 * (t10 + t13));
    const double F = 0.5 * t10 * u[i];
    s2[i] = q * (F + 0.5 * t13 * u_N[i]);
    const double G = 0.5 * (H + t11) * v[i];
    s3[i] = q * (G + 0.5 * (t9 + t12) * v[i + 1]);
  }
}

/* f = 2 * rotation * north_sine
   rx_north = 1 / (north_cosine * dx)
   ry_north = 1 / (north_cosine * dy)
   vorticity = f + (rx_north * (v_E - v) - ry_north * (cosine_N * u_N - cosine * u))
   H = h + eta
   q = vorticity / (0.25 * (H + (h_E + eta_E) + (h_N + eta_N + (h_NE + eta_NE))))
   G = 0.5 * (H + (h_N + eta_N)) * v
   rx = 1 / (cosine * dx)
   P = gravity * eta + 0.25 * (u * u + u_W * u_W + (v * v + v_S * v_S))
   F = 0.5 * (H + (h_E + eta_E)) * u
   ry = 1 / dy
   u' = keep_u * (u + dt * (0.25 * (q * (G + G_E) + q_S * (G_S + G_SE)) - rx * (P_E - P)))
   v' = keep_v * (v - dt * (0.25 * (q * (F + F_N) + q_W * (F_W + F_NW)) + ry * (P_N - P))) */
static void tsunami_momentum_apply(const HgBox *box, const void *params, const HgRows x[],
                                   const HgRowsOut y[]) {
  const TsunamiMomentumWeights k = tsunami_momentum_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    TsunamiMomentumApplyStage0 stage0[2];
    TsunamiMomentumApplyStage1 stage1[2];
    for (int j = part.j0 - 1; j < part.j0; j++)
      tsunami_momentum_apply_stage0(&part, k, x, j, &stage0[(j - part.j0 + 1) % 2]);
    for (int j = part.j0 - 1; j < part.j0; j++)
      tsunami_momentum_apply_stage1(&part, k, x, j, &stage1[(j - part.j0 + 1) % 2]);
    for (int j = part.j0; j < part.j1; j++) {
      tsunami_momentum_apply_stage0(&part, k, x, j, &stage0[(j - part.j0 + 1) % 2]);
      tsunami_momentum_apply_stage1(&part, k, x, j, &stage1[(j - part.j0 + 1) % 2]);
      double *u_next = y[0][j], *v_next = y[1][j];
      const double *keep_u = x[0][j], *u = x[4][j],
          *s3 = stage1[(j - part.j0 + 1) % 2].s3 + 1 - part.i0,
          *s3_S = stage1[(j - part.j0) % 2].s3 + 1 - part.i0,
          *s1_S = stage0[(j - part.j0) % 2].s1 - part.i0, *keep_v = x[1][j], *v = x[5][j],
          *s2 = stage1[(j - part.j0 + 1) % 2].s2 + 1 - part.i0,
          *s1 = stage0[(j - part.j0 + 1) % 2].s1 - part.i0;
      const double cosine = HgLatitudeOfRow(box, j).cosine;
      const double rx = 1 / (cosine * k.dx_);
      HG_VECTOR
      for (int i = part.i0; i < part.i1; i++) {
        const double t2 = keep_u[i] * (u[i] +
            k.dt * (0.25 * (s3[i] + s3_S[i]) - rx * (s1_S[i + 1] - s1_S[i])));
        const double t3 = keep_v[i] * (v[i] -
            k.dt * (0.25 * (s2[i] + s2[i - 1]) + k.ry * (s1[i] - s1_S[i])));
        u_next[i] = t2;
        v_next[i] = t3;
      }
    }
  }
}

typedef struct {
  double s0[PART + 1], s1[PART + 1], s5[PART + 1], s6[PART + 1];
} TsunamiMomentumTangentStage0;

typedef struct {
  double s2[PART + 1], s3[PART + 1];
} TsunamiMomentumTangentStage1;

typedef struct {
  double s4[PART + 1], s7[PART + 1];
} TsunamiMomentumTangentStage2;

/* s0 = gravity * deta_N + 0.25 * (u_N * du_N + u_N * du_N + (u_NW * du_NW + u_NW * du_NW) +
     (v_N * dv_N + v_N * dv_N + (v * dv + v * dv)))
   s1 = gravity * eta_N + 0.25 * (u_N * u_N + u_NW * u_NW + (v_N * v_N + v * v))
   s5 = v * (0.5 * (dh + deta + (dh_N + deta_N))) + 0.5 * (H + (h_N + eta_N)) * dv
   s6 = G */
static HG_APART void tsunami_momentum_tangent_stage0(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], int j, TsunamiMomentumTangentStage0 *to) {
  double *s0 = to->s0 - box->i0, *s1 = to->s1 - box->i0, *s5 = to->s5 - box->i0,
      *s6 = to->s6 - box->i0;
  const double *u_N = x[4][j + 1], *du_N = dx[4][j + 1], *v_N = x[5][j + 1], *dv_N = dx[5][j + 1],
      *v = x[5][j], *dv = dx[5][j], *deta_N = dx[3][j + 1], *eta_N = x[3][j + 1], *h = x[2][j],
      *eta = x[3][j], *h_N = x[2][j + 1], *dh = dx[2][j], *deta = dx[3][j], *dh_N = dx[2][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1 + 1; i++) {
    const double t0 = u_N[i] * du_N[i];
    const double t1 = u_N[i - 1] * du_N[i - 1];
    const double t2 = v_N[i] * dv_N[i];
    const double t3 = v[i] * dv[i];
    s0[i] = k.gravity * deta_N[i] + 0.25 * (t0 + t0 + (t1 + t1) + (t2 + t2 + (t3 + t3)));
    s1[i] = k.gravity * eta_N[i] + 0.25 *
        (u_N[i] * u_N[i] + u_N[i - 1] * u_N[i - 1] + (v_N[i] * v_N[i] + v[i] * v[i]));
    const double H = h[i] + eta[i];
    const double t5 = 0.5 * (H + (h_N[i] + eta_N[i]));
    s5[i] = v[i] * (0.5 * (dh[i] + deta[i] + (dh_N[i] + deta_N[i]))) + t5 * dv[i];
    const double G = t5 * v[i];
    s6[i] = G;
  }
}

/* s2 = q
   s3 = (rx_north * (dv_E - dv) - ry_north * (cosine_N * du_N - cosine * du) - q * (0.25 * (dh +
     deta + (dh_E + deta_E) + (dh_N + deta_N + (dh_NE + deta_NE))))) / (0.25 * (H + (h_E +
     eta_E) + (h_N + eta_N + (h_NE + eta_NE)))) */
static HG_APART void tsunami_momentum_tangent_stage1(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], int j, TsunamiMomentumTangentStage1 *to) {
  double *s2 = to->s2 + 1 - box->i0, *s3 = to->s3 + 1 - box->i0;
  const double *v = x[5][j], *u_N = x[4][j + 1], *u = x[4][j], *h = x[2][j], *eta = x[3][j],
      *h_N = x[2][j + 1], *eta_N = x[3][j + 1], *dv = dx[5][j], *du_N = dx[4][j + 1],
      *du = dx[4][j], *dh = dx[2][j], *deta = dx[3][j], *dh_N = dx[2][j + 1],
      *deta_N = dx[3][j + 1];
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double f = k.c1 * north_sine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx_north = 1 / (north_cosine * k.dx_);
  const double ry_north = 1 / (north_cosine * k.dy_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++) {
    const double vorticity = f + (rx_north * (v[i + 1] - v[i]) -
        ry_north * (cosine_N * u_N[i] - cosine * u[i]));
    const double H = h[i] + eta[i];
    const double t9 = 0.25 * (H + (h[i + 1] + eta[i + 1]) +
        (h_N[i] + eta_N[i] + (h_N[i + 1] + eta_N[i + 1])));
    const double q = vorticity / t9;
    s3[i] = (rx_north * (dv[i + 1] - dv[i]) - ry_north * (cosine_N * du_N[i] - cosine * du[i]) -
        q * (0.25 * (dh[i] + deta[i] + (dh[i + 1] + deta[i + 1]) +
        (dh_N[i] + deta_N[i] + (dh_N[i + 1] + deta_N[i + 1]))))) / t9;
    s2[i] = q;
  }
}

/* s4 = u * (0.5 * (dh + deta + (dh_E + deta_E))) + 0.5 * (H + (h_E + eta_E)) * du
   s7 = F */
static HG_APART void tsunami_momentum_tangent_stage2(const HgBox *box, const HgRows x[],
    const HgRows dx[], int j, TsunamiMomentumTangentStage2 *to) {
  double *s4 = to->s4 + 1 - box->i0, *s7 = to->s7 + 1 - box->i0;
  const double *h = x[2][j], *eta = x[3][j], *u = x[4][j], *dh = dx[2][j], *deta = dx[3][j],
      *du = dx[4][j];
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    const double t1 = 0.5 * (H + (h[i + 1] + eta[i + 1]));
    s4[i] = u[i] * (0.5 * (dh[i] + deta[i] + (dh[i + 1] + deta[i + 1]))) + t1 * du[i];
    const double F = t1 * u[i];
    s7[i] = F;
  }
}

/* du' = as in the loop below
   dv' = as in the loop below */
static void tsunami_momentum_tangent(const HgBox *box, const void *params, const HgRows x[],
                                     const HgRows dx[], const HgRowsOut dy[]) {
  const TsunamiMomentumWeights k = tsunami_momentum_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    TsunamiMomentumTangentStage0 stage0[2];
    TsunamiMomentumTangentStage1 stage1[2];
    TsunamiMomentumTangentStage2 stage2[2];
    for (int j = part.j0 - 1; j < part.j0; j++)
      tsunami_momentum_tangent_stage0(&part, k, x, dx, j, &stage0[(j - part.j0 + 1) % 2]);
    for (int j = part.j0 - 1; j < part.j0; j++)
      tsunami_momentum_tangent_stage1(&part, k, x, dx, j, &stage1[(j - part.j0 + 1) % 2]);
    for (int j = part.j0; j < part.j0 + 1; j++)
      tsunami_momentum_tangent_stage2(&part, x, dx, j, &stage2[(j - part.j0) % 2]);
    for (int j = part.j0; j < part.j1; j++) {
      tsunami_momentum_tangent_stage0(&part, k, x, dx, j, &stage0[(j - part.j0 + 1) % 2]);
      tsunami_momentum_tangent_stage1(&part, k, x, dx, j, &stage1[(j - part.j0 + 1) % 2]);
      tsunami_momentum_tangent_stage2(&part, x, dx, j + 1, &stage2[(j - part.j0 + 1) % 2]);
      double *du_next = dy[0][j], *dv_next = dy[1][j];
      const double *s6 = stage0[(j - part.j0 + 1) % 2].s6 - part.i0,
          *s6_S = stage0[(j - part.j0) % 2].s6 - part.i0, *u = x[4][j],
          *s2 = stage1[(j - part.j0 + 1) % 2].s2 + 1 - part.i0,
          *s2_S = stage1[(j - part.j0) % 2].s2 + 1 - part.i0,
          *s1_S = stage0[(j - part.j0) % 2].s1 - part.i0, *dkeep_u = dx[0][j], *keep_u = x[0][j],
          *du = dx[4][j], *s3 = stage1[(j - part.j0 + 1) % 2].s3 + 1 - part.i0,
          *s5 = stage0[(j - part.j0 + 1) % 2].s5 - part.i0,
          *s3_S = stage1[(j - part.j0) % 2].s3 + 1 - part.i0,
          *s5_S = stage0[(j - part.j0) % 2].s5 - part.i0,
          *s0_S = stage0[(j - part.j0) % 2].s0 - part.i0,
          *s7 = stage2[(j - part.j0) % 2].s7 + 1 - part.i0,
          *s7_N = stage2[(j - part.j0 + 1) % 2].s7 + 1 - part.i0, *v = x[5][j],
          *s1 = stage0[(j - part.j0 + 1) % 2].s1 - part.i0, *dkeep_v = dx[1][j], *keep_v = x[1][j],
          *dv = dx[5][j], *s4 = stage2[(j - part.j0) % 2].s4 + 1 - part.i0,
          *s4_N = stage2[(j - part.j0 + 1) % 2].s4 + 1 - part.i0,
          *s0 = stage0[(j - part.j0 + 1) % 2].s0 - part.i0;
      const double cosine = HgLatitudeOfRow(box, j).cosine;
      const double rx = 1 / (cosine * k.dx_);
      HG_VECTOR
      for (int i = part.i0; i < part.i1; i++) {
        const double t0 = s6[i] + s6[i + 1];
        const double t1 = s6_S[i] + s6_S[i + 1];
        du_next[i] = (u[i] + k.dt * (0.25 * (s2[i] * t0 + s2_S[i] * t1) -
            rx * (s1_S[i + 1] - s1_S[i]))) * dkeep_u[i] +
            keep_u[i] * (du[i] + k.dt * (0.25 *
            (t0 * s3[i] + s2[i] * (s5[i] + s5[i + 1]) +
            (t1 * s3_S[i] + s2_S[i] * (s5_S[i] + s5_S[i + 1]))) - rx * (s0_S[i + 1] - s0_S[i])));
        const double t4 = s7[i] + s7_N[i];
        const double t5 = s7[i - 1] + s7_N[i - 1];
        dv_next[i] = (v[i] - k.dt * (0.25 * (s2[i] * t4 + s2[i - 1] * t5) +
            k.ry * (s1[i] - s1_S[i]))) * dkeep_v[i] +
            keep_v[i] * (dv[i] - k.dt * (0.25 *
            (t4 * s3[i] + s2[i] * (s4[i] + s4_N[i]) +
            (t5 * s3[i - 1] + s2[i - 1] * (s4[i - 1] + s4_N[i - 1]))) + k.ry * (s0[i] - s0_S[i])));
      }
    }
  }
}

typedef struct {
  double s1[PART + 1];
} TsunamiMomentumAdjointStage0;

typedef struct {
  double s3[PART + 1], s4[PART + 1], s6[PART + 1], s7[PART + 1], s8[PART + 1], s9[PART + 1],
      s10[PART + 1], s11[PART + 1], s12[PART + 1];
} TsunamiMomentumAdjointStage1;

/* s1 = gravity * eta_N + 0.25 * (u_N * u_N + u_NW * u_NW + (v_N * v_N + v * v)) */
static HG_APART void tsunami_momentum_adjoint_stage0(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], int j, TsunamiMomentumAdjointStage0 *to) {
  double *s1 = to->s1 - box->i0;
  const double *eta_N = x[3][j + 1], *u_N = x[4][j + 1], *v_N = x[5][j + 1], *v = x[5][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1 + 1; i++) {
    s1[i] = k.gravity * eta_N[i] + 0.25 *
        (u_N[i] * u_N[i] + u_N[i - 1] * u_N[i - 1] + (v_N[i] * v_N[i] + v[i] * v[i]));
  }
}

/* s3 = H + (h_E + eta_E)
   s4 = q
   s6 = F + 0.5 * (h_N + eta_N + (h_NE + eta_NE)) * u_N
   s7 = 0.25 * dt * (keep_u * (G + 0.5 * (h_E + eta_E + (h_NE + eta_NE)) * v_E) * w_u - keep_v *
     (F + 0.5 * (h_N + eta_N + (h_NE + eta_NE)) * u_N) * w_v) * (1 / (0.25 * (H + (h_E + eta_E)
     + (h_N + eta_N + (h_NE + eta_NE)))))
   s8 = keep_u_N * (G + 0.5 * (h_E + eta_E + (h_NE + eta_NE)) * v_E) * w_u_N * (1 / (0.25 * (H +
     (h_E + eta_E) + (h_N + eta_N + (h_NE + eta_NE)))))
   s9 = keep_v_E * (F + 0.5 * (h_N + eta_N + (h_NE + eta_NE)) * u_N) * w_v_E * (1 / (0.25 * (H +
     (h_E + eta_E) + (h_N + eta_N + (h_NE + eta_NE)))))
   s10 = dt * (0.0625 * (vorticity * (1 / (0.25 * (H + (h_E + eta_E) + (h_N + eta_N + (h_NE +
     eta_NE))))) * (keep_v_E * (F + 0.5 * (h_N + eta_N + (h_NE + eta_NE)) * u_N) * w_v_E * (1 /
     (0.25 * (H + (h_E + eta_E) + (h_N + eta_N + (h_NE + eta_NE))))))) - 0.125 * (keep_v_E * u *
     q * w_v_E))
   s11 = vorticity * (1 / (0.25 * (H + (h_E + eta_E) + (h_N + eta_N + (h_NE + eta_NE)))))
   s12 = q * (G + 0.5 * (h_E + eta_E + (h_NE + eta_NE)) * v_E) */
static HG_APART void tsunami_momentum_adjoint_stage1(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows y_bar[], int j, TsunamiMomentumAdjointStage1 *to) {
  double *s3 = to->s3 + 1 - box->i0, *s4 = to->s4 + 1 - box->i0, *s6 = to->s6 + 1 - box->i0,
      *s7 = to->s7 + 1 - box->i0, *s8 = to->s8 + 1 - box->i0, *s9 = to->s9 + 1 - box->i0,
      *s10 = to->s10 + 1 - box->i0, *s11 = to->s11 + 1 - box->i0, *s12 = to->s12 + 1 - box->i0;
  const double *h = x[2][j], *eta = x[3][j], *v = x[5][j], *u_N = x[4][j + 1], *u = x[4][j],
      *h_N = x[2][j + 1], *eta_N = x[3][j + 1], *keep_u = x[0][j], *w_u = y_bar[0][j],
      *keep_v = x[1][j], *w_v = y_bar[1][j], *keep_u_N = x[0][j + 1], *w_u_N = y_bar[0][j + 1];
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double f = k.c1 * north_sine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx_north = 1 / (north_cosine * k.dx_);
  const double ry_north = 1 / (north_cosine * k.dy_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    const double t1 = h[i + 1] + eta[i + 1];
    const double t2 = H + t1;
    const double vorticity = f + (rx_north * (v[i + 1] - v[i]) -
        ry_north * (cosine_N * u_N[i] - cosine * u[i]));
    const double t11 = h_N[i] + eta_N[i];
    const double t12 = h_N[i + 1] + eta_N[i + 1];
    const double t13 = t11 + t12;
    const double t14 = 0.25 * (t2 + t13);
    const double q = vorticity / t14;
    const double F = 0.5 * t2 * u[i];
    const double t17 = F + 0.5 * t13 * u_N[i];
    const double G = 0.5 * (H + t11) * v[i];
    const double t19 = G + 0.5 * (t1 + t12) * v[i + 1];
    const double t20 = 1 / t14;
    s7[i] = k.c6 * (keep_u[i] * t19 * w_u[i] - keep_v[i] * t17 * w_v[i]) * t20;
    s8[i] = keep_u_N[i] * t19 * w_u_N[i] * t20;
    const double t21 = keep_v[i + 1] * t17 * w_v[i + 1] * t20;
    const double t22 = vorticity * t20;
    s10[i] = k.dt * (0.0625 * (t22 * t21) - 0.125 * (keep_v[i + 1] * u[i] * q * w_v[i + 1]));
    s12[i] = q * t19;
    s3[i] = t2;
    s4[i] = q;
    s6[i] = t17;
    s9[i] = t21;
    s11[i] = t22;
  }
}

/* keep_u_bar += w_u * (u + dt * (0.25 * (s12 + s12_S) - rx * (s1_SE - s1_S))) */
static inline void tsunami_momentum_keep_u_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows y_bar[], const TsunamiMomentumAdjointStage0 stage0[],
    const TsunamiMomentumAdjointStage1 stage1[], int j, HgCotangent keep_u_bar) {
  const double *w_u = y_bar[0][j], *u = x[4][j],
      *s12 = stage1[(j - box->j0 + 1) % 2].s12 + 1 - box->i0,
      *s12_S = stage1[(j - box->j0) % 2].s12 + 1 - box->i0,
      *s1_S = stage0[(j - box->j0) % 2].s1 - box->i0;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(keep_u_bar, i, w_u[i] *
        (u[i] + k.dt * (0.25 * (s12[i] + s12_S[i]) - rx * (s1_S[i + 1] - s1_S[i]))));
  }
}

/* keep_v_bar += w_v * (v - dt * (0.25 * (s4 * s6 + s4_W * s6_W) + ry * (s1 - s1_S))) */
static inline void tsunami_momentum_keep_v_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows y_bar[], const TsunamiMomentumAdjointStage0 stage0[],
    const TsunamiMomentumAdjointStage1 stage1[], int j, HgCotangent keep_v_bar) {
  const double *w_v = y_bar[1][j], *v = x[5][j],
      *s4 = stage1[(j - box->j0 + 1) % 2].s4 + 1 - box->i0,
      *s6 = stage1[(j - box->j0 + 1) % 2].s6 + 1 - box->i0,
      *s1 = stage0[(j - box->j0 + 1) % 2].s1 - box->i0,
      *s1_S = stage0[(j - box->j0) % 2].s1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(keep_v_bar, i, w_v[i] *
        (v[i] - k.dt * (0.25 * (s4[i] * s6[i] + s4[i - 1] * s6[i - 1]) +
        k.ry * (s1[i] - s1_S[i]))));
  }
}

/* h_bar += as in the loop below */
static inline void tsunami_momentum_h_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows y_bar[], const TsunamiMomentumAdjointStage1 stage1[], int j,
    HgCotangent h_bar) {
  const double *s10 = stage1[(j - box->j0 + 1) % 2].s10 + 1 - box->i0, *keep_v = x[1][j],
      *u = x[4][j], *s4 = stage1[(j - box->j0 + 1) % 2].s4 + 1 - box->i0, *w_v = y_bar[1][j],
      *s11_S = stage1[(j - box->j0) % 2].s11 + 1 - box->i0,
      *s8_S = stage1[(j - box->j0) % 2].s8 + 1 - box->i0,
      *s11 = stage1[(j - box->j0 + 1) % 2].s11 + 1 - box->i0,
      *s7 = stage1[(j - box->j0 + 1) % 2].s7 + 1 - box->i0, *keep_u = x[0][j], *w_u = y_bar[0][j],
      *v_S = x[5][j - 1], *s4_S = stage1[(j - box->j0) % 2].s4 + 1 - box->i0, *v = x[5][j],
      *s9_S = stage1[(j - box->j0) % 2].s9 + 1 - box->i0, *keep_v_S = x[1][j - 1],
      *w_v_S = y_bar[1][j - 1], *s7_S = stage1[(j - box->j0) % 2].s7 + 1 - box->i0,
      *keep_u_S = x[0][j - 1], *w_u_S = y_bar[0][j - 1], *keep_u_N = x[0][j + 1],
      *w_u_N = y_bar[0][j + 1], *s8 = stage1[(j - box->j0 + 1) % 2].s8 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(h_bar, i, s10[i - 1] -
        (k.dt * (0.125 * (keep_v[i] * u[i] * s4[i] * w_v[i]) + 0.0625 * (s11_S[i] * s8_S[i])) +
        0.25 * (s11[i] * s7[i])) + k.c7 *
        (keep_u[i] * (w_u[i] * (v_S[i] * s4_S[i] + v[i] * s4[i]))) +
        (k.c7 * (keep_u[i - 1] * (w_u[i - 1] * (v_S[i] * s4_S[i - 1] + v[i] * s4[i - 1]))) -
        (k.dt * (0.125 * (keep_v[i - 1] * u[i - 1] * s4[i - 1] * w_v[i - 1]) +
        0.0625 * (s11_S[i - 1] * s8_S[i - 1])) + 0.25 * (s11[i - 1] * s7[i - 1]))) +
        (k.dt * (0.0625 * (s11_S[i - 1] * s9_S[i - 1]) -
        0.125 * (keep_v_S[i] * u[i - 1] * s4_S[i - 1] * w_v_S[i])) -
        (k.c7 * (keep_v_S[i] * u[i] * s4_S[i] * w_v_S[i]) + 0.25 * (s11_S[i] * s7_S[i])) +
        k.c7 * (keep_u_S[i] * v_S[i] * s4_S[i] * w_u_S[i])) +
        (k.c7 * (keep_u_S[i - 1] * v_S[i] * s4_S[i - 1] * w_u_S[i - 1]) -
        (k.c7 * (keep_v_S[i - 1] * u[i - 1] * s4_S[i - 1] * w_v_S[i - 1]) +
        0.25 * (s11_S[i - 1] * s7_S[i - 1]))) +
        k.dt * (0.125 * (keep_u_N[i] * v[i] * s4[i] * w_u_N[i]) - 0.0625 * (s11[i] * s8[i])) +
        k.dt * (0.125 * (keep_u_N[i - 1] * v[i] * s4[i - 1] * w_u_N[i - 1]) -
        0.0625 * (s11[i - 1] * s8[i - 1])) + s10[i] +
        k.dt * (0.0625 * (s11_S[i] * s9_S[i]) -
        0.125 * (keep_v_S[i + 1] * u[i] * s4_S[i] * w_v_S[i + 1])));
  }
}

/* eta_bar += as in the loop below */
static inline void tsunami_momentum_eta_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows y_bar[], const TsunamiMomentumAdjointStage1 stage1[], int j,
    HgCotangent eta_bar) {
  const double *keep_v = x[1][j], *w_v = y_bar[1][j], *keep_u = x[0][j], *w_u = y_bar[0][j],
      *s10 = stage1[(j - box->j0 + 1) % 2].s10 + 1 - box->i0, *u = x[4][j],
      *s4 = stage1[(j - box->j0 + 1) % 2].s4 + 1 - box->i0,
      *s11_S = stage1[(j - box->j0) % 2].s11 + 1 - box->i0,
      *s8_S = stage1[(j - box->j0) % 2].s8 + 1 - box->i0,
      *s11 = stage1[(j - box->j0 + 1) % 2].s11 + 1 - box->i0,
      *s7 = stage1[(j - box->j0 + 1) % 2].s7 + 1 - box->i0, *v_S = x[5][j - 1],
      *s4_S = stage1[(j - box->j0) % 2].s4 + 1 - box->i0, *v = x[5][j],
      *s9_S = stage1[(j - box->j0) % 2].s9 + 1 - box->i0, *keep_v_S = x[1][j - 1],
      *w_v_S = y_bar[1][j - 1], *s7_S = stage1[(j - box->j0) % 2].s7 + 1 - box->i0,
      *keep_u_S = x[0][j - 1], *w_u_S = y_bar[0][j - 1], *keep_u_N = x[0][j + 1],
      *w_u_N = y_bar[0][j + 1], *s8 = stage1[(j - box->j0 + 1) % 2].s8 + 1 - box->i0;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(eta_bar, i, k.gravity *
        (k.dt_ry * (keep_v[i] * w_v[i]) + k.dt * (keep_u[i] * rx * w_u[i])) +
        (s10[i - 1] - (k.dt * (0.125 * (keep_v[i] * u[i] * s4[i] * w_v[i]) +
        0.0625 * (s11_S[i] * s8_S[i])) + 0.25 * (s11[i] * s7[i])) +
        k.c7 * (keep_u[i] * (w_u[i] * (v_S[i] * s4_S[i] + v[i] * s4[i]))) +
        (k.c7 * (keep_u[i - 1] * (w_u[i - 1] * (v_S[i] * s4_S[i - 1] + v[i] * s4[i - 1]))) -
        (k.dt * (0.125 * (keep_v[i - 1] * u[i - 1] * s4[i - 1] * w_v[i - 1]) +
        0.0625 * (s11_S[i - 1] * s8_S[i - 1])) + 0.25 * (s11[i - 1] * s7[i - 1]))) +
        (k.dt * (0.0625 * (s11_S[i - 1] * s9_S[i - 1]) -
        0.125 * (keep_v_S[i] * u[i - 1] * s4_S[i - 1] * w_v_S[i])) -
        (k.c7 * (keep_v_S[i] * u[i] * s4_S[i] * w_v_S[i]) + 0.25 * (s11_S[i] * s7_S[i])) +
        k.c7 * (keep_u_S[i] * v_S[i] * s4_S[i] * w_u_S[i])) +
        (k.c7 * (keep_u_S[i - 1] * v_S[i] * s4_S[i - 1] * w_u_S[i - 1]) -
        (k.c7 * (keep_v_S[i - 1] * u[i - 1] * s4_S[i - 1] * w_v_S[i - 1]) +
        0.25 * (s11_S[i - 1] * s7_S[i - 1]))) +
        k.dt * (0.125 * (keep_u_N[i] * v[i] * s4[i] * w_u_N[i]) - 0.0625 * (s11[i] * s8[i])) +
        k.dt * (0.125 * (keep_u_N[i - 1] * v[i] * s4[i - 1] * w_u_N[i - 1]) -
        0.0625 * (s11[i - 1] * s8[i - 1])) + s10[i] +
        k.dt * (0.0625 * (s11_S[i] * s9_S[i]) -
        0.125 * (keep_v_S[i + 1] * u[i] * s4_S[i] * w_v_S[i + 1]))) -
        k.gravity_dt * (keep_u[i - 1] * rx * w_u[i - 1]) -
        k.gravity_dt_ry * (keep_v_S[i] * w_v_S[i]));
  }
}

/* u_bar += as in the loop below */
static inline void tsunami_momentum_u_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows y_bar[], const TsunamiMomentumAdjointStage1 stage1[], int j,
    HgCotangent u_bar) {
  const double *keep_v = x[1][j], *w_v = y_bar[1][j], *keep_v_S = x[1][j - 1],
      *w_v_S = y_bar[1][j - 1], *keep_u = x[0][j], *w_u = y_bar[0][j],
      *s8 = stage1[(j - box->j0 + 1) % 2].s8 + 1 - box->i0,
      *s9 = stage1[(j - box->j0 + 1) % 2].s9 + 1 - box->i0,
      *s9_S = stage1[(j - box->j0) % 2].s9 + 1 - box->i0,
      *s3 = stage1[(j - box->j0 + 1) % 2].s3 + 1 - box->i0,
      *s4 = stage1[(j - box->j0 + 1) % 2].s4 + 1 - box->i0,
      *s4_S = stage1[(j - box->j0) % 2].s4 + 1 - box->i0, *u = x[4][j],
      *s7 = stage1[(j - box->j0 + 1) % 2].s7 + 1 - box->i0,
      *s8_S = stage1[(j - box->j0) % 2].s8 + 1 - box->i0,
      *s7_S = stage1[(j - box->j0) % 2].s7 + 1 - box->i0;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double ry_north = 1 / (north_cosine * k.dy_);
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  const double ry_north_S = 1 / (north_cosine_S * k.dy_);
  const double rx = 1 / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t5 = keep_v[i] * w_v[i];
    const double t6 = keep_v[i + 1] * w_v[i + 1];
    const double t7 = keep_v_S[i] * w_v_S[i] + keep_v_S[i + 1] * w_v_S[i + 1];
    const double t9 = keep_u[i] * rx * w_u[i];
    HgContribute(u_bar, i, k.dt * (cosine *
        (ry_north * (0.25 * (s8[i] - s9[i])) + 0.25 * (ry_north_S * s9_S[i])) -
        s3[i] * (s4[i] * (0.125 * (t5 + t6)) + s4_S[i] * (0.125 * t7)) -
        0.5 * (keep_u[i - 1] * u[i] * rx * w_u[i - 1])) +
        (keep_u[i] * w_u[i] + u[i] * (2 * (0.25 * (k.dt_ry * t5 + k.dt * t9) - k.c6 * t9) +
        0.5 * (k.dt_ry * t6 + k.dt * (keep_u[i + 1] * rx * w_u[i + 1]))) +
        cosine * (ry_north * s7[i] - k.c6 * (ry_north_S * s8_S[i]) - ry_north_S * s7_S[i])) -
        k.c11 * (u[i] * t7));
  }
}

/* v_bar += as in the loop below */
static inline void tsunami_momentum_v_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows y_bar[], const TsunamiMomentumAdjointStage1 stage1[], int j,
    HgCotangent v_bar) {
  const double *h = x[2][j], *eta = x[3][j], *keep_v = x[1][j], *w_v = y_bar[1][j],
      *h_N = x[2][j + 1], *eta_N = x[3][j + 1],
      *s4 = stage1[(j - box->j0 + 1) % 2].s4 + 1 - box->i0, *keep_u = x[0][j], *w_u = y_bar[0][j],
      *keep_u_N = x[0][j + 1], *w_u_N = y_bar[0][j + 1],
      *s8 = stage1[(j - box->j0 + 1) % 2].s8 + 1 - box->i0,
      *s9 = stage1[(j - box->j0 + 1) % 2].s9 + 1 - box->i0, *v = x[5][j],
      *s7 = stage1[(j - box->j0 + 1) % 2].s7 + 1 - box->i0, *keep_v_N = x[1][j + 1],
      *w_v_N = y_bar[1][j + 1], *keep_v_S = x[1][j - 1], *w_v_S = y_bar[1][j - 1];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx_north = 1 / (north_cosine * k.dx_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double rx_N = 1 / (cosine_N * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    const double t7 = keep_v[i] * w_v[i];
    HgContribute(v_bar, i, k.dt * ((H + (h_N[i] + eta_N[i])) *
        (s4[i - 1] * (0.125 * (keep_u[i - 1] * w_u[i - 1] + keep_u_N[i - 1] * w_u_N[i - 1])) +
        s4[i] * (0.125 * (keep_u[i] * w_u[i] + keep_u_N[i] * w_u_N[i]))) +
        rx_north * (0.25 * (s8[i - 1] + s9[i] - s9[i - 1] - s8[i])) -
        v[i] * (0.5 * (keep_u[i - 1] * rx * w_u[i - 1] + keep_u_N[i - 1] * rx_N * w_u_N[i - 1]))) +
        (rx_north * (s7[i - 1] - s7[i]) + t7 +
        v[i] * (2 * (0.25 * (k.dt_ry * t7 + k.dt * (keep_u[i] * rx * w_u[i])) - k.c12 * t7) +
        0.5 * (k.dt_ry * (keep_v_N[i] * w_v_N[i]) + k.dt * (keep_u_N[i] * rx_N * w_u_N[i])))) -
        k.c11 * (keep_v_S[i] * v[i] * w_v_S[i]));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void tsunami_momentum_together0_bar_rows(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows y_bar[], const TsunamiMomentumAdjointStage1 stage1[], int j,
    HgCotangent h_bar, HgCotangent eta_bar) {
  const double *s10 = stage1[(j - box->j0 + 1) % 2].s10 + 1 - box->i0, *keep_v = x[1][j],
      *u = x[4][j], *s4 = stage1[(j - box->j0 + 1) % 2].s4 + 1 - box->i0, *w_v = y_bar[1][j],
      *s11_S = stage1[(j - box->j0) % 2].s11 + 1 - box->i0,
      *s8_S = stage1[(j - box->j0) % 2].s8 + 1 - box->i0,
      *s11 = stage1[(j - box->j0 + 1) % 2].s11 + 1 - box->i0,
      *s7 = stage1[(j - box->j0 + 1) % 2].s7 + 1 - box->i0, *keep_u = x[0][j], *w_u = y_bar[0][j],
      *v_S = x[5][j - 1], *s4_S = stage1[(j - box->j0) % 2].s4 + 1 - box->i0, *v = x[5][j],
      *s9_S = stage1[(j - box->j0) % 2].s9 + 1 - box->i0, *keep_v_S = x[1][j - 1],
      *w_v_S = y_bar[1][j - 1], *s7_S = stage1[(j - box->j0) % 2].s7 + 1 - box->i0,
      *keep_u_S = x[0][j - 1], *w_u_S = y_bar[0][j - 1], *keep_u_N = x[0][j + 1],
      *w_u_N = y_bar[0][j + 1], *s8 = stage1[(j - box->j0 + 1) % 2].s8 + 1 - box->i0;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = s10[i - 1] - (k.dt *
        (0.125 * (keep_v[i] * u[i] * s4[i] * w_v[i]) + 0.0625 * (s11_S[i] * s8_S[i])) +
        0.25 * (s11[i] * s7[i])) + k.c7 *
        (keep_u[i] * (w_u[i] * (v_S[i] * s4_S[i] + v[i] * s4[i]))) +
        (k.c7 * (keep_u[i - 1] * (w_u[i - 1] * (v_S[i] * s4_S[i - 1] + v[i] * s4[i - 1]))) -
        (k.dt * (0.125 * (keep_v[i - 1] * u[i - 1] * s4[i - 1] * w_v[i - 1]) +
        0.0625 * (s11_S[i - 1] * s8_S[i - 1])) + 0.25 * (s11[i - 1] * s7[i - 1]))) +
        (k.dt * (0.0625 * (s11_S[i - 1] * s9_S[i - 1]) -
        0.125 * (keep_v_S[i] * u[i - 1] * s4_S[i - 1] * w_v_S[i])) -
        (k.c7 * (keep_v_S[i] * u[i] * s4_S[i] * w_v_S[i]) + 0.25 * (s11_S[i] * s7_S[i])) +
        k.c7 * (keep_u_S[i] * v_S[i] * s4_S[i] * w_u_S[i])) +
        (k.c7 * (keep_u_S[i - 1] * v_S[i] * s4_S[i - 1] * w_u_S[i - 1]) -
        (k.c7 * (keep_v_S[i - 1] * u[i - 1] * s4_S[i - 1] * w_v_S[i - 1]) +
        0.25 * (s11_S[i - 1] * s7_S[i - 1]))) +
        k.dt * (0.125 * (keep_u_N[i] * v[i] * s4[i] * w_u_N[i]) - 0.0625 * (s11[i] * s8[i])) +
        k.dt * (0.125 * (keep_u_N[i - 1] * v[i] * s4[i - 1] * w_u_N[i - 1]) -
        0.0625 * (s11[i - 1] * s8[i - 1])) + s10[i] +
        k.dt * (0.0625 * (s11_S[i] * s9_S[i]) -
        0.125 * (keep_v_S[i + 1] * u[i] * s4_S[i] * w_v_S[i + 1]));
    const double t3 = k.gravity * (k.dt_ry * (keep_v[i] * w_v[i]) +
        k.dt * (keep_u[i] * rx * w_u[i])) + t0 - k.gravity_dt * (keep_u[i - 1] * rx * w_u[i - 1]) -
        k.gravity_dt_ry * (keep_v_S[i] * w_v_S[i]);
    HgContribute(h_bar, i, t0);
    HgContribute(eta_bar, i, t3);
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void tsunami_momentum_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                     const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const TsunamiMomentumWeights k = tsunami_momentum_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    TsunamiMomentumAdjointStage0 stage0[2];
    TsunamiMomentumAdjointStage1 stage1[2];
    for (int j = part.j0 - 1; (x_bar[0] || x_bar[1]) && j < part.j0; j++)
      tsunami_momentum_adjoint_stage0(&part, k, x, j, &stage0[(j - part.j0 + 1) % 2]);
    for (int j = part.j0 - 1; (x_bar[0] || x_bar[1] || x_bar[2] || x_bar[3] || x_bar[4] || x_bar[5])
        && j < part.j0; j++)
      tsunami_momentum_adjoint_stage1(&part, k, x, y_bar, j, &stage1[(j - part.j0 + 1) % 2]);
    for (int j = part.j0; j < part.j1; j++) {
      if (x_bar[0] || x_bar[1])
        tsunami_momentum_adjoint_stage0(&part, k, x, j, &stage0[(j - part.j0 + 1) % 2]);
      if (x_bar[0] || x_bar[1] || x_bar[2] || x_bar[3] || x_bar[4] || x_bar[5])
        tsunami_momentum_adjoint_stage1(&part, k, x, y_bar, j, &stage1[(j - part.j0 + 1) % 2]);
      const HgCotangent keep_u_bar = HgCotangentRow(box, x_bar, 0, j),
          keep_v_bar = HgCotangentRow(box, x_bar, 1, j), h_bar = HgCotangentRow(box, x_bar, 2, j),
          eta_bar = HgCotangentRow(box, x_bar, 3, j), u_bar = HgCotangentRow(box, x_bar, 4, j),
          v_bar = HgCotangentRow(box, x_bar, 5, j);
      if (h_bar.row && eta_bar.row) {
        tsunami_momentum_together0_bar_rows(&part, k, x, y_bar, stage1, j, h_bar, eta_bar);
      } else {
        if (h_bar.row) tsunami_momentum_h_bar_row(&part, k, x, y_bar, stage1, j, h_bar);
        if (eta_bar.row) tsunami_momentum_eta_bar_row(&part, k, x, y_bar, stage1, j, eta_bar);
      }
      if (keep_u_bar.row) tsunami_momentum_keep_u_bar_row(&part, k, x, y_bar, stage0, stage1, j,
          keep_u_bar);
      if (keep_v_bar.row) tsunami_momentum_keep_v_bar_row(&part, k, x, y_bar, stage0, stage1, j,
          keep_v_bar);
      if (u_bar.row) tsunami_momentum_u_bar_row(&part, k, x, y_bar, stage1, j, u_bar);
      if (v_bar.row) tsunami_momentum_v_bar_row(&part, k, x, y_bar, stage1, j, v_bar);
    }
  }
}

typedef struct {
  double s0[PART + 1], s2[PART + 1];
} TsunamiMomentumSecondStage0;

typedef struct {
  double s12[PART + 1], s14[PART + 1], s15[PART + 1], s17[PART + 1], s20[PART + 1], s21[PART + 1],
      s22[PART + 1], s23[PART + 1], s24[PART + 1], s25[PART + 1], s28[PART + 1], s29[PART + 1],
      s30[PART + 1], s31[PART + 1];
} TsunamiMomentumSecondStage1;

typedef struct {
  double s19[PART + 2], s26[PART + 2], s27[PART + 2];
} TsunamiMomentumSecondStage2;

/* s0 = gravity * deta_N + 0.25 * (u_N * du_N + u_N * du_N + (u_NW * du_NW + u_NW * du_NW) +
     (v_N * dv_N + v_N * dv_N + (v * dv + v * dv)))
   s2 = gravity * eta_N + 0.25 * (u_N * u_N + u_NW * u_NW + (v_N * v_N + v * v)) */
static HG_APART void tsunami_momentum_second_stage0(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], int j, TsunamiMomentumSecondStage0 *to) {
  double *s0 = to->s0 - box->i0, *s2 = to->s2 - box->i0;
  const double *u_N = x[4][j + 1], *du_N = dx[4][j + 1], *v_N = x[5][j + 1], *dv_N = dx[5][j + 1],
      *v = x[5][j], *dv = dx[5][j], *deta_N = dx[3][j + 1], *eta_N = x[3][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1 + 1; i++) {
    const double t0 = u_N[i] * du_N[i];
    const double t1 = u_N[i - 1] * du_N[i - 1];
    const double t2 = v_N[i] * dv_N[i];
    const double t3 = v[i] * dv[i];
    s0[i] = k.gravity * deta_N[i] + 0.25 * (t0 + t0 + (t1 + t1) + (t2 + t2 + (t3 + t3)));
    s2[i] = k.gravity * eta_N[i] + 0.25 *
        (u_N[i] * u_N[i] + u_N[i - 1] * u_N[i - 1] + (v_N[i] * v_N[i] + v[i] * v[i]));
  }
}

/* s12 = F + 0.5 * (h_N + eta_N + (h_NE + eta_NE)) * u_N
   s14 = q
   s15 = (rx_north * (dv_E - dv) - ry_north * (cosine_N * du_N - cosine * du) - q * (0.25 * (dh
     + deta + (dh_E + deta_E) + (dh_N + deta_N + (dh_NE + deta_NE))))) / (0.25 * (H + (h_E +
     eta_E) + (h_N + eta_N + (h_NE + eta_NE))))
   s17 = 0.125 * (w_v * (q * (u * dkeep_v + keep_v * du) + keep_v * u * ((rx_north * (dv_E - dv)
     - ry_north * (cosine_N * du_N - cosine * du) - q * (0.25 * (dh + deta + (dh_E + deta_E) +
     (dh_N + deta_N + (dh_NE + deta_NE))))) / (0.25 * (H + (h_E + eta_E) + (h_N + eta_N + (h_NE
     + eta_NE)))))) + keep_v * u * q * dw_v)
   s20 = as in the loop below
   s21 = as in the loop below
   s22 = as in the loop below
   s23 = as in the loop below
   s24 = as in the loop below
   s25 = as in the loop below
   s28 = (G + 0.5 * (h_E + eta_E + (h_NE + eta_NE)) * v_E) * ((rx_north * (dv_E - dv) - ry_north
     * (cosine_N * du_N - cosine * du) - q * (0.25 * (dh + deta + (dh_E + deta_E) + (dh_N +
     deta_N + (dh_NE + deta_NE))))) / (0.25 * (H + (h_E + eta_E) + (h_N + eta_N + (h_NE +
     eta_NE))))) + q * (v * (0.5 * (dh + deta + (dh_N + deta_N))) + 0.5 * (H + (h_N + eta_N)) *
     dv + (v_E * (0.5 * (dh_E + deta_E + (dh_NE + deta_NE))) + 0.5 * (h_E + eta_E + (h_NE +
     eta_NE)) * dv_E))
   s29 = (F + 0.5 * (h_N + eta_N + (h_NE + eta_NE)) * u_N) * ((rx_north * (dv_E - dv) - ry_north
     * (cosine_N * du_N - cosine * du) - q * (0.25 * (dh + deta + (dh_E + deta_E) + (dh_N +
     deta_N + (dh_NE + deta_NE))))) / (0.25 * (H + (h_E + eta_E) + (h_N + eta_N + (h_NE +
     eta_NE))))) + q * (u * (0.5 * (dh + deta + (dh_E + deta_E))) + 0.5 * (H + (h_E + eta_E)) *
     du + (u_N * (0.5 * (dh_N + deta_N + (dh_NE + deta_NE))) + 0.5 * (h_N + eta_N + (h_NE +
     eta_NE)) * du_N))
   s30 = q * (G + 0.5 * (h_E + eta_E + (h_NE + eta_NE)) * v_E)
   s31 = as in the loop below */
static HG_APART void tsunami_momentum_second_stage1(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    TsunamiMomentumSecondStage1 *to) {
  double *s12 = to->s12 + 1 - box->i0, *s14 = to->s14 + 1 - box->i0, *s15 = to->s15 + 1 - box->i0,
      *s17 = to->s17 + 1 - box->i0, *s20 = to->s20 + 1 - box->i0, *s21 = to->s21 + 1 - box->i0,
      *s22 = to->s22 + 1 - box->i0, *s23 = to->s23 + 1 - box->i0, *s24 = to->s24 + 1 - box->i0,
      *s25 = to->s25 + 1 - box->i0, *s28 = to->s28 + 1 - box->i0, *s29 = to->s29 + 1 - box->i0,
      *s30 = to->s30 + 1 - box->i0, *s31 = to->s31 + 1 - box->i0;
  const double *h = x[2][j], *eta = x[3][j], *u = x[4][j], *h_N = x[2][j + 1], *eta_N = x[3][j + 1],
      *u_N = x[4][j + 1], *v = x[5][j], *dv = dx[5][j], *du_N = dx[4][j + 1], *du = dx[4][j],
      *dh = dx[2][j], *deta = dx[3][j], *dh_N = dx[2][j + 1], *deta_N = dx[3][j + 1],
      *keep_v = x[1][j], *w_v = y_bar[1][j], *dkeep_v = dx[1][j], *dw_v = dy_bar[1][j],
      *keep_u_N = x[0][j + 1], *w_u_N = y_bar[0][j + 1], *dkeep_u_N = dx[0][j + 1],
      *dw_u_N = dy_bar[0][j + 1], *keep_u = x[0][j], *w_u = y_bar[0][j], *dkeep_u = dx[0][j],
      *dw_u = dy_bar[0][j];
  const double north_sine = HgLatitudeOfRow(box, j).north_sine;
  const double f = k.c1 * north_sine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx_north = 1 / (north_cosine * k.dx_);
  const double ry_north = 1 / (north_cosine * k.dy_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    const double t1 = h[i + 1] + eta[i + 1];
    const double t2 = H + t1;
    const double t3 = 0.5 * t2;
    const double F = t3 * u[i];
    const double t5 = h_N[i] + eta_N[i];
    const double t6 = h_N[i + 1] + eta_N[i + 1];
    const double t7 = t5 + t6;
    const double t8 = 0.5 * t7;
    const double t9 = F + t8 * u_N[i];
    const double vorticity = f + (rx_north * (v[i + 1] - v[i]) -
        ry_north * (cosine_N * u_N[i] - cosine * u[i]));
    const double t18 = 0.25 * (t2 + t7);
    const double q = vorticity / t18;
    const double t20 = rx_north * (dv[i + 1] - dv[i]) -
        ry_north * (cosine_N * du_N[i] - cosine * du[i]);
    const double t21 = dh[i] + deta[i];
    const double t22 = dh[i + 1] + deta[i + 1];
    const double t23 = t21 + t22;
    const double t24 = dh_N[i] + deta_N[i];
    const double t25 = dh_N[i + 1] + deta_N[i + 1];
    const double t26 = t24 + t25;
    const double t27 = 0.25 * (t23 + t26);
    const double t28 = (t20 - q * t27) / t18;
    const double t29 = keep_v[i] * u[i];
    s17[i] = 0.125 * (w_v[i] * (q * (u[i] * dkeep_v[i] + keep_v[i] * du[i]) + t29 * t28) +
        t29 * q * dw_v[i]);
    const double t30 = 0.5 * (H + t5);
    const double G = t30 * v[i];
    const double t32 = 0.5 * (t1 + t6);
    const double t33 = G + t32 * v[i + 1];
    const double t34 = keep_u_N[i] * t33;
    const double t35 = t34 * w_u_N[i];
    const double t36 = 1 / t18;
    const double t37 = t36 * t36 * t27;
    const double t38 = t36 * t20 - vorticity * t37;
    const double t39 = vorticity * t36;
    const double t40 = v[i] * (0.5 * (t21 + t24)) + t30 * dv[i] +
        (v[i + 1] * (0.5 * (t22 + t25)) + t32 * dv[i + 1]);
    const double t41 = t36 * (w_u_N[i] * (t33 * dkeep_u_N[i] + keep_u_N[i] * t40) +
        t34 * dw_u_N[i]) - t35 * t37;
    s20[i] = 0.0625 * (t35 * t36 * t38 + t39 * t41);
    const double t42 = keep_v[i + 1] * t9;
    const double t43 = t42 * w_v[i + 1];
    const double t44 = u[i] * (0.5 * t23) + t3 * du[i] + (u_N[i] * (0.5 * t26) + t8 * du_N[i]);
    const double t45 = t36 * (w_v[i + 1] * (t9 * dkeep_v[i + 1] + keep_v[i + 1] * t44) +
        t42 * dw_v[i + 1]) - t43 * t37;
    const double t46 = 0.0625 * (t43 * t36 * t38 + t39 * t45);
    const double t47 = keep_u[i] * t33;
    const double t48 = keep_v[i] * t9;
    const double t49 = k.c6 * (t47 * w_u[i] - t48 * w_v[i]);
    const double t50 = t36 * (k.c6 *
        (w_u[i] * (t33 * dkeep_u[i] + keep_u[i] * t40) + t47 * dw_u[i] -
        (w_v[i] * (t9 * dkeep_v[i] + keep_v[i] * t44) + t48 * dw_v[i]))) - t49 * t37;
    s23[i] = 0.25 * (t49 * t36 * t38 + t39 * t50);
    s28[i] = t33 * t28 + q * t40;
    s29[i] = t9 * t28 + q * t44;
    s30[i] = q * t33;
    const double t51 = keep_v[i + 1] * u[i];
    s31[i] = k.dt * (t46 - 0.125 * (w_v[i + 1] *
        (q * (u[i] * dkeep_v[i + 1] + keep_v[i + 1] * du[i]) + t51 * t28) + t51 * q * dw_v[i + 1]));
    s12[i] = t9;
    s14[i] = q;
    s15[i] = t28;
    s21[i] = t41;
    s22[i] = t46;
    s24[i] = t45;
    s25[i] = t50;
  }
}

/* s19 = w_v * dkeep_v + keep_v * dw_v
   s26 = w_u * (rx * dkeep_u) + keep_u * rx * dw_u
   s27 = w_u * dkeep_u + keep_u * dw_u */
static HG_APART void tsunami_momentum_second_stage2(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    TsunamiMomentumSecondStage2 *to) {
  double *s19 = to->s19 + 1 - box->i0, *s26 = to->s26 + 1 - box->i0, *s27 = to->s27 + 1 - box->i0;
  const double *w_v = y_bar[1][j], *dkeep_v = dx[1][j], *keep_v = x[1][j], *dw_v = dy_bar[1][j],
      *w_u = y_bar[0][j], *dkeep_u = dx[0][j], *keep_u = x[0][j], *dw_u = dy_bar[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0 - 1; i < box->i1 + 1; i++) {
    s19[i] = w_v[i] * dkeep_v[i] + keep_v[i] * dw_v[i];
    s26[i] = w_u[i] * (rx * dkeep_u[i]) + keep_u[i] * rx * dw_u[i];
    s27[i] = w_u[i] * dkeep_u[i] + keep_u[i] * dw_u[i];
  }
}

/* dkeep_u_bar += (u + dt * (0.25 * (s30 + s30_S) - rx * (s2_SE - s2_S))) * dw_u + w_u * (du +
     dt * (0.25 * (s28 + s28_S) - rx * (s0_SE - s0_S))) */
static inline void tsunami_momentum_dkeep_u_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const TsunamiMomentumSecondStage0 stage0[], const TsunamiMomentumSecondStage1 stage1[], int j,
    HgCotangent dkeep_u_bar) {
  const double *u = x[4][j], *s30 = stage1[(j - box->j0 + 1) % 2].s30 + 1 - box->i0,
      *s30_S = stage1[(j - box->j0) % 2].s30 + 1 - box->i0,
      *s2_S = stage0[(j - box->j0) % 2].s2 - box->i0, *dw_u = dy_bar[0][j], *w_u = y_bar[0][j],
      *du = dx[4][j], *s28 = stage1[(j - box->j0 + 1) % 2].s28 + 1 - box->i0,
      *s28_S = stage1[(j - box->j0) % 2].s28 + 1 - box->i0,
      *s0_S = stage0[(j - box->j0) % 2].s0 - box->i0;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dkeep_u_bar, i, (u[i] +
        k.dt * (0.25 * (s30[i] + s30_S[i]) - rx * (s2_S[i + 1] - s2_S[i]))) * dw_u[i] +
        w_u[i] * (du[i] + k.dt * (0.25 * (s28[i] + s28_S[i]) - rx * (s0_S[i + 1] - s0_S[i]))));
  }
}

/* dkeep_v_bar += (v - dt * (0.25 * (s14 * s12 + s14_W * s12_W) + ry * (s2 - s2_S))) * dw_v +
     w_v * (dv - dt * (0.25 * (s29 + s29_W) + ry * (s0 - s0_S))) */
static inline void tsunami_momentum_dkeep_v_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const TsunamiMomentumSecondStage0 stage0[], const TsunamiMomentumSecondStage1 stage1[], int j,
    HgCotangent dkeep_v_bar) {
  const double *v = x[5][j], *s14 = stage1[(j - box->j0 + 1) % 2].s14 + 1 - box->i0,
      *s12 = stage1[(j - box->j0 + 1) % 2].s12 + 1 - box->i0,
      *s2 = stage0[(j - box->j0 + 1) % 2].s2 - box->i0,
      *s2_S = stage0[(j - box->j0) % 2].s2 - box->i0, *dw_v = dy_bar[1][j], *w_v = y_bar[1][j],
      *dv = dx[5][j], *s29 = stage1[(j - box->j0 + 1) % 2].s29 + 1 - box->i0,
      *s0 = stage0[(j - box->j0 + 1) % 2].s0 - box->i0,
      *s0_S = stage0[(j - box->j0) % 2].s0 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dkeep_v_bar, i, (v[i] -
        k.dt * (0.25 * (s14[i] * s12[i] + s14[i - 1] * s12[i - 1]) + k.ry * (s2[i] - s2_S[i]))) *
        dw_v[i] + w_v[i] * (dv[i] - k.dt *
        (0.25 * (s29[i] + s29[i - 1]) + k.ry * (s0[i] - s0_S[i]))));
  }
}

/* dh_bar += as in the loop below */
static inline void tsunami_momentum_dh_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const TsunamiMomentumSecondStage1 stage1[], int j, HgCotangent dh_bar) {
  const double *v_S = x[5][j - 1], *s14_S = stage1[(j - box->j0) % 2].s14 + 1 - box->i0,
      *v = x[5][j], *s14 = stage1[(j - box->j0 + 1) % 2].s14 + 1 - box->i0, *keep_v_S = x[1][j - 1],
      *u = x[4][j], *keep_u_S = x[0][j - 1], *keep_u_N = x[0][j + 1],
      *s31 = stage1[(j - box->j0 + 1) % 2].s31 + 1 - box->i0,
      *s17 = stage1[(j - box->j0 + 1) % 2].s17 + 1 - box->i0,
      *s20_S = stage1[(j - box->j0) % 2].s20 + 1 - box->i0,
      *s23 = stage1[(j - box->j0 + 1) % 2].s23 + 1 - box->i0, *w_u = y_bar[0][j],
      *dkeep_u = dx[0][j], *keep_u = x[0][j], *dw_u = dy_bar[0][j], *dv_S = dx[5][j - 1],
      *s15_S = stage1[(j - box->j0) % 2].s15 + 1 - box->i0, *dv = dx[5][j],
      *s15 = stage1[(j - box->j0 + 1) % 2].s15 + 1 - box->i0,
      *s22_S = stage1[(j - box->j0) % 2].s22 + 1 - box->i0, *w_v_S = y_bar[1][j - 1],
      *dkeep_v_S = dx[1][j - 1], *du = dx[4][j], *dw_v_S = dy_bar[1][j - 1],
      *s23_S = stage1[(j - box->j0) % 2].s23 + 1 - box->i0, *w_u_S = y_bar[0][j - 1],
      *dkeep_u_S = dx[0][j - 1], *dw_u_S = dy_bar[0][j - 1], *w_u_N = y_bar[0][j + 1],
      *dkeep_u_N = dx[0][j + 1], *dw_u_N = dy_bar[0][j + 1],
      *s20 = stage1[(j - box->j0 + 1) % 2].s20 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = v_S[i] * s14_S[i] + v[i] * s14[i];
    const double t1 = v_S[i] * s14_S[i - 1] + v[i] * s14[i - 1];
    const double t2 = keep_v_S[i] * u[i - 1];
    const double t3 = keep_v_S[i] * u[i];
    const double t4 = keep_u_S[i] * v_S[i];
    const double t5 = keep_u_S[i - 1] * v_S[i];
    const double t6 = keep_v_S[i - 1] * u[i - 1];
    const double t7 = keep_u_N[i] * v[i];
    const double t8 = keep_u_N[i - 1] * v[i];
    const double t9 = keep_v_S[i + 1] * u[i];
    HgContribute(dh_bar, i, s31[i - 1] - (k.dt * (s17[i] + s20_S[i]) + s23[i]) +
        k.c7 * (w_u[i] * t0 * dkeep_u[i] +
        keep_u[i] * (t0 * dw_u[i] + w_u[i] *
        (s14_S[i] * dv_S[i] + v_S[i] * s15_S[i] + (s14[i] * dv[i] + v[i] * s15[i])))) +
        (k.c7 * (w_u[i - 1] * t1 * dkeep_u[i - 1] +
        keep_u[i - 1] * (t1 * dw_u[i - 1] +
        w_u[i - 1] * (s14_S[i - 1] * dv_S[i] + v_S[i] * s15_S[i - 1] +
        (s14[i - 1] * dv[i] + v[i] * s15[i - 1])))) -
        (k.dt * (s17[i - 1] + s20_S[i - 1]) + s23[i - 1])) +
        (k.dt * (s22_S[i - 1] - 0.125 *
        (w_v_S[i] * (s14_S[i - 1] * (u[i - 1] * dkeep_v_S[i] + keep_v_S[i] * du[i - 1]) +
        t2 * s15_S[i - 1]) + t2 * s14_S[i - 1] * dw_v_S[i])) -
        (k.c7 * (w_v_S[i] * (s14_S[i] * (u[i] * dkeep_v_S[i] + keep_v_S[i] * du[i]) +
        t3 * s15_S[i]) + t3 * s14_S[i] * dw_v_S[i]) + s23_S[i]) +
        k.c7 * (w_u_S[i] * (s14_S[i] * (v_S[i] * dkeep_u_S[i] + keep_u_S[i] * dv_S[i]) +
        t4 * s15_S[i]) + t4 * s14_S[i] * dw_u_S[i])) +
        (k.c7 * (w_u_S[i - 1] * (s14_S[i - 1] *
        (v_S[i] * dkeep_u_S[i - 1] + keep_u_S[i - 1] * dv_S[i]) + t5 * s15_S[i - 1]) +
        t5 * s14_S[i - 1] * dw_u_S[i - 1]) -
        (k.c7 * (w_v_S[i - 1] * (s14_S[i - 1] *
        (u[i - 1] * dkeep_v_S[i - 1] + keep_v_S[i - 1] * du[i - 1]) + t6 * s15_S[i - 1]) +
        t6 * s14_S[i - 1] * dw_v_S[i - 1]) + s23_S[i - 1])) +
        k.dt * (0.125 * (w_u_N[i] * (s14[i] * (v[i] * dkeep_u_N[i] + keep_u_N[i] * dv[i]) +
        t7 * s15[i]) + t7 * s14[i] * dw_u_N[i]) - s20[i]) +
        k.dt * (0.125 * (w_u_N[i - 1] *
        (s14[i - 1] * (v[i] * dkeep_u_N[i - 1] + keep_u_N[i - 1] * dv[i]) + t8 * s15[i - 1]) +
        t8 * s14[i - 1] * dw_u_N[i - 1]) - s20[i - 1]) + s31[i] +
        k.dt * (s22_S[i] - 0.125 * (w_v_S[i + 1] *
        (s14_S[i] * (u[i] * dkeep_v_S[i + 1] + keep_v_S[i + 1] * du[i]) + t9 * s15_S[i]) +
        t9 * s14_S[i] * dw_v_S[i + 1])));
  }
}

/* deta_bar += as in the loop below */
static inline void tsunami_momentum_deta_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const TsunamiMomentumSecondStage1 stage1[], const TsunamiMomentumSecondStage2 stage2[], int j,
    HgCotangent deta_bar) {
  const double *v_S = x[5][j - 1], *s14_S = stage1[(j - box->j0) % 2].s14 + 1 - box->i0,
      *v = x[5][j], *s14 = stage1[(j - box->j0 + 1) % 2].s14 + 1 - box->i0, *keep_v_S = x[1][j - 1],
      *u = x[4][j], *keep_u_S = x[0][j - 1], *keep_u_N = x[0][j + 1],
      *s19 = stage2[(j - box->j0 + 1) % 3].s19 + 1 - box->i0,
      *s26 = stage2[(j - box->j0 + 1) % 3].s26 + 1 - box->i0,
      *s31 = stage1[(j - box->j0 + 1) % 2].s31 + 1 - box->i0,
      *s17 = stage1[(j - box->j0 + 1) % 2].s17 + 1 - box->i0,
      *s20_S = stage1[(j - box->j0) % 2].s20 + 1 - box->i0,
      *s23 = stage1[(j - box->j0 + 1) % 2].s23 + 1 - box->i0, *w_u = y_bar[0][j],
      *dkeep_u = dx[0][j], *keep_u = x[0][j], *dw_u = dy_bar[0][j], *dv_S = dx[5][j - 1],
      *s15_S = stage1[(j - box->j0) % 2].s15 + 1 - box->i0, *dv = dx[5][j],
      *s15 = stage1[(j - box->j0 + 1) % 2].s15 + 1 - box->i0,
      *s22_S = stage1[(j - box->j0) % 2].s22 + 1 - box->i0, *w_v_S = y_bar[1][j - 1],
      *dkeep_v_S = dx[1][j - 1], *du = dx[4][j], *dw_v_S = dy_bar[1][j - 1],
      *s23_S = stage1[(j - box->j0) % 2].s23 + 1 - box->i0, *w_u_S = y_bar[0][j - 1],
      *dkeep_u_S = dx[0][j - 1], *dw_u_S = dy_bar[0][j - 1], *w_u_N = y_bar[0][j + 1],
      *dkeep_u_N = dx[0][j + 1], *dw_u_N = dy_bar[0][j + 1],
      *s20 = stage1[(j - box->j0 + 1) % 2].s20 + 1 - box->i0,
      *s19_S = stage2[(j - box->j0) % 3].s19 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = v_S[i] * s14_S[i] + v[i] * s14[i];
    const double t1 = v_S[i] * s14_S[i - 1] + v[i] * s14[i - 1];
    const double t2 = keep_v_S[i] * u[i - 1];
    const double t3 = keep_v_S[i] * u[i];
    const double t4 = keep_u_S[i] * v_S[i];
    const double t5 = keep_u_S[i - 1] * v_S[i];
    const double t6 = keep_v_S[i - 1] * u[i - 1];
    const double t7 = keep_u_N[i] * v[i];
    const double t8 = keep_u_N[i - 1] * v[i];
    const double t9 = keep_v_S[i + 1] * u[i];
    HgContribute(deta_bar, i, k.gravity * (k.dt_ry * s19[i] + k.dt * s26[i]) +
        (s31[i - 1] - (k.dt * (s17[i] + s20_S[i]) + s23[i]) +
        k.c7 * (w_u[i] * t0 * dkeep_u[i] +
        keep_u[i] * (t0 * dw_u[i] + w_u[i] *
        (s14_S[i] * dv_S[i] + v_S[i] * s15_S[i] + (s14[i] * dv[i] + v[i] * s15[i])))) +
        (k.c7 * (w_u[i - 1] * t1 * dkeep_u[i - 1] +
        keep_u[i - 1] * (t1 * dw_u[i - 1] +
        w_u[i - 1] * (s14_S[i - 1] * dv_S[i] + v_S[i] * s15_S[i - 1] +
        (s14[i - 1] * dv[i] + v[i] * s15[i - 1])))) -
        (k.dt * (s17[i - 1] + s20_S[i - 1]) + s23[i - 1])) +
        (k.dt * (s22_S[i - 1] - 0.125 *
        (w_v_S[i] * (s14_S[i - 1] * (u[i - 1] * dkeep_v_S[i] + keep_v_S[i] * du[i - 1]) +
        t2 * s15_S[i - 1]) + t2 * s14_S[i - 1] * dw_v_S[i])) -
        (k.c7 * (w_v_S[i] * (s14_S[i] * (u[i] * dkeep_v_S[i] + keep_v_S[i] * du[i]) +
        t3 * s15_S[i]) + t3 * s14_S[i] * dw_v_S[i]) + s23_S[i]) +
        k.c7 * (w_u_S[i] * (s14_S[i] * (v_S[i] * dkeep_u_S[i] + keep_u_S[i] * dv_S[i]) +
        t4 * s15_S[i]) + t4 * s14_S[i] * dw_u_S[i])) +
        (k.c7 * (w_u_S[i - 1] * (s14_S[i - 1] *
        (v_S[i] * dkeep_u_S[i - 1] + keep_u_S[i - 1] * dv_S[i]) + t5 * s15_S[i - 1]) +
        t5 * s14_S[i - 1] * dw_u_S[i - 1]) -
        (k.c7 * (w_v_S[i - 1] * (s14_S[i - 1] *
        (u[i - 1] * dkeep_v_S[i - 1] + keep_v_S[i - 1] * du[i - 1]) + t6 * s15_S[i - 1]) +
        t6 * s14_S[i - 1] * dw_v_S[i - 1]) + s23_S[i - 1])) +
        k.dt * (0.125 * (w_u_N[i] * (s14[i] * (v[i] * dkeep_u_N[i] + keep_u_N[i] * dv[i]) +
        t7 * s15[i]) + t7 * s14[i] * dw_u_N[i]) - s20[i]) +
        k.dt * (0.125 * (w_u_N[i - 1] *
        (s14[i - 1] * (v[i] * dkeep_u_N[i - 1] + keep_u_N[i - 1] * dv[i]) + t8 * s15[i - 1]) +
        t8 * s14[i - 1] * dw_u_N[i - 1]) - s20[i - 1]) + s31[i] +
        k.dt * (s22_S[i] - 0.125 * (w_v_S[i + 1] *
        (s14_S[i] * (u[i] * dkeep_v_S[i + 1] + keep_v_S[i + 1] * du[i]) + t9 * s15_S[i]) +
        t9 * s14_S[i] * dw_v_S[i + 1]))) - k.gravity_dt * s26[i - 1] - k.gravity_dt_ry * s19_S[i]);
  }
}

/* du_bar += as in the loop below */
static inline void tsunami_momentum_du_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const TsunamiMomentumSecondStage1 stage1[], const TsunamiMomentumSecondStage2 stage2[], int j,
    HgCotangent du_bar) {
  const double *keep_v = x[1][j], *w_v = y_bar[1][j], *keep_v_S = x[1][j - 1],
      *w_v_S = y_bar[1][j - 1], *h = x[2][j], *eta = x[3][j],
      *s19_S = stage2[(j - box->j0) % 3].s19 + 1 - box->i0, *keep_u = x[0][j], *w_u = y_bar[0][j],
      *s21 = stage1[(j - box->j0 + 1) % 2].s21 + 1 - box->i0,
      *s24 = stage1[(j - box->j0 + 1) % 2].s24 + 1 - box->i0,
      *s24_S = stage1[(j - box->j0) % 2].s24 + 1 - box->i0,
      *s14 = stage1[(j - box->j0 + 1) % 2].s14 + 1 - box->i0,
      *s14_S = stage1[(j - box->j0) % 2].s14 + 1 - box->i0, *dh = dx[2][j], *deta = dx[3][j],
      *s15 = stage1[(j - box->j0 + 1) % 2].s15 + 1 - box->i0,
      *s19 = stage2[(j - box->j0 + 1) % 3].s19 + 1 - box->i0,
      *s15_S = stage1[(j - box->j0) % 2].s15 + 1 - box->i0, *u = x[4][j], *dkeep_u = dx[0][j],
      *du = dx[4][j], *dw_u = dy_bar[0][j], *s27 = stage2[(j - box->j0 + 1) % 3].s27 + 1 - box->i0,
      *s26 = stage2[(j - box->j0 + 1) % 3].s26 + 1 - box->i0,
      *s25 = stage1[(j - box->j0 + 1) % 2].s25 + 1 - box->i0,
      *s21_S = stage1[(j - box->j0) % 2].s21 + 1 - box->i0,
      *s25_S = stage1[(j - box->j0) % 2].s25 + 1 - box->i0;
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double ry_north = 1 / (north_cosine * k.dy_);
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  const double ry_north_S = 1 / (north_cosine_S * k.dy_);
  const double rx = 1 / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t5 = keep_v[i] * w_v[i];
    const double t6 = keep_v[i + 1] * w_v[i + 1];
    const double t7 = 0.125 * (t5 + t6);
    const double t8 = keep_v_S[i] * w_v_S[i] + keep_v_S[i + 1] * w_v_S[i + 1];
    const double t9 = 0.125 * t8;
    const double H = h[i] + eta[i];
    const double t11 = s19_S[i] + s19_S[i + 1];
    const double t13 = keep_u[i] * rx * w_u[i];
    const double t14 = keep_u[i + 1] * rx;
    HgContribute(du_bar, i, k.dt * (cosine *
        (ry_north * (0.25 * (s21[i] - s24[i])) + 0.25 * (ry_north_S * s24_S[i])) -
        ((s14[i] * t7 + s14_S[i] * t9) * (dh[i] + deta[i] + (dh[i + 1] + deta[i + 1])) +
        (H + (h[i + 1] + eta[i + 1])) *
        (t7 * s15[i] + s14[i] * (0.125 * (s19[i] + s19[i + 1])) +
        (t9 * s15_S[i] + s14_S[i] * (0.125 * t11)))) -
        0.5 * (w_u[i - 1] * (rx * (u[i] * dkeep_u[i - 1] + keep_u[i - 1] * du[i])) +
        keep_u[i - 1] * u[i] * rx * dw_u[i - 1])) +
        (s27[i] + ((2 * (0.25 * (k.dt_ry * t5 + k.dt * t13) - k.c6 * t13) +
        0.5 * (k.dt_ry * t6 + k.dt * (t14 * w_u[i + 1]))) * du[i] +
        u[i] * (2 * (0.25 * (k.dt_ry * s19[i] + k.dt * s26[i]) - k.c6 * s26[i]) +
        0.5 * (k.dt_ry * s19[i + 1] + k.dt *
        (w_u[i + 1] * (rx * dkeep_u[i + 1]) + t14 * dw_u[i + 1])))) +
        cosine * (ry_north * s25[i] - k.c6 * (ry_north_S * s21_S[i]) - ry_north_S * s25_S[i])) -
        k.c11 * (t8 * du[i] + u[i] * t11));
  }
}

/* dv_bar += as in the loop below */
static inline void tsunami_momentum_dv_bar_row(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const TsunamiMomentumSecondStage1 stage1[], const TsunamiMomentumSecondStage2 stage2[], int j,
    HgCotangent dv_bar) {
  const double *keep_u = x[0][j], *w_u = y_bar[0][j], *keep_u_N = x[0][j + 1],
      *w_u_N = y_bar[0][j + 1], *h = x[2][j], *eta = x[3][j], *keep_v = x[1][j], *w_v = y_bar[1][j],
      *s14 = stage1[(j - box->j0 + 1) % 2].s14 + 1 - box->i0, *dh = dx[2][j], *deta = dx[3][j],
      *dh_N = dx[2][j + 1], *deta_N = dx[3][j + 1], *h_N = x[2][j + 1], *eta_N = x[3][j + 1],
      *s15 = stage1[(j - box->j0 + 1) % 2].s15 + 1 - box->i0,
      *s27 = stage2[(j - box->j0 + 1) % 3].s27 + 1 - box->i0,
      *s27_N = stage2[(j - box->j0 + 2) % 3].s27 + 1 - box->i0,
      *s21 = stage1[(j - box->j0 + 1) % 2].s21 + 1 - box->i0,
      *s24 = stage1[(j - box->j0 + 1) % 2].s24 + 1 - box->i0, *dv = dx[5][j], *v = x[5][j],
      *s26 = stage2[(j - box->j0 + 1) % 3].s26 + 1 - box->i0,
      *s26_N = stage2[(j - box->j0 + 2) % 3].s26 + 1 - box->i0,
      *s25 = stage1[(j - box->j0 + 1) % 2].s25 + 1 - box->i0,
      *s19 = stage2[(j - box->j0 + 1) % 3].s19 + 1 - box->i0, *keep_v_N = x[1][j + 1],
      *w_v_N = y_bar[1][j + 1], *s19_N = stage2[(j - box->j0 + 2) % 3].s19 + 1 - box->i0,
      *w_v_S = y_bar[1][j - 1], *dkeep_v_S = dx[1][j - 1], *keep_v_S = x[1][j - 1],
      *dw_v_S = dy_bar[1][j - 1];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx_north = 1 / (north_cosine * k.dx_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double rx_N = 1 / (cosine_N * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = 0.125 * (keep_u[i - 1] * w_u[i - 1] + keep_u_N[i - 1] * w_u_N[i - 1]);
    const double t1 = 0.125 * (keep_u[i] * w_u[i] + keep_u_N[i] * w_u_N[i]);
    const double H = h[i] + eta[i];
    const double t9 = keep_v[i] * w_v[i];
    HgContribute(dv_bar, i, k.dt * ((s14[i - 1] * t0 + s14[i] * t1) *
        (dh[i] + deta[i] + (dh_N[i] + deta_N[i])) +
        (H + (h_N[i] + eta_N[i])) * (t0 * s15[i - 1] +
        s14[i - 1] * (0.125 * (s27[i - 1] + s27_N[i - 1])) +
        (t1 * s15[i] + s14[i] * (0.125 * (s27[i] + s27_N[i])))) +
        rx_north * (0.25 * (s21[i - 1] + s24[i] - s24[i - 1] - s21[i])) -
        (0.5 * (keep_u[i - 1] * rx * w_u[i - 1] + keep_u_N[i - 1] * rx_N * w_u_N[i - 1]) * dv[i] +
        v[i] * (0.5 * (s26[i - 1] + s26_N[i - 1])))) +
        (rx_north * (s25[i - 1] - s25[i]) + s19[i] +
        ((2 * (0.25 * (k.dt_ry * t9 + k.dt * (keep_u[i] * rx * w_u[i])) - k.c12 * t9) +
        0.5 * (k.dt_ry * (keep_v_N[i] * w_v_N[i]) + k.dt * (keep_u_N[i] * rx_N * w_u_N[i]))) *
        dv[i] + v[i] * (2 * (0.25 * (k.dt_ry * s19[i] + k.dt * s26[i]) - k.c12 * s19[i]) +
        0.5 * (k.dt_ry * s19_N[i] + k.dt * s26_N[i])))) -
        k.c11 * (w_v_S[i] * (v[i] * dkeep_v_S[i] + keep_v_S[i] * dv[i]) +
        keep_v_S[i] * v[i] * dw_v_S[i]));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void tsunami_momentum_dtogether0_bar_rows(const HgBox *box, TsunamiMomentumWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
    const TsunamiMomentumSecondStage1 stage1[], const TsunamiMomentumSecondStage2 stage2[], int j,
    HgCotangent dh_bar, HgCotangent deta_bar) {
  const double *v_S = x[5][j - 1], *s14_S = stage1[(j - box->j0) % 2].s14 + 1 - box->i0,
      *v = x[5][j], *s14 = stage1[(j - box->j0 + 1) % 2].s14 + 1 - box->i0, *keep_v_S = x[1][j - 1],
      *u = x[4][j], *keep_u_S = x[0][j - 1], *keep_u_N = x[0][j + 1],
      *s31 = stage1[(j - box->j0 + 1) % 2].s31 + 1 - box->i0,
      *s17 = stage1[(j - box->j0 + 1) % 2].s17 + 1 - box->i0,
      *s20_S = stage1[(j - box->j0) % 2].s20 + 1 - box->i0,
      *s23 = stage1[(j - box->j0 + 1) % 2].s23 + 1 - box->i0, *w_u = y_bar[0][j],
      *dkeep_u = dx[0][j], *keep_u = x[0][j], *dw_u = dy_bar[0][j], *dv_S = dx[5][j - 1],
      *s15_S = stage1[(j - box->j0) % 2].s15 + 1 - box->i0, *dv = dx[5][j],
      *s15 = stage1[(j - box->j0 + 1) % 2].s15 + 1 - box->i0,
      *s22_S = stage1[(j - box->j0) % 2].s22 + 1 - box->i0, *w_v_S = y_bar[1][j - 1],
      *dkeep_v_S = dx[1][j - 1], *du = dx[4][j], *dw_v_S = dy_bar[1][j - 1],
      *s23_S = stage1[(j - box->j0) % 2].s23 + 1 - box->i0, *w_u_S = y_bar[0][j - 1],
      *dkeep_u_S = dx[0][j - 1], *dw_u_S = dy_bar[0][j - 1], *w_u_N = y_bar[0][j + 1],
      *dkeep_u_N = dx[0][j + 1], *dw_u_N = dy_bar[0][j + 1],
      *s20 = stage1[(j - box->j0 + 1) % 2].s20 + 1 - box->i0,
      *s19 = stage2[(j - box->j0 + 1) % 3].s19 + 1 - box->i0,
      *s26 = stage2[(j - box->j0 + 1) % 3].s26 + 1 - box->i0,
      *s19_S = stage2[(j - box->j0) % 3].s19 + 1 - box->i0;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t0 = v_S[i] * s14_S[i] + v[i] * s14[i];
    const double t1 = v_S[i] * s14_S[i - 1] + v[i] * s14[i - 1];
    const double t2 = keep_v_S[i] * u[i - 1];
    const double t3 = keep_v_S[i] * u[i];
    const double t4 = keep_u_S[i] * v_S[i];
    const double t5 = keep_u_S[i - 1] * v_S[i];
    const double t6 = keep_v_S[i - 1] * u[i - 1];
    const double t7 = keep_u_N[i] * v[i];
    const double t8 = keep_u_N[i - 1] * v[i];
    const double t9 = keep_v_S[i + 1] * u[i];
    const double t10 = s31[i - 1] - (k.dt * (s17[i] + s20_S[i]) + s23[i]) +
        k.c7 * (w_u[i] * t0 * dkeep_u[i] +
        keep_u[i] * (t0 * dw_u[i] + w_u[i] *
        (s14_S[i] * dv_S[i] + v_S[i] * s15_S[i] + (s14[i] * dv[i] + v[i] * s15[i])))) +
        (k.c7 * (w_u[i - 1] * t1 * dkeep_u[i - 1] +
        keep_u[i - 1] * (t1 * dw_u[i - 1] +
        w_u[i - 1] * (s14_S[i - 1] * dv_S[i] + v_S[i] * s15_S[i - 1] +
        (s14[i - 1] * dv[i] + v[i] * s15[i - 1])))) -
        (k.dt * (s17[i - 1] + s20_S[i - 1]) + s23[i - 1])) +
        (k.dt * (s22_S[i - 1] - 0.125 *
        (w_v_S[i] * (s14_S[i - 1] * (u[i - 1] * dkeep_v_S[i] + keep_v_S[i] * du[i - 1]) +
        t2 * s15_S[i - 1]) + t2 * s14_S[i - 1] * dw_v_S[i])) -
        (k.c7 * (w_v_S[i] * (s14_S[i] * (u[i] * dkeep_v_S[i] + keep_v_S[i] * du[i]) +
        t3 * s15_S[i]) + t3 * s14_S[i] * dw_v_S[i]) + s23_S[i]) +
        k.c7 * (w_u_S[i] * (s14_S[i] * (v_S[i] * dkeep_u_S[i] + keep_u_S[i] * dv_S[i]) +
        t4 * s15_S[i]) + t4 * s14_S[i] * dw_u_S[i])) +
        (k.c7 * (w_u_S[i - 1] * (s14_S[i - 1] *
        (v_S[i] * dkeep_u_S[i - 1] + keep_u_S[i - 1] * dv_S[i]) + t5 * s15_S[i - 1]) +
        t5 * s14_S[i - 1] * dw_u_S[i - 1]) -
        (k.c7 * (w_v_S[i - 1] * (s14_S[i - 1] *
        (u[i - 1] * dkeep_v_S[i - 1] + keep_v_S[i - 1] * du[i - 1]) + t6 * s15_S[i - 1]) +
        t6 * s14_S[i - 1] * dw_v_S[i - 1]) + s23_S[i - 1])) +
        k.dt * (0.125 * (w_u_N[i] * (s14[i] * (v[i] * dkeep_u_N[i] + keep_u_N[i] * dv[i]) +
        t7 * s15[i]) + t7 * s14[i] * dw_u_N[i]) - s20[i]) +
        k.dt * (0.125 * (w_u_N[i - 1] *
        (s14[i - 1] * (v[i] * dkeep_u_N[i - 1] + keep_u_N[i - 1] * dv[i]) + t8 * s15[i - 1]) +
        t8 * s14[i - 1] * dw_u_N[i - 1]) - s20[i - 1]) + s31[i] +
        k.dt * (s22_S[i] - 0.125 * (w_v_S[i + 1] *
        (s14_S[i] * (u[i] * dkeep_v_S[i + 1] + keep_v_S[i + 1] * du[i]) + t9 * s15_S[i]) +
        t9 * s14_S[i] * dw_v_S[i + 1]));
    HgContribute(deta_bar, i, k.gravity * (k.dt_ry * s19[i] + k.dt * s26[i]) + t10 -
        k.gravity_dt * s26[i - 1] - k.gravity_dt_ry * s19_S[i]);
    HgContribute(dh_bar, i, t10);
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_tsunami_momentum_second(const HgBox *box, const void *params, const HgRows x[],
                                const HgRows dx[], const HgRows y_bar[],
                                const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const TsunamiMomentumWeights k = tsunami_momentum_weights(box, params);
  HgBox part = *box;
  for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
    part.i1 = box->i1 - part.i0 > PART ? part.i0 + PART : box->i1;
    TsunamiMomentumSecondStage0 stage0[2];
    TsunamiMomentumSecondStage1 stage1[2];
    TsunamiMomentumSecondStage2 stage2[3];
    for (int j = part.j0 - 1; (dx_bar[0] || dx_bar[1]) && j < part.j0; j++)
      tsunami_momentum_second_stage0(&part, k, x, dx, j, &stage0[(j - part.j0 + 1) % 2]);
    for (int j = part.j0 - 1; (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3] || dx_bar[4] ||
        dx_bar[5]) && j < part.j0; j++)
      tsunami_momentum_second_stage1(&part, k, x, dx, y_bar, dy_bar, j,
          &stage1[(j - part.j0 + 1) % 2]);
    for (int j = part.j0 - 1; (dx_bar[3] || dx_bar[4] || dx_bar[5]) && j < part.j0 + 1; j++)
      tsunami_momentum_second_stage2(&part, k, x, dx, y_bar, dy_bar, j,
          &stage2[(j - part.j0 + 1) % 3]);
    for (int j = part.j0; j < part.j1; j++) {
      if (dx_bar[0] || dx_bar[1])
        tsunami_momentum_second_stage0(&part, k, x, dx, j, &stage0[(j - part.j0 + 1) % 2]);
      if (dx_bar[0] || dx_bar[1] || dx_bar[2] || dx_bar[3] || dx_bar[4] || dx_bar[5])
        tsunami_momentum_second_stage1(&part, k, x, dx, y_bar, dy_bar, j,
            &stage1[(j - part.j0 + 1) % 2]);
      if (dx_bar[3] || dx_bar[4] || dx_bar[5])
        tsunami_momentum_second_stage2(&part, k, x, dx, y_bar, dy_bar, j + 1,
            &stage2[(j - part.j0 + 2) % 3]);
      const HgCotangent dkeep_u_bar = HgCotangentRow(box, dx_bar, 0, j),
          dkeep_v_bar = HgCotangentRow(box, dx_bar, 1, j), dh_bar = HgCotangentRow(box, dx_bar, 2, j),
          deta_bar = HgCotangentRow(box, dx_bar, 3, j), du_bar = HgCotangentRow(box, dx_bar, 4, j),
          dv_bar = HgCotangentRow(box, dx_bar, 5, j);
      if (dh_bar.row && deta_bar.row) {
        tsunami_momentum_dtogether0_bar_rows(&part, k, x, dx, y_bar, dy_bar, stage1, stage2, j,
            dh_bar, deta_bar);
      } else {
        if (dh_bar.row) tsunami_momentum_dh_bar_row(&part, k, x, dx, y_bar, dy_bar, stage1, j,
            dh_bar);
        if (deta_bar.row) tsunami_momentum_deta_bar_row(&part, k, x, dx, y_bar, dy_bar, stage1,
            stage2, j, deta_bar);
      }
      if (dkeep_u_bar.row) tsunami_momentum_dkeep_u_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0,
          stage1, j, dkeep_u_bar);
      if (dkeep_v_bar.row) tsunami_momentum_dkeep_v_bar_row(&part, k, x, dx, y_bar, dy_bar, stage0,
          stage1, j, dkeep_v_bar);
      if (du_bar.row) tsunami_momentum_du_bar_row(&part, k, x, dx, y_bar, dy_bar, stage1, stage2, j,
          du_bar);
      if (dv_bar.row) tsunami_momentum_dv_bar_row(&part, k, x, dx, y_bar, dy_bar, stage1, stage2, j,
          dv_bar);
    }
  }
}

const HgStencil hg_tsunami_momentum = {
    .name = "tsunami_momentum",
    .reads = (const HgRead[]){{"keep_u", 0, 1}, {"keep_v", 0, 1}, {"h", 1, 1}, {"eta", 1, 1},
        {"u", 1, 1}, {"v", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "v", NULL},
    .apply = tsunami_momentum_apply,
    .tangent = tsunami_momentum_tangent,
    .adjoint = tsunami_momentum_adjoint,
    .second = hg_tsunami_momentum_second,
    .sets = true,
    .spherical = true,
    .params_size = sizeof(HgTsunamiParams),
    .params_name = "HgTsunamiParams",
    .stated = (const HgStated[]){{"keep_u", NULL, HG_X_FACE}, {"keep_v", NULL, HG_Y_FACE},
        {"h", "m", HG_CENTRE}, {"eta", "m", HG_CENTRE}, {"u", "m/s", HG_X_FACE},
        {"v", "m/s", HG_Y_FACE}, {NULL, NULL, 0}},
};

/* What is the same in all cells. */
typedef struct {
  double dx_, dy_, dt, c3;
} TsunamiMassWeights;

static inline TsunamiMassWeights tsunami_mass_weights(const HgBox *box, const void *params) {
  (void)params;
  return (TsunamiMassWeights){.dx_ = box->dx, .dy_ = box->dy, .dt = box->dt, .c3 = 0.5 * box->dt};
}

/* rx = 1 / (cosine * dx)
   H = h + eta
   F = 0.5 * (H + (h_E + eta_E)) * u
   ry = 1 / (cosine * dy)
   G = 0.5 * (H + (h_N + eta_N)) * north_cosine * v
   eta' = keep * (eta - dt * (rx * (F - F_W) + ry * (G - G_S))) */
static void tsunami_mass_apply(const HgBox *box, const void *params, const HgRows x[],
                               const HgRowsOut y[]) {
  const TsunamiMassWeights k = tsunami_mass_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *eta_next = y[0][j];
    const double *h = x[1][j], *eta = x[2][j], *u = x[3][j], *h_N = x[1][j + 1],
        *eta_N = x[2][j + 1], *v = x[4][j], *keep = x[0][j], *h_S = x[1][j - 1],
        *eta_S = x[2][j - 1], *v_S = x[4][j - 1];
    const double cosine = HgLatitudeOfRow(box, j).cosine;
    const double rx = 1 / (cosine * k.dx_);
    const double ry = 1 / (cosine * k.dy_);
    const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
    const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double H = h[i] + eta[i];
      const double F = 0.5 * (H + (h[i + 1] + eta[i + 1])) * u[i];
      const double G = 0.5 * (H + (h_N[i] + eta_N[i])) * north_cosine * v[i];
      eta_next[i] = keep[i] * (eta[i] -
          k.dt * (rx * (F - 0.5 * (h[i - 1] + eta[i - 1] + H) * u[i - 1]) +
          ry * (G - 0.5 * (h_S[i] + eta_S[i] + H) * north_cosine_S * v_S[i])));
    }
  }
}

/* deta' = as in the loop below */
static void tsunami_mass_tangent(const HgBox *box, const void *params, const HgRows x[],
                                 const HgRows dx[], const HgRowsOut dy[]) {
  const TsunamiMassWeights k = tsunami_mass_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *deta_next = dy[0][j];
    const double *h = x[1][j], *eta = x[2][j], *u = x[3][j], *h_N = x[1][j + 1],
        *eta_N = x[2][j + 1], *v = x[4][j], *h_S = x[1][j - 1], *eta_S = x[2][j - 1],
        *dh = dx[1][j], *deta = dx[2][j], *v_S = x[4][j - 1], *dkeep = dx[0][j], *keep = x[0][j],
        *du = dx[3][j], *dh_N = dx[1][j + 1], *deta_N = dx[2][j + 1], *dv = dx[4][j],
        *dh_S = dx[1][j - 1], *deta_S = dx[2][j - 1], *dv_S = dx[4][j - 1];
    const double cosine = HgLatitudeOfRow(box, j).cosine;
    const double rx = 1 / (cosine * k.dx_);
    const double ry = 1 / (cosine * k.dy_);
    const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
    const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double H = h[i] + eta[i];
      const double t3 = 0.5 * (H + (h[i + 1] + eta[i + 1]));
      const double F = t3 * u[i];
      const double t5 = 0.5 * (h[i - 1] + eta[i - 1] + H);
      const double t8 = 0.5 * (H + (h_N[i] + eta_N[i])) * north_cosine;
      const double G = t8 * v[i];
      const double t11 = 0.5 * (h_S[i] + eta_S[i] + H) * north_cosine_S;
      const double t12 = dh[i] + deta[i];
      deta_next[i] = (eta[i] - k.dt * (rx * (F - t5 * u[i - 1]) + ry * (G - t11 * v_S[i]))) *
          dkeep[i] + keep[i] * (deta[i] -
          k.dt * (rx * (u[i] * (0.5 * (t12 + (dh[i + 1] + deta[i + 1]))) + t3 * du[i] -
          (u[i - 1] * (0.5 * (dh[i - 1] + deta[i - 1] + t12)) + t5 * du[i - 1])) +
          ry * (v[i] * (north_cosine * (0.5 * (t12 + (dh_N[i] + deta_N[i])))) + t8 * dv[i] -
          (v_S[i] * (north_cosine_S * (0.5 * (dh_S[i] + deta_S[i] + t12))) + t11 * dv_S[i]))));
    }
  }
}

/* keep_bar += w * (eta - dt * (rx * (F - 0.5 * (h_W + eta_W + H) * u_W) + ry * (G - 0.5 * (h_S
     + eta_S + H) * north_cosine_S * v_S))) */
static inline void tsunami_mass_keep_bar_row(const HgBox *box, TsunamiMassWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent keep_bar) {
  const double *h = x[1][j], *eta = x[2][j], *u = x[3][j], *h_N = x[1][j + 1], *eta_N = x[2][j + 1],
      *v = x[4][j], *w = y_bar[0][j], *h_S = x[1][j - 1], *eta_S = x[2][j - 1], *v_S = x[4][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    const double F = 0.5 * (H + (h[i + 1] + eta[i + 1])) * u[i];
    const double G = 0.5 * (H + (h_N[i] + eta_N[i])) * north_cosine * v[i];
    HgContribute(keep_bar, i, w[i] *
        (eta[i] - k.dt * (rx * (F - 0.5 * (h[i - 1] + eta[i - 1] + H) * u[i - 1]) +
        ry * (G - 0.5 * (h_S[i] + eta_S[i] + H) * north_cosine_S * v_S[i]))));
  }
}

/* h_bar += 0.5 * dt * (keep * (w * (ry * (v_S * north_cosine_S - v * north_cosine) + rx * (u_W
     - u)))) + 0.5 * dt * (rx * (keep_E * u * w_E - keep_W * u_W * w_W) + keep_N * v *
     north_cosine * (1 / (cosine_N * dy)) * w_N - keep_S * v_S * north_cosine_S * (1 / (cosine_S
     * dy)) * w_S) */
static inline void tsunami_mass_h_bar_row(const HgBox *box, TsunamiMassWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent h_bar) {
  const double *keep = x[0][j], *w = y_bar[0][j], *v_S = x[4][j - 1], *v = x[4][j], *u = x[3][j],
      *keep_N = x[0][j + 1], *w_N = y_bar[0][j + 1], *keep_S = x[0][j - 1], *w_S = y_bar[0][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double ry_N = 1 / (cosine_N * k.dy_);
  const double cosine_S = HgLatitudeOfRow(box, j - 1).cosine;
  const double ry_S = 1 / (cosine_S * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(h_bar, i, k.c3 * (keep[i] *
        (w[i] * (ry * (v_S[i] * north_cosine_S - v[i] * north_cosine) + rx * (u[i - 1] - u[i])))) +
        k.c3 * (rx * (keep[i + 1] * u[i] * w[i + 1] - keep[i - 1] * u[i - 1] * w[i - 1]) +
        keep_N[i] * v[i] * north_cosine * ry_N * w_N[i] -
        keep_S[i] * v_S[i] * north_cosine_S * ry_S * w_S[i]));
  }
}

/* eta_bar += keep * w + 0.5 * dt * (keep * (w * (ry * (v_S * north_cosine_S - v * north_cosine)
     + rx * (u_W - u)))) + 0.5 * dt * (rx * (keep_E * u * w_E - keep_W * u_W * w_W) + keep_N * v
     * north_cosine * (1 / (cosine_N * dy)) * w_N - keep_S * v_S * north_cosine_S * (1 /
     (cosine_S * dy)) * w_S) */
static inline void tsunami_mass_eta_bar_row(const HgBox *box, TsunamiMassWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent eta_bar) {
  const double *keep = x[0][j], *w = y_bar[0][j], *v_S = x[4][j - 1], *v = x[4][j], *u = x[3][j],
      *keep_N = x[0][j + 1], *w_N = y_bar[0][j + 1], *keep_S = x[0][j - 1], *w_S = y_bar[0][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double ry_N = 1 / (cosine_N * k.dy_);
  const double cosine_S = HgLatitudeOfRow(box, j - 1).cosine;
  const double ry_S = 1 / (cosine_S * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(eta_bar, i, keep[i] * w[i] +
        k.c3 * (keep[i] * (w[i] * (ry * (v_S[i] * north_cosine_S - v[i] * north_cosine) +
        rx * (u[i - 1] - u[i])))) + k.c3 *
        (rx * (keep[i + 1] * u[i] * w[i + 1] - keep[i - 1] * u[i - 1] * w[i - 1]) +
        keep_N[i] * v[i] * north_cosine * ry_N * w_N[i] -
        keep_S[i] * v_S[i] * north_cosine_S * ry_S * w_S[i]));
  }
}

/* u_bar += 0.5 * dt * ((H + (h_E + eta_E)) * (rx * (keep_E * w_E - keep * w))) */
static inline void tsunami_mass_u_bar_row(const HgBox *box, TsunamiMassWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent u_bar) {
  const double *h = x[1][j], *eta = x[2][j], *keep = x[0][j], *w = y_bar[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    HgContribute(u_bar, i, k.c3 * ((H + (h[i + 1] + eta[i + 1])) *
        (rx * (keep[i + 1] * w[i + 1] - keep[i] * w[i]))));
  }
}

/* v_bar += 0.5 * dt * ((H + (h_N + eta_N)) * (north_cosine * (keep_N * (1 / (cosine_N * dy)) *
     w_N - keep * ry * w))) */
static inline void tsunami_mass_v_bar_row(const HgBox *box, TsunamiMassWeights k, const HgRows x[],
    const HgRows y_bar[], int j, HgCotangent v_bar) {
  const double *h = x[1][j], *eta = x[2][j], *h_N = x[1][j + 1], *eta_N = x[2][j + 1],
      *keep_N = x[0][j + 1], *w_N = y_bar[0][j + 1], *keep = x[0][j], *w = y_bar[0][j];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double ry_N = 1 / (cosine_N * k.dy_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double ry = 1 / (cosine * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    HgContribute(v_bar, i, k.c3 * ((H + (h_N[i] + eta_N[i])) *
        (north_cosine * (keep_N[i] * ry_N * w_N[i] - keep[i] * ry * w[i]))));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void tsunami_mass_together0_bar_rows(const HgBox *box, TsunamiMassWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent keep_bar, HgCotangent u_bar,
    HgCotangent v_bar) {
  const double *h = x[1][j], *eta = x[2][j], *u = x[3][j], *h_N = x[1][j + 1], *eta_N = x[2][j + 1],
      *v = x[4][j], *w = y_bar[0][j], *h_S = x[1][j - 1], *eta_S = x[2][j - 1], *v_S = x[4][j - 1],
      *keep = x[0][j], *keep_N = x[0][j + 1], *w_N = y_bar[0][j + 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double ry_N = 1 / (cosine_N * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    const double t3 = H + (h[i + 1] + eta[i + 1]);
    const double F = 0.5 * t3 * u[i];
    const double t6 = H + (h_N[i] + eta_N[i]);
    const double G = 0.5 * t6 * north_cosine * v[i];
    HgContribute(keep_bar, i, w[i] *
        (eta[i] - k.dt * (rx * (F - 0.5 * (h[i - 1] + eta[i - 1] + H) * u[i - 1]) +
        ry * (G - 0.5 * (h_S[i] + eta_S[i] + H) * north_cosine_S * v_S[i]))));
    HgContribute(u_bar, i, k.c3 * (t3 * (rx * (keep[i + 1] * w[i + 1] - keep[i] * w[i]))));
    HgContribute(v_bar, i, k.c3 * (t6 *
        (north_cosine * (keep_N[i] * ry_N * w_N[i] - keep[i] * ry * w[i]))));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void tsunami_mass_together1_bar_rows(const HgBox *box, TsunamiMassWeights k,
    const HgRows x[], const HgRows y_bar[], int j, HgCotangent h_bar, HgCotangent eta_bar) {
  const double *keep = x[0][j], *w = y_bar[0][j], *v_S = x[4][j - 1], *v = x[4][j], *u = x[3][j],
      *keep_N = x[0][j + 1], *w_N = y_bar[0][j + 1], *keep_S = x[0][j - 1], *w_S = y_bar[0][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double ry_N = 1 / (cosine_N * k.dy_);
  const double cosine_S = HgLatitudeOfRow(box, j - 1).cosine;
  const double ry_S = 1 / (cosine_S * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t5 = k.c3 * (keep[i] *
        (w[i] * (ry * (v_S[i] * north_cosine_S - v[i] * north_cosine) + rx * (u[i - 1] - u[i]))));
    const double t10 = k.c3 * (rx * (keep[i + 1] * u[i] * w[i + 1] -
        keep[i - 1] * u[i - 1] * w[i - 1]) + keep_N[i] * v[i] * north_cosine * ry_N * w_N[i] -
        keep_S[i] * v_S[i] * north_cosine_S * ry_S * w_S[i]);
    HgContribute(h_bar, i, t5 + t10);
    HgContribute(eta_bar, i, keep[i] * w[i] + t5 + t10);
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void tsunami_mass_adjoint(const HgBox *box, const void *params, const HgRows x[],
                                 const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const TsunamiMassWeights k = tsunami_mass_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent keep_bar = HgCotangentRow(box, x_bar, 0, j),
        h_bar = HgCotangentRow(box, x_bar, 1, j), eta_bar = HgCotangentRow(box, x_bar, 2, j),
        u_bar = HgCotangentRow(box, x_bar, 3, j), v_bar = HgCotangentRow(box, x_bar, 4, j);
    if (keep_bar.row && u_bar.row && v_bar.row) {
      tsunami_mass_together0_bar_rows(box, k, x, y_bar, j, keep_bar, u_bar, v_bar);
    } else {
      if (keep_bar.row) tsunami_mass_keep_bar_row(box, k, x, y_bar, j, keep_bar);
      if (u_bar.row) tsunami_mass_u_bar_row(box, k, x, y_bar, j, u_bar);
      if (v_bar.row) tsunami_mass_v_bar_row(box, k, x, y_bar, j, v_bar);
    }
    if (h_bar.row && eta_bar.row) {
      tsunami_mass_together1_bar_rows(box, k, x, y_bar, j, h_bar, eta_bar);
    } else {
      if (h_bar.row) tsunami_mass_h_bar_row(box, k, x, y_bar, j, h_bar);
      if (eta_bar.row) tsunami_mass_eta_bar_row(box, k, x, y_bar, j, eta_bar);
    }
  }
}

/* dkeep_bar += as in the loop below */
static inline void tsunami_mass_dkeep_bar_row(const HgBox *box, TsunamiMassWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent dkeep_bar) {
  const double *h = x[1][j], *eta = x[2][j], *u = x[3][j], *h_N = x[1][j + 1], *eta_N = x[2][j + 1],
      *v = x[4][j], *h_S = x[1][j - 1], *eta_S = x[2][j - 1], *dh = dx[1][j], *deta = dx[2][j],
      *v_S = x[4][j - 1], *dw = dy_bar[0][j], *w = y_bar[0][j], *du = dx[3][j],
      *dh_N = dx[1][j + 1], *deta_N = dx[2][j + 1], *dv = dx[4][j], *dh_S = dx[1][j - 1],
      *deta_S = dx[2][j - 1], *dv_S = dx[4][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    const double t3 = 0.5 * (H + (h[i + 1] + eta[i + 1]));
    const double F = t3 * u[i];
    const double t5 = 0.5 * (h[i - 1] + eta[i - 1] + H);
    const double t8 = 0.5 * (H + (h_N[i] + eta_N[i])) * north_cosine;
    const double G = t8 * v[i];
    const double t11 = 0.5 * (h_S[i] + eta_S[i] + H) * north_cosine_S;
    const double t12 = dh[i] + deta[i];
    HgContribute(dkeep_bar, i, (eta[i] -
        k.dt * (rx * (F - t5 * u[i - 1]) + ry * (G - t11 * v_S[i]))) * dw[i] +
        w[i] * (deta[i] - k.dt * (rx *
        (u[i] * (0.5 * (t12 + (dh[i + 1] + deta[i + 1]))) + t3 * du[i] -
        (u[i - 1] * (0.5 * (dh[i - 1] + deta[i - 1] + t12)) + t5 * du[i - 1])) +
        ry * (v[i] * (north_cosine * (0.5 * (t12 + (dh_N[i] + deta_N[i])))) + t8 * dv[i] -
        (v_S[i] * (north_cosine_S * (0.5 * (dh_S[i] + deta_S[i] + t12))) + t11 * dv_S[i])))));
  }
}

/* dh_bar += as in the loop below */
static inline void tsunami_mass_dh_bar_row(const HgBox *box, TsunamiMassWeights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dh_bar) {
  const double *v_S = x[4][j - 1], *v = x[4][j], *u = x[3][j], *w = y_bar[0][j], *dkeep = dx[0][j],
      *keep = x[0][j], *dw = dy_bar[0][j], *dv_S = dx[4][j - 1], *dv = dx[4][j], *du = dx[3][j],
      *w_N = y_bar[0][j + 1], *dkeep_N = dx[0][j + 1], *keep_N = x[0][j + 1],
      *dw_N = dy_bar[0][j + 1], *w_S = y_bar[0][j - 1], *dkeep_S = dx[0][j - 1],
      *keep_S = x[0][j - 1], *dw_S = dy_bar[0][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double ry_N = 1 / (cosine_N * k.dy_);
  const double cosine_S = HgLatitudeOfRow(box, j - 1).cosine;
  const double ry_S = 1 / (cosine_S * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t5 = ry * (v_S[i] * north_cosine_S - v[i] * north_cosine) + rx * (u[i - 1] - u[i]);
    HgContribute(dh_bar, i, k.c3 * (w[i] * t5 * dkeep[i] +
        keep[i] * (t5 * dw[i] + w[i] *
        (ry * (north_cosine_S * dv_S[i] - north_cosine * dv[i]) + rx * (du[i - 1] - du[i])))) +
        k.c3 * (rx * (w[i + 1] * (u[i] * dkeep[i + 1] + keep[i + 1] * du[i]) +
        keep[i + 1] * u[i] * dw[i + 1] -
        (w[i - 1] * (u[i - 1] * dkeep[i - 1] + keep[i - 1] * du[i - 1]) +
        keep[i - 1] * u[i - 1] * dw[i - 1])) +
        (w_N[i] * (ry_N * (north_cosine * (v[i] * dkeep_N[i] + keep_N[i] * dv[i]))) +
        keep_N[i] * v[i] * north_cosine * ry_N * dw_N[i]) -
        (w_S[i] * (ry_S * (north_cosine_S * (v_S[i] * dkeep_S[i] + keep_S[i] * dv_S[i]))) +
        keep_S[i] * v_S[i] * north_cosine_S * ry_S * dw_S[i])));
  }
}

/* deta_bar += as in the loop below */
static inline void tsunami_mass_deta_bar_row(const HgBox *box, TsunamiMassWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent deta_bar) {
  const double *v_S = x[4][j - 1], *v = x[4][j], *u = x[3][j], *w = y_bar[0][j], *dkeep = dx[0][j],
      *keep = x[0][j], *dw = dy_bar[0][j], *dv_S = dx[4][j - 1], *dv = dx[4][j], *du = dx[3][j],
      *w_N = y_bar[0][j + 1], *dkeep_N = dx[0][j + 1], *keep_N = x[0][j + 1],
      *dw_N = dy_bar[0][j + 1], *w_S = y_bar[0][j - 1], *dkeep_S = dx[0][j - 1],
      *keep_S = x[0][j - 1], *dw_S = dy_bar[0][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double ry_N = 1 / (cosine_N * k.dy_);
  const double cosine_S = HgLatitudeOfRow(box, j - 1).cosine;
  const double ry_S = 1 / (cosine_S * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t5 = ry * (v_S[i] * north_cosine_S - v[i] * north_cosine) + rx * (u[i - 1] - u[i]);
    HgContribute(deta_bar, i, w[i] * dkeep[i] + keep[i] * dw[i] +
        k.c3 * (w[i] * t5 * dkeep[i] +
        keep[i] * (t5 * dw[i] + w[i] *
        (ry * (north_cosine_S * dv_S[i] - north_cosine * dv[i]) + rx * (du[i - 1] - du[i])))) +
        k.c3 * (rx * (w[i + 1] * (u[i] * dkeep[i + 1] + keep[i + 1] * du[i]) +
        keep[i + 1] * u[i] * dw[i + 1] -
        (w[i - 1] * (u[i - 1] * dkeep[i - 1] + keep[i - 1] * du[i - 1]) +
        keep[i - 1] * u[i - 1] * dw[i - 1])) +
        (w_N[i] * (ry_N * (north_cosine * (v[i] * dkeep_N[i] + keep_N[i] * dv[i]))) +
        keep_N[i] * v[i] * north_cosine * ry_N * dw_N[i]) -
        (w_S[i] * (ry_S * (north_cosine_S * (v_S[i] * dkeep_S[i] + keep_S[i] * dv_S[i]))) +
        keep_S[i] * v_S[i] * north_cosine_S * ry_S * dw_S[i])));
  }
}

/* du_bar += 0.5 * dt * (rx * (keep_E * w_E - keep * w) * (dh + deta + (dh_E + deta_E)) + (H +
     (h_E + eta_E)) * (rx * (w_E * dkeep_E + keep_E * dw_E - (w * dkeep + keep * dw)))) */
static inline void tsunami_mass_du_bar_row(const HgBox *box, TsunamiMassWeights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent du_bar) {
  const double *h = x[1][j], *eta = x[2][j], *keep = x[0][j], *w = y_bar[0][j], *dh = dx[1][j],
      *deta = dx[2][j], *dkeep = dx[0][j], *dw = dy_bar[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    HgContribute(du_bar, i, k.c3 * (rx * (keep[i + 1] * w[i + 1] - keep[i] * w[i]) *
        (dh[i] + deta[i] + (dh[i + 1] + deta[i + 1])) +
        (H + (h[i + 1] + eta[i + 1])) *
        (rx * (w[i + 1] * dkeep[i + 1] + keep[i + 1] * dw[i + 1] -
        (w[i] * dkeep[i] + keep[i] * dw[i])))));
  }
}

/* dv_bar += 0.5 * dt * (north_cosine * (keep_N * (1 / (cosine_N * dy)) * w_N - keep * ry * w) *
     (dh + deta + (dh_N + deta_N)) + (H + (h_N + eta_N)) * (north_cosine * (w_N * (1 / (cosine_N
     * dy) * dkeep_N) + keep_N * (1 / (cosine_N * dy)) * dw_N - (w * (ry * dkeep) + keep * ry *
     dw)))) */
static inline void tsunami_mass_dv_bar_row(const HgBox *box, TsunamiMassWeights k, const HgRows x[],
    const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dv_bar) {
  const double *keep_N = x[0][j + 1], *keep = x[0][j], *h = x[1][j], *eta = x[2][j],
      *w_N = y_bar[0][j + 1], *w = y_bar[0][j], *dh = dx[1][j], *deta = dx[2][j],
      *dh_N = dx[1][j + 1], *deta_N = dx[2][j + 1], *h_N = x[1][j + 1], *eta_N = x[2][j + 1],
      *dkeep_N = dx[0][j + 1], *dw_N = dy_bar[0][j + 1], *dkeep = dx[0][j], *dw = dy_bar[0][j];
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double ry_N = 1 / (cosine_N * k.dy_);
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double ry = 1 / (cosine * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t3 = keep_N[i] * ry_N;
    const double t6 = keep[i] * ry;
    const double H = h[i] + eta[i];
    HgContribute(dv_bar, i, k.c3 * (north_cosine * (t3 * w_N[i] - t6 * w[i]) *
        (dh[i] + deta[i] + (dh_N[i] + deta_N[i])) +
        (H + (h_N[i] + eta_N[i])) * (north_cosine *
        (w_N[i] * (ry_N * dkeep_N[i]) + t3 * dw_N[i] - (w[i] * (ry * dkeep[i]) + t6 * dw[i])))));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void tsunami_mass_dtogether0_bar_rows(const HgBox *box, TsunamiMassWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent dkeep_bar, HgCotangent du_bar) {
  const double *h = x[1][j], *eta = x[2][j], *u = x[3][j], *h_N = x[1][j + 1], *eta_N = x[2][j + 1],
      *v = x[4][j], *h_S = x[1][j - 1], *eta_S = x[2][j - 1], *dh = dx[1][j], *deta = dx[2][j],
      *v_S = x[4][j - 1], *dw = dy_bar[0][j], *w = y_bar[0][j], *du = dx[3][j],
      *dh_N = dx[1][j + 1], *deta_N = dx[2][j + 1], *dv = dx[4][j], *dh_S = dx[1][j - 1],
      *deta_S = dx[2][j - 1], *dv_S = dx[4][j - 1], *keep = x[0][j], *dkeep = dx[0][j];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double H = h[i] + eta[i];
    const double t3 = H + (h[i + 1] + eta[i + 1]);
    const double t4 = 0.5 * t3;
    const double F = t4 * u[i];
    const double t6 = 0.5 * (h[i - 1] + eta[i - 1] + H);
    const double t9 = 0.5 * (H + (h_N[i] + eta_N[i])) * north_cosine;
    const double G = t9 * v[i];
    const double t12 = 0.5 * (h_S[i] + eta_S[i] + H) * north_cosine_S;
    const double t13 = dh[i] + deta[i];
    const double t14 = t13 + (dh[i + 1] + deta[i + 1]);
    HgContribute(dkeep_bar, i, (eta[i] -
        k.dt * (rx * (F - t6 * u[i - 1]) + ry * (G - t12 * v_S[i]))) * dw[i] +
        w[i] * (deta[i] - k.dt * (rx *
        (u[i] * (0.5 * t14) + t4 * du[i] -
        (u[i - 1] * (0.5 * (dh[i - 1] + deta[i - 1] + t13)) + t6 * du[i - 1])) +
        ry * (v[i] * (north_cosine * (0.5 * (t13 + (dh_N[i] + deta_N[i])))) + t9 * dv[i] -
        (v_S[i] * (north_cosine_S * (0.5 * (dh_S[i] + deta_S[i] + t13))) + t12 * dv_S[i])))));
    HgContribute(du_bar, i, k.c3 * (rx * (keep[i + 1] * w[i + 1] - keep[i] * w[i]) * t14 +
        t3 * (rx * (w[i + 1] * dkeep[i + 1] + keep[i + 1] * dw[i + 1] -
        (w[i] * dkeep[i] + keep[i] * dw[i])))));
  }
}

/* The same where all of them are wanted: rows come from memory once. */
static inline void tsunami_mass_dtogether1_bar_rows(const HgBox *box, TsunamiMassWeights k,
    const HgRows x[], const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[], int j,
    HgCotangent dh_bar, HgCotangent deta_bar) {
  const double *v_S = x[4][j - 1], *v = x[4][j], *u = x[3][j], *w = y_bar[0][j], *dkeep = dx[0][j],
      *keep = x[0][j], *dw = dy_bar[0][j], *dv_S = dx[4][j - 1], *dv = dx[4][j], *du = dx[3][j],
      *w_N = y_bar[0][j + 1], *dkeep_N = dx[0][j + 1], *keep_N = x[0][j + 1],
      *dw_N = dy_bar[0][j + 1], *w_S = y_bar[0][j - 1], *dkeep_S = dx[0][j - 1],
      *keep_S = x[0][j - 1], *dw_S = dy_bar[0][j - 1];
  const double cosine = HgLatitudeOfRow(box, j).cosine;
  const double ry = 1 / (cosine * k.dy_);
  const double north_cosine_S = HgLatitudeOfRow(box, j - 1).north_cosine;
  const double north_cosine = HgLatitudeOfRow(box, j).north_cosine;
  const double rx = 1 / (cosine * k.dx_);
  const double cosine_N = HgLatitudeOfRow(box, j + 1).cosine;
  const double ry_N = 1 / (cosine_N * k.dy_);
  const double cosine_S = HgLatitudeOfRow(box, j - 1).cosine;
  const double ry_S = 1 / (cosine_S * k.dy_);
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    const double t5 = ry * (v_S[i] * north_cosine_S - v[i] * north_cosine) + rx * (u[i - 1] - u[i]);
    const double t6 = k.c3 * (w[i] * t5 * dkeep[i] +
        keep[i] * (t5 * dw[i] + w[i] *
        (ry * (north_cosine_S * dv_S[i] - north_cosine * dv[i]) + rx * (du[i - 1] - du[i]))));
    const double t11 = k.c3 * (rx * (w[i + 1] * (u[i] * dkeep[i + 1] + keep[i + 1] * du[i]) +
        keep[i + 1] * u[i] * dw[i + 1] -
        (w[i - 1] * (u[i - 1] * dkeep[i - 1] + keep[i - 1] * du[i - 1]) +
        keep[i - 1] * u[i - 1] * dw[i - 1])) +
        (w_N[i] * (ry_N * (north_cosine * (v[i] * dkeep_N[i] + keep_N[i] * dv[i]))) +
        keep_N[i] * v[i] * north_cosine * ry_N * dw_N[i]) -
        (w_S[i] * (ry_S * (north_cosine_S * (v_S[i] * dkeep_S[i] + keep_S[i] * dv_S[i]))) +
        keep_S[i] * v_S[i] * north_cosine_S * ry_S * dw_S[i]));
    HgContribute(dh_bar, i, t6 + t11);
    HgContribute(deta_bar, i, w[i] * dkeep[i] + keep[i] * dw[i] + t6 + t11);
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_tsunami_mass_second(const HgBox *box, const void *params, const HgRows x[],
                            const HgRows dx[], const HgRows y_bar[],
                            const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const TsunamiMassWeights k = tsunami_mass_weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent dkeep_bar = HgCotangentRow(box, dx_bar, 0, j),
        dh_bar = HgCotangentRow(box, dx_bar, 1, j), deta_bar = HgCotangentRow(box, dx_bar, 2, j),
        du_bar = HgCotangentRow(box, dx_bar, 3, j), dv_bar = HgCotangentRow(box, dx_bar, 4, j);
    if (dkeep_bar.row && du_bar.row) {
      tsunami_mass_dtogether0_bar_rows(box, k, x, dx, y_bar, dy_bar, j, dkeep_bar, du_bar);
    } else {
      if (dkeep_bar.row) tsunami_mass_dkeep_bar_row(box, k, x, dx, y_bar, dy_bar, j, dkeep_bar);
      if (du_bar.row) tsunami_mass_du_bar_row(box, k, x, dx, y_bar, dy_bar, j, du_bar);
    }
    if (dh_bar.row && deta_bar.row) {
      tsunami_mass_dtogether1_bar_rows(box, k, x, dx, y_bar, dy_bar, j, dh_bar, deta_bar);
    } else {
      if (dh_bar.row) tsunami_mass_dh_bar_row(box, k, x, dx, y_bar, dy_bar, j, dh_bar);
      if (deta_bar.row) tsunami_mass_deta_bar_row(box, k, x, dx, y_bar, dy_bar, j, deta_bar);
    }
    if (dv_bar.row) tsunami_mass_dv_bar_row(box, k, x, dx, y_bar, dy_bar, j, dv_bar);
  }
}

const HgStencil hg_tsunami_mass = {
    .name = "tsunami_mass",
    .reads = (const HgRead[]){{"keep", 0, 1}, {"h", 1, 1}, {"eta", 1, 1}, {"u", 1, 1}, {"v", 1, 1},
        {NULL, 0, 0}},
    .writes = (const char *const[]){"eta", NULL},
    .apply = tsunami_mass_apply,
    .tangent = tsunami_mass_tangent,
    .adjoint = tsunami_mass_adjoint,
    .second = hg_tsunami_mass_second,
    .only_for = (const char *const[][2]){{"h", "keep"}, {"h", "u"}, {"h", "v"}, {"eta", "keep"},
        {"eta", "u"}, {"eta", "v"}, {NULL, NULL}},
    .sets = true,
    .spherical = true,
    .stated = (const HgStated[]){{"keep", NULL, HG_CENTRE}, {"h", "m", HG_CENTRE},
        {"eta", "m", HG_CENTRE}, {"u", "m/s", HG_X_FACE}, {"v", "m/s", HG_Y_FACE}, {NULL, NULL, 0}},
};
