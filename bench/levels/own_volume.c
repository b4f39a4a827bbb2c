/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_volume.h"
#include <acoustic_volume.h>
#include <heat_volume.h>
#include <math.h>

/* ---- heat ---- */

static double kappa(double x, double y, double z, void *unused) {
  (void)unused;
  return 1 + 0.5 * sin(5 * x + 0.3) * cos(4 * y - z);
}

static double initial(double x, double y, double z, void *unused) {
  (void)unused;
  return sin(M_PI * x) * sin(2 * M_PI * y) * cos(z) + x * (1 - y);
}

static double data(double x, double y, double z, void *unused) {
  (void)unused;
  return x * y + cos(3 * x - z);
}

PetscErrorCode OwnVolumeHeat(MPI_Comm comm, int n, OwnVolume *o) {
  const double h = 1.0 / n, dt = 0.8 / (6 * 1.5 * n * n);
  const HgMeshSpec cube = {
      .nx = n, .ny = n, .nz = n, .x0 = h / 2, .y0 = h / 2, .z0 = h / 2, .dx = h, .dy = h, .dz = h};
  *o = (OwnVolume){.wavelet = NULL};
  PetscCall(HgMeshCreate(comm, &cube, &o->mesh));
  PetscCall(HgProgramCreatePhysics(o->mesh, &heat_volume_physics, NULL, dt, &o->program));
  PetscCall(HgProgramSetUp(o->program));
  PetscCall(HgProgramCreateInput(o->program, &o->x));
  PetscCall(HgStateSetVolume(o->x, "u", initial, NULL));
  return HgStateSetVolume(o->x, "kappa", kappa, NULL);
}

PetscErrorCode OwnVolumeData(HgState state) { return HgStateSetVolume(state, "u", data, NULL); }

/* ---- sound ---- */

enum { SHOTS = 4 };

static const double cell = 10, sound_dt = 1.5e-3, amplitude = 1e4;

typedef struct {
  int n;
  double length; /* of a side [m] */
} Place;

static double pressure(double x, double y, double z, void *at) {
  const double l = ((Place *)at)->length;
  return 1 + 0.5 * sin(3 * x / l) * cos(2 * y / l - z / l);
}

static double squared_speed(double x, double y, double z, void *at) {
  const double l = ((Place *)at)->length;
  return 4e6 * (1 + 0.25 * sin(3 * x / l) * cos(2 * y / l - z / l));
}

static double within(double x, double inner) {
  return fmax(150 - x, x - inner); /* [m] of the sponge */
}

static double damping(double x, double y, double z, void *at) {
  const double inner = ((Place *)at)->length - cell - 150;
  const double depth = fmax(fmax(within(x, inner), within(y, inner)), within(z, inner)) / 150;
  return depth > 0 ? 70 * depth * depth : 0;
}

/* Shot k is in cell (n (1 + k) / 5, n / 4, n / 4). */
static double shots(double x, double y, double z, void *at) {
  const int n = ((Place *)at)->n;
  double sum = 0;
  for (int k = 0; k < SHOTS; k++) {
    const double here[] = {x - cell * (n * (1 + k) / 5), y - cell * (n / 4), z - cell * (n / 4)};
    if (fmax(fmax(fabs(here[0]), fabs(here[1])), fabs(here[2])) < 0.5 * cell) sum = amplitude;
  }
  return sum;
}

PetscErrorCode OwnVolumeSound(MPI_Comm comm, int n, long steps, OwnVolume *o) {
  const HgMeshSpec cube = {.nx = n, .ny = n, .nz = n, .dx = cell, .dy = cell, .dz = cell};
  Place at = {n, cell * n};
  *o = (OwnVolume){.wavelet = NULL};
  PetscCall(PetscMalloc1(steps, &o->wavelet));
  for (long k = 0; k < steps; k++)
    o->wavelet[k] = sin(2 * PETSC_PI * 15 * sound_dt * (double)(k + 1));
  const AcousticVolumeParams params = {o->wavelet, steps};
  PetscCall(HgMeshCreate(comm, &cube, &o->mesh));
  PetscCall(
      HgProgramCreatePhysics(o->mesh, &acoustic_volume_physics, &params, sound_dt, &o->program));
  PetscCall(HgProgramSetUp(o->program));
  PetscCall(HgProgramCreateInput(o->program, &o->x));
  PetscCall(HgStateSetVolume(o->x, "p", pressure, &at));
  PetscCall(HgStateSetVolume(o->x, "p_old", pressure, &at));
  PetscCall(HgStateSetVolume(o->x, "m", squared_speed, &at));
  PetscCall(HgStateSetVolume(o->x, "damping", damping, &at));
  return HgStateSetVolume(o->x, "source", shots, &at);
}

PetscErrorCode OwnVolumeDestroy(OwnVolume *o) {
  PetscCall(HgStateDestroy(&o->x));
  PetscCall(HgProgramDestroy(&o->program));
  PetscCall(PetscFree(o->wavelet));
  return HgMeshDestroy(&o->mesh);
}
