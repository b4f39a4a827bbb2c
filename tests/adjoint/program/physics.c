/* Claim: a program of a physics has its variables in its order, with units and locations, knows its
   largest step, and refuses variables that physics and stencils do not share. */
#include "claim.h"
#include "refusal.h"
#include <halograd/advection_diffusion.h>
#include <halograd/heat.h>
#include <halograd/program.h>
#include <halograd/shallow_energy_generated.h>
#include <halograd/shallow_fluxes_generated.h>
#include <halograd/shallow_friction_generated.h>
#include <halograd/shallow_mass_generated.h>
#include <halograd/shallow_momentum_generated.h>
#include <halograd/shallow_vorticity_generated.h>
#include <halograd/shallow_water.h>
#include <math.h>

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
  PetscCall(HgStateDestroy(&x));
  return HgProgramDestroy(&p);
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
  PetscCall(HgStateDestroy(&x));
  return HgProgramDestroy(&p);
}

static double no_step(const void *params, double dx, double dy, const HgRange range[]) {
  (void)params, (void)dx, (void)dy, (void)range;
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
  PetscCall(HgStateDestroy(&x));
  return HgProgramDestroy(&p);
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
  REFUSED(HgProgramCreatePhysics(mesh, &hg_heat_forced_physics, NULL, 1e-3, &p), "physics 'heat'",
          "takes 8 bytes of params", "none were given");
  more.stencils = hg_heat_forced_physics.stencils;
  REFUSED(HgProgramCreatePhysics(mesh, &more, NULL, 1e-3, &p), "its params have 0 bytes",
          "'heat_forced' takes 8");
  more.stencils = (const HgStencil *const[]){&hg_advection_diffusion, NULL};
  REFUSED(HgProgramCreatePhysics(mesh, &more, NULL, 1e-3, &p), "'c'");
  more = hg_heat_forced_physics, more.stencils = hg_heat_physics.stencils, more.params_size = 0;
  PetscCall(HgProgramCreatePhysics(mesh, &more, NULL, 1e-3, &p));
  REFUSED(HgProgramSetUp(p), "states a variable 'f'", "no stencil reads or writes");
  PetscCall(HgProgramDestroy(&p));
  PetscCall(HgProgramCreate(mesh, "by hand", 1e-3, &p));
  PetscCall(HgProgramAddStencil(p, &hg_heat, NULL));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateInput(p, &x));
  REFUSED(HgProgramLargestStep(p, x, &dt), "'by hand'", "program of a physics");
  PetscCall(HgStateDestroy(&x));
  return HgProgramDestroy(&p);
}

/* What a .stencil says of units and locations, and the physics says otherwise. */
static PetscErrorCode stated_otherwise(MPI_Comm comm, HgMesh mesh) {
  static const HgStencil *const generated[] = {&hg_shallow_vorticity_generated,
                                               &hg_shallow_energy_generated,
                                               &hg_shallow_fluxes_generated,
                                               &hg_shallow_momentum_generated,
                                               &hg_shallow_mass_generated,
                                               &hg_shallow_friction_generated,
                                               NULL};
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
          "'shallow_vorticity' says '1/(m s)'");
  variables[q].unit = "1/(m s)", variables[q].location = HG_X_FACE;
  REFUSED(HgProgramCreatePhysics(mesh, &water, &params, 1e-3, &p), "'q' lives at the x face",
          "'shallow_vorticity' says corner");
  return HgAgree(comm, p != NULL, "claim broken: a program after its refusal");
}

static PetscErrorCode test(void) {
  const HgHeatParams heat = {.decay = 1};
  const HgShallowWaterParams shallow = {.gravity = 9.81, .scheme.epsilon = 0.1};
  HgMesh mesh;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(in_order(&hg_heat_physics, NULL, mesh));
  PetscCall(in_order(&hg_heat_forced_physics, &heat, mesh));
  PetscCall(in_order(&hg_tracer_physics, NULL, mesh));
  PetscCall(in_order(&hg_shallow_water_physics, &shallow, mesh));
  PetscCall(in_order(&hg_shallow_surface_physics, &shallow, mesh));
  PetscCall(in_order(&hg_shallow_reference_physics, &shallow, mesh));
  PetscCall(largest_step(mesh));
  PetscCall(refusals(mesh));
  PetscCall(wrong_physics(mesh));
  PetscCall(stated_otherwise(PETSC_COMM_WORLD, mesh));
  return HgMeshDestroy(&mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  claim_begin("a program of a physics is what it states", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
