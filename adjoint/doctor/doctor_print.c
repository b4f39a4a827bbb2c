/* A report, printed; see doctor.h. */
#include <halograd/doctor.h>
#include <stdio.h>

static PetscErrorCode tell(const char name[], int count, const HgDoctorFinding f[]) {
  char text[1024];
  for (int k = 0; k < count; k++) {
    HgDoctorText(&f[k], sizeof text, text);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %s\n", name, text));
  }
  return 0;
}

PetscErrorCode HgDoctorPrint(HgOperator functional, HgState m, const HgDoctorOptions *options,
                             bool *sound) {
  HgDoctorReport r;
  PetscCall(HgDoctorFunctional(functional, m, options, &r));
  const char *const name = *r.program ? r.program : HgOperatorName(functional);
  if (r.trajectories > 1)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %d trajectories\n", name, r.trajectories));
  const char *const s = r.steps == 1 ? "" : "s";
  char steps[128] = "no trajectory";
  if (r.trajectories)
    snprintf(steps, sizeof steps, "%ld step%s, <dq, lambda> kept to %.2g in each, gradient to %.2g",
             r.steps, s, r.worst, r.defect);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %s: %s\n", name, steps,
                        r.findings ? "NOT SOUND" : "sound"));
  if (r.guilty)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %ld of %ld step%s do not keep it\n", name,
                          r.guilty, r.steps, s));
  PetscCall(tell(name, r.findings, r.finding));
  PetscCall(tell(name, r.remarks, r.remark));
  *sound = !r.findings;
  return 0;
}
