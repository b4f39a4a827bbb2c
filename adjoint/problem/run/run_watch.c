/* SPDX-License-Identifier: BSD-2-Clause */
/* The trajectories of a run: one observer of each, by which the run prints plans, records, shows
   and examines; and their suspension while checks run them. */
#include <halograd/check_library.h>
#include <halograd/error_library.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/report_library.h>
#include <halograd/run_library.h>
#include <halograd/trajectory_library.h>
#include <math.h>

/* A recompute factor above which a hint at more slots is printed. */
static const double DEAR = 4;

/* ---- what gradients are going to take: printed before the first one, once for all trajectories
   that take the same, and left in run.json beside what they took ---- */
static PetscErrorCode print_plan(HgTrajectory trajectory, const HgTrajectoryPlan *plan) {
  const HgProgram program = HgTrajectoryProgram(trajectory);
  char later[96] = "";
  if (isfinite(plan->recompute_factor))
    HgSentenceAdd(sizeof later, later, ", recompute factor %.3f%s", plan->recompute_factor,
                  plan->recompute_factor < DEAR ? "" : " (more -slots lower it)");
  if (isfinite(plan->seconds)) HgSentenceAdd(sizeof later, later, ", %.3g s", plan->seconds);
  return PetscPrintf(HgMeshComm(HgProgramMesh(program)),
                     "gradient of '%s': %s over %ld %s, checkpoints %.1f MiB in memory%s (%d slots "
                     "used) and %.1f MiB in files (%d), other states %.1f MiB%s\n",
                     HgProgramName(program), plan->policy, plan->units,
                     plan->blocks ? "blocks" : "steps", plan->bytes[HG_MEMORY_TIER] / 1048576,
                     plan->rounded ? " as floats" : "", plan->slots[HG_MEMORY_TIER],
                     plan->bytes[HG_FILE_TIER] / 1048576, plan->slots[HG_FILE_TIER],
                     plan->live_bytes / 1048576, later);
}

static bool same_plan(const HgTrajectoryPlan *a, const HgTrajectoryPlan *b) {
  return a->policy == b->policy && a->units == b->units && a->slots[0] == b->slots[0] &&
         a->slots[1] == b->slots[1];
}

static PetscErrorCode planned(void *self, const HgTrajectoryPlan *plan) {
  HgWatched *const w = self;
  const HgReport report = w->run->report;
  if (!w->own || !HgRunIsFirst(w->run)) return 0;
  if (!w->plan_told && !same_plan(&w->run->told, plan)) PetscCall(print_plan(w->trajectory, plan));
  w->plan_told = true, w->run->told = *plan;
  PetscCall(HgReportSetText(report, "plan.policy", plan->policy));
  PetscCall(HgReportSetInteger(report, "plan.units", plan->units));
  PetscCall(HgReportSetInteger(report, "plan.memory_bytes", (int64_t)plan->bytes[HG_MEMORY_TIER]));
  PetscCall(HgReportSetInteger(report, "plan.file_bytes", (int64_t)plan->bytes[HG_FILE_TIER]));
  PetscCall(HgReportSetInteger(report, "plan.live_bytes", (int64_t)plan->live_bytes));
  PetscCall(HgReportSetReal(report, "plan.recompute_factor", plan->recompute_factor));
  return HgReportSetReal(report, "plan.seconds", plan->seconds);
}

/* ---- -doctor, for applications that hand over J, and for those that only make gradients ---- */
bool HgRunDoctorWaits(HgRun run) { return run->doctor.asked && !run->doctor.done; }

PetscErrorCode HgRunDoctor(HgRun run, HgOperator J, HgState m, int bounds,
                           const HgCheckBound bound[]) {
  const HgCheckOptions options = {.bounds = bounds, .bound = bound, .directory = run->output};
  bool sound;
  if (!run->doctor.asked) return 0;
  run->doctor.done = true;
  HgRunSuspend(run, true);
  PetscCall(HgCheckGradient(J, m, &options, &sound));
  HgRunSuspend(run, false);
  HgRequire(PETSC_COMM_WORLD, sound, HG_ERR_CHECK_FAILED,
            "%s: the doctor has found what is wrong, see above", run->name);
  return 0;
}

/* For the doctor in an application that does not use HgProblem: gathers x as the first gradient
   begins. */
static long next_step(void *self, HgMode direction, long n) {
  const HgWatched *w = self;
  return w->x && direction == HG_PRIMAL && n == 0 ? 0 : HG_NO_STEP;
}

static PetscErrorCode join_input(void *self, const HgTrajectorySight *s) {
  return HgCheckJoin(s->q, s->constants, ((HgWatched *)self)->x);
}

static PetscErrorCode begin_run(void *self, HgMode run) {
  HgWatched *w = self;
  const bool alone = w->own && !w->run->experiments;
  if (alone && run == HG_COTANGENT && !w->x && HgRunDoctorWaits(w->run))
    PetscCall(HgProgramCreateInput(HgTrajectoryProgram(w->trajectory), &w->x));
  return HgRunRecordBegins(w, run);
}

static PetscErrorCode diagnose_run(void *self, HgMode run, double J) {
  HgWatched *w = self;
  HgState x = w->x;
  HgOperator op;
  (void)run;
  if (!x) return 0;
  w->x = NULL;
  PetscCall(HgTrajectoryOperator(w->trajectory, &op));
  PetscCall(HgRunDoctor(w->run, op, x, 0, NULL));
  PetscCall(HgOperatorDestroy(&op));
  HgRunSuspend(w->run, true);
  PetscCall(HgTrajectoryValue(w->trajectory, x, &J)); /* q_N is again that of x */
  HgRunSuspend(w->run, false);
  return HgStateDestroy(&x);
}

/* ---- trajectories ---- */
static void forget_trajectory(void *self) { ((HgWatched *)self)->trajectory = NULL; }

PetscErrorCode HgRunWatch(HgRun run, HgTrajectory trajectory, HgWatched **watched) {
  const HgRunRecord *r = &run->record;
  HgWatched *w = run->watched;
  while (w && w->trajectory != trajectory) w = w->before;
  *watched = w;
  if (w) return 0;
  HgRequire(PETSC_COMM_WORLD, !run->experiments || !*r->window, HG_ERR_OPTION_CONFLICT,
            "option -window: given to a run of several experiments, expected one trajectory");
  PetscCall(PetscNew(&w));
  w->run = run, w->trajectory = trajectory, w->before = run->watched;
  w->records = HgRunIsFirst(run) && HgRunRecordWatches(r);
  run->watched = *watched = w;
  if (w->records && r->monitor != HG_MONITOR_OFF && HgTrajectoryReverses(trajectory))
    PetscCall(HgAdjointMonitorCreate(trajectory, r->monitor, &w->monitor));
  PetscCall(HgTrajectoryAddObserver(trajectory, &(HgTrajectoryObserver){.next = next_step,
                                                                        .see = join_input,
                                                                        .begin = begin_run,
                                                                        .end = diagnose_run,
                                                                        .planned = planned,
                                                                        .leave = forget_trajectory,
                                                                        .context = w}));
  if (run->suspended) w->suspended = HgTrajectorySuspend(trajectory);
  return 0;
}

void HgRunSuspend(HgRun run, bool suspend) {
  const bool change = suspend ? !run->suspended++ : !--run->suspended;
  for (HgWatched *w = run->watched; w && change; w = w->before) {
    if (!w->trajectory) continue;
    if (suspend) w->suspended = HgTrajectorySuspend(w->trajectory);
    else HgTrajectoryResume(w->trajectory, &w->suspended);
  }
}

PetscErrorCode HgRunWatchedDestroy(HgRun run) {
  for (HgWatched *w = run->watched, *before; w; w = before) {
    before = w->before;
    if (w->trajectory) PetscCall(HgTrajectoryRemoveObserver(w->trajectory, w));
    PetscCall(HgRunRecordForget(w));
    PetscCall(HgAdjointMonitorDestroy(&w->monitor));
    PetscCall(HgRestartDestroy(&w->restart));
    PetscCall(HgStateDestroy(&w->x));
    PetscCall(PetscFree(w));
  }
  run->watched = NULL;
  return 0;
}

PetscErrorCode HgRunEachTrajectory(HgOperator op, HgState x, HgRunVisit *visit, void *context) {
  const HgTrajectory trajectory = HgTrajectoryOf(op);
  if (trajectory) return visit(context, trajectory, x);
  for (int k = 0;; k++) {
    HgOperator part;
    HgState at;
    PetscCall(HgOperatorPart(op, x, k, &part, &at));
    if (!at) return 0;
    if (part) PetscCall(HgRunEachTrajectory(part, at, visit, context));
    PetscCall(HgStateDestroy(&at));
  }
}
