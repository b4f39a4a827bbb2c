/* What the examinations of a gradient amount to; see doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/check_library.h>
#include <math.h>
#include <string.h>

/* A step whose parts are looked at if none is wrong: by then what was at rest has begun to move. */
static long typical_step(HgTrajectory t) { return PetscMin(2, HgTrajectorySteps(t) - 1); }

/* A random direction of what the trajectory is differentiated by, each variable as large as in
   x. */
static PetscErrorCode direction(HgTrajectory t, HgState x, uint64_t seed, HgState dx) {
  PetscCall(HgCheckerRandomLike(x, seed, dx));
  for (int k = 0; k < HgStateCount(x); k++)
    if (!HgProgramActive(HgTrajectoryProgram(t), k)) PetscCall(HgStateZeroVariable(dx, k));
  return 0;
}

/* c_bar of the step alone, added to that of the steps after it, is that of the sweep but for the
   rounding of the sum. */
static PetscErrorCode examine_constants(HgState at_bar, const HgGuiltyStep *g, double bound,
                                        HgDoctorReport *report) {
  for (int k = 0; k < HgStateCount(g->c_bar); k++)
    PetscCall(HgStateAXPYVariable(g->c_bar_next, k, 1, at_bar,
                                  HgStateFind(at_bar, HgStateVariable(g->c_bar, k)->name)));
  return HgDoctorAltered(g->c_bar_next, g->c_bar, bound, HG_DOCTOR_SWEEP, g->step, report);
}

/* All parts of the step are right: does the step alone give another lambda_n, or other cotangents
   of the constants, than the sweep? */
static PetscErrorCode examine_sweep(HgOperator op, HgState at, const HgGuiltyStep *g, double bound,
                                    HgDoctorReport *report) {
  const int before = report->findings;
  HgState at_bar, lambda;
  PetscCall(HgStateDuplicate(at, &at_bar));
  PetscCall(HgStateDuplicate(g->lambda, &lambda));
  PetscCall(HgOperatorTranspose(op, at, g->lambda_next, at_bar));
  for (int k = 0; k < HgStateCount(lambda); k++)
    PetscCall(HgStateCopyVariable(at_bar, HgStateFind(at_bar, HgStateVariable(lambda, k)->name),
                                  lambda, k));
  PetscCall(HgDoctorAltered(lambda, g->lambda, 0, HG_DOCTOR_SWEEP, g->step, report));
  if (g->c_bar && report->findings == before)
    PetscCall(examine_constants(at_bar, g, bound, report));
  PetscCall(HgStateDestroy(&lambda));
  return HgStateDestroy(&at_bar);
}

/* A closer look at a step: the guilty one, the first whose value and tangent part or, if there is
   none, one of the first in which things move. */
static PetscErrorCode examine_step(HgTrajectory t, HgState x, HgDoctorSeen *seen, long step,
                                   const HgDoctorOptions *o, HgDoctorReport *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  HgGuiltyStep *const g = &seen->guilty;
  const int before = report->findings;
  HgOperator op;
  HgState at;
  PetscCall(HgProgramOperator(program, step, &op));
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(HgDoctorJoin(g->q, seen->constants, at));
  PetscCall(HgDoctorParts(program, op, step, at, step != typical_step(t), o, report));
  if (g->step >= 0 && report->findings == before) PetscCall(HgDoctorObjective(t, x, o, report));
  if (g->step >= 0 && report->findings == before) {
    PetscCall(examine_sweep(op, at, g, o->bound, report));
    if (report->findings == before) {
      HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_SWEEP, step);
      if (f) f->value = report->worst, f->bound = o->bound;
    }
  }
  PetscCall(HgStateDestroy(&at));
  return HgOperatorDestroy(&op);
}

/* Each step keeps its pairing, and each part is right: what is left is put together wrongly. */
static PetscErrorCode examine_whole(HgTrajectory t, HgState x, const HgDoctorSeen *seen, HgState dx,
                                    const HgDoctorOptions *o, HgDoctorReport *report) {
  const double slope = fmax(fabs(report->dJ), fabs(seen->objective)),
               off = report->dJ == seen->objective ? 0 : fabs(report->dJ - seen->objective) / slope;
  const double bound = 1e4 * DBL_EPSILON;
  const int before = report->findings;
  HgState x_bar;
  double J, forward = report->dJ, back, norm[2];
  char digest[17];
  PetscCall(HgStateDuplicate(x, &x_bar));
  PetscCall(HgTrajectoryGradient(t, x, 1, &J, x_bar)); /* several steps at once, as it runs */
  PetscCall(HgStateDigest(x_bar, NULL, digest));
  PetscCall(HgStateDot(dx, x_bar, &back));
  PetscCall(HgStateDot(dx, dx, &norm[0]));
  PetscCall(HgStateDot(x_bar, x_bar, &norm[1]));
  const double defect = fabs(forward - back) / (sqrt(norm[0]) * sqrt(norm[1]));
  PetscCall(HgStateDestroy(&x_bar));
  PetscCall(HgDoctorObjective(t, x, o, report));
  if (report->findings > before) return 0;
  if (off > bound && report->defect > o->bound) {
    HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_OBJECTIVE, -1);
    if (f) f->value = off, f->bound = bound;
  } else if (defect > o->bound && defect > 10 * report->defect && !report->guilty) {
    HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_BLOCK, -1);
    if (f) f->value = defect, f->bound = o->bound;
  } else if (J != report->J || seen->J != report->J || strcmp(digest, seen->digest)) {
    const bool of_J = J != report->J || seen->J != report->J;
    HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_STATE, -1);
    if (f && of_J) f->was = report->J, f->is = J != report->J ? J : seen->J;
    if (f) PetscCall(PetscStrncpy(f->write, of_J ? "J" : "the gradient", sizeof f->write));
  }
  return 0;
}

/* What came by in the sweeps, from what all else rests on to what rests on all else. */
static PetscErrorCode examine(HgTrajectory t, HgState x, HgState dx, const HgDoctorOptions *o,
                              HgDoctorReport *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  HgDoctorSeen seen;
  PetscCall(HgDoctorSteps(t, x, dx, o, report, &seen));
  HgGuiltyStep *const g = &seen.guilty;
  long step = g->step >= 0 ? g->step : typical_step(t), apart = -1;
  if (g->step < 0) PetscCall(HgDoctorAgain(program, x, seen.constants, step, g->q));
  PetscCall(HgDoctorGhosts(program, step, g->q, seen.constants, report));
  if (!report->findings && (seen.lost.due >= 0 || seen.altered.first >= 0))
    PetscCall(HgDoctorStates(program, x, &seen, report));
  if (!report->findings && seen.tangent >= 0)
    HgDoctorFind(report, HG_DOCTOR_STORE, seen.tangent - 1);
  if (!report->findings && g->step < 0) PetscCall(HgDoctorValues(t, x, dx, o, g->q, &apart));
  if (apart >= 0) step = apart;
  if (!report->findings) PetscCall(examine_step(t, x, &seen, step, o, report));
  if (!report->findings) PetscCall(examine_whole(t, x, &seen, dx, o, report));
  return HgDoctorSeenDestroy(&seen);
}

/* Stencils that keep something, or depend on how the grid is cut, make all else that is looked at
   another thing each time. */
static PetscErrorCode examine_contract(HgTrajectory t, HgState x, HgDoctorReport *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  const long step = typical_step(t);
  HgOperator op;
  HgState q, constants, at;
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(HgProgramOperator(program, step, &op));
  PetscCall(HgDoctorAgain(program, x, constants, step, q));
  PetscCall(HgDoctorJoin(q, constants, at));
  PetscCall(HgDoctorContract(program, op, step, at, report));
  HgState *const all[] = {&q, &constants, &at};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(all[k]));
  return HgOperatorDestroy(&op);
}

/* J and its gradient twice with the threads of the run, and with one. */
static PetscErrorCode examine_threads(HgTrajectory t, HgState x, int threads,
                                      HgDoctorReport *report) {
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
  HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_THREADS, -1);
  if (f) f->other = threads;
  return 0;
}

/* A remark for each constant that is 0 everywhere, also after the controls have moved. */
static PetscErrorCode remark_unset(HgProgram program, HgState x, HgDoctorReport *report) {
  HgState q, constants;
  double *norm;
  PetscCall(HgProgramCreateConstants(program, &constants));
  if (!constants) return 0;
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramSplit(program, x, q, constants));
  PetscCall(PetscMalloc1(HgStateCount(constants), &norm));
  PetscCall(HgCheckerNorms(constants, norm));
  for (int k = 0; k < HgStateCount(constants); k++) {
    HgDoctorFinding *f = norm[k] == 0 ? HgDoctorFind(report, HG_DOCTOR_UNSET, -1) : NULL;
    if (f) PetscCall(PetscStrncpy(f->read, HgStateVariable(constants, k)->name, sizeof f->read));
  }
  PetscCall(PetscFree(norm));
  PetscCall(HgStateDestroy(&constants));
  return HgStateDestroy(&q);
}

/* At x, or near it; dx: a direction. */
static PetscErrorCode examine_at(HgTrajectory t, HgState x, bool near, const HgDoctorOptions *o,
                                 HgDoctorReport *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  HgState at, dx;
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(HgStateDuplicate(x, &dx));
  if (near) PetscCall(remark_unset(program, x, report));
  if (near) PetscCall(HgCheckerBeside(x, false, 0, NULL, o->seed + 2, at));
  else PetscCall(HgStateCopy(x, at));
  PetscCall(direction(t, x, o->seed + 1, dx));
  if (!near) {
    const int threads = HgProgramUseThreads(program, 1);
    PetscCall(examine_contract(t, x, report));
    HgProgramUseThreads(program, threads);
    if (threads > 1) PetscCall(examine_threads(t, x, threads, report));
  }
  if (!report->findings) PetscCall(examine(t, at, dx, o, report));
  PetscCall(HgStateDestroy(&at));
  return HgStateDestroy(&dx);
}

PetscErrorCode HgDoctorTrajectoryAt(HgTrajectory t, HgState x, bool near, const HgDoctorOptions *o,
                                    HgDoctorReport *report) {
  *report = (HgDoctorReport){.trajectories = 1, .steps = HgTrajectorySteps(t)};
  PetscCall(
      PetscStrncpy(report->program, HgProgramName(HgTrajectoryProgram(t)), sizeof report->program));
  PetscCall(examine_at(t, x, near, o, report));
  for (int k = 0; near && k < report->findings; k++) report->finding[k].near = true;
  return 0;
}

HgDoctorOptions HgDoctorDefaults(const HgDoctorOptions *options) {
  HgDoctorOptions o = options ? *options : (HgDoctorOptions){0};
  if (o.bound <= 0) o.bound = 100 * DBL_EPSILON;
  if (!o.memory) o.memory = (size_t)1 << 30;
  return o;
}

PetscErrorCode HgDoctorTrajectory(HgTrajectory t, HgState x, const HgDoctorOptions *options,
                                  HgDoctorReport *report) {
  const HgDoctorOptions o = HgDoctorDefaults(options);
  HgDoctorReport near;
  PetscCall(HgDoctorTrajectoryAt(t, x, false, &o, report));
  if (report->findings) return 0;
  PetscCall(HgDoctorTrajectoryAt(t, x, true, &o, &near));
  if (near.findings) *report = near;
  else HgDoctorMergeRemarks(&near, report);
  return 0;
}
