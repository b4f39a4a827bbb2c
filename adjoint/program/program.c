/* SPDX-License-Identifier: BSD-2-Clause */
/* Building a program: roles, versions, contract. Running it is adjoint/engine, printing it
   program_view.c. */
#include "program_private.h"
#include <halograd/boundary_library.h>
#include <halograd/error_library.h>
#include <halograd/mesh_library.h>
#include <halograd/program_dual_library.h>
#include <halograd/state_library.h>
#include <halograd/unit_library.h>
#include <math.h>
#include <string.h>

PetscErrorCode HgProgramCreate(HgMesh mesh, const char name[], double dt, HgProgram *program) {
  *program = NULL;
  PetscCall(HgRequireAlike(HgMeshComm(mesh), "a time step of %.17g s", dt));
  HgRequire(HgMeshComm(mesh), isfinite(dt) && dt > 0, HG_ERR_TIME_STEP,
            "program '%s': time step is %g s, expected a positive finite number", name, dt);
  HgProgram p;
  PetscCall(PetscNew(&p));
  PetscCall(PetscNew(&p->blocks));
  PetscCall(HgMeshReference(mesh));
  PetscCall(PetscStrncpy(p->name, name, sizeof p->name));
  p->mesh = mesh, p->dt = dt, *program = p;
  return 0;
}

PetscErrorCode HgProgramDestroy(HgProgram *program) {
  HgProgram p = *program;
  *program = NULL;
  if (!p) return 0;
  for (int k = 0; k < p->fills; k++) PetscCall(HgExchangeDestroy(&p->fill[k].exchange));
  for (int mode = 0; mode < HG_MODES; mode++) {
    PetscCall(HgStateDestroy(&p->work[mode]));
    for (int n = 0; n <= HG_TIME_BLOCK_MOST; n++)
      for (int stored = 0; stored < 2; stored++)
        PetscCall(HgBlockDestroy(&p->block[mode][stored][n]));
  }
  for (int k = 0; k < p->terms + p->pairs; k++) {
    if (p->term[k].part.op) PetscCall(HgOperatorTermDestroy(&p->term[k].part));
    if (!p->dual) PetscCall(HgSeriesDestroy(&p->term[k].part.series)); /* a dual shares them */
    if (k < p->terms) PetscCall(PetscFree(p->term[k].params));
    PetscCall(PetscFree3(p->term[k].read, p->term[k].write, p->term[k].copy_of));
  }
  PetscCall(HgProgramShareMask(p, NULL));
  PetscCall(HgDualDestroy(&p->dual));
  PetscCall(PetscFree(p->physics_params));
  PetscCall(PetscFree(p->blocks));
  PetscCall(PetscFree(p->fill));
  PetscCall(PetscFree(p->term));
  PetscCall(PetscFree(p->variable));
  PetscCall(PetscFree(p->version));
  PetscCall(HgMeshDestroy(&p->mesh));
  return PetscFree(p);
}

static const char *kind_text(HgKind kind, bool surface) {
  return kind == HG_FIELD        ? surface ? "a surface" : "a field"
         : kind == HG_GHOSTED    ? "a field with its ghosts"
         : kind == HG_REPLICATED ? "a replicated array"
                                 : "an array of each rank's own";
}

PetscErrorCode HgProgramDeclareVariable(HgProgram p, const char reader[], const char name[],
                                        const HgVariable *like, int *index) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  for (*index = 0; *index < p->variables; ++*index) {
    const HgProgramVariable *known = &p->variable[*index];
    if (strcmp(known->name, name)) continue;
    return HgAgree(comm,
                   known->kind != like->kind || known->size != like->size ||
                       (known->surface != like->surface && !p->dual),
                   HG_ERR_ARGUMENT,
                   "program '%s': '%s' takes '%s' for %s of %d numbers, but it is %s of %d",
                   p->name, reader, name, kind_text(like->kind, like->surface), like->size,
                   kind_text(known->kind, known->surface), known->size);
  }
  HgRequire(comm, name[0] && strlen(name) < HG_NAME_LENGTH - (p->dual ? 1 : 8), HG_ERR_VARIABLE,
            "program '%s': name '%s' needs 1 to %d characters", p->name, name, HG_NAME_LENGTH - 9);
  PetscCall(PetscRealloc(sizeof *p->variable * (size_t)(p->variables + 1), &p->variable));
  HgProgramVariable *v = &p->variable[p->variables++];
  *v = (HgProgramVariable){.kind = like->kind,
                           .size = like->size,
                           .surface = like->surface,
                           .location = HG_CENTRE,
                           .active = true,
                           .first = -1,
                           .last = -1};
  PetscCall(PetscStrncpy(v->unit, HgUnitText(like->unit), sizeof v->unit));
  return PetscStrncpy(v->name, name, sizeof v->name);
}

PetscErrorCode HgProgramDeclareField(HgProgram p, const char reader[], const char name[],
                                     const char unit[], bool surface) {
  const HgVariable like = {name, unit, HG_FIELD, 0, surface};
  int index;
  return HgProgramDeclareVariable(p, reader, name, &like, &index);
}

static PetscErrorCode new_version(HgProgram p, int variable, int writer, int *version) {
  PetscCall(PetscRealloc(sizeof *p->version * (size_t)(p->versions + 1), &p->version));
  p->version[p->versions] = (HgVersion){.variable = variable, .writer = writer, .last_reader = -1};
  HgProgramVariable *v = &p->variable[variable];
  if (v->first < 0) v->first = p->versions;
  v->last = *version = p->versions++;
  return 0;
}

/* The kind of variable k of a term: a field for a stencil, else as in the operator's state. A
   stencil with levels declares which variables are surfaces. */
static HgVariable like(HgProgram p, const HgStencil *s, const HgOperatorTerm *part, bool output,
                       int k, const char name[]) {
  HgVariable v = {NULL, "1", HG_FIELD, 0, HgMeshGetSpec(p->mesh)->nz && !s->levels};
  for (const HgStated *told = s->stated; s->levels && told && told->name; told++)
    if (!strcmp(told->name, name)) v.surface = told->surface;
  if (part->op) v = *HgStateVariable(output ? part->y[0] : part->x[0], k);
  if (part->series && !output) v = HgSeriesArray(part->series);
  if (HgIsField(&v)) v.size = 0;
  return v;
}

PetscErrorCode HgProgramAddStencil(HgProgram p, const HgStencil *stencil, const void *params) {
  PetscCall(HgProgramCheckParams(p, stencil->name, params, stencil->params_size, stencil->tables));
  PetscCall(HgProgramCheckMesh(p, stencil));
  return HgProgramAddTerm(p, stencil, params, NULL);
}

/* Copies params, so that later changes of the caller's have no effect; NULL for none. */
static PetscErrorCode copy_params(const HgStencil *stencil, const void *params, void **copy) {
  if (!params) return 0;
  PetscCall(PetscMalloc(stencil->params_size, copy));
  return PetscMemcpy(*copy, params, stencil->params_size);
}

/* Error: a name twice among the reads, or twice among the writes. No row written may be a row read.
   */
static PetscErrorCode check_names(HgProgram p, const HgStencil *s, bool part) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  for (int k = 0; s->writes[k]; k++)
    for (int l = 0; l < k; l++)
      HgRequire(comm, strcmp(s->writes[k], s->writes[l]), HG_ERR_STENCIL,
                "program '%s': stencil '%s' writes '%s' twice", p->name, s->name, s->writes[k]);
  for (int k = 0; !part && s->reads[k].name; k++)
    for (int l = 0; l < k; l++)
      HgRequire(comm, strcmp(s->reads[k].name, s->reads[l].name), HG_ERR_STENCIL,
                "program '%s': stencil '%s' reads '%s' twice", p->name, s->name, s->reads[k].name);
  return 0;
}

/* Finds which writes are copies of which reads. */
static PetscErrorCode find_copies(HgProgram p, const HgStencil *s, HgTerm *t) {
  for (int k = 0; k < t->writes; k++) t->copy_of[k] = -1;
  for (const char *const(*pair)[2] = s->copies; pair && (*pair)[0]; pair++, t->copies++) {
    int read = 0, write = 0;
    while (read < t->reads && strcmp(s->reads[read].name, (*pair)[1])) read++;
    while (write < t->writes && strcmp(s->writes[write], (*pair)[0])) write++;
    HgRequire(HgMeshComm(p->mesh), read < t->reads && write < t->writes, HG_ERR_STENCIL,
              "program '%s': stencil '%s' copies '%s' to '%s', expected a read and a write",
              p->name, s->name, (*pair)[1], (*pair)[0]);
    t->copy_of[write] = read;
  }
  for (int k = 0; k < t->writes; k++)
    HgRequire(HgMeshComm(p->mesh),
              t->copies < t->writes && (t->copy_of[k] >= 0) == (k >= t->writes - t->copies),
              HG_ERR_STENCIL,
              "program '%s': stencil '%s' says of %d writes that they are copies, expected the "
              "last, not all",
              p->name, s->name, t->copies);
  return 0;
}

/* Checks that a term may read and write its variables. */
static PetscErrorCode check_term(HgProgram p, const HgTerm *t) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  const HgStencil *s = t->stencil;
  const bool part = t->part.op != NULL;
  const int most = HG_STENCIL_READS * (1 + HgProgramDualDirections(p));
  HgRequire(comm, t->reads >= 1 && t->reads <= most && t->writes >= 1 && t->writes <= most,
            HG_ERR_STENCIL,
            "program '%s': stencil '%s' reads %d and writes %d variables, expected 1 to %d of each",
            p->name, s->name, t->reads, t->writes, most);
  HgRequire(comm, part || (s->apply && s->adjoint && (s->tangent || p->dual)), HG_ERR_STENCIL,
            "program '%s': stencil '%s' lacks a kernel, expected apply, tangent and adjoint",
            p->name, s->name);
  PetscCall(check_names(p, s, part));
  for (int k = 0; k < t->reads; k++)
    HgRequire(
        comm, s->reads[k].radius >= 0 && s->reads[k].adjoint_radius >= HG_ADJOINT_UNUSED,
        HG_ERR_STENCIL,
        "program '%s': stencil '%s' reads '%s' within radius %d (adjoint %d), expected 0 or more",
        p->name, s->name, s->reads[k].name, s->reads[k].radius, s->reads[k].adjoint_radius);
  return 0;
}

/* Finds the indices of the variables that a term reads, then of those that it writes. A refused
   term adds no variables. */
static PetscErrorCode find_variables(HgProgram p, const HgTerm *t, int place[]) {
  const HgStencil *s = t->stencil;
  const int before = p->variables;
  for (int k = 0; k < t->reads + t->writes; k++) {
    const bool output = k >= t->reads;
    const char *const name = output ? s->writes[k - t->reads] : s->reads[k].name;
    const HgVariable kind = like(p, s, &t->part, output, output ? k - t->reads : k, name);
    const PetscErrorCode ierr = HgProgramDeclareVariable(p, s->name, name, &kind, &place[k]);
    if (!ierr) continue;
    p->variables = before;
    return ierr;
  }
  return 0;
}

/* Finds the versions that a term reads and writes, and the radii. */
static PetscErrorCode find_versions(HgProgram p, HgTerm *t, const int place[]) {
  const HgStencil *s = t->stencil;
  for (int k = 0; k < t->reads; k++) {
    const HgRead *read = &s->reads[k];
    const int variable = place[k];
    if (p->variable[variable].last < 0) PetscCall(new_version(p, variable, -1, &t->read[k]));
    t->read[k] = p->variable[variable].last;
    p->version[t->read[k]].last_reader = p->terms;
    p->variable[variable].depth =
        PetscMax(p->variable[variable].depth, PetscMax(read->radius, read->adjoint_radius));
    t->radius = PetscMax(t->radius, read->radius);
  }
  for (int k = 0; k < t->writes; k++)
    PetscCall(new_version(p, place[t->reads + k], p->terms, &t->write[k]));
  for (int k = 0; k < t->writes; k++) { /* the adjoint reads y_bar within the radius */
    HgProgramVariable *v = HgVersionVariable(p, t->write[k]);
    v->depth = PetscMax(v->depth, t->radius);
  }
  return 0;
}

static PetscErrorCode register_events(HgTerm *t) {
  static const char *const suffix[HG_MODES] = {"", " tangent", " adjoint"};
  char name[64];
  for (int mode = 0; mode < HG_MODES; mode++) {
    snprintf(name, sizeof name, "%s%s", t->stencil->name, suffix[mode]);
    PetscCall(PetscLogEventRegister(name, PETSC_OBJECT_CLASSID, &t->event[mode]));
  }
  return 0;
}

PetscErrorCode HgProgramAddTerm(HgProgram p, const HgStencil *stencil, const void *params,
                                const HgOperatorTerm *part) {
  HgRequire(HgMeshComm(p->mesh), !p->ready, HG_ERR_CALL_ORDER,
            "program '%s': stencil '%s' added after HgProgramSetUp", p->name, stencil->name);
  HgTerm t = {.stencil = stencil};
  if (part) t.part = *part;
  while (stencil->reads[t.reads].name) t.reads++;
  while (stencil->writes[t.writes]) t.writes++;
  PetscCall(check_term(p, &t));
  PetscCall(PetscCalloc3(t.reads, &t.read, t.writes, &t.write, t.writes, &t.copy_of));
  int *place;
  PetscCall(PetscMalloc1(t.reads + t.writes, &place));
  PetscErrorCode ierr = find_copies(p, stencil, &t);
  if (!ierr) ierr = find_variables(p, &t, place);
  if (!ierr) ierr = find_versions(p, &t, place);
  PetscCall(PetscFree(place));
  if (ierr) {
    PetscCall(PetscFree3(t.read, t.write, t.copy_of));
    return ierr;
  }
  PetscCall(register_events(&t));
  PetscCall(copy_params(stencil, params, &t.params));
  PetscCall(PetscRealloc(sizeof *p->term * (size_t)(p->terms + 1), &p->term));
  p->term[p->terms++] = t;
  return 0;
}

PetscErrorCode HgProgramSetBoundary(HgProgram p, const char variable[], HgBoundary boundary) {
  int k;
  HgRequire(HgMeshComm(p->mesh), !p->ready, HG_ERR_CALL_ORDER,
            "program '%s': boundary of '%s' set after HgProgramSetUp", p->name, variable);
  PetscCall(HgProgramKnownVariable(p, variable, &k));
  p->variable[k].boundary = boundary;
  return 0;
}

PetscErrorCode HgProgramGetBoundary(HgProgram p, const char variable[], HgBoundary *boundary) {
  int k;
  PetscCall(HgProgramKnownVariable(p, variable, &k));
  *boundary = p->variable[k].boundary;
  return 0;
}

PetscErrorCode HgProgramSetLocation(HgProgram p, const char variable[], HgLocation location) {
  int k;
  HgRequire(HgMeshComm(p->mesh), !p->ready, HG_ERR_CALL_ORDER,
            "program '%s': location of '%s' set after HgProgramSetUp", p->name, variable);
  PetscCall(HgProgramKnownVariable(p, variable, &k));
  p->variable[k].location = location;
  return 0;
}

PetscErrorCode HgProgramSetUnit(HgProgram p, const char variable[], const char unit[]) {
  int k;
  PetscCall(HgProgramKnownVariable(p, variable, &k));
  HgRequire(HgMeshComm(p->mesh), strlen(HgUnitText(unit)) < sizeof p->variable[k].unit,
            HG_ERR_ARGUMENT, "program '%s': unit '%s' of '%s' has %zu bytes, expected at most %zu",
            p->name, unit, variable, strlen(unit), sizeof p->variable[k].unit - 1);
  return PetscStrncpy(p->variable[k].unit, HgUnitText(unit), sizeof p->variable[k].unit);
}

PetscErrorCode HgProgramSetActive(HgProgram p, const char constant[], bool active) {
  int k;
  PetscCall(HgProgramKnownVariable(p, constant, &k));
  HgRequire(HgMeshComm(p->mesh), p->ready && p->variable[k].role == HG_CONSTANT, HG_ERR_VARIABLE,
            "program '%s': '%s' is %s, expected a constant of a program that is set up", p->name,
            constant, !p->ready ? "not set up yet" : "written by a stencil");
  if (p->variable[k].active == active) return 0;
  PetscCall(HgTimeBlockForgetReverse(p)); /* an adjoint may read less, or more */
  p->variable[k].active = active;
  p->changes++;
  return 0;
}

bool HgProgramActive(HgProgram p, int k) {
  for (int l = 0; l < p->variables; l++)
    if (p->variable[l].role == HG_CONSTANT && p->variable[l].input == k)
      return p->variable[l].active;
  return true;
}

bool HgProgramActiveConstants(HgProgram p, HgState x, bool active[]) {
  bool any = false;
  for (int l = 0; x && l < p->variables; l++) {
    const HgProgramVariable *v = &p->variable[l];
    const int k = HgStateFind(x, v->name);
    if (k < 0) continue;
    active[k] = v->role == HG_CONSTANT && v->active;
    any = any || active[k];
  }
  return any;
}

bool HgProgramTerm(HgProgram p, int k, const HgStencil **stencil, const void **params) {
  *stencil = NULL, *params = NULL;
  if (k >= p->terms) return false;
  if (!p->term[k].part.op && !p->term[k].part.series)
    *stencil = p->term[k].stencil, *params = p->term[k].params;
  return true;
}

/* The order of variables in an input: that of the physics, else the carried ones first. */
static void order_input(HgProgram p) {
  int count = 0;
  for (int k = 0; p->physics && k < p->variables; k++)
    if (p->variable[k].role != HG_WORK) p->variable[k].input = count++;
  for (HgRole role = HG_CARRIED; !p->physics && role <= HG_CONSTANT; role++)
    for (int k = 0; k < p->variables; k++)
      if (p->variable[k].role == role) p->variable[k].input = count++;
}

/* Infers roles, and where each version is stored. */
static PetscErrorCode infer(HgProgram p) {
  int carried = 0, constants = 0, work = 0;
  for (int k = 0; k < p->variables; k++) {
    HgProgramVariable *v = &p->variable[k];
    HgRequire(HgMeshComm(p->mesh), v->first >= 0, HG_ERR_PHYSICS,
              "program '%s': its physics states a variable '%s', which no stencil reads or writes",
              p->name, v->name);
    const bool read_first = p->version[v->first].writer < 0,
               written = p->version[v->last].writer >= 0;
    v->role = !read_first ? HG_WORK : written ? HG_CARRIED : HG_CONSTANT;
    v->index = v->role == HG_CARRIED ? carried++ : v->role == HG_CONSTANT ? constants++ : -1;
  }
  HgRequire(HgMeshComm(p->mesh), carried, HG_ERR_VARIABLE,
            "program '%s': no variable is read and then written, so there is no state to carry to "
            "the next step",
            p->name);
  order_input(p);
  for (int k = 0; k < p->versions; k++) {
    HgVersion *v = &p->version[k];
    const HgProgramVariable *variable = &p->variable[v->variable];
    if (variable->role == HG_CONSTANT) v->place = HG_AT_CONSTANTS, v->index = variable->index;
    else if (variable->role == HG_CARRIED && k == variable->first)
      v->place = HG_AT_START, v->index = variable->index;
    else if (variable->role == HG_CARRIED && k == variable->last)
      v->place = HG_AT_END, v->index = variable->index;
    else v->place = HG_AT_WORK, v->index = work++;
  }
  return 0;
}

PetscErrorCode HgProgramSetUp(HgProgram p) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  HgRequire(comm, !p->ready, HG_ERR_CALL_ORDER, "program '%s': HgProgramSetUp called twice",
            p->name);
  HgRequire(comm, p->terms, HG_ERR_ARGUMENT, "program '%s': it has no stencil", p->name);
  PetscCall(infer(p));
  PetscCall(HgProgramStateWalls(p));
  for (int k = 0; k < p->variables; k++) {
    HgProgramVariable *v = &p->variable[k];
    v->closed = HgBoundaryClosedFaces(p->mesh, &v->boundary, v->location);
  }
  PetscCall(HgProgramInlineTerms(p));
  PetscCall(HgProgramCheckLimited(p));
  PetscCall(HgProgramReadOptions(p));
  PetscBool view = PETSC_FALSE;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-hg_program_view", &view));
  PetscCall(HgProgramAskGhosts(p));
  PetscCall(HgProgramCheckOperators(p));
  PetscCall(HgProgramCheckDepths(p));
  p->ready = true;
  PetscCall(HgTimeBlockFind(p));
  PetscCall(HgTimeBlockMeasure(p));
  if (view) PetscCall(HgProgramViewOnce(p));
  return 0;
}

HgMesh HgProgramMesh(HgProgram p) { return p->mesh; }

const char *HgProgramName(HgProgram p) { return p->name; }

double HgProgramTimeStep(HgProgram p) { return p->dt; }

PetscErrorCode HgProgramCreateCarried(HgProgram p, HgState *q) {
  return HgProgramCreateState(p, true, false, q);
}

PetscErrorCode HgProgramCreateConstants(HgProgram p, HgState *c) {
  return HgProgramCreateState(p, false, true, c);
}

PetscErrorCode HgProgramCreateInput(HgProgram p, HgState *input) {
  return HgProgramCreateState(p, true, true, input);
}

void HgProgramTraffic(HgProgram p, long *exchanges, long *messages, double *bytes) {
  *exchanges = p->exchanges, *messages = p->messages, *bytes = p->bytes;
}
