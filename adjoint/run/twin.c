#include <halograd/twin.h>

static PetscErrorCode run(HgProgram program, long steps, HgState x, HgObjective objective) {
  HgTrajectory trajectory;
  double unused;
  PetscCall(HgTrajectoryCreate(program, steps, objective, HG_SCHEDULE_REVOLVE, NULL, &trajectory));
  const PetscErrorCode ierr = HgTrajectoryValue(trajectory, x, &unused);
  PetscCall(HgTrajectoryDestroy(&trajectory));
  return ierr;
}

PetscErrorCode HgTwinObserve(HgProgram program, long steps, HgState x,
                             HgObservations *observations) {
  HgObjective objective;
  PetscCall(HgObjectiveCreate(program, steps, &objective));
  PetscErrorCode ierr = HgObjectiveAddSensors(objective, observations);
  if (!ierr) ierr = run(program, steps, x, objective);
  if (!ierr) ierr = HgObjectivePredicted(objective, 0, observations->value);
  PetscCall(HgObjectiveDestroy(&objective));
  return ierr;
}
