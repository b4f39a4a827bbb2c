/* SPDX-License-Identifier: BSD-2-Clause */
/* The iterates of all inversions of a run, one after another, and how these ended. */
#include <halograd/error_library.h>
#include <halograd/report_library.h>
#include <halograd/run_library.h>
#include <math.h>

PetscErrorCode HgIteratesDestroy(HgIterates *r) {
  for (int k = 0; k < HG_ITERATE_VALUES; k++) PetscCall(PetscFree(r->value[k]));
  return 0;
}

PetscErrorCode HgIteratesAdd(HgIterates *r, const HgIterate *it, double R) {
  const double new[HG_ITERATE_VALUES] = {it->iteration, it->J, it->J - R, it->gradient_norm};
  for (int k = 0; k < HG_ITERATE_VALUES; k++) {
    PetscCall(PetscRealloc(sizeof *r->value[k] * (size_t)(r->count + 1), &r->value[k]));
    r->value[k][r->count] = new[k];
  }
  r->count++;
  return 0;
}

double HgIteratesRemaining(const HgIterates *r, const HgIterate *it) {
  const int k = r->count - 1;
  const double *const g = r->value[HG_ITERATE_GRADIENT], first = g[r->begun];
  if (k < r->begun + 3 || !(g[k] > 0) || !(g[k] < first)) return -1;
  if (!(it->tolerance > 0)) return -1;
  const double pace = log(first / g[k]), whole = log(1 / it->tolerance);
  return PetscMax(0.0, it->seconds * (whole / pace - 1));
}

HgPanel HgIteratesPanel(HgIterates *r) {
  static const char *const labels[HG_ITERATE_CURVES] = {"J", "misfit"};
  bool positive = true; /* J may have goals */
  for (int k = 0; k < r->count; k++) positive = positive && r->value[HG_ITERATE_J][k] >= 0;
  for (int k = 0; k < HG_ITERATE_CURVES; k++)
    r->curve[k] =
        (HgCurve){labels[k], r->count, r->value[HG_ITERATION], r->value[HG_ITERATE_J + k]};
  return (HgPanel){.title = "convergence",
                   .x_label = "iteration",
                   .y_label = "J",
                   .log_y = positive,
                   .curves = HG_ITERATE_CURVES,
                   .curve = r->curve};
}

PetscErrorCode HgIteratesEnd(HgIterates *r, HgEnding ending, const char reason[]) {
  if (ending < r->ending) return 0;
  r->ending = ending;
  return PetscStrncpy(r->reason, reason, sizeof r->reason);
}

/* Tells the user of run `name` that it is no success, and why. */
static void tell_no_success(HgIterates *r, HgEnding ending, const char name[]) {
  if (ending == HG_FAILED)
    (void)HgError(PETSC_COMM_WORLD, HG_ERR_INVERSION_FAILED,
                  "%s: the inversion failed: %s; what is written is the best point it found", name,
                  r->reason);
  if (ending == HG_NOTHING)
    (void)HgError(PETSC_COMM_WORLD, HG_ERR_NOTHING_TO_DO,
                  "%s: nothing to do: %s, where its gradient is exactly 0 (but for the "
                  "regularisation); expected observations that depend on what is sought and, with "
                  "-envelope, a first guess whose waves reach a sensor: the envelope of 0 has the "
                  "derivative 0",
                  name, r->reason);
}

PetscErrorCode HgIteratesTell(HgIterates *r, const char name[], HgReport report) {
  static const char *const names[HG_ENDINGS] = {NULL, "converged", "limit reached", "nothing to do",
                                                "failed"};
  int worst[2] = {r->ending, 0}; /* and a rank that has it */
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &worst[1]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, worst, 1, MPI_2INT, MPI_MAXLOC, PETSC_COMM_WORLD));
  if (worst[0] == HG_UNDER_WAY) return 0;
  PetscCallMPI(MPI_Bcast(r->reason, sizeof r->reason, MPI_CHAR, worst[1], PETSC_COMM_WORLD));
  const int status = worst[0] == HG_FAILED    ? HG_STATUS_FAILED
                     : worst[0] == HG_NOTHING ? HG_STATUS_NOTHING
                                              : 0;
  PetscCall(HgReportSetFlag(report, "converged", worst[0] == HG_CONVERGED));
  PetscCall(HgReportSetText(report, "ended", names[worst[0]]));
  PetscCall(HgReportSetInteger(report, "status", status));
  PetscCall(HgReportSetText(report, "reason", r->reason));
  HgSetExitStatus(status);
  tell_no_success(r, (HgEnding)worst[0], name);
  return 0;
}
