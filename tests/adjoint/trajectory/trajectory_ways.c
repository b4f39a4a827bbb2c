/* SPDX-License-Identifier: BSD-2-Clause */
/* However blocks of steps are reversed, from stored states, from their first state alone or step by
   step, with any number of slots and wherever somebody looks at states or cotangents: J, gradient
   and final state keep their bits, and from the first state fewer slots do. */
#include "heat_case.h"
#include "shallow_case.h"
#include <halograd/trajectory_library.h>

enum { STEPS = 23 };

/* Looks at some of the cotangents. */
typedef struct {
  long every, seen;
} Looker;

/* Steps 1, every + 1, ... */
static long next(void *self, HgMode direction, long n) {
  const Looker *l = self;
  if (direction != HG_COTANGENT || !l->every) return HG_NO_STEP;
  return n ? HgStepMultiple(l->every, n - 1) + 1 : 1;
}

static PetscErrorCode see(void *self, const HgTrajectorySight *s) {
  (void)s;
  ((Looker *)self)->seen++;
  return 0;
}

typedef struct {
  const char *way;
  int slots, ghost;
  long every; /* cotangents looked at; 0: none */
  bool store_all;
  bool linear; /* heat for u_0 alone: adjoints read no state */
} Kind;

/* The trajectory says from what it has reversed several steps at once. */
static PetscErrorCode claim_view(HgTrajectory t, const Kind *k) {
  char *text = NULL;
  size_t size = 0;
  PetscViewer viewer;
  FILE *memory = open_memstream(&text, &size);
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, memory, &viewer));
  PetscCall(HgTrajectoryView(t, viewer));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(memory);
  if (!claim.rank && !strcmp(k->way, "stored") && !k->linear)
    claim_that(strstr(text, " 1 reversed at once") || strstr(text, "from stored states"),
               "%d slots, -hg_reverse stored: %s", k->slots, text);
  free(text);
  return 0;
}

static PetscErrorCode gradient_of(HgTrajectory t, HgOperator op, HgState x, const Kind *k,
                                  char text[256], HgTrajectoryCost *cost) {
  Looker looker = {.every = k->every};
  PetscCall(HgTrajectoryAddObserver(
      t, &(HgTrajectoryObserver){.next = next, .see = see, .context = &looker}));
  PetscCall(fingerprint(op, x, t, text));
  PetscCall(HgTrajectoryRemoveObserver(t, &looker));
  HgTrajectoryGetCost(t, cost);
  PetscCall(claim_view(t, k));
  claim_that(looker.seen == (k->every ? (STEPS - 1) / k->every + 1 : 0),
             "%s, every %ld: %ld cotangents seen", k->way, k->every, looker.seen);
  return 0;
}

static PetscErrorCode run(int physics, const Kind *k, char text[256], HgTrajectoryCost *cost) {
  PetscCall(PetscOptionsSetValue(NULL, "-hg_reverse", k->way));
  if (physics < WALLS) {
    HeatCase c;
    const HeatSpec spec = {.nx = 41,
                           .ny = 38,
                           .steps = STEPS,
                           .walls = (Walls)physics,
                           .ghost = k->ghost,
                           .conservative = physics % 2,
                           .snapshot = !k->linear, /* it reads a state on the way back */
                           .slots = k->slots};
    PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
    PetscCall(HgProgramSetActive(c.program, "kappa", !k->linear));
    PetscCall(gradient_of(c.trajectory, c.op, c.x, k, text, cost));
    return heat_destroy(&c);
  }
  ShallowCase c;
  const ShallowSpec spec = {.nx = 41,
                            .ny = 38,
                            .steps = STEPS,
                            .periodic_x = physics & 1,
                            .slots = k->slots,
                            .ghost = k->ghost};
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(gradient_of(c.trajectory, c.op, c.x, k, text, cost));
  return shallow_destroy(&c);
}

static PetscErrorCode test(void) {
  static const Kind plain = {.way = "single", .slots = STEPS, .ghost = 3, .store_all = true};
  static const Kind kinds[] = {
      {"start", STEPS, 11, 0, true, false}, {"start", 3, 11, 0, false, false},
      {"start", 1, 11, 4, false, false},    {"start", 2, 5, 7, false, false},
      {"stored", STEPS, 9, 0, true, false}, {"stored", STEPS, 9, 5, true, false},
      {"stored", 7, 9, 0, false, false},    {"stored", 3, 9, 5, false, false},
      {"stored", 1, 9, 0, false, false},    {"single", 4, 11, 0, false, false},
      {"cheaper", 5, 12, 3, false, false},  {"cheaper", STEPS, 12, 0, false, false}};
  for (int physics = 0; physics < WALLS + 2; physics++) {
    char expected[256], text[256];
    HgTrajectoryCost cost;
    PetscCall(run(physics, &plain, expected, &cost));
    claim_that(cost.advances == STEPS && !cost.made_again, "plainly %ld and %ld steps are made",
               cost.advances, cost.made_again);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      PetscCall(run(physics, &kinds[k], text, &cost));
      claim_that(!strcmp(text, expected), "physics %d, kind %zu: '%s', plainly '%s'", physics, k,
                 text, expected);
      if (physics < WALLS && !strcmp(kinds[k].way, "start"))
        claim_that(cost.made_again > 0, "physics %d, kind %zu: no step made again", physics, k);
      if (!strcmp(kinds[k].way, "stored"))
        claim_that(!cost.made_again, "physics %d, kind %zu: %ld steps made again", physics, k,
                   cost.made_again);
      if (k == 0 && physics < WALLS)
        claim_that(3 * cost.slots < 2 * STEPS, "physics %d: %d slots used", physics, cost.slots);
    }
  }
  return PetscOptionsClearValue(NULL, "-hg_reverse");
}

/* Of a linear problem one slot is used, for q_0, and no step is made twice, unless somebody looks
   at cotangents, and with them at states. */
static PetscErrorCode test_linear(void) {
  static const Kind plain = {
      .way = "single", .slots = STEPS, .ghost = 3, .store_all = true, .linear = true};
  static const Kind kinds[] = {{"cheaper", 1, 11, 0, false, true},
                               {"cheaper", 6, 1, 0, false, true},
                               {"stored", STEPS, 11, 0, true, true},
                               {"cheaper", 3, 11, 4, false, true}};
  for (int walls = 0; walls < WALLS; walls++) {
    char expected[256], text[256];
    HgTrajectoryCost cost;
    PetscCall(run(walls, &plain, expected, &cost));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      PetscCall(run(walls, &kinds[k], text, &cost));
      claim_that(!strcmp(text, expected), "linear, walls %d, kind %zu: '%s', plainly '%s'", walls,
                 k, text, expected);
      if (!kinds[k].every)
        claim_that(cost.slots == 1 && cost.advances == STEPS && !cost.made_again,
                   "linear, walls %d, kind %zu: %d slots, %ld and %ld steps made", walls, k,
                   cost.slots, cost.advances, cost.made_again);
    }
  }
  return PetscOptionsClearValue(NULL, "-hg_reverse");
}

CLAIM("however steps are reversed, no bit changes", 0, test, test_linear)
