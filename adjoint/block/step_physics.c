/* SPDX-License-Identifier: BSD-2-Clause */
/* Does what a program is given keep what its physics says of it? */
#include <halograd/error_library.h>
#include <halograd/state_library.h>
#include <halograd/step_library.h>
#include <math.h>
#include <string.h>

bool HgPhysicsWrites(const HgPhysics *physics, const char name[]) {
  for (const HgStencil *const *s = physics->stencils; *s; s++)
    for (const char *const *write = (*s)->writes; *write; write++)
      if (!strcmp(*write, name)) return true;
  return false;
}

int HgProgramPhysicsTerms(HgProgram p) {
  int terms = 0;
  while (p->physics && p->physics->stencils[terms]) terms++;
  for (const HgPhysicsSeries *s = terms ? p->physics->series : NULL; s && s->name; s++) terms++;
  return terms;
}

PetscErrorCode HgProgramCheckStated(HgProgram p) {
  int stated = 0;
  while (p->physics->variables[stated].name) stated++;
  const HgPhysicsSeries *const first = p->physics->series;
  for (const HgPhysicsSeries *s = first; s && s->name; s++)
    stated += s == first || strcmp(s->name, s[-1].name); /* arrays */
  HgRequire(HgMeshComm(p->mesh), p->variables == stated, HG_ERR_PHYSICS,
            "physics '%s': its stencils read or write '%s', which is none of its %d variables",
            p->physics->name, p->variable[stated].name, stated);
  return 0;
}

PetscErrorCode HgProgramCheckStruct(HgProgram p) {
  const HgStencil *first = NULL;
  for (const HgStencil *const *s = p->physics->stencils; *s; s++) {
    if (!(*s)->params_name) continue;
    if (!first) first = *s;
    HgRequire(HgMeshComm(p->mesh), !strcmp((*s)->params_name, first->params_name), HG_ERR_STENCIL,
              "physics '%s': stencil '%s' takes %s, but '%s' takes %s; expected one struct, as all "
              "are given the same params",
              p->physics->name, (*s)->name, (*s)->params_name, first->name, first->params_name);
  }
  return 0;
}

PetscErrorCode HgProgramCheckNumbers(HgProgram p, const void *params) {
  static const char *const expected[] = {
      [HG_ANY_SIGN] = "a finite number", [HG_NOT_NEGATIVE] = ">= 0", [HG_POSITIVE] = "> 0"};
  const HgPhysics *physics = p->physics;
  for (const HgPhysicsNumber *n = physics->numbers; params && n && n->name; n++) {
    double value;
    memcpy(&value, (const char *)params + n->offset, sizeof value);
    const bool keeps =
        value > 0 || n->sign == HG_ANY_SIGN || (!value && n->sign == HG_NOT_NEGATIVE);
    HgRequire(HgMeshComm(p->mesh), isfinite(value) && keeps, HG_ERR_PHYSICS,
              "physics '%s': its number '%s' is %g, expected %s", physics->name, n->name, value,
              expected[n->sign]);
  }
  return 0;
}

PetscErrorCode HgProgramCheckPositive(HgProgram p, HgState input) {
  const HgPhysics *physics = p->physics;
  for (const char *const *name = physics && p->ready ? physics->positive : NULL; name && *name;
       name++) {
    double least = 1, largest;
    if (!HgPhysicsWrites(physics, *name)) PetscCall(HgStateRange(input, *name, &least, &largest));
    HgRequire(HgMeshComm(p->mesh), least > 0, HG_ERR_LIMIT_BROKEN,
              "physics '%s': the least '%s' of the input is %g, expected more than 0 everywhere",
              physics->name, *name, least);
  }
  return 0;
}
