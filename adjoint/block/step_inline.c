/* SPDX-License-Identifier: BSD-2-Clause */
/* Two terms as one (HgStencil.inlined): where only the second reads what the first writes, steps
   compute it on the way, and so does the second one's adjoint. The rows between are then neither
   stored nor loaded. */
#include <halograd/step_library.h>
#include <string.h>

/* The version that a term reads by that name; -1: it does not read it. */
static int version_read(const HgTerm *t, const char name[]) {
  for (int k = 0; k < t->reads; k++)
    if (!strcmp(t->stencil->reads[k].name, name)) return t->read[k];
  return -1;
}

/* Whether term `second` alone reads a result of the term before it, as that computes it: what lies
   on closed faces is set to 0. */
static bool is_between(HgProgram p, int version, int second) {
  const HgVersion *v = &p->version[version];
  return v->place == HG_AT_WORK && v->last_reader == second &&
         !HgBoundaryCloses(p->mesh, &HgVersionVariable(p, version)->boundary);
}

/* Finds the versions that both as one read. Returns whether that is what the two terms do. */
static bool find_reads(HgProgram p, int second, HgTerm *both) {
  const HgTerm *t = &p->term[second], *before = t - 1;
  for (int k = 0; k < both->reads; k++) {
    const HgRead *r = &both->stencil->reads[k];
    const int first = version_read(before, r->name), own = version_read(t, r->name);
    if ((first < 0 && own < 0) || (first >= 0 && own >= 0 && first != own)) return false;
    both->read[k] = PetscMax(first, own);
    both->radius = PetscMax(both->radius, r->radius);
    for (int l = t->writes - t->copies; l < t->writes; l++)
      if (t->read[t->copy_of[l]] == both->read[k]) both->copy_of[l] = k;
  }
  for (int k = 0; k < before->writes; k++)
    if (!is_between(p, before->write[k], second)) return false;
  return true;
}

/* Adds term `second` and the one before it as one, unless something else reads what is between. The
   stencils of a physics take the same params. */
static PetscErrorCode inline_term(HgProgram p, int second) {
  const HgTerm *t = &p->term[second], *before = t - 1;
  const HgStencil *s = t->stencil->inlined;
  if (s->of[0] != before->stencil || s->of[1] != t->stencil) return 0;
  HgTerm both = {.stencil = s, .writes = t->writes, .copies = t->copies};
  both.params = t->params ? t->params : before->params;
  while (s->reads[both.reads].name) both.reads++;
  if (both.reads > HG_STENCIL_READS) return 0;
  PetscCall(
      PetscCalloc3(both.reads, &both.read, both.writes, &both.write, both.writes, &both.copy_of));
  PetscCall(PetscArraycpy(both.write, t->write, t->writes));
  if (!find_reads(p, second, &both)) return PetscFree3(both.read, both.write, both.copy_of);
  PetscCall(PetscLogEventRegister(s->name, PETSC_OBJECT_CLASSID, &both.event[HG_PRIMAL]));
  PetscCall(PetscRealloc(sizeof both * (size_t)(p->terms + p->pairs + 1), &p->term));
  p->term[second].with_previous = p->terms + p->pairs;
  p->term[p->terms + p->pairs++] = both;
  return 0;
}

PetscErrorCode HgProgramInlineTerms(HgProgram p) {
  for (int k = 1; k < HgProgramPhysicsTerms(p); k++)
    if (p->term[k].stencil->inlined && !p->term[k - 1].with_previous) PetscCall(inline_term(p, k));
  return 0;
}
