/* SPDX-License-Identifier: BSD-2-Clause */
/* What a misfit counts of the readings of sensors. With a = u / sigma and b = d / sigma the
   residuals are r = a - b. A residual counts as

     r^2 / 2
     h (|r| - h / 2) beyond h, robust (P. J. Huber, Ann. Math. Statist. 35, 1964)
     (s + 1) / 2 log(1 + r^2 / s), for errors with Student's distribution of s degrees of freedom
                                   (K. L. Lange et al., J. Am. Statist. Assoc. 84, 1989)

   If errors are correlated over a time tau, r is replaced by r' = L r, the part of it that the
   sensor's reading before does not predict (AR(1)):

     r'_m = (r_m - phi r_l) / sqrt(1 - phi^2),   phi = exp(-(t_m - t_l) / tau),   r'_0 = r_0

   If shapes are compared, r = |b| / |a| a - b over all readings of a sensor, so that

     |r|^2 / 2 = |b|^2 (1 - <a, b> / (|a| |b|))             normalised cross-correlation

   If envelopes are compared, r = (E(u) - E(d)) / sigma: readings_envelope.c. */
#ifndef HG_READINGS_PRIVATE_H
#define HG_READINGS_PRIVATE_H

#include <halograd/observations.h>
#include <halograd/sum_library.h>

/* Products over all readings of a sensor; and their change with da in a direction. */
typedef struct {
  double aa, bb, ab;
} HgShapeProducts;

typedef struct {
  double a, b;
} HgShapeChange;

typedef struct {
  int places, times, directions; /* number of sensors; of readings of each; of directions of du */
  double *time;                  /* [times] t_m [s] */
  double *data, *sigma, *u;      /* [places * times] */
  double *du;                    /* [directions * places * times] */
  double *disturbed;             /* [places * times] to subtract from r'; NULL: 0 */
  double huber, student;         /* h (INFINITY: none); s (0: none) */
  double correlation;            /* tau [s]; 0: none */
  bool shape, envelope;          /* compare shapes, or envelopes */
  bool known;                    /* the following is valid for this u and du */
  HgShapeProducts *of;           /* [places] */
  HgShapeChange *change;         /* [directions * places] */
  /* For envelopes: [(1 + directions) * places * times] H u and H du; likewise sigma dJ/du and its
     changes, Gauss-Newton's or exact; [places * times] E(d); [times] work space. */
  double *turned, *pull, *level, *room;
  bool gauss_newton;
} HgReadings;

/* Errors: huber, student, correlation or relative negative or not finite; huber with student;
   shapes or envelopes with huber, student or correlation, or both; shapes of a sensor with one
   reading, or with zeros only; envelopes of one with a gap, or with uneven times. Collective. */
PetscErrorCode HgReadingsRequire(MPI_Comm comm, const HgObservations *o);

/* Twice the expectation of J for normal noise. */
double HgReadingsExpected(const HgObservations *o);

/* Create allocates `places` sensors of `o`; fill in data and sigma. Start zeroes all for a run. */
PetscErrorCode HgReadingsCreate(const HgObservations *o, int places, HgReadings *r);
PetscErrorCode HgReadingsStart(HgReadings *r, int directions);
PetscErrorCode HgReadingsDestroy(HgReadings *r);

/* squares += 2 J of place p; products[v] += its change in direction v. */
void HgReadingsValue(HgReadings *r, int p, HgSum *squares, HgSum products[]);

/* dJ/da of reading k; v >= 0: its change in direction v, for Gauss-Newton only that of J^T J. */
double HgReadingsPull(HgReadings *r, int v, bool gauss_newton, int k);

/* For envelopes. Know computes what depends on u and du; call it first. Then the residual of a
   reading, and what HgReadingsPull() gives. */
void HgEnvelopeKnow(HgReadings *r, bool gauss_newton);
double HgEnvelopeResidual(const HgReadings *r, int k);
double HgEnvelopePull(const HgReadings *r, int v, int k);

#endif
