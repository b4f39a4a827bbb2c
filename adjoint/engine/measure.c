/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a step takes: measured, as no count of what a plan moves tells what the caches of a
   processor do with it. */
#include "tile_private.h"
#include <halograd/fault_library.h>
#include <halograd/memory_library.h>
#include <halograd/mesh_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <petsctime.h>
#include <unistd.h>

/* Times a step by running some steps back and forth, with stale ghosts each time. */
static PetscErrorCode run(HgBlock b, HgBinding binding, double *seconds) {
  enum { STEPS = 12 };

  HgPlaces *const at = &binding.of[HG_PRIMAL];
  PetscLogDouble begin, end;
  int step = 0;
  PetscCall(PetscTime(&begin));
  for (; step < STEPS; step += b->steps) {
    PetscCall(HgBlockRun(b, 0, &binding)); /* tables by step may be short */
    const HgState made = at->end;
    at->end = at->start, at->start = made;
  }
  PetscCall(PetscTime(&end));
  *seconds = (end - begin) / step;
  return 0;
}

/* *least = the time per step of `steps` at once, fused or not, with these ghosts, if that is less.
   */
static PetscErrorCode seconds(HgProgram p, bool fuse, int steps, int ghost, double *least) {
  HgBinding binding = {0};
  HgPlaces *const at = &binding.of[HG_PRIMAL];
  HgBlock b;
  double now = 0;
  p->fuse = fuse, p->ghost = ghost;
  HgMeshSetGhosts(p->mesh, ghost);
  PetscCall(HgProgramCreateState(p, true, false, &at->start));
  PetscCall(HgProgramCreateState(p, true, false, &at->end));
  PetscCall(HgProgramCreateState(p, false, true, &at->constants));
  PetscCall(HgBlockCreate(p, HG_PRIMAL, steps, false, &b));
  for (int k = 0; k < 3; k++) { /* the first touches its memory for the first time */
    PetscCall(run(b, binding, &now));
    if (k) *least = PetscMin(*least, now);
  }
  PetscCall(HgBlockDestroy(&b));
  PetscCall(HgStateDestroy(&p->work[HG_PRIMAL]));
  PetscCall(HgStateDestroy(&at->start));
  PetscCall(HgStateDestroy(&at->end));
  PetscCall(HgStateDestroy(&at->constants));
  return 0;
}

/* Whether a rank's part of a step is small enough to be faster unfused, and large enough to
   measure. Ranks that share cores cannot be measured: they wait for each other. */
static PetscErrorCode worth_it(HgProgram p, int steps, bool *yes) {
  enum { LEAST = 256 << 10 };

  const HgMeshSpec *m = HgMeshGetSpec(p->mesh);
  const double bytes = HgProgramStepBytes(p);
  *yes = (p->terms > 1 || steps > 1) && bytes >= LEAST && !HgProgramHasOperators(p);
  if (!*yes) return 0;
  *yes = bytes <= (double)HgCacheLast() && m->px * m->py <= sysconf(_SC_NPROCESSORS_ONLN) &&
         !hg_fault_on; /* points of failure stay the same */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, yes, 1, MPI_C_BOOL, MPI_LAND, HgMeshComm(p->mesh)));
  return 0;
}

PetscErrorCode HgPlanMeasure(HgProgram p, int steps, int alone_ghost) {
  enum { FUSED, ALONE, PLANS };

  const double enough = 2e-3; /* s: then once tells the two apart */
  const int ghost = p->ghost;
  double least[PLANS] = {INFINITY, INFINITY};
  bool yes;
  PetscCall(worth_it(p, steps, &yes));
  if (!yes) return 0;
  PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF)); /* no physics is made for zeros */
  for (int k = 0; k < 3 && (!k || least[FUSED] + least[ALONE] < enough); k++) {
    PetscCall(seconds(p, false, 1, alone_ghost, &least[ALONE]));
    PetscCall(seconds(p, true, steps, ghost, &least[FUSED]));
    PetscCallMPI(
        MPI_Allreduce(MPI_IN_PLACE, least, PLANS, MPI_DOUBLE, MPI_MAX, HgMeshComm(p->mesh)));
  }
  PetscCall(PetscFPTrapPop());
  p->fuse = least[FUSED] <= least[ALONE];
  p->ghost = p->fuse ? ghost : alone_ghost;
  HgMeshSetGhosts(p->mesh, p->ghost);
  p->exchanges = p->messages = 0, p->bytes = 0;
  p->breach = (HgBreach){.found = false};
  return 0;
}
