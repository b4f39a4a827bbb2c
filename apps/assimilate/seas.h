/* SPDX-License-Identifier: BSD-2-Clause */
/* Three seas of one model, for shallow_water_assimilate: a hidden one, over which a wind may blow,
   a free run, and what is found. */
#ifndef SEAS_H
#define SEAS_H
#include <halograd/problem.h>

enum { SEAS_HIDDEN = 0, SEAS_FREE, SEAS_FOUND, SEAS };

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgState sea[SEAS]; /* inputs: at the start of a window */
  HgState depths;    /* of the layer in all of them: h_hidden, h_free, h [m] */
} Seas;

/* Eddies of a warm layer in balance with the Earth's rotation. The hidden sea has others than both
   that suppose them, and a wind that pushes by `wind` [um/s^2] at most: to the east in the north,
   to the west in the south. common->dt and common->steps become those of a window of a day.
   Collective. */
PetscErrorCode SeasCreate(HgRun run, HgCommon *common, double wind, Seas *seas);
PetscErrorCode SeasDestroy(Seas *seas);

/* The input x goes on from `final`, what steps carry at the end of a run; so it does after `steps`
   steps of its own. Collective. */
PetscErrorCode SeasGoOn(HgState final, HgState x);
PetscErrorCode SeasForecast(const Seas *seas, long steps, HgState x);

/* What n x n moorings see of the hidden sea `times` times in a window, with noise of `sigma` [m].
   Collective. */
PetscErrorCode SeasLook(const Seas *seas, const HgCommon *common, int n, int times, double sigma,
                        uint64_t seed, HgObservations **seen);

/* Fills depths; off[0], off[1]: by how much those of the free run and of what was found are off
   [m], root mean square. Collective. */
PetscErrorCode SeasCompare(Seas *seas, double off[2]);

#endif
