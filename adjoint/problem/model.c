/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/measure_library.h>
#include <halograd/mesh_library.h>
#include <halograd/picture_library.h>
#include <halograd/problem_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <string.h>

static double at(double x, double y, void *of) { return ((HgGiven *)of)->field(x, y); }

static double within(double x, double y, double z, void *of) {
  return ((HgGiven *)of)->volume(x, y, z);
}

/* Fills numbers by step. */
static PetscErrorCode fill_numbers(HgProgram program, HgState x, const HgGiven *g) {
  const HgMeshSpec *const spec = HgMeshGetSpec(HgStateMesh(x));
  const double dt = HgProgramTimeStep(program);
  char along = 0;
  int k;
  PetscCall(HgStateIndex(x, g->variable, &k));
  const int each = HgProgramEachStep(program, g->variable, &along);
  HgRequire(HgMeshComm(HgStateMesh(x)), each, HG_ERR_PHYSICS,
            "given '%s': it has .time or .along, which are for numbers by step, .time also for a "
            "table of the physics; expected .value or .field",
            g->variable);
  for (int n = 0; n < HgStateVariable(x, k)->size; n++) {
    const double t = n / each * dt, s = n % each;
    HgStateArray(x, k)[n] = !g->along      ? g->time(t)
                            : along == 'i' ? g->along(t, spec->x0 + s * spec->dx)
                            : along == 'j' ? g->along(t, spec->y0 + s * spec->dy)
                                           : g->along(t, s);
  }
  return 0;
}

PetscErrorCode HgGivenFill(HgProgram program, HgState x, const HgGiven *g) {
  const int ways = (g->value != 0) + !!g->field + !!g->volume + !!g->time + !!g->along;
  HgRequire(HgMeshComm(HgStateMesh(x)), ways <= 1, HG_ERR_PHYSICS,
            "given '%s': it has %d of .value, .field, .volume, .time and .along, expected one",
            g->variable, ways);
  if (g->time || g->along) return fill_numbers(program, x, g);
  HgGiven of = *g;
  if (g->volume) return HgStateSetVolume(x, g->variable, within, &of);
  if (g->field) return HgStateSetField(x, g->variable, at, &of);
  return HgStateSetConstant(x, g->variable, g->value);
}

/* ---- numbers and tables of the params ---- */

static bool is_param(const HgPhysics *physics, const char name[]) {
  bool found = false;
  for (const HgPhysicsNumber *n = physics->numbers; n && n->name; n++)
    found = found || !strcmp(n->name, name);
  for (const HgPhysicsTable *t = physics->tables; t && t->name; t++)
    found = found || !strcmp(t->name, name);
  return found;
}

/* Whether what is given for `name` is complete. */
static PetscErrorCode find_given(MPI_Comm comm, const HgPhysics *physics, const HgGiven given[],
                                 const char name[], bool table, const HgGiven **found) {
  const HgGiven *g = given;
  while (g->variable && strcmp(g->variable, name)) g++;
  HgRequire(comm, g->variable, HG_ERR_PHYSICS,
            "physics '%s': its %s '%s' is not given; expected %s", physics->name,
            table ? "table" : "number", name,
            table ? "{\"NAME\", .time = function of t}" : "{\"NAME\", value}");
  HgRequire(comm, !g->field && !g->volume && !g->along && !table == !g->time && g->least == g->most,
            HG_ERR_PHYSICS, "given '%s': it is a %s of physics '%s', expected .%s and nothing else",
            name, table ? "table by step" : "number", physics->name, table ? "time" : "value");
  *found = g;
  return 0;
}

/* Allocates the struct of params, followed by its tables. */
static PetscErrorCode make_params(MPI_Comm comm, const HgPhysics *physics, const HgCommon *common,
                                  const HgGiven given[], void **params) {
  const size_t room = (physics->params_size + sizeof(double) - 1) / sizeof(double);
  const long count = common->steps + 1;
  const HgGiven *g = NULL;
  size_t tables = 0;
  for (const HgPhysicsTable *t = physics->tables; t && t->name; t++) tables++;
  PetscCall(PetscCalloc1(room + tables * (size_t)count, (double **)params));
  char *const at = *params;
  double *entry = (double *)*params + room;
  for (const HgPhysicsNumber *n = physics->numbers; n && n->name; n++) {
    PetscCall(find_given(comm, physics, given, n->name, false, &g));
    memcpy(at + n->offset, &g->value, sizeof g->value);
  }
  for (const HgPhysicsTable *t = physics->tables; t && t->name; t++, entry += count) {
    PetscCall(find_given(comm, physics, given, t->name, true, &g));
    for (long k = 0; k < count; k++) entry[k] = g->time((double)k * common->dt);
    memcpy(at + t->offset, &entry, sizeof entry);
    memcpy(at + t->count, &count, sizeof count);
  }
  for (const HgPhysicsSeries *s = physics->series; s && s->name; s++)
    memcpy(at + s->count, &common->steps, sizeof common->steps);
  return 0;
}

/* ---- the input ---- */

static PetscErrorCode fill(HgProgram program, HgState x, const HgPhysics *physics,
                           const HgGiven given[]) {
  for (const HgGiven *g = given; g->variable; g++) {
    if (is_param(physics, g->variable)) continue;
    HgRequire(HgMeshComm(HgStateMesh(x)), g->least <= g->most, HG_ERR_PHYSICS,
              "given '%s': least %g is above most %g", g->variable, g->least, g->most);
    for (const HgGiven *before = given; before < g; before++)
      HgRequire(HgMeshComm(HgStateMesh(x)), strcmp(before->variable, g->variable), HG_ERR_PHYSICS,
                "given '%s': it is given twice", g->variable);
    PetscCall(HgGivenFill(program, x, g));
  }
  return 0;
}

/* *largest: the smallest limit of the time step at x, at x with every range at its lower end, and
   at x with every range at its upper end. */
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

/* Printed if no stability limit is known. */
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
  HgRequire(HgRunComm(run), common->steps > 0, HG_ERR_PHYSICS,
            "model of '%s': it has no number of steps, expected -steps, or HgCommon.steps as their "
            "default",
            physics->name);
  HgRequire(HgRunComm(run), common->dt > 0, HG_ERR_PHYSICS,
            "model of '%s': it has no time step, expected -dt, or HgCommon.dt as its default",
            physics->name);
  HgRequire(HgRunComm(run), !spec->nz || spec->nz == common->nz, HG_ERR_MESH,
            "mesh: HgMeshSpec has nz = %d, HgCommon nz = %d, which counts, as -nx -ny -nz change "
            "it; set that of HgCommon",
            spec->nz, common->nz);
  s.nx = common->nx, s.ny = common->ny, s.px = common->px, s.py = common->py, s.nz = common->nz;
  PetscCall(HgMeshCreate(HgRunComm(run), &s, &m->mesh));
  PetscCall(HgPictureCheck(m->mesh));
  if (!params && physics->params_size) {
    PetscCall(make_params(HgRunComm(run), physics, common, given, &m->params));
    params = m->params;
  }
  PetscCall(HgProgramCreatePhysics(m->mesh, physics, params, common->dt, &m->program));
  PetscCall(HgProgramSetUp(m->program));
  PetscCall(HgProgramCreateInput(m->program, &m->x));
  PetscCall(fill(m->program, m->x, physics, given));
  PetscCall(limit(m->program, m->x, given, &largest));
  PetscCall(HgRequireStable(HgRunComm(run), "option -dt", common->dt, largest));
  if (PetscIsNormalReal(largest))
    PetscCall(HgReportSetReal(HgRunReport(run), "largest_step", largest));
  else PetscCall(say_unlimited(run, physics, common->dt));
  return HgReportSetMesh(HgRunReport(run), m->mesh);
}

PetscErrorCode HgModelCreate(HgRun run, const HgCommon *common, const HgMeshSpec *spec,
                             const HgPhysics *physics, const void *params, const HgGiven given[],
                             HgModel *model) {
  *model = (HgModel){NULL, NULL, NULL, NULL};
  const PetscErrorCode ierr = make(run, common, spec, physics, params, given, model);
  if (ierr) PetscCall(HgModelDestroy(model));
  return ierr;
}

PetscErrorCode HgModelDestroy(HgModel *m) {
  PetscCall(HgStateDestroy(&m->x));
  PetscCall(HgProgramDestroy(&m->program));
  PetscCall(PetscFree(m->params));
  return HgMeshDestroy(&m->mesh);
}
