/* J''(x) dx: the gradient of dJ = J'(x) dx, in a trajectory on dual numbers whose checkpoints hold (q, dq)
   and whose reverse sweep carries (dlambda, lambda). */
#include "gradient_private.h"
#include <halograd/program_dual.h>

struct HgHessian_s {
  HgProgram program;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgState input, input_bar;
};

PetscErrorCode HgHessianDestroy(HgHessian *hessian) {
  HgHessian h = *hessian;
  *hessian = NULL;
  if (!h) return 0;
  PetscCall(HgTrajectoryDestroy(&h->trajectory));
  PetscCall(HgStoreDestroy(&h->store));
  PetscCall(HgObjectiveDestroy(&h->objective));
  PetscCall(HgStateDestroy(&h->input));
  PetscCall(HgStateDestroy(&h->input_bar));
  PetscCall(HgProgramDestroy(&h->program));
  return PetscFree(h);
}

static PetscErrorCode make(HgTrajectory t, HgHessian h) {
  HgState q;
  PetscCall(HgProgramCreateDual(t->program, &h->program));
  PetscCall(HgObjectiveCreateDual(t->objective, h->program, &h->objective));
  PetscCall(HgProgramCreateCarried(h->program, &q));
  const PetscErrorCode ierr = HgStoreCreateLike(t->store, q, &h->store);
  PetscCall(HgStateDestroy(&q));
  if (ierr) return ierr;
  PetscCall(HgProgramCreateInput(h->program, &h->input));
  PetscCall(HgStateDuplicate(h->input, &h->input_bar));
  const bool all = HgStoreSlots(h->store) >= t->steps && !HgStoreFiles(h->store);
  return HgTrajectoryCreate(h->program, t->steps, h->objective,
                            all ? HG_SCHEDULE_STORE_ALL : HG_SCHEDULE_REVOLVE, h->store,
                            &h->trajectory);
}

static PetscErrorCode prepare(HgTrajectory t) {
  HgRequire(HgTrajectoryComm(t), t->store,
            "trajectory of '%s': a Hessian is asked for, but it was made without a store, which "
            "gives values only",
            HgProgramName(t->program));
  if (t->hessian) return 0;
  PetscCall(PetscNew(&t->hessian));
  const PetscErrorCode ierr = make(t, t->hessian);
  if (ierr) PetscCall(HgHessianDestroy(&t->hessian));
  return ierr;
}

PetscErrorCode HgTrajectoryHessian(HgTrajectory t, HgState x, HgState dx, double *dJ, HgState x_bar,
                                   HgState product) {
  PetscCall(prepare(t));
  const HgHessian h = t->hessian;
  PetscCall(HgProgramDualUpdate(h->program, x_bar != NULL));
  PetscCall(HgTrajectorySetStop(h->trajectory, t->stop_every, t->stop, t->stop_context));
  PetscCall(HgProgramDualJoin(h->program, x, dx, h->input));
  PetscCall(HgStateZero(h->input_bar));
  PetscCall(HgTrajectoryGradient(h->trajectory, h->input, 1, dJ, h->input_bar));
  PetscCall(HgTrajectoryRequireFinite(h->trajectory, *dJ));
  if (x_bar) PetscCall(HgProgramDualAdd(h->program, h->input_bar, true, 1, x_bar));
  return HgProgramDualAdd(h->program, h->input_bar, false, 1, product);
}

void HgTrajectoryHessianCost(HgTrajectory t, HgTrajectoryCost *cost) {
  *cost = (HgTrajectoryCost){0};
  if (t->hessian) HgTrajectoryGetCost(t->hessian->trajectory, cost);
}
