/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/measure_library.h>
#include <halograd/mesh_library.h>
#include <halograd/program_library.h>
#include <halograd/show_library.h>
#include <halograd/trajectory_library.h>
#include <math.h>

enum { ABOUT = 20 }; /* lines for each variable */

struct HgAdjointMonitor_s {
  HgTrajectory trajectory; /* NULL: it is gone */
  long every, steps;
  int count;
  bool first;         /* nothing has been printed of this gradient */
  bool printed;       /* something of any */
  double *norm;       /* [count] of the line before */
  HgMeasure *measure; /* [count] */
};

/* Steps N, N - every, ... and 0. */
static long next_step(void *self, HgMode direction, long n) {
  const HgAdjointMonitor m = self;
  if (direction != HG_COTANGENT || n > m->steps) return HG_NO_STEP;
  return n ? m->steps - (m->steps - n) / m->every * m->every : 0;
}

static PetscErrorCode begin_sweep(void *self, HgMode run) {
  (void)run;
  ((HgAdjointMonitor)self)->first = true;
  return 0;
}

static PetscErrorCode print_line(MPI_Comm comm, const HgTrajectorySight *s, int k,
                                 const HgMeasure *m, double before) {
  const bool low = fabs(m->least) > fabs(m->largest);
  const int *const at = low ? m->least_at : m->largest_at;
  char growth[32] = "-", cell[40];
  if (before > 0) snprintf(growth, sizeof growth, "%.4f", m->norm / before);
  HgMeshCellText(HgStateMesh(s->state), at, cell);
  return PetscPrintf(comm, "adjoint %8ld %11.5g %-12s %12.4e %14.4e %-14s %8s\n", s->n, s->t,
                     HgStateVariable(s->state, k)->name, m->norm, low ? m->least : m->largest, cell,
                     growth);
}

static PetscErrorCode print_step(void *self, const HgTrajectorySight *s) {
  HgAdjointMonitor m = self;
  const MPI_Comm comm = HgMeshComm(HgStateMesh(s->state));
  if (m->first)
    PetscCall(PetscPrintf(comm, "adjoint %8s %11s %-12s %12s %14s %-14s %8s\n", "step", "t [s]",
                          "variable", "|lambda|", "largest", "at cell", "growth"));
  PetscCall(HgStateMeasure(s->state, NULL, false, m->measure));
  for (int k = 0; k < m->count; k++) {
    PetscCall(print_line(comm, s, k, &m->measure[k], m->first ? 0 : m->norm[k]));
    m->norm[k] = m->measure[k].norm;
  }
  m->first = false, m->printed = true;
  return 0;
}

static void forget_trajectory(void *self) { ((HgAdjointMonitor)self)->trajectory = NULL; }

PetscErrorCode HgAdjointMonitorCreate(HgTrajectory trajectory, long every,
                                      HgAdjointMonitor *monitor) {
  HgAdjointMonitor m;
  HgState q;
  HgRequire(HgMeshComm(HgProgramMesh(HgTrajectoryProgram(trajectory))), every >= 0, HG_ERR_ARGUMENT,
            "adjoint monitor: every %ld steps, expected 1 or more, or 0", every);
  PetscCall(PetscNew(&m));
  PetscCall(HgProgramCreateCarried(HgTrajectoryProgram(trajectory), &q));
  m->trajectory = trajectory, m->steps = HgTrajectorySteps(trajectory), m->count = HgStateCount(q);
  m->every = every ? every : (m->steps + ABOUT - 1) / ABOUT;
  PetscCall(HgStateDestroy(&q));
  PetscCall(PetscMalloc2(m->count, &m->norm, m->count, &m->measure));
  *monitor = m;
  return HgTrajectoryAddObserver(trajectory, &(HgTrajectoryObserver){.next = next_step,
                                                                     .see = print_step,
                                                                     .begin = begin_sweep,
                                                                     .leave = forget_trajectory,
                                                                     .without_q = true,
                                                                     .context = m});
}

PetscErrorCode HgAdjointMonitorDestroy(HgAdjointMonitor *monitor) {
  HgAdjointMonitor m = *monitor;
  *monitor = NULL;
  if (!m) return 0;
  if (m->trajectory) PetscCall(HgTrajectoryRemoveObserver(m->trajectory, m));
  PetscCall(PetscFree2(m->norm, m->measure));
  return PetscFree(m);
}

bool HgAdjointMonitorPrinted(HgAdjointMonitor m) { return m->printed; }
