/* SPDX-License-Identifier: BSD-2-Clause */
/* heat_sgd: learns the diffusivity of a plate from many experiments, on groups of ranks.

     minimise J(m) = sum_e J_e(m) + R(m)
              J_e = 1/2 sum ((u_e(x_k, t_n; kappa(m)) - d_ekn) / sigma)^2
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
#include <halograd/results.h>
#include <math.h>

/* Some workers were given up, and MPI cannot go on: what was found is kept. */
static PetscErrorCode keep(const Learning *learning, HgState m) {
  const HgCommon *common = learning->keeper;
  HgResults results;
  PetscCall(LearningLog(learning, common->output));
  PetscCall(HgResultsCreate(HgStateMesh(m), common->output, "heat_sgd",
                            "found before workers were given up", &results));
  PetscCall(HgResultsWriteConstant(results, m, learning->control, NULL, "control found"));
  return HgResultsClose(&results);
}

/* Results, and a picture: kappa hidden and found, losses by seconds and by gradients. Collective on
   a group of ranks. */
static PetscErrorCode show(HgRun run, const HgCommon *common, const Heat *heat, Learning *learning,
                           HgState truth) {
  HgResults results;
  HgCurve curves[2][LEARN_WAYS];
  const int count = LearningCurves(learning, curves[0], curves[1]);
  const HgPanel loss = {.title = "J above the lowest", .log_y = true, .curves = count},
                kappa = {
                    .title = "hidden", .state = truth, .field = "kappa", .low = 0.4, .high = 2.1};
  HgPanel panels[4] = {kappa, kappa, loss, loss};
  panels[1].title = "found", panels[1].state = heat->x;
  panels[2].x_label = "seconds", panels[2].curve = curves[0];
  panels[3].x_label = "gradients of one experiment", panels[3].curve = curves[1];
  PetscCall(HgResultsCreate(heat->mesh, common->output, "heat_sgd", heat->which->text, &results));
  PetscCall(HgResultsWriteConstant(results, heat->x, "kappa", NULL, "diffusivity found"));
  PetscCall(HgResultsWriteConstant(results, truth, "kappa", "kappa_truth", "hidden diffusivity"));
  PetscCall(HgResultsClose(&results));
  PetscCall(HgPictureWrite(HgRunComm(run), common->output, "heat_sgd", 4, panels));
  return LearningLog(learning, common->output);
}

/* x = x(m); how far its kappa is from the hidden one. */
static PetscErrorCode error_of(HgProblem problem, HgState m, HgState truth, HgState x,
                               double *error) {
  PetscCall(HgOperatorApply(HgProblemGet(problem).input, m, x));
  return HgStateRelativeError(x, truth, "kappa", error);
}

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
                       .inverse = {.h1 = 30, .tolerance = 1e-3, .iterations = 30, .posterior = -1}};

  /* 1. Options; groups of ranks; in each a mesh and a program. */
  PetscCall(HgRunCreate("heat_sgd", "learns a diffusivity from many experiments", &run));
  PetscCall(HeatOptions(run, &heat));
  PetscCall(LampsOptions(run, &lamps));
  PetscCall(LearningOptions(run, &learning));
  PetscCall(HgRunCommon(run, &common));
  PetscCall(LampsSplit(run, &common, &lamps));
  learning.all = lamps.all, learning.alone = lamps.alone, learning.seed = (uint64_t)lamps.seed;
  learning.experiments = lamps.count, learning.keep = keep, learning.keeper = &common;
  if (!HgOptionsGiven(HgRunOptions(run), "-batch"))
    learning.batch = PetscMin(learning.batch, learning.experiments);
  PetscCall(LearningCheck(run, &learning));
  PetscCall(HeatCreate(run, &common, &heat));

  /* 2. Observations; J(m) = sum_e J_e(m) + R(m) over all groups and, for asynchronous workers, in
     one. */
  PetscCall(LampsObserve(&common, &heat, &lamps));
  PetscCall(LampsCreate(run, &common, &learning.inverse, &heat, &lamps));
  const HgProblem first = lamps.problem[0];
  const HgState guess = HgProblemGet(first).controls;
  learning.J = lamps.J, learning.own = lamps.own, learning.R = HgProblemGet(first).regularisation;
  learning.control = HeatControlName(&lamps.spec);
  HeatControlBounds(&heat, &lamps.spec, &learning.lowest, &learning.highest);

  /* 3. The derivatives checked, if asked for. */
  const HgOperator checked[] = {lamps.part[0], lamps.sum, lamps.J};
  PetscCall(HgRunCheck(run, &common, heat.program, heat.x, 3, checked, guess));

  /* 4. Learning, one way after another from the same first guess; the loss along each way. */
  HgState best, truth, gradient;
  PetscCall(HgStateDuplicate(guess, &best));
  PetscCall(LearningBest(run, &learning, guess, best));

  /* 5. What was found, by the way that came lowest. */
  double start, end, J;
  PetscCall(HgStateDuplicate(heat.x, &truth));
  PetscCall(HgStateSetField(truth, "kappa", heat.which->kappa, NULL));
  PetscCall(error_of(first, guess, truth, heat.x, &start));
  PetscCall(error_of(first, best, truth, heat.x, &end));
  PetscCall(HgRunError(run, start, end));
  PetscCall(HgOperatorCreateGradient(lamps.J, &gradient));
  PetscCall(HgOperatorGradient(lamps.J, best, &J, gradient));
  PetscCall(HgRunDigest(run, J, gradient, best, common.digest));
  const int group = HgExperimentsGroup(lamps.all)->number;
  PetscCall(HgRunCost(run, HgProblemGet(lamps.problem[group]).trajectory));

  /* 6. Results and picture by the first group, run.json. */
  const PetscErrorCode ierr = group ? 0 : show(run, &common, &heat, &learning, truth);
  PetscCall(HgExperimentsTell(lamps.all, ierr));
  PetscCall(HgRunFinish(run, &common, "completed"));

  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy((HgState *[]){&best, &truth, &gradient}[k]));
  PetscCall(LearningDestroy(&learning));
  PetscCall(LampsDestroy(&lamps));
  PetscCall(HeatDestroy(&heat));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv,
                "heat_sgd: learns a diffusivity from many experiments, on groups of ranks\n",
                heat_sgd);
}
