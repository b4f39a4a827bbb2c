/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/objective.h -- J = 1/2 sum_k ((H_k q - d_k) / sigma_k)^2 over a trajectory q_0 ... q_N,
   and its derivative.

   Terms are added once; a trajectory shows the objective every state as it comes by and asks for
   dJ/dq_n on the way back. No term communicates in the time loop: a sensor is evaluated, with the
   same bits, by every rank that owns one of its four cells, and counted by one. */
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
   unit; a value that is not finite; a sigma that is not above 0, or infinite: a gap. Collective. */
PetscErrorCode HgObjectiveAddSensors(HgObjective objective, const HgObservations *observations);

/* The whole field `name` after `step` steps. Each owned cell is a measurement of `data`'s field
   `name` with standard deviation sigma. `data` is borrowed. Errors: step out of range, sigma not
   positive, data not finite, not a field, or not on the program's mesh. Collective. */
PetscErrorCode HgObjectiveAddSnapshot(HgObjective objective, const char name[], long step,
                                      HgState data, double sigma);

/* What the sensors of a term predict, after an evaluation: value[times * sensors] as in the
   observations of the term-th call of HgObjectiveAddSensors(), from 0; every rank has all of them.
   Errors: no such term. Collective. */
PetscErrorCode HgObjectivePredicted(HgObjective objective, int term, double value[]);

/* ---- for trajectories ----

   A run begins. */
PetscErrorCode HgObjectiveStart(HgObjective objective);

#define HG_NO_STEP LONG_MAX /* no step: after all */

/* Does it look at q_n? */
bool HgObjectiveNeeds(HgObjective objective, long n);

/* q_n comes by (dq_n too, or NULL: none, or in q_n, of a program on dual numbers), n = 0 .. steps,
   at least those it needs, each once and in order. Fills the ghosts it needs. */
PetscErrorCode HgObjectiveObserve(HgObjective objective, long n, HgState q, HgState dq);

/* *J, and dJ if not NULL, of one direction, or of all of a program on dual numbers, once all states
   came by. One reduction. Collective. */
PetscErrorCode HgObjectiveValue(HgObjective objective, double *J, double dJ[]);

#endif
