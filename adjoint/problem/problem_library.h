/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/problem_library.h -- what other rooms of the library need of problem.h. */
#ifndef HG_PROBLEM_LIBRARY_H
#define HG_PROBLEM_LIBRARY_H

#include <halograd/problem.h>

/* Observations of `sensors` [unit] in a run to the time `end` [s] on `mesh`, all values 0 with the
   standard deviation of the noise. Collective. Errors: those of HgObservationsCreate(); less than
   one column or row; times not within the run; a standard deviation that is not positive and
   finite. */
PetscErrorCode HgSensorsPlace(const HgSensors *sensors, const char unit[], HgMesh mesh, double end,
                              HgObservations **observations);

/* Both, with noise. Collective. Errors: theirs; snapshots; a variable that is not carried. */
PetscErrorCode HgTwinSense(HgProgram program, long steps, HgState x, const HgSensors *sensors,
                           HgObservations **observations);

/* The same for snapshots, sensors->whole: data[sensors->times] are fields of the variable, made
   here and the caller's to destroy after `objective`, to which they are added. Collective. Errors:
   of the time, the noise and the variable as above; two snapshots of one step. */
PetscErrorCode HgTwinSnapshots(HgProgram program, long steps, HgState x, const HgSensors *sensors,
                               HgObjective objective, HgState data[]);

/* Variable g->variable of x, an input of the program, is what `g` says, on owned cells. Collective.
   Errors: those of HgStateSetField(); .time or .along of what is no numbers by step. */
PetscErrorCode HgGivenFill(HgProgram program, HgState x, const HgGiven *g);

/* m -> J(m), and the inversion of J with the problem's bounds: made when first asked for.
   Collective. Errors: before HgProblemSetUp(); an inversion without controls. */
PetscErrorCode HgProblemFunctional(HgProblem problem, HgOperator *J);
PetscErrorCode HgProblemInversion(HgProblem problem, HgInversion *inversion);

/* J and its gradient at m, which HgProblemDigest() tells. Collective. Errors: J is not finite, as
   of HgTrajectoryValue(). */
PetscErrorCode HgProblemGradient(HgProblem problem, double *J);

/* The forward half of an application. */
typedef struct {
  HgMesh mesh;
  HgProgram program; /* set up; its step is common->dt */
  HgState x;         /* its input: variables that are not given are 0 */
  void *params;      /* made of numbers and tables that are given; NULL: there are none */
} HgModel;

/* The model of HgProblemCreatePhysics(). Collective. */
PetscErrorCode HgModelCreate(HgRun run, const HgCommon *common, const HgMeshSpec *spec,
                             const HgPhysics *physics, const void *params, const HgGiven given[],
                             HgModel *model);

/* Frees what it is made of, sets all to NULL. Collective. */
PetscErrorCode HgModelDestroy(HgModel *model);

#endif
