/* SPDX-License-Identifier: BSD-2-Clause */
/* The shots of a survey and their receivers, for fwi. */
#ifndef SHOTS_H
#define SHOTS_H
#include "progress.h"
#include "survey.h"
#include "wave.h"
#include <halograd/problem.h>

enum { SHOTS_STAGES = 8 };

typedef struct {
  int count, groups, receivers; /* shots; groups of ranks, 0: chosen; receivers of each shot */
  int stages, frequency[SHOTS_STAGES]; /* of each stage: the wavelet's highest [Hz] */
  double listen;                       /* duration of a shot [s] */
  double noise;      /* of the twin, relative to the root mean square of a shot's readings */
  int seed;          /* of the noise */
  bool seek;         /* the wavelet, the same for all shots, is a control too */
  double smooth;     /* weight of H1 of the wavelet's change from the first guess */
  bool illumination; /* the control's weight is that of Illuminate() */
  int encode,
      redraw; /* number of sums with random signs, 0: none; iterations between draws of signs */
  char table[HG_PATH_SIZE], wavelet[HG_PATH_SIZE], save[HG_PATH_SIZE]; /* files, "": none */
  Survey survey;
  HgExperiments all;       /* shots, or sums */
  double **sample;         /* [wavelets][steps + 1] wavelets of the stage */
  double *guess;           /* [steps] the stage's first guess of a controlled wavelet */
  HgProgram *program;      /* [wavelets] NULL: not created on this group */
  HgObservations **record; /* [count] for all stages, if wavelets are files; NULL: as above */
  HgObservations **data;   /* [count] of the stage; NULL: another group's; with sums none is NULL */
  int draws;               /* how often signs were drawn */
  HgProblem *problem;      /* [experiments] NULL: another group's */
  HgProblem sum;           /* the group's first problem, as the sum of all */
  Progress progress;
} Shots;

/* Options -shots -groups -receivers -shots_table -wavelet -seek_wavelet -wavelet_h1 -listen
   -save_observations -frequencies -encode -redraw -illumination -noise -seed -progress;
   before HgRunCommon(). */
PetscErrorCode ShotsOptions(HgRun run, Shots *shots);

/* Reads the survey and splits the ranks. `shortest` [m]: the shortest wave that the grid resolves.
   Collective. Errors: those of SurveyTable(), EncodingCheck(), HgExperimentsFile() and
   HgExperimentsCreate(); a frequency with shorter waves in water; recorded shots without a table,
   or with Ricker's wavelet; a controlled wavelet that differs between shots. */
PetscErrorCode ShotsSplit(HgRun run, const HgCommon *common, double shortest, Shots *shots);

/* Sets the wavelets to those of stage k, also in existing programs. Collective. */
PetscErrorCode ShotsWavelets(Shots *shots, int k, const HgCommon *common);

/* The params with that wavelet of the survey. */
WaveParams ShotsParams(const Shots *shots, int wavelet, const HgCommon *common);

/* Sets the wavelets to those of stage k and, in `m`, a controlled wavelet to its first guess in
   stage k. For a wavelet of a file, this includes the changes found in earlier stages, delayed like
   the filter of stage k. Ricker's starts anew. Collective. */
PetscErrorCode ShotsStage(Shots *shots, int k, const HgCommon *common, HgState m);

/* Sets the wavelet in `m` to the stage's first guess, if it is controlled. */
PetscErrorCode ShotsGuess(const Shots *shots, HgState m);

/* ShotsProgram() returns the program of shot e, created for the first shot with its wavelet.
   ShotsLoad() sets the source of shot e in `x`. Collective on a group. */
PetscErrorCode ShotsProgram(Shots *shots, const HgCommon *common, HgMesh mesh, int e,
                            HgProgram *program);
PetscErrorCode ShotsLoad(const Shots *shots, int e, HgState x);

/* Records shots whose wavelets are files, for all stages. If `truth` is NULL, reads the records;
   else computes them as a twin with noise, and saves them. Each group has those of its shots. Set
   the wavelets again afterwards. `truth` is the input of the twin, overwritten except for m.
   Collective. Errors: those of HgObservationsRead() and HgObservationsInside(); data other than
   pressure; times that are not equally spaced, or too far apart for a stage; with -encode, times or
   receivers that differ. */
PetscErrorCode ShotsRecord(const HgCommon *common, HgMesh mesh, HgState truth, Shots *shots);

/* The data of a stage: the filtered records or, for Ricker's wavelet, a new twin's. Collective.
   Errors: a record that is too short for the filter. */
PetscErrorCode ShotsListen(const HgCommon *common, int stage, HgState truth, Shots *shots);

/* Creates a problem for each shot, or for each sum of shots with newly drawn signs, and the sum of
   all problems. `x` is like the input of the model; the problems overwrite it and need it until
   ShotsClear(). Collective. */
PetscErrorCode ShotsPose(HgRun run, const HgCommon *common, const HgInverse *inverse,
                         HgOperator m_of_c, HgState x, Shots *shots);

/* ShotsClear() destroys what ShotsPose() created. Collective. */
PetscErrorCode ShotsClear(Shots *shots);
PetscErrorCode ShotsDestroy(Shots *shots);

#endif
