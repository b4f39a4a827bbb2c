/* Reports of findings: how they are filled, agreed on and put together; see finding_library.h. */
#include <halograd/finding_library.h>
#include <string.h>

HgDoctorFinding *HgDoctorFind(HgDoctorReport *r, HgDoctorKind kind, long step) {
  const bool remark = kind >= HG_DOCTOR_FINDINGS;
  if (remark ? r->remarks == HG_DOCTOR_REMARKS : r->findings == HG_DOCTOR_MOST) return NULL;
  HgDoctorFinding *f = remark ? &r->remark[r->remarks++] : &r->finding[r->findings++];
  *f = (HgDoctorFinding){.kind = kind, .step = step, .other = -1, .i = -1, .j = -1, .rank = -1};
  return f;
}

/* The same, but for numbers and the place that go with the data? */
static bool same(const HgDoctorFinding *a, const HgDoctorFinding *b) {
  return a->kind == b->kind && a->step == b->step && a->side == b->side && a->split == b->split &&
         !strcmp(a->part, b->part) && !strcmp(a->read, b->read) && !strcmp(a->write, b->write);
}

/* What is in several parts, such as experiments, stands once. */
static bool known(const HgDoctorFinding *from, HgDoctorReport *r) {
  if (from->kind == HG_DOCTOR_SUM || from->kind == HG_DOCTOR_CONTROL) return false;
  const bool remark = from->kind >= HG_DOCTOR_FINDINGS;
  HgDoctorFinding *const all = remark ? r->remark : r->finding;
  for (int k = 0; k < (remark ? r->remarks : r->findings); k++)
    if (same(&all[k], from)) {
      all[k].others += 1 + from->others;
      return true;
    }
  return false;
}

static void append(const HgDoctorFinding *from, const char within[], HgDoctorReport *r) {
  if (known(from, r)) return;
  HgDoctorFinding *f = HgDoctorFind(r, from->kind, from->step);
  if (!f) return;
  *f = *from;
  if (*within && !*f->within) (void)PetscStrncpy(f->within, within, sizeof f->within);
}

void HgDoctorMergeRemarks(const HgDoctorReport *more, HgDoctorReport *r) {
  for (int k = 0; k < more->remarks; k++) append(&more->remark[k], "", r);
}

void HgDoctorMerge(const HgDoctorReport *more, const char within[], HgDoctorReport *r) {
  for (int k = 0; k < more->findings; k++) append(&more->finding[k], within, r);
  HgDoctorMergeRemarks(more, r);
  if (!more->trajectories) return;
  (void)PetscStrncpy(r->program, more->program, sizeof r->program);
  r->J = more->J, r->dJ = more->dJ, r->steps += more->steps;
  r->defect = HgDoctorWorse(r->defect, more->defect);
  r->worst = HgDoctorWorse(r->worst, more->worst);
  r->trajectories += more->trajectories, r->guilty += more->guilty;
}

PetscErrorCode HgDoctorAgree(MPI_Comm comm, HgDoctorReport *report) {
  int rank, first;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &first));
  int least = report->findings ? rank : first;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm));
  if (least == first) return 0;
  PetscCallMPI(MPI_Bcast(report, (int)sizeof *report, MPI_BYTE, least, comm));
  return 0;
}
