/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/measure_library.h -- a variable of a state in a few numbers, with the same bits on any
   decomposition: norm, smallest and largest value with their places, digest. */
#ifndef HG_MEASURE_LIBRARY_H
#define HG_MEASURE_LIBRARY_H

#include <halograd/state.h>

/* Places are global cells (i, j) of a field, with their level; (k, 0) is entry k of an array, (k,
   r) entry k on rank r of an HG_LOCAL array. Of equal numbers the first one counts, in natural
   order (level, then j, then i). NaN counts as larger than any number. */
typedef struct {
  double norm;                    /* sqrt(sum x^2), exactly summed; NaN if a square is not finite */
  double least, largest;          /* NaN for an empty array */
  int least_at[3], largest_at[3]; /* (i, j, level) */
  char digest[17];                /* as HgStateDigest() */
} HgMeasure;

/* Sets measure[k], k < HgStateCount(state), on every rank, for the variables with kept[k] (NULL:
   all); the others do not change. `digest`: also the digests, else "". Collective: a reduction of
   exact sums, a gather of extremes, and the messages of HgStateDigest(). */
PetscErrorCode HgStateMeasure(HgState state, const bool kept[], bool digest, HgMeasure measure[]);

/* The same row by row, while the rows are in the cache for another reason. */
typedef struct HgMeasuring_s *HgMeasuring;

/* Begins; `state` is borrowed and must not change, `kept` is read at once. Not collective. */
PetscErrorCode HgMeasuringBegin(HgState state, const bool kept[], bool digest,
                                HgMeasuring *measuring);

/* Measures owned row j of variable k, which is in the cache. Rows of a field go from south to
   north; one that comes before its turn is measured later. Not collective. */
void HgMeasuringRow(HgMeasuring measuring, int k, int j);

/* Measures the rest and gives the result of HgStateMeasure(). Collective. */
PetscErrorCode HgMeasuringEnd(HgMeasuring *measuring, HgMeasure measure[]);

/* Ends without a result. */
PetscErrorCode HgMeasuringDestroy(HgMeasuring *measuring);

/* Units in the last place between a and b: the number of steps of nextafter() from one to the
   other. 0 for equal numbers, also +0 and -0; UINT64_MAX if only one is NaN. */
uint64_t HgUlps(double a, double b);

/* A little below a limit, so that it is not above the limit when printed with six digits. */
double HgRoundDown(double limit);

/* The largest number that counts as equal to a limit up to rounding. */
double HgRoundUp(double limit);

/* Refuses a time step dt, called `what`, above the largest stable one. Collective. */
PetscErrorCode HgRequireStable(MPI_Comm comm, const char what[], double dt, double largest);

#endif
