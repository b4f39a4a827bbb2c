/* SPDX-License-Identifier: BSD-2-Clause */
/* With slots in memory and in files, whatever files cost, J, gradient and final state have the bits
   of states kept in memory; all ranks plan alike, and what the plan says of slots and steps comes
   true. */
#include "heat_case.h"
#include <halograd/fault_library.h>
#include <halograd/trajectory_library.h>
#include <time.h>

enum { STEPS = 37 };

typedef struct {
  int files, memory;
  int cost; /* of a file, in steps; -1: measured */
  const char *way;
} Kind;

/* Is the plan the same on all ranks? */
static PetscErrorCode claim_alike(const Kind *k, const HgTrajectoryPlan *p) {
  double own[] = {(double)p->units,     p->slots[0],         p->slots[1],
                  (double)p->policy[0], p->recompute_factor, isnan(p->seconds) ? -1 : p->seconds,
                  p->bytes[0],          p->bytes[1],         p->live_bytes};

  enum { COUNT = sizeof own / sizeof *own };

  double least[COUNT], most[COUNT];
  PetscCallMPI(MPI_Allreduce(own, least, COUNT, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(own, most, COUNT, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  for (int l = 0; l < COUNT; l++)
    claim_same(least[l], most[l], "%d files, %d in memory, cost %d: number %d of the plan",
               k->files, k->memory, k->cost, l);
  return 0;
}

static PetscErrorCode claim_kind(HeatCase *c, HgState x, const Kind *k, const char expected[]) {
  HgStore store;
  HgTrajectory t;
  HgOperator op;
  PetscCall(k->cost < 0 ? PetscOptionsClearValue(NULL, "-hg_file_cost")
                        : set_option("-hg_file_cost", k->cost));
  PetscCall(HgStoreCreate(c->data, k->memory, k->files, "test_slots", &store));
  PetscCall(HgTrajectoryCreate(c->program, STEPS, c->objective, store, &t));
  PetscCall(HgTrajectoryOperator(t, &op));
  for (int again = 0; again < 2; again++) { /* by other costs, if they are measured */
    char text[256];
    HgTrajectoryCost cost;
    HgTrajectoryPlan plan;
    PetscCall(fingerprint(op, x, t, text));
    claim_that(!strcmp(text, expected), "%d files, %d in memory, cost %d: '%s', expected '%s'",
               k->files, k->memory, k->cost, text, expected);
    HgTrajectoryGetCost(t, &cost);
    HgTrajectoryGetPlan(t, &plan);
    PetscCall(claim_alike(k, &plan));
    claim_that(!strcmp(plan.policy, "multistage"), "policy %s, expected multistage", plan.policy);
    claim_same(plan.recompute_factor, cost.recompute_factor, "%d files, %d in memory, cost %d",
               k->files, k->memory, k->cost);
    claim_that(plan.slots[HG_FILE_TIER] <= k->files && plan.slots[HG_MEMORY_TIER] <= k->memory,
               "%d and %d slots used of %d files and %d in memory", plan.slots[HG_FILE_TIER],
               plan.slots[HG_MEMORY_TIER], k->files, k->memory);
    const int highest = plan.slots[HG_MEMORY_TIER] ? k->files + plan.slots[HG_MEMORY_TIER]
                                                   : plan.slots[HG_FILE_TIER];
    claim_that(cost.slots == highest, "slots up to %d used, expected %d", cost.slots, highest);
    if (!k->cost)
      claim_that(plan.slots[HG_FILE_TIER] == PetscMin(k->files, plan.units - 1) || k->memory,
                 "files cost nothing, and %d of %d are used", plan.slots[HG_FILE_TIER], k->files);
    if (k->cost == 1000000 && k->memory)
      claim_that(!plan.slots[HG_FILE_TIER], "files cost 10^6 steps, and %d are used",
                 plan.slots[HG_FILE_TIER]);
    claim_that(isnan(plan.seconds) == (k->cost >= 0), "%g s predicted, cost %d", plan.seconds,
               k->cost);
  }
  return DESTROY(&op, &t, &store);
}

/* ---- what is planned is the work of steps and slots, and not that of observers ---- */
static long every_step(void *unused, HgMode direction, long n) {
  (void)unused, (void)direction;
  return n <= STEPS ? n : HG_NO_STEP;
}

/* No rank waits in the step that follows for one that still sleeps. */
static PetscErrorCode sleeps(void *seconds, const HgTrajectorySight *s) {
  const struct timespec time = {.tv_nsec = 20000000};
  (void)s;
  nanosleep(&time, NULL);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  *(double *)seconds += 0.02;
  return 0;
}

static PetscErrorCode claim_own_work(HeatCase *c) {
  HgStore store;
  HgTrajectory t;
  HgOperator op;
  HgTrajectoryPlan plan;
  char text[256];
  double slept = 0;
  PetscCall(PetscOptionsClearValue(NULL, "-hg_file_cost"));
  PetscCall(HgStoreCreate(c->data, 3, 2, "test_slots", &store));
  PetscCall(HgTrajectoryCreate(c->program, STEPS, c->objective, store, &t));
  PetscCall(HgTrajectoryOperator(t, &op));
  PetscCall(HgTrajectoryAddObserver(
      t, &(HgTrajectoryObserver){.next = every_step, .see = sleeps, .context = &slept}));
  PetscCall(fingerprint(op, c->x, t, text));
  const double once = slept;
  PetscCall(fingerprint(op, c->x, t, text));
  HgTrajectoryGetPlan(t, &plan);
  claim_that(plan.seconds < once / 2, "%g s planned, where observers take %g s", plan.seconds,
             once);
  return DESTROY(&op, &t, &store);
}

/* Where a rank has no memory for the schedule of least time, files and memory are the slots of one
   revolve: of a second gradient, with other costs, it is the first allocation. */
static PetscErrorCode claim_without_table(HeatCase *c) {
  HgStore store;
  HgTrajectory t;
  HgState x_bar;
  HgTrajectoryPlan plan;
  double J[2];
  char bar[2][17];
  PetscCall(HgStoreCreate(c->data, 5, 2, "test_slots", &store));
  PetscCall(HgTrajectoryCreate(c->program, STEPS, c->objective, store, &t));
  PetscCall(HgStateDuplicate(c->x, &x_bar));
  for (int failing = 0; failing < 2; failing++) {
    PetscCall(set_option("-hg_file_cost", failing ? 5 : 1));
    PetscCall(HgStateZero(x_bar));
    if (failing) HgFaultSet(HG_FAULT_MEMORY, 1, 0);
    PetscCall(HgTrajectoryGradient(t, c->x, 1, &J[failing], x_bar));
    HgFaultClear();
    PetscCall(HgStateDigest(x_bar, NULL, bar[failing]));
    HgTrajectoryGetPlan(t, &plan);
    claim_that(!strcmp(plan.policy, failing ? "revolve" : "multistage"), "policy %s", plan.policy);
  }
  claim_same(J[1], J[0], "J by revolve");
  claim_that(!strcmp(bar[1], bar[0]), "gradient by revolve %s, by multistage %s", bar[1], bar[0]);
  return DESTROY(&x_bar, &t, &store);
}

static PetscErrorCode test(void) {
  static const Kind kinds[] = {
      {1, 1, 0, "single"},  {5, 2, 1, "single"},  {9, 1, 0, "single"},
      {4, 3, 2, "start"},   {3, 2, 0, "start"},   {6, 2, 1000000, "single"},
      {40, 0, 1, "single"}, {2, 3, -1, "single"}, {3, 1, -1, "start"}};
  for (int walls = 0; walls < WALLS; walls++) {
    const HeatSpec spec = {.nx = 29,
                           .ny = 31,
                           .steps = STEPS,
                           .walls = (Walls)walls,
                           .ghost = 9,
                           .snapshot = true,
                           .slots = 5};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      HeatCase c;
      char expected[256];
      PetscCall(PetscOptionsSetValue(NULL, "-hg_reverse", kinds[k].way));
      PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
      PetscCall(fingerprint(c.op, c.x, c.trajectory, expected));
      PetscCall(claim_kind(&c, c.x, &kinds[k], expected));
      if (k == 3 || k == 5) PetscCall(claim_without_table(&c));
      if (k == 7 && !walls) PetscCall(claim_own_work(&c));
      PetscCall(heat_destroy(&c));
    }
  }
  PetscCall(PetscOptionsClearValue(NULL, "-hg_file_cost"));
  return PetscOptionsClearValue(NULL, "-hg_reverse");
}

CLAIM("memory and files together change no bit, and their plan comes true", 0, test)
