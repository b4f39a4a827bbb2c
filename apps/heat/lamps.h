/* SPDX-License-Identifier: BSD-2-Clause */
/* Many experiments on one plate of heat_case.h, each heated by another lamp, with thermometers all
   over. For heat_sgd. */
#ifndef LAMPS_H
#define LAMPS_H
#include "heat_control.h"

typedef struct {
  int count, groups;       /* experiments; groups of ranks, 0: chosen */
  int sensors, times;      /* sensors x sensors thermometers; readings of each */
  double noise;            /* of the twin, relative to an experiment's largest temperature */
  int seed;                /* of the noise */
  char save[HG_PATH_SIZE]; /* folder for the twin's data, "": none */
  HeatControlSpec spec;
  HgExperiments all, alone; /* over all groups; over the caller's group alone */
  HgObservations **data;    /* [count] until the problems own them */
  HgProblem *problem;       /* [count] J_e(m), each with the same control */
  HgOperator *part;         /* [count] m -> the misfit, owned by the problem */
  HgOperator sum;           /* sum of the misfits over the batch of `all` */
  HgOperator J, own;        /* J(m) over the batch of `all`, and of `alone`; both with R */
} Lamps;

/* Options -experiments -groups -sensors -noise -seed -save_observations and those of
   HeatControlOptions(). Call it before HgRunCommon(). *lamps has the defaults. */
PetscErrorCode LampsOptions(HgRun run, Lamps *lamps);

/* Splits the ranks. Call it before HeatCreate(). Collective. Errors: those of
   HgExperimentsCreate(); names of files without a %d for the number of the experiment. */
PetscErrorCode LampsSplit(HgRun run, const HgCommon *common, Lamps *lamps);

/* Reads the files common->observations. Without them, computes the data on a mesh twice as fine
   with the hidden diffusivity, and adds noise; each group computes its experiments. Collective.
   Errors: a file that is missing or damaged, with its name. */
PetscErrorCode LampsObserve(const HgCommon *common, const Heat *heat, Lamps *lamps);

/* Creates a problem for each experiment, and J(m) = sum_e J_e(m) + R(m). Overwrites heat->x.
   Collective. Errors: a sensor outside the plate; a time after the end. */
PetscErrorCode LampsCreate(HgRun run, const HgCommon *common, const HgInverse *inverse, Heat *heat,
                           Lamps *lamps);
PetscErrorCode LampsDestroy(Lamps *lamps);

#endif
