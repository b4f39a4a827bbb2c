/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a step made term by term, each run alone, has the bits of the step; reversed term by
   term it has its cotangents but for rounding, every term is seen once, the last one first, with
   its name: stencils and operators between states. Two stencils run as one, but not if something
   else reads what lies between, if it is 0 on closed faces, or if one of the two is a copy. */
#include "claim.h"
#include "planted_case.h"
#include <acoustic_volume.h>
#include <halograd/block_library.h>
#include <halograd/control_library.h>
#include <halograd/error_library.h>
#include <halograd/heat.h>
#include <halograd/operator.h>
#include <halograd/program_library.h>
#include <halograd/shallow_water.h>
#include <halograd/state_library.h>

enum { STEP = 3 };

/* The cotangents of all variables by name, of carried ones and constants. */
typedef struct {
  HgState all;
  int next; /* the term that is to come */
  char seen[512];
} Sum;

static PetscErrorCode see(void *self, const HgTermSight *s) {
  Sum *sum = self;
  claim_that(s->k == sum->next, "term %d comes, expected %d", s->k, sum->next);
  sum->next--;
  HgSentenceAdd(sizeof sum->seen, sum->seen, "%s", s->name);
  for (int k = 0; k < HgStateCount(s->y_bar); k++) {
    const int l = HgStateFind(sum->all, HgStateVariable(s->y_bar, k)->name);
    if (l >= 0) PetscCall(HgStateZeroVariable(sum->all, l));
  }
  for (int k = 0; k < HgStateCount(s->x_bar); k++) {
    const int l = HgStateFind(sum->all, HgStateVariable(s->x_bar, k)->name);
    if (l >= 0) PetscCall(HgStateAXPYVariable(sum->all, l, 1, s->x_bar, k));
  }
  return 0;
}

/* The same as HgProgramOperator() makes them. */
static PetscErrorCode expect(HgProgram p, HgState x, HgState next_bar, HgState all) {
  HgOperator op;
  HgState x_bar;
  double off, size;
  PetscCall(HgProgramOperator(p, STEP, &op));
  PetscCall(HgStateDuplicate(x, &x_bar));
  PetscCall(HgOperatorTranspose(op, x, next_bar, x_bar));
  PetscCall(HgStateDot(x_bar, x_bar, &size));
  PetscCall(HgStateAXPY(x_bar, -1, all));
  PetscCall(HgStateDot(x_bar, x_bar, &off));
  claim_at_most(sqrt(off / size), 1e-14, "'%s': cotangents term by term", HgProgramName(p));
  return DESTROY(&x_bar, &op);
}

static PetscErrorCode claim_terms(HgProgram p, HgState x, int terms, const char seen[]) {
  HgState q, constants, next, alone, next_bar;
  Sum sum = {.next = terms - 1};
  char digest[2][17];
  HgState *const carried[] = {&q, &next, &alone, &next_bar};
  for (int k = 0; k < 4; k++) PetscCall(HgProgramCreateCarried(p, carried[k]));
  PetscCall(HgProgramCreateConstants(p, &constants));
  PetscCall(HgProgramSplit(p, x, q, constants));
  PetscCall(HgProgramTermsStep(p, STEP, constants, q, alone));
  PetscCall(HgProgramStep(p, STEP, constants, q, next));
  PetscCall(HgStateDigest(next, NULL, digest[0]));
  PetscCall(HgStateDigest(alone, NULL, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]), "'%s': the same bits term by term", HgProgramName(p));

  PetscCall(HgStateDuplicate(x, &sum.all));
  PetscCall(HgStateRandom(next_bar, 3));
  for (int k = 0; k < HgStateCount(next_bar); k++)
    PetscCall(HgStateCopyVariable(next_bar, k, sum.all,
                                  HgStateFind(sum.all, HgStateVariable(next_bar, k)->name)));
  PetscCall(HgProgramTermsAdjoint(p, STEP, constants, q, next_bar, see, &sum));
  claim_that(sum.next == -1 && !strcmp(sum.seen, seen), "'%s': terms %s, expected %s",
             HgProgramName(p), sum.seen, seen);
  PetscCall(expect(p, x, next_bar, sum.all));
  PetscCall(HgStatesDestroy(&q, &next, &alone, &next_bar, &constants, &sum.all));
  return 0;
}

static PetscErrorCode of_stencils(void) {
  const HgShallowWaterParams params = {.gravity = 1, .scheme.epsilon = 0.1};
  const HgStencil *const first = hg_shallow_water_physics.stencils[0];
  PlantedCase c;
  char names[256];
  PetscCall(planted_create(&hg_shallow_water_physics, &params, first, first, 4, &c));
  PetscCall(claim_terms(c.program, c.x, 3, "shallow_frictionshallow_dynamicsshallow_diagnostics"));
  HgProgramTermsOf(c.program, "u", HG_PRIMAL, sizeof names, names);
  claim_that(!strcmp(names, "'shallow_dynamics', 'shallow_friction'"), "u is written by %s", names);
  HgProgramTermsOf(c.program, "h_t", HG_COTANGENT, sizeof names, names);
  claim_that(!strcmp(names, "'shallow_dynamics'"), "h_t is read by %s", names);
  return planted_destroy(&c);
}

/* What a program's step calls forward. */
static int calls_of(HgProgram p) {
  HgBlock b;
  return HgProgramBlock(p, HG_PRIMAL, 1, false, &b) ? -1 : b->calls;
}

/* Waves in levels, of these two stencils; `third` reads lap, NULL: none; `closed`: lap is 0 on the
   eastern wall. */
static PetscErrorCode of_waves(const HgStencil *first, const HgStencil *second,
                               const HgStencil *third, bool closed, int calls, const char seen[]) {
  const HgSide none = {HG_FIXED, 0}, shut = {HG_CLOSED, 0};
  const HgMeshSpec spec = {.nx = 19, .ny = 14, .nz = 7, .dx = 10, .dy = 12, .dz = 9, .ghost = 8};
  const double wavelet[] = {0, 1, 2, 3, 4, 5};
  const HgStencil *const stencils[] = {first, second, NULL};
  HgPhysics physics = acoustic_volume_physics;
  HgMesh mesh;
  HgProgram p;
  HgState x;
  physics.stencils = stencils;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreatePhysics(mesh, &physics, &(AcousticVolumeParams){wavelet, 6}, 1e-3, &p));
  if (third) PetscCall(HgProgramAddStencil(p, third, NULL));
  if (closed) PetscCall(HgProgramSetLocation(p, "lap", HG_X_FACE));
  if (closed)
    PetscCall(HgProgramSetBoundary(p, "lap", (HgBoundary){shut, shut, none, none, none, none}));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateInput(p, &x));
  PetscCall(HgStateRandom(x, 5));
  claim_that(calls_of(p) == calls, "%d calls a step, expected %d", calls_of(p), calls);
  PetscCall(claim_terms(p, x, third ? 3 : 2, seen));
  return DESTROY(&x, &p, &mesh);
}

static PetscErrorCode of_pairs(void) {
  const HgStencil *const *s = acoustic_volume_physics.stencils;
  HgStencil first = *s[0], second = *s[1], third = *s[0];
  third.name = "third";
  third.reads = (const HgRead[]){{"lap", 4, HG_ADJOINT_UNUSED}, {NULL, 0, 0}};
  third.writes = (const char *const[]){"lap of lap", NULL};
  third.stated = NULL;
  PetscCall(of_waves(s[0], s[1], NULL, false, 1, "advancelaplacian"));
  PetscCall(of_waves(&first, s[1], NULL, false, 2, "advancelaplacian"));
  PetscCall(of_waves(s[0], &second, NULL, false, 2, "advancelaplacian"));
  PetscCall(of_waves(s[0], s[1], &third, false, 3, "thirdadvancelaplacian"));
  PetscCall(of_waves(s[0], s[1], NULL, true, 2, "advancelaplacian"));
  PetscCall(PetscOptionsSetValue(NULL, "-hg_fuse", "0"));
  PetscCall(of_waves(s[0], s[1], NULL, false, 2, "advancelaplacian"));
  return PetscOptionsClearValue(NULL, "-hg_fuse");
}

/* total = sum of u, f = total everywhere, then heat. */
static PetscErrorCode make_program(HgMesh mesh, HgProgram *program) {
  static const HgHeatParams steady = {0};
  const HgPatch *patch = HgMeshGetPatch(mesh);
  const HgVariable u = {"u", "K", HG_FIELD, 0}, total = {"total", "K", HG_REPLICATED, 1};
  HgState pattern;
  HgCollective sum;
  HgOperator gather, spread;
  PetscCall(HgStateCreate(mesh, 1, &u, &pattern));
  PetscCall(HgCollectiveCreate(
      HgMeshComm(mesh), &(HgCollectiveSpec){HG_SUM, .n = (int64_t)patch->nx * patch->ny}, &sum));
  PetscCall(HgCollectiveOperator(pattern, "u", &sum, &total, &gather));
  PetscCall(HgParametrisationUniform(mesh, "total", "f", "K/s", &spread));
  PetscCall(HgProgramCreate(mesh, "warming", 1e-3, program));
  PetscCall(HgProgramAddOperator(*program, gather, (const char *const[]){"u", NULL},
                                 (const char *const[]){"total", NULL}));
  PetscCall(HgProgramAddOperator(*program, spread, (const char *const[]){"total", NULL},
                                 (const char *const[]){"f", NULL}));
  PetscCall(HgProgramAddStencil(*program, &hg_heat_forced, &steady));
  PetscCall(HgProgramSetBoundary(*program, "u", HgBoundaryAll(HG_MIRROR, 1)));
  PetscCall(DESTROY(&gather, &spread, &pattern));
  return HgProgramSetUp(*program);
}

static PetscErrorCode of_operators(void) {
  const HgMeshSpec spec = {.nx = 14, .ny = 17, .dx = 0.1, .dy = 0.1, .ghost = 2};
  double phase = 1;
  HgMesh mesh;
  HgProgram program;
  HgState x;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(make_program(mesh, &program));
  PetscCall(HgProgramCreateInput(program, &x));
  PetscCall(HgStateSetField(x, "u", planted_bump, &phase));
  PetscCall(HgStateSetConstant(x, "kappa", 0.7));
  char names[128], seen[256] = "heat_forced";
  HgProgramTermsOf(program, "f", HG_PRIMAL, sizeof names, names);
  HgSentenceAdd(sizeof seen, seen, "%.*s", (int)strlen(names) - 2, names + 1);
  HgProgramTermsOf(program, "total", HG_PRIMAL, sizeof names, names);
  HgSentenceAdd(sizeof seen, seen, "%.*s", (int)strlen(names) - 2, names + 1);
  PetscCall(claim_terms(program, x, 3, seen));
  return DESTROY(&x, &program, &mesh);
}

CLAIM("a step term by term is the step", 3, of_stencils, of_operators, of_pairs)
