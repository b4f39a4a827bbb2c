/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs of toy stencils, behind walls of any kind, on thin and thick grids: states,
   tangents and cotangents have the same bits however steps are cut. -first and -programs: which
   seeds; after them come -closed more, with variables on faces and corners, closed on some sides,
   -forward_backward more, every other one of them closed, too, -masked more, half of them such,
   among whose cells some are dry, and -copies more, some of whose results are copies of what was
   read, a few of them masked. */
#include "draws.h"
#include "toy_programs.h"
#include "trajectory_claims.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <halograd/time_block.h>

enum { STEPS = 5, CUTS = 3, LATER = 5675 /* seeds of forward-backward programs */ };

typedef struct {
  int ghost, fuse, block, strip, deck, threads, leap, keep;
  int way; /* steps are reversed from stored states, from the first alone, or by turns */
} Cut;

static Cut roll_cut(Dice *d, int depth) {
  return (Cut){.ghost = depth + (roll(d, 3) ? roll(d, 24) : 0),
               .fuse = roll(d, 8) > 0,
               .block = roll(d, 2) ? 1 : roll(d, 7),
               .strip = 8 * roll(d, 3),
               .threads = roll(d, 3) ? 1 : 1 + roll(d, 3),
               .leap = 1 + roll(d, STEPS),
               .keep = roll(d, 2) ? HG_SAVE_ALL : HG_SAVE_FOR_ADJOINT,
               .way = roll(d, 3)};
}

/* ---- running ---- */
static PetscErrorCode create(const Draw *d, const Cut *cut, HgMesh *mesh, HgProgram *program) {
  HgMeshSpec spec = d->mesh;
  spec.ghost = cut->ghost;
  PetscCall(set_option("-hg_fuse", cut->fuse));
  PetscCall(set_option("-hg_tile_rows", cut->block));
  PetscCall(set_option("-hg_tile_columns", cut->strip));
  PetscCall(set_option("-hg_tile_levels", cut->deck));
  PetscCall(set_option("-hg_threads", cut->threads));
  PetscCall(set_option("-hg_time_block", cut->leap));
  PetscCall(PetscOptionsSetValue(NULL, "-hg_reverse", "stored")); /* where all can be */
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, mesh));
  PetscCall(drawn_program(d, *mesh, program));
  PetscCall(HgProgramSetUp(*program));
  return set_drawn_mask(d, *program);
}

/* Digests of a run: of the state at the end, its tangent, cotangents of state and constants. */
enum { RESULTS = 4 };

typedef struct {
  char of[RESULTS][17];
} Bits;

static PetscErrorCode digest(HgState x, char hex[17]) {
  return x ? HgStateDigest(x, NULL, hex) : 0;
}

/* The most steps that are reversed at once, from the first state alone and from stored ones. */
static PetscErrorCode longest(HgProgram program, long most[2]) {
  HgReversal way;
  for (int stored = 0; stored < 2; stored++) {
    PetscCall(HgProgramReversal(program, stored, &way));
    most[stored] = way.stored == stored ? way.steps : 1; /* stored states are no use */
  }
  return 0;
}

/* How many of the last n steps are reversed at once, and whether from stored states: drawn for each
   block. States that hold what an adjoint reads are no start for making others. */
static long roll_reversal(Dice *d, const Cut *cut, const long most[2], long n, bool *stored) {
  *stored = cut->keep == HG_SAVE_FOR_ADJOINT || cut->way == 0 || (cut->way == 2 && roll(d, 2));
  const long at_once = most[*stored] < n ? most[*stored] : n;
  return 1 + roll(d, (int)at_once);
}

/* Steps forward, as many at once as can be, and back in blocks. */
static PetscErrorCode there_and_back(HgProgram program, const Cut *cut, HgState constants,
                                     Bits *bits, long reversed[2]) {
  Dice dice = {claim.seed, 99};
  long most[2];
  HgState q[STEPS + 1], scratch, bar, next_bar, constants_bar;
  HgState *const more[] = {&scratch, &bar, &next_bar};
  for (int k = 0; k <= STEPS; k++) PetscCall(HgProgramCreateCarried(program, &q[k]));
  for (int k = 0; k < 3; k++) PetscCall(HgProgramCreateCarried(program, more[k]));
  PetscCall(HgProgramCreateConstants(program, &constants_bar));
  PetscCall(fill_drawn(q[0], 5));
  PetscCall(HgStateRandom(next_bar, 7));
  for (long n = 0, count; n < STEPS; n += count) {
    count = HgProgramStride(program, STEPS - n);
    PetscCall(HgProgramSteps(program, n, count, constants, q[n], &q[n + 1], (HgSaving)cut->keep,
                             q[n + count]));
  }
  PetscCall(digest(q[STEPS], bits->of[0]));
  if (constants_bar) PetscCall(HgProgramZeroConstantsBar(program, constants_bar));
  PetscCall(longest(program, most));
  for (long n = STEPS, count; n > 0; n -= count) {
    bool stored;
    count = roll_reversal(&dice, cut, most, n, &stored);
    reversed[stored] = PetscMax(reversed[stored], count);
    PetscCall(HgProgramStepsAdjoint(program, n - count, count, constants, q[n - count],
                                    stored ? &q[n - count + 1] : NULL, scratch, next_bar, bar,
                                    constants_bar));
    PetscCall(HgProgramBoundaryAdjoint(program, bar));
    HgStateSwap(bar, next_bar);
  }
  if (constants_bar) PetscCall(HgProgramBoundaryAdjoint(program, constants_bar));
  PetscCall(digest(next_bar, bits->of[2]));
  PetscCall(digest(constants_bar, bits->of[3]));
  for (int k = 0; k <= STEPS; k++) PetscCall(HgStateDestroy(&q[k]));
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(more[k]));
  return HgStateDestroy(&constants_bar);
}

static PetscErrorCode tangent(HgProgram program, HgState constants, char hex[17]) {
  HgState q, dq, next, dnext, dconstants;
  HgState *const all[] = {&q, &dq, &next, &dnext};
  for (int k = 0; k < 4; k++) PetscCall(HgProgramCreateCarried(program, all[k]));
  PetscCall(HgProgramCreateConstants(program, &dconstants));
  PetscCall(fill_drawn(q, 5));
  PetscCall(HgStateRandom(dq, 9));
  if (dconstants) PetscCall(HgStateRandom(dconstants, 11));
  for (long n = 0; n < 2; n++) {
    PetscCall(HgProgramStepTangent(program, n, constants, dconstants, q, dq, next, dnext));
    HgStateSwap(q, next), HgStateSwap(dq, dnext);
  }
  PetscCall(digest(dq, hex));
  for (int k = 0; k < 4; k++) PetscCall(HgStateDestroy(all[k]));
  return HgStateDestroy(&dconstants);
}

static PetscErrorCode run(const Draw *d, const Cut *cut, bool check, Bits *bits, long reversed[2]) {
  *bits = (Bits){0};
  HgMesh mesh;
  HgProgram program;
  HgState constants, x;
  HgOperator op;
  PetscCall(create(d, cut, &mesh, &program));
  if (check) {
    PetscCall(HgProgramOperator(program, 0, &op));
    PetscCall(HgProgramCreateInput(program, &x));
    PetscCall(fill_drawn(x, 13));
    PetscCall(claim_checks("plainly", op, x, 0, 3));
    PetscCall(DESTROY(&x, &op));
  }
  const int k = d->inactive;
  if (k >= 0 && d->used >> k & 1 && !(d->written >> k & 1))
    PetscCall(HgProgramSetActive(program, names[k], false));
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(fill_drawn(constants, 3));
  PetscCall(there_and_back(program, cut, constants, bits, reversed));
  PetscCall(tangent(program, constants, bits->of[1]));
  return DESTROY(&constants, &program, &mesh);
}

typedef struct {
  bool closed, forward_backward, masked, copies, levels;
} Kind;

static PetscErrorCode test(uint64_t seed, Kind kind, int size, long reversed[2]) {
  static const char *const what[RESULTS] = {"state", "tangent", "cotangent",
                                            "constants' cotangent"};
  Dice dice = {seed, 0}, decks = {seed, 77};
  Draw draw;
  Bits expected, bits;
  claim.seed = seed;
  if (kind.forward_backward) roll_forward_backward(&dice, &draw);
  else roll_program(&dice, &draw);
  if (kind.copies) roll_copies(&dice, &draw);
  if (kind.closed) roll_closed(&dice, &draw);
  if (kind.levels) roll_levels(&dice, &draw);
  if (kind.masked) roll_mask(&dice, &draw.mask);
  const HgMeshSpec *const m = &draw.mesh;
  const Cut plain = {.ghost = m->ghost, .threads = 1, .leap = 1};
  PetscCall(run(&draw, &plain, size <= 4, &expected, reversed));
  for (int k = 0; k < CUTS; k++) {
    Cut c = roll_cut(&dice, m->ghost);
    c.deck = roll(&decks, 8);
    PetscCall(run(&draw, &c, false, &bits, reversed));
    for (int n = 0; n < RESULTS; n++)
      claim_that(!strcmp(bits.of[n], expected.of[n]),
                 "%s: %d x %d x %d cells on %d x %d ranks, %g wet, cut %d: ghosts %d (plainly %d), "
                 "fuse %d, "
                 "block %d, strip %d, deck %d, threads %d, leap %d, keep %d, way %d",
                 what[n], m->nx, m->ny, m->nz, m->px, m->py, draw.mask.width ? draw.mask.wet : 1, k,
                 c.ghost, m->ghost, c.fuse, c.block, c.strip, c.deck, c.threads, c.leap, c.keep,
                 c.way);
  }
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  int size = 1;
  PetscInt first = 345,
           programs = DRAWS_OF(120); /* among them are programs that have found errors */
  PetscInt closed = DRAWS_OF(60), forward_backward = DRAWS_OF(40), masked = DRAWS_OF(40),
           copies = DRAWS_OF(60), levels = DRAWS_OF(60);
  /* at once, at most: from the first state alone, from stored ones; of forward-backward steps */
  long reversed[2][2] = {{1, 1}, {1, 1}};
  claim_begin("random programs have the same bits however they are cut", 0);
  if (!ierr) {
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    const bool floats = sizeof(HgReal) < sizeof(double); /* are planned alike */
    const int fewer = size > 6             ? 16
                      : size > 1 && floats ? 6
                      : size > 1 || floats ? 3
                                           : 1; /* ranks that share cores wait for each other */
    programs /= fewer, closed /= fewer, forward_backward /= fewer, masked /= fewer, copies /= fewer;
    levels /= fewer;
    ierr = PetscOptionsGetInt(NULL, NULL, "-first", &first, NULL);
  }
  if (!ierr) ierr = PetscOptionsGetInt(NULL, NULL, "-programs", &programs, NULL);
  if (!ierr) ierr = PetscOptionsGetInt(NULL, NULL, "-closed", &closed, NULL);
  if (!ierr) ierr = PetscOptionsGetInt(NULL, NULL, "-forward_backward", &forward_backward, NULL);
  if (!ierr) ierr = PetscOptionsGetInt(NULL, NULL, "-masked", &masked, NULL);
  if (!ierr) ierr = PetscOptionsGetInt(NULL, NULL, "-copies", &copies, NULL);
  if (!ierr) ierr = PetscOptionsGetInt(NULL, NULL, "-levels", &levels, NULL);
  for (PetscInt k = 0; k < programs + closed && !ierr; k++)
    ierr = test((uint64_t)(first + k), (Kind){.closed = k >= programs}, size, reversed[0]);
  for (PetscInt k = 0; k < forward_backward && !ierr; k++)
    ierr = test((uint64_t)(first + LATER + k), (Kind){.closed = k % 2, .forward_backward = true},
                size, reversed[1]);
  for (PetscInt k = 0; k < masked && !ierr; k++)
    ierr = test((uint64_t)(first + 2 * LATER + k),
                (Kind){.closed = k / 2 % 2, .forward_backward = k % 2, .masked = true}, size,
                reversed[k % 2]);
  for (PetscInt k = 0; k < copies && !ierr; k++)
    ierr = test((uint64_t)(first + 3 * LATER + k),
                (Kind){.forward_backward = k % 3 == 0, .masked = k % 4 == 0, .copies = true}, size,
                reversed[k % 3 == 0]);
  for (PetscInt k = 0; k < levels && !ierr; k++)
    ierr = test((uint64_t)(first + 4 * LATER + k),
                (Kind){.closed = k % 2,
                       .forward_backward = k % 3 == 0,
                       .masked = k % 5 == 0,
                       .copies = k % 4 == 0,
                       .levels = true},
                size, reversed[k % 3 == 0]);
  for (int kind = 0; kind < 2; kind++)
    for (int stored = 0; stored < 2; stored++)
      claim_that(reversed[kind][stored] > 1 || (kind ? forward_backward < 40 : programs < 100),
                 "no %ssteps reversed at once from %s", kind ? "forward-backward " : "",
                 stored ? "stored states" : "the first alone");
  return claim_end(ierr);
}
