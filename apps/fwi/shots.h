/* SPDX-License-Identifier: BSD-2-Clause */
/* Shots of a survey, one after another, and the receivers that listen; for fwi. */
#ifndef SHOTS_H
#define SHOTS_H
#include "survey.h"
#include "wave.h"
#include <halograd/problem.h>

enum { SHOTS_STAGES = 8 };

typedef struct {
  int count, groups, receivers; /* shots; groups of ranks, 0: chosen; receivers of each shot */
  int stages, frequency[SHOTS_STAGES]; /* of each stage: up to it the wavelet reaches [Hz] */
  double noise; /* of the twin, over the root mean square of a shot's readings */
  int seed;     /* of the noise */
  char table[HG_PATH_SIZE], wavelet[HG_PATH_SIZE]; /* files, "": none */
  Survey survey;
  HgExperiments all;
  double **sample;       /* [wavelets][steps + 1] each wavelet in the stage */
  HgProgram *program;    /* [wavelets] with it; NULL: this group has none yet */
  HgObservations **data; /* [count] of the stage; NULL: another group's */
  HgProblem *problem;    /* [count] likewise */
  HgOperator *part;      /* [count] c -> its misfit, the problem's own; likewise */
  HgOperator R, J;       /* R(c), NULL: none; J(c), the sum of all */
} Shots;

/* Options -shots -groups -receivers -shots_table -wavelet -frequencies -noise -seed; before
   HgRunCommon(). */
PetscErrorCode ShotsOptions(HgRun run, Shots *shots);

/* Reads the survey and splits the ranks; `shortest` [m]: a wave of the grid. Collective. Errors:
   those of SurveyTable() and HgExperimentsCreate(); a frequency with shorter waves in water. */
PetscErrorCode ShotsSplit(HgRun run, const HgCommon *common, double shortest, Shots *shots);

/* Wavelets are those of stage k from now on, also of the programs that there are. Collective. */
PetscErrorCode ShotsWavelets(Shots *shots, int k, const HgCommon *common);

/* The params with a wavelet of the survey. */
WaveParams ShotsParams(const Shots *shots, int wavelet, const HgCommon *common);

/* Data of a twin, each group those of its shots: what receivers hear over the hidden ground, with
   noise. `truth` is the input of the twin, used up but for m. Collective. */
PetscErrorCode ShotsListen(const HgCommon *common, int stage, HgState truth, Shots *shots);

/* A problem for each shot, and J. `x` is the input of the model, used up but for m. Collective. */
PetscErrorCode ShotsPose(HgRun run, const HgCommon *common, const HgInverse *inverse,
                         HgOperator m_of_c, HgState x, Shots *shots);

/* Ends what was posed. Collective. */
PetscErrorCode ShotsClear(Shots *shots);
PetscErrorCode ShotsDestroy(Shots *shots);

#endif
