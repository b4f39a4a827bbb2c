/* SPDX-License-Identifier: BSD-2-Clause */
/* What the examinations of a trajectory amount to; see doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/state_library.h>

/* The step to examine if no step is wrong: by then a state initially at rest has begun to move. */
static long typical_step(HgTrajectory t) { return PetscMin(2, HgTrajectorySteps(t) - 1); }

/* ---- what is not the same twice ---- */

/* q_n, n = seen->altered, differed between two runs. Finds out whether an operator of the step
   before gives another result when it is repeated, or the steps up to then do. */
static PetscErrorCode examine_repeat(HgProgram program, HgState x, const HgDoctorSeen *seen,
                                     HgFindings *report) {
  const long step = seen->altered - 1;
  const HgStencil *stencil;
  const void *params;
  HgOperator op, part;
  HgState at, here, one, two;
  PetscCall(HgProgramOperator(program, PetscMax(step, 0), &op));
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(HgCheckInput(program, x, PetscMax(step, 0), at));
  for (int k = 0; HgProgramTerm(program, k, &stencil, &params) && !report->findings; k++) {
    PetscCall(HgOperatorPart(op, at, k, &part, &here));
    if (!part) part = op;
    PetscCall(HgOperatorCreateOutput(part, &one));
    PetscCall(HgOperatorCreateOutput(part, &two));
    PetscCall(HgOperatorApply(part, here ? here : at, one));
    PetscCall(HgOperatorApply(part, here ? here : at, two));
    PetscCall(HgDoctorAltered(one, two, HG_CHECK_REPEAT, step,
                              stencil ? stencil->name : HgOperatorName(part), report));
    if (report->findings && stencil) report->finding[0].kernel = HG_KERNEL_APPLY;
    PetscCall(HgStatesDestroy(&here, &one, &two));
  }
  if (!report->findings) {
    PetscCall(HgStateDuplicate(at, &here));
    PetscCall(HgCheckInput(program, x, seen->altered, at));
    PetscCall(HgCheckInput(program, x, seen->altered, here));
    PetscCall(HgDoctorAltered(at, here, HG_CHECK_REPEAT, step, "", report));
    PetscCall(HgStateDestroy(&here));
  }
  if (!report->findings) HgFindingsAdd(report, HG_CHECK_REPEAT, step);
  PetscCall(HgStateDestroy(&at));
  return HgOperatorDestroy(&op);
}

/* Compares J and its gradient, computed twice with the threads of the run, and with one thread. */
static PetscErrorCode examine_threads(HgTrajectory t, HgState x, int threads, HgFindings *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  char digest[4][17];
  double J[4];
  HgState x_bar;
  PetscCall(HgStateDuplicate(x, &x_bar));
  for (int n = 0; n < 4; n++) {
    HgProgramUseThreads(program, n < 2 ? threads : 1);
    PetscCall(HgStateZero(x_bar));
    PetscCall(HgTrajectoryGradient(t, x, 1, &J[n], x_bar));
    PetscCall(HgStateDigest(x_bar, NULL, digest[n]));
  }
  HgProgramUseThreads(program, threads);
  PetscCall(HgStateDestroy(&x_bar));
  bool same[4];
  for (int n = 0; n < 4; n++)
    same[n] = !memcmp(&J[n], &J[3], sizeof *J) && !strcmp(digest[n], digest[3]);
  if (!same[2] || (same[0] && same[1])) return 0;
  HgFinding *f = HgFindingsAdd(report, HG_CHECK_THREADS, -1);
  if (f) f->value = threads;
  return 0;
}

/* ---- steps, and the whole ---- */

/* If all parts of the step are right: compares lambda_n of the step alone with that of the sweep.
   */
static PetscErrorCode examine_sweep(HgOperator op, HgState at, const HgDoctorSeen *seen,
                                    double bound, HgFindings *report) {
  HgState at_bar, lambda;
  PetscCall(HgStateDuplicate(at, &at_bar));
  PetscCall(HgStateDuplicate(seen->lambda, &lambda));
  PetscCall(HgOperatorTranspose(op, at, seen->lambda_next, at_bar));
  PetscCall(HgStateCopyShared(at_bar, lambda));
  PetscCall(HgDoctorAltered(lambda, seen->lambda, HG_CHECK_SWEEP, seen->step, "", report));
  HgFinding *f = report->findings ? NULL : HgFindingsAdd(report, HG_CHECK_SWEEP, seen->step);
  if (f) f->value = report->pairing, f->bound = bound;
  return HgStatesDestroy(&lambda, &at_bar);
}

/* Examines the parts of one step, given q before it: the first step that is wrong. If its value and
   tangent are right, or if no step is wrong, one of the first in which a state moves. */
static PetscErrorCode examine_step(HgTrajectory t, HgState x, HgDoctorSeen *seen, long step,
                                   const HgCheckOptions *o, HgFindings *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  HgOperator op;
  HgState at;
  PetscCall(HgProgramOperator(program, step, &op));
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(HgCheckJoin(seen->q, seen->constants, at));
  PetscCall(HgDoctorParts(program, op, step, at, step != typical_step(t), o, report));
  if (seen->step >= 0 && !report->findings) PetscCall(HgDoctorObjective(t, x, o, report));
  if (seen->step >= 0 && !report->findings)
    PetscCall(examine_sweep(op, at, seen, o->dot_bound, report));
  PetscCall(HgStateDestroy(&at));
  return HgOperatorDestroy(&op);
}

/* Every step keeps its pairing and every part is right. What is left: the objective, and a gradient
   that differs when several steps run at once. */
static PetscErrorCode examine_whole(HgTrajectory t, HgState x, const HgDoctorSeen *seen,
                                    const HgCheckOptions *o, HgFindings *report) {
  const double bound = 1e4 * DBL_EPSILON,
               off = HgCheckOff(report->dJ, seen->objective,
                                fmax(fabs(report->dJ), fabs(seen->objective)));
  HgState x_bar;
  double J;
  char digest[17];
  PetscCall(HgStateDuplicate(x, &x_bar));
  PetscCall(HgTrajectoryGradient(t, x, 1, &J, x_bar));
  PetscCall(HgStateDigest(x_bar, NULL, digest));
  PetscCall(HgStateDestroy(&x_bar));
  PetscCall(HgDoctorObjective(t, x, o, report));
  if (report->findings) return 0;
  if (off > bound && report->defect > o->dot_bound) {
    HgFinding *f = HgFindingsAdd(report, HG_CHECK_OBJECTIVE, -1);
    f->value = off, f->bound = bound;
  } else if (J != report->J || seen->J != report->J || strcmp(digest, seen->digest)) {
    HgFinding *f = HgFindingsAdd(report, HG_CHECK_REPEAT, -1);
    f->was = report->J, f->is = J != report->J ? J : seen->J;
  }
  return 0;
}

/* Examines what the sweeps have seen, causes before effects. */
static PetscErrorCode examine(HgTrajectory t, HgState x, HgState dx, const HgCheckOptions *o,
                              HgFindings *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  HgDoctorSeen seen;
  PetscCall(HgDoctorSteps(t, x, dx, o, report, &seen));
  long step = seen.step >= 0 ? seen.step : typical_step(t), apart = -1;
  if (seen.altered >= 0) PetscCall(examine_repeat(program, x, &seen, report));
  if (seen.step < 0) PetscCall(HgCheckAdvance(program, x, step, seen.q, seen.constants));
  if (!report->findings && seen.step < 0) PetscCall(HgDoctorValues(t, x, dx, o, seen.q, &apart));
  if (apart >= 0) step = apart;
  if (!report->findings) PetscCall(examine_step(t, x, &seen, step, o, report));
  if (!report->findings) PetscCall(examine_whole(t, x, &seen, o, report));
  return HgStatesDestroy(&seen.constants, &seen.q, &seen.lambda, &seen.lambda_next);
}

/* Stencils with memory of their own, or that depend on the decomposition, would make every other
   check unreliable. */
static PetscErrorCode examine_contract(HgTrajectory t, HgState x, HgFindings *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  HgOperator op;
  HgState at;
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(HgProgramOperator(program, typical_step(t), &op));
  PetscCall(HgCheckInput(program, x, typical_step(t), at));
  PetscCall(HgDoctorParts(program, op, typical_step(t), at, true, NULL, report));
  PetscCall(HgStateDestroy(&at));
  return HgOperatorDestroy(&op);
}

/* Adds a remark for each constant that is 0 everywhere, even after the controls have moved. */
static PetscErrorCode remark_unset(HgProgram program, HgState x, HgFindings *report) {
  HgState constants;
  double *norm;
  PetscCall(HgProgramCreateConstants(program, &constants));
  if (!constants) return 0;
  PetscCall(PetscMalloc1(HgStateCount(x), &norm));
  PetscCall(HgCheckNorms(x, norm));
  for (int k = 0; k < HgStateCount(constants); k++) {
    const char *const name = HgStateVariable(constants, k)->name;
    HgFinding *f =
        norm[HgStateFind(x, name)] == 0 ? HgFindingsAdd(report, HG_CHECK_UNSET, -1) : NULL;
    if (f) HgFindingName(f, "", name, "");
  }
  PetscCall(PetscFree(norm));
  return HgStateDestroy(&constants);
}

PetscErrorCode HgDoctorTrajectory(HgTrajectory t, HgState x, bool near, const HgCheckOptions *o,
                                  HgFindings *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  HgState at, dx;
  HgFindingsBegin(HgProgramName(program), report);
  report->trajectories = 1, report->steps = HgTrajectorySteps(t);
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(HgStateDuplicate(x, &dx));
  if (near) PetscCall(remark_unset(program, x, report));
  if (near) PetscCall(HgCheckBeside(x, false, 0, NULL, o->seed + 2, at));
  else PetscCall(HgStateCopy(x, at));
  PetscCall(HgCheckRandomLike(x, -1, o->seed + 1, dx));
  for (int k = 0; k < HgStateCount(x); k++)
    if (!HgProgramActive(program, k)) PetscCall(HgStateZeroVariable(dx, k));
  if (!near) {
    const int threads = HgProgramUseThreads(program, 1);
    PetscCall(examine_contract(t, x, report));
    HgProgramUseThreads(program, threads);
    if (threads > 1) PetscCall(examine_threads(t, x, threads, report));
  }
  if (!report->findings) PetscCall(examine(t, at, dx, o, report));
  for (int k = 0; near && k < report->findings; k++) report->finding[k].near = true;
  return HgStatesDestroy(&at, &dx);
}
