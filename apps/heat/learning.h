/* SPDX-License-Identifier: BSD-2-Clause */
/* Three ways to minimise J(m) = sum_e J_e(m) + R(m): synchronous and asynchronous stochastic
   gradient, and L-BFGS, each with its loss curve. For heat_sgd. */
#ifndef LEARNING_H
#define LEARNING_H
#include <halograd/inversion.h>
#include <halograd/picture.h>
#include <halograd/run.h>
#include <halograd/stochastic.h>

typedef enum { LEARN_LBFGS, LEARN_SYNC, LEARN_ASYNC, LEARN_WAYS } LearningWay;

extern const char *const learning_names[LEARN_WAYS + 1]; /* the last: all */

/* Points of a loss curve: the first guess, then one per epoch or iteration. */
typedef struct {
  int count, room;     /* points; room for points */
  double *evaluations; /* so far, of single experiments */
  double *seconds, *J;
  double *above; /* J minus the lowest J of all curves */
  HgState *m;
} LearningCurve;

typedef struct Learning_s {
  int way;   /* LearningWay, LEARN_WAYS: all three */
  int batch; /* experiments in a mini-batch */
  int epochs;
  HgStochasticSpec step;
  int max_staleness; /* HG_UNBOUNDED: any */
  double patience;   /* how long to wait for a worker [s] */
  HgInverse inverse; /* of L-BFGS and regularisation */
  /* set by the caller: */
  HgExperiments all, alone;
  int experiments;   /* number of experiments */
  HgOperator R;      /* NULL: none */
  HgOperator J, own; /* over the batch of all groups, of this group alone; both with R */
  const char *control;
  double lowest, highest; /* its bounds */
  uint64_t seed;
  PetscErrorCode (*keep)(const struct Learning_s *learning,
                         HgState m); /* called if workers were given up */
  const void *keeper;
  LearningCurve curve[LEARN_WAYS];
  HgStochastic stochastic; /* of the current run */
  char *log;               /* of the updates, as CSV, on the server */
  size_t log_size;
} Learning;

/* Options -method -batch -epochs -rule -rate -decay -momentum -max_staleness -patience -tikhonov
   -h1 -tolerance -iterations. *learning has the defaults. Collective. Errors: a batch larger than
   the number of experiments; those of options.h. */
PetscErrorCode LearningOptions(HgRun run, Learning *learning);
PetscErrorCode LearningCheck(HgRun run, const Learning *learning);

/* Minimises in one way from m; m then has the result. Collective. */
PetscErrorCode LearningRun(HgRun run, LearningWay way, Learning *learning, HgState m);

/* Computes J at all points of the curve, over all experiments; prints the last one. Collective. */
PetscErrorCode LearningLosses(HgRun run, LearningWay way, Learning *learning);

/* Minimises in all requested ways, one after another, each from `guess`, and prints the losses.
   `best`: the result with the lowest loss or, if workers were given up, that of the current way.
   Collective. */
PetscErrorCode LearningBest(HgRun run, Learning *learning, HgState guess, HgState best);

/* Curves of J - lowest J, by seconds and by gradients. Returns how many there are. */
int LearningCurves(Learning *learning, HgCurve by_seconds[LEARN_WAYS],
                   HgCurve by_gradients[LEARN_WAYS]);

/* Writes the log of updates as CSV, if there is one. Collective. */
PetscErrorCode LearningLog(const Learning *learning, const char directory[]);
PetscErrorCode LearningDestroy(Learning *learning);

#endif
