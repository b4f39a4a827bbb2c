/* A functional and what it is made of, down to trajectories and operators that have no parts; see
   doctor.h. */
#include "doctor_private.h"
#include <halograd/check_library.h>
#include <string.h>

static PetscErrorCode examine(HgOperator op, HgState x, bool near, const HgDoctorOptions *o,
                              HgDoctorReport *report);

/* What is found in part k of a sum is in that part. */
static PetscErrorCode examine_part(HgOperator op, HgState x, int k, bool near,
                                   const HgDoctorOptions *o, HgDoctorReport *report, bool *there) {
  HgOperator part;
  HgState at;
  HgDoctorReport own = {0};
  PetscCall(HgOperatorPart(op, x, k, &part, &at));
  *there = at;
  if (part) {
    const char *const name = HgOperatorName(part);
    char within[sizeof own.finding->within] = "";
    if (!strncmp(name, "experiment ", 11)) PetscCall(PetscStrncpy(within, name, sizeof within));
    PetscCall(examine(part, at, near, o, &own));
    HgDoctorMerge(&own, within, report);
  }
  return HgStateDestroy(&at);
}

/* What groups have found in the parts that they have becomes known to all. */
static PetscErrorCode share(MPI_Comm across, const HgDoctorReport *own, HgDoctorReport *report) {
  int groups;
  PetscCallMPI(MPI_Comm_size(across, &groups));
  for (int g = 0; g < groups; g++) {
    HgDoctorReport one = *own;
    PetscCallMPI(MPI_Bcast(&one, (int)sizeof one, MPI_BYTE, g, across));
    HgDoctorMerge(&one, "", report);
  }
  return 0;
}

static PetscErrorCode examine_parts(HgOperator op, HgState x, bool near, const HgDoctorOptions *o,
                                    HgDoctorReport *report, int *parts) {
  const MPI_Comm across = HgOperatorAcross(op);
  HgDoctorReport own = {0};
  bool there = true;
  for (*parts = 0; there; *parts += there)
    PetscCall(examine_part(op, x, *parts, near, o, &own, &there));
  if (across != MPI_COMM_NULL) return share(across, &own, report);
  HgDoctorMerge(&own, "", report);
  return 0;
}

/* A sum is compared with its parts near x alone: at x parts may be stationary, and have no weight. */
static PetscErrorCode examine(HgOperator op, HgState x, bool near, const HgDoctorOptions *o,
                              HgDoctorReport *report) {
  const HgTrajectory t = HgTrajectoryOf(op);
  int parts;
  if (t) {
    HgDoctorReport own;
    PetscCall(HgDoctorTrajectoryAt(t, x, near, o, &own));
    HgDoctorMerge(&own, "", report);
    return 0;
  }
  const int before = report->findings;
  PetscCall(examine_parts(op, x, near, o, report, &parts));
  if (!parts) PetscCall(HgDoctorOperator(op, HgOperatorName(op), x, o, report));
  for (int k = before; near && k < report->findings; k++) report->finding[k].near = true;
  return !parts || !near || report->findings ? 0 : HgDoctorSum(op, x, o, report);
}

static PetscErrorCode examine_beside(HgOperator J, HgState m, const HgDoctorOptions *o,
                                     HgDoctorReport *report) {
  HgDoctorReport own = {0};
  HgState beside;
  PetscCall(HgStateDuplicate(m, &beside));
  PetscCall(HgCheckerBeside(m, true, o->bounds, o->of_control, o->seed + 3, beside));
  PetscCall(examine(J, beside, true, o, &own));
  if (own.findings) *report = own;
  else HgDoctorMergeRemarks(&own, report);
  return HgStateDestroy(&beside);
}

/* A chain seems to be wrong because the program is not asked for the cotangent of a control: then
   it is the control that is named. */
static PetscErrorCode find_inactive(HgOperator J, HgState m, const HgDoctorOptions *o,
                                    HgDoctorReport *report) {
  const HgDoctorFinding *chain = &report->finding[0];
  HgDoctorReport own = {0};
  bool inactive = false;
  if (report->findings != 1 || chain->kind != HG_DOCTOR_SUM || *chain->part) return 0;
  PetscCall(HgDoctorControls(J, m, o, &own));
  for (int k = 0; k < own.findings; k++) inactive = inactive || own.finding[k].is == 0;
  if (inactive) report->findings = 0;
  if (inactive) HgDoctorMerge(&own, "", report);
  return 0;
}

PetscErrorCode HgDoctorFunctional(HgOperator J, HgState m, const HgDoctorOptions *options,
                                  HgDoctorReport *report) {
  const HgDoctorOptions o = HgDoctorDefaults(options);
  *report = (HgDoctorReport){0};
  PetscCall(examine(J, m, false, &o, report));
  if (!report->findings) PetscCall(examine_beside(J, m, &o, report));
  if (!report->findings) return HgDoctorControls(J, m, &o, report);
  return find_inactive(J, m, &o, report);
}
