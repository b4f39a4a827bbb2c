/* SPDX-License-Identifier: BSD-2-Clause */
/* Each control alone: differences of J against the gradient, and bounds; see doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/state_library.h>

typedef struct {
  HgOperator J;
  HgState m, m_bar, dm, moved, y;
  HgFindings *report;
} Controls;

static HgFinding *add_finding(Controls *c, HgCheckId check, int k) {
  HgFinding *f = HgFindingsAdd(c->report, check, -1);
  if (f) HgFindingName(f, "", HgStateVariable(c->m, k)->name, "");
  return f;
}

/* Compares the gradient by control k with central differences. These have an error of O(e^2), so
   they count only where two values of e agree. */
static PetscErrorCode check_slope(Controls *c, int k) {
  double slope[2], rough[2], gradient, size;
  PetscCall(HgCheckRandomLike(c->m, k, 700 + (uint64_t)k, c->dm));
  for (int n = 0; n < 2; n++) {
    const double e = n ? 3e-5 : 1e-4;
    PetscCall(HgDoctorSlope(c->J, c->m, e, c->dm, c->moved, c->y, &slope[n], &rough[n]));
    rough[n] *= 1e3 * DBL_EPSILON / e;
  }
  PetscCall(HgStateDot(c->dm, c->m_bar, &gradient));
  PetscCall(HgStateZero(c->moved));
  PetscCall(HgStateCopyVariable(c->m_bar, k, c->moved, k));
  PetscCall(HgStateDot(c->moved, c->moved, &size));
  const double off = fabs(slope[1] - gradient), spread = fabs(slope[1] - slope[0]) + rough[1];
  if (size == 0 && fabs(slope[1]) <= rough[1]) {
    add_finding(c, HG_CHECK_IDLE, k);
    return 0;
  }
  if (off <= 10 * spread + 1e-5 * fabs(slope[1])) return 0;
  HgFinding *f = add_finding(c, HG_CHECK_CONTROL, k);
  if (f) f->was = slope[1], f->is = gradient, f->value = off / fmax(fabs(slope[1]), fabs(gradient));
  return 0;
}

/* Cells or numbers of control k at a bound beyond which J would decrease; *all: how many there are.
   */
static PetscErrorCode count_pinned(Controls *c, int k, const HgCheckBound *b, int *pinned,
                                   int *all) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(c->m));
  const bool field = HgStateVariable(c->m, k)->kind == HG_FIELD;
  const int nx = field ? p->nx : HgStateVariable(c->m, k)->size,
            ny = field ? HgStateRowCount(c->m, k) : 1;
  int count[2] = {0, nx * ny};
  for (int j = 0; j < ny; j++) {
    const HgRow row = HgStateRowOf(c->m, k, j), row_bar = HgStateRowOf(c->m_bar, k, j);
    for (int i = 0; i < nx; i++) {
      const double m = HgRowGet(row, i), g = HgRowGet(row_bar, i);
      count[0] += (m <= b->lower && g > 0) || (m >= b->upper && g < 0);
    }
  }
  if (field)
    PetscCallMPI(
        MPI_Allreduce(MPI_IN_PLACE, count, 2, MPI_INT, MPI_SUM, HgMeshComm(HgStateMesh(c->m))));
  *pinned = count[0], *all = count[1];
  return 0;
}

static PetscErrorCode check_bound(Controls *c, const HgCheckBound *b) {
  const int k = HgStateFind(c->m, b->control);
  int pinned = 0, all = 0;
  if (k < 0) return 0;
  PetscCall(count_pinned(c, k, b, &pinned, &all));
  HgFinding *f = pinned ? add_finding(c, HG_CHECK_PINNED, k) : NULL;
  if (f) f->was = all, f->is = pinned, f->value = b->lower, f->bound = b->upper;
  return 0;
}

PetscErrorCode HgDoctorControls(HgOperator J, HgState m, const HgCheckOptions *o,
                                HgFindings *report) {
  Controls c = {.J = J, .m = m, .report = report};
  HgState *const inputs[] = {&c.m_bar, &c.dm, &c.moved};
  double unused;
  for (int k = 0; k < 3; k++) PetscCall(HgStateDuplicate(m, inputs[k]));
  PetscCall(HgOperatorCreateOutput(J, &c.y));
  PetscCall(HgOperatorGradient(J, m, &unused, c.m_bar));
  for (int k = 0; k < HgStateCount(m); k++)
    if (HgOperatorActive(J, k) && HgOperatorApplies(J)) PetscCall(check_slope(&c, k));
  for (int k = 0; k < o->bounds; k++) PetscCall(check_bound(&c, &o->bound[k]));
  return HgStatesDestroy(&c.m_bar, &c.dm, &c.moved, &c.y);
}
