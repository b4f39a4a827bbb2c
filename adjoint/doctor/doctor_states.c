/* States that are not the same twice, and steps that come out of order; see doctor.h. */
#include "doctor_private.h"
#include <math.h>

PetscErrorCode HgDoctorJoin(HgState q, HgState constants, HgState x) {
  for (int k = 0; k < HgStateCount(x); k++) {
    const char *const name = HgStateVariable(x, k)->name;
    const int l = HgStateFind(q, name);
    if (l >= 0) PetscCall(HgStateCopyVariable(q, l, x, k));
    else PetscCall(HgStateCopyVariable(constants, HgStateFind(constants, name), x, k));
    HgStateSetGhostDepth(x, k, 0); /* to be filled as its parts need them */
  }
  return 0;
}

PetscErrorCode HgDoctorAgain(HgProgram program, HgState x, HgState constants, long n, HgState q) {
  HgState next;
  PetscCall(HgStateDuplicate(q, &next));
  PetscCall(HgProgramSplit(program, x, q, constants));
  for (long k = 0; k < n; k++) {
    PetscCall(HgProgramStep(program, k, constants, q, next));
    HgStateSwap(q, next);
  }
  return HgStateDestroy(&next);
}

PetscErrorCode HgDoctorAltered(HgState was, HgState is, double bound, HgDoctorKind kind, long step,
                               HgDoctorReport *report) {
  for (int k = 0; k < HgStateCount(was); k++) {
    HgDoctorFinding at = {.i = -1, .j = -1, .rank = -1};
    double off;
    PetscCall(HgDoctorDifference(was, is, k, &off, &at));
    if (!(off > bound * fmax(fabs(at.was), fabs(at.is)))) continue;
    HgDoctorFinding *f = HgDoctorFind(report, kind, step);
    if (!f) return 0;
    f->place = at.place, f->i = at.i, f->j = at.j, f->rank = at.rank;
    f->was = at.was, f->is = at.is;
    f->value = off / fmax(fabs(at.was), fabs(at.is));
    return PetscStrncpy(f->write, HgStateVariable(was, k)->name, sizeof f->write);
  }
  return 0;
}

/* q_n, n = a->first, is not always the same: does it come out differently when it is made twice
   more, or came it back differently in the reverse sweep? */
static PetscErrorCode examine(HgProgram program, HgState x, const HgDoctorSeen *seen,
                              HgDoctorReport *report) {
  const HgAlteredState *a = &seen->altered;
  const int before = report->findings;
  HgState one, two;
  PetscCall(HgStateDuplicate(a->q, &one));
  PetscCall(HgStateDuplicate(a->q, &two));
  PetscCall(HgDoctorAgain(program, x, seen->constants, a->first, one));
  PetscCall(HgDoctorAgain(program, x, seen->constants, a->first, two));
  PetscCall(HgDoctorAltered(one, two, 0, HG_DOCTOR_STATE, a->first - 1, report));
  if (report->findings == before && a->back >= 0) {
    PetscCall(HgDoctorAgain(program, x, seen->constants, a->back, one));
    PetscCall(HgDoctorAltered(one, a->q, 0, HG_DOCTOR_STORE, a->back - 1, report));
  }
  if (report->findings == before) HgDoctorFind(report, HG_DOCTOR_STATE, a->first - 1);
  PetscCall(HgStateDestroy(&one));
  return HgStateDestroy(&two);
}

PetscErrorCode HgDoctorStates(HgProgram program, HgState x, const HgDoctorSeen *seen,
                              HgDoctorReport *report) {
  const HgAlteredState *a = &seen->altered;
  HgDoctorFinding *f;
  if (seen->lost.due >= 0) {
    f = HgDoctorFind(report, HG_DOCTOR_SCHEDULE, seen->lost.due);
    if (f) f->other = seen->lost.came;
    return 0;
  }
  if (a->as < 0) return examine(program, x, seen, report);
  f = HgDoctorFind(report, HG_DOCTOR_SCHEDULE, a->at);
  if (!f) return 0;
  f->other = a->as;
  return PetscStrncpy(f->part, "state", sizeof f->part);
}
