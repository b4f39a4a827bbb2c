/* What -hg_program_view prints: variables by role, terms in order, exchanges where they fall. */
#include "program_private.h"

static const char *side_text(bool periodic, HgSide side, char text[32]) {
  static const char *const names[] = {"frozen", "fixed", "copy", "mirror", "closed"};
  if (periodic) snprintf(text, 32, "periodic");
  else if (side.kind == HG_FIXED || side.kind == HG_MIRROR)
    snprintf(text, 32, "%s %g", names[side.kind], side.value);
  else snprintf(text, 32, "%s", names[side.kind]);
  return text;
}

static PetscErrorCode view_variables(HgProgram p, PetscViewer viewer) {
  static const char *const roles[] = {"carried", "constant", "work"};
  const HgMeshSpec *mesh = HgMeshGetSpec(p->mesh);
  for (HgRole role = HG_CARRIED; role <= HG_WORK; role++)
    for (int k = 0; k < p->variables; k++) {
      const HgProgramVariable *v = &p->variable[k];
      if (v->role != role) continue;
      char west[32], east[32], south[32], north[32];
      PetscCall(PetscViewerASCIIPrintf(
          viewer, "  %-8s %-12s [%s]  ghosts %d, outside: west %s, east %s, south %s, north %s%s\n",
          roles[role], v->name, v->unit, v->depth,
          side_text(mesh->periodic_x, v->boundary.west, west),
          side_text(mesh->periodic_x, v->boundary.east, east),
          side_text(mesh->periodic_y, v->boundary.south, south),
          side_text(mesh->periodic_y, v->boundary.north, north),
          role == HG_CONSTANT && !v->active ? ", not a control" : ""));
    }
  return 0;
}

static PetscErrorCode view_group(HgProgram p, HgForm form, int index, PetscViewer viewer) {
  static const char *const forms[] = {"", "'", "_bar"};
  const HgPass *pass = &p->pass[form];
  const HgGroup *g = &pass->group[index];
  bool exchanged = false;
  for (int k = 0; k < g->needs; k++) { /* constants once for all steps */
    if (!g->need[k].depth) continue;
    const HgVersion *v = HgSlotVersion(p, g->need[k].slot);
    const HgForm of = HgSlotForm(p, g->need[k].slot);
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s %s%s(%d)%s", exchanged ? "" : "  exchange",
                                     p->variable[v->variable].name, forms[of], g->need[k].depth,
                                     v->place == HG_AT_CONSTANTS ? " once" : ""));
    exchanged = true;
  }
  if (exchanged) PetscCall(PetscViewerASCIIPrintf(viewer, ": one message per neighbour\n"));
  for (int c = g->first; c < g->last; c++) {
    const HgCall *call = &pass->call[c];
    const HgTerm *t = &p->term[call->term];
    static const char *const verbs[] = {"apply", "tangent", "adjoint"};
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %-7s %s:", verbs[call->form], t->stencil->name));
    for (int l = 0; l < t->reads; l++)
      PetscCall(PetscViewerASCIIPrintf(viewer, " %s(%d)", t->stencil->reads[l].name,
                                       t->stencil->reads[l].radius));
    PetscCall(PetscViewerASCIIPrintf(viewer, " ->"));
    for (int l = 0; l < t->writes; l++)
      PetscCall(PetscViewerASCIIPrintf(viewer, " %s", t->stencil->writes[l]));
    if (call->extent)
      PetscCall(PetscViewerASCIIPrintf(viewer, ", and %d cells beyond", call->extent));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  }
  return 0;
}

PetscErrorCode HgProgramView(HgProgram p, PetscViewer viewer) {
  static const char *const stream[] = {"through the cache", "stream past the cache",
                                       "through or past the cache, as is faster"};
  static const HgForm forms[] = {HG_PRIMAL, HG_BAR};
  static const char *const titles[] = {"a step", "a step reversed"};
  PetscCall(HgMeshView(p->mesh, viewer));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "program '%s': %d terms, dt = %g s, overlap %s, %d thread%s, results %s\n", p->name,
      p->terms, p->dt, p->overlap ? "on" : "off", p->threads, p->threads > 1 ? "s" : "",
      stream[p->stream]));
  PetscCall(view_variables(p, viewer));
  if (p->leap_steps)
    PetscCall(PetscViewerASCIIPrintf(
        viewer,
        " up to %d steps in one exchange and one pass where nobody looks at states between\n",
        p->leap_steps));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgPassPlan(p, forms[k]));
    PetscCall(PetscViewerASCIIPrintf(viewer, " %s, in %d group%s of calls:\n", titles[k],
                                     p->pass[forms[k]].groups,
                                     p->pass[forms[k]].groups > 1 ? "s" : ""));
    for (int g = 0; g < p->pass[forms[k]].groups; g++)
      PetscCall(view_group(p, forms[k], g, viewer));
  }
  return 0;
}
