/* SPDX-License-Identifier: BSD-2-Clause */
/* Shots of a survey, one after another, and the receivers that listen; for fwi. */
#ifndef SHOTS_H
#define SHOTS_H
#include "progress.h"
#include "survey.h"
#include "wave.h"
#include <halograd/problem.h>

enum { SHOTS_STAGES = 8 };

typedef struct {
  int count, groups, receivers; /* shots; groups of ranks, 0: chosen; receivers of each shot */
  int stages, frequency[SHOTS_STAGES]; /* of each stage: up to it the wavelet reaches [Hz] */
  double listen;                       /* how long a shot is followed [s] */
  double noise;       /* of the twin, over the root mean square of a shot's readings */
  int seed;           /* of the noise */
  bool seek;          /* the wavelet is a control, too, that of all shots */
  double smooth;      /* of it: weight of H1, of what differs from the first guess */
  bool illumination;  /* the control's weight is that of Illuminate() */
  int encode, redraw; /* sums of all shots with random signs, 0: each shot for itself; how many
                         iterations they keep these */
  char table[HG_PATH_SIZE], wavelet[HG_PATH_SIZE], save[HG_PATH_SIZE]; /* files, "": none */
  Survey survey;
  HgExperiments all;       /* shots, or sums of all of them */
  double **sample;         /* [wavelets][steps + 1] each wavelet in the stage */
  double *guess;           /* [steps] where the stage begins with a wavelet that is sought */
  HgProgram *program;      /* [wavelets] with it; NULL: this group has none yet */
  HgObservations **record; /* [count] for all stages, of wavelets of files; NULL: likewise */
  HgObservations **data;   /* [count] of the stage; NULL: another group's, if there are no sums */
  int draws;               /* how often signs were drawn */
  HgProblem *problem;      /* [experiments] NULL: another group's */
  HgProblem sum;           /* the first of them in this group, as that of all */
  Progress progress;
} Shots;

/* Options -shots -groups -receivers -shots_table -wavelet -seek_wavelet -wavelet_h1 -listen
   -save_observations -frequencies -encode -redraw -illumination -noise -seed -progress;
   before HgRunCommon(). */
PetscErrorCode ShotsOptions(HgRun run, Shots *shots);

/* Reads the survey and splits the ranks; `shortest` [m]: a wave of the grid. Collective. Errors:
   those of SurveyTable(), EncodingCheck(), HgExperimentsFile() and HgExperimentsCreate(); a
   frequency with shorter waves in water; shots in files without a table, or with Ricker's wavelet;
   a wavelet that is sought, but not that of all shots. */
PetscErrorCode ShotsSplit(HgRun run, const HgCommon *common, double shortest, Shots *shots);

/* Wavelets are those of stage k from now on, also of the programs that there are. Collective. */
PetscErrorCode ShotsWavelets(Shots *shots, int k, const HgCommon *common);

/* The params with a wavelet of the survey. */
WaveParams ShotsParams(const Shots *shots, int wavelet, const HgCommon *common);

/* They are those of stage k. A wavelet that is sought, which is in `m`, becomes the one that stage
   k begins with: what the stages before have changed of that of a file is taken along, as late as
   the filter of stage k; Ricker's begins anew. Collective. */
PetscErrorCode ShotsStage(Shots *shots, int k, const HgCommon *common, HgState m);

/* The wavelet that the stage begins with, if it is sought, in `m`; nothing without. */
PetscErrorCode ShotsGuess(const Shots *shots, HgState m);

/* The program of shot e over a mesh, made as the first one with its wavelet asks for it; and its
   source in `x`. Collective on a group. */
PetscErrorCode ShotsProgram(Shots *shots, const HgCommon *common, HgMesh mesh, int e,
                            HgProgram *program);
PetscErrorCode ShotsLoad(const Shots *shots, int e, HgState x);

/* What receivers record of shots whose wavelets are those of files, for all stages: read if `truth`
   is NULL, else that of a twin with noise, and saved. Each group has those of its shots. Wavelets
   are then to be set anew. `truth` is the input of the twin, used up but for m. Collective. Errors:
   those of HgObservationsRead() and HgObservationsInside(); other data than pressure, at times that
   are not evenly apart or too far for a stage; with -encode times or receivers that differ. */
PetscErrorCode ShotsRecord(const HgCommon *common, HgMesh mesh, HgState truth, Shots *shots);

/* The data of a stage: records through its filter; of other shots a twin's anew. Collective.
   Errors: a record that is too short for the filter. */
PetscErrorCode ShotsListen(const HgCommon *common, int stage, HgState truth, Shots *shots);

/* A problem for each shot, or for each sum of shots with signs that are drawn anew, and that of
   all. `x` is like the input of the model, used up, and stays the problems'. Collective. */
PetscErrorCode ShotsPose(HgRun run, const HgCommon *common, const HgInverse *inverse,
                         HgOperator m_of_c, HgState x, Shots *shots);

/* Ends what was posed. Collective. */
PetscErrorCode ShotsClear(Shots *shots);
PetscErrorCode ShotsDestroy(Shots *shots);

#endif
