/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/stochastic.h -- steps along gradients of a part of the data, and which part.

     momentum   v' = mu v + g                    m' = m - rate v'        (Polyak 1964; mu 0: plain)
     Adam       v' = b1 v + (1 - b1) g           m' = m - rate (v' / (1 - b1^n))
                s' = b2 s + (1 - b2) g^2                     / (sqrt(s' / (1 - b2^n)) + eps)
   in step n = 1, 2, ..., with rate = rate_1 / (1 + decay (n - 1)) and g the L2 gradient: dJ/dm over
   the cell area for fields, dJ/dm for arrays, so that rates do not depend on the grid. What leaves
   the bounds is put back on them. Nothing communicates: ranks, or groups of ranks, that hold the
   same numbers and take the same steps keep the same bits.
   Source of Adam: Kingma & Ba, ICLR 2015. */
#ifndef HALOGRAD_STOCHASTIC_H
#define HALOGRAD_STOCHASTIC_H

#include <halograd/state.h>

typedef enum { HG_MOMENTUM, HG_ADAM } HgStochasticRule;

typedef struct {
  HgStochasticRule rule;
  double rate;  /* of the first step, > 0 */
  double decay; /* >= 0 */
  double first; /* mu or b1, in [0, 1) */
  /* b2 in [0, 1) and eps > 0, of Adam */
  double second, epsilon;
} HgStochasticSpec;

/* A stochastic descent and what it remembers. */
typedef struct HgStochastic_s *HgStochastic;

/* For controls like `m` (a pattern), free on both sides. Collective. Errors: numbers out of range.
 */
PetscErrorCode HgStochasticCreate(HgState m, const HgStochasticSpec *spec,
                                  HgStochastic *stochastic);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgStochasticDestroy(HgStochastic *stochastic);

/* lower <= control <= upper from now on. Collective. Errors: unknown control, lower > upper, NaN.
 */
PetscErrorCode HgStochasticSetBounds(HgStochastic stochastic, const char control[], double lower,
                                     double upper);

/* One step; gradient = dJ/dm as adjoints give it. Collective. Errors: states of another pattern; a
   gradient, or a step, that is not finite: m is then as it was. */
PetscErrorCode HgStochasticStep(HgStochastic stochastic, HgState gradient, HgState m);

/* The mini-batch of step n = 0, 1, ...: `size` of the experiments 0 .. count - 1, 1 <= size <=
   count. Every epoch of count / size (rounded down) steps deals all experiments in an order of its
   own, so that none comes twice in an epoch. The same wherever it is called: a function of its
   arguments. */
void HgStochasticDraw(uint64_t seed, long n, int count, int size, int batch[]);

#endif
