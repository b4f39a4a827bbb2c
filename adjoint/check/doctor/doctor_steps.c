/* SPDX-License-Identifier: BSD-2-Clause */
/* A tangent run, whose dq_n are kept, and a gradient that meets them step by step; see doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/objective_library.h>
#include <halograd/state_library.h>
#include <halograd/store_library.h>
#define XXH_INLINE_ALL /* the library's copy is built for SSE2 only, half as fast */
#include <xxhash.h>

enum { FILES = 100000 }; /* on each rank */

typedef struct {
  HgTrajectory t;
  HgProgram program;
  long steps;
  double bound;
  HgStore tangents;                  /* dq_n in slot n */
  HgState dc;                        /* NULL: no constants */
  HgState dq, g, lambda_next, c_bar; /* scratch; lambda_next of n + 1 */
  double *packed;                    /* q_n as numbers in a row */
  XXH64_hash_t *was;                 /* of q_n in the tangent run, on this rank */
  double pairing;                    /* <dq_{n+1}, lambda_{n+1}> + <dc, c_bar_{n+1}> */
  double size;                       /* the sum of what its terms may be at most */
  HgDoctorSeen *seen;
  HgFindings *report;
} Sweep;

static long each(void *self, HgMode direction, long n) {
  (void)self, (void)direction;
  return n;
}

static XXH64_hash_t digest(Sweep *w, HgState q) {
  HgStatePack(q, w->packed);
  return XXH3_64bits(w->packed, HgStateLength(q) * sizeof *w->packed);
}

static PetscErrorCode keep_tangent(void *self, const HgTrajectorySight *s) {
  Sweep *w = self;
  if (s->direction == HG_PRIMAL) w->was[s->n] = digest(w, s->state);
  if (s->direction != HG_TANGENT) return 0;
  if (s->n == 0 && w->dc) PetscCall(HgStateCopy(s->constants, w->dc));
  return HgStorePut(w->tangents, (int)s->n, s->n, s->state);
}

/* *size += ||a|| ||b||, *sum = <a, b> */
static PetscErrorCode pair(HgState a, HgState b, double *sum, double *size) {
  double aa, bb;
  PetscCall(HgStateDot(a, b, sum));
  PetscCall(HgCheckNorm(a, &aa));
  PetscCall(HgCheckNorm(b, &bb));
  *size += aa * bb;
  return 0;
}

/* Whether q_n is the same as in the tangent run. */
static PetscErrorCode compare(Sweep *w, long n, HgState q) {
  int differs = digest(w, q) != w->was[n];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX,
                             HgMeshComm(HgProgramMesh(w->program))));
  if (differs && (w->seen->altered < 0 || n < w->seen->altered)) w->seen->altered = n;
  return 0;
}

/* Keeps the first step whose error is more than rounding, to be examined. */
static PetscErrorCode keep_guilty(Sweep *w, const HgTrajectorySight *s) {
  HgDoctorSeen *seen = w->seen;
  if (seen->step >= 0) return 0;
  seen->step = s->n;
  PetscCall(HgStateCopy(s->q, seen->q));
  PetscCall(HgStateCopy(s->state, seen->lambda));
  PetscCall(HgStateAXPY(seen->lambda, -1, w->g));
  return HgStateCopy(w->lambda_next, seen->lambda_next);
}

/* With lambda_n at hand, checks the pairing of the step from n to n + 1. g_n is what the reverse
   sweep adds to lambda_n. */
static PetscErrorCode meet(Sweep *w, const HgTrajectorySight *s) {
  double now, with_constants = 0, with_g, size = 0;
  HgState dq;
  PetscCall(compare(w, s->n, s->q));
  PetscCall(HgStoreGet(w->tangents, (int)s->n, s->n, w->dq, &dq));
  PetscCall(HgStateZero(w->g));
  PetscCall(HgObjectiveGradient(HgTrajectoryObjective(w->t), s->n, s->q, 1, w->g));
  PetscCall(HgProgramBoundaryAdjoint(w->program, w->g));
  PetscCall(pair(dq, s->state, &now, &size));
  if (w->dc) {
    PetscCall(HgStateCopy(s->constants, w->c_bar));
    PetscCall(HgProgramBoundaryAdjoint(w->program, w->c_bar));
    PetscCall(pair(w->dc, w->c_bar, &with_constants, &size));
  }
  PetscCall(pair(dq, w->g, &with_g, &size));
  w->seen->objective += with_g;
  if (s->n < w->steps) {
    const double relative = HgCheckOff(now + with_constants - with_g, w->pairing, size + w->size);
    const bool wrong = !(relative <= w->bound);
    if (relative > w->report->pairing || isnan(relative)) w->report->pairing = relative;
    if (wrong) PetscCall(keep_guilty(w, s));
    w->report->guilty += wrong;
  }
  w->pairing = now + with_constants, w->size = size;
  return HgStateCopy(s->state, w->lambda_next);
}

static PetscErrorCode meet_gradient(void *self, const HgTrajectorySight *s) {
  Sweep *w = self;
  if (s->direction == HG_COTANGENT) return meet(w, s);
  PetscCall(compare(w, s->n, s->state));
  if (s->n == 0 && s->constants) PetscCall(HgStateCopy(s->constants, w->seen->constants));
  return 0;
}

/* Counts the slots for dq_n in memory and in files. Error: too many. */
static PetscErrorCode count_slots(Sweep *w, const HgCheckOptions *o, int *memory, int *files) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(w->program));
  const double states = (double)w->steps + 1, one = (double)HgStateBytes(w->dq);
  double kept = fmin(states, floor((double)o->memory / one));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &kept, 1, MPI_DOUBLE, MPI_MIN, comm));
  HgRequire(comm, states - kept <= FILES, HG_ERR_MEMORY,
            "doctor of '%s': keeps the tangents of %ld steps, %.3g GiB on each rank, of which %.3g "
            "GiB have room in memory and the others in %.0f files, expected at most %d files, "
            "which %.0f steps take",
            HgProgramName(w->program), w->steps, states * one / 0x1p30, kept * one / 0x1p30,
            states - kept, FILES, kept + FILES - 1);
  *memory = (int)kept, *files = (int)(states - kept);
  return 0;
}

static PetscErrorCode sweep_create(HgTrajectory t, const HgCheckOptions *o, HgFindings *report,
                                   HgDoctorSeen *seen, Sweep *w) {
  int memory = 0, files = 0;
  *seen = (HgDoctorSeen){.step = -1, .altered = -1};
  *w = (Sweep){.t = t,
               .program = HgTrajectoryProgram(t),
               .steps = HgTrajectorySteps(t),
               .bound = o->dot_bound,
               .seen = seen,
               .report = report};
  HgState *const carried[] = {&w->dq,   &w->g,         &w->lambda_next,
                              &seen->q, &seen->lambda, &seen->lambda_next};
  HgState *const constants[] = {&w->dc, &w->c_bar, &seen->constants};
  for (int k = 0; k < 6; k++) PetscCall(HgProgramCreateCarried(w->program, carried[k]));
  for (int k = 0; k < 3; k++) PetscCall(HgProgramCreateConstants(w->program, constants[k]));
  PetscCall(count_slots(w, o, &memory, &files));
  PetscCall(PetscMalloc2(HgStateLength(w->dq), &w->packed, w->steps + 1, &w->was));
  return HgStoreCreate(w->dq, memory, files, o->directory && *o->directory ? o->directory : ".",
                       &w->tangents);
}

static PetscErrorCode observe(Sweep *w,
                              PetscErrorCode (*see)(void *context, const HgTrajectorySight *s)) {
  return HgTrajectoryAddObserver(w->t,
                                 &(HgTrajectoryObserver){.next = each, .see = see, .context = w});
}

PetscErrorCode HgDoctorSteps(HgTrajectory t, HgState x, HgState dx, const HgCheckOptions *options,
                             HgFindings *report, HgDoctorSeen *seen) {
  Sweep w;
  HgState x_bar;
  double slope, size = 0;
  PetscCall(HgStateDuplicate(x, &x_bar));
  PetscCall(sweep_create(t, options, report, seen, &w));
  PetscCall(observe(&w, keep_tangent));
  PetscErrorCode ierr = HgTrajectoryTangent(t, x, dx, &report->J, &report->dJ);
  PetscCall(HgTrajectoryRemoveObserver(t, &w));
  if (!ierr) ierr = observe(&w, meet_gradient);
  if (!ierr) ierr = HgTrajectoryGradient(t, x, 1, &seen->J, x_bar);
  PetscCall(HgTrajectoryRemoveObserver(t, &w));
  if (!ierr) ierr = HgTrajectoryRequireFinite(t, seen->J);
  if (!ierr) ierr = pair(dx, x_bar, &slope, &size);
  if (!ierr) ierr = HgStateDigest(x_bar, NULL, seen->digest);
  if (!ierr) report->defect = HgCheckOff(slope, report->dJ, size);
  PetscCall(HgStatesDestroy(&x_bar, &w.dc, &w.dq, &w.g, &w.c_bar, &w.lambda_next));
  PetscCall(PetscFree2(w.packed, w.was));
  PetscCall(HgStoreDestroy(&w.tangents));
  return ierr;
}
