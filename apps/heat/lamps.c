/* SPDX-License-Identifier: BSD-2-Clause */
#include "lamps.h"
#include <halograd/problem.h>
#include <math.h>
#include <string.h>

enum { MOST = 1 << 16, SIDE_MOST = 100 };

typedef struct {
  double x, y;
} Place;

/* Lamp e of a lattice as square as can be. */
static Place place_of(int e, int count) {
  const int across = (int)ceil(sqrt(count)), rows = (count + across - 1) / across;
  return (Place){(e % across + 0.5) / across, ((e / across) + 0.5) / rows};
}

static double lamp(double x, double y, void *context) {
  const Place *p = context;
  return 400 * exp(-((x - p->x) * (x - p->x) + (y - p->y) * (y - p->y)) / (0.1 * 0.1)); /* [K/s] */
}

static PetscErrorCode light(const Lamps *l, int e, HgState x) {
  Place place = place_of(e, l->count);
  return HgStateSetField(x, "f", lamp, &place);
}

PetscErrorCode LampsOptions(HgRun run, Lamps *l) {
  HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsGroup(o, "Experiments"));
  PetscCall(HgOptionsInt(o, "-experiments", "number of experiments, each with a lamp of its own",
                         "", 1, MOST, &l->count));
  PetscCall(HgOptionsInt(o, "-groups",
                         "groups of ranks that work side by side (0: the library chooses)", "", 0,
                         MOST, &l->groups));
  PetscCall(HgOptionsInt(o, "-sensors", "thermometers of the twin along each side", "", 1,
                         SIDE_MOST, &l->sensors));
  PetscCall(HgOptionsReal(o, "-noise",
                          "noise of the twin, as a fraction of an experiment's largest signal", "",
                          "(0, 1]", &l->noise));
  PetscCall(HgOptionsInt(o, "-seed", "seed of the noise and of the mini-batches", "", 0, 1 << 30,
                         &l->seed));
  PetscCall(HgOptionsString(o, "-save_observations",
                            "file for the twin's observations; %d is the number of the experiment",
                            sizeof l->save, l->save));
  return HeatControlOptions(run, &l->spec);
}

PetscErrorCode LampsSplit(HgRun run, const HgCommon *c, Lamps *l) {
  static const char *const of_twin[] = {"-noise", "-sensors", NULL};
  if (*c->observations)
    PetscCall(HgOptionsRefuse(HgRunOptions(run), "with -observations", of_twin));
  char unused[HG_PATH_SIZE + 16];
  if (*c->observations)
    PetscCall(HgExperimentsFile("-observations", c->observations, 0, sizeof unused, unused));
  if (*l->save)
    PetscCall(HgExperimentsFile("-save_observations", l->save, 0, sizeof unused, unused));
  PetscCall(HgRunExperiments(run, l->count, l->groups, &l->all));
  PetscCall(HgExperimentsCreate(HgRunComm(run), l->count, 1, &l->alone));
  return PetscCalloc3(l->count, &l->data, l->count, &l->problem, l->count, &l->part);
}

static PetscErrorCode place_sensors(const Heat *h, double end, const Lamps *l,
                                    HgObservations **data) {
  const int count = l->sensors * l->sensors;
  PetscCall(HgObservationsCreate(HgMeshComm(h->mesh), "u", "K", l->times, count, data));
  for (int k = 0; k < count; k++) {
    (*data)->x[k] = (k % l->sensors + 0.5) / l->sensors;
    (*data)->y[k] = (k / l->sensors + 0.5) / l->sensors;
  }
  for (int n = 0; n < l->times; n++) (*data)->time[n] = end * (n + 1) / l->times;
  return 0;
}

/* What the thermometers of this group's experiments show on the twin, without noise. */
static PetscErrorCode measure_own(const Heat *twin, long steps, const Lamps *l) {
  for (int e = HgExperimentsGroup(l->all)->number; e < l->count;
       e += HgExperimentsGroup(l->all)->count) {
    PetscCall(light(l, e, twin->x));
    PetscCall(HgTwinObserve(twin->program, steps, twin->x, l->data[e]));
  }
  return 0;
}

static PetscErrorCode make_twin(const HgCommon *c, const Heat *h, Lamps *l) {
  HgCommon fine = *c;
  Heat twin = {.which = h->which, .conservative = h->conservative, .insulated = h->insulated};
  fine.nx = 2 * c->nx + !h->insulated, fine.ny = 2 * c->ny + !h->insulated; /* half the spacing */
  fine.steps = 4 * c->steps, fine.dt = c->dt / 4;
  PetscCall(HeatMake(HgMeshComm(h->mesh), &fine, &twin));
  PetscCall(HgStateSetField(twin.x, "kappa", h->which->kappa, NULL));
  for (int e = 0; e < l->count; e++)
    PetscCall(place_sensors(h, (double)c->steps * c->dt, l, &l->data[e]));
  PetscCall(HgExperimentsTell(l->all, measure_own(&twin, fine.steps, l)));
  PetscCall(HeatDestroy(&twin));
  for (int e = 0; e < l->count; e++) {
    HgObservations *o = l->data[e];
    const int numbers = o->times * o->sensors;
    double largest = 0;
    PetscCallMPI(MPI_Bcast(o->value, numbers, MPI_DOUBLE, e % HgExperimentsGroup(l->all)->count,
                           HgExperimentsGroup(l->all)->across));
    for (int k = 0; k < numbers; k++) largest = fmax(largest, fabs(o->value[k]));
    HgObservationsAddNoise(o, l->noise * largest, (uint64_t)l->seed * MOST + (uint64_t)e);
  }
  return 0;
}

PetscErrorCode LampsObserve(const HgCommon *c, const Heat *h, Lamps *l) {
  char path[HG_PATH_SIZE + 16], number[16];
  if (!*c->observations) PetscCall(make_twin(c, h, l));
  for (int e = 0; e < l->count && *c->observations; e++) {
    PetscCall(HgExperimentsFile("-observations", c->observations, e, sizeof path, path));
    PetscCall(HgObservationsRead(PETSC_COMM_WORLD, path, &l->data[e]));
  }
  for (int e = 0; e < l->count && *l->save; e++) {
    PetscCall(HgExperimentsFile("-save_observations", l->save, e, sizeof path, path));
    snprintf(number, sizeof number, "%d", e);
    PetscCall(HgObservationsWrite(PETSC_COMM_WORLD, path, l->data[e],
                                  (HgNote[]){{"experiment", number}, {NULL, NULL}}));
  }
  return 0;
}

PetscErrorCode LampsCreate(HgRun run, const HgCommon *c, const HgInverse *inverse, Heat *h,
                           Lamps *l) {
  for (int e = 0; e < l->count; e++) {
    PetscCall(light(l, e, h->x));
    PetscCall(HgProblemCreate(run, c, h->program, h->x, &l->problem[e]));
    PetscCall(HgProblemObserve(l->problem[e], &l->data[e]));
    PetscCall(HeatControl(h, &l->spec, inverse, l->problem[e]));
    PetscCall(HgProblemMisfit(l->problem[e], &l->part[e]));
  }

  HgOperator own;
  const HgOperator R = HgProblemGet(l->problem[0]).regularisation;
  PetscCall(HgExperimentsFunctional(l->all, l->part, &l->sum));
  PetscCall(HgExperimentsFunctional(l->alone, l->part, &own));
  PetscCall(HgOperatorSum("J", R ? 2 : 1, (HgOperator[]){l->sum, R}, &l->J));
  PetscCall(HgOperatorSum("own J", R ? 2 : 1, (HgOperator[]){own, R}, &l->own));
  return HgOperatorDestroy(&own);
}

PetscErrorCode LampsDestroy(Lamps *l) {
  HgOperator *const operators[] = {&l->J, &l->own, &l->sum};
  for (int k = 0; k < 3; k++) PetscCall(HgOperatorDestroy(operators[k]));
  for (int e = 0; e < l->count; e++) {
    PetscCall(HgProblemDestroy(&l->problem[e]));
    PetscCall(HgObservationsDestroy(&l->data[e]));
  }
  PetscCall(PetscFree3(l->data, l->problem, l->part));
  return HgExperimentsDestroy(&l->alone);
}
