/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_water_inverse: what raised the sea, or what lies on its bottom, from gauges of a tsunami.

     minimise J(m) = 1/2 sum ((eta(x_k, t_n; m) - d_kn) / sigma_kn)^2 + R(m)
     subject to nonlinear shallow water in a basin (stencils/shallow/shallow_water.h), at rest at t
     = 0 but for its surface

   -control surface: m is the surface at t = 0, the bottom is known; -control bathymetry: m is the
   log of true over charted depth, the source is known. R is Tikhonov and H1. With -twin FILE it
   makes the gauges' data instead, with noise: on a finer mesh, so that the inversion does not find
   its own errors in them. Your own sea: -topography, -length, -width, -time; your own gauges:
   -gauges (text) or -observations (HDF5).

   Sample runs:
     mpirun -n 16 shallow_water_inverse
     mpirun -n 16 shallow_water_inverse -control bathymetry
     mpirun -n 4 shallow_water_inverse -check -digest -store hdf5 -slots 20 -memory_slots 5
     mpirun -n 4 shallow_water_inverse -twin basin.h5 -nx 180 -ny 120
     mpirun -n 4 shallow_water_inverse -control bathymetry -topography chart.asc -gauges tide.csv */
#include "gauge_case.h"
#include <halograd/file.h>
#include <halograd/gauges.h>
#include <halograd/problem.h>
#include <halograd/results.h>

/* What this program is asked for beside the basin and the inversion. */
typedef struct {
  char twin[HG_PATH_SIZE];   /* the file to be written; "": none */
  char gauges[HG_PATH_SIZE]; /* text tables; "": -observations */
  double noise;              /* [m] */
  int seed;
} Inputs;

static PetscErrorCode read_options(HgRun run, GaugeCase *gauge, HgCommon *common, Inputs *in) {
  const HgOptions o = HgRunOptions(run);
  PetscCall(GaugeOptions(run, gauge));
  PetscCall(HgOptionsString(o, "-twin",
                            "make the gauges' data with a twin, and write them to this file",
                            sizeof in->twin, in->twin));
  PetscCall(HgOptionsString(o, "-gauges",
                            "text tables of gauges, separated by commas (none: -observations)",
                            sizeof in->gauges, in->gauges));
  PetscCall(HgOptionsReal(
      o, "-noise",
      "standard deviation of the readings of -twin, and of -gauges if their tables give none", "m",
      "(0, 100]", &in->noise));
  PetscCall(HgOptionsInt(o, "-seed", "seed of the noise", "", 0, 1 << 30, &in->seed));
  PetscCall(HgRunInverse(run, &gauge->inverse));
  PetscCall(HgRunCommon(run, common));

  const bool given = HgOptionsGiven(o, "-observations");
  HgRequire(PETSC_COMM_WORLD, !in->gauges[0] || !given, HG_ERR_OPTION_CONFLICT,
            "options -gauges '%s' and -observations '%s': expected one of them", in->gauges,
            common->observations);
  HgRequire(PETSC_COMM_WORLD, !in->twin[0] || !(in->gauges[0] || given), HG_ERR_OPTION_CONFLICT,
            "option -twin '%s': makes gauges, expected neither -gauges nor -observations",
            in->twin);
  const bool longitude = HgOptionsGiven(o, "-longitude"), latitude = HgOptionsGiven(o, "-latitude");
  HgRequire(PETSC_COMM_WORLD, !gauge->topography[0] || in->twin[0] || in->gauges[0] || given,
            HG_ERR_OPTION_CONFLICT,
            "option -topography '%s': a chart of your own, expected -gauges, -observations or "
            "-twin, too, as the gauges that are shipped stand in another basin",
            gauge->topography);
  if (!gauge->topography[0])
    PetscCall(HgOptionsRefuse(o, "without -topography",
                              (const char *const[]){"-longitude", "-latitude", NULL}));
  HgRequire(PETSC_COMM_WORLD, longitude == latitude, HG_ERR_OPTION_CONFLICT,
            "option %s: missing with %s, expected both of a chart in degrees",
            longitude ? "-latitude" : "-longitude", longitude ? "-longitude" : "-latitude");
  static const char *const solving[] = {"Inversion", "Checkpoints", "Recording", "-check",
                                        "-doctor",   "-digest",     NULL},
                           *const making[] = {"-noise", "-seed", NULL};
  if (in->twin[0]) PetscCall(HgOptionsRefuse(o, "with -twin", solving));
  else if (!in->gauges[0]) PetscCall(HgOptionsRefuse(o, "without -twin and -gauges", making));
  if (in->gauges[0]) gauge->truth_known = false; /* measured ones */
  return in->twin[0] ? HgFileCheckWrite(PETSC_COMM_WORLD, in->twin) : 0;
}

/* Results with what was found, and what it is to be compared with. */
static PetscErrorCode open_results(const HgCommon *common, const GaugeCase *g, HgResults *results) {
  PetscCall(HgResultsCreate(g->mesh, common->output, "shallow_water_inverse",
                            "a tsunami in a basin", results));
  PetscCall(HgResultsWriteConstant(*results, g->x, g->sought, "found", "what was found"));
  return g->truth_known
             ? HgResultsWriteConstant(*results, g->truth, g->sought, "truth", "hidden truth")
             : HgResultsWriteConstant(*results, g->truth, "b", "chart", "bottom as charted");
}

static PetscErrorCode shallow_water_inverse(void) {
  HgRun run;
  GaugeCase gauge;
  HgProblem problem;
  HgCommon common = {.nx = 60, .ny = 40, .slots = 100, .output = "output/shallow_water_inverse"};
  Inputs in = {.noise = 0.05, .seed = 1};

  /* 1. Options. */
  PetscCall(HgRunDataPath("basin.h5", sizeof common.observations, common.observations));
  PetscCall(HgRunCreate("shallow_water_inverse",
                        "finds a tsunami's source, or the bottom of its sea, from gauges", &run));
  PetscCall(read_options(run, &gauge, &common, &in));

  /* 2. The basin: mesh, program, first guess and truth; its gauges' data, if that is what is
     wanted. */
  PetscCall(GaugeCreate(run, &common, &gauge));
  if (in.twin[0]) {
    PetscCall(GaugeTwin(run, &gauge, &common, in.twin, in.noise, (uint64_t)in.seed));
    PetscCall(GaugeDestroy(&gauge));
    return HgRunDestroy(&run);
  }

  /* 3. J(m) = misfit(x(m)) + R(m). */
  HgObservations *data;
  if (in.gauges[0]) PetscCall(HgGaugesRead(PETSC_COMM_WORLD, in.gauges, false, in.noise, &data));
  else PetscCall(HgObservationsRead(PETSC_COMM_WORLD, common.observations, &data));
  const size_t count = (size_t)data->times * (size_t)data->sensors;
  const HgRegularisation R = {"m", gauge.inverse.tikhonov, gauge.inverse.h1, 0, NULL};
  PetscCall(HgProblemCreate(run, &common, gauge.program, gauge.x, &problem));
  PetscCall(HgProblemObserve(problem, &data));
  PetscCall(HgProblemMap(problem, gauge.control, GaugeControlled(gauge.way)));
  PetscCall(HgProblemBound(problem, "m", gauge.lowest, gauge.highest, 0));
  PetscCall(HgProblemRegularise(problem, &R));
  PetscCall(HgProblemSetUp(problem));

  /* 4. Checks if asked for, around the hidden truth. */
  PetscCall(HgProblemCheck(problem, gauge.truth));

  /* 5. What the gauges would see if the first guess were true; the truth, to compare with. */
  HgState truth;
  double *guess, *fitted, J;
  PetscCall(PetscMalloc2(count, &guess, count, &fitted));
  PetscCall(HgTrajectoryValue(HgProblemGet(problem).trajectory, gauge.x, &J));
  PetscCall(HgObjectivePredicted(HgProblemGet(problem).objective, 0, guess));
  if (gauge.truth_known) {
    PetscCall(HgProblemTruth(problem, gauge.sought, &truth));
    PetscCall(HgStateCopy(gauge.truth, truth));
  }

  /* 6. Inversion: what was found, or the last iterate before the water ran dry; misfit against its
     expectation, error against the truth; digests and costs. */
  HgResults results;
  const char *reason;
  const PetscErrorCode broken = HgProblemInvert(problem, &gauge.inverse, &reason);
  PetscCall(open_results(&common, &gauge, &results));
  if (broken) PetscCall(HgResultsClose(&results));
  PetscCall(broken);
  PetscCall(HgObjectivePredicted(HgProblemGet(problem).objective, 0, fitted));
  PetscCall(HgProblemDigest(problem));

  /* 7. Results, picture, run.json. */
  PetscCall(HgProblemWriteDeviations(problem, results));
  PetscCall(HgResultsWrite(results, (double)common.steps * common.dt, HgProblemGet(problem).final,
                           (const char *const[]){"eta", "h", "u", "v", NULL}));
  PetscCall(HgResultsClose(&results));
  data = HgProblemGet(problem).observations[0];
  PetscCall(GaugePicture(run, &common, &gauge, data, guess, fitted));
  PetscCall(HgRunFinish(run, &common, reason));

  PetscCall(PetscFree2(guess, fitted));
  PetscCall(HgProblemDestroy(&problem));
  PetscCall(GaugeDestroy(&gauge));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "shallow_water_inverse: a tsunami's source, or the bottom of its sea\n",
                shallow_water_inverse);
}
