/* SPDX-License-Identifier: BSD-2-Clause */
/* A trajectory and its present gradient, for adjoint/trajectory only. */
#ifndef HALOGRAD_GRADIENT_PRIVATE_H
#define HALOGRAD_GRADIENT_PRIVATE_H

#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/schedule_library.h>
#include <halograd/state_library.h>
#include <halograd/store_library.h>
#include <halograd/trajectory_library.h>

/* The present gradient, or the last one. */
typedef struct {
  HgReversal way; /* how its blocks are reversed */
  HgCuts cuts;    /* where the window is cut into blocks; unused if all states are stored */
  HgAction next;  /* the schedule's next action */
  HgSchedulePolicy policy;
  long units;            /* that the schedule counts: HgGradientInBlocks() */
  HgScheduleCosts costs; /* for which the schedule was made */
  int slots;             /* of the store, used so far */
  /* kept: the slots hold the first states of so many units from 0 on, scratch[1] that of the next
     one, final q_N; puts: of the store then */
  long kept, puts;
  char kept_of[64]; /* of which x, program and looks, by directions.c; "": not known */
  bool again;       /* these are those of the present gradient */
  int origin;       /* the slot that holds q_0; -1: none */
  HgState q_0;      /* if origin is -1: the state that holds q_0 until something is reversed */
  long seen;        /* step that the forward sweep has reached */
  long back;        /* step of the lambda in bar[0]; -1: still in the forward sweep */
  bool given;       /* bar[0] already holds lambda of the end of the forward sweep */
  HgTrajectoryStart began;
  double J;     /* known after the forward sweep; if not finite, nothing is reversed */
  double start; /* time of its start [s] */
} HgGradient;

typedef struct HgDirections_s *HgDirections; /* directions.c */

struct HgTrajectory_s {
  HgProgram program;
  long steps;
  long end; /* N, or the end of the present window */
  HgObjective objective;
  HgSchedule schedule; /* of the last gradient; NULL: none yet */
  HgStore store;       /* NULL: values only, no gradients */
  HgState constants, constants_bar;
  HgState scratch[2], final; /* live states outside the slots; q_N */
  HgState bar[2];
  HgGradient gradient;
  long limits_kept; /* the last step at which ranks agreed on limits */
  HgTrajectoryKeeper keeper;
  HgDirections directions; /* NULL: not needed yet */
  int directions_most;     /* in one sweep */
  HgOperator step;         /* for checks that look for errors; NULL: not needed yet */
  long shown[2];           /* first and last step that observers may see */
  int observers;
  int awake; /* the first observer that is not suspended */
  HgTrajectoryObserver observer[HG_OBSERVERS];
  HgCosts costs;
  HgTrajectoryPlan plan; /* of the last gradient */
  bool examined;         /* do not check whether the present gradient is finite */
  HgTrajectoryCost cost;
};

static inline MPI_Comm HgTrajectoryComm(HgTrajectory t) {
  return HgMeshComm(HgProgramMesh(t->program));
}

/* ---- gradient.c ---- */

/* Creates lambda and c_bar, once. Collective. Error: out of memory. */
PetscErrorCode HgGradientMakeRoom(HgTrajectory trajectory);

/* ---- plan.c ---- */

/* Chooses schedule and reversal of the gradient that begins at x, and fills in the plan. If the
   store has files and costs have not been measured yet, it first makes and reverses some steps, and
   writes and reads a state. Collective. */
PetscErrorCode HgGradientPlan(HgTrajectory trajectory, HgState x);

/* Whether the schedule counts blocks, not steps. */
bool HgGradientInBlocks(HgTrajectory trajectory);

/* Cuts the window [from, to) into blocks. */
PetscErrorCode HgGradientCut(HgTrajectory trajectory, long from, long to);

/* The first step of a unit of the schedule. */
long HgGradientStep(HgTrajectory trajectory, long unit);

/* ---- directions.c ---- */
PetscErrorCode HgDirectionsDestroy(HgDirections *directions);

/* *most: directions at once (-hg_directions). Collective. Error: not a valid number. */
PetscErrorCode HgDirectionsRead(MPI_Comm comm, int *most);

/* ---- trajectory.c ---- */

/* Starts a window at q_from in `q`: checks limits, and starts J if it begins here. Collective. */
PetscErrorCode HgTrajectoryEnter(HgTrajectory trajectory, const HgTrajectoryWindow *window,
                                 HgState q);

/* Only `ask` of the keeper is called from now on; it keeps nothing. */
void HgTrajectoryOnlyAsk(HgTrajectory trajectory, const HgTrajectoryKeeper *keeper);

/* Shows the plan to the observers. Collective. */
PetscErrorCode HgTrajectoryTellPlan(HgTrajectory trajectory);

/* Bytes on this rank of the states of a gradient that are not checkpoints. */
size_t HgTrajectoryLiveBytes(HgTrajectory trajectory);

/* Error: `other`, called `name`, has other variables than x. */
PetscErrorCode HgTrajectoryRequireAlike(HgTrajectory trajectory, HgState x, HgState other,
                                        const char name[]);

/* A live state that is neither `q` nor in a slot. */
HgState HgTrajectoryOther(HgTrajectory trajectory, HgState q);

/* Passes a new q_n to limits, objective and observers. Collective. */
PetscErrorCode HgTrajectoryVisit(HgTrajectory trajectory, long n, HgState q);

/* Shows q_n, dq_n or lambda_n in `state`, with c, dc or c_bar, to the observers that want it.
   Collective. */
PetscErrorCode HgTrajectoryShowState(HgTrajectory trajectory, HgMode direction, long n,
                                     HgState state, HgState q, HgState constants);

/* The first step from n on whose state or cotangent the objective or an observer reads; HG_NO_STEP:
   none. */
long HgTrajectoryNextLook(HgTrajectory trajectory, HgMode direction, long n);

/* Whether an observer of the reverse sweep reads q_n of a step before the last. */
bool HgTrajectoryLooksAtStates(HgTrajectory trajectory);

/* How many steps from q_n on may be made at once, at most to `to`; `first`: in the forward sweep,
   which stops at the next state that objective or observers read. */
long HgTrajectoryStride(HgTrajectory trajectory, long n, long to, bool first);

#endif
