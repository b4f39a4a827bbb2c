/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of a physics: its variables are declared in the order in which it states them. */
#include "program_private.h"
#include <halograd/location_library.h>
#include <halograd/measure_library.h>
#include <halograd/series_library.h>
#include <halograd/state_library.h>
#include <halograd/unit_library.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

PetscErrorCode HgProgramDeclare(HgProgram p, const HgPhysics *physics) {
  const bool levels = HgMeshGetSpec(p->mesh)->nz > 0;
  HgRequire(HgMeshComm(p->mesh), physics->levels == levels, HG_ERR_PHYSICS,
            "physics '%s' is for meshes %s levels, but the mesh has %s; %s", physics->name,
            physics->levels ? "with" : "without", levels ? "some" : "none",
            levels ? "leave nz at 0, or take a text that says 'in xyz'" : "set nz and dz");
  p->physics = physics;
  for (const HgPhysicsVariable *v = physics->variables; v->name; v++) {
    for (const HgPhysicsVariable *before = physics->variables; before < v; before++)
      HgRequire(HgMeshComm(p->mesh), strcmp(before->name, v->name), HG_ERR_PHYSICS,
                "physics '%s': variable '%s' is stated twice", physics->name, v->name);
    PetscCall(HgProgramDeclareField(p, physics->name, v->name, v->unit, v->surface));
    PetscCall(HgProgramSetLocation(p, v->name, v->location));
    PetscCall(HgProgramSetBoundary(p, v->name, v->boundary));
  }
  for (const char *const *name = physics->positive; name && *name; name++)
    if (HgPhysicsWrites(physics, *name)) PetscCall(HgProgramRequireAbove(p, *name, 0));
  return 0;
}

/* Error: a .stencil describes a variable otherwise than the physics. */
static PetscErrorCode require_alike(HgProgram p, const HgStencil *s) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  for (const HgStated *told = s->stated; told && told->name; told++) {
    const HgPhysicsVariable *v = p->physics->variables;
    while (v->name && strcmp(v->name, told->name)) v++;
    if (!v->name) continue; /* which require_stated() refuses */
    const char *const unit = p->variable[v - p->physics->variables].unit;
    if (told->unit && !v->unit && !strcmp(unit, "1"))
      PetscCall(HgProgramSetUnit(p, v->name, told->unit)); /* it says none */
    HgRequire(comm, !told->unit || HgUnitsEqual(told->unit, unit), HG_ERR_STENCIL,
              "physics '%s': '%s' is in '%s', but its stencil '%s' says '%s'", p->physics->name,
              v->name, unit, s->name, told->unit);
    HgRequire(comm, told->location == HG_ANYWHERE || told->location == (int)v->location,
              HG_ERR_STENCIL, "physics '%s': '%s' lives at the %s, but its stencil '%s' says %s",
              p->physics->name, v->name, HgLocationName(v->location), s->name,
              HgLocationName((HgLocation)told->location));
  }
  return 0;
}

/* Copies the params of which the largest step is a function. */
static PetscErrorCode keep_params(HgProgram p, const void *params) {
  const HgPhysics *physics = p->physics;
  const MPI_Comm comm = HgMeshComm(p->mesh);
  PetscCall(HgProgramCheckStruct(p));
  for (const HgStencil *const *s = physics->stencils; *s; s++)
    HgRequire(
        comm, (*s)->params_size <= physics->params_size, HG_ERR_STENCIL,
        "physics '%s': its params have %zu bytes, but stencil '%s' takes %zu; set .params_size of "
        "the physics to the size of their struct",
        physics->name, physics->params_size, (*s)->name, (*s)->params_size);
  PetscCall(HgProgramCheckParams(p, physics->name, params, physics->params_size, NULL));
  PetscCall(HgProgramCheckNumbers(p, params));
  if (!params) return 0;
  PetscCall(PetscMalloc(physics->params_size, &p->physics_params));
  return PetscMemcpy(p->physics_params, params, physics->params_size);
}

/* Adds terms that turn numbers by step into fields for stencils. */
static PetscErrorCode add_series(HgProgram p) {
  for (const HgPhysicsSeries *s = p->physics->series; s && s->name; s++) {
    HgOperatorTerm part = {.op = NULL};
    PetscCall(HgSeriesCreate(p->mesh, p->physics, s, p->physics_params, &part.series));
    const PetscErrorCode ierr =
        HgProgramAddTerm(p, HgSeriesStencil(part.series), &part.series, &part);
    if (ierr) PetscCall(HgSeriesDestroy(&part.series));
    PetscCall(ierr);
  }
  return 0;
}

PetscErrorCode HgProgramCreatePhysics(HgMesh mesh, const HgPhysics *physics, const void *params,
                                      double dt, HgProgram *program) {
  PetscCall(HgProgramCreate(mesh, physics->name, dt, program));
  PetscErrorCode ierr = HgProgramDeclare(*program, physics);
  if (!ierr) ierr = keep_params(*program, params);
  if (!ierr) ierr = add_series(*program);
  for (const HgStencil *const *s = physics->stencils; *s && !ierr; s++)
    ierr = HgProgramAddStencil(*program, *s, (*s)->params_size ? params : NULL);
  if (!ierr) ierr = HgProgramCheckStated(*program);
  for (const HgStencil *const *s = physics->stencils; *s && !ierr; s++)
    ierr = require_alike(*program, *s);
  if (ierr) PetscCall(HgProgramDestroy(program));
  return ierr;
}

int HgProgramEachStep(HgProgram p, const char name[], char *along) {
  const HgPhysicsSeries *s = p->physics ? p->physics->series : NULL;
  while (s && s->name && strcmp(s->name, name)) s++;
  return s && s->name ? HgSeriesEach(p->mesh, s, along) : 0;
}

PetscErrorCode HgProgramSetParams(HgProgram p, const char stencil[], const void *params) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  const int own = HgProgramPhysicsTerms(p);
  int found = 0;
  HgRequire(comm, stencil || own, HG_ERR_PHYSICS,
            "program '%s': params for a physics, which it does not have; name one of its stencils",
            p->name);
  if (!stencil) {
    PetscCall(HgProgramCheckParams(p, p->physics->name, params, p->physics->params_size, NULL));
    PetscCall(HgProgramCheckNumbers(p, params));
  }
  for (int k = stencil ? own : 0; k < (stencil ? p->terms : own); k++) {
    const HgTerm *t = &p->term[k];
    if (t->part.op || t->part.series || (stencil && strcmp(t->stencil->name, stencil))) continue;
    if (stencil || t->params)
      PetscCall(HgProgramCheckParams(p, t->stencil->name, params, t->stencil->params_size,
                                     t->stencil->tables));
    if (t->params) memmove(t->params, params, t->stencil->params_size);
    found++;
  }
  HgRequire(
      comm, found, HG_ERR_STENCIL,
      "program '%s': params for a stencil '%s', expected one that was added by "
      "HgProgramAddStencil(); those of a physics share its params, for which the name is NULL",
      p->name, stencil);
  if (!stencil && p->physics_params) memmove(p->physics_params, params, p->physics->params_size);
  p->changes++;
  return 0;
}

/* The width of the narrowest cell [m]; on a sphere that nearest to a pole. */
static double narrowest(HgMesh mesh) {
  const HgLatitude *row = HgMeshGetMetric(mesh)->latitudes;
  const int last = HgMeshGetSpec(mesh)->ny - 1;
  return HgMeshGetMetric(mesh)->width * (row ? fmin(row[0].cosine, row[last].cosine) : 1);
}

PetscErrorCode HgProgramLargestStep(HgProgram p, HgState input, double *dt) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  HgRequire(comm, p->ready && p->physics, HG_ERR_CALL_ORDER,
            "program '%s': a largest step needs a physics, and HgProgramSetUp first", p->name);
  *dt = INFINITY;
  if (!p->physics->largest_step) return 0;
  HgRange *range;
  int count = 0;
  while (p->physics->variables[count].name) count++;
  PetscCall(PetscCalloc1(count, &range));
  PetscErrorCode ierr = 0;
  for (int k = 0; k < count && !ierr; k++)
    if (p->variable[k].role != HG_WORK)
      ierr = HgStateRange(input, p->variable[k].name, &range[k].least, &range[k].largest);
  if (!ierr)
    *dt = p->physics->largest_step(p->physics_params, narrowest(p->mesh),
                                   HgMeshGetMetric(p->mesh)->height, HgMeshGetSpec(p->mesh)->dz,
                                   range);
  PetscCall(PetscFree(range));
  PetscCall(ierr);
  bool finite = true;
  char where[256];
  if (!(*dt > 0)) PetscCall(HgStateFinite(input, &finite, where, sizeof where));
  HgRequire(comm, finite, HG_ERR_NOT_FINITE,
            "physics '%s': %s, on which its largest time step depends, expected a finite number",
            p->physics->name, where);
  HgRequire(comm, *dt > 0, HG_ERR_TIME_STEP,
            "physics '%s': its largest time step is %g s, expected a positive one",
            p->physics->name, *dt);
  return 0;
}

PetscErrorCode HgProgramRequireStable(HgProgram p, HgState input) {
  char what[128];
  double largest;
  PetscCall(HgProgramCheckPositive(p, input));
  PetscCall(HgProgramLargestStep(p, input, &largest));
  snprintf(what, sizeof what, "dt of physics '%.80s'", p->physics->name);
  return HgRequireStable(HgMeshComm(p->mesh), what, p->dt, largest);
}
