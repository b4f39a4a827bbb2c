/* SPDX-License-Identifier: BSD-2-Clause */
/* What a problem is given, and how J is put together of it: see problem.h. */
#include "problem_private.h"
#include <halograd/operator_library.h>
#include <halograd/picture_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <string.h>

PetscErrorCode HgProblemCreate(HgRun run, const HgCommon *common, HgProgram program, HgState x,
                               HgProblem *problem) {
  HgProblem p;
  PetscCall(HgPictureCheck(HgProgramMesh(program)));
  PetscCall(PetscNew(&p));
  p->run = run, p->common = *common, p->program = program, p->x = x, p->value = NAN, p->error = NAN;
  const PetscErrorCode ierr = HgObjectiveCreate(program, common->steps, &p->objective);
  if (ierr) PetscCall(PetscFree(p));
  else *problem = p;
  return ierr;
}

PetscErrorCode HgProblemCreatePhysics(HgRun run, const HgCommon *common, const HgMeshSpec *spec,
                                      const HgPhysics *physics, const void *params,
                                      const HgGiven given[], HgProblem *problem) {
  HgModel model;
  PetscCall(HgModelCreate(run, common, spec, physics, params, given, &model));
  const PetscErrorCode ierr = HgProblemCreate(run, common, model.program, model.x, problem);
  if (ierr) PetscCall(HgModelDestroy(&model));
  else (*problem)->own = model;
  return ierr;
}

PetscErrorCode HgProblemDestroy(HgProblem *problem) {
  HgProblem p = *problem;
  *problem = NULL;
  if (!p) return 0;

  HgRunForget(p->run, p, p->program);
  for (int k = 0; k < p->observed; k++) PetscCall(HgObservationsDestroy(&p->observations[k]));
  for (int k = 0; k < p->sought; k++) PetscCall(HgOperatorDestroy(&p->variable[k].parametrisation));
  HgOperator *const operators[] = {&p->J, &p->R, &p->R_x, &p->R_m, &p->fit, &p->misfit, &p->map};
  for (int k = 0; k < 7; k++) PetscCall(HgOperatorDestroy(operators[k]));
  PetscCall(HgInversionDestroy(&p->inversion));
  PetscCall(HgTrajectoryDestroy(&p->trajectory));
  PetscCall(HgObjectiveDestroy(&p->objective));
  for (int k = 0; k < p->snapshots; k++) PetscCall(HgStateDestroy(&p->snapshot[k]));
  PetscCall(
      HgStatesDestroy(&p->m, &p->gradient, &p->truth, &p->prior, &p->deviation, &p->predicted));
  PetscCall(HgModelDestroy(&p->own));

  PetscCall(PetscFree(p->observations));
  PetscCall(PetscFree(p->snapshot));
  PetscCall(PetscFree(p->variable));
  PetscCall(PetscFree(p->bound));
  for (int k = 0; k < p->penalties; k++) PetscCall(HgOperatorDestroy(&p->penalty[k].R));
  PetscCall(PetscFree(p->penalty));
  return PetscFree(p);
}

/* ---- what is given ---- */

/* Error: `what` is called after J has been composed. */
static PetscErrorCode still_open(HgProblem p, const char what[], const char name[]) {
  HgRequire(HgProblemComm(p), !p->ready, HG_ERR_CALL_ORDER,
            "problem of '%s': %s '%s' given after HgProblemSetUp()", HgProgramName(p->program),
            what, name);
  HgRequire(HgProblemComm(p), strlen(name) < HG_PROBLEM_NAME, HG_ERR_FILE_NAME,
            "problem of '%s': name '%s' is too long, expected at most %d characters",
            HgProgramName(p->program), name, HG_PROBLEM_NAME - 1);
  return 0;
}

static PetscErrorCode observe(HgProblem p, HgObservations *o) {
  PetscCall(still_open(p, "observations of", o->name));
  const HgOptions options = HgRunOptions(p->run);
  if (HgOptionsGiven(options, "-huber")) o->huber = p->run->huber;
  if (HgOptionsGiven(options, "-student")) o->student = p->run->student;
  if (HgOptionsGiven(options, "-correlation")) o->correlation = p->run->correlation;
  if (HgOptionsGiven(options, "-relative")) o->relative = p->run->relative;
  if (p->run->shape) o->shape = true;
  if (p->run->envelope) o->envelope = true;
  PetscCall(HgObjectiveAddSensors(p->objective, o));
  PetscCall(PetscRealloc(sizeof *p->observations * (size_t)(p->observed + 1), &p->observations));
  p->observations[p->observed++] = o;
  return 0;
}

PetscErrorCode HgProblemObserve(HgProblem p, HgObservations **observations) {
  const PetscErrorCode ierr = observe(p, *observations);
  if (ierr) PetscCall(HgObservationsDestroy(observations));
  *observations = NULL;
  return ierr;
}

static PetscErrorCode seek(HgProblem p, const char name[], HgOperator parametrisation) {
  PetscCall(PetscRealloc(sizeof *p->variable * (size_t)(p->sought + 1), &p->variable));
  HgSought *v = &p->variable[p->sought++];
  v->parametrisation = parametrisation;
  PetscCall(HgOperatorReference(parametrisation));
  return PetscStrncpy(v->name, name, sizeof v->name);
}

PetscErrorCode HgProblemControl(HgProblem p, const char variable[], HgOperator parametrisation) {
  int k;
  PetscCall(still_open(p, "control of", variable));
  PetscCall(HgStateIndex(p->x, variable, &k));
  HgRequire(HgProblemComm(p), !p->map, HG_ERR_CONTROL,
            "problem of '%s': control of '%s' given beside an operator '%s' from controls to x, "
            "expected one of them",
            HgProgramName(p->program), variable, HgOperatorName(p->map));
  return seek(p, variable, parametrisation);
}

PetscErrorCode HgProblemMap(HgProblem p, HgOperator map, const char *const variables[]) {
  PetscCall(still_open(p, "operator to x", HgOperatorName(map)));
  HgRequire(HgProblemComm(p), !p->sought, HG_ERR_CONTROL,
            "problem of '%s': operator '%s' from controls to x given beside other controls, "
            "expected one of them",
            HgProgramName(p->program), HgOperatorName(map));
  HgRequire(HgProblemComm(p), variables[0], HG_ERR_CONTROL,
            "problem of '%s': operator '%s' from controls to x given with no variable, expected "
            "those of x that depend on m",
            HgProgramName(p->program), HgOperatorName(map));
  for (int k, l = 0; variables[l]; l++) PetscCall(HgStateIndex(p->x, variables[l], &k));

  for (; *variables; variables++) PetscCall(seek(p, *variables, NULL));
  PetscCall(HgOperatorReference(map));
  p->map = map;
  return 0;
}

PetscErrorCode HgProblemBound(HgProblem p, const char control[], double lower, double upper,
                              double scale) {
  int k = 0;
  PetscCall(still_open(p, "bounds of", control));
  while (k < p->bounds && strcmp(p->bound[k].control, control)) k++;
  if (k == p->bounds) {
    PetscCall(PetscRealloc(sizeof *p->bound * (size_t)(p->bounds + 1), &p->bound));
    p->bound[p->bounds++] = (HgBound){.scale = 1};
  }
  p->bound[k].lower = lower, p->bound[k].upper = upper;
  if (scale != 0) p->bound[k].scale = scale;
  return PetscStrncpy(p->bound[k].control, control, sizeof p->bound[k].control);
}

PetscErrorCode HgProblemRegularise(HgProblem p, const HgRegularisation *weights) {
  PetscCall(still_open(p, "regularisation of", weights->control));
  PetscCall(PetscRealloc(sizeof *p->penalty * (size_t)(p->penalties + 1), &p->penalty));
  HgPenalty *r = &p->penalty[p->penalties++];
  r->weights = *weights;
  PetscCall(PetscStrncpy(r->name, weights->control, sizeof r->name));
  if (weights->own) return 0;
  if (p->run->tv > 0) r->weights.tv = p->run->tv, r->weights.epsilon = p->run->epsilon;
  if (p->run->deviation > 0) {
    r->weights.alpha = r->weights.beta = 0;
    r->weights.deviation = p->run->deviation, r->weights.length = p->run->length;
  }
  return 0;
}

PetscErrorCode HgProblemSeek(HgProblem p, const char variable[], double reference, double lower,
                             double upper, const HgInverse *weights) {
  const HgRegularisation R = {variable, weights->tikhonov, weights->h1, reference, NULL};
  const bool bounded = isfinite(upper - lower) && lower < upper;
  PetscCall(HgProblemControl(p, variable, NULL));
  PetscCall(HgProblemBound(p, variable, lower, upper, bounded ? upper - lower : 0));
  return HgProblemRegularise(p, &R);
}

/* ---- how J is put together ---- */

/* Creates m -> x and the first guess of m. Without controls m is x. */
static PetscErrorCode make_controls(HgProblem p) {
  HgControl *controls;
  if (!p->sought) return 0;
  PetscCall(PetscMalloc1(p->sought, &controls));
  for (int k = 0; k < p->sought; k++)
    controls[k] = (HgControl){p->variable[k].name, p->variable[k].parametrisation};
  const PetscErrorCode ierr = p->map ? 0 : HgControlCreate(p->x, p->sought, controls, &p->map);
  PetscCall(PetscFree(controls));
  if (ierr) return ierr;

  PetscCall(HgOperatorCreateInput(p->map, &p->m));
  for (int k = 0; k < p->sought; k++) {
    const int from = HgStateFind(p->x, p->variable[k].name),
              to = HgStateFind(p->m, p->variable[k].name);
    if (to >= 0 && !p->variable[k].parametrisation)
      PetscCall(HgStateCopyVariable(p->x, from, p->m, to));
  }
  return 0;
}

/* Activates the program's constants that a problem of the run controls. */
static PetscErrorCode activate(HgProblem p) {
  HgState constants;
  PetscCall(HgProgramCreateConstants(p->program, &constants));
  for (int k = 0; constants && k < HgStateCount(constants); k++) {
    const char *const name = HgStateVariable(constants, k)->name;
    PetscCall(HgProgramSetActive(p->program, name, HgRunSeeks(p->run, p->program, name)));
  }
  return HgStateDestroy(&constants);
}

/* Reads -prior_mean of one variable of `pattern`. */
static PetscErrorCode read_mean(HgProblem p, HgState pattern, const char name[], HgState *mean) {
  int k;
  PetscCall(HgStateIndex(pattern, name, &k));
  PetscCall(HgStateCreate(HgStateMesh(pattern), 1, HgStateVariable(pattern, k), mean));
  return HgFieldRead(*mean, name, p->run->mean, name);
}

/* R_k, of m or of x, as its name says. */
static PetscErrorCode make_penalty(HgProblem p, int k, bool *of_x, HgOperator *op) {
  HgRegularisation r = p->penalty[k].weights;
  HgState mean = NULL;
  r.control = p->penalty[k].name;
  *of_x = !p->m || HgStateFind(p->m, r.control) < 0;
  const HgState pattern = *of_x ? p->x : p->m;
  PetscErrorCode ierr = p->run->mean[0] && !r.own ? read_mean(p, pattern, r.control, &mean) : 0;
  if (mean) r.mean = mean;
  const int each = HgProgramEachStep(p->program, r.control, NULL);
  if (each) r.each = each, r.spacing = HgProgramTimeStep(p->program);
  if (!ierr) ierr = HgRegularisationCreate(pattern, &r, op);
  PetscCall(HgStateDestroy(&mean));
  return ierr;
}

/* *sum += part. Takes ownership of `part`. *sum = NULL: the empty sum. */
static PetscErrorCode add(const char name[], HgOperator part, HgOperator *sum) {
  HgOperator before = *sum;
  *sum = part;
  if (!before) return 0;
  PetscCall(HgOperatorSum(name, 2, (HgOperator[]){before, part}, sum));
  PetscCall(HgOperatorDestroy(&before));
  return HgOperatorDestroy(&part);
}

/* F(x(m)) for a functional F of x; without controls F itself. */
static PetscErrorCode after_controls(HgProblem p, const char name[], HgOperator of_x,
                                     HgOperator *of_m) {
  if (p->map) return HgOperatorChain(name, 2, (HgOperator[]){p->map, of_x}, of_m);
  *of_m = of_x;
  return HgOperatorReference(of_x);
}

/* R(m) = R_m(m) + R_x(x(m)). */
static PetscErrorCode make_regularisation(HgProblem p) {
  HgOperator part;
  HgRequire(HgProblemComm(p), p->penalties || !(p->run->deviation > 0 || p->run->tv > 0),
            HG_ERR_OPTION_CONFLICT,
            "option %s: the problem of '%s' has no regularisation, expected one that it could take "
            "the place of, or be added to",
            p->run->tv > 0 ? "-tv" : "-prior_deviation", HgProgramName(p->program));
  HgRequire(HgProblemComm(p), HgProblemHasWeights(p) || !p->run->mean[0], HG_ERR_OPTION_CONFLICT,
            "option -prior_mean: the problem of '%s' has no regularisation, expected -tikhonov, "
            "-h1, -tv or -prior_deviation above 0",
            HgProgramName(p->program));
  for (int k = 0; k < p->penalties; k++) {
    bool of_x;
    PetscCall(make_penalty(p, k, &of_x, &part));
    PetscCall(HgOperatorReference(part));
    p->penalty[k].R = part;
    PetscCall(add(of_x ? "R(x)" : "regularisation", part, of_x ? &p->R_x : &p->R_m));
  }
  if (p->R_x) PetscCall(after_controls(p, "R(x(m))", p->R_x, &p->R));
  if (!p->R_m) return 0;

  PetscCall(HgOperatorReference(p->R_m));
  return add("regularisation", p->R_m, &p->R);
}

/* J(m) = (misfit + R_x)(x(m)) + R_m(m): the parametrisation runs once for both. */
static PetscErrorCode make_functional(HgProblem p) {
  HgOperator inner = p->misfit, outer;
  if (p->R_x) PetscCall(HgOperatorSum("misfit + R", 2, (HgOperator[]){p->misfit, p->R_x}, &inner));
  else PetscCall(HgOperatorReference(inner));
  PetscCall(after_controls(p, p->R_m ? "misfit of m" : "J", inner, &outer));
  PetscCall(HgOperatorDestroy(&inner));
  if (p->R_m) {
    PetscCall(HgOperatorReference(p->R_m));
    PetscCall(add("J", p->R_m, &outer));
  }
  p->J = outer;
  return HgOperatorCreateGradient(p->J, &p->gradient);
}

PetscErrorCode HgProblemFunctional(HgProblem p, HgOperator *J) {
  HgRequire(HgProblemComm(p), p->ready, HG_ERR_CALL_ORDER,
            "problem of '%s': J is asked for before HgProblemSetUp()", HgProgramName(p->program));
  if (!p->J) PetscCall(make_functional(p));
  *J = p->J;
  return 0;
}

PetscErrorCode HgProblemMisfit(HgProblem p, HgOperator *misfit) {
  HgRequire(HgProblemComm(p), p->ready, HG_ERR_CALL_ORDER,
            "problem of '%s': misfit is asked for before HgProblemSetUp()",
            HgProgramName(p->program));
  if (!p->fit) PetscCall(after_controls(p, "misfit of m", p->misfit, &p->fit));
  *misfit = p->fit;
  return 0;
}

PetscErrorCode HgProblemSetUp(HgProblem p) {
  HgRequire(HgProblemComm(p), !p->ready, HG_ERR_CALL_ORDER, "problem of '%s': it is set up already",
            HgProgramName(p->program));
  p->ready = true;
  PetscCall(make_controls(p));
  const HgCommon *c = &p->common;
  bool replayed;
  PetscCall(HgRunRecordReverses(&p->run->record, &replayed));
  HgRequire(HgProblemComm(p), !p->map || c->slots > 0 || c->budgets, HG_ERR_NO_DERIVATIVE,
            "problem of '%s': it seeks controls, which takes gradients, but keeps no states for "
            "them: expected -slots, or HgCommon.slots as their default, above 0",
            HgProgramName(p->program));
  if (!p->map && !c->check && !c->doctor && !c->digest && !replayed) {
    p->common.slots = 0;
    PetscCall(HgOptionsRefuse(HgRunOptions(p->run), "to a run that makes values only",
                              (const char *const[]){"Checkpoints", NULL}));
    PetscCall(HgRunRecordNoGradient(&p->run->record));
  }
  if (!p->map) p->run->record.values = HG_RUN_VALUES_ONLY;
  PetscCall(HgRunTrajectory(p->run, p->program, p->objective, &p->common, &p->trajectory));
  PetscCall(HgTrajectoryOperator(p->trajectory, &p->misfit));
  PetscCall(make_regularisation(p));
  for (int k = 0; k < p->sought; k++)
    PetscCall(HgRunSeek(p->run, p, p->program, p->variable[k].name));
  if (!p->sought) PetscCall(HgRunSeek(p->run, p, p->program, ""));
  return activate(p);
}

PetscErrorCode HgProblemTruth(HgProblem p, const char variable[], HgState *truth) {
  PetscCall(HgStateIndex(p->x, variable, &p->hidden));
  PetscCall(HgStateDestroy(&p->truth));
  PetscCall(HgStateDuplicate(p->x, &p->truth));
  *truth = p->truth;
  return 0;
}

/* Snapshots of a run from `truth`. */
static PetscErrorCode add_snapshots(HgProblem p, HgState truth, const HgSensors *s) {
  const int times = PetscMax(0, s->times);
  PetscCall(still_open(p, "snapshots of", s->variable));
  PetscCall(PetscRealloc(sizeof *p->snapshot * (size_t)(p->snapshots + times), &p->snapshot));
  PetscCall(HgTwinSnapshots(p->program, p->common.steps, truth, s, p->objective,
                            p->snapshot + p->snapshots));
  p->snapshots += times;
  return 0;
}

/* *given: the observations come from a file. */
static PetscErrorCode observe_file(HgProblem p, const HgSensors *sensors, bool *given) {
  HgObservations *data;
  int k;
  PetscCall(HgProgramFindCarried(p->program, sensors->variable, &k));
  *given = p->common.observations[0];
  if (!*given) return 0;
  PetscCall(HgObservationsRead(HgProblemComm(p), p->common.observations, &data));
  const bool same = !strcmp(data->name, sensors->variable);
  char name[HG_PROBLEM_NAME];
  snprintf(name, sizeof name, "%s", data->name);
  if (same) return HgProblemObserve(p, &data);
  PetscCall(HgObservationsDestroy(&data));
  return HgError(HgProblemComm(p), HG_ERR_OPTION_RANGE,
                 "option -observations: file '%s' has those of '%s', expected of '%s'",
                 p->common.observations, name, sensors->variable);
}

PetscErrorCode HgProblemTwin(HgProblem p, const HgGiven *hidden, const HgSensors *sensors) {
  HgObservations *data;
  HgState truth;
  bool given;
  PetscCall(observe_file(p, sensors, &given));
  if (given) return 0;
  PetscCall(HgProblemTruth(p, hidden->variable, &truth));
  PetscCall(HgStateCopy(p->x, truth));
  PetscCall(HgGivenFill(p->program, truth, hidden));
  if (sensors->whole) return add_snapshots(p, truth, sensors);
  PetscCall(HgTwinSense(p->program, p->common.steps, truth, sensors, &data));
  return HgProblemObserve(p, &data);
}
