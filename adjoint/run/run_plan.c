/* What the gradients of a run are going to take: printed before the first one, and again when more
   is known, and left in run.json beside what they took. */
#include "run_private.h"
#include <math.h>

typedef struct {
  HgReport report;
  HgTrajectory trajectory;
  HgTrajectoryPlan told; /* units 0: nothing yet */
} Plan;

static long never(void *self, HgMode direction, long n) {
  (void)self, (void)direction, (void)n;
  return HG_NO_STEP;
}

static PetscErrorCode print(const Plan *p, const HgTrajectoryPlan *plan) {
  const HgProgram program = HgTrajectoryProgram(p->trajectory);
  char later[96] = "";
  if (isfinite(plan->recompute_factor))
    HgSentenceAdd(sizeof later, later, ", recompute factor %.3f", plan->recompute_factor);
  if (isfinite(plan->seconds)) HgSentenceAdd(sizeof later, later, ", %.3g s", plan->seconds);
  return PetscPrintf(HgMeshComm(HgProgramMesh(program)),
                     "gradient of '%s': %s over %ld %s, checkpoints %.1f MiB in memory (%d slots "
                     "used) and %.1f MiB in files (%d), other states %.1f MiB%s\n",
                     HgProgramName(program), plan->policy, plan->units,
                     plan->blocks ? "blocks" : "steps", plan->bytes[HG_MEMORY_TIER] / 1048576,
                     plan->slots[HG_MEMORY_TIER], plan->bytes[HG_FILE_TIER] / 1048576,
                     plan->slots[HG_FILE_TIER], plan->live_bytes / 1048576, later);
}

/* Is there more to tell than before? */
static bool is_news(const HgTrajectoryPlan *before, const HgTrajectoryPlan *now) {
  return before->policy != now->policy || before->units != now->units ||
         before->slots[0] != now->slots[0] || before->slots[1] != now->slots[1] ||
         isnan(before->seconds) != isnan(now->seconds);
}

static PetscErrorCode planned(void *self, const HgTrajectoryPlan *plan) {
  Plan *const p = self;
  if (is_news(&p->told, plan)) PetscCall(print(p, plan));
  p->told = *plan;
  PetscCall(HgReportSetText(p->report, "plan.policy", plan->policy));
  PetscCall(HgReportSetInteger(p->report, "plan.units", plan->units));
  PetscCall(
      HgReportSetInteger(p->report, "plan.memory_bytes", (int64_t)plan->bytes[HG_MEMORY_TIER]));
  PetscCall(HgReportSetInteger(p->report, "plan.file_bytes", (int64_t)plan->bytes[HG_FILE_TIER]));
  PetscCall(HgReportSetInteger(p->report, "plan.live_bytes", (int64_t)plan->live_bytes));
  PetscCall(HgReportSetReal(p->report, "plan.recompute_factor", plan->recompute_factor));
  return HgReportSetReal(p->report, "plan.seconds", plan->seconds);
}

static void leave(void *self) { PetscFree(self); }

PetscErrorCode HgRunPlanAttach(HgReport report, HgTrajectory trajectory) {
  Plan *p;
  PetscCall(PetscNew(&p));
  p->report = report, p->trajectory = trajectory, p->told.seconds = NAN;
  return HgTrajectoryObserve(
      trajectory,
      &(HgTrajectoryObserver){.next = never, .planned = planned, .leave = leave, .context = p});
}
