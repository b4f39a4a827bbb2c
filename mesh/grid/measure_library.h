/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/measure.h -- what a variable of a state is in a few numbers, the same bits on any
   decomposition: norm, least, largest, where, and digest. */
#ifndef HG_MEASURE_LIBRARY_H
#define HG_MEASURE_LIBRARY_H

#include <halograd/state.h>

/* Places are global cells (i, j) of a field, with their level; (k, 0) is entry k of an array, (k,
   r) that of rank r of an array of each rank's own. Of equal numbers the first counts in natural
   order (level, then j, then i). A NaN is the largest: `largest` is the first of them. */
typedef struct {
  double norm;                    /* sqrt(sum x^2), exactly summed; NaN if a square is not finite */
  double least, largest;          /* NaN of an empty array */
  int least_at[3], largest_at[3]; /* (i, j, level) */
  char digest[17];                /* as HgStateDigest() */
} HgMeasure;

/* measure[k], k < HgStateCount(state), on every rank, of the variables whose `kept` is true (NULL:
   all); the others are left alone. `digest`: with it, else "". Collective: a reduction of exact
   sums, a gather of extremes, and what HgStateDigest() sends. */
PetscErrorCode HgStateMeasure(HgState state, const bool kept[], bool digest, HgMeasure measure[]);

/* The same, row by row while the rows are in the cache for another reason. */
typedef struct HgMeasuring_s *HgMeasuring;

/* Not collective; `state` is borrowed and stays as it is, `kept` is read at once. */
PetscErrorCode HgMeasuringBegin(HgState state, const bool kept[], bool digest,
                                HgMeasuring *measuring);

/* Owned row j of variable k is in the cache. Rows of a field count from south to north: one that
   comes before its turn is looked at later. Not collective. */
void HgMeasuringRow(HgMeasuring measuring, int k, int j);

/* Looks at what is left, and ends as HgStateMeasure(). Collective. */
PetscErrorCode HgMeasuringEnd(HgMeasuring *measuring, HgMeasure measure[]);

/* Without an answer. */
PetscErrorCode HgMeasuringDestroy(HgMeasuring *measuring);

/* Units in the last place between a and b: how many steps of nextafter() lead from one to the
   other; 0 for equal numbers, +0 and -0 included; UINT64_MAX if one is a NaN and the other is not.
   */
uint64_t HgUlps(double a, double b);

/* A limit as it is printed, in six digits: what is given back must not be above it. */
double HgRoundDown(double limit);

/* How far above a limit rounding may carry what is equal to it. */
double HgRoundUp(double limit);

/* Refuses a time step dt above the largest stable one; `what` is its name. Collective. */
PetscErrorCode HgRequireStable(MPI_Comm comm, const char what[], double dt, double largest);

#endif
