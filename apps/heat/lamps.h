/* SPDX-License-Identifier: BSD-2-Clause */
/* Many experiments on one plate of heat_case.h: in each another lamp heats it, thermometers stand
   all over. For heat_sgd. */
#ifndef LAMPS_H
#define LAMPS_H
#include "heat_control.h"

typedef struct {
  int count, groups;       /* experiments; groups of ranks, 0: chosen */
  int sensors, times;      /* sensors x sensors thermometers, read so often */
  double noise;            /* of the twin, relative to an experiment's largest temperature */
  int seed;                /* of the noise */
  char save[HG_PATH_SIZE]; /* where the twin's data go, "": nowhere */
  HeatControlSpec spec;
  HgExperiments all, alone; /* over all groups; over the caller's group alone */
  HgObservations **data;    /* [count], until the problems have them */
  HgProblem *problem;       /* [count] J_e(m), each with the same control */
  HgOperator *part;         /* [count] m -> its misfit, the problem's own */
  HgOperator sum;           /* of the misfits over the batch of `all` */
  HgOperator J, own;        /* J(m) over the batch of `all`; of `alone`; both with R */
} Lamps;

/* Options -experiments -groups -sensors -noise -seed -save_observations and those of
   HeatControlOptions(); before HgRunCommon(). What is set is the default. */
PetscErrorCode LampsOptions(HgRun run, Lamps *lamps);

/* Splits the ranks; to be called before HeatCreate(). Collective. Errors: those of
   HgExperimentsCreate(); the names of files have no %d for the experiment's number. */
PetscErrorCode LampsSplit(HgRun run, const HgCommon *common, Lamps *lamps);

/* Reads what common->observations names, or computes it on a mesh twice as fine with the hidden
   diffusivity and adds noise, each group its share of the experiments. Collective. Errors: a file
   that is missing or not right, by its name. */
PetscErrorCode LampsObserve(const HgCommon *common, const Heat *heat, Lamps *lamps);

/* A problem for each experiment, and J(m) = sum_e J_e(m) + R(m). heat->x is used up. Collective.
   Errors: a sensor outside the plate, a time after the end. */
PetscErrorCode LampsCreate(HgRun run, const HgCommon *common, const HgInverse *inverse, Heat *heat,
                           Lamps *lamps);
PetscErrorCode LampsDestroy(Lamps *lamps);

#endif
