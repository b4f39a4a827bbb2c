/* SPDX-License-Identifier: BSD-2-Clause */
/* A functional and what it is made of, down to trajectories and operators that have no parts, and
   the report, printed; see doctor.h. */
#include "doctor_private.h"
#include <float.h>

static PetscErrorCode examine(HgOperator op, HgState x, bool near, const HgCheckOptions *o,
                              HgFindings *report);

/* Findings in the trajectories of part k of a sum are findings of that part. */
static PetscErrorCode examine_part(HgOperator op, HgState x, int k, bool near,
                                   const HgCheckOptions *o, HgFindings *report, bool *there) {
  HgOperator part;
  HgState at;
  HgFindings own = {.findings = 0};
  PetscCall(HgOperatorPart(op, x, k, &part, &at));
  *there = at;
  if (part) {
    PetscCall(examine(part, at, near, o, &own));
    HgFindingsMerge(&own, own.trajectories ? HgOperatorName(part) : "", report);
  }
  return HgStateDestroy(&at);
}

/* Shares the findings of each group with all groups. */
static PetscErrorCode share(MPI_Comm across, const HgFindings *own, HgFindings *report) {
  int groups;
  PetscCallMPI(MPI_Comm_size(across, &groups));
  for (int g = 0; g < groups; g++) {
    HgFindings one = *own;
    PetscCallMPI(MPI_Bcast(&one, (int)sizeof one, MPI_BYTE, g, across));
    HgFindingsMerge(&one, "", report);
  }
  return 0;
}

/* If there is a single trajectory, findings need no name of a part. */
static PetscErrorCode examine_parts(HgOperator op, HgState x, bool near, const HgCheckOptions *o,
                                    HgFindings *report, int *parts) {
  const MPI_Comm across = HgOperatorAcross(op);
  HgFindings own = {.findings = 0}, all = {.findings = 0};
  bool there = true;
  for (*parts = 0; there; *parts += there)
    PetscCall(examine_part(op, x, *parts, near, o, &own, &there));
  if (across != MPI_COMM_NULL) PetscCall(share(across, &own, &all));
  else all = own;
  for (int k = 0; k < all.findings && all.trajectories < 2; k++)
    if (all.finding[k].check != HG_CHECK_SUM) *all.finding[k].within = 0;
  HgFindingsMerge(&all, "", report);
  return 0;
}

/* Compares a sum with its parts near x, not at x: there parts may be stationary and have no weight.
   */
static PetscErrorCode examine(HgOperator op, HgState x, bool near, const HgCheckOptions *o,
                              HgFindings *report) {
  const HgTrajectory t = HgTrajectoryOf(op);
  int parts;
  if (t) {
    HgFindings own;
    PetscCall(HgDoctorTrajectory(t, x, near, o, &own));
    HgFindingsMerge(&own, "", report);
    return 0;
  }
  const int before = report->findings;
  PetscCall(examine_parts(op, x, near, o, report, &parts));
  if (!parts) PetscCall(HgDoctorOperator(op, x, o, report));
  for (int k = before; near && k < report->findings; k++) report->finding[k].near = true;
  return !parts || !near || report->findings ? 0 : HgDoctorSum(op, x, o, report);
}

static PetscErrorCode examine_beside(HgOperator J, HgState m, const HgCheckOptions *o,
                                     HgFindings *report) {
  HgFindings own = {.findings = 0};
  HgState beside;
  PetscCall(HgStateDuplicate(m, &beside));
  PetscCall(HgCheckBeside(m, true, o->bounds, o->bound, o->seed + 3, beside));
  PetscCall(examine(J, beside, true, o, &own));
  if (own.findings) *report = own;
  else HgFindingsMergeRemarks(&own, report);
  return HgStateDestroy(&beside);
}

/* A chain fails if its program computes no cotangent of a control. Then the finding names the
   control. */
static PetscErrorCode find_inactive(HgOperator J, HgState m, const HgCheckOptions *o,
                                    HgFindings *report) {
  const HgFinding *chain = &report->finding[0];
  HgFindings own = {.findings = 0};
  bool inactive = false;
  if (report->findings != 1 || chain->check != HG_CHECK_SUM || *chain->part) return 0;
  PetscCall(HgDoctorControls(J, m, o, &own));
  for (int k = 0; k < own.findings; k++) inactive = inactive || own.finding[k].is == 0;
  if (inactive) report->findings = 0;
  if (inactive) HgFindingsMerge(&own, "", report);
  return 0;
}

PetscErrorCode HgExamineGradient(HgOperator J, HgState m, const HgCheckOptions *options,
                                 HgFindings *report) {
  HgCheckOptions o = options ? *options : (HgCheckOptions){0};
  HgRequire(HgMeshComm(HgStateMesh(m)), sizeof(HgReal) == sizeof(double), HG_ERR_OPERATOR,
            "doctor: '%s' computes in single precision, whose rounding hides small errors; run the "
            "program of doubles, which has the same kernels",
            HgOperatorName(J));
  if (o.dot_bound <= 0) o.dot_bound = 100 * DBL_EPSILON;
  if (!o.memory) o.memory = (size_t)1 << 30;
  *report = (HgFindings){.findings = 0};
  PetscCall(examine(J, m, false, &o, report));
  if (!report->findings) PetscCall(examine_beside(J, m, &o, report));
  if (!report->findings) return HgDoctorControls(J, m, &o, report);
  return find_inactive(J, m, &o, report);
}

/* ---- printed ---- */
static PetscErrorCode print_findings(const char name[], int count, const HgFinding f[]) {
  char text[1024];
  for (int k = 0; k < count; k++) {
    HgFindingText(&f[k], sizeof text, text);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %s\n", name, text));
  }
  return 0;
}

/* Prints the command of this run; repeating it gives the same findings. */
static PetscErrorCode print_command(const char name[]) {
  char **words;
  int count, ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscGetArgs(&count, &words));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: again with mpirun -n %d", name, ranks));
  for (int k = 0; k < count; k++) /* but for the option that HgInitialize() adds */
    if (strcmp(words[k], "-skip_petscrc"))
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, strchr(words[k], ' ') ? " '%s'" : " %s", words[k]));
  return PetscPrintf(PETSC_COMM_WORLD, "\n");
}

PetscErrorCode HgCheckGradient(HgOperator functional, HgState m, const HgCheckOptions *options,
                               bool *sound) {
  HgFindings r;
  int rank;
  PetscCall(HgExamineGradient(functional, m, options, &r));
  const char *const name = *r.name ? r.name : HgOperatorName(functional);
  if (r.trajectories > 1)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %d trajectories\n", name, r.trajectories));
  const char *const s = r.steps == 1 ? "" : "s";
  char steps[128] = "no trajectory";
  const bool first = r.findings &&
                     (r.finding->check < HG_CHECK_KINK || r.finding->check == HG_CHECK_THREADS) &&
                     !r.guilty && r.defect == 0; /* nothing else was looked at */
  if (r.trajectories && first) snprintf(steps, sizeof steps, "%ld step%s", r.steps, s);
  else if (r.trajectories)
    snprintf(steps, sizeof steps, "%ld step%s, <dq, lambda> kept to %.2g in each, gradient to %.2g",
             r.steps, s, r.pairing, r.defect);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %s: %s\n", name, steps,
                        r.findings ? "NOT SOUND" : "sound"));
  if (r.guilty)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %ld of %ld step%s do not keep it\n", name,
                          r.guilty, r.steps, s));
  PetscCall(print_findings(name, r.findings, r.finding));
  PetscCall(print_findings(name, r.remarks, r.remark));
  if (r.findings) PetscCall(print_command(name));
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(HgStateMesh(m)), &rank));
  if (!rank) HgFindingsNote(name, false, &r);
  *sound = !r.findings;
  return 0;
}
