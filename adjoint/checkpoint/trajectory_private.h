/* How the observers of a trajectory are told of runs, for rooms that make some of their own. */
#ifndef HALOGRAD_TRAJECTORY_PRIVATE_H
#define HALOGRAD_TRAJECTORY_PRIVATE_H

#include <halograd/trajectory.h>

/* A run begins; a step to those that want it; the run has ended. Collective. */
PetscErrorCode HgTrajectoryBegin(HgTrajectory trajectory, HgMode run);
PetscErrorCode HgTrajectoryShow(HgTrajectory trajectory, const HgTrajectorySight *sight);
PetscErrorCode HgTrajectoryEnd(HgTrajectory trajectory, HgMode run, double J);

#endif
