/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/objective.h -- J = 1/2 sum_k ((H_k q - d_k) / sigma_k)^2 over a trajectory q_0 ... q_N,
   plus weighted integrals, and its derivative.

   Terms are added once; a trajectory shows the objective every state as it comes by and asks for
   dJ/dq_n on the way back. No term communicates in the time loop: a sensor is evaluated, with the
   same bits, by every rank that owns one of its four cells, and counted by one; an integral is
   summed over the ranks when J is. */
#ifndef HALOGRAD_OBJECTIVE_H
#define HALOGRAD_OBJECTIVE_H

#include <halograd/observations.h>
#include <halograd/program.h>
#include <limits.h>

/* An objective: its terms. */
typedef struct HgObjective_s *HgObjective;

/* An empty objective over `steps` steps of a program, which is borrowed. Collective. */
PetscErrorCode HgObjectiveCreate(HgProgram program, long steps, HgObjective *objective);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgObjectiveDestroy(HgObjective *objective);

/* Sensors: bilinear in space between the places where the variable lives (HgProgramSetLocation()),
   linear in time between steps. `observations` is copied as far as it is needed here. Errors: a
   sensor outside the domain; a time outside [0, steps dt]; a variable that is not carried; another
   unit; a value that is not finite; a sigma that is not above 0, or infinite: a gap; huber,
   student, correlation or relative negative or not finite; huber with student; shape or envelope
   with huber, student or correlation, or both; shape of a sensor with one reading, or with none but
   0; envelope of a sensor with a gap, or at times that are not evenly apart. Collective. */
PetscErrorCode HgObjectiveAddSensors(HgObjective objective, const HgObservations *observations);

/* The whole field `name` after `step` steps. Each owned cell is a measurement of `data`'s field
   `name` with standard deviation sigma. `data` is borrowed. Errors: step out of range, sigma not
   positive, data not finite, not a field, or not on the program's mesh. Collective. */
PetscErrorCode HgObjectiveAddSnapshot(HgObjective objective, const char name[], long step,
                                      HgState data, double sigma);

/* The integral I of a carried variable over a box, after a step. Each cell counts with the part of
   it that is in the box: its area (cosine of the latitude included, on a sphere), times dz with
   levels, of a surface without. A cell lies around the place where the variable lives: of faces on
   the domain's edge half a cell counts. On a periodic axis the box may cross the seam. */
typedef struct {
  const char *variable;
  double west, east, south, north; /* [m], or degrees; both 0: the whole axis */
  double below, above;             /* [m], of a variable with levels; both 0: all of them */
  long step;                       /* after so many steps, 0 to all */
  double weight;       /* a goal: J += weight I, of either sign; a measurement has none */
  double value, sigma; /* a measurement: J += ((I - value) / sigma)^2 / 2; sigma 0: a goal */
} HgIntegral;

/* A goal or a measurement of an integral. A goal is not counted among the measurements, has no
   second derivative of its own, and none in Hessians of Gauss and Newton. Errors: an unknown
   variable; a step out of range; a box that is empty or not inside the domain; a weight that is not
   finite, or 0; sigma negative or not finite; a weight beside sigma. Collective. */
PetscErrorCode HgObjectiveAddIntegral(HgObjective objective, const HgIntegral *integral);

/* What the sensors of a term predict, after an evaluation: value[times * sensors] as in the
   observations of the term-th call of HgObjectiveAddSensors(), from 0; every rank has all of them.
   Errors: no such term. Collective. */
PetscErrorCode HgObjectivePredicted(HgObjective objective, int term, double value[]);

/* How many terms there are, in the order of the calls above; what the k-th is, such as "7 sensors
   of 'u'". Not collective. */
int HgObjectiveTerms(HgObjective objective);
void HgObjectiveTermText(HgObjective objective, int k, size_t size, char text[]);

/* How many measurements there are, with `huber` or `student` each less than one: their part of J is
   expected to be half of it at the truth. Not collective. */
double HgObjectiveCount(HgObjective objective);

/* After an evaluation: value[k] = J of term k, and after those of all terms, whichever count, J of
   the measurements among them, without goals. NAN before any. Collective. */
PetscErrorCode HgObjectiveParts(HgObjective objective, double value[]);

/* From now on Hessians of trajectories with this objective are those of Gauss and Newton, J^T J of
   the residuals' tangent J, which is positive semidefinite; the gradient that comes with one is
   then 0. `yes` false: exact again, as to begin with. Values and gradients stay. Not collective,
   but the same on all ranks. */
void HgObjectiveSetGaussNewton(HgObjective objective, bool yes);

#define HG_NO_STEP LONG_MAX /* no step: after all */

#endif
