/* Findings in words; see doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <stdio.h>

static const char *const places[HG_DOCTOR_PLACES] = {
    [HG_DOCTOR_NOWHERE] = "",
    [HG_DOCTOR_EVERYWHERE] = "everywhere, ",
    [HG_DOCTOR_INSIDE] = "inside patches, not everywhere, ",
    [HG_DOCTOR_SEAM] = "at seams between patches only, ",
    [HG_DOCTOR_WALL] = "at walls only, ",
    [HG_DOCTOR_CORNER] = "where a wall meets another one or a seam only, "};

/* What could be the reason, where it is wrong. */
static const char *advice(const HgDoctorFinding *f) {
  const bool seam = f->place == HG_DOCTOR_SEAM,
             wall = f->place == HG_DOCTOR_WALL || f->place == HG_DOCTOR_CORNER;
  switch (f->kind) {
  case HG_DOCTOR_ADJOINT:
    return seam   ? "look at the radii that it declares, and at who fills its ghosts"
           : wall ? "look at what the boundary hands back, and at i_global, j_global in the kernel"
                  : "look at how its adjoint gathers the cotangent";
  case HG_DOCTOR_TANGENT: return "look at its tangent, and at its value for kinks";
  case HG_DOCTOR_STATE:
    if (seam) return "look at the radii that its stencils declare: ghosts that nobody has filled";
    return "look at what kernels keep between calls, at params that change between steps, at the "
           "checkpoints";
  case HG_DOCTOR_SWEEP: return "look at the schedule, and at what changes between its sweeps";
  case HG_DOCTOR_BLOCK: return "-hg_time_block 1 avoids it; please report it";
  default: return "look at the gradient of the objective's terms and at their times";
  }
}

static size_t add(size_t used, size_t size, char text[], const char more[]) {
  const int n = used < size ? snprintf(text + used, size - used, "%s", more) : 0;
  return used + (size_t)(n > 0 ? n : 0);
}

/* What is wrong, without where. */
static void what(const HgDoctorFinding *f, size_t size, char text[]) {
  const char *const part = f->part[0] ? f->part : "the step";
  const bool pair = f->read[0];
  switch (f->kind) {
  case HG_DOCTOR_ADJOINT:
    if (pair)
      snprintf(text, size,
               "'%s': cotangent of '%s' from '%s'' is not the transpose of the tangent: off by "
               "%.3g, bound %.2g",
               part, f->read, f->write, f->value, f->bound);
    else
      snprintf(text, size,
               "'%s': its adjoint is not the transpose of its tangent: off by %.3g, bound %.2g",
               part, f->value, f->bound);
    break;
  case HG_DOCTOR_TANGENT:
    if (pair)
      snprintf(text, size,
               "'%s': d%s' from d%s is %.6g, but differences of its value give %.6g: off by %.3g "
               "of the largest, bound %.2g",
               part, f->write, f->read, f->is, f->was, f->value, f->bound);
    else
      snprintf(text, size,
               "'%s': its tangent is not the derivative of its value: order %.2f, "
               "expected 2",
               part, f->value);
    break;
  case HG_DOCTOR_STATE:
    snprintf(text, size, "the state after it is not always the same: '%s' is %.17g, was %.17g",
             f->write[0] ? f->write : "something", f->is, f->was);
    break;
  case HG_DOCTOR_SWEEP:
    snprintf(text, size,
             "the sweep does not reverse it as the step alone: cotangent of '%s' is %.17g, alone "
             "%.17g",
             f->write[0] ? f->write : "something", f->is, f->was);
    break;
  case HG_DOCTOR_BLOCK:
    snprintf(text, size,
             "several steps reversed at once give another gradient than one by one: off by %.3g, "
             "bound %.2g",
             f->value, f->bound);
    break;
  default:
    snprintf(text, size,
             "objective: the sum of <dJ_n/dq_n, dq_n> is not the dJ of its tangent: off by %.3g, "
             "bound %.2g",
             f->value, f->bound);
  }
}

void HgDoctorText(const HgDoctorFinding *f, size_t size, char text[]) {
  char one[512];
  size_t used = 0;
  if (f->step >= 0) {
    snprintf(one, sizeof one, "step %ld: ", f->step);
    used = add(used, size, text, one);
  }
  what(f, sizeof one, one);
  used = add(used, size, text, one);
  if (f->place != HG_DOCTOR_NOWHERE) {
    used = add(used, size, text, "; ");
    used = add(used, size, text, places[f->place]);
    snprintf(one, sizeof one, "most at cell (%d, %d) of rank %d", f->i, f->j, f->rank);
    used = add(used, size, text, f->i >= 0 ? one : "at no single cell");
  }
  used = add(used, size, text, "; ");
  add(used, size, text, advice(f));
}

PetscErrorCode HgDoctorPrint(HgTrajectory t, HgState x, const HgDoctorOptions *options,
                             bool *sound) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(x));
  const char *const name = HgProgramName(HgTrajectoryProgram(t));
  HgDoctorReport r;
  char text[1024];
  PetscCall(HgDoctorTrajectory(t, x, options, &r));
  PetscCall(PetscPrintf(comm,
                        "doctor %s: %ld steps, <dq, lambda> kept to %.2g in each, gradient to "
                        "%.2g: %s\n",
                        name, r.steps, r.worst, r.defect, r.findings ? "NOT SOUND" : "sound"));
  if (r.guilty)
    PetscCall(
        PetscPrintf(comm, "doctor %s: %ld of %ld steps do not keep it\n", name, r.guilty, r.steps));
  for (int k = 0; k < r.findings; k++) {
    HgDoctorText(&r.finding[k], sizeof text, text);
    PetscCall(PetscPrintf(comm, "doctor %s: %s\n", name, text));
  }
  *sound = !r.findings;
  return 0;
}
