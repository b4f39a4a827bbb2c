/* SPDX-License-Identifier: BSD-2-Clause */
/* The gradient under way and the trajectory that it is of, for adjoint/trajectory only. */
#ifndef HALOGRAD_GRADIENT_PRIVATE_H
#define HALOGRAD_GRADIENT_PRIVATE_H

#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/schedule_library.h>
#include <halograd/state_library.h>
#include <halograd/store_library.h>
#include <halograd/trajectory_library.h>

/* The gradient under way, or the last one. */
typedef struct {
  HgReversal way; /* how its blocks are reversed */
  HgCuts cuts;    /* where its window is cut into them; unused if all states are stored */
  HgAction next;  /* the schedule's action after the one under way */
  HgSchedulePolicy policy;
  long units;            /* that its schedule counts: HgGradientInBlocks() */
  HgScheduleCosts costs; /* that its schedule was made for */
  int slots;             /* of the store, used so far */
  int origin;            /* the slot that holds q_0; -1: none */
  HgState q_0;           /* else the state that holds it until something is reversed */
  long seen;             /* its first sweep has come so far */
  long back;             /* lambda of that step is in bar[0]; -1: the first sweep is under way */
  bool given;            /* bar[0] holds that of the end of the first sweep already */
  HgTrajectoryStart began;
  double J;     /* from the end of its first sweep on; not finite: nothing is reversed */
  double start; /* when it began [s] */
} HgGradient;

typedef struct HgDirections_s *HgDirections; /* directions.c */

struct HgTrajectory_s {
  HgProgram program;
  long steps;
  long end; /* N, or where the window under way ends */
  HgObjective objective;
  HgSchedule schedule; /* of the last gradient; NULL: none yet */
  HgStore store;       /* NULL: values only, no gradients */
  HgState constants, constants_bar;
  HgState scratch[2], final; /* live states that no slot holds; q_N */
  HgState bar[2];
  HgGradient gradient;
  long limits_kept; /* the last step at which the ranks agreed about limits */
  HgTrajectoryKeeper keeper;
  HgDirections directions; /* NULL: not asked for yet */
  int directions_most;     /* in one sweep */
  HgOperator step;         /* for checks that look for what is wrong; NULL: not asked for yet */
  long shown[2];           /* the first and the last step that observers may see */
  int observers;
  int awake; /* the first that is not suspended */
  HgTrajectoryObserver observer[HG_OBSERVERS];
  HgCosts costs;
  HgTrajectoryPlan plan; /* of the last gradient */
  bool examined;         /* the gradient under way is not asked whether it is finite */
  HgTrajectoryCost cost;
};

static inline MPI_Comm HgTrajectoryComm(HgTrajectory t) {
  return HgMeshComm(HgProgramMesh(t->program));
}

/* ---- plan.c ---- */

/* Chooses how blocks are reversed, and the schedule, of the gradient at x that begins, and says
   what it will take. Where the store has files and costs have not been measured yet, some steps are
   made and reversed first, and a state written and read. Collective. */
PetscErrorCode HgGradientPlan(HgTrajectory trajectory, HgState x);

/* Does the schedule count blocks, or steps? */
bool HgGradientInBlocks(HgTrajectory trajectory);

/* Cuts the window from .. to into blocks. */
PetscErrorCode HgGradientCut(HgTrajectory trajectory, long from, long to);

/* The step at which a unit of the schedule begins. */
long HgGradientStep(HgTrajectory trajectory, long unit);

/* ---- directions.c ---- */
PetscErrorCode HgDirectionsDestroy(HgDirections *directions);

/* How many directions at once, as -hg_directions says. Collective. Error: nonsense. */
PetscErrorCode HgDirectionsRead(MPI_Comm comm, int *most);

/* ---- trajectory.c ---- */

/* A window begins with q_from in `q`: limits, and whether J begins with it. Collective. */
PetscErrorCode HgTrajectoryEnter(HgTrajectory trajectory, const HgTrajectoryWindow *window,
                                 HgState q);

/* The keeper is asked, but keeps nothing. */
void HgTrajectoryOnlyAsk(HgTrajectory trajectory, const HgTrajectoryKeeper *keeper);

/* The plan is shown to the observers. Collective. */
PetscErrorCode HgTrajectoryTellPlan(HgTrajectory trajectory);

/* Bytes of the states of a gradient besides checkpoints, on this rank. */
size_t HgTrajectoryLiveBytes(HgTrajectory trajectory);

/* Error: `other`, called `name`, has other variables than x. */
PetscErrorCode HgTrajectoryRequireAlike(HgTrajectory trajectory, HgState x, HgState other,
                                        const char name[]);

/* A live state that is not `q` and no slot's. */
HgState HgTrajectoryOther(HgTrajectory trajectory, HgState q);

/* q_n comes by for the first time: limits, objective, observers. Collective. */
PetscErrorCode HgTrajectoryVisit(HgTrajectory trajectory, long n, HgState q);

/* q_n, dq_n or lambda_n in `state` is shown to the observers that want it, with c, dc or c_bar.
   Collective. */
PetscErrorCode HgTrajectoryShowState(HgTrajectory trajectory, HgMode direction, long n,
                                     HgState state, HgState q, HgState constants);

/* The first step from n on whose state, or cotangent, the objective or an observer looks at;
   HG_NO_STEP: none. */
long HgTrajectoryNextLook(HgTrajectory trajectory, HgMode direction, long n);

/* Is there an observer of the reverse sweep that looks at q_n of a step before the last? */
bool HgTrajectoryLooksAtStates(HgTrajectory trajectory);

/* Steps from q_n on that may be made at once on the way to `to`: up to the next state that is
   looked at for the first time. */
long HgTrajectoryStride(HgTrajectory trajectory, long n, long to, bool first);

#endif
