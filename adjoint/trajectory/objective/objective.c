/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/error_library.h>
#include <halograd/objective_library.h>
#include <halograd/program_dual_library.h>
#include <halograd/program_library.h>
#include <halograd/sum_library.h>
#include <halograd/trace_library.h>
#include <math.h>

typedef struct {
  const HgMisfitTable *table;
  void *self;
  bool measured; /* not a goal */
} Misfit;

struct HgObjective_s {
  HgProgram program;
  long steps;
  int misfits;
  Misfit *misfit;
  double count;
  int first, end;        /* of the misfits that count */
  HgObjective of;        /* NULL, or the one whose dual it is, and whose the misfits are */
  bool began;            /* a run has begun, so that there are predictions */
  bool coupled;          /* its gradient at a state reads what was observed of others */
  bool gauss_newton;     /* its Hessians leave the residuals out */
  int turned;            /* HgObjectiveTurn(): direction + 1; 0: no */
  int directions, shift; /* of a dual: its states hold dq_n of so many, so many variables apart */
};

/* The objective that has the misfits, and says which count. */
static HgObjective owner(HgObjective o) { return o->of ? o->of : o; }

PetscErrorCode HgObjectiveCreate(HgProgram program, long steps, HgObjective *objective) {
  PetscCall(HgRequireAlike(HgMeshComm(HgProgramMesh(program)), "an objective of %ld steps", steps));
  HgRequire(HgMeshComm(HgProgramMesh(program)), steps >= 1, HG_ERR_ARGUMENT,
            "objective: %ld steps given, expected at least 1", steps);
  PetscCall(PetscNew(objective));
  (*objective)->program = program, (*objective)->steps = steps;
  return 0;
}

PetscErrorCode HgObjectiveCreateDual(HgObjective o, HgProgram dual, HgObjective *J) {
  PetscCall(PetscNew(J));
  (*J)->program = dual, (*J)->steps = o->steps, (*J)->of = o;
  (*J)->directions = HgProgramDualDirections(dual), (*J)->shift = HgProgramDualShift(dual);
  return 0;
}

PetscErrorCode HgObjectiveDestroy(HgObjective *objective) {
  HgObjective o = *objective;
  *objective = NULL;
  if (!o) return 0;
  for (int k = 0; k < o->misfits; k++) PetscCall(o->misfit[k].table->destroy(o->misfit[k].self));
  PetscCall(PetscFree(o->misfit));
  return PetscFree(o);
}

PetscErrorCode HgObjectiveAdd(HgObjective o, const HgMisfitTable *table, void *self, double count) {
  PetscCall(PetscRealloc(sizeof *o->misfit * (size_t)(o->misfits + 1), &o->misfit));
  o->misfit[o->misfits++] = (Misfit){table, self, count > 0};
  o->count += count;
  o->end = o->misfits;
  return 0;
}

void HgObjectiveSetGaussNewton(HgObjective o, bool yes) { o->gauss_newton = yes; }

bool HgObjectiveIsGaussNewton(HgObjective o) { return o->gauss_newton; }

void HgObjectiveTurn(HgObjective o, int v) { o->turned = v + 1; }

PetscErrorCode HgObjectiveDisturb(HgObjective o, uint64_t seed, bool yes) {
  for (int k = 0; k < o->misfits; k++) {
    const Misfit *const m = &o->misfit[k];
    HgRequire(HgMeshComm(HgProgramMesh(o->program)), m->table->disturb || !m->measured, HG_ERR_DATA,
              "objective: term %d is no misfit of sensors, whose data could be disturbed; expected "
              "sensors and goals alone",
              k);
    if (m->measured) PetscCall(m->table->disturb(m->self, (seed << 32) + (uint64_t)k, yes));
  }
  return 0;
}

void HgObjectiveCouple(HgObjective o) { o->coupled = true; }

bool HgObjectiveCoupled(HgObjective o) { return owner(o)->coupled; }

HgProgram HgObjectiveProgram(HgObjective o) { return o->program; }

long HgObjectiveSteps(HgObjective o) { return o->steps; }

double HgObjectiveCount(HgObjective o) { return o->count; }

bool HgObjectiveIsEmpty(HgObjective o) {
  for (int k = 0; k < o->misfits; k++)
    if (o->misfit[k].measured || !o->misfit[k].table->predicted) return false;
  return true;
}

PetscErrorCode HgObjectiveSelect(HgObjective o, int k) {
  HgRequire(HgMeshComm(HgProgramMesh(o->program)), k < o->misfits, HG_ERR_ARGUMENT,
            "objective: term %d is to count alone, but it has %d of them", k, o->misfits);
  o->first = k < 0 ? 0 : k, o->end = k < 0 ? o->misfits : k + 1;
  return 0;
}

int HgObjectiveTerms(HgObjective o) { return o->misfits; }

void HgObjectiveTermText(HgObjective o, int k, size_t size, char text[]) {
  o->misfit[k].table->text(o->misfit[k].self, size, text);
}

PetscErrorCode HgObjectivePredicted(HgObjective o, int term, double value[]) {
  int sensors = 0;
  for (int k = 0; k < o->misfits; k++)
    if (o->misfit[k].table->predicted && sensors++ == term) {
      HgRequire(HgMeshComm(HgProgramMesh(o->program)), o->began, HG_ERR_CALL_ORDER,
                "objective: predictions asked for before any run; compute J first");
      return o->misfit[k].table->predicted(o->misfit[k].self, value);
    }
  return HgError(HgMeshComm(HgProgramMesh(o->program)), HG_ERR_ARGUMENT,
                 "objective: predictions of sensor term %d asked for, but it has %d of them", term,
                 sensors);
}

/* Of which it knows dJ. */
static int directions_of(HgObjective o) { return o->of ? o->directions : 1; }

/* All terms: what those that do not count have observed is kept and restored, too. */
PetscErrorCode HgObjectiveStart(HgObjective dual) {
  const HgObjective o = owner(dual);
  if (o->turned) return 0;
  o->began = true;
  for (int k = 0; k < o->misfits; k++)
    PetscCall(o->misfit[k].table->start(o->misfit[k].self, directions_of(dual)));
  return 0;
}

static int enter(long n, HgMode direction) {
  const int outside = HgTraceEnter("objective", direction);
  HgTraceContext(NULL, n, direction);
  return outside;
}

/* Of those misfits that count, or of those of them whose gradient reads the state. */
static long next_step(HgObjective o, long n, bool readers) {
  long first = HG_NO_STEP;
  for (int k = o->first; k < o->end; k++) {
    const Misfit *const m = &o->misfit[k];
    if (!readers || m->table->reads_state) first = PetscMin(first, m->table->next(m->self, n));
  }
  return first;
}

long HgObjectiveNext(HgObjective dual, long n) { return next_step(owner(dual), n, false); }

bool HgObjectiveNeeds(HgObjective dual, long n) { return HgObjectiveNext(dual, n) == n; }

long HgObjectiveNextRead(HgObjective dual, long n) { return next_step(owner(dual), n, true); }

PetscErrorCode HgObjectiveObserve(HgObjective dual, long n, HgState q, HgState dq) {
  const HgObjective o = owner(dual);
  if (o->turned) return 0;
  const HgMisfitSight sight = {dual->program, q, dual->of ? q : dq, directions_of(dual),
                               dual->shift};
  const int outside = enter(n, dq ? HG_TANGENT : HG_PRIMAL);
  for (int k = o->first; k < o->end; k++)
    PetscCall(o->misfit[k].table->observe(o->misfit[k].self, n, &sight));
  HgTraceLeave(outside);
  return 0;
}

PetscErrorCode HgObjectiveValue(HgObjective dual, double *J, double dJ[]) {
  const HgObjective o = owner(dual);
  const int count = directions_of(dual);
  HgSum sums[1 + HG_DIRECTIONS_MOST];
  double values[1 + HG_DIRECTIONS_MOST];
  for (int k = 0; k <= count; k++) HgSumReset(&sums[k]);
  const int outside = enter(-1, dJ ? HG_TANGENT : HG_PRIMAL);
  for (int k = o->first; k < o->end; k++)
    PetscCall(o->misfit[k].table->value(o->misfit[k].self, &sums[0], &sums[1]));
  PetscCall(HgSumReduce(HgMeshComm(HgProgramMesh(o->program)), 1 + count, sums, values));
  HgTraceLeave(outside);
  *J = 0.5 * values[0];
  for (int v = count; dual->of && v > 0; v--)
    if (isfinite(values[0]) && !isfinite(values[v])) *J = values[v];
  for (int v = 0; dJ && v < count; v++) dJ[v] = values[1 + v];
  return 0;
}

PetscErrorCode HgObjectiveParts(HgObjective o, double value[]) {
  HgSum *sums, unused[HG_DIRECTIONS_MOST];
  for (int k = 0; k <= o->misfits; k++) value[k] = NAN;
  if (!o->began) return 0;
  PetscCall(PetscMalloc1(o->misfits + 1, &sums));
  for (int k = 0; k <= o->misfits; k++) HgSumReset(&sums[k]);
  for (int v = 0; v < HG_DIRECTIONS_MOST; v++) HgSumReset(&unused[v]);
  for (int k = 0; k < o->misfits; k++) {
    const Misfit *const m = &o->misfit[k];
    PetscCall(m->table->value(m->self, &sums[k], unused));
    if (m->measured) HgSumAddSum(&sums[o->misfits], &sums[k]);
  }
  PetscCall(HgSumReduce(HgMeshComm(HgProgramMesh(o->program)), o->misfits + 1, sums, value));
  for (int k = 0; k <= o->misfits; k++) value[k] *= 0.5;
  return PetscFree(sums);
}

PetscErrorCode HgObjectiveGradient(HgObjective dual, long n, HgState q, double J_bar,
                                   HgState q_bar) {
  const HgObjective o = owner(dual);
  const int outside = enter(n, HG_COTANGENT);
  for (int k = o->first; k < o->end; k++) {
    const Misfit *m = &o->misfit[k];
    if (o->turned) PetscCall(m->table->second(m->self, n, q, o->turned - 1, 0, J_bar, q_bar));
    else PetscCall(m->table->gradient(m->self, n, q, J_bar, q_bar));
    for (int v = 0; v < dual->directions; v++)
      PetscCall(m->table->second(m->self, n, q, v, dual->shift, J_bar, q_bar));
  }
  HgTraceLeave(outside);
  return 0;
}

PetscErrorCode HgObjectiveDigest(HgObjective o, uint64_t *digest) {
  *digest = ((uint64_t)o->first << 32) + (uint64_t)(o->misfits - o->end); /* which of them count */
  for (int k = 0; k < o->misfits; k++)
    PetscCall(o->misfit[k].table->digest(o->misfit[k].self, digest));
  return 0;
}

size_t HgObjectiveKept(HgObjective o) {
  size_t count = 0;
  for (int k = 0; k < o->misfits; k++) count += o->misfit[k].table->kept(o->misfit[k].self);
  return count;
}

PetscErrorCode HgObjectiveKeep(HgObjective o, double value[]) {
  for (int k = 0; k < o->misfits; k++) {
    const Misfit *const m = &o->misfit[k];
    PetscCall(m->table->keep(m->self, value));
    value += m->table->kept(m->self);
  }
  return 0;
}

PetscErrorCode HgObjectiveRestore(HgObjective o, const double value[]) {
  PetscCall(HgObjectiveStart(o));
  for (int k = 0; k < o->misfits; k++) {
    const Misfit *const m = &o->misfit[k];
    m->table->restore(m->self, value);
    value += m->table->kept(m->self);
  }
  return 0;
}
