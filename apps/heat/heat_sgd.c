/* heat_sgd: learns the diffusivity of a plate from many experiments, on groups of ranks.

     minimise J(m) = sum_e J_e(m) + R(m),  J_e = 1/2 sum ((u_e(x_k, t_n; kappa(m)) - d_ekn) / sigma)^2
     subject to u_t = kappa lap(u) + exp(-decay t) f_e,  u = 0 at t = 0,  f_e a lamp at place e

   with mini-batches, synchronously or asynchronously, or with L-BFGS on all of them. Without
   -observations FILES this is a twin experiment: the data come from the same equation on a mesh
   twice as fine, with noise.

   Sample runs:
     mpirun -n 4 heat_sgd
     mpirun -n 16 heat_sgd -experiments 4 -method sync -batch 2 -check -digest
     mpirun -n 4 heat_sgd -method lbfgs -save_observations 'lamp-%d.h5'
     mpirun -n 6 heat_sgd -method async -groups 2 -max_staleness 1 -observations 'lamp-%d.h5' */
#include "lamps.h"
#include "learning.h"
#include <halograd/picture.h>
#include <halograd/results.h>
#include <math.h>

static PetscErrorCode heat_sgd(void) {
  HgRun run;
  Heat heat;
  HgCommon common = {.nx = 24, .ny = 24, .slots = 400, .output = "output/heat_sgd"};
  Lamps lamps = {
      .count = 16,
      .sensors = 8,
      .times = 10,
      .noise = 0.01,
      .seed = 1,
      .spec = {.coarse = {8, 8}, .net = {.layers = 3, .width = {20, 20, 20}}, .seed = 1}};
  Learning learning = {.way = LEARN_WAYS,
                       .batch = 4,
                       .epochs = 30,
                       .step = {HG_ADAM, 0.03, 0, 0.9, 0.999, 1e-8},
                       .max_staleness = HG_UNBOUNDED,
                       .patience = 60,
                       .inverse = {.h1 = 30, .tolerance = 1e-3, .iterations = 30}};
  bool stop, passed = true;
  /* 1. Options; groups of ranks; in each a mesh and a program. */
  PetscCall(HgRunCreate("heat_sgd", "learns a diffusivity from many experiments", &run));
  PetscCall(HeatOptions(run, &heat));
  PetscCall(LampsOptions(run, &lamps));
  PetscCall(LearningOptions(run, &learning));
  PetscCall(HgRunCommon(run, &common, &stop));
  if (stop) return HgRunDestroy(&run);
  PetscCall(LampsSplit(run, &common, &lamps));
  learning.all = lamps.all, learning.alone = lamps.alone;
  PetscCall(LearningCheck(run, &learning, lamps.count));
  PetscCall(HeatCreate(run, &common, &heat));
  /* 2. Observations, and the misfit J_e(m) of each experiment. */
  PetscCall(LampsObserve(&common, &heat, &lamps));
  PetscCall(LampsCreate(run, &common, &learning.inverse, &heat, &lamps));
  /* 3. J(m) = sum_e J_e(m) + R(m), over all groups and, for asynchronous workers, in one. */
  const HeatControl *control = &lamps.control[0];
  const HgOperator R = control->regularisation;
  PetscCall(HgOperatorSum("J", R ? 2 : 1, (HgOperator[]){lamps.sum, R}, &learning.J));
  PetscCall(HgOperatorSum("own J", R ? 2 : 1, (HgOperator[]){lamps.own, R}, &learning.own));
  learning.control = control->name, learning.seed = (uint64_t)lamps.seed;
  learning.lowest = control->lowest, learning.highest = control->highest;
  /* 4. Checks of the application's own operators. */
  if (common.check) {
    PetscCall(HgRunCheckProgram(run, heat.program, heat.x, common.steps, &passed));
    PetscCall(HgRunCheck(run, lamps.part[0], control->m, 1e-11, &passed));
    PetscCall(HgRunCheck(run, lamps.sum, control->m, 1e-11, &passed));
    PetscCall(HgRunCheck(run, learning.J, control->m, 1e-11, &passed));
  }
  HgRequire(PETSC_COMM_WORLD, passed, "heat_sgd: a check failed, see above");
  /* 5. Learning, one way after another from the same first guess; the loss along each way. */
  const bool first_group = HgExperimentsGroup(lamps.all) == 0;
  HgState m, best, truth, x;
  HgResults results;
  double J = INFINITY;
  PetscCall(HgStateDuplicate(control->m, &m));
  PetscCall(HgStateDuplicate(control->m, &best));
  PetscCall(HgStateDuplicate(heat.x, &truth));
  PetscCall(HgStateDuplicate(heat.x, &x));
  PetscCall(HgStateSetField(truth, "kappa", heat.which->kappa, NULL));
  for (int way = 0; way < LEARN_WAYS; way++) {
    if (learning.way != way && learning.way != LEARN_WAYS) continue;
    PetscCall(HgStateCopy(control->m, m));
    PetscCall(LearningRun(run, (LearningWay)way, &learning, m));
    if (learning.report.lost) { /* MPI cannot go on: what was found is kept */
      PetscCall(LearningLog(&learning, common.output));
      PetscCall(HgResultsCreate(heat.mesh, common.output, "heat_sgd", heat.which->text, &results));
      PetscCall(HgResultsWriteConstant(results, m, control->name, NULL, "control found"));
      PetscCall(HgResultsClose(&results));
      return HgServerAbandon(lamps.all, &learning.report);
    }
    PetscCall(LearningLosses(run, (LearningWay)way, &learning));
    const LearningCurve *curve = &learning.curve[way];
    if (curve->J[curve->count - 1] >= J) continue;
    J = curve->J[curve->count - 1];
    PetscCall(HgStateCopy(m, best));
  }
  /* 6. What was found, by the way that came lowest. */
  HgState gradient;
  double start, end;
  PetscCall(HgOperatorCreateGradient(learning.J, &gradient));
  PetscCall(HgOperatorApply(control->op, control->m, x));
  PetscCall(HgStateRelativeError(x, truth, "kappa", &start));
  PetscCall(HgOperatorApply(control->op, best, x));
  PetscCall(HgStateRelativeError(x, truth, "kappa", &end));
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "error %.4f -> %.4f (first guess -> found)\n", start, end));
  PetscCall(HgReportSetReal(HgRunReport(run), "error_start", start));
  PetscCall(HgReportSetReal(HgRunReport(run), "error_end", end));
  PetscCall(HgOperatorGradient(learning.J, best, &J, gradient));
  PetscCall(HgRunDigest(run, J, gradient, best, common.digest));
  PetscCall(HgRunCost(run, lamps.trajectory[HgExperimentsGroup(lamps.all)]));
  /* 7. Results and picture by the first group, run.json. */
  HgCurve curves[2][LEARN_WAYS];
  const int count = LearningCurves(&learning, curves[0], curves[1]);
  const HgPanel loss = {.title = "J above the lowest", .log_y = true, .curves = count},
                kappa = {
                    .title = "hidden", .state = truth, .field = "kappa", .low = 0.4, .high = 2.1};
  HgPanel panels[4] = {kappa, kappa, loss, loss};
  panels[1].title = "found", panels[1].state = x;
  panels[2].x_label = "seconds", panels[2].curve = curves[0];
  panels[3].x_label = "gradients of one experiment", panels[3].curve = curves[1];
  PetscErrorCode ierr = 0;
  if (first_group) {
    PetscCall(HgResultsCreate(heat.mesh, common.output, "heat_sgd", heat.which->text, &results));
    PetscCall(HgResultsWriteConstant(results, x, "kappa", NULL, "diffusivity found"));
    PetscCall(HgResultsWriteConstant(results, truth, "kappa", "kappa_truth", "hidden diffusivity"));
    PetscCall(HgResultsClose(&results));
    ierr = HgPictureWrite(HgRunComm(run), common.output, "heat_sgd", 4, panels);
    if (!ierr) ierr = LearningLog(&learning, common.output);
  }
  PetscCall(HgExperimentsTell(lamps.all, ierr));
  PetscCall(HgRunFinish(run, &common, "completed"));
  /* 8. The end. */
  HgState *const states[] = {&m, &best, &truth, &x, &gradient};
  for (int k = 0; k < 5; k++) PetscCall(HgStateDestroy(states[k]));
  HgOperator *const operators[] = {&learning.J, &learning.own};
  for (int k = 0; k < 2; k++) PetscCall(HgOperatorDestroy(operators[k]));
  PetscCall(LearningDestroy(&learning));
  PetscCall(LampsDestroy(&lamps));
  PetscCall(HeatDestroy(&heat));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(
      &argc, &argv, "heat_sgd: learns a diffusivity from many experiments, on groups of ranks\n");
  if (!ierr) ierr = heat_sgd();
  return HgFinalize(ierr);
}
