/* What the two forms of heat share: the weights of a step and the gather loop of the adjoints. */
#ifndef HALOGRAD_HEAT_PRIVATE_H
#define HALOGRAD_HEAT_PRIVATE_H

#include <halograd/five_point.h>
#include <halograd/heat.h>
#include <math.h>
#include <stddef.h>

/* dt [s], s = exp(-decay t), 0 without params; rx = share / dx^2 and ry = share / dy^2 [1/m^2] */
typedef struct {
  double dt, s, rx, ry;
} HgHeatWeights;

static inline HgHeatWeights heat_weights(const HgBox *b, const void *params, double share) {
  const HgHeatParams *p = params;
  return (HgHeatWeights){b->dt, p ? exp(-p->decay * b->t) : 0, share / (b->dx * b->dx),
                         share / (b->dy * b->dy)};
}

/* The contributions of w around cell i to it, `other` being the factor that is held. */
typedef double HgHeatOwed(HgHeatWeights c, HgAround other, HgAround w, int i);

/* Row by row, so that w comes from memory once; u_bar and kappa_bar together, the case of every
   inversion for kappa, in one loop: 1.2 times as fast from memory as two. NULL: not asked for. */
__attribute__((always_inline)) static inline void
heat_gather(const HgBox *b, HgHeatWeights c, HgHeatOwed *u_owed, HgHeatOwed *kappa_owed,
            const HgRows x[], HgRows w_rows, HgRowsOut u_rows, HgRowsOut kappa_rows,
            HgRowsOut f_rows) {
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround kappa = HgRowsAround(x[1], j), w = HgRowsAround(w_rows, j);
    const HgAround u = kappa_rows ? HgRowsAround(x[0], j) : kappa; /* read for kappa_bar only */
    double *u_bar = u_rows ? u_rows[j] : NULL, *kappa_bar = kappa_rows ? kappa_rows[j] : NULL;
    double *f_bar = f_rows ? f_rows[j] : NULL;
    if (u_bar && kappa_bar) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) {
        u_bar[i] += u_owed(c, kappa, w, i);
        kappa_bar[i] += kappa_owed(c, u, w, i);
      }
    } else if (u_bar) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) u_bar[i] += u_owed(c, kappa, w, i);
    } else if (kappa_bar) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) kappa_bar[i] += kappa_owed(c, u, w, i);
    }
    if (f_bar) {
      HG_VECTOR
      for (int i = b->i0; i < b->i1; i++) f_bar[i] += c.dt * (c.s * w.at[i]);
    }
  }
}

#endif
