/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks and inversions of a run, and what is told of them. */
#include <halograd/inversion_library.h>
#include <halograd/objective_library.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/run_library.h>
#include <math.h>
#include <stdio.h>

/* Checks print on the first group only. */
static HgCheckOptions check_options(HgRun run, double dot_bound) {
  return (HgCheckOptions){.seed = 1, .dot_bound = dot_bound, .quiet = !HgRunIsFirst(run)};
}

static PetscErrorCode all_passed(bool ok, bool *passed) {
  int all = *passed && ok;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  *passed = all;
  return 0;
}

PetscErrorCode HgRunCheckOperator(HgRun run, HgOperator op, HgState x, double dot_bound, int bounds,
                                  const HgCheckBound bound[], bool *passed) {
  HgCheckOptions options = check_options(run, dot_bound);
  bool ok;
  options.bounds = bounds, options.bound = bound;
  HgRunSuspend(run, true);
  PetscCall(HgCheckOperator(op, x, &options, &ok));
  HgRunSuspend(run, false);
  return all_passed(ok, passed);
}

/* Bit k: the program is differentiated by variable k of its input. */
static uint64_t active_variables(HgProgram program) {
  uint64_t active = 0;
  for (int k = 0; k < 64; k++) active |= (uint64_t)HgProgramActive(program, k) << k;
  return active;
}

PetscErrorCode HgRunCheckProgram(HgRun run, HgProgram program, HgState x, long steps,
                                 bool *passed) {
  const HgCheckOptions options = check_options(run, 0);
  bool ok;
  PetscCall(HgCheckProgram(program, PetscMin(2, steps - 1), x, &options, &ok));
  run->checked = program, run->active = active_variables(program);
  return all_passed(ok, passed);
}

PetscErrorCode HgRunCheck(HgRun run, const HgCommon *common, HgProgram program, HgState x,
                          int count, const HgOperator op[], HgState at) {
  bool passed = true;
  if (common->check) PetscCall(HgRunCheckProgram(run, program, x, common->steps, &passed));
  for (int k = 0; k < count && common->check; k++)
    PetscCall(HgRunCheckOperator(run, op[k], at, HG_RUN_DOT, 0, NULL, &passed));
  HgRequire(PETSC_COMM_WORLD, passed, HG_ERR_CHECK_FAILED, "%s: a check failed, see above",
            run->name);
  return HgRunDoctor(run, op[count - 1], at, 0, NULL);
}

static PetscErrorCode monitor(const HgIterate *it, HgState m, void *context) {
  HgRun r = context;
  double R = 0;
  if (it->iteration == 0)
    PetscCall(HgOptionsCheckUnused(r->options)); /* TAO has read its own by now */
  if (r->regularisation) {
    PetscCall(HgOperatorApply(r->regularisation, m, r->R));
    R = HgStateArray(r->R, 0)[0];
  }
  PetscCall(HgIteratesAdd(&r->iterates, it, R));
  if (it->iteration == 0)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%5s %13s %13s %13s %10s %6s %9s %9s%s\n", "iter", "J",
                          "misfit", "regularis.", "|g|", "evals", "elapsed", "ETA",
                          r->parts.terms ? "  shares" : ""));
  const double eta = HgIteratesRemaining(&r->iterates, it);
  char left[32] = "-", shares[64];
  PetscCall(HgPartsAdd(&r->parts, it->J - R, sizeof shares, shares));
  if (eta >= 0) snprintf(left, sizeof left, "%.0f s", eta);
  return PetscPrintf(PETSC_COMM_WORLD, "%5d %13.6e %13.6e %13.6e %10.3e %6d %7.1f s %9s%s\n",
                     it->iteration, it->J, it->J - R, R, it->gradient_norm, it->evaluations,
                     it->seconds, left, shares);
}

PetscErrorCode HgRunEnded(HgRun run, const HgIterate *last, const char reason[]) {
  PetscCall(HgReportSetInteger(run->report, "iterations", last->iteration));
  PetscCall(HgReportSetInteger(run->report, "evaluations", last->evaluations));
  return HgIteratesEnd(&run->iterates, last->ending, reason);
}

static PetscErrorCode watch_part(void *run, HgTrajectory trajectory, HgState x) {
  HgWatched *w;
  (void)x;
  return HgRunWatch(run, trajectory, &w);
}

PetscErrorCode HgRunSolve(HgRun run, HgInversion inversion, HgObjective objective,
                          HgOperator regularisation, HgState m, HgIterate *last,
                          const char **reason) {
  HgRequire(PETSC_COMM_WORLD, !run->checked || run->active == active_variables(run->checked),
            HG_ERR_CALL_ORDER,
            "run '%s': the active constants of program '%s' were changed after it was checked, "
            "expected HgProgramSetActive before HgRunCheckProgram",
            run->name, HgProgramName(run->checked));
  PetscCall(HgOperatorReference(regularisation));
  PetscCall(HgOperatorDestroy(&run->regularisation));
  PetscCall(HgStateDestroy(&run->R));
  run->regularisation = regularisation;
  if (regularisation) PetscCall(HgOperatorCreateOutput(regularisation, &run->R));
  PetscCall(HgInversionSetPart(inversion, regularisation));
  PetscCall(HgInversionSetMonitor(inversion, monitor, run));
  run->iterates.begun = run->iterates.count;
  const int parts = run->parts.count;
  if (HgRunRecordWatches(&run->record)) {
    HgRunSuspend(run, true);
    PetscCall(HgRunEachTrajectory(HgInversionFunctional(inversion), m, watch_part, run));
    HgRunSuspend(run, false);
  }
  PetscCall(HgRunResume(run, inversion));
  if (HgRunDoctorWaits(run))
    PetscCall(HgRunDoctor(run, HgInversionFunctional(inversion), m, 0, NULL));
  run->record.last = false;
  PetscCall(HgPartsBegin(&run->parts, objective));
  PetscCall(HgInversionSolve(inversion, m, last, reason));
  run->record.last = *run->record.record;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "inversion ended: %s after %d iterations, %d evaluations, %.1f s\n",
                        *reason, last->iteration, last->evaluations, last->seconds));
  if (run->aside) {
    run->iterates.count = run->iterates.begun, run->parts.count = parts;
    return 0;
  }
  PetscCall(HgRunEnded(run, last, *reason));
  PetscCall(HgPartsReport(&run->parts, run->report));
  const HgIterates *const all = &run->iterates;
  PetscCall(HgReportSetReals(run->report, "history.J", all->count, all->value[HG_ITERATE_J]));
  return HgReportSetReals(run->report, "history.misfit", all->count, all->value[HG_ITERATE_MISFIT]);
}

PetscErrorCode HgRunInvert(HgRun run, HgInversion inversion, HgOperator regularisation, HgState m,
                           HgIterate *last, const char **reason) {
  HgState gradient;
  double unused;
  PetscCall(HgRunSolve(run, inversion, NULL, regularisation, m, last, reason));
  if (!run->record.last) return 0;
  const HgOperator J = HgInversionFunctional(inversion);
  PetscCall(HgOperatorCreateGradient(J, &gradient));
  PetscCall(HgOperatorGradient(J, m, &unused, gradient));
  return HgStateDestroy(&gradient);
}

PetscErrorCode HgRunError(HgRun run, double start, double end) {
  if (!isfinite(start) || !isfinite(end)) return 0; /* relative to a truth that is 0 */
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "error %.4f -> %.4f (first guess -> found)\n", start, end));
  PetscCall(HgReportSetReal(run->report, "error_start", start));
  return HgReportSetReal(run->report, "error_end", end);
}

HgPanel HgRunConvergence(HgRun run) { return HgIteratesPanel(&run->iterates); }
