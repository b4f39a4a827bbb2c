/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports: how they are filled, agreed on and put together; see finding_library.h. */
#include <halograd/finding_library.h>

static bool is_remark(HgCheckId check) { return check >= HG_CHECK_IDLE; }

void HgFindingsBegin(const char name[], HgFindings *r) {
  *r = (HgFindings){.findings = 0};
  (void)PetscStrncpy(r->name, name, sizeof r->name);
  for (int k = 0; k < HG_CHECKS; k++) r->worst[k] = NAN;
}

HgFinding HgFindingOf(HgCheckId check, HgKernel kernel, long step) {
  return (HgFinding){check, kernel, step, .i = -1, .j = -1, .level = -1, .rank = -1};
}

HgFinding *HgFindingsAdd(HgFindings *r, HgCheckId check, long step) {
  const bool remark = is_remark(check);
  if (remark ? r->remarks == HG_REMARKS : r->findings == HG_FINDINGS) return NULL;
  HgFinding *f = remark ? &r->remark[r->remarks++] : &r->finding[r->findings++];
  *f = HgFindingOf(check, HG_KERNEL_NONE, step);
  return f;
}

void HgFindingName(HgFinding *f, const char part[], const char read[], const char write[]) {
  (void)PetscStrncpy(f->part, part ? part : "", sizeof f->part);
  (void)PetscStrncpy(f->read, read ? read : "", sizeof f->read);
  (void)PetscStrncpy(f->write, write ? write : "", sizeof f->write);
}

/* Whether both are equal except for numbers and the place, which depend on the data. */
static bool same(const HgFinding *a, const HgFinding *b) {
  return a->check == b->check && a->kernel == b->kernel && a->step == b->step &&
         a->split == b->split && !strcmp(a->part, b->part) && !strcmp(a->read, b->read) &&
         !strcmp(a->write, b->write);
}

/* Whether the report has this finding already: several parts, such as experiments, may find the
   same. */
static bool known(const HgFinding *from, HgFindings *r) {
  if (from->check == HG_CHECK_SUM || from->check == HG_CHECK_CONTROL) return false;
  HgFinding *const all = is_remark(from->check) ? r->remark : r->finding;
  for (int k = 0; k < (is_remark(from->check) ? r->remarks : r->findings); k++)
    if (same(&all[k], from)) {
      all[k].others += 1 + from->others;
      return true;
    }
  return false;
}

static void append(const HgFinding *from, const char within[], HgFindings *r) {
  if (known(from, r)) return;
  HgFinding *f = HgFindingsAdd(r, from->check, from->step);
  if (!f) return;
  *f = *from;
  if (*within && !*f->within) (void)PetscStrncpy(f->within, within, sizeof f->within);
}

void HgFindingsMergeRemarks(const HgFindings *more, HgFindings *r) {
  for (int k = 0; k < more->remarks; k++) append(&more->remark[k], "", r);
}

/* The larger of both; NaN is larger than any number. */
static double worse(double a, double b) { return a > b || isnan(a) ? a : b; }

void HgFindingsMerge(const HgFindings *more, const char within[], HgFindings *r) {
  for (int k = 0; k < more->findings; k++) append(&more->finding[k], within, r);
  HgFindingsMergeRemarks(more, r);
  if (!more->trajectories) return;
  (void)PetscStrncpy(r->name, more->name, sizeof r->name);
  r->J = more->J, r->dJ = more->dJ, r->steps += more->steps;
  r->defect = worse(r->defect, more->defect), r->pairing = worse(r->pairing, more->pairing);
  r->trajectories += more->trajectories, r->guilty += more->guilty;
}

PetscErrorCode HgFindingsAgree(MPI_Comm comm, HgFindings *report) {
  int rank, first;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &first));
  int least = report->findings ? rank : first;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm));
  if (least == first) return 0;
  PetscCallMPI(MPI_Bcast(report, (int)sizeof *report, MPI_BYTE, least, comm));
  return 0;
}

/* "2.9e-16", or "-" for a check that was not made. */
static const char *number(double value, const char format[], char text[16]) {
  if (isnan(value)) return "-";
  if (value == INFINITY) return "affine";
  snprintf(text, 16, format, value);
  return text;
}

PetscErrorCode HgFindingsPrint(MPI_Comm comm, const char head[], const HgFindings *r) {
  char zero[16], linearity[16], dot[16], taylor[16], text[512];
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) HgFindingsNote(r->name, true, r);
  PetscCall(PetscPrintf(comm, "%s %s: zero %s linearity %s dot %s Taylor %s %s\n", head, r->name,
                        number(r->worst[HG_CHECK_ZERO], "%.2g", zero),
                        number(r->worst[HG_CHECK_LINEARITY], "%.2g", linearity),
                        number(r->worst[HG_CHECK_DOT], "%.2g", dot),
                        number(r->worst[HG_CHECK_TAYLOR], "%.2f", taylor),
                        r->findings ? "FAILED:" : "ok"));
  for (int k = 0; k < r->findings; k++) {
    HgFindingText(&r->finding[k], sizeof text, text);
    PetscCall(PetscPrintf(comm, "  %s", text));
    if (r->finding[k].seed)
      PetscCall(PetscPrintf(comm, " (draw %llu)", (unsigned long long)r->finding[k].seed));
    PetscCall(PetscPrintf(comm, "\n"));
  }
  return 0;
}
