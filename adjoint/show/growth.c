/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <halograd/measure_library.h>
#include <halograd/mesh_library.h>
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/show_library.h>
#include <halograd/state_library.h>
#include <halograd/trajectory_library.h>
#include <math.h>

/* Rounding of norms and of a tangent step that does not shrink what it is given. */
static const double SLACK = 1e-9 + 1e3 * (HG_REAL_EPSILON - DBL_EPSILON);

struct HgGrowth_s {
  HgTrajectory trajectory; /* NULL: it is gone */
  HgProgram program;
  MPI_Comm comm;
  bool running, done;
  bool told;                                      /* what the constants are */
  long before;                                    /* n + 1 of `after`; -1: nothing yet */
  HgState constants, dc, q, q_next, after, v, dv; /* after: lambda_{n+1}; dc: 0 */
  HgGrowthReport report;
};

static long next(void *self, HgMode direction, long n) {
  const HgGrowth g = self;
  const bool sees = direction == HG_COTANGENT || (direction == HG_PRIMAL && !g->told);
  return g->running && sees ? n : HG_NO_STEP;
}

static PetscErrorCode norm(HgState x, double *size) {
  PetscCall(HgStateDot(x, x, size));
  *size = sqrt(*size);
  return 0;
}

/* ---- which term ---- */
typedef struct {
  HgGrowth growth;
  double worst; /* how much more than allowed */
  char words[384];
} Blame;

/* Constants have no cotangent in lambda. */
static PetscErrorCode without_constants(HgGrowth g, HgState x) {
  for (int k = 0; g->constants && k < HgStateCount(x); k++)
    if (HgStateFind(g->constants, HgStateVariable(x, k)->name) >= 0)
      PetscCall(HgStateZeroVariable(x, k));
  return 0;
}

/* The variable of largest norm, and where it is largest. */
static PetscErrorCode tell_where(const char name[], double rate, double allowed, HgState v,
                                 size_t size, char words[]) {
  const int count = HgStateCount(v);
  int most = 0;
  HgMeasure *m;
  PetscCall(PetscMalloc1(count, &m));
  PetscCall(HgStateMeasure(v, NULL, false, m));
  for (int k = 1; k < count; k++)
    if (m[k].norm > m[most].norm) most = k;
  const bool low = fabs(m[most].least) > fabs(m[most].largest);
  const int *const at = low ? m[most].least_at : m[most].largest_at;
  char cell[40];
  HgMeshCellText(HgStateMesh(v), at, cell);
  snprintf(words, size,
           "; it is '%s', whose adjoint grows by %.4g where its tangent allows %.4g, most in "
           "variable '%s', %.6g in cell %s",
           name, rate, allowed, HgStateVariable(v, most)->name,
           low ? m[most].least : m[most].largest, cell);
  return PetscFree(m);
}

static PetscErrorCode see_term(void *self, const HgTermSight *s) {
  Blame *b = self;
  HgState v, w;
  double given, made, grown;
  PetscCall(HgStateDuplicate(s->x_bar, &v));
  PetscCall(HgStateDuplicate(s->y_bar, &w));
  PetscCall(HgStateCopy(s->x_bar, v));
  PetscCall(without_constants(b->growth, v));
  PetscCall(HgOperatorTangent(s->op, s->at, v, w));
  PetscCall(norm(s->y_bar, &given));
  PetscCall(norm(v, &made));
  PetscCall(norm(w, &grown));
  const double rate = made / given, allowed = grown / made, excess = rate / fmax(allowed, DBL_MIN);
  if (given > 0 && made > 0 && excess > fmax(b->worst, 1 + SLACK)) {
    b->worst = excess;
    PetscCall(tell_where(s->name, rate, allowed, v, sizeof b->words, b->words));
  }
  return HgStatesDestroy(&v, &w);
}

static PetscErrorCode alarm(HgGrowth g, const HgTrajectorySight *s, double rate, double allowed) {
  Blame b = {.growth = g};
  PetscCall(HgProgramTermsAdjoint(g->program, s->n, g->constants, s->q, g->after, see_term, &b));
  return HgError(
      g->comm, HG_ERR_CHECK_FAILED,
      "growth of lambda in '%s': by %.6g from step %ld to %ld, where the tangent allows %.6g, so "
      "the adjoint of that step is not the transpose of its tangent%s",
      HgProgramName(g->program), rate, s->n + 1, s->n, allowed,
      *b.words ? b.words : "; none of its operators alone exceeds what its own tangent allows");
}

/* ---- a step ---- */

/* v = lambda_n - g_n, g_n = J_bar dJ_n/dq_n; *size: ||g_n||. */
static PetscErrorCode without_objective(HgGrowth g, const HgTrajectorySight *s, double *size) {
  const double J_bar = HgTrajectoryBegan(g->trajectory).J_bar;
  PetscCall(HgStateZero(g->v));
  PetscCall(HgObjectiveGradient(HgTrajectoryObjective(g->trajectory), s->n, s->q, J_bar, g->v));
  PetscCall(HgProgramBoundaryAdjoint(g->program, g->v));
  PetscCall(norm(g->v, size));
  PetscCall(HgStateScale(g->v, -1));
  return HgStateAXPY(g->v, 1, s->state);
}

static PetscErrorCode look(HgGrowth g, const HgTrajectorySight *s) {
  double after, size, given, grown;
  PetscCall(without_objective(g, s, &given));
  PetscCall(norm(g->after, &after));
  PetscCall(norm(g->v, &size));
  const double rate = size / after;
  g->report.steps++;
  if (!(after > 0) || !isfinite(rate)) return 0;
  if (rate > g->report.most) g->report.most = rate, g->report.at = s->n;
  if (!(rate > 1)) return 0;
  g->report.growing++;
  PetscCall(HgStateCopy(s->q, g->q));
  PetscCall(
      HgProgramStepTangent(g->program, s->n, g->constants, g->dc, g->q, g->v, g->q_next, g->dv));
  PetscCall(norm(g->dv, &grown));
  const double allowed = grown / size, slack = SLACK + 1e-12 * given / size;
  return rate <= allowed * (1 + slack) || !isfinite(allowed) ? 0 : alarm(g, s, rate, allowed);
}

static PetscErrorCode see(void *self, const HgTrajectorySight *s) {
  HgGrowth g = self;
  if (s->direction == HG_PRIMAL) {
    g->told = true;
    return g->constants ? HgStateCopy(s->constants, g->constants) : 0;
  }
  if (g->before == s->n + 1) PetscCall(look(g, s));
  g->before = s->n;
  return HgStateCopy(s->state, g->after);
}

static PetscErrorCode begin(void *self, HgMode run) {
  HgGrowth g = self;
  g->running = run == HG_COTANGENT && !g->done, g->before = -1, g->told = false;
  g->running = g->running && !HgTrajectoryGoesOn(g->trajectory);
  if (g->running) g->report = (HgGrowthReport){.steps = 0};
  return 0;
}

static PetscErrorCode end(void *self, HgMode run, double J) {
  HgGrowth g = self;
  if (g->running && run == HG_COTANGENT) g->done = isfinite(J);
  g->running = false;
  return 0;
}

static void leave(void *self) { ((HgGrowth)self)->trajectory = NULL; }

/* ---- a growth ---- */
PetscErrorCode HgGrowthCreate(HgTrajectory trajectory, HgGrowth *growth) {
  const HgProgram program = HgTrajectoryProgram(trajectory);
  HgGrowth g;
  PetscCall(PetscNew(&g));
  g->trajectory = trajectory, g->program = program, g->comm = HgMeshComm(HgProgramMesh(program));
  HgState *const carried[] = {&g->q, &g->q_next, &g->after, &g->v, &g->dv};
  for (int k = 0; k < 5; k++) PetscCall(HgProgramCreateCarried(program, carried[k]));
  PetscCall(HgProgramCreateConstants(program, &g->constants));
  PetscCall(HgProgramCreateConstants(program, &g->dc));
  *growth = g;
  return HgTrajectoryAddObserver(
      trajectory,
      &(HgTrajectoryObserver){
          .next = next, .see = see, .begin = begin, .end = end, .leave = leave, .context = g});
}

PetscErrorCode HgGrowthDestroy(HgGrowth *growth) {
  HgGrowth g = *growth;
  *growth = NULL;
  if (!g) return 0;
  if (g->trajectory) PetscCall(HgTrajectoryRemoveObserver(g->trajectory, g));
  PetscCall(HgStatesDestroy(&g->constants, &g->dc, &g->q, &g->q_next, &g->after, &g->v, &g->dv));
  return PetscFree(g);
}

HgGrowthReport HgGrowthGet(HgGrowth g) { return g->report; }
