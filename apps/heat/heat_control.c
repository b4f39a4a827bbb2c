#include "heat_control.h"
#include <halograd/regularisation.h>
#include <math.h>

static const char *const ways[] = {"log", "field", "affine", "coarse", "net"};
static const char *const names[] = {"m", "kappa", "theta", "theta", "theta"};

/* `name` makes sense with `way` only. */
static PetscErrorCode belongs(HgRun run, const char name[], HeatWay way, HeatWay given) {
  HgRequire(PETSC_COMM_WORLD, way == given || !HgOptionsGiven(HgRunOptions(run), name),
            "option %s: given with -parametrise %s, expected -parametrise %s", name, ways[given],
            ways[way]);
  return 0;
}

PetscErrorCode HeatControlOptions(HgRun run, HeatControlSpec *s) {
  const HgOptions o = HgRunOptions(run);
  int way = s->way, two = 2;
  PetscCall(HgOptionsGroup(o, "Parametrisation"));
  PetscCall(HgOptionsChoice(o, "-parametrise",
                            "kappa = exp(m), m, a + b x + c y, a coarse grid's or a net's", 5, ways,
                            &way));
  PetscCall(HgOptionsInts(o, "-coarse", "nodes of the coarse grid along x and y", 2, 2048, 2, 2,
                          &two, s->coarse));
  PetscCall(HgOptionsInts(o, "-net", "units of the net's hidden layers", 1, HG_NET_WIDTH, 1,
                          HG_NET_LAYERS, &s->net.layers, s->net.width));
  PetscCall(HgOptionsInt(o, "-net_seed", "of the net's first guess", "", 0, 1 << 30, &s->seed));
  s->way = (HeatWay)way;
  if (HgHelpAsked()) return 0;
  PetscCall(belongs(run, "-coarse", HEAT_COARSE, s->way));
  PetscCall(belongs(run, "-net", HEAT_NET, s->way));
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

static PetscErrorCode first_guess(const Heat *h, const HeatControlSpec *s, HeatControl *c) {
  const HeatCase *of = h->which;
  if (s->way == HEAT_NET)
    return HgNetInitialise(PETSC_COMM_WORLD, &s->net, of->guess, (uint64_t)s->seed,
                           HgStateArray(c->m, 0));
  PetscCall(HgStateSetConstant(c->m, c->name, s->way == HEAT_LOG ? log(of->guess) : of->guess));
  for (int k = 0; s->way == HEAT_AFFINE && k < 3; k++) HgStateArray(c->m, 0)[k] = of->affine[k];
  return 0;
}

static PetscErrorCode regularise(const Heat *h, const HgInverse *inverse, HeatControl *c) {
  const double guess = h->which->guess;
  const bool field = c->way == HEAT_LOG || c->way == HEAT_FIELD;
  const HgRegularisation r = {field ? c->name : "kappa", inverse->tikhonov, inverse->h1,
                              c->way == HEAT_LOG ? log(guess) : guess};
  if (c->way == HEAT_AFFINE) return 0;
  if (field) return HgRegularisationCreate(c->m, &r, &c->regularisation);
  PetscCall(HgRegularisationCreate(h->x, &r, &c->of_x));
  return HgOperatorChain("R(kappa(m))", 2, (HgOperator[]){c->op, c->of_x}, &c->regularisation);
}

PetscErrorCode HeatControlCreate(const Heat *h, const HeatControlSpec *s, const HgInverse *inverse,
                                 HeatControl *c) {
  const HeatCase *of = h->which;
  const bool free = s->way == HEAT_AFFINE || s->way == HEAT_NET;
  *c = (HeatControl){.way = s->way,
                     .name = names[s->way],
                     .lowest = free                 ? -INFINITY
                               : s->way == HEAT_LOG ? log(of->lowest)
                                                    : of->lowest,
                     .highest = free                 ? INFINITY
                                : s->way == HEAT_LOG ? log(of->highest)
                                                     : of->highest};
  PetscCall(parametrisation(h, s, c->name, &c->parametrisation));
  PetscCall(HgControlCreate(h->x, 1, &(HgControl){"kappa", c->parametrisation}, &c->op));
  PetscCall(HgOperatorCreateInput(c->op, &c->m));
  PetscCall(first_guess(h, s, c));
  return regularise(h, inverse, c);
}

PetscErrorCode HeatControlObjective(HeatControl *c, HgOperator misfit, HgOperator *J) {
  if (c->of_x) {
    PetscCall(HgOperatorSum("misfit + R", 2, (HgOperator[]){misfit, c->of_x}, &c->inner));
    return HgOperatorChain("J", 2, (HgOperator[]){c->op, c->inner}, J);
  }
  PetscCall(HgOperatorChain("misfit of m", 2, (HgOperator[]){c->op, misfit}, &c->inner));
  return HgOperatorSum("J", c->regularisation ? 2 : 1, (HgOperator[]){c->inner, c->regularisation},
                       J);
}

PetscErrorCode HeatControlDestroy(HeatControl *c) {
  PetscCall(HgStateDestroy(&c->m));
  PetscCall(HgOperatorDestroy(&c->inner));
  PetscCall(HgOperatorDestroy(&c->regularisation));
  PetscCall(HgOperatorDestroy(&c->of_x));
  PetscCall(HgOperatorDestroy(&c->op));
  return HgOperatorDestroy(&c->parametrisation);
}

PetscErrorCode HeatControlReport(const HeatControl *c, HgRun run) {
  const double *theta = HgStateArray(c->m, 0);
  if (c->way != HEAT_AFFINE) return 0;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "kappa = %.9f + %.9f x + %.9f y\n", theta[0], theta[1],
                        theta[2]));
  return HgReportSetReals(HgRunReport(run), "theta", 3, theta);
}
