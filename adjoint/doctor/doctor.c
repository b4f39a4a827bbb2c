/* What the examinations of a gradient amount to; see doctor.h. */
#include "check_private.h"
#include "doctor_private.h"
#include <float.h>
#include <math.h>
#include <string.h>

HgDoctorFinding *HgDoctorFind(HgDoctorReport *report, HgDoctorKind kind, long step) {
  if (report->findings == HG_DOCTOR_MOST) return NULL;
  HgDoctorFinding *f = &report->finding[report->findings++];
  *f = (HgDoctorFinding){.kind = kind, .step = step, .i = -1, .j = -1, .rank = -1};
  return f;
}

/* A random direction of what the trajectory is differentiated by, each variable as large as in
   x. */
static PetscErrorCode direction(HgTrajectory t, HgState x, uint64_t seed, HgState dx) {
  PetscCall(HgCheckerRandomLike(x, seed, dx));
  for (int k = 0; k < HgStateCount(x); k++)
    if (!HgProgramActive(HgTrajectoryProgram(t), k)) PetscCall(HgStateZeroVariable(dx, k));
  return 0;
}

/* x = (q, constants), the input of a step. */
static PetscErrorCode join(HgState q, HgState constants, HgState x) {
  for (int k = 0; k < HgStateCount(x); k++) {
    const char *const name = HgStateVariable(x, k)->name;
    const int l = HgStateFind(q, name);
    if (l >= 0) PetscCall(HgStateCopyVariable(q, l, x, k));
    else PetscCall(HgStateCopyVariable(constants, HgStateFind(constants, name), x, k));
  }
  return 0;
}

/* q_n once more, by steps from q_0. */
static PetscErrorCode again(HgProgram program, HgState x, HgState constants, long n, HgState q) {
  HgState next;
  PetscCall(HgStateDuplicate(q, &next));
  PetscCall(HgProgramSplit(program, x, q, constants));
  for (long k = 0; k < n; k++) {
    PetscCall(HgProgramStep(program, k, constants, q, next));
    HgStateSwap(q, next);
  }
  return HgStateDestroy(&next);
}

/* The first variable in which `was` and `is` differ, and where most. */
static PetscErrorCode find_difference(HgState was, HgState is, HgDoctorKind kind, long step,
                                      HgDoctorReport *report) {
  for (int k = 0; k < HgStateCount(was); k++) {
    HgDoctorFinding at = {.i = -1, .j = -1, .rank = -1};
    double off, size;
    PetscCall(HgDoctorDifference(was, is, k, &off, &at));
    if (!(off > 0)) continue;
    HgDoctorFinding *f = HgDoctorFind(report, kind, step);
    if (!f) return 0;
    size = fmax(fabs(at.was), fabs(at.is));
    *f = (HgDoctorFinding){.kind = kind,
                           .step = step,
                           .place = at.place,
                           .i = at.i,
                           .j = at.j,
                           .rank = at.rank,
                           .was = at.was,
                           .is = at.is,
                           .value = off / size};
    return PetscStrncpy(f->write, HgStateVariable(was, k)->name, sizeof f->write);
  }
  return 0;
}

/* q_n, n = g->altered, is not always the same: does it come out differently when it is made twice
   more, or came it back differently in the reverse sweep? */
static PetscErrorCode examine_state(HgProgram program, HgState x, HgGuilty *g,
                                    HgDoctorReport *report) {
  const int before = report->findings;
  HgState one, two;
  PetscCall(HgStateDuplicate(g->q, &one));
  PetscCall(HgStateDuplicate(g->q, &two));
  PetscCall(again(program, x, g->constants, g->altered, one));
  PetscCall(again(program, x, g->constants, g->altered, two));
  PetscCall(find_difference(one, two, HG_DOCTOR_STATE, g->altered - 1, report));
  if (report->findings == before && g->altered_back >= 0) {
    PetscCall(again(program, x, g->constants, g->altered_back, one));
    PetscCall(find_difference(one, g->q_back, HG_DOCTOR_STATE, g->altered_back - 1, report));
  }
  if (report->findings == before) HgDoctorFind(report, HG_DOCTOR_STATE, g->altered - 1);
  PetscCall(HgStateDestroy(&one));
  return HgStateDestroy(&two);
}

/* All parts of the step are right: does the step alone give another lambda_n than the sweep? */
static PetscErrorCode examine_sweep(HgOperator op, HgState at, HgGuilty *g,
                                    HgDoctorReport *report) {
  HgState at_bar, lambda;
  PetscCall(HgStateDuplicate(at, &at_bar));
  PetscCall(HgStateDuplicate(g->lambda, &lambda));
  PetscCall(HgOperatorTranspose(op, at, g->lambda_next, at_bar));
  for (int k = 0; k < HgStateCount(lambda); k++)
    PetscCall(HgStateCopyVariable(at_bar, HgStateFind(at_bar, HgStateVariable(lambda, k)->name),
                                  lambda, k));
  PetscCall(find_difference(lambda, g->lambda, HG_DOCTOR_SWEEP, g->step, report));
  PetscCall(HgStateDestroy(&lambda));
  return HgStateDestroy(&at_bar);
}

/* A closer look at a step: the guilty one or, if none is, one of the first in which things move. */
static PetscErrorCode examine_step(HgTrajectory t, HgState x, HgGuilty *g, const HgDoctorOptions *o,
                                   HgDoctorReport *report) {
  const HgProgram program = HgTrajectoryProgram(t);
  const long step = g->step >= 0 ? g->step : PetscMin(2, HgTrajectorySteps(t) - 1);
  const int before = report->findings;
  HgOperator op;
  HgState at;
  if (g->step < 0) PetscCall(again(program, x, g->constants, step, g->q));
  PetscCall(HgProgramOperator(program, step, &op));
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(join(g->q, g->constants, at));
  PetscCall(HgDoctorParts(program, op, step, at, o, report));
  if (g->step >= 0 && report->findings == before) {
    PetscCall(examine_sweep(op, at, g, report));
    if (report->findings == before) {
      HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_SWEEP, step);
      if (f) f->value = report->worst, f->bound = o->bound;
    }
  }
  PetscCall(HgStateDestroy(&at));
  return HgOperatorDestroy(&op);
}

/* Each step keeps its pairing, and each part is right: what is left is put together wrongly. */
static PetscErrorCode examine_whole(HgTrajectory t, HgState x, double objective, HgState dx,
                                    const HgDoctorOptions *o, HgDoctorReport *report) {
  const double slope = fmax(fabs(report->dJ), fabs(objective)),
               off = report->dJ == objective ? 0 : fabs(report->dJ - objective) / slope;
  HgState x_bar;
  double J, forward = report->dJ, back, norm[2];
  PetscCall(HgStateDuplicate(x, &x_bar));
  PetscCall(HgTrajectoryGradient(t, x, 1, &J, x_bar)); /* several steps at once, as it runs */
  PetscCall(HgStateDot(dx, x_bar, &back));
  PetscCall(HgStateDot(dx, dx, &norm[0]));
  PetscCall(HgStateDot(x_bar, x_bar, &norm[1]));
  const double defect = fabs(forward - back) / (sqrt(norm[0]) * sqrt(norm[1]));
  PetscCall(HgStateDestroy(&x_bar));
  const double bound = 1e4 * DBL_EPSILON;
  if (off > bound && report->defect > o->bound) {
    HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_OBJECTIVE, -1);
    if (f) f->value = off, f->bound = bound;
  } else if (defect > o->bound && defect > 10 * report->defect && !report->guilty) {
    HgDoctorFinding *f = HgDoctorFind(report, HG_DOCTOR_BLOCK, -1);
    if (f) f->value = defect, f->bound = o->bound;
  }
  return 0;
}

PetscErrorCode HgDoctorTrajectory(HgTrajectory t, HgState x, const HgDoctorOptions *options,
                                  HgDoctorReport *report) {
  HgDoctorOptions o = options ? *options : (HgDoctorOptions){0};
  HgGuilty guilty;
  HgState dx;
  double objective;
  if (o.bound <= 0) o.bound = 100 * DBL_EPSILON;
  if (!o.memory) o.memory = (size_t)1 << 30;
  *report = (HgDoctorReport){.steps = HgTrajectorySteps(t)};
  PetscCall(HgStateDuplicate(x, &dx));
  PetscCall(direction(t, x, o.seed + 1, dx));
  PetscCall(HgDoctorSteps(t, x, dx, &o, report, &objective, &guilty));
  if (guilty.altered >= 0) /* all else rests on states that are the same twice */
    PetscCall(examine_state(HgTrajectoryProgram(t), x, &guilty, report));
  else {
    PetscCall(examine_step(t, x, &guilty, &o, report));
    PetscCall(examine_whole(t, x, objective, dx, &o, report));
  }
  PetscCall(HgGuiltyDestroy(&guilty));
  return HgStateDestroy(&dx);
}
