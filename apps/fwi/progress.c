/* SPDX-License-Identifier: BSD-2-Clause */
#include "progress.h"

void ProgressBegin(const char what[], int shots, int groups, int evaluations, Progress *p) {
  const double now = MPI_Wtime();
  *p = (Progress){.every = p->every,
                  .what = what,
                  .shots = shots,
                  .groups = groups,
                  .own = shots / groups,
                  .evaluations = evaluations,
                  .start = now,
                  .told = now};
}

static long no_step(void *self, HgMode direction, long n) {
  (void)self, (void)direction, (void)n;
  return HG_NO_STEP;
}

/* Groups are about as far as each other; a line search may evaluate more often than is expected. */
static PetscErrorCode print_progress(const Progress *p, double now) {
  const long evaluation = (p->done - 1) / p->own, shot = p->done - evaluation * p->own;
  const double each = (now - p->start) / (double)p->done;
  const long left = p->own - shot, later = p->evaluations - evaluation - 1;
  return PetscPrintf(PETSC_COMM_WORLD,
                     "%s %ld of %d of evaluation %ld, %.3g s for each, ETA %.0f s, of the "
                     "inversion about %.0f s\n",
                     p->what, shot * p->groups, p->shots, evaluation + 1, each / p->groups,
                     each * (double)left, each * (double)(left + PetscMax(0, later) * p->own));
}

static PetscErrorCode count_gradient(void *self, HgMode run, double J) {
  Progress *const p = self;
  const double now = MPI_Wtime();
  (void)J;
  if (run != HG_COTANGENT) return 0;
  p->done++;
  if (now - p->told < p->every) return 0;
  p->told = now;
  return print_progress(p, now);
}

PetscErrorCode ProgressWatch(HgTrajectory trajectory, Progress *p) {
  return HgTrajectoryAddObserver(
      trajectory, &(HgTrajectoryObserver){.next = no_step, .end = count_gradient, .context = p});
}
