#include <halograd/comm.h>
#include <halograd/model.h>
#include <string.h>

typedef struct {
  HgFieldFn *f;
} Field;

static double at(double x, double y, void *context) { return ((Field *)context)->f(x, y); }

PetscErrorCode HgFieldFill(HgState x, const char name[], HgFieldFn *f) {
  return HgStateSetField(x, name, at, &(Field){f});
}

static PetscErrorCode fill(HgState x, const HgGiven given[]) {
  for (const HgGiven *g = given; g->variable; g++) {
    HgRequire(HgMeshComm(HgStateMesh(x)), g->least <= g->most,
              "given '%s': least %g is above most %g", g->variable, g->least, g->most);
    for (const HgGiven *before = given; before < g; before++)
      HgRequire(HgMeshComm(HgStateMesh(x)), strcmp(before->variable, g->variable),
                "given '%s': it is given twice", g->variable);
    if (g->field) PetscCall(HgFieldFill(x, g->variable, g->field));
    else PetscCall(HgStateSetConstant(x, g->variable, g->value));
  }
  return 0;
}

/* *largest: the least of the limits at x, at x with each variable that has a range at its lower
   end, and with each at its upper end. */
static PetscErrorCode limit(HgProgram program, HgState x, const HgGiven given[], double *largest) {
  HgState end;
  double dt;
  PetscCall(HgProgramLargestStep(program, x, largest));
  for (int upper = 0; upper < 2; upper++) {
    PetscCall(HgStateDuplicate(x, &end));
    PetscCall(HgStateCopy(x, end));
    for (const HgGiven *g = given; g->variable; g++)
      if (g->least < g->most)
        PetscCall(HgStateSetConstant(end, g->variable, upper ? g->most : g->least));
    PetscCall(HgProgramLargestStep(program, end, &dt));
    PetscCall(HgStateDestroy(&end));
    *largest = PetscMin(*largest, dt);
  }
  return 0;
}

/* Said where no stability limit is known. */
static PetscErrorCode say_unlimited(HgRun run, const HgPhysics *physics, double dt) {
  char text[256];
  snprintf(text, sizeof text,
           "physics '%s' states no largest_step: nobody limits dt = %g s, and a step too long for "
           "the scheme grows without bound\n",
           physics->name, dt);
  return HgCommSay(HgRunComm(run), text);
}

static PetscErrorCode make(HgRun run, const HgCommon *common, const HgMeshSpec *spec,
                           const HgPhysics *physics, const void *params, const HgGiven given[],
                           HgModel *m) {
  HgMeshSpec s = *spec;
  double largest;
  HgRequire(HgRunComm(run), common->steps > 0,
            "model of '%s': it has no number of steps, expected -steps, or HgCommon.steps as their "
            "default",
            physics->name);
  HgRequire(HgRunComm(run), common->dt > 0,
            "model of '%s': it has no time step, expected -dt, or HgCommon.dt as its default",
            physics->name);
  s.nx = common->nx, s.ny = common->ny, s.px = common->px, s.py = common->py;
  PetscCall(HgMeshCreate(HgRunComm(run), &s, &m->mesh));
  PetscCall(HgProgramCreatePhysics(m->mesh, physics, params, common->dt, &m->program));
  PetscCall(HgProgramSetUp(m->program));
  PetscCall(HgProgramCreateInput(m->program, &m->x));
  PetscCall(fill(m->x, given));
  PetscCall(limit(m->program, m->x, given, &largest));
  PetscCall(HgRunOwnTimeStep(largest, common));
  if (PetscIsNormalReal(largest))
    PetscCall(HgReportSetReal(HgRunReport(run), "largest_step", largest));
  else PetscCall(say_unlimited(run, physics, common->dt));
  return HgReportSetMesh(HgRunReport(run), m->mesh);
}

PetscErrorCode HgModelCreate(HgRun run, const HgCommon *common, const HgMeshSpec *spec,
                             const HgPhysics *physics, const void *params, const HgGiven given[],
                             HgModel *model) {
  *model = (HgModel){NULL, NULL, NULL};
  const PetscErrorCode ierr = make(run, common, spec, physics, params, given, model);
  if (ierr) PetscCall(HgModelDestroy(model));
  return ierr;
}

PetscErrorCode HgModelDestroy(HgModel *m) {
  PetscCall(HgStateDestroy(&m->x));
  PetscCall(HgProgramDestroy(&m->program));
  return HgMeshDestroy(&m->mesh);
}
