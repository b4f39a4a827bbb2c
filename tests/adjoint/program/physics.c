/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a program of a physics has its variables in its order, with units and locations, knows its
   largest step, and refuses variables that physics and stencils do not share, and walls of which
   nothing is stated and that a stencil reads across. */
#include "claim.h"
#include "refusal.h"
#include <halograd/boundary_library.h>
#include <halograd/heat.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/shallow_diagnostics_generated.h>
#include <halograd/shallow_dynamics_generated.h>
#include <halograd/shallow_friction_generated.h>
#include <halograd/shallow_water.h>
#include <halograd/state_library.h>
#include <halograd/unit_library.h>
#include <math.h>
#include <tracer.h>

static HgMeshSpec spec = {.nx = 12, .ny = 9, .dx = 0.5, .dy = 0.25};

/* Every variable of an input is one of the physics, and they come in its order. */
static PetscErrorCode in_order(const HgPhysics *physics, const void *params, HgMesh mesh) {
  HgProgram p;
  HgState x;
  int stated = -1;
  PetscCall(HgProgramCreatePhysics(mesh, physics, params, 1e-3, &p));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateInput(p, &x));
  for (int k = 0; k < HgStateCount(x); k++) {
    const HgVariable *v = HgStateVariable(x, k);
    const HgPhysicsVariable *found = NULL;
    for (int l = stated + 1; !found && physics->variables[l].name; l++)
      if (!strcmp(physics->variables[l].name, v->name)) found = &physics->variables[stated = l];
    claim_that(found != NULL, "%s: '%s' stands too early", physics->name, v->name);
    claim_that(found && !strcmp(found->unit, v->unit) && found->location == HgStateLocation(x, k),
               "%s: '%s' has another unit or location", physics->name, v->name);
  }
  return DESTROY(&x, &p);
}

static double corner(double x, double y, void *unused) {
  (void)unused;
  return 1 + x + y;
}

static PetscErrorCode largest_step(HgMesh mesh) {
  HgProgram p;
  HgState x;
  double dt;
  const double largest = 1 + (spec.nx - 1) * spec.dx + (spec.ny - 1) * spec.dy;
  PetscCall(HgProgramCreatePhysics(mesh, &hg_heat_physics, NULL, 1e-3, &p));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateInput(p, &x));
  PetscCall(HgStateSetField(x, "kappa", corner, NULL));
  PetscCall(HgProgramLargestStep(p, x, &dt));
  claim_same(dt, HgHeatLargestStep(largest, spec.dx, spec.dy), "the largest step");
  return DESTROY(&x, &p);
}

static double no_step(const void *params, double dx, double dy, double dz, const HgRange range[]) {
  (void)params, (void)dx, (void)dy, (void)dz, (void)range;
  return NAN;
}

/* What a physics itself says wrongly. */
static PetscErrorCode wrong_physics(HgMesh mesh) {
  HgPhysics twice = hg_heat_physics, endless = hg_heat_physics;
  HgProgram p;
  HgState x;
  double dt;
  twice.variables =
      (const HgPhysicsVariable[]){{"u", "K", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},
                                  {"u", "K", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)},
                                  {"kappa", "m^2/s", HG_CENTRE, HG_ALL_SIDES(HG_COPY, 0)},
                                  {.name = NULL}};
  REFUSED(HgProgramCreatePhysics(mesh, &twice, NULL, 1e-3, &p), "physics 'heat'",
          "'u' is stated twice");
  HgStencil one = hg_heat_forced, other = hg_heat_forced;
  HgPhysics two = hg_heat_forced_physics;
  one.params_name = "OneParams", other.params_name = "OtherParams", other.name = "other";
  two.stencils = (const HgStencil *const[]){&one, &other, NULL};
  REFUSED(HgProgramCreatePhysics(mesh, &two, &(HgHeatParams){1}, 1e-3, &p), "physics 'heat'",
          "'other' takes OtherParams, but 'heat_forced' takes OneParams");
  endless.largest_step = no_step;
  PetscCall(HgProgramCreatePhysics(mesh, &endless, NULL, 1e-3, &p));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateInput(p, &x));
  REFUSED(HgProgramLargestStep(p, x, &dt), "physics 'heat'", "nan s, expected a positive one");
  return DESTROY(&x, &p);
}

static PetscErrorCode refusals(HgMesh mesh) {
  HgPhysics less = hg_heat_physics, more = hg_heat_physics;
  HgProgram p;
  HgState x;
  double dt;
  less.variables =
      (const HgPhysicsVariable[]){{"u", "K", HG_CENTRE, HG_ALL_SIDES(HG_FIXED, 0)}, {.name = NULL}};
  REFUSED(HgProgramCreatePhysics(mesh, &less, NULL, 1e-3, &p), "physics 'heat'", "'kappa'",
          "none of its 1 variables");
  REFUSED(HgProgramCreatePhysics(mesh, &hg_heat_forced_physics, NULL, 1e-3, &p), "program 'heat'",
          "'heat' takes 8 bytes of params", "none were given");
  more.stencils = hg_heat_forced_physics.stencils;
  REFUSED(HgProgramCreatePhysics(mesh, &more, NULL, 1e-3, &p), "its params have 0 bytes",
          "'heat_forced' takes 8");
  more.stencils = (const HgStencil *const[]){&tracer, NULL};
  REFUSED(HgProgramCreatePhysics(mesh, &more, NULL, 1e-3, &p), "'c'");
  more = hg_heat_forced_physics, more.stencils = hg_heat_physics.stencils, more.params_size = 0;
  PetscCall(HgProgramCreatePhysics(mesh, &more, NULL, 1e-3, &p));
  REFUSED(HgProgramSetUp(p), "states a variable 'f'", "no stencil reads or writes");
  PetscCall(HgProgramDestroy(&p));
  PetscCall(HgProgramCreate(mesh, "by hand", 1e-3, &p));
  PetscCall(HgProgramAddStencil(p, &hg_heat, NULL));
  PetscCall(HgProgramSetBoundary(p, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateInput(p, &x));
  REFUSED(HgProgramLargestStep(p, x, &dt), "'by hand'", "needs a physics");
  return DESTROY(&x, &p);
}

/* What a .stencil says of units and locations, and the physics says otherwise. */
static PetscErrorCode stated_otherwise(MPI_Comm comm, HgMesh mesh) {
  static const HgStencil *const generated[] = {&hg_shallow_diagnostics_generated,
                                               &hg_shallow_dynamics_generated,
                                               &hg_shallow_friction_generated, NULL};
  const HgShallowWaterParams params = {.gravity = 9.81, .scheme.epsilon = 0.1};
  HgPhysicsVariable variables[32];
  HgPhysics water = hg_shallow_water_physics;
  HgProgram p;
  int q = -1;
  for (int k = 0; k == 0 || variables[k - 1].name; k++) {
    variables[k] = hg_shallow_water_variables[k];
    if (variables[k].name && !strcmp(variables[k].name, "q")) q = k;
  }
  water.stencils = generated, water.variables = variables;
  variables[q].unit = "s^-1/m";
  PetscCall(HgProgramCreatePhysics(mesh, &water, &params, 1e-3, &p));
  PetscCall(HgProgramDestroy(&p));
  variables[q].unit = "1/s";
  REFUSED(HgProgramCreatePhysics(mesh, &water, &params, 1e-3, &p), "'q' is in '1/s'",
          "'shallow_diagnostics' says '1/(m s)'");
  variables[q].unit = "1/(m s)", variables[q].location = HG_X_FACE;
  REFUSED(HgProgramCreatePhysics(mesh, &water, &params, 1e-3, &p), "'q' lives at the x face",
          "'shallow_diagnostics' says corner");
  return HgAgree(comm, p != NULL, HG_ERR_CHECK_FAILED, "claim broken: a program after its refusal");
}

/* A unit that is not said, and one that a .stencil says. */
static PetscErrorCode units(HgMesh mesh) {
  const HgPhysicsVariable variables[] = {
      {"u", .boundary = HG_ALL_SIDES(HG_FIXED, 0)}, {"kappa", .unit = ""}, {.name = NULL}};
  HgPhysics heat = hg_heat_physics;
  HgPhysicsVariable water[32];
  HgPhysics shallow = hg_shallow_water_physics;
  const HgShallowWaterParams params = {.gravity = 9.81, .scheme.epsilon = 0.1};
  HgProgram p;
  HgState x;
  heat.variables = variables;
  PetscCall(HgProgramCreatePhysics(mesh, &heat, NULL, 1e-3, &p));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateInput(p, &x));
  for (int k = 0; k < 2; k++)
    claim_that(!strcmp(HgStateVariable(x, k)->unit, "1"), "a unit not said is '%s'",
               HgStateVariable(x, k)->unit);
  PetscCall(DESTROY(&x, &p));
  shallow.stencils =
      (const HgStencil *const[]){&hg_shallow_diagnostics_generated, &hg_shallow_dynamics_generated,
                                 &hg_shallow_friction_generated, NULL};
  for (int k = 0; k == 0 || water[k - 1].name; k++)
    water[k] = hg_shallow_water_variables[k], water[k].unit = NULL;
  shallow.variables = water;
  PetscCall(HgProgramCreatePhysics(mesh, &shallow, &params, 1e-3, &p));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateInput(p, &x));
  for (int k = 0, at; hg_shallow_water_variables[k].name; k++)
    if ((at = HgStateFind(x, water[k].name)) >= 0)
      claim_that(HgUnitsEqual(HgStateVariable(x, at)->unit, hg_shallow_water_variables[k].unit),
                 "the unit of '%s' is '%s'", water[k].name, HgStateVariable(x, at)->unit);
  return DESTROY(&x, &p);
}

/* Only what is carried can be observed. */
static PetscErrorCode observable(HgMesh mesh) {
  const HgShallowWaterParams params = {.gravity = 9.81, .scheme.epsilon = 0.1};
  HgProgram p;
  int k;
  PetscCall(HgProgramCreatePhysics(mesh, &hg_shallow_water_physics, &params, 1e-3, &p));
  REFUSED(HgProgramFindCarried(p, "h", &k), "'h' is to be observed before HgProgramSetUp");
  PetscCall(HgProgramSetUp(p));
  REFUSED(HgProgramFindCarried(p, "F", &k), "'F' cannot be observed, as it is work",
          "every step recomputes it", "observe a carried field: h, u, v");
  REFUSED(HgProgramFindCarried(p, "nu", &k), "'nu' cannot be observed, as it is a constant");
  REFUSED(HgProgramFindCarried(p, "none", &k), "no variable 'none'");
  PetscCall(HgProgramFindCarried(p, "u", &k));
  claim_that(k == 1, "'u' is carried variable %d, expected 1", k);
  return HgProgramDestroy(&p);
}

/* ---- walls ---- */

/* u = 1 and kappa = 1 in flux form stay, to the bit, if no heat leaves through the walls. */
static PetscErrorCode no_flux(HgMesh mesh) {
  HgProgram p;
  HgState q, next, kappa;
  double least, largest;
  PetscCall(HgProgramCreatePhysics(mesh, &hg_heat_conservative_physics, NULL, 1e-3, &p));
  PetscCall(HgProgramSetBoundary(p, "u", HgBoundaryAll(HG_COPY, 0)));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgProgramCreateCarried(p, &next));
  PetscCall(HgProgramCreateConstants(p, &kappa));
  PetscCall(HgStateSetConstant(q, "u", 1));
  PetscCall(HgStateSetConstant(kappa, "kappa", 1));
  for (long n = 0; n < 50; n++) {
    PetscCall(HgProgramStep(p, n, kappa, q, next));
    HgStateSwap(q, next);
  }
  PetscCall(HgStateRange(q, "u", &least, &largest));
  claim_same(least, 1, "the least u after 50 steps between copied walls");
  claim_same(largest, 1, "the largest u");
  return DESTROY(&q, &next, &kappa, &p);
}

/* SetUp of heat with such sides of u; kappa says nothing. */
static PetscErrorCode set_up(const HgPhysics *like, HgBoundary u, bool periodic_x,
                             bool periodic_y) {
  const HgPhysicsVariable variables[] = {
      {"u", "K", HG_CENTRE, u}, {"kappa", .unit = "m^2/s"}, {.name = NULL}};
  HgPhysics physics = *like;
  HgMeshSpec s = spec;
  HgMesh mesh;
  HgProgram p;
  physics.variables = variables;
  s.periodic_x = periodic_x, s.periodic_y = periodic_y;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &s, &mesh));
  PetscCall(HgProgramCreatePhysics(mesh, &physics, NULL, 1e-3, &p));
  const PetscErrorCode ierr = HgProgramSetUp(p);
  PetscCall(DESTROY(&p, &mesh));
  return ierr;
}

static PetscErrorCode unstated_walls(HgMesh mesh) {
  const HgPhysics *const heat = &hg_heat_physics;
  const HgBoundary none = HgBoundaryAll(HG_UNSTATED, 0), fixed = HgBoundaryAll(HG_FIXED, 0);
  HgBoundary some = fixed;
  HgPhysics water = hg_shallow_water_physics;
  const HgShallowWaterParams params = {.gravity = 9.81, .scheme.epsilon = 0.1};
  HgPhysicsVariable variables[32];
  HgProgram p;
  some.east = (HgSide){.value = 3};
  REFUSED(set_up(heat, none, false, false), "program 'heat': stencil 'heat' reads 'u' across",
          "(west, east, south, north)", "mirror", "HgProgramSetBoundary()");
  REFUSED(set_up(heat, none, true, false), "'u' across", "(south, north)");
  REFUSED(set_up(heat, none, false, true), "'u' across", "(west, east)");
  REFUSED(set_up(heat, some, false, false), "'u' across", "(east)");
  PetscCall(set_up(heat, some, true, false));
  PetscCall(set_up(heat, none, true, true));
  PetscCall(set_up(heat, fixed, false, false)); /* kappa is read at the cell itself */
  REFUSED(set_up(&hg_heat_conservative_physics, fixed, false, false),
          "'heat_conservative' reads 'kappa' across");
  PetscCall(HgProgramCreate(mesh, "by hand", 1e-3, &p));
  PetscCall(HgProgramAddStencil(p, &hg_heat, NULL));
  REFUSED(HgProgramSetUp(p), "program 'by hand': stencil 'heat' reads 'u'");
  PetscCall(HgProgramDestroy(&p));
  for (int k = 0; k == 0 || variables[k - 1].name; k++) { /* work, which a later stencil reads */
    variables[k] = hg_shallow_water_variables[k];
    if (variables[k].name && !strcmp(variables[k].name, "q")) variables[k].boundary = none;
  }
  water.variables = variables;
  PetscCall(HgProgramCreatePhysics(mesh, &water, &params, 1e-3, &p));
  REFUSED(HgProgramSetUp(p), "'shallow_dynamics' reads 'q' across");
  PetscCall(HgProgramDestroy(&p));
  REFUSED(HgBoundaryCheck(mesh, &some, false, 1, "u"), "in the east: it is not stated");
  return 0;
}

static double slope(double x, double y, void *unused) {
  (void)unused;
  return 0.2 + 0.02 * x + 0.03 * y;
}

/* Digests of u after ten steps, and of all cotangents of a step: walls that are not read across
   change none, whatever they are. */
static PetscErrorCode unread_walls(HgMesh mesh, HgSideKind kappa, char digest[2][17]) {
  HgProgram p;
  HgOperator op;
  HgState x, y, x_bar;
  PetscCall(HgProgramCreatePhysics(mesh, &hg_heat_physics, NULL, 1e-3, &p));
  PetscCall(HgProgramSetBoundary(p, "kappa", HgBoundaryAll(kappa, 0)));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramOperator(p, 0, &op));
  PetscCall(HgOperatorCreateInput(op, &x));
  PetscCall(HgOperatorCreateInput(op, &x_bar));
  PetscCall(HgOperatorCreateOutput(op, &y));
  PetscCall(HgStateRandom(x, 1));
  PetscCall(HgStateSetField(x, "kappa", slope, NULL));
  PetscCall(HgOperatorApply(op, x, y));
  PetscCall(HgOperatorAdjoint(op, x, y, x_bar));
  PetscCall(HgStateDigest(y, NULL, digest[0]));
  PetscCall(HgStateDigest(x_bar, NULL, digest[1]));
  return DESTROY(&x, &y, &x_bar, &op, &p);
}

static PetscErrorCode walls(HgMesh mesh) {
  char unstated[2][17], copied[2][17];
  PetscCall(unstated_walls(mesh));
  PetscCall(no_flux(mesh));
  PetscCall(unread_walls(mesh, HG_UNSTATED, unstated));
  PetscCall(unread_walls(mesh, HG_COPY, copied));
  claim_that(!strcmp(unstated[0], copied[0]) && !strcmp(unstated[1], copied[1]),
             "walls of kappa not stated: %s %s, copied: %s %s", unstated[0], unstated[1], copied[0],
             copied[1]);
  return 0;
}

static PetscErrorCode test(void) {
  const HgHeatParams heat = {.decay = 1};
  const HgShallowWaterParams shallow = {.gravity = 9.81, .scheme.epsilon = 0.1};
  HgMesh mesh;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(in_order(&hg_heat_physics, NULL, mesh));
  PetscCall(in_order(&hg_heat_forced_physics, &heat, mesh));
  PetscCall(in_order(&tracer_physics, NULL, mesh));
  PetscCall(in_order(&hg_shallow_water_physics, &shallow, mesh));
  PetscCall(in_order(&hg_shallow_surface_physics, &shallow, mesh));
  PetscCall(in_order(&hg_shallow_reference_physics, &shallow, mesh));
  PetscCall(largest_step(mesh));
  PetscCall(walls(mesh));
  PetscCall(units(mesh));
  PetscCall(observable(mesh));
  PetscCall(refusals(mesh));
  PetscCall(wrong_physics(mesh));
  PetscCall(stated_otherwise(PETSC_COMM_WORLD, mesh));
  return HgMeshDestroy(&mesh);
}

CLAIM("a program of a physics is what it states", 0, test)
