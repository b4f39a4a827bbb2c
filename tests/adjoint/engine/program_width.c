/* SPDX-License-Identifier: BSD-2-Clause */
/* A mesh without a ghost width gets as many ghosts as the plan asks for: several steps share an
   exchange where patches are thick enough, fewer where they are thin, on all ranks alike, with the
   bits of ghosts chosen by hand; so does the plan that is measured; states made too early are
   refused. */
#include "heat_case.h"
#include "refusal.h"
#include "same_bits.h"
#include "shallow_case.h"
#include <halograd/mesh_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

enum { STEPS = 13 };

/* ---- the width ---- */
static PetscErrorCode expect_width(int nx, int ny, int leap, int ghost, int stride) {
  const int ranks = claim.ranks;
  const HgMeshSpec spec = {.nx = nx, .ny = ny * ranks, .py = ranks, .dx = 1, .dy = 1};
  const HgShallowWaterParams params = {.gravity = 1};
  HgMesh mesh;
  HgProgram program;
  HgState q;
  PetscCall(set_option("-hg_time_block", leap));
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(shallow_program(mesh, &(ShallowSpec){0}, 1, &params, &program));
  PetscCall(HgProgramCreateCarried(program, &q));
  claim_that(HgStateGhosts(q) == ghost && HgMeshGetSpec(mesh)->ghost == ghost,
             "patches of %d x %d cells, %d steps at once at most: %d ghosts, expected %d", nx, ny,
             leap, HgStateGhosts(q), ghost);
  claim_that(HgProgramStride(program, 100) == stride,
             "patches of %d x %d cells: %ld steps at once, expected %d", nx, ny,
             HgProgramStride(program, 100), stride);
  PetscCall(DESTROY(&q, &program));
  PetscCall(PetscOptionsClearValue(NULL, "-hg_time_block"));
  return HgMeshDestroy(&mesh);
}

/* A step of shallow water reads three cells around it; reversed, five. */
static PetscErrorCode widths(void) {
  const int ranks = claim.ranks;
  PetscCall(expect_width(190, 180, 6, 18, 6));
  PetscCall(expect_width(36, 40, 1, 5, 1));
  if (ranks == 1) PetscCall(expect_width(40, 36, 6, 5, 1)); /* nothing would be saved */
  else PetscCall(expect_width(40, 36, 6, 18, 6));
  if (ranks > 1) PetscCall(expect_width(36, 40, 4, 12, 4));
  if (ranks > 1) PetscCall(expect_width(14, 40, 6, 6, 2));
  if (ranks > 1) PetscCall(expect_width(13, 14, 4, 12, 4)); /* a small patch: all of it */
  PetscCall(expect_width(40, 7, 6, 3, 1));
  PetscCall(expect_width(40, 4, 6, 4, 1));
  return expect_width(3, 1, 6, 1, 1);
}

/* ---- the bits ---- */
static bool by_hand;
static char expected[LAYOUT_TEXT];

static PetscErrorCode shallow(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  const ShallowSpec spec = {.nx = 23,
                            .ny = 26,
                            .px = l.px,
                            .py = l.py,
                            .steps = STEPS,
                            .widens = !by_hand,
                            .periodic_x = seed & 1,
                            .slots = seed & 2 ? 3 : STEPS};
  ShallowCase c;
  int rank;
  PetscCall(shallow_create(comm, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank && by_hand) snprintf(expected, sizeof expected, "%s", text);
  if (!rank)
    claim_that(!strcmp(text, expected), "seed %ld, %d x %d patches: '%s', by hand '%s'", seed, l.px,
               l.py, text, expected);
  return shallow_destroy(&c);
}

/* ---- the plan that is measured ---- */

/* A gradient with -hg_fuse, or as measured (NULL). */
static PetscErrorCode gradient(const char fuse[], int *ghosts, char text[LAYOUT_TEXT]) {
  const ShallowSpec spec = {
      .nx = 130, .ny = 120, .steps = STEPS, .widens = true, .slots = 3, .periodic_x = true};
  ShallowCase c;
  long exchanges, messages;
  double bytes;
  if (fuse) PetscCall(PetscOptionsSetValue(NULL, "-hg_fuse", fuse));
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  if (fuse) PetscCall(PetscOptionsClearValue(NULL, "-hg_fuse"));
  HgProgramTraffic(c.program, &exchanges, &messages, &bytes);
  claim_that(!exchanges && !messages && bytes == 0,
             "-hg_fuse %s: %ld exchanges, %ld messages, %g bytes before the first step",
             fuse ? fuse : "measured", exchanges, messages, bytes);
  *ghosts = HgStateGhosts(c.x);
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  return shallow_destroy(&c);
}

/* It is one of the two, with its ghosts; both have the same bits. */
static PetscErrorCode measured(void) {
  int fused, alone, ghosts;
  char text[3][LAYOUT_TEXT];
  PetscCall(gradient("true", &fused, text[0]));
  PetscCall(gradient("false", &alone, text[1]));
  PetscCall(gradient(NULL, &ghosts, text[2]));
  claim_that(alone < fused && (ghosts == fused || ghosts == alone),
             "%d ghosts, expected %d as fused or %d as not", ghosts, fused, alone);
  claim_that(!claim.rank ? !strcmp(text[0], text[1]) && !strcmp(text[0], text[2]) : true,
             "fused '%s', not fused '%s', measured '%s'", text[0], text[1], text[2]);
  return 0;
}

/* ---- states of other widths ---- */
static PetscErrorCode too_early(void) {
  const HgMeshSpec spec = {.nx = 300, .ny = 256, .dx = 1, .dy = 1};
  const HgVariable u = {"u", "1", HG_FIELD, 0};
  HgMesh mesh;
  HgProgram program;
  HgState early, late, kappa;
  char digest[2][17];
  PetscCall(PetscOptionsSetValue(NULL, "-hg_fuse", "true"));
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &early));
  PetscCall(HgStateRandom(early, 3));
  PetscCall(HgProgramCreate(mesh, "heat", 0.1, &program));
  PetscCall(HgProgramAddStencil(program, &hg_heat, NULL));
  PetscCall(HgProgramSetBoundary(program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramCreateCarried(program, &late));
  PetscCall(HgProgramCreateConstants(program, &kappa));
  claim_that(HgStateGhosts(late) > HgStateGhosts(early), "%d ghosts after SetUp, %d before",
             HgStateGhosts(late), HgStateGhosts(early));
  REFUSED(HgProgramStep(program, 0, kappa, early, late), "'heat'", "'u' has 1 ghost cell",
          "after HgProgramSetUp");
  REFUSED(HgProgramStep(program, 0, kappa, late, early), "'heat'", "'u' has 1 ghost cell");
  PetscCall(HgStateCopy(early, late)); /* what they hold fits */
  PetscCall(HgStateDigest(early, NULL, digest[0]));
  PetscCall(HgStateDigest(late, NULL, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]),
             "a copy with more ghosts has the digest %s, expected %s", digest[1], digest[0]);
  PetscCall(HgStateZero(early));
  PetscCall(HgStateCopyVariable(late, 0, early, 0));
  PetscCall(HgStateDigest(early, NULL, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]),
             "a copy with fewer ghosts has the digest %s, expected %s", digest[1], digest[0]);
  PetscCall(PetscOptionsClearValue(NULL, "-hg_fuse"));
  return DESTROY(&early, &late, &kappa, &program, &mesh);
}

static PetscErrorCode fixed_width(void) {
  const HgMeshSpec spec = {.nx = 30, .ny = 64, .dx = 1, .dy = 1, .ghost = 2};
  HgMesh mesh;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgMeshRequireGhosts(mesh, 2));
  REFUSED(HgMeshRequireGhosts(mesh, 3), "3 ghost cells are needed", "its spec", "2");
  return HgMeshDestroy(&mesh);
}

static PetscErrorCode test(void) {
  PetscCall(widths());
  PetscCall(measured());
  PetscCall(too_early());
  PetscCall(fixed_width());
  for (long seed = 0; seed < 4; seed++) {
    by_hand = true;
    PetscCall(expect_same_on_layouts("by hand", shallow, seed));
    by_hand = false;
    PetscCall(expect_same_on_layouts("as the plan asks", shallow, seed));
  }
  return 0;
}

CLAIM("the ghost width is what the plan asks for, with the same bits", 0, test)
