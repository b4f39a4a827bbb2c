/* What the gradients of a run are going to take: printed before the first one, once for all
   trajectories that take the same, and left in run.json beside what they took. */
#include <halograd/run_library.h>
#include <math.h>

struct HgRunPlan_s {
  HgReport report;
  int paused;
  HgTrajectoryPlan told; /* units 0: nothing yet */
};

/* Of one trajectory. */
typedef struct {
  HgRunPlan run;
  HgTrajectory trajectory;
  bool told;
} Plan;

/* A recompute factor from which on slots are worth a word. */
static const double DEAR = 4;

static long never(void *self, HgMode direction, long n) {
  (void)self, (void)direction, (void)n;
  return HG_NO_STEP;
}

static PetscErrorCode print(const Plan *p, const HgTrajectoryPlan *plan) {
  const HgProgram program = HgTrajectoryProgram(p->trajectory);
  char later[96] = "";
  if (isfinite(plan->recompute_factor))
    HgSentenceAdd(sizeof later, later, ", recompute factor %.3f%s", plan->recompute_factor,
                  plan->recompute_factor < DEAR ? "" : " (more -slots lower it)");
  if (isfinite(plan->seconds)) HgSentenceAdd(sizeof later, later, ", %.3g s", plan->seconds);
  return PetscPrintf(HgMeshComm(HgProgramMesh(program)),
                     "gradient of '%s': %s over %ld %s, checkpoints %.1f MiB in memory (%d slots "
                     "used) and %.1f MiB in files (%d), other states %.1f MiB%s\n",
                     HgProgramName(program), plan->policy, plan->units,
                     plan->blocks ? "blocks" : "steps", plan->bytes[HG_MEMORY_TIER] / 1048576,
                     plan->slots[HG_MEMORY_TIER], plan->bytes[HG_FILE_TIER] / 1048576,
                     plan->slots[HG_FILE_TIER], plan->live_bytes / 1048576, later);
}

static bool same(const HgTrajectoryPlan *a, const HgTrajectoryPlan *b) {
  return a->policy == b->policy && a->units == b->units && a->slots[0] == b->slots[0] &&
         a->slots[1] == b->slots[1];
}

static PetscErrorCode planned(void *self, const HgTrajectoryPlan *plan) {
  Plan *const p = self;
  const HgReport report = p->run->report;
  if (p->run->paused) return 0;
  if (!p->told && !same(&p->run->told, plan)) PetscCall(print(p, plan));
  p->told = true, p->run->told = *plan;
  PetscCall(HgReportSetText(report, "plan.policy", plan->policy));
  PetscCall(HgReportSetInteger(report, "plan.units", plan->units));
  PetscCall(HgReportSetInteger(report, "plan.memory_bytes", (int64_t)plan->bytes[HG_MEMORY_TIER]));
  PetscCall(HgReportSetInteger(report, "plan.file_bytes", (int64_t)plan->bytes[HG_FILE_TIER]));
  PetscCall(HgReportSetInteger(report, "plan.live_bytes", (int64_t)plan->live_bytes));
  PetscCall(HgReportSetReal(report, "plan.recompute_factor", plan->recompute_factor));
  return HgReportSetReal(report, "plan.seconds", plan->seconds);
}

static void leave(void *self) { (void)PetscFree(self); }

PetscErrorCode HgRunPlanCreate(HgReport report, HgRunPlan *plan) {
  PetscCall(PetscNew(plan));
  (*plan)->report = report;
  return 0;
}

PetscErrorCode HgRunPlanDestroy(HgRunPlan *plan) { return PetscFree(*plan); }

void HgRunPlanPause(HgRunPlan plan, bool pause) { plan->paused += pause ? 1 : -1; }

PetscErrorCode HgRunPlanAttach(HgRunPlan plan, HgTrajectory trajectory) {
  Plan *p;
  PetscCall(PetscNew(&p));
  p->run = plan, p->trajectory = trajectory;
  return HgTrajectoryAddObserver(
      trajectory,
      &(HgTrajectoryObserver){.next = never, .planned = planned, .leave = leave, .context = p});
}
