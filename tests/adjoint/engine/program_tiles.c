/* SPDX-License-Identifier: BSD-2-Clause */
/* However a step is cut, one exchange or several, wide halos or narrow, any strips and blocks of
   rows, any number of threads, several steps made or reversed at once, any walls: J, gradient,
   tangent and final state keep their bits. */
#include "draws.h"
#include "shallow_case.h"
#include "trajectory_claims.h"
#include <halograd/program_library.h>
#include <halograd/trajectory_library.h>
#include <limits.h>

typedef struct {
  int ghost, block, strip, threads, leap;
  bool fuse;
} Cut;

/* Exchanges of one gradient. */
static PetscErrorCode count(ShallowCase *c, long *exchanges) {
  long before, messages;
  double J, bytes;
  HgState x_bar;
  PetscCall(HgStateDuplicate(c->x, &x_bar));
  HgProgramTraffic(c->program, &before, &messages, &bytes);
  PetscCall(HgTrajectoryGradient(c->trajectory, c->x, 1, &J, x_bar));
  HgProgramTraffic(c->program, exchanges, &messages, &bytes);
  *exchanges -= before;
  return HgStateDestroy(&x_bar);
}

static PetscErrorCode run(const ShallowSpec *spec, const Cut *cut, char text[512], long *reversed,
                          long *exchanges) {
  ShallowSpec s = *spec;
  ShallowCase c;
  HgReversal way;
  HgState dx;
  double J, dJ;
  PetscCall(set_option("-hg_fuse", cut->fuse));
  PetscCall(set_option("-hg_tile_rows", cut->block));
  PetscCall(set_option("-hg_tile_columns", cut->strip));
  PetscCall(set_option("-hg_threads", cut->threads));
  PetscCall(set_option("-hg_time_block", cut->leap));
  s.ghost = cut->ghost;
  PetscCall(shallow_create(PETSC_COMM_WORLD, &s, &c));
  PetscCall(HgProgramSetActive(c.program, "nu", s.slots < s.steps));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  PetscCall(HgStateDuplicate(c.x, &dx));
  PetscCall(HgStateRandom(dx, 3));
  PetscCall(HgTrajectoryTangent(c.trajectory, c.x, dx, &J, &dJ));
  snprintf(text + strlen(text), 512 - strlen(text), " tangent %a", dJ);
  PetscCall(HgStateDestroy(&dx));
  PetscCall(HgProgramReversal(c.program, s.slots >= s.steps, &way));
  *reversed = way.steps;
  PetscCall(count(&c, exchanges));
  return shallow_destroy(&c);
}

static PetscErrorCode test(void) {
  static const Cut cuts[] = {
      {1, 0, 0, 1, 4, true},  {2, 3, 0, 1, 4, true},   {6, 1, 8, 1, 2, true},
      {4, 2, 16, 1, 1, true}, {12, 1, 16, 1, 4, true}, {6, 0, 0, 1, 1, true},
      {9, 5, 8, 3, 3, true},  {1, 0, 16, 2, 1, false}, {18, 0, 0, 1, 6, true}};
  const Cut plain = {1, 0, 0, 1, 1, false};
  const bool crowded = claim.ranks > 4 || SANITIZED;
  const int every = crowded ? 5 : claim.ranks > 1 ? 3 : 1; /* all kinds on one rank */
  for (int kind = 0; kind < 32; kind += every) {
    const bool thin = kind % 16 >= 12; /* patches thinner than the halo would be */
    const bool stored = kind & 16;     /* every state, and nobody asks for nu's cotangent */
    const ShallowSpec spec = {.nx = thin ? 13 : 41,
                              .ny = thin ? 11 : 38,
                              .steps = 9,
                              .periodic_x = kind & 1,
                              .periodic_y = kind & 2,
                              .reflecting = kind & 4,
                              .published = kind & 8,
                              .slots = stored ? 9 : 2};
    char expected[512], text[512];
    long reversed, most = 1; /* steps at once */
    long exchanges, fewest = LONG_MAX;
    PetscCall(run(&spec, &plain, expected, &reversed, &exchanges));
    for (int k = kind % 2; k < (int)(sizeof cuts / sizeof *cuts); k += crowded ? 2 : 1) {
      PetscCall(run(&spec, &cuts[k], text, &reversed, &exchanges));
      most = PetscMax(most, reversed);
      fewest = PetscMin(fewest, exchanges);
      claim_that(!strcmp(text, expected),
                 "kind %d, ghosts %d, blocks of %d rows, strips of %d, %d threads, %d steps at "
                 "once, %ld reversed: '%s', plainly '%s'",
                 kind, cuts[k].ghost, cuts[k].block, cuts[k].strip, cuts[k].threads, cuts[k].leap,
                 reversed, text, expected);
    }
    claim_that(!stored || thin || spec.reflecting || spec.published || most > 1,
               "kind %d: at most %ld steps reversed at once, expected 2 or more", kind, most);
    /* one by one it would be 9 forwards and 5 back */
    claim_that(!stored || thin || spec.reflecting || spec.published || fewest <= spec.steps,
               "kind %d: at least %ld exchanges a gradient, expected at most %ld", kind, fewest,
               spec.steps);
  }
  return 0;
}

CLAIM("however a step is cut, no bit changes", 3, test)
