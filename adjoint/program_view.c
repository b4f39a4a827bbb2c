/* What -hg_program_view prints: variables by role, terms in order, exchanges where they fall. */
#include "program_private.h"
static const char *side_text(bool periodic, HgSide side, char text[32]) {
  static const char *const names[] = {"frozen", "fixed", "copy", "mirror"};
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
PetscErrorCode HgProgramView(HgProgram p, PetscViewer viewer) {
  static const char *const stream[] = {"through the cache", "stream past the cache",
                                       "through or past the cache, as is faster"};
  PetscCall(HgMeshView(p->mesh, viewer));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "program '%s': %d terms, dt = %g s, overlap %s, results %s\n", p->name, p->terms,
      p->dt, p->overlap ? "on" : "off", stream[p->stream]));
  PetscCall(view_variables(p, viewer));
  for (int k = 0; k < p->terms; k++) {
    const HgTerm *t = &p->term[k];
    char exchanged[256] = "";
    /* ghosts of a version are filled for its first reader, constants once for all steps */
    for (int l = 0; l < t->reads; l++) {
      const HgVersion *v = &p->version[t->read[l]];
      bool first = t->stencil->reads[l].radius > 0;
      for (int m = 0; m < k; m++)
        for (int n = 0; n < p->term[m].reads; n++)
          if (p->term[m].read[n] == t->read[l] && p->term[m].stencil->reads[n].radius > 0)
            first = false;
      if (!first) continue;
      char item[64];
      snprintf(item, sizeof item, " %s(%d)%s", p->variable[v->variable].name, v->depth,
               v->place == HG_AT_CONSTANTS ? " once" : "");
      PetscCall(PetscStrlcat(exchanged, item, sizeof exchanged));
    }
    if (exchanged[0])
      PetscCall(
          PetscViewerASCIIPrintf(viewer, "  exchange%s: one message per neighbour\n", exchanged));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  term %d   %s:", k, t->stencil->name));
    for (int l = 0; l < t->reads; l++)
      PetscCall(PetscViewerASCIIPrintf(viewer, " %s(%d)", t->stencil->reads[l].name,
                                       t->stencil->reads[l].radius));
    PetscCall(PetscViewerASCIIPrintf(viewer, " ->"));
    for (int l = 0; l < t->writes; l++)
      PetscCall(PetscViewerASCIIPrintf(viewer, " %s", t->stencil->writes[l]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  }
  return 0;
}
