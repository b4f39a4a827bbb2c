/* SPDX-License-Identifier: BSD-2-Clause */
/* tohoku_inverse: what raised the sea on 11 March 2011, from four gauges on the floor of the
   Pacific.

     minimise J(m) = 1/2 sum ((eta(x_k, t_n; m) - d_kn) / sigma_k)^2 + R(m)
     subject to the long-wave equations on the sphere (tsunami.stencil), from rest; the nonlinear
     ones with -physics nonlinear (tsunami_nonlinear.stencil)

   m is the surface at the start, in a box east of Japan; R wants it smooth where there is water,
   and small far from the epicentre. docs/tsunami.md tells what comes out, and what four gauges
   cannot see. Your own sea: -topography -west -south -cell -nx -ny, -gauges, -windows, -box_west
   ...

   -precompute keeps the map from the source to all readings; -online then has the source and how
   sure it is at once (exact/exact_map.h).

   -source slip seeks the slip on subfaults instead, with -onsets also when each begins to slip;
   -forward published lets the slip of others run, and seeks nothing; -chile does so for the tsunami
   of 27 February 2010.

   Sample runs:
     mpirun -n 4 tohoku_inverse
     mpirun -n 4 tohoku_inverse -leave_out 21413
     mpirun -n 4 tohoku_inverse -precompute map
     tohoku_inverse -online map
     mpirun -n 4 tohoku_inverse -source slip
     mpirun -n 4 tohoku_inverse -source slip -onsets
     mpirun -n 4 tohoku_inverse -physics nonlinear
     mpirun -n 4 tohoku_inverse -forward published -frames
     mpirun -n 4 tohoku_inverse -chile
     mpirun -n 4 tohoku_inverse -check -digest -iterations 5 */
#include "exact.h"
#include "tohoku_compare.h"
#include "tohoku_forward.h"
#include "tohoku_picture.h"
#include <halograd/results.h>

typedef struct {
  HgRun run;
  HgCommon common;
  HgInverse inverse;
  TohokuEvent event;
  TohokuSea sea;
  TohokuGauges gauges;
  TohokuSource source;
  TohokuSlip slip;
  TohokuFilm film;
  Exact exact;
  HgProblem problem; /* NULL: nothing is sought */
  HgObservations *readings,
      *gauged;         /* all, until a problem has them; what the gauges are told of */
  HgState last, final; /* of a forward run, which is this one's own; of any run */
  HgState found;       /* "eta": what raised the sea, NULL: nothing was sought */
  double J;            /* of a forward run */
  double *fitted;
  const char *reason;
} Tohoku;

/* What changes nothing where nothing, or the slip, is sought. */
static PetscErrorCode refuse_others(const Tohoku *t) {
  static const char *const of_inversion[] = {
      "Inversion",       "Checkpoints",   "Recording",    "-prior_longitude",
      "-prior_latitude", "-prior_radius", "-prior_power", NULL};
  static const char *const of_surface[] = {"-prior_deviation", "-tv",          "-h1", "-tikhonov",
                                           "-prior_radius",    "-prior_power", NULL};
  static const char *const of_epicentre[] = {"-prior_longitude", "-prior_latitude", NULL};
  const HgOptions o = HgRunOptions(t->run);
  const char *const forward =
      HgOptionsGiven(o, "-chile") ? "with -chile" : "with -forward published";
  HgRequire(PETSC_COMM_WORLD, !t->common.observations[0], HG_ERR_OPTION_CONFLICT,
            "option -observations: '%s' given, but gauges are text tables, expected -gauges",
            t->common.observations);
  PetscCall(ExactRefuse(&t->exact, &t->event));
  const HgCommon *const c = &t->common;
  HgRequire(PETSC_COMM_WORLD, !t->event.forward || !(c->check || c->doctor || t->slip.sought),
            HG_ERR_OPTION_CONFLICT,
            "option %s: expected an inversion, but with -forward or -chile nothing is sought",
            c->check    ? "-check"
            : c->doctor ? "-doctor"
                        : "-source slip");
  if (t->event.forward) return HgOptionsRefuse(o, forward, of_inversion);
  if (!t->slip.sought) return 0;
  PetscCall(HgOptionsRefuse(o, "with -source slip", of_surface));
  return t->slip.onsets ? 0 : HgOptionsRefuse(o, "with -source slip without -onsets", of_epicentre);
}

/* Japan's numbers are none of another sea, nor its windows of other gauges. */
static PetscErrorCode require_own(const Tohoku *t) {
  static const char *const all[] = {"-box_west", "-box_east",        "-box_south",     "-box_north",
                                    "-tau",      "-prior_longitude", "-prior_latitude"};
  const HgOptions o = HgRunOptions(t->run);
  const bool at_once = !t->event.forward && !t->slip.onsets,
             near = t->slip.onsets || !(t->event.forward || t->slip.sought || t->source.power == 0);
  const int needed[] = {1, 1, 1, 1, at_once, near, near};
  for (int k = 0; k < 7 && HgOptionsGiven(o, "-topography"); k++)
    HgRequire(PETSC_COMM_WORLD, !needed[k] || HgOptionsGiven(o, all[k]), HG_ERR_OPTION_CONFLICT,
              "option -topography: another sea without %s, expected it, as there is none of any "
              "sea",
              all[k]);
  HgRequire(PETSC_COMM_WORLD, !HgOptionsGiven(o, "-gauges") || HgOptionsGiven(o, "-windows"),
            HG_ERR_OPTION_CONFLICT,
            "option -gauges: other gauges without -windows, expected a first and a last second for "
            "all or each");
  return 0;
}

static PetscErrorCode read_options(Tohoku *t) {
  t->common = (HgCommon){.slots = 1, .output = "output/tohoku_inverse"};
  t->inverse =
      (HgInverse){.tikhonov = 4e-9, .h1 = 2, .tolerance = 3e-4, .iterations = 100, .pairs = 20};
  PetscCall(
      HgRunCreate("tohoku_inverse", "finds a tsunami's source from ocean-bottom gauges", &t->run));
  PetscCall(TohokuEventChoose(t->run, &t->common, &t->event));
  PetscCall(TohokuSeaOptions(t->run, &t->event, &t->sea));
  if (t->sea.nonlinear) t->common.slots = 60; /* its adjoint reads states */
  PetscCall(TohokuSlipOptions(t->run, &t->event, &t->common, &t->slip));
  PetscCall(TohokuGaugesOptions(t->run, &t->event, &t->gauges));
  PetscCall(TohokuSourceOptions(t->run, &t->event, &t->source));
  PetscCall(TohokuFilmOptions(t->run, &t->film));
  PetscCall(ExactOptions(t->run, &t->exact));
  t->exact.common = &t->common, t->exact.inverse = &t->inverse, t->exact.sea = &t->sea;
  t->exact.gauges = &t->gauges, t->exact.source = &t->source, t->exact.slip = &t->slip,
  t->exact.film = &t->film;
  PetscCall(HgRunInverse(t->run, &t->inverse));
  PetscCall(HgRunCommon(t->run, &t->common));
  PetscCall(refuse_others(t));
  PetscCall(TohokuSourceWeigh(t->run, &t->source));
  return require_own(t);
}

/* J(m) = misfit(x(m)) + R(m), and its minimum, from a sea at rest. */
static PetscErrorCode invert(Tohoku *t) {
  PetscCall(HgProblemCreate(t->run, &t->common, t->sea.program, t->sea.x, &t->problem));
  PetscCall(HgProblemObserve(t->problem, &t->readings));
  if (t->slip.sought) PetscCall(TohokuSlipSeek(&t->slip, &t->sea, t->gauges.tau, t->problem));
  else PetscCall(TohokuSourceSeek(&t->source, &t->inverse, t->problem));
  PetscCall(HgProblemSetUp(t->problem));
  PetscCall(TohokuSlipCheck(&t->slip, t->sea.x, t->problem));
  PetscCall(HgProblemInvert(t->problem, &t->inverse, &t->reason));
  PetscCall(HgObjectivePredicted(HgProblemGet(t->problem).objective, 0, t->fitted));
  if (t->slip.sought) {
    PetscCall(TohokuSlipLifted(&t->slip, HgProblemGet(t->problem).controls, &t->found));
  } else {
    PetscCall(HgStateDuplicate(t->sea.x, &t->found));
    PetscCall(HgStateCopy(t->sea.x, t->found));
  }
  t->gauged = HgProblemGet(t->problem).observations[0];
  t->final = HgProblemGet(t->problem).final;
  return 0;
}

/* The published source alone. */
static PetscErrorCode forward(Tohoku *t) {
  t->gauged = t->readings, t->reason = "the published source has run";
  PetscCall(HgOptionsCheckUnused(HgRunOptions(t->run)));
  PetscCall(TohokuForward(&t->common, &t->sea, &t->slip, &t->gauges, t->readings, &t->film,
                          &t->last, &t->J, t->fitted));
  t->final = t->last;
  return 0;
}

/* Each gauge; the size of the source, and how like the published one it is; digests and costs. */
static PetscErrorCode report_source(const Tohoku *t) {
  double ratio;
  PetscCall(TohokuGaugesFit(t->run, &t->gauges, t->gauged, t->fitted, &ratio));
  PetscCall(TohokuGaugesPeaks(t->run, &t->gauges, t->gauged, t->fitted));
  if (!t->problem) return HgRunDigest(t->run, t->J, NULL, t->final, t->common.digest);
  PetscCall(TohokuSourceTell(t->run, &t->source, t->found, "source", ""));
  PetscCall(TohokuCompare(t->run, &t->source, &t->slip, t->found));
  if (t->slip.sought)
    PetscCall(TohokuSlipTell(t->run, &t->slip, HgProblemGet(t->problem).controls));
  return HgProblemDigest(t->problem);
}

/* Results, picture, run.json. */
static PetscErrorCode write_all(const Tohoku *t) {
  const HgState found = t->found, published = t->slip.published;
  const TohokuMap maps[TOHOKU_MAPS] = {{"the sea surface found", found},
                                       {"the published source", published}};
  HgResults results;
  PetscCall(HgResultsCreate(t->sea.mesh, t->common.output, "tohoku_inverse", "tsunami", &results));
  PetscCall(HgResultsWriteConstant(results, t->sea.floor, "b", NULL, "elevation"));
  if (found)
    PetscCall(
        HgResultsWriteConstant(results, found, "eta", "source", "surface found at the start"));
  if (published)
    PetscCall(HgResultsWriteConstant(results, published, "eta", "published", "published uplift"));
  if (t->problem) PetscCall(HgProblemWriteDeviations(t->problem, results));
  PetscCall(HgResultsWrite(results, (double)t->common.steps * t->common.dt, t->final,
                           (const char *const[]){"eta", NULL}));
  PetscCall(HgResultsClose(&results));
  PetscCall(TohokuPicture(t->run, &t->common, &t->sea, &t->gauges, t->gauged, maps, t->fitted));
  return HgRunFinish(t->run, &t->common, t->reason);
}

static PetscErrorCode tell_all(Tohoku *t) {
  PetscCall(report_source(t));
  if (t->problem) PetscCall(TohokuFilmRun(&t->film, HgProblemGet(t->problem).trajectory, t->sea.x));
  PetscCall(TohokuFilmEnd(&t->film));
  return write_all(t);
}

static PetscErrorCode tohoku_inverse(void) {
  Tohoku t = {0};

  /* 1. Options. */
  PetscCall(read_options(&t));

  /* 2. The sea, its gauges, where the source may be, what is published of it. */
  PetscCall(TohokuSeaCreate(t.run, &t.common, &t.sea));
  PetscCall(TohokuGaugesRead(&t.sea, &t.common, &t.gauges, &t.readings));
  PetscCall(TohokuFilmStart(&t.film, t.common.output, &t.sea, t.readings, t.gauges.tau));
  PetscCall(TohokuSourceCreate(&t.sea, &t.source));
  PetscCall(TohokuSlipCreate(t.run, &t.event, &t.sea, &t.source, &t.slip));
  t.exact.observations = t.readings;
  PetscCall(PetscMalloc1((size_t)t.readings->times * (size_t)t.readings->sensors, &t.fitted));

  /* 3. What raised the sea; or what the gauges see of what is published. */
  if (ExactAsked(&t.exact)) PetscCall(ExactRun(&t.exact));
  else if (t.event.forward) PetscCall(forward(&t));
  else PetscCall(invert(&t));

  /* 4. What came out, unless it has told and written that already. */
  if (!ExactAsked(&t.exact)) PetscCall(tell_all(&t));

  PetscCall(HgObservationsDestroy(&t.readings));
  PetscCall(HgStateDestroy(&t.last));
  PetscCall(HgStateDestroy(&t.found));
  PetscCall(PetscFree(t.fitted));
  PetscCall(HgProblemDestroy(&t.problem));
  PetscCall(TohokuSlipDestroy(&t.slip));
  PetscCall(TohokuSourceDestroy(&t.source));
  PetscCall(TohokuGaugesDestroy(&t.gauges));
  PetscCall(TohokuSeaDestroy(&t.sea));
  return HgRunDestroy(&t.run);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "tohoku_inverse: a tsunami's source from ocean-bottom gauges\n",
                tohoku_inverse);
}
