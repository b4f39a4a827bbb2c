/* A run that ends by itself has the J, tangent, gradient and final state, bit for bit, of one whose
   number of steps was known, with any number of slots, in memory or in files; what it cannot do it
   refuses. */
#include "heat_case.h"
#include "refusal.h"
#include <halograd/trajectory_library.h>

enum { SENSED = 9, MOST = 90 };

typedef struct {
  long every, asked;
  long at;      /* ends after these steps; 0: by what the state is, between 20 and 70 */
  bool divided; /* ranks disagree */
} Bell;

/* It rings by chance, that of the bits of the largest |u|. */
static PetscErrorCode rings(void *self, long n, double t, HgState q, bool *stop) {
  Bell *b = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  double largest = 0;
  claim_that(n % b->every == 0 && t > 0, "asked after step %ld, t = %g", n, t);
  claim_that(HgStateCount(q) == 1, "handed a state of %d variables, expected u", HgStateCount(q));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) largest = PetscMax(largest, fabs(HgStateRows(q, 0)[j][i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  uint64_t bits;
  memcpy(&bits, &largest, sizeof bits);
  b->asked++;
  if (b->at) *stop = n == b->at;
  else *stop = n >= 20 && (bits % 5 == 0 || n >= 70);
  if (b->divided) *stop = !claim.rank;
  return 0;
}

typedef struct {
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
} Run;

static PetscErrorCode create(const HeatCase *c, long steps, int files, int memory, Run *r) {
  PetscCall(HgObjectiveCreate(c->program, steps, &r->objective));
  PetscCall(HgObjectiveAddSensors(r->objective, c->sensors));
  PetscCall(HgObjectiveAddSnapshot(r->objective, "u", HG_LAST_STEP, c->data, 3));
  PetscCall(HgStoreCreateTiers(c->data, files, memory, "test_slots", &r->store));
  PetscCall(HgTrajectoryCreate(c->program, steps, r->objective, r->store, &r->trajectory));
  return HgTrajectoryOperator(r->trajectory, &r->op);
}

static PetscErrorCode destroy(Run *r) {
  PetscCall(HgOperatorDestroy(&r->op));
  PetscCall(HgTrajectoryDestroy(&r->trajectory));
  PetscCall(HgStoreDestroy(&r->store));
  return HgObjectiveDestroy(&r->objective);
}

/* Watches some states, so that blocks are made in pieces. */
static PetscErrorCode watch(long n, double t, HgState q, void *context) {
  (void)t, (void)q;
  *(long *)context = n;
  return 0;
}

/* J, gradient, final state, and J and dJ along x. */
static PetscErrorCode all_of(Run *r, HgState x, char text[512]) {
  double J, dJ, value;
  char gradient[256];
  PetscCall(fingerprint(r->op, x, r->trajectory, gradient));
  PetscCall(HgTrajectoryTangent(r->trajectory, x, x, &J, &dJ));
  PetscCall(HgTrajectoryValue(r->trajectory, x, &value));
  snprintf(text, 512, "%s, tangent %a %a, value %a", gradient, J, dJ, value);
  return 0;
}

typedef struct {
  int files, memory, ghost;
  long every, watched; /* 0: never */
  bool at_once;        /* ends when it is asked first */
} Kind;

static PetscErrorCode claim_kind(HeatCase *c, const Kind *k) {
  Bell bell = {.every = k->every, .at = k->at_once ? 12 : 0};
  HgTrajectoryCost cost;
  Run online, known;
  char text[512], expected[512], again[512];
  double J, dJ;
  long last = -1;
  PetscCall(create(c, MOST, k->files, k->memory, &online));
  PetscCall(HgTrajectorySetStop(online.trajectory, k->every, rings, &bell));
  if (k->watched) PetscCall(HgTrajectorySetWatch(online.trajectory, k->watched, watch, &last));
  PetscCall(all_of(&online, c->x, text));
  PetscCall(all_of(&online, c->x, again));
  claim_that(!strcmp(text, again), "'%s', and again '%s'", text, again);
  HgTrajectoryGetCost(online.trajectory, &cost);
  claim_that(cost.steps > SENSED && cost.steps < MOST && bell.asked,
             "%ld steps made, asked %ld times", cost.steps, bell.asked);
  claim_that(!k->watched || last == cost.steps, "the last state seen is that of step %ld of %ld",
             last, cost.steps);
  last = -1;
  PetscCall(HgTrajectoryTangent(online.trajectory, c->x, c->x, &J, &dJ));
  claim_that(!k->watched || last == cost.steps,
             "the last state seen of a tangent is that of step %ld of %ld", last, cost.steps);

  PetscCall(create(c, cost.steps, 0, 7, &known));
  PetscCall(all_of(&known, c->x, expected));
  claim_that(!strcmp(text, expected), "%d files, %d in memory, every %ld: '%s', known '%s'",
             k->files, k->memory, k->every, text, expected);
  PetscCall(destroy(&known));

  PetscCall(HgTrajectorySetStop(online.trajectory, 1, NULL, NULL)); /* all steps after all */
  PetscCall(all_of(&online, c->x, text));
  PetscCall(create(c, MOST, 0, 7, &known));
  PetscCall(all_of(&known, c->x, expected));
  claim_that(!strcmp(text, expected), "no end but the last step: '%s', known '%s'", text, expected);
  PetscCall(destroy(&known));
  return destroy(&online);
}

static PetscErrorCode test_refusals(HeatCase *c) {
  Bell bell = {.every = 2, .at = 2};
  double J;
  int ranks;
  Run r;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(create(c, MOST, 0, 4, &r));
  REFUSED(HgTrajectorySetStop(r.trajectory, 0, rings, &bell), "every 0 steps", "at least 1");
  PetscCall(HgTrajectorySetStop(r.trajectory, 2, rings, &bell));
  REFUSED(HgTrajectoryValue(r.trajectory, c->x, &J), "ended after step 2", "to be observed");
  bell.divided = ranks > 1;
  if (bell.divided)
    REFUSED(HgTrajectoryValue(r.trajectory, c->x, &J), "some ranks stop after step 2");
  return destroy(&r);
}

static PetscErrorCode test(void) {
  static const Kind kinds[] = {{0, 1, 1, 3, 0, false},  {0, 3, 9, 4, 0, false},
                               {0, 8, 9, 1, 5, false},  {4, 2, 9, 7, 3, false},
                               {0, 60, 1, 2, 0, false}, {5, 0, 11, 6, 5, false},
                               {0, 4, 9, 6, 0, true}};
  HeatSpec spec = {.nx = 26, .ny = 23, .steps = SENSED, .slots = 1};
  HeatCase c;
  for (int walls = 0; walls < WALLS; walls++)
    for (size_t k = walls % 2; k < sizeof kinds / sizeof *kinds; k += 2) {
      spec.walls = (Walls)walls, spec.ghost = kinds[k].ghost;
      PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
      PetscCall(claim_kind(&c, &kinds[k]));
      PetscCall(heat_destroy(&c));
    }
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(test_refusals(&c));
  return heat_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a run that ends by itself has the bits of one whose steps were known", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
