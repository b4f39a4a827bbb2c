/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/objective.h -- J = 1/2 sum_k ((H_k q - d_k) / sigma_k)^2 over a trajectory q_0 ... q_N,
   plus weighted integrals; and its derivative.

   Add the terms once. The trajectory then passes every state to the objective, and asks for dJ/dq_n
   in the reverse sweep. No term communicates in the time loop: every rank that owns one of a
   sensor's four cells evaluates it, with the same bits, and one rank counts it; an integral is
   summed over the ranks together with J. */
#ifndef HALOGRAD_OBJECTIVE_H
#define HALOGRAD_OBJECTIVE_H

#include <halograd/observations.h>
#include <halograd/program.h>
#include <limits.h>

/* An objective: its terms. */
typedef struct HgObjective_s *HgObjective;

/* Creates an empty objective over `steps` steps of a program (borrowed). Collective. */
PetscErrorCode HgObjectiveCreate(HgProgram program, long steps, HgObjective *objective);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgObjectiveDestroy(HgObjective *objective);

/* Adds sensors: bilinear in space between the places where the variable lives
   (HgPhysicsVariable.location), linear in time between steps. Copies what it needs of
   `observations`. Collective. Errors: a sensor outside the domain; a time outside [0, steps dt]; a
   variable that is not carried; another unit; a value that is not finite; a sigma that is not above
   0 (infinite: a gap); huber, student, correlation or relative negative or not finite; huber with
   student; shape or envelope with huber, student or correlation, or both; shape of a sensor with a
   single reading, or with zeros only; envelope of a sensor with a gap, or at times that are not
   evenly spaced. */
PetscErrorCode HgObjectiveAddSensors(HgObjective objective, const HgObservations *observations);

/* Adds a snapshot: every owned cell of the field `name` after `step` steps is measured by `data`'s
   field of the same name, with standard deviation sigma. Borrows `data`. Collective. Errors: a step
   out of range; sigma not positive; data that are not finite, not a field, or not on the program's
   mesh. */
PetscErrorCode HgObjectiveAddSnapshot(HgObjective objective, const char name[], long step,
                                      HgState data, double sigma);

/* The integral I of a carried variable over a box, after a step. Each cell contributes the part of
   it that lies in the box: its area (on a sphere with the cosine of the latitude), times dz if the
   variable has levels. A cell is centred where the variable lives, so only half of a cell on the
   domain's edge counts for faces. On a periodic axis the box may cross the seam. */
typedef struct {
  const char *variable;
  double west, east, south, north; /* [m] or degrees; both ends 0: the whole axis */
  double below, above;             /* [m], for variables with levels; both 0: all levels */
  long step;                       /* after so many steps, 0 to all */
  double weight;       /* a goal: J += weight I, of either sign; a measurement has none */
  double value, sigma; /* a measurement: J += ((I - value) / sigma)^2 / 2; sigma 0: a goal */
} HgIntegral;

/* Adds a goal or a measurement of an integral. A goal does not count as a measurement. It has no
   second derivative of its own, and does not contribute to Gauss-Newton Hessians. Collective.
   Errors: an unknown variable; a step out of range; a box that is empty or not inside the domain; a
   weight that is not finite, or 0; sigma negative or not finite; a weight together with sigma. */
PetscErrorCode HgObjectiveAddIntegral(HgObjective objective, const HgIntegral *integral);

/* What the sensors of a term predict, after an evaluation: value[times * sensors], for the term-th
   call of HgObjectiveAddSensors() (from 0), in the order of its observations. Every rank has all of
   them. Collective. Errors: no such term. */
PetscErrorCode HgObjectivePredicted(HgObjective objective, int term, double value[]);

/* The number of terms, in the order of the calls above; and a text for the k-th, such as "7 sensors
   of 'u'". Not collective. */
int HgObjectiveTerms(HgObjective objective);
void HgObjectiveTermText(HgObjective objective, int k, size_t size, char text[]);

/* The number of measurements; with `huber` or `student`, each counts less than one. At the truth,
   the expectation of their part of J is half of it. Not collective. */
double HgObjectiveCount(HgObjective objective);

/* After an evaluation: value[k] = J of term k for all terms, followed by one more number, J of the
   measurements among them, without goals. NAN before any evaluation. Collective. */
PetscErrorCode HgObjectiveParts(HgObjective objective, double value[]);

/* Makes Hessians of trajectories with this objective those of Gauss-Newton, J^T J with the tangent
   J of the residuals. It is positive semidefinite and needs no second derivatives. The gradient
   that comes with such a Hessian is 0. `yes` false: exact Hessians, the default. Values and
   gradients do not change. Not collective, but the same on all ranks. */
void HgObjectiveSetGaussNewton(HgObjective objective, bool yes);

#define HG_NO_STEP LONG_MAX /* no step: after all */

#endif
