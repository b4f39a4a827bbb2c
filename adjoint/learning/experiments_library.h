/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/experiments_library.h -- mini-batches of HgExperimentsDraw(). */
#ifndef HG_EXPERIMENTS_LIBRARY_H
#define HG_EXPERIMENTS_LIBRARY_H

#include <halograd/experiments.h>

/* Sets the experiments that count from now on; NULL: the first `size`. The same on every rank.
   Collective. Errors: size or an experiment out of range. */
PetscErrorCode HgExperimentsSetBatch(HgExperiments experiments, int size, const int batch[]);

/* batch[] = mini-batch n: `size` of the experiments 0 .. count - 1, 1 <= size <= count. */
void HgStochasticDraw(uint64_t seed, long n, int count, int size, int batch[]);

#endif
