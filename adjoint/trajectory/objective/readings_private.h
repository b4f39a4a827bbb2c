/* SPDX-License-Identifier: BSD-2-Clause */
/* What a misfit counts of the readings of sensors. With a = u / sigma and b = d / sigma residuals
   are r = a - b. One counts as r^2 / 2 or, robust, beyond h as h (|r| - h / 2): P. J. Huber, Ann.
   Math. Statist. 35 (1964); or, of errors with Student's distribution of s degrees of freedom, as
   (s + 1) / 2 log(1 + r^2 / s): K. L. Lange et al., J. Am. Statist. Assoc. 84 (1989). If errors are
   correlated over a time tau, what counts is r' = L r, that of r which its sensor's reading before
   does not tell (AR(1)):

     r'_m = (r_m - phi r_l) / sqrt(1 - phi^2),   phi = exp(-(t_m - t_l) / tau),   r'_0 = r_0

   If shapes are compared, r = |b| / |a| a - b of all readings of a sensor, so that

     |r|^2 / 2 = |b|^2 (1 - <a, b> / (|a| |b|))             normalised cross-correlation

   If envelopes are, r = (E(u) - E(d)) / sigma: readings_envelope.c. */
#ifndef HG_READINGS_PRIVATE_H
#define HG_READINGS_PRIVATE_H

#include <halograd/observations.h>
#include <halograd/sum_library.h>

/* Products over all readings of a sensor, and with its change da in a direction. */
typedef struct {
  double aa, bb, ab;
} HgShapeProducts;

typedef struct {
  double a, b;
} HgShapeChange;

typedef struct {
  int places, times, directions; /* of sensors; of each; of which du is known */
  double *time;                  /* [times] t_m [s] */
  double *data, *sigma, *u;      /* [places * times] */
  double *du;                    /* [directions * places * times] */
  double *disturbed;             /* [places * times] what r' counts less; NULL: 0 */
  double huber, student;         /* h; INFINITY: none; s; 0: none */
  double correlation;            /* tau [s]; 0: none */
  bool shape, envelope;          /* shapes are compared, or envelopes */
  bool known;                    /* what follows is that of this u and du */
  HgShapeProducts *of;           /* [places] */
  HgShapeChange *change;         /* [directions * places] */
  /* Of envelopes, [(1 + directions) * places * times] H u and H du; sigma dJ/du and its changes,
     those of Gauss and Newton or not; [places * times] E(d); [times] to work with. */
  double *turned, *pull, *level, *room;
  bool gauss_newton;
} HgReadings;

/* Errors: huber, student, correlation or relative negative or not finite; huber with student;
   shapes or envelopes with huber, student or correlation, or both; shapes of a sensor with one
   reading, or with none but 0; envelopes of one with a gap, or of readings that are not evenly
   apart. Collective. */
PetscErrorCode HgReadingsRequire(MPI_Comm comm, const HgObservations *o);

/* Twice the expectation of J for normal noise. */
double HgReadingsExpected(const HgObservations *o);

/* Room for `places` sensors of `o`, data and sigma to be filled in; all zeros for a run. */
PetscErrorCode HgReadingsCreate(const HgObservations *o, int places, HgReadings *r);
PetscErrorCode HgReadingsStart(HgReadings *r, int directions);
PetscErrorCode HgReadingsDestroy(HgReadings *r);

/* squares += 2 J of place p alone; products[v] += its change in direction v. */
void HgReadingsValue(HgReadings *r, int p, HgSum *squares, HgSum products[]);

/* dJ/da of reading k or, v >= 0, its change in direction v, that of J^T J alone for Gauss and
   Newton. */
double HgReadingsPull(HgReadings *r, int v, bool gauss_newton, int k);

/* Envelopes: what is known of this u and du, before the others; the residual of a reading; what
   HgReadingsPull() gives. */
void HgEnvelopeKnow(HgReadings *r, bool gauss_newton);
double HgEnvelopeResidual(const HgReadings *r, int k);
double HgEnvelopePull(const HgReadings *r, int v, int k);

#endif
