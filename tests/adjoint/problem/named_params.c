/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: numbers and tables of a physics that are given by name make the params that a struct of
   the caller's makes, with a table's entries at the times of the steps; one that is not given, or
   given as something else, is refused by name. */
#include "claim.h"
#include "refusal.h"
#include <halograd/heat.h>
#include <halograd/problem_library.h>
#include <halograd/program_library.h>
#include <math.h>

/* Heat, whose stencil takes the first of these; nobody reads the table. */
typedef struct {
  HgHeatParams heat;
  const double *w;
  long count;
} Params;

static const HgPhysicsTable tables[] = {{"w", "1", offsetof(Params, w), offsetof(Params, count)},
                                        {.name = NULL}};
static const HgMeshSpec spec = {.dx = 0.1, .dy = 0.1};

static double wave(double t) { return 3 + cos(100 * t); }

static double first(double x, double y) { return 1 + x * y; }

static PetscErrorCode model_of(HgRun run, const HgCommon *common, const void *params, HgGiven decay,
                               HgGiven w, HgModel *model) {
  static HgPhysics physics;
  const HgGiven given[] = {
      {"u", .field = first}, {"kappa", .value = 1}, {"f", .value = 2}, decay, w,
      {.variable = NULL}};
  physics = hg_heat_forced_physics;
  physics.params_size = sizeof(Params), physics.tables = tables;
  return HgModelCreate(run, common, &spec, &physics, params, given, model);
}

static PetscErrorCode after_a_step(const HgModel *m, char digest[17]) {
  HgState q, next, constants;
  PetscCall(HgProgramCreateCarried(m->program, &q));
  PetscCall(HgProgramCreateCarried(m->program, &next));
  PetscCall(HgProgramCreateConstants(m->program, &constants));
  PetscCall(HgProgramSplit(m->program, m->x, q, constants));
  PetscCall(HgProgramStep(m->program, 7, constants, q, next));
  PetscCall(HgStateDigest(next, NULL, digest));
  return HgStatesDestroy(&q, &next, &constants);
}

static PetscErrorCode same_as_a_struct(HgRun run, const HgCommon *common) {
  const HgGiven decay = {"decay", .value = 40}, w = {"w", .time = wave}, none = {.variable = NULL};
  const Params by_hand = {.heat = {.decay = 40}};
  HgModel named, handed;
  char digest[2][17];
  PetscCall(model_of(run, common, NULL, decay, w, &named));
  PetscCall(model_of(run, common, &by_hand, none, none, &handed));
  PetscCall(after_a_step(&named, digest[0]));
  PetscCall(after_a_step(&handed, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]), "%s by name, %s by struct", digest[0], digest[1]);
  const Params *p = named.params;
  claim_that(p->count == common->steps + 1, "%ld entries", p->count);
  for (int n = 0; n <= common->steps; n += common->steps / 2)
    claim_same(p->w[n], wave(n * common->dt), "an entry");
  claim_that(!handed.params, "a struct of the caller's is not copied by the model");
  PetscCall(HgModelDestroy(&named));
  return HgModelDestroy(&handed);
}

static PetscErrorCode refusals(HgRun run, const HgCommon *common) {
  const HgGiven decay = {"decay", .value = 40}, w = {"w", .time = wave}, none = {.variable = NULL};
  HgModel m;
  REFUSED(model_of(run, common, NULL, none, none, &m), "physics 'heat'", "number 'decay'",
          "not given");
  REFUSED(model_of(run, common, NULL, decay, none, &m), "table 'w'", "not given");
  REFUSED(model_of(run, common, NULL, decay, (HgGiven){"w", .value = 3}, &m), "given 'w'", ".time");
  REFUSED(model_of(run, common, NULL, (HgGiven){"decay", .time = wave}, w, &m), "given 'decay'",
          ".value");
  REFUSED(model_of(run, common, NULL, (HgGiven){"decay", .field = first}, w, &m), "given 'decay'",
          ".value");
  REFUSED(model_of(run, common, NULL, (HgGiven){"decay", .value = 1, .most = 2}, w, &m),
          "given 'decay'");
  const HgGiven given[] = {{"u", .time = wave}, {.variable = NULL}};
  REFUSED(HgModelCreate(run, common, &spec, &hg_heat_physics, NULL, given, &m), "given 'u'",
          "a table of the physics");
  return 0;
}

static PetscErrorCode test(void) {
  const HgCommon common = {.nx = 12, .ny = 10, .dt = 1e-3, .steps = 20, .slots = 5};
  HgRun run;
  PetscCall(HgRunCreate("named_params", "a test", &run));
  PetscCall(same_as_a_struct(run, &common));
  PetscCall(refusals(run, &common));
  return HgRunDestroy(&run);
}

CLAIM("numbers and tables that are given by name make the params", 0, test)
