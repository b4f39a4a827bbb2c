/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/levels/own_volume.h -- heat and sound on n^3 cells, solved by halograd: the problems of
   peers/heat_problem.py and peers/wave_problem.py with levels.

   heat     the unit cube, u = 0 beyond its sides, kappa from 0.5 to 1.5
   sound    cells of 10 m, c = sqrt(m) about 2000 m/s, a sponge 150 m wide, a smooth p at the start,
            four point sources that go on */
#ifndef HALOGRAD_OWN_VOLUME_H
#define HALOGRAD_OWN_VOLUME_H

#include "own_program.h"

typedef struct {
  double *wavelet; /* by step, of sound */
  HgMesh mesh;
  HgProgram program;
  HgState x;
} OwnVolume;

/* Collective; of sound for at most `steps` steps. */
PetscErrorCode OwnVolumeHeat(MPI_Comm comm, int n, OwnVolume *own);
PetscErrorCode OwnVolumeSound(MPI_Comm comm, int n, long steps, OwnVolume *own);
PetscErrorCode OwnVolumeDestroy(OwnVolume *own);

/* d of J = 1/2 |u(T) - d|^2 of heat. Collective. */
PetscErrorCode OwnVolumeData(HgState data);

#endif
