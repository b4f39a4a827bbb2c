/* shallow_friction_generated.c -- written by hgstencil 7 from shallow_friction.stencil: change
     that, not this.

     u' = u + dt * friction(u)
     v' = v + dt * friction(v) */
/* clang-format off */
#include <halograd/shallow_friction_generated.h>
#include <halograd/five_point.h>
#include <stddef.h>

/* What is the same in all cells. */
typedef struct {
  double rx, ry, dt, dt_hy_hy, dt_hx_hx;
} Weights;

static inline Weights weights(const HgBox *box, const void *params) {
  (void)params;
  const double hx = 1 / box->dx;
  const double rx = hx * hx;
  const double hy = 1 / box->dy;
  const double ry = hy * hy;
  return (Weights){.rx = rx, .ry = ry, .dt = box->dt, .dt_hy_hy = box->dt * hy * hy,
      .dt_hx_hx = box->dt * hx * hx};
}

/* hx = 1 / dx
   rx = hx * hx
   hy = 1 / dy
   ry = hy * hy
   friction_u = rx * (nu * (u_E - u) - nu_W * (u - u_W)) + ry * (nu * (u_N - u) - nu_S * (u -
     u_S))
   friction_v = rx * (nu * (v_E - v) - nu_W * (v - v_W)) + ry * (nu * (v_N - v) - nu_S * (v -
     v_S))
   u' = u + dt * friction(u)
   v' = v + dt * friction(v) */
static void apply(const HgBox *box, const void *params, const HgRows x[],
                  const HgRowsOut y[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *u_next = y[0][j], *v_next = y[1][j];
    const double *nu = x[0][j], *u = x[1][j], *u_N = x[1][j + 1], *nu_S = x[0][j - 1],
        *u_S = x[1][j - 1], *v = x[2][j], *v_N = x[2][j + 1], *v_S = x[2][j - 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double friction_u = k.rx * (nu[i] * (u[i + 1] - u[i]) - nu[i - 1] * (u[i] - u[i - 1])) +
          k.ry * (nu[i] * (u_N[i] - u[i]) - nu_S[i] * (u[i] - u_S[i]));
      u_next[i] = u[i] + k.dt * friction_u;
      const double friction_v = k.rx * (nu[i] * (v[i + 1] - v[i]) - nu[i - 1] * (v[i] - v[i - 1])) +
          k.ry * (nu[i] * (v_N[i] - v[i]) - nu_S[i] * (v[i] - v_S[i]));
      v_next[i] = v[i] + k.dt * friction_v;
    }
  }
}

/* du' = du + dt * (rx * ((u_E - u) * dnu + nu * (du_E - du) - ((u - u_W) * dnu_W + nu_W * (du -
     du_W))) + ry * ((u_N - u) * dnu + nu * (du_N - du) - ((u - u_S) * dnu_S + nu_S * (du -
     du_S))))
   dv' = dv + dt * (rx * ((v_E - v) * dnu + nu * (dv_E - dv) - ((v - v_W) * dnu_W + nu_W * (dv -
     dv_W))) + ry * ((v_N - v) * dnu + nu * (dv_N - dv) - ((v - v_S) * dnu_S + nu_S * (dv -
     dv_S)))) */
static void tangent(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows dx[], const HgRowsOut dy[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    double *du_next = dy[0][j], *dv_next = dy[1][j];
    const double *du = dx[1][j], *u = x[1][j], *dnu = dx[0][j], *nu = x[0][j], *u_N = x[1][j + 1],
        *du_N = dx[1][j + 1], *u_S = x[1][j - 1], *dnu_S = dx[0][j - 1], *nu_S = x[0][j - 1],
        *du_S = dx[1][j - 1], *dv = dx[2][j], *v = x[2][j], *v_N = x[2][j + 1],
        *dv_N = dx[2][j + 1], *v_S = x[2][j - 1], *dv_S = dx[2][j - 1];
    HG_VECTOR
    for (int i = box->i0; i < box->i1; i++) {
      const double t0 = du[i] + k.dt *
          (k.rx * ((u[i + 1] - u[i]) * dnu[i] + nu[i] * (du[i + 1] - du[i]) -
          ((u[i] - u[i - 1]) * dnu[i - 1] + nu[i - 1] * (du[i] - du[i - 1]))) +
          k.ry * ((u_N[i] - u[i]) * dnu[i] + nu[i] * (du_N[i] - du[i]) -
          ((u[i] - u_S[i]) * dnu_S[i] + nu_S[i] * (du[i] - du_S[i]))));
      const double t1 = dv[i] + k.dt *
          (k.rx * ((v[i + 1] - v[i]) * dnu[i] + nu[i] * (dv[i + 1] - dv[i]) -
          ((v[i] - v[i - 1]) * dnu[i - 1] + nu[i - 1] * (dv[i] - dv[i - 1]))) +
          k.ry * ((v_N[i] - v[i]) * dnu[i] + nu[i] * (dv_N[i] - dv[i]) -
          ((v[i] - v_S[i]) * dnu_S[i] + nu_S[i] * (dv[i] - dv_S[i]))));
      du_next[i] = t0;
      dv_next[i] = t1;
    }
  }
}

/* nu_bar += dt * hy * hy * ((v - v_N) * (w_v_N - w_v) + (u - u_N) * (w_u_N - w_u)) + dt * hx *
     hx * ((v - v_E) * (w_v_E - w_v) + (u - u_E) * (w_u_E - w_u)) */
static inline void nu_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent nu_bar) {
  const double *v = x[2][j], *v_N = x[2][j + 1], *w_v_N = y_bar[1][j + 1], *w_v = y_bar[1][j],
      *u = x[1][j], *u_N = x[1][j + 1], *w_u_N = y_bar[0][j + 1], *w_u = y_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(nu_bar, i, k.dt_hy_hy *
        ((v[i] - v_N[i]) * (w_v_N[i] - w_v[i]) + (u[i] - u_N[i]) * (w_u_N[i] - w_u[i])) +
        k.dt_hx_hx * ((v[i] - v[i + 1]) * (w_v[i + 1] - w_v[i]) +
        (u[i] - u[i + 1]) * (w_u[i + 1] - w_u[i])));
  }
}

/* u_bar += w_u + dt * hy * hy * (nu_S * (w_u_S - w_u) + nu * (w_u_N - w_u)) + dt * hx * hx *
     (nu_W * (w_u_W - w_u) + nu * (w_u_E - w_u)) */
static inline void u_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent u_bar) {
  const double *w_u = y_bar[0][j], *nu_S = x[0][j - 1], *w_u_S = y_bar[0][j - 1], *nu = x[0][j],
      *w_u_N = y_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(u_bar, i, w_u[i] + k.dt_hy_hy *
        (nu_S[i] * (w_u_S[i] - w_u[i]) + nu[i] * (w_u_N[i] - w_u[i])) +
        k.dt_hx_hx * (nu[i - 1] * (w_u[i - 1] - w_u[i]) + nu[i] * (w_u[i + 1] - w_u[i])));
  }
}

/* v_bar += w_v + dt * hy * hy * (nu_S * (w_v_S - w_v) + nu * (w_v_N - w_v)) + dt * hx * hx *
     (nu_W * (w_v_W - w_v) + nu * (w_v_E - w_v)) */
static inline void v_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows y_bar[],
    int j, HgCotangent v_bar) {
  const double *w_v = y_bar[1][j], *nu_S = x[0][j - 1], *w_v_S = y_bar[1][j - 1], *nu = x[0][j],
      *w_v_N = y_bar[1][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(v_bar, i, w_v[i] + k.dt_hy_hy *
        (nu_S[i] * (w_v_S[i] - w_v[i]) + nu[i] * (w_v_N[i] - w_v[i])) +
        k.dt_hx_hx * (nu[i - 1] * (w_v[i - 1] - w_v[i]) + nu[i] * (w_v[i + 1] - w_v[i])));
  }
}

/* All contributions are gathered: a cell of x_bar sums those of its neighbours, and writes only
     itself. */
static void adjoint(const HgBox *box, const void *params, const HgRows x[],
                    const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent nu_bar = HgCotangentRow(box, x_bar, 0, j),
        u_bar = HgCotangentRow(box, x_bar, 1, j), v_bar = HgCotangentRow(box, x_bar, 2, j);
    if (nu_bar.row) nu_bar_row(box, k, x, y_bar, j, nu_bar);
    if (u_bar.row) u_bar_row(box, k, x, y_bar, j, u_bar);
    if (v_bar.row) v_bar_row(box, k, x, y_bar, j, v_bar);
  }
}

/* dnu_bar += dt * hy * hy * ((w_v_N - w_v) * (dv - dv_N) + (v - v_N) * (dw_v_N - dw_v) +
     ((w_u_N - w_u) * (du - du_N) + (u - u_N) * (dw_u_N - dw_u))) + dt * hx * hx * ((w_v_E -
     w_v) * (dv - dv_E) + (v - v_E) * (dw_v_E - dw_v) + ((w_u_E - w_u) * (du - du_E) + (u - u_E)
     * (dw_u_E - dw_u))) */
static inline void dnu_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dnu_bar) {
  const double *w_v_N = y_bar[1][j + 1], *w_v = y_bar[1][j], *dv = dx[2][j], *dv_N = dx[2][j + 1],
      *v = x[2][j], *v_N = x[2][j + 1], *dw_v_N = dy_bar[1][j + 1], *dw_v = dy_bar[1][j],
      *w_u_N = y_bar[0][j + 1], *w_u = y_bar[0][j], *du = dx[1][j], *du_N = dx[1][j + 1],
      *u = x[1][j], *u_N = x[1][j + 1], *dw_u_N = dy_bar[0][j + 1], *dw_u = dy_bar[0][j];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dnu_bar, i, k.dt_hy_hy *
        ((w_v_N[i] - w_v[i]) * (dv[i] - dv_N[i]) + (v[i] - v_N[i]) * (dw_v_N[i] - dw_v[i]) +
        ((w_u_N[i] - w_u[i]) * (du[i] - du_N[i]) + (u[i] - u_N[i]) * (dw_u_N[i] - dw_u[i]))) +
        k.dt_hx_hx * ((w_v[i + 1] - w_v[i]) * (dv[i] - dv[i + 1]) +
        (v[i] - v[i + 1]) * (dw_v[i + 1] - dw_v[i]) +
        ((w_u[i + 1] - w_u[i]) * (du[i] - du[i + 1]) +
        (u[i] - u[i + 1]) * (dw_u[i + 1] - dw_u[i]))));
  }
}

/* du_bar += dw_u + dt * hy * hy * ((w_u_S - w_u) * dnu_S + nu_S * (dw_u_S - dw_u) + ((w_u_N -
     w_u) * dnu + nu * (dw_u_N - dw_u))) + dt * hx * hx * ((w_u_W - w_u) * dnu_W + nu_W *
     (dw_u_W - dw_u) + ((w_u_E - w_u) * dnu + nu * (dw_u_E - dw_u))) */
static inline void du_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent du_bar) {
  const double *dw_u = dy_bar[0][j], *w_u_S = y_bar[0][j - 1], *w_u = y_bar[0][j],
      *dnu_S = dx[0][j - 1], *nu_S = x[0][j - 1], *dw_u_S = dy_bar[0][j - 1],
      *w_u_N = y_bar[0][j + 1], *dnu = dx[0][j], *nu = x[0][j], *dw_u_N = dy_bar[0][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(du_bar, i, dw_u[i] +
        k.dt_hy_hy * ((w_u_S[i] - w_u[i]) * dnu_S[i] + nu_S[i] * (dw_u_S[i] - dw_u[i]) +
        ((w_u_N[i] - w_u[i]) * dnu[i] + nu[i] * (dw_u_N[i] - dw_u[i]))) +
        k.dt_hx_hx * ((w_u[i - 1] - w_u[i]) * dnu[i - 1] + nu[i - 1] * (dw_u[i - 1] - dw_u[i]) +
        ((w_u[i + 1] - w_u[i]) * dnu[i] + nu[i] * (dw_u[i + 1] - dw_u[i]))));
  }
}

/* dv_bar += dw_v + dt * hy * hy * ((w_v_S - w_v) * dnu_S + nu_S * (dw_v_S - dw_v) + ((w_v_N -
     w_v) * dnu + nu * (dw_v_N - dw_v))) + dt * hx * hx * ((w_v_W - w_v) * dnu_W + nu_W *
     (dw_v_W - dw_v) + ((w_v_E - w_v) * dnu + nu * (dw_v_E - dw_v))) */
static inline void dv_bar_row(const HgBox *box, Weights k, const HgRows x[], const HgRows dx[],
    const HgRows y_bar[], const HgRows dy_bar[], int j, HgCotangent dv_bar) {
  const double *dw_v = dy_bar[1][j], *w_v_S = y_bar[1][j - 1], *w_v = y_bar[1][j],
      *dnu_S = dx[0][j - 1], *nu_S = x[0][j - 1], *dw_v_S = dy_bar[1][j - 1],
      *w_v_N = y_bar[1][j + 1], *dnu = dx[0][j], *nu = x[0][j], *dw_v_N = dy_bar[1][j + 1];
  HG_VECTOR
  for (int i = box->i0; i < box->i1; i++) {
    HgContribute(dv_bar, i, dw_v[i] +
        k.dt_hy_hy * ((w_v_S[i] - w_v[i]) * dnu_S[i] + nu_S[i] * (dw_v_S[i] - dw_v[i]) +
        ((w_v_N[i] - w_v[i]) * dnu[i] + nu[i] * (dw_v_N[i] - dw_v[i]))) +
        k.dt_hx_hx * ((w_v[i - 1] - w_v[i]) * dnu[i - 1] + nu[i - 1] * (dw_v[i - 1] - dw_v[i]) +
        ((w_v[i + 1] - w_v[i]) * dnu[i] + nu[i] * (dw_v[i + 1] - dw_v[i]))));
  }
}

/* The tangent of the adjoint, as x moves by dx and y_bar by dy_bar. */
void hg_shallow_friction_generated_second(const HgBox *box, const void *params, const HgRows x[],
                                          const HgRows dx[], const HgRows y_bar[],
                                          const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  const Weights k = weights(box, params);
  for (int j = box->j0; j < box->j1; j++) {
    const HgCotangent dnu_bar = HgCotangentRow(box, dx_bar, 0, j),
        du_bar = HgCotangentRow(box, dx_bar, 1, j), dv_bar = HgCotangentRow(box, dx_bar, 2, j);
    if (dnu_bar.row) dnu_bar_row(box, k, x, dx, y_bar, dy_bar, j, dnu_bar);
    if (du_bar.row) du_bar_row(box, k, x, dx, y_bar, dy_bar, j, du_bar);
    if (dv_bar.row) dv_bar_row(box, k, x, dx, y_bar, dy_bar, j, dv_bar);
  }
}

const HgStencil hg_shallow_friction_generated = {
    .name = "shallow_friction",
    .reads = (const HgRead[]){{"nu", 1, 1}, {"u", 1, 1}, {"v", 1, 1}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", "v", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = hg_shallow_friction_generated_second,
    .only_for = (const char *const[][2]){{"u", "nu"}, {"v", "nu"}, {NULL, NULL}},
    .sets = true,
    .stated = (const HgStated[]){{"nu", "m^2/s", HG_ANYWHERE}, {"u", "m/s", HG_X_FACE},
        {"v", "m/s", HG_Y_FACE}, {NULL, NULL, 0}},
};
