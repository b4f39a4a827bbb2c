/* SPDX-License-Identifier: BSD-2-Clause */
/* An operator's check, printed, and of one that fails the parts that fail; see check.h. */
#include <halograd/check_library.h>
#include <halograd/operator_library.h>
#include <halograd/trajectory_library.h>
#include <limits.h>

static PetscErrorCode check_one(HgOperator op, HgState x, const HgCheckOptions *options,
                                bool failures_only, bool *passed);

/* Whether there is a part k of `op`, and whether this group of ranks finds it wrong. `descend`:
   print what fails, and its parts. */
static PetscErrorCode check_part(HgOperator op, HgState x, int k, const HgCheckOptions *options,
                                 bool descend, bool *there, bool *wrong) {
  HgOperator part;
  HgState at;
  HgFindings report = {.findings = 0};
  bool passed = true;
  PetscCall(HgOperatorPart(op, x, k, &part, &at));
  if (part && descend) PetscCall(check_one(part, at, options, true, &passed));
  else if (part) PetscCall(HgExamineOperator(part, at, options, &report));
  *there = at != NULL, *wrong = !passed || report.findings;
  return HgStateDestroy(&at);
}

static PetscErrorCode blame_composition(HgOperator op, HgState x) {
  return PetscPrintf(HgMeshComm(HgStateMesh(x)),
                     HgTrajectoryOf(op)
                         ? "check %s: the one step that was looked at passes: look at the others, "
                           "and at how they are put together\n"
                         : "check %s: all of its parts pass: look at how they are put together\n",
                     HgOperatorName(op));
}

/* If groups check parts side by side, the group with the first wrong part prints it. The first
   group knows whether to be quiet. */
static PetscErrorCode check_parts_across(HgOperator op, HgState x, const HgCheckOptions *options) {
  const MPI_Comm across = HgOperatorAcross(op);
  HgCheckOptions loud = options ? *options : (HgCheckOptions){0};
  int group, quiet = loud.quiet;
  PetscCallMPI(MPI_Comm_rank(across, &group));
  PetscCallMPI(MPI_Bcast(&quiet, 1, MPI_INT, 0, across));
  loud.quiet = false;
  bool there = true, wrong = false;
  int own = INT_MAX, first;
  for (int k = 0; there; k++) {
    PetscCall(check_part(op, x, k, options, false, &there, &wrong));
    if (wrong) own = PetscMin(own, k);
  }
  PetscCallMPI(MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, across));
  if (quiet) return 0;
  if (first == INT_MAX) return group ? 0 : blame_composition(op, x);
  if (own == first) PetscCall(check_part(op, x, own, &loud, true, &there, &wrong));
  PetscCallMPI(MPI_Barrier(across)); /* before the first group says more */
  return 0;
}

/* Finds the wrong parts of a composite that has failed. */
static PetscErrorCode check_parts(HgOperator op, HgState x, const HgCheckOptions *options) {
  bool there = true, wrong = false;
  int parts = 0, failed = 0;
  if (HgOperatorAcross(op) != MPI_COMM_NULL) return check_parts_across(op, x, options);
  while (there) {
    PetscCall(check_part(op, x, parts, options, true, &there, &wrong));
    parts += there, failed += wrong;
  }
  return !parts || failed || (options && options->quiet) ? 0 : blame_composition(op, x);
}

static PetscErrorCode check_one(HgOperator op, HgState x, const HgCheckOptions *options,
                                bool failures_only, bool *passed) {
  HgFindings report;
  PetscCall(HgExamineOperator(op, x, options, &report));
  *passed = !report.findings;
  if (!(options && options->quiet) && !(failures_only && *passed))
    PetscCall(HgFindingsPrint(HgMeshComm(HgStateMesh(x)), "check", &report));
  return *passed ? 0 : check_parts(op, x, options);
}

/* Checks the operators that `op` is made of, down to those without parts. Trajectories are not
   split. Groups of ranks have different parts. */
static PetscErrorCode check_leaves(HgOperator op, HgState x, const HgCheckOptions *options,
                                   bool *passed) {
  bool ok = true, there = true;
  int parts = 0;
  if (HgTrajectoryOf(op) || HgOperatorAcross(op) != MPI_COMM_NULL) return 0;
  while (there) {
    HgOperator part;
    HgState at;
    PetscCall(HgOperatorPart(op, x, parts, &part, &at));
    there = at, parts += there;
    if (part) PetscCall(check_leaves(part, at, options, passed));
    PetscCall(HgStateDestroy(&at));
  }
  if (!parts) PetscCall(check_one(op, x, options, true, &ok));
  *passed = *passed && ok;
  return 0;
}

PetscErrorCode HgCheckOperator(HgOperator op, HgState x, const HgCheckOptions *o, bool *passed) {
  HgState beside;
  bool ok = true;
  PetscCall(check_one(op, x, o, false, passed));
  if (!*passed || HgTrajectoryOf(op)) return 0;
  PetscCall(HgStateDuplicate(x, &beside));
  PetscCall(HgCheckBeside(x, true, o ? o->bounds : 0, o ? o->bound : NULL, (o ? o->seed : 0) + 9,
                          beside));
  PetscCall(check_leaves(op, beside, o, &ok));
  if (!ok && !(o && o->quiet))
    PetscCall(PetscPrintf(HgMeshComm(HgStateMesh(x)),
                          "check %s: FAILED beside the point, each number moved by up to a "
                          "hundredth, and not at it\n",
                          HgOperatorName(op)));
  *passed = ok;
  return HgStateDestroy(&beside);
}
