/* SPDX-License-Identifier: BSD-2-Clause */
/* Three states of one model, for shallow_water_assimilate: a hidden sea, with wind or without; a
   free run; and the analysis, which is found. */
#ifndef SEAS_H
#define SEAS_H
#include <halograd/problem.h>

enum { SEAS_HIDDEN = 0, SEAS_FREE, SEAS_FOUND, SEAS };

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgState sea[SEAS]; /* inputs at the start of a window */
  HgState depths;    /* layer depths in all three: h_hidden, h_free, h [m] */
} Seas;

/* Fills all three with eddies of a warm layer, in balance with the Earth's rotation. The eddies of
   the hidden sea differ from those of the other two, and a wind of at most `wind` [um/s^2] drives
   it: to the east in the north, to the west in the south. Sets common->dt and common->steps to a
   window of one day. Collective. */
PetscErrorCode SeasCreate(HgRun run, HgCommon *common, double wind, Seas *seas);
PetscErrorCode SeasDestroy(Seas *seas);

/* SeasGoOn() sets the input x to continue from `final`, the carried state at the end of a run.
   SeasForecast() advances x by `steps` steps. Collective. */
PetscErrorCode SeasGoOn(HgState final, HgState x);
PetscErrorCode SeasForecast(const Seas *seas, long steps, HgState x);

/* Creates observations: n x n moorings measure the hidden sea `times` times in a window, with noise
   of standard deviation `sigma` [m]. Collective. */
PetscErrorCode SeasLook(const Seas *seas, const HgCommon *common, int n, int times, double sigma,
                        uint64_t seed, HgObservations **seen);

/* Fills seas->depths. off[0], off[1]: root mean square errors [m] of the depth of the free run and
   of the analysis. Collective. */
PetscErrorCode SeasCompare(Seas *seas, double off[2]);

#endif
