/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_wave.h"
#include <halograd/kernel.h>
#include <halograd/memory_library.h>

enum { GHOST = 4, LEVELS = 4 /* p, p_old, m, damping */ };

PetscErrorCode PeerWaveCreate(int n, PeerWave *w) {
  const size_t tall = (size_t)n + 2 * GHOST;
  size_t pitch = ((size_t)n + 2 * 8 + 7) / 8 * 8; /* rows begin at 64 bytes */
  if (pitch * sizeof(double) % 4096 == 0) pitch += 8;
  *w = (PeerWave){.n = n, .bytes = HgWholePages(LEVELS * (tall * pitch + 8 * 17) * sizeof(double))};
  w->cells = HgZeroedMemory(w->bytes);
  PetscCheck(w->cells, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes", w->bytes);
  PetscCall(PetscMalloc1(LEVELS * tall, &w->rows));
  double ***const level[LEVELS] = {&w->p, &w->p_old, &w->m, &w->damping};
  for (size_t l = 0; l < LEVELS; l++) {
    *level[l] = w->rows + l * tall + GHOST;
    for (size_t j = 0; j < tall; j++) /* no two levels begin at the same place of a page */
      w->rows[l * tall + j] = w->cells + l * (tall * pitch + 8 * 17) + j * pitch + 8;
  }
  return 0;
}

PetscErrorCode PeerWaveDestroy(PeerWave *w) {
  HgFreeMemory(w->cells, w->bytes);
  return PetscFree(w->rows);
}

static void step(PeerWave *w) {
  const double dt = w->dt, rx = 1 / (w->dx * w->dx), c0 = -205.0 / 72, c1 = 1.6, c2 = -0.2,
               c3 = 8.0 / 315, c4 = -1.0 / 560;
  for (int j = 0; j < w->n; j++) {
    double *const old = w->p_old[j];
    const double *const p = w->p[j], *const m = w->m[j], *const damping = w->damping[j],
                        *s1 = w->p[j - 1], *n1 = w->p[j + 1], *s2 = w->p[j - 2], *n2 = w->p[j + 2],
                        *s3 = w->p[j - 3], *n3 = w->p[j + 3], *s4 = w->p[j - 4], *n4 = w->p[j + 4];
    HG_VECTOR
    for (int i = 0; i < w->n; i++) {
      const double a = dt * damping[i];
      const double lap = 2 * c0 * p[i] + c1 * (p[i - 1] + p[i + 1] + s1[i] + n1[i]) +
                         c2 * (p[i - 2] + p[i + 2] + s2[i] + n2[i]) +
                         c3 * (p[i - 3] + p[i + 3] + s3[i] + n3[i]) +
                         c4 * (p[i - 4] + p[i + 4] + s4[i] + n4[i]);
      old[i] = (2 * p[i] - (1 - a) * old[i] + dt * dt * rx * m[i] * lap) / (1 + a);
    }
  }
  for (int k = 0; k < PEER_WAVE_SHOTS; k++) {
    const int i = w->shot[k][0], j = w->shot[k][1];
    const double a = dt * w->damping[j][i];
    w->p_old[j][i] += dt * dt * w->wavelet[w->step] * w->amplitude / (1 + a);
  }
}

PetscErrorCode PeerWaveRun(void *self) {
  PeerWave *w = self;
  for (int k = 0; k < w->steps; k++, w->step++) {
    step(w);
    double **const used = w->p;
    w->p = w->p_old, w->p_old = used;
  }
  return 0;
}
