/* SPDX-License-Identifier: BSD-2-Clause */
/* Three ways to minimise J(m) = sum_e J_e(m) + R(m), each with the curve of its loss: synchronous
   and asynchronous stochastic gradient, and L-BFGS. For heat_sgd. */
#ifndef LEARNING_H
#define LEARNING_H
#include <halograd/inversion.h>
#include <halograd/picture.h>
#include <halograd/run.h>
#include <halograd/stochastic.h>

typedef enum { LEARN_LBFGS, LEARN_SYNC, LEARN_ASYNC, LEARN_WAYS } LearningWay;

extern const char *const learning_names[LEARN_WAYS + 1]; /* the last: all */

/* The points at which the loss is looked at: the first guess, and then once an epoch or
   iteration. */
typedef struct {
  int count, room;     /* points there are; that there is room for */
  double *evaluations; /* gradients of one experiment */
  double *seconds, *J;
  double *above; /* J less the lowest J of all curves */
  HgState *m;
} LearningCurve;

typedef struct Learning_s {
  int way;   /* LearningWay, LEARN_WAYS: all three */
  int batch; /* experiments in a mini-batch */
  int epochs;
  HgStochasticSpec step;
  int max_staleness; /* HG_UNBOUNDED: any */
  double patience;   /* with a worker [s] */
  HgInverse inverse; /* of L-BFGS and regularisation */
  /* to be set by the caller: */
  HgExperiments all, alone;
  int experiments;   /* there are */
  HgOperator R;      /* NULL: none */
  HgOperator J, own; /* over the batch of all groups, of this group alone; both with R */
  const char *control;
  double lowest, highest; /* of it */
  uint64_t seed;
  PetscErrorCode (*keep)(const struct Learning_s *learning, HgState m); /* workers were given up */
  const void *keeper;
  LearningCurve curve[LEARN_WAYS];
  HgStochastic stochastic; /* of the run that is on */
  char *log;               /* of the updates, as CSV, on the server */
  size_t log_size;
} Learning;

/* Options -method -batch -epochs -rule -rate -decay -momentum -max_staleness -patience -tikhonov
   -h1 -tolerance -iterations. What is set is the default. Collective. Errors: a batch larger than
   experiments; those of options.h. */
PetscErrorCode LearningOptions(HgRun run, Learning *learning);
PetscErrorCode LearningCheck(HgRun run, const Learning *learning);

/* Minimises in one way from m, which is the result in the end. Collective. */
PetscErrorCode LearningRun(HgRun run, LearningWay way, Learning *learning, HgState m);

/* J of all points of the curve, over all experiments; prints the last one. Collective. */
PetscErrorCode LearningLosses(HgRun run, LearningWay way, Learning *learning);

/* Minimises in all ways that were asked for, one after another from the same `guess`, and tells the
   losses along each; `best` is the end of that which came lowest or, if workers were given up, of
   the way that was on. Collective. */
PetscErrorCode LearningBest(HgRun run, Learning *learning, HgState guess, HgState best);

/* The curves of J above the lowest, by seconds and by gradients; returns how many there are. */
int LearningCurves(Learning *learning, HgCurve by_seconds[LEARN_WAYS],
                   HgCurve by_gradients[LEARN_WAYS]);

/* Writes the log of updates as CSV, if there is one. Collective. */
PetscErrorCode LearningLog(const Learning *learning, const char directory[]);
PetscErrorCode LearningDestroy(Learning *learning);

#endif
