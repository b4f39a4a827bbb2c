/* SPDX-License-Identifier: BSD-2-Clause */
/* What the doctor says of a small gradient of -case NAME, for scripts that link this with a source
   that has an error in it: J, dJ along a direction and the digest of the gradient, then a line for
   each finding, with its parts between bars. No claim by itself. */
#include "heat_case.h"
#include "many_heats.h"
#include "shallow_case.h"
#include "strangers.h"
#include "trajectory_case.h"
#include <halograd/control.h>
#include <halograd/control_library.h>
#include <halograd/state_library.h>
#include <tracer.h>

enum { NX = 18, NY = 15, STEPS = 7, SLOTS = 3, EXPERIMENTS = 4 };

static const char *const kinds[HG_CHECKS] = {[HG_CHECK_DECLARATION] = "declaration",
                                             [HG_CHECK_INPUTS] = "inputs",
                                             [HG_CHECK_FINITE] = "finite",
                                             [HG_CHECK_RADIUS] = "radius",
                                             [HG_CHECK_CUT] = "cut",
                                             [HG_CHECK_PURE] = "pure",
                                             [HG_CHECK_INDEX] = "index",
                                             [HG_CHECK_STATIC] = "static",
                                             [HG_CHECK_TAYLOR] = "tangent",
                                             [HG_CHECK_DOT] = "adjoint",
                                             [HG_CHECK_ADDS] = "adds",
                                             [HG_CHECK_FRESH] = "fresh",
                                             [HG_CHECK_KINK] = "kink",
                                             [HG_CHECK_THREADS] = "threads",
                                             [HG_CHECK_REPEAT] = "repeat",
                                             [HG_CHECK_SWEEP] = "sweep",
                                             [HG_CHECK_OBJECTIVE] = "objective",
                                             [HG_CHECK_SUM] = "sum",
                                             [HG_CHECK_CONTROL] = "control"};

static PetscErrorCode print_bits(HgOperator J, HgState m) {
  HgState gradient, dm, dJ;
  double value;
  char digest[17];
  PetscCall(HgOperatorCreateInput(J, &gradient));
  PetscCall(HgOperatorCreateInput(J, &dm));
  PetscCall(HgOperatorCreateOutput(J, &dJ));
  PetscCall(HgStateRandom(dm, 3));
  PetscCall(HgOperatorGradient(J, m, &value, gradient));
  PetscCall(HgOperatorTangent(J, m, dm, dJ));
  PetscCall(HgStateDigest(gradient, NULL, digest));
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "bits %a %a %s\n", value, HgStateArray(dJ, 0)[0], digest));
  return HgStatesDestroy(&gradient, &dm, &dJ);
}

static PetscErrorCode examine(HgOperator J, HgState m) {
  HgFindings r;
  char text[1024];
  PetscCall(print_bits(J, m));
  PetscCall(HgExamineGradient(J, m, NULL, &r));
  for (int k = 0; k < r.findings; k++) {
    const HgFinding *f = &r.finding[k];
    HgFindingText(f, sizeof text, text);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "found|%s|%ld|%s|%s|%s|%s|%d|%d|%d|%s\n",
                          kinds[f->check], f->step, f->within, f->part, f->read, f->write,
                          (int)f->place, f->i, f->j, text));
  }
  return PetscPrintf(PETSC_COMM_WORLD, "done\n");
}

/* ---- cases ---- */
static PetscErrorCode heat(const HeatSpec *spec) {
  HeatCase c;
  PetscCall(heat_create(PETSC_COMM_WORLD, spec, &c));
  PetscCall(examine(c.op, c.x));
  return heat_destroy(&c);
}

static PetscErrorCode shallow(const ShallowSpec *spec) {
  ShallowCase c;
  PetscCall(shallow_create(PETSC_COMM_WORLD, spec, &c));
  PetscCall(examine(c.op, c.x));
  return shallow_destroy(&c);
}

static PetscErrorCode drift(void) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 0.2, .dy = 0.2, .periodic_x = true};
  TrajectoryCase c;
  HgOperator op;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c.mesh));
  PetscCall(HgProgramCreatePhysics(c.mesh, &tracer_physics, NULL, 1e-3, &c.program));
  PetscCall(trajectory_case_begin(STEPS, SLOTS, &c));
  static const char *const names[] = {"c", "vx", "vy", "D"};
  for (int k = 0; k < 4; k++) PetscCall(HgStateSetField(c.x, names[k], k % 2 ? hill : wave, NULL));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "c", STEPS, c.data, 1));
  PetscCall(trajectory_case_end(&c));
  PetscCall(HgTrajectoryOperator(c.trajectory, &op));
  PetscCall(examine(op, c.x));
  PetscCall(HgOperatorDestroy(&op));
  return trajectory_case_destroy(&c);
}

/* J(m) = misfit(u = net, kappa = exp(m), f = coarse) + R(m) */
static PetscErrorCode controls(const HeatSpec *spec) {
  const HgNetSpec net = {.layers = 2, .width = {5, 4}, .output = HgPointwiseExp};
  HeatCase c;
  HgOperator p[3], x, misfit, R, both[2], J;
  HgState m;
  PetscCall(heat_create(PETSC_COMM_WORLD, spec, &c));
  PetscCall(HgParametrisationNet(c.mesh, "theta", "u", "K", &net, &p[0]));
  PetscCall(HgParametrisationLog(c.mesh, "m", "kappa", "1", &p[1]));
  PetscCall(HgParametrisationCoarse(c.mesh, "nodes", "f", "1", 4, 3, &p[2]));
  PetscCall(HgControlCreate(c.x, 3, (HgControl[]){{"u", p[0]}, {"kappa", p[1]}, {"f", p[2]}}, &x));
  PetscCall(HgOperatorCreateInput(x, &m));
  PetscCall(HgStateRandom(m, 5));
  PetscCall(HgStateScale(m, 0.3));
  PetscCall(HgOperatorChain("misfit of m", 2, (HgOperator[]){x, c.op}, &misfit));
  PetscCall(HgRegularisationCreate(m, &(HgRegularisation){"m", 3, 2, 0.1, NULL}, &R));
  both[0] = misfit, both[1] = R;
  PetscCall(HgOperatorSum("J", 2, both, &J));
  PetscCall(examine(J, m));
  PetscCall(DESTROY(&p[0], &p[1], &p[2], &x, &misfit, &R, &J, &m));
  return heat_destroy(&c);
}

static PetscErrorCode experiments(void) {
  ManyHeats h;
  HgState m;
  int ranks;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  PetscCall(many_create(PETSC_COMM_WORLD, EXPERIMENTS, ranks > 1 ? 2 : 1, 0, 0, &h));
  PetscCall(HgOperatorCreateInput(h.J, &m));
  PetscCall(HgStateRandom(m, 5));
  PetscCall(examine(h.J, m));
  PetscCall(HgStateDestroy(&m));
  return many_destroy(&h);
}

static PetscErrorCode run(void) {
  HeatSpec h = {.nx = NX, .ny = NY, .steps = STEPS, .walls = WALLS_MIXED, .slots = SLOTS};
  ShallowSpec s = {.nx = NX, .ny = NY, .steps = STEPS, .slots = SLOTS};
  char name[32] = "heat";
  h.snapshot = true, h.ghost = 2;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case", name, sizeof name, NULL));
  if (!strcmp(name, "controls")) return controls(&h);
  if (!strcmp(name, "experiments")) return experiments();
  if (!strcmp(name, "tracer")) return drift();
  if (!strcmp(name, "gray-scott")) return stranger_gray_scott(examine);
  if (!strcmp(name, "wave")) return stranger_wave(examine);
  s.reference = !strcmp(name, "reference"), s.reflecting = !strcmp(name, "reflecting");
  s.periodic_x = s.reference;
  if (s.reference || s.reflecting || !strcmp(name, "shallow")) return shallow(&s);
  h.conservative = !strcmp(name, "conservative"), h.periodic_x = !strcmp(name, "periodic");
  if (h.conservative) h.walls = WALLS_INSULATED;
  return heat(&h);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
