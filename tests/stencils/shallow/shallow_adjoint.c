/* SPDX-License-Identifier: BSD-2-Clause */
/* Shallow water: step and trajectory of 200 steps pass zero, linearity, dot product and Taylor; so
   does each control alone by Taylor; a step passes the dot product to 1e-13 on draws of sizes,
   ghosts, walls, frictions and states. */
#include "claim.h"
#include "draws.h"
#include "shallow_case.h"
#include "trajectory_claims.h"

/* An integer in [0, n), the same on every rank. */
static int draw(uint64_t seed, uint64_t k, int n) {
  return (int)(0.5 * (HgRandom(seed, k) + 1) * n);
}

/* Crowded ranks take their time. */
static uint64_t draws_on(int size) { return size > 4 ? 10 : DRAWS_OF(40); }

static PetscErrorCode draws(void) {
  static const double most[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05, 0.3, 1e-3}; /* of h .. nu */
  static const char *const names[] = {"h", "u", "v", "h_t", "u_t", "v_t", "b", "f", "nu"};
  const int size = claim.ranks;
  const uint64_t most_draws = draws_on(size);
  for (uint64_t seed = 1; seed <= most_draws; seed++) {
    const ShallowSpec spec = {.nx = 16 + draw(seed, 0, 9),
                              .ny = 16 + draw(seed, 1, 9),
                              .ghost = 1 + draw(seed, 2, size > 4 ? 1 : 3),
                              .steps = 1,
                              .periodic_x = draw(seed, 3, 2),
                              .periodic_y = draw(seed, 4, 2),
                              .published = draw(seed, 5, 2),
                              .reflecting = !draw(seed, 6, 4),
                              .slots = 1};
    ShallowCase c;
    HgOperator step;
    HgState random;
    HgFindings report;
    PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
    PetscCall(HgProgramOperator(c.program, draw(seed, 7, 2), &step));
    PetscCall(HgStateDuplicate(c.x, &random));
    PetscCall(HgStateRandom(random, seed));
    for (int k = 0; k < 9; k++) {
      const int index = HgStateFind(c.x, names[k]);
      PetscCall(HgStateAXPYVariable(c.x, index, most[k], random, index));
    }
    PetscCall(HgExamineOperator(step, c.x, &(HgCheckOptions){.seed = seed}, &report));
    claim_at_most(report.worst[HG_CHECK_DOT], 1e-13 * HG_ROUNDING, "draw %d: dot product",
                  (int)seed);
    PetscCall(DESTROY(&random, &step));
    PetscCall(shallow_destroy(&c));
  }
  return 0;
}

static PetscErrorCode test(void) {
  static const char *const controls[] = {"h", "u", "v", "b", "f", "nu"};
  /* the arithmetic is the same on any number of ranks (shallow_bits): spare the crowded */
  const int size = claim.ranks;
  const bool crowded = size > 4;
  for (int walls = 0; walls < 4; walls++)
    for (int published = 0; published < 2; published++) {
      if (crowded && published != walls % 2) continue;
      if (size > 6 && walls != 0 && walls != 3) continue;
      const bool whole = size == 1 || (walls == 1 && !published && !crowded);
      const ShallowSpec spec = {.nx = 16,
                                .ny = 17,
                                .steps = whole ? 200 : 20,
                                .periodic_x = walls & 1,
                                .periodic_y = walls & 2,
                                .published = published,
                                .slots = 12};
      ShallowCase c;
      HgOperator first, later;
      PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
      PetscCall(HgProgramOperator(c.program, 0, &first));
      PetscCall(HgProgramOperator(c.program, 3, &later));
      PetscCall(claim_checks("the Euler step", first, c.x, 1e-13, 100 + 10 * walls + published));
      PetscCall(claim_checks("a later step", later, c.x, 1e-13, 200 + 10 * walls + published));
      PetscCall(claim_checks("a trajectory", c.op, c.x, 1e-11, 300 + 10 * walls + published));
      for (int k = 0; whole && k < 6; k++)
        PetscCall(
            claim_taylor(c.op, c.x, controls[k], strcmp(controls[k], "nu") ? 0.1 : 1e-3, 400 + k));
      PetscCall(DESTROY(&first, &later));
      PetscCall(shallow_destroy(&c));
    }
  return 0;
}

CLAIM("shallow water passes zero, linearity, dot product and Taylor", 0, test, draws)
