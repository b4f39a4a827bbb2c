/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/problem_library.h -- what other rooms of the library need of problem.h. */
#ifndef HG_PROBLEM_LIBRARY_H
#define HG_PROBLEM_LIBRARY_H

#include <halograd/problem.h>

/* Creates observations of `sensors` [unit] for a run to the time `end` [s] on `mesh`, all values 0,
   with the standard deviation of the noise. Collective. Errors: those of HgObservationsCreate();
   less than one column or row; times not within the run; a standard deviation that is not positive
   and finite. */
PetscErrorCode HgSensorsPlace(const HgSensors *sensors, const char unit[], HgMesh mesh, double end,
                              HgObservations **observations);

/* Creates observations of `sensors` and fills them by a run (HgTwinObserve()), with noise.
   Collective. Errors: those of HgSensorsPlace() and HgTwinObserve(); snapshots; a variable that is
   not carried. */
PetscErrorCode HgTwinSense(HgProgram program, long steps, HgState x, const HgSensors *sensors,
                           HgObservations **observations);

/* The same for snapshots, sensors->whole. Creates the fields data[sensors->times] of the variable
   and adds them to `objective`; destroy them after it. Collective. Errors: of time, noise and
   variable as above; two snapshots of one step. */
PetscErrorCode HgTwinSnapshots(HgProgram program, long steps, HgState x, const HgSensors *sensors,
                               HgObjective objective, HgState data[]);

/* Sets variable g->variable of x, an input of the program, to what `g` says, on owned cells.
   Collective. Errors: those of HgStateSetField(); .time or .along for something that is not numbers
   by step. */
PetscErrorCode HgGivenFill(HgProgram program, HgState x, const HgGiven *g);

/* m -> J(m), and the inversion of J with the problem's bounds; created at the first call.
   Collective. Errors: before HgProblemSetUp(); an inversion without controls. */
PetscErrorCode HgProblemFunctional(HgProblem problem, HgOperator *J);
PetscErrorCode HgProblemInversion(HgProblem problem, HgInversion *inversion);

/* Computes J and its gradient at m, which HgProblemDigest() then reports. Collective. Errors: J is
   not finite, as of HgTrajectoryValue(). */
PetscErrorCode HgProblemGradient(HgProblem problem, double *J);

/* The forward half of an application. */
typedef struct {
  HgMesh mesh;
  HgProgram program; /* set up, with step common->dt */
  HgState x;         /* its input; variables that are not given are 0 */
  void *params;      /* made of the given numbers and tables; NULL: there are none */
} HgModel;

/* The model of HgProblemCreatePhysics(). Collective. */
PetscErrorCode HgModelCreate(HgRun run, const HgCommon *common, const HgMeshSpec *spec,
                             const HgPhysics *physics, const void *params, const HgGiven given[],
                             HgModel *model);

/* Frees the parts and sets them to NULL. Collective. */
PetscErrorCode HgModelDestroy(HgModel *model);

#endif
