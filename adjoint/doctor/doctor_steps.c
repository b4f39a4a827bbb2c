/* A tangent run, whose dq_n are kept, and a gradient that meets them step by step; see doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <math.h>
#include <string.h>
#define XXH_INLINE_ALL /* the library's copy is built for SSE2 only, half as fast */
#include <xxhash.h>

enum { HG_DOCTOR_FILES = 100000 }; /* on each rank */

typedef struct {
  HgTrajectory t;
  HgProgram program;
  long steps;
  double bound;
  HgStore tangents;                              /* dq_n in slot n */
  HgState dc;                                    /* NULL: no constants */
  HgState dq, g, c_bar, c_bar_next, lambda_next; /* scratch; the last two are of n + 1 */

  double *packed;           /* q_n as numbers in a row */
  XXH64_hash_t *was, *kept; /* digests of q_n and dq_n in the tangent run, of this rank's cells */
  long lost;                /* dq_n with the largest such n came back otherwise; -1: none */

  double pairing; /* <dq_{n+1}, lambda_{n+1}> + <dc, c_bar_{n+1}> */
  double size;    /* the sum of what its terms may be at most */
  long due;       /* lambda_n that comes next */
  HgDoctorSeen *seen;
  HgDoctorReport *report;
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
  w->kept[s->n] = digest(w, s->state);
  return HgStorePut(w->tangents, (int)s->n, s->n, s->state);
}

/* *size += ||a|| ||b||, *sum = <a, b> */
static PetscErrorCode pair(HgState a, HgState b, double *sum, double *size) {
  double aa, bb;
  PetscCall(HgStateDot(a, b, sum));
  PetscCall(HgStateDot(a, a, &aa));
  PetscCall(HgStateDot(b, b, &bb));
  *size += sqrt(aa) * sqrt(bb);
  return 0;
}

/* g_n, as the reverse sweep adds it to lambda_n. */
static PetscErrorCode objective_gradient(Sweep *w, long n, HgState q) {
  PetscCall(HgStateZero(w->g));
  PetscCall(HgObjectiveGradient(HgTrajectoryObjective(w->t), n, q, 1, w->g));
  return HgProgramBoundaryAdjoint(w->program, w->g);
}

/* The first step that leaves more than rounding is kept for a closer look. */
static PetscErrorCode keep_guilty(Sweep *w, const HgTrajectorySight *s) {
  HgGuiltyStep *g = &w->seen->guilty;
  if (g->step >= 0) return 0;
  g->step = s->n;
  PetscCall(HgStateCopy(s->q, g->q));
  PetscCall(HgStateCopy(s->state, g->lambda));
  PetscCall(HgStateAXPY(g->lambda, -1, w->g));
  if (w->dc) PetscCall(HgStateCopy(w->c_bar, g->c_bar));
  if (w->dc) PetscCall(HgStateCopy(w->c_bar_next, g->c_bar_next));
  return HgStateCopy(w->lambda_next, g->lambda_next);
}

/* *m: the state of that digest was q_m of the tangent run on all ranks; -1: none was. */
static PetscErrorCode recognise(Sweep *w, XXH64_hash_t now, long *m) {
  unsigned char *same;
  PetscCall(PetscMalloc1(w->steps + 1, &same));
  for (long k = 0; k <= w->steps; k++) same[k] = w->was[k] == now;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, same, (int)w->steps + 1, MPI_UNSIGNED_CHAR, MPI_MIN,
                             HgMeshComm(HgProgramMesh(w->program))));
  for (*m = w->steps; *m >= 0 && !same[*m];) --*m;
  return PetscFree(same);
}

/* Is q_n the one that the tangent run had? */
static PetscErrorCode compare(Sweep *w, long n, HgState q, bool *altered) {
  HgAlteredState *a = &w->seen->altered;
  const XXH64_hash_t now = digest(w, q);
  int differs = now != w->was[n];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX,
                             HgMeshComm(HgProgramMesh(w->program))));
  if (differs && a->first < 0) {
    a->at = n;
    PetscCall(recognise(w, now, &a->as));
  }
  if (differs && (a->first < 0 || n < a->first)) a->first = n;
  *altered = differs;
  return 0;
}

/* lambda_n comes in its turn, or another one in its place. */
static void take_turn(Sweep *w, long n) {
  HgLostStep *l = &w->seen->lost;
  if (n != w->due && l->due < 0) *l = (HgLostStep){w->due, n};
  w->due = n - 1;
}

/* lambda_n has come: does the step from n on keep the pairing? */
static PetscErrorCode meet(Sweep *w, const HgTrajectorySight *s) {
  double now, with_constants = 0, with_g, size = 0;
  HgState dq;
  bool altered;
  take_turn(w, s->n);
  PetscCall(compare(w, s->n, s->q, &altered));
  if (altered && w->seen->altered.back < 0) {
    w->seen->altered.back = s->n;
    PetscCall(HgStateCopy(s->q, w->seen->altered.q));
  }
  PetscCall(HgStoreGet(w->tangents, (int)s->n, s->n, w->dq, &dq));
  if (digest(w, dq) != w->kept[s->n]) w->lost = PetscMax(w->lost, s->n);
  PetscCall(objective_gradient(w, s->n, s->q));
  PetscCall(pair(dq, s->state, &now, &size));
  if (w->dc) {
    PetscCall(HgStateCopy(s->constants, w->c_bar));
    PetscCall(HgProgramBoundaryAdjoint(w->program, w->c_bar));
    PetscCall(pair(w->dc, w->c_bar, &with_constants, &size));
  }
  PetscCall(pair(dq, w->g, &with_g, &size));
  w->seen->objective += with_g;
  if (s->n < w->steps) {
    const double left = fabs(now + with_constants - with_g - w->pairing),
                 relative = left == 0 ? 0 : left / (size + w->size);
    const bool wrong = !(relative <= w->bound);
    w->report->worst = HgDoctorWorse(w->report->worst, relative);
    if (wrong) PetscCall(keep_guilty(w, s));
    w->report->guilty += wrong;
  }
  w->pairing = now + with_constants, w->size = size;
  if (w->dc) HgStateSwap(w->c_bar, w->c_bar_next);
  return HgStateCopy(s->state, w->lambda_next);
}

static PetscErrorCode meet_gradient(void *self, const HgTrajectorySight *s) {
  Sweep *w = self;
  bool altered;
  if (s->direction == HG_COTANGENT) return meet(w, s);
  PetscCall(compare(w, s->n, s->state, &altered));
  if (s->n == 0 && s->constants) PetscCall(HgStateCopy(s->constants, w->seen->constants));
  return 0;
}

/* So many slots for dq_n in memory and in files, if these are not too many. */
static PetscErrorCode count_slots(Sweep *w, const HgDoctorOptions *o, int *memory, int *files) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(w->program));
  const double states = (double)w->steps + 1, each = (double)HgStateBytes(w->dq);
  double kept = fmin(states, floor((double)o->memory / each));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &kept, 1, MPI_DOUBLE, MPI_MIN, comm));
  HgRequire(comm, states - kept <= HG_DOCTOR_FILES,
            "doctor of '%s': keeps the tangents of %ld steps, %.3g GiB on each rank, of which %.3g "
            "GiB have room in memory and the others in %.0f files, expected at most %d files, "
            "which %.0f steps take",
            HgProgramName(w->program), w->steps, states * each / 0x1p30, kept * each / 0x1p30,
            states - kept, HG_DOCTOR_FILES, kept + HG_DOCTOR_FILES - 1);
  *memory = (int)kept, *files = (int)(states - kept);
  return 0;
}

static PetscErrorCode sweep_create(HgTrajectory t, const HgDoctorOptions *o, HgDoctorReport *report,
                                   HgDoctorSeen *seen, Sweep *w) {
  *seen = (HgDoctorSeen){
      .guilty.step = -1, .altered = {.first = -1, .back = -1, .as = -1}, .lost = {-1, -1}};
  *w = (Sweep){.t = t,
               .program = HgTrajectoryProgram(t),
               .steps = HgTrajectorySteps(t),
               .bound = o->bound,
               .due = HgTrajectorySteps(t),
               .lost = -1,
               .seen = seen,
               .report = report};
  HgGuiltyStep *const g = &seen->guilty;
  HgState *const carried[] = {&w->dq,           &w->g,      &w->lambda_next, &g->q,
                              &seen->altered.q, &g->lambda, &g->lambda_next};
  for (size_t k = 0; k < sizeof carried / sizeof *carried; k++)
    PetscCall(HgProgramCreateCarried(w->program, carried[k]));
  int memory = 0, files = 0;
  PetscCall(count_slots(w, o, &memory, &files));
  HgState *const constants[] = {&w->dc,           &w->c_bar, &w->c_bar_next,
                                &seen->constants, &g->c_bar, &g->c_bar_next};
  for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
    PetscCall(HgProgramCreateConstants(w->program, constants[k]));
  PetscCall(PetscMalloc1(HgStateLength(w->dq), &w->packed));
  PetscCall(PetscMalloc2(w->steps + 1, &w->was, w->steps + 1, &w->kept));
  return HgStoreCreateTiers(w->dq, files, memory, o->directory[0] ? o->directory : ".",
                            &w->tangents);
}

static PetscErrorCode sweep_destroy(Sweep *w) {
  HgState *const all[] = {&w->dc, &w->dq, &w->g, &w->c_bar, &w->c_bar_next, &w->lambda_next};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) PetscCall(HgStateDestroy(all[k]));
  PetscCall(PetscFree(w->packed));
  PetscCall(PetscFree2(w->was, w->kept));
  return HgStoreDestroy(&w->tangents);
}

PetscErrorCode HgDoctorSeenDestroy(HgDoctorSeen *s) {
  HgGuiltyStep *const g = &s->guilty;
  HgState *const all[] = {&s->constants, &g->q,          &g->lambda,   &g->lambda_next,
                          &g->c_bar,     &g->c_bar_next, &s->altered.q};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) PetscCall(HgStateDestroy(all[k]));
  return 0;
}

static PetscErrorCode observe(Sweep *w,
                              PetscErrorCode (*see)(void *context, const HgTrajectorySight *s)) {
  return HgTrajectoryAddObserver(w->t,
                                 &(HgTrajectoryObserver){.next = each, .see = see, .context = w});
}

PetscErrorCode HgDoctorSteps(HgTrajectory t, HgState x, HgState dx, const HgDoctorOptions *options,
                             HgDoctorReport *report, HgDoctorSeen *seen) {
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
  seen->tangent = w.lost;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &seen->tangent, 1, MPI_LONG, MPI_MAX,
                             HgMeshComm(HgProgramMesh(w.program))));
  if (!ierr && w.due >= 0 && seen->lost.due < 0) seen->lost = (HgLostStep){w.due, -1};
  if (!ierr) ierr = pair(dx, x_bar, &slope, &size);
  if (!ierr) ierr = HgStateDigest(x_bar, NULL, seen->digest);
  if (!ierr) report->defect = slope == report->dJ ? 0 : fabs(slope - report->dJ) / size;
  PetscCall(HgStateDestroy(&x_bar));
  PetscCall(sweep_destroy(&w));
  return ierr;
}
