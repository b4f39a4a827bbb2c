/* A part of a run, from a state that is given. */
#include "gradient_private.h"
#include <math.h>

static PetscErrorCode require_steps(HgTrajectory t, const HgTrajectoryPart *p) {
  HgRequire(
      HgTrajectoryComm(t), 0 <= p->from && p->from < p->to && p->to <= t->steps,
      "trajectory of '%s': a part of steps %ld to %ld, expected a to b with 0 <= a < b <= %ld",
      HgProgramName(t->program), p->from, p->to, t->steps);
  return 0;
}

/* What J observes: it goes on with what it is handed, or begins. */
static PetscErrorCode begin(HgObjective J, const HgTrajectoryPart *p, HgTrajectoryWindow *w) {
  const bool begins = !p->back && (p->from == 0 || !p->observed);
  *w = (HgTrajectoryWindow){.from = p->from, .to = p->to, .back = p->back};
  w->observing = begins ? HG_J_BEGINS : p->back ? HG_J_WHOLE : HG_J_GOES_ON;
  if (begins) return 0;
  PetscCall(HgObjectiveStart(J));
  return p->observed ? HgObjectiveRestore(J, p->observed) : 0;
}

static PetscErrorCode end(HgObjective J, const HgTrajectoryPart *p) {
  return p->observed ? HgObjectiveKeep(J, p->observed) : 0;
}

PetscErrorCode HgTrajectoryPartValue(HgTrajectory t, const HgTrajectoryPart *p, HgState x,
                                     double *J) {
  HgTrajectoryWindow w;
  PetscCall(require_steps(t, p));
  PetscCall(begin(t->objective, p, &w));
  PetscCall(HgTrajectoryWindowValue(t, &w, x));
  PetscCall(HgObjectiveValue(t->objective, J, NULL));
  PetscCall(HgTrajectoryFiniteFrom(t, p->from, x, *J));
  PetscCall(HgStateCopyShared(t->final, x));
  return end(t->objective, p);
}

PetscErrorCode HgTrajectoryPartTangent(HgTrajectory t, const HgTrajectoryPart *p, HgState x,
                                       HgState dx, double *J, double *dJ) {
  HgTrajectoryWindow w;
  HgObjective dual;
  PetscCall(require_steps(t, p));
  PetscCall(HgTrajectoryRequireAlike(t, x, dx, "dx of a part"));
  PetscCall(HgDirectionsObjective(t, &dual));
  PetscCall(begin(dual, p, &w));
  PetscCall(HgTrajectoryWindowTangent(t, &w, x, dx));
  PetscCall(HgObjectiveValue(dual, J, dJ));
  PetscCall(HgDirectionsTake(t, p->from, *J, dx));
  PetscCall(HgStateCopyShared(t->final, x));
  return end(dual, p);
}

/* Step 0 is reversed: what ghosts outside walls hold goes to the cells that they were filled from.
   */
static PetscErrorCode hand_in(HgTrajectory t, HgState x_bar) {
  if (t->constants_bar) PetscCall(HgProgramBoundaryAdjoint(t->program, t->constants_bar));
  PetscCall(HgStateZero(x_bar));
  return HgProgramJoin(t->program, t->bar[0], t->constants_bar, x_bar);
}

PetscErrorCode HgTrajectoryPartGradient(HgTrajectory t, const HgTrajectoryPart *p, HgState x,
                                        double J_bar, double *J, HgState x_bar) {
  HgTrajectoryWindow w;
  bool reversed;
  PetscCall(require_steps(t, p));
  PetscCall(HgTrajectoryRequireAlike(t, x, x_bar, "x_bar of a part"));
  HgRequire(
      HgTrajectoryComm(t), p->back || p->to == t->steps,
      "trajectory of '%s': a gradient of steps %ld to %ld, expected it to end with step %ld, or "
      "lambda_%ld to be given (`back`)",
      HgProgramName(t->program), p->from, p->to, t->steps, p->to);
  HgRequire(HgTrajectoryComm(t), !p->back || p->observed || !HgObjectiveKept(t->objective),
            "trajectory of '%s': a gradient goes on from lambda_%ld, expected what J has observed, "
            "too (`observed`)",
            HgProgramName(t->program), p->to);
  PetscCall(begin(t->objective, p, &w));
  if (p->back) PetscCall(HgObjectiveValue(t->objective, &w.J, NULL));
  PetscCall(HgTrajectoryWindowGradient(t, &w, x, J_bar, x_bar, &reversed));
  *J = t->gradient.J;
  if (reversed && p->from == 0) PetscCall(hand_in(t, x_bar));
  return end(t->objective, p);
}
