#include <halograd/twin.h>

/* One pass over the steps; a store has to be there, but nothing is put into it. */
static PetscErrorCode run(HgProgram program, long steps, HgState x, HgWatchFn *watch, void *context,
                          HgObjective objective) {
  HgState q;
  HgStore store;
  HgTrajectory trajectory;
  double unused;
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgStoreCreateMemory(q, 1, &store));
  PetscCall(HgTrajectoryCreate(program, steps, objective, HG_SCHEDULE_REVOLVE, store, &trajectory));
  PetscCall(HgTrajectorySetWatch(trajectory, watch, context));
  const PetscErrorCode ierr = HgTrajectoryValue(trajectory, x, &unused);
  PetscCall(HgTrajectoryDestroy(&trajectory));
  PetscCall(HgStoreDestroy(&store));
  PetscCall(HgStateDestroy(&q));
  return ierr;
}

PetscErrorCode HgTwinObserve(HgProgram program, long steps, HgState x, HgWatchFn *watch,
                             void *context, HgObservations *observations) {
  HgObjective objective;
  PetscCall(HgObjectiveCreate(program, steps, &objective));
  PetscErrorCode ierr = HgObjectiveAddSensors(objective, observations);
  if (!ierr) ierr = run(program, steps, x, watch, context, objective);
  if (!ierr) ierr = HgObjectivePredicted(objective, 0, observations->value);
  PetscCall(HgObjectiveDestroy(&objective));
  return ierr;
}
