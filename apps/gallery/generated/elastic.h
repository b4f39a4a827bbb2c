/* elastic.h -- written by hgstencil 7 from elastic.stencil: change that, not this.

     vx' = keep * (vx + dt / rho * ((sxx_E - sxx) / dx + (sxy - sxy_S) / dy))
     vy' = keep * (vy + dt / rho * ((sxy - sxy_W) / dx + (syy_N - syy) / dy + wavelet[step] *
       force))
     sxx' = keep * (sxx + dt * ((lambda + 2 * mu) * exx + lambda * eyy))
     syy' = keep * (syy + dt * (lambda * exx + (lambda + 2 * mu) * eyy))
     sxy' = keep * (sxy + dt * mu_corner * ((vx_N - vx) / dy + (vy_E - vy) / dx)) */
/* clang-format off */
#ifndef ELASTIC_H
#define ELASTIC_H

#include <halograd/kernel.h>

typedef struct {
  double rho;
  const double *wavelet; /* read by step */
  long wavelet_count; /* entries; beyond them it is 0 */
} ElasticVelocityParams;

/* vx, vy, sxx, syy, sxy, keep, force -> vx, vy; ElasticVelocityParams */
extern const HgStencil elastic_velocity;
extern HgSecondFn elastic_velocity_second;

/* sxx, syy, sxy, vx, vy, lambda, mu, keep -> sxx, syy, sxy */
extern const HgStencil elastic_stress;
extern HgSecondFn elastic_stress_second;

#endif
