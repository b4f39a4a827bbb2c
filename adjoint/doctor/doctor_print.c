/* A report, printed; see doctor.h. */
#include <halograd/doctor.h>
#include <stdio.h>
#include <string.h>

static PetscErrorCode tell(const char name[], int count, const HgDoctorFinding f[]) {
  char text[1024];
  for (int k = 0; k < count; k++) {
    HgDoctorText(&f[k], sizeof text, text);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %s\n", name, text));
  }
  return 0;
}

/* The command of this run, which finds the same again: what is found does not depend on luck. */
static PetscErrorCode tell_command(const char name[]) {
  char **words, text[2048];
  int count, ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscGetArgs(&count, &words));
  size_t used = (size_t)snprintf(text, sizeof text, "mpirun -n %d", ranks);
  for (int k = 0; k < count && used < sizeof text; k++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             strchr(words[k], ' ') ? " '%s'" : " %s", words[k]);
  return PetscPrintf(PETSC_COMM_WORLD, "doctor %s: again with %s\n", name, text);
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
  const bool first = r.findings && (r.finding->kind == HG_DOCTOR_CONTRACT ||
                                    r.finding->kind == HG_DOCTOR_THREADS); /* that was all */
  if (r.trajectories && first) snprintf(steps, sizeof steps, "%ld step%s", r.steps, s);
  else if (r.trajectories)
    snprintf(steps, sizeof steps, "%ld step%s, <dq, lambda> kept to %.2g in each, gradient to %.2g",
             r.steps, s, r.worst, r.defect);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %s: %s\n", name, steps,
                        r.findings ? "NOT SOUND" : "sound"));
  if (r.guilty)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "doctor %s: %ld of %ld step%s do not keep it\n", name,
                          r.guilty, r.steps, s));
  PetscCall(tell(name, r.findings, r.finding));
  PetscCall(tell(name, r.remarks, r.remark));
  if (r.findings) PetscCall(tell_command(name));
  *sound = !r.findings;
  return 0;
}
