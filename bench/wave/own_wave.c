/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_wave.h"
#include "acoustic.h"
#include <math.h>

static const double cell = 10, dt = 1.5e-3, amplitude = 1e4;

typedef struct {
  double length; /* of a side [m] */
} Place;

static double pressure(double x, double y, void *at) {
  const double l = ((Place *)at)->length;
  return 1 + 0.5 * sin(3 * x / l) * cos(2 * y / l);
}

static double squared_speed(double x, double y, void *at) {
  const double l = ((Place *)at)->length;
  return 4e6 * (1 + 0.25 * sin(3 * x / l) * cos(2 * y / l));
}

static double damping(double x, double y, void *at) {
  const double width = 150, inner = ((Place *)at)->length - cell - width;
  const double depth = fmax(fmax(width - x, x - inner), fmax(width - y, y - inner)) / width;
  return depth > 0 ? 70 * depth * depth : 0;
}

/* Shot k is in cell (n (1 + k) / 5, n / 4). */
static void shot(int n, int k, int at[2]) { at[0] = n * (1 + k) / 5, at[1] = n / 4; }

static PetscErrorCode set_shots(OwnWave *o) {
  const HgPatch *patch = HgMeshGetPatch(o->mesh);
  const int source = HgStateFind(o->x, "source");
  for (int k = 0; k < PEER_WAVE_SHOTS; k++) {
    int at[2];
    shot(o->n, k, at);
    const int i = at[0] - patch->i_global, j = at[1] - patch->j_global;
    if (i >= 0 && i < patch->nx && j >= 0 && j < patch->ny)
      HgStateRows(o->x, source)[j][i] = amplitude;
  }
  HgStateSetGhostDepth(o->x, source, 0);
  return 0;
}

PetscErrorCode OwnWaveCreate(MPI_Comm comm, int n, int ghost, long steps, OwnWave *o) {
  const HgMeshSpec spec = {.nx = n, .ny = n, .dx = cell, .dy = cell, .ghost = ghost};
  Place at = {cell * n};
  *o = (OwnWave){.n = n};
  PetscCall(PetscMalloc1(steps, &o->wavelet));
  for (long k = 0; k < steps; k++) o->wavelet[k] = sin(2 * PETSC_PI * 15 * dt * (double)(k + 1));
  const AcousticParams params = {o->wavelet, steps};
  PetscCall(HgMeshCreate(comm, &spec, &o->mesh));
  PetscCall(HgProgramCreate(o->mesh, "wave", dt, &o->program));
  PetscCall(HgProgramAddStencil(o->program, &acoustic, &params));
  PetscCall(HgProgramSetBoundary(o->program, "p", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetBoundary(o->program, "p_old", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(o->program));
  PetscCall(HgProgramCreateInput(o->program, &o->x));
  PetscCall(HgStateSetField(o->x, "p", pressure, &at));
  PetscCall(HgStateSetField(o->x, "p_old", pressure, &at));
  PetscCall(HgStateSetField(o->x, "m", squared_speed, &at));
  PetscCall(HgStateSetField(o->x, "damping", damping, &at));
  return set_shots(o);
}

PetscErrorCode OwnWaveDestroy(OwnWave *o) {
  PetscCall(HgStateDestroy(&o->x));
  PetscCall(HgProgramDestroy(&o->program));
  PetscCall(PetscFree(o->wavelet));
  return HgMeshDestroy(&o->mesh);
}

PetscErrorCode OwnWavePeer(const OwnWave *o, int steps, PeerWave *p) {
  const char *const names[] = {"p", "p_old", "m", "damping"};
  PetscCall(PeerWaveCreate(o->n, p));
  p->dx = cell, p->dt = dt, p->wavelet = o->wavelet, p->amplitude = amplitude, p->steps = steps;
  for (int k = 0; k < PEER_WAVE_SHOTS; k++) shot(o->n, k, p->shot[k]);
  double **const level[] = {p->p, p->p_old, p->m, p->damping};
  for (int k = 0; k < 4; k++) {
    HgReal *const *from = HgStateRows(o->x, HgStateFind(o->x, names[k]));
    for (int j = 0; j < o->n; j++) PetscCall(PetscArraycpy(level[k][j], from[j], o->n));
  }
  return 0;
}

PetscErrorCode OwnWaveSame(HgState q, const PeerWave *p) {
  HgReal *const *ours = HgStateRows(q, HgStateFind(q, "p"));
  double difference = 0, value = 0;
  for (int j = 0; j < p->n; j++)
    for (int i = 0; i < p->n; i++) {
      difference = fmax(difference, fabs(ours[j][i] - p->p[j][i]));
      value = fmax(value, fabs(p->p[j][i]));
    }
  HgRequire(PETSC_COMM_SELF, value > 0 && difference <= 1e-10 * value, HG_ERR_CHECK_FAILED,
            "bench: 'p' differs from the plain loop's by %g of at most %g, expected 1e-10 of it",
            difference, value);
  return 0;
}
