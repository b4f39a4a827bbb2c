/* SPDX-License-Identifier: BSD-2-Clause */
/* Shots along the surface of the sea, one after another, and the receivers that listen; for fwi. */
#ifndef SHOTS_H
#define SHOTS_H
#include "section.h"
#include <halograd/problem.h>

enum { SHOTS_STAGES = 8 };

typedef struct {
  int count, groups, receivers; /* shots; groups of ranks, 0: chosen; receivers of each shot */
  int stages, frequency[SHOTS_STAGES]; /* of each stage: up to it the wavelet reaches [Hz] */
  double noise; /* of the twin, over the root mean square of a shot's readings */
  int seed;     /* of the noise */
  HgExperiments all;
  double *wavelet;    /* [steps + 1] of the stage */
  HgProblem *problem; /* [count] of the stage, on one program; NULL: another group's */
  HgOperator *part;   /* [count] c -> its misfit, the problem's own; NULL: another group's */
  HgOperator R, J;    /* R(c), NULL: none; J(c), the sum of all */
} Shots;

/* Options -shots -groups -receivers -frequencies -noise -seed; before HgRunCommon(). */
PetscErrorCode ShotsOptions(HgRun run, Shots *shots);

/* Splits the ranks; `shortest` [m]: a wave of the grid. Collective. Errors: those of
   HgExperimentsCreate(); a frequency with shorter waves in water. */
PetscErrorCode ShotsSplit(HgRun run, double shortest, Shots *shots);

/* The program's wavelet is that of stage k from now on. Collective. */
PetscErrorCode ShotsWavelet(Shots *shots, int k, const HgCommon *common, HgProgram program);

/* Data of a twin, each group those of its shots: what receivers hear over the hidden ground, with
   noise; then a problem for each shot, and J. `x` is the input of the model, `truth` that of the
   twin; both are used up but for m. Collective. */
PetscErrorCode ShotsFire(HgRun run, const HgCommon *common, const HgInverse *inverse, int stage,
                         HgProgram program, HgOperator m_of_c, HgState x, HgState truth,
                         Shots *shots);

/* Ends a stage. Collective. */
PetscErrorCode ShotsClear(Shots *shots);
PetscErrorCode ShotsDestroy(Shots *shots);

#endif
