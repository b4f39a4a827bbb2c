/* SPDX-License-Identifier: BSD-2-Clause */
/* Planted errors in the composition are caught by the dot product: forgotten exchange, wrong
   boundary, a step too few, a wrong constant. */
#include "heat_case.h"
#include "wrong_adjoint.h"

/* The same step by a program that differs in one thing; `mesh` is shared so that states fit. */
static PetscErrorCode other_program(const HeatCase *c, const HgStencil *stencil, HgBoundary u,
                                    double dt, HgProgram *program, HgOperator *op) {
  PetscCall(HgProgramCreate(c->mesh, "other", dt, program));
  PetscCall(HgProgramAddStencil(*program, stencil, &c->params));
  PetscCall(HgProgramSetBoundary(*program, "u", u));
  PetscCall(HgProgramSetBoundary(*program, "kappa", HgBoundaryAll(HG_COPY, 0)));
  PetscCall(HgProgramSetUnit(*program, "u", "K"));
  PetscCall(HgProgramSetUp(*program));
  return HgProgramOperator(*program, 0, op);
}

static PetscErrorCode with_step(const HeatCase *c, const char what[], const HgStencil *stencil,
                                HgBoundary u, double dt, bool caught) {
  HgProgram program;
  HgOperator right, wrong;
  PetscCall(HgProgramOperator(c->program, 0, &right));
  PetscCall(other_program(c, stencil, u, dt, &program, &wrong));
  PetscCall(claim_caught(what, right, wrong, c->x, caught));
  return DESTROY(&wrong, &right, &program);
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  const HeatSpec spec = {.nx = 12, .ny = 20, .steps = 6, .walls = WALLS_INSULATED, .slots = 2};
  HeatCase c;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  const HgBoundary right = heat_walls(WALLS_INSULATED);
  PetscCall(with_step(&c, "nothing planted", &hg_heat_forced, right, HgProgramTimeStep(c.program),
                      false));
  PetscCall(with_step(&c, "wrong boundary", &hg_heat_forced, heat_walls(WALLS_FIXED),
                      HgProgramTimeStep(c.program), true));
  HgBoundary one_side = right;
  one_side.north.value = -1;
  PetscCall(with_step(&c, "wrong sign at one wall", &hg_heat_forced, one_side,
                      HgProgramTimeStep(c.program), true));
  PetscCall(with_step(&c, "another time step", &hg_heat_forced, right,
                      0.99 * HgProgramTimeStep(c.program), true));
  /* The adjoint reads kappa of the neighbours: a stencil that does not say so gets no exchange of
     it. */
  HgRead reads[4] = {
      hg_heat_forced.reads[0], hg_heat_forced.reads[1], hg_heat_forced.reads[2], {NULL, 0, 0}};
  reads[1].adjoint_radius = 0;
  HgStencil forgetful = hg_heat_forced;
  forgetful.reads = reads;
  PetscCall(with_step(&c, "forgotten exchange of kappa", &forgetful, right,
                      HgProgramTimeStep(c.program), size > 1));
  /* One step fewer in the reverse. */
  HeatSpec shorter = spec;
  HeatCase d;
  shorter.steps--;
  PetscCall(heat_create(PETSC_COMM_WORLD, &shorter, &d));
  PetscCall(DESTROY(&d.x, &d.op));
  HgTrajectory short_trajectory;
  HgObjective objective;
  HgOperator wrong;
  PetscCall(HgObjectiveCreate(c.program, shorter.steps, &objective));
  PetscCall(HgObjectiveAddSensors(objective, d.sensors));
  PetscCall(HgTrajectoryCreate(c.program, shorter.steps, objective, c.store, &short_trajectory));
  PetscCall(HgTrajectoryOperator(short_trajectory, &wrong));
  PetscCall(claim_caught("a step too few", c.op, wrong, c.x, true));
  PetscCall(DESTROY(&wrong, &short_trajectory, &objective));
  PetscCall(heat_destroy(&d));
  return heat_destroy(&c);
}

CLAIM("planted errors in the composition are caught", 5, test)
