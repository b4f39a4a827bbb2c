/* SPDX-License-Identifier: BSD-2-Clause */
#include "heat_control.h"
#include <math.h>

static const char *const ways[] = {"log", "field", "affine", "coarse", "net"};
static const char *const names[] = {"m", "kappa", "theta", "theta", "theta"};

/* `name` makes sense with `way` only. */
static PetscErrorCode belongs(HgRun run, const char name[], HeatWay way, HeatWay given) {
  HgRequire(PETSC_COMM_WORLD, way == given || !HgOptionsGiven(HgRunOptions(run), name),
            HG_ERR_OPTION_CONFLICT,
            "option %s: given with -parametrise %s, expected -parametrise %s", name, ways[given],
            ways[way]);
  return 0;
}

PetscErrorCode HeatControlOptions(HgRun run, HeatControlSpec *s) {
  const HgOptions o = HgRunOptions(run);
  int way = s->way, two = 2;
  PetscCall(HgOptionsGroup(o, "Parametrisation"));
  PetscCall(HgOptionsChoice(o, "-parametrise",
                            "what the controls m are: log(kappa), kappa, a + b x + c y, values on "
                            "a coarse grid, weights of a net",
                            5, ways, &way));
  PetscCall(HgOptionsInts(o, "-coarse", "nodes of the coarse grid along x and y", 2, 2048, 2, 2,
                          &two, s->coarse));
  PetscCall(HgOptionsInts(o, "-net", "units of each hidden layer of the net", 1, HG_NET_WIDTH, 1,
                          HG_NET_LAYERS, &s->net.layers, s->net.width));
  PetscCall(
      HgOptionsInt(o, "-net_seed", "seed of the net's first weights", "", 0, 1 << 30, &s->seed));
  s->way = (HeatWay)way;
  PetscCall(belongs(run, "-coarse", HEAT_COARSE, s->way));
  PetscCall(belongs(run, "-net", HEAT_NET, s->way));
  if (s->way == HEAT_AFFINE)
    PetscCall(HgOptionsRefuse(
        HgRunOptions(run), "with -parametrise affine",
        (const char *const[]){"-h1", "-tikhonov", "-prior_deviation", "-prior_mean", "-tv", NULL}));
  return belongs(run, "-net_seed", HEAT_NET, s->way);
}

static PetscErrorCode parametrisation(const Heat *h, const HeatControlSpec *s, const char name[],
                                      HgOperator *op) {
  const HgMesh mesh = h->mesh;
  switch (s->way) {
  case HEAT_LOG: return HgParametrisationLog(mesh, name, "kappa", "m^2/s", op);
  case HEAT_AFFINE: return HgParametrisationAffine(mesh, name, "kappa", "m^2/s", op);
  case HEAT_COARSE:
    return HgParametrisationCoarse(mesh, name, "kappa", "m^2/s", s->coarse[0], s->coarse[1], op);
  case HEAT_NET: return HgParametrisationNet(mesh, name, "kappa", "m^2/s", &s->net, op);
  default: *op = NULL; return 0;
  }
}

static PetscErrorCode first_guess(const Heat *h, const HeatControlSpec *s, HgState m) {
  const HeatCase *of = h->which;
  if (s->way == HEAT_NET)
    return HgNetInitialise(PETSC_COMM_WORLD, &s->net, of->guess, (uint64_t)s->seed,
                           HgStateArray(m, 0));
  PetscCall(
      HgStateSetConstant(m, HeatControlName(s), s->way == HEAT_LOG ? log(of->guess) : of->guess));
  for (int k = 0; s->way == HEAT_AFFINE && k < 3; k++) HgStateArray(m, 0)[k] = of->affine[k];
  return 0;
}

const char *HeatControlName(const HeatControlSpec *s) { return names[s->way]; }

void HeatControlBounds(const Heat *h, const HeatControlSpec *s, double *lowest, double *highest) {
  *lowest = h->which->lowest, *highest = h->which->highest;
  if (s->way == HEAT_LOG) *lowest = log(*lowest), *highest = log(*highest);
  if (s->way == HEAT_AFFINE || s->way == HEAT_NET) *lowest = -INFINITY, *highest = INFINITY;
}

PetscErrorCode HeatControl(const Heat *h, const HeatControlSpec *s, const HgInverse *inverse,
                           HgProblem problem) {
  const char *const name = HeatControlName(s);
  const bool field = s->way == HEAT_LOG || s->way == HEAT_FIELD;
  const double guess = h->which->guess;
  const HgRegularisation r = {field ? name : "kappa", inverse->tikhonov, inverse->h1,
                              s->way == HEAT_LOG ? log(guess) : guess, NULL};
  double lowest, highest;
  HgOperator op;
  PetscCall(parametrisation(h, s, name, &op));
  PetscCall(HgProblemControl(problem, "kappa", op));
  PetscCall(HgOperatorDestroy(&op));

  HeatControlBounds(h, s, &lowest, &highest);
  PetscCall(HgProblemBound(problem, name, lowest, highest, 0));
  if (s->way != HEAT_AFFINE) PetscCall(HgProblemRegularise(problem, &r));
  PetscCall(HgProblemSetUp(problem));
  return first_guess(h, s, HgProblemGet(problem).controls);
}

PetscErrorCode HeatControlReport(const HeatControlSpec *s, HgState m, HgRun run) {
  const double *theta = HgStateArray(m, 0);
  if (s->way != HEAT_AFFINE) return 0;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "kappa = %.9f + %.9f x + %.9f y\n", theta[0], theta[1],
                        theta[2]));
  return HgReportSetReals(HgRunReport(run), "theta", 3, theta);
}
