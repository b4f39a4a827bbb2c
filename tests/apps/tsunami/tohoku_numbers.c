/* SPDX-License-Identifier: BSD-2-Clause */
/* The inversion of the tsunami of 11 March 2011 begins with J and the gradient of another program,
   to 1e-9, with the same bits on any number of ranks. */
#include "claim.h"
#include "spots.h"
#include "tohoku_gauges.h"
#include "tohoku_source.h"
#include <halograd/check_library.h>
#include <halograd/problem_library.h>
#include <halograd/state.h>
#include <math.h>

typedef struct {
  HgRun run;
  HgCommon common;
  HgInverse inverse;
  TohokuEvent event;
  TohokuSea sea;
  TohokuGauges gauges;
  TohokuSource source;
  HgProblem problem;
} Tohoku;

static void relative(double value, double expected, const char what[]) {
  claim_at_most(fabs(value / expected - 1), 1e-9, "%s is %.17g, expected %.17g: relative distance",
                what, value, expected);
}

static PetscErrorCode create(Tohoku *t) {
  HgObservations *readings;
  t->common = (HgCommon){.slots = 1, .output = "tohoku_numbers"};
  t->inverse = (HgInverse){.tikhonov = 4e-9, .h1 = 2, .tolerance = 1e-4, .iterations = 1};
  PetscCall(HgRunCreate("tohoku_numbers", "a test", &t->run));
  PetscCall(TohokuEventChoose(t->run, &t->common, &t->event));
  PetscCall(TohokuSeaOptions(t->run, &t->event, &t->sea));
  PetscCall(TohokuGaugesOptions(t->run, &t->event, &t->gauges));
  PetscCall(TohokuSourceOptions(t->run, &t->event, &t->source));
  PetscCall(HgRunInverse(t->run, &t->inverse));
  PetscCall(HgRunCommon(t->run, &t->common));
  PetscCall(TohokuSeaCreate(t->run, &t->common, &t->sea));
  PetscCall(TohokuGaugesRead(&t->sea, &t->common, &t->gauges, &readings));
  PetscCall(TohokuSourceCreate(&t->sea, &t->source));
  PetscCall(HgProblemCreate(t->run, &t->common, t->sea.program, t->sea.x, &t->problem));
  PetscCall(HgProblemObserve(t->problem, &readings));
  PetscCall(TohokuSourceSeek(&t->source, &t->inverse, t->problem));
  return HgProblemSetUp(t->problem);
}

static PetscErrorCode destroy(Tohoku *t) {
  PetscCall(HgProblemDestroy(&t->problem));
  PetscCall(TohokuSourceDestroy(&t->source));
  PetscCall(TohokuGaugesDestroy(&t->gauges));
  PetscCall(TohokuSeaDestroy(&t->sea));
  return HgRunDestroy(&t->run);
}

/* Of the prior on a slope, which is no zero at its start: the tangent is transposed by the adjoint.
   */
static PetscErrorCode check_prior(Tohoku *t) {
  const HgOperator R = HgProblemGet(t->problem).regularisation;
  HgFindings report;
  HgState m;
  PetscCall(HgOperatorCreateInput(R, &m));
  PetscCall(HgStateRandom(m, 7));
  PetscCall(HgExamineOperator(R, m, NULL, &report));
  claim_at_most(report.worst[HG_CHECK_DOT], 1e-13, "dot product of the prior");
  claim_at_most(-report.worst[HG_CHECK_TAYLOR], -1.9, "minus the Taylor order of the prior");
  return HgStateDestroy(&m);
}

/* Of an epicentre given a turn further west, at 60 N: half a degree east and 0.32 south of it. */
static PetscErrorCode check_distance(const Tohoku *t) {
  const double lon = 143.5, lat = 38, r = 111.2e3 * hypot(0.5 * 1, 0.32) / 200e3;
  TohokuSource s = t->source;
  double a;
  s.longitude = 142.5 - 360, s.metric = 60;
  PetscCall(TohokuSourceCreate(&t->sea, &s));
  PetscCall(read_spots(s.factors, "a", 1, &lon, &lat, &a));
  claim_at_most(fabs(a / pow(r, 4) - 1), 1e-9, "the prior's factor is %g, expected %g: distance", a,
                pow(r, 4));
  return TohokuSourceDestroy(&s);
}

static PetscErrorCode test(void) {
  const double lon = 143.5, lat = 38;
  Tohoku t = {0};
  HgOperator J;
  HgState gradient;
  double value;
  PetscCall(create(&t));
  PetscCall(HgProblemFunctional(t.problem, &J));
  PetscCall(HgOperatorCreateInput(J, &gradient));
  PetscCall(HgOperatorGradient(J, HgProblemGet(t.problem).controls, &value, gradient));
  relative(value, 5958.435702028335, "J at 0");
  PetscCall(HgStateDot(gradient, gradient, &value));
  relative(sqrt(value), 277.1692830180379, "the gradient at 0");
  PetscCall(read_spots(gradient, "m", 1, &lon, &lat, &value));
  relative(value, -10.157245321027322, "the gradient at 143.5 E 38.0 N");
  PetscCall(HgStateDestroy(&gradient));
  PetscCall(check_prior(&t));
  PetscCall(check_distance(&t));
  return destroy(&t);
}

CLAIM("the inversion off Japan begins with J and the gradient of another program", 0, test)
