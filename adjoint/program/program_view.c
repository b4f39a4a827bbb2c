/* SPDX-License-Identifier: BSD-2-Clause */
/* What -hg_program_view prints: variables by role, terms in order, exchanges where they fall,
   tiles. */
#include "program_private.h"
#include <halograd/boundary_library.h>
#include <halograd/location_library.h>
#include <halograd/mesh_library.h>
#include <stdio.h>
#include <stdlib.h>

static PetscErrorCode view_variable(HgProgram p, const HgProgramVariable *v, PetscViewer viewer) {
  static const char *const roles[] = {"carried", "constant", "work"};
  char walls[256];
  HgBoundaryText(p->mesh, &v->boundary, v->surface, sizeof walls, walls);
  PetscCall(
      PetscViewerASCIIPrintf(viewer, "  %-8s %-12s [%s]  ", roles[v->role], v->name, v->unit));
  if (v->kind == HG_REPLICATED) PetscCall(PetscViewerASCIIPrintf(viewer, "%d numbers", v->size));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s%s, ghosts %d, outside: %s",
                                     HgLocationName(v->location), v->surface ? " of a surface" : "",
                                     v->depth, walls));
  return PetscViewerASCIIPrintf(viewer, "%s\n",
                                v->role == HG_CONSTANT && !v->active ? ", not a control" : "");
}

static PetscErrorCode view_variables(HgProgram p, PetscViewer viewer) {
  for (HgRole role = HG_CARRIED; role <= HG_WORK; role++)
    for (int k = 0; k < p->variables; k++)
      if (p->variable[k].role == role) PetscCall(view_variable(p, &p->variable[k], viewer));
  return 0;
}

/* Prints what is exchanged before the calls of a stage. */
static PetscErrorCode view_exchange(HgBlock b, const HgStage *g, PetscViewer viewer) {
  static const char *const forms[] = {"", "'", "_bar"};
  bool exchanged = false;
  for (int k = 0; k < g->needs; k++) { /* constants once for all steps */
    if (!g->need[k].depth) continue;
    const HgVersion *v = HgValueVersion(b, g->need[k].value);
    const HgMode of = HgValueMode(b, g->need[k].value);
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s %s%s(%d)%s", exchanged ? "" : "  exchange",
                                     b->program->variable[v->variable].name, forms[of],
                                     g->need[k].depth, v->place == HG_AT_CONSTANTS ? " once" : ""));
    exchanged = true;
  }
  return exchanged ? PetscViewerASCIIPrintf(viewer, ": one message per neighbour\n") : 0;
}

static PetscErrorCode view_call(HgBlock b, const HgCall *call, PetscViewer viewer) {
  static const char *const verbs[] = {"apply", "tangent", "adjoint"};
  const HgTerm *t = &b->program->term[call->kernel];
  const int writes = call->mode == HG_COTANGENT ? t->writes : call->outs;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %-7s %s", verbs[call->mode], t->stencil->name));
  if (b->steps > 1) PetscCall(PetscViewerASCIIPrintf(viewer, " of step %d", call->step + 1));
  PetscCall(PetscViewerASCIIPrintf(viewer, ":"));
  for (int l = 0; l < t->reads; l++)
    PetscCall(PetscViewerASCIIPrintf(viewer, " %s(%d)", t->stencil->reads[l].name,
                                     t->stencil->reads[l].radius));
  PetscCall(PetscViewerASCIIPrintf(viewer, " ->"));
  for (int l = 0; l < writes; l++)
    PetscCall(PetscViewerASCIIPrintf(viewer, " %s", t->stencil->writes[l]));
  if (call->overlap)
    PetscCall(PetscViewerASCIIPrintf(viewer, ", and %d cells beyond", call->overlap));
  if (call->skew) PetscCall(PetscViewerASCIIPrintf(viewer, ", skew %d", call->skew));
  return PetscViewerASCIIPrintf(viewer, "\n");
}

static PetscErrorCode view_stage(HgBlock b, const HgStage *g, PetscViewer viewer) {
  const HgPatch *patch = HgMeshGetPatch(b->program->mesh);
  HgTileShape shape;
  PetscCall(view_exchange(b, g, viewer));
  for (int c = g->first; c < g->last; c++) PetscCall(view_call(b, &b->call[c], viewer));
  if (b->program->term[b->call[g->first].term].part.op) return 0; /* no tiles */
  PetscCall(HgStageShape(b, g, patch->nx, patch->ny, &shape));
  const int tiles = shape.strips * shape.layers * shape.decks;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %d tile%s of at most %d columns, ", tiles,
                                   tiles > 1 ? "s" : "", shape.columns));
  if (HgMeshGetSpec(b->program->mesh)->nz)
    PetscCall(PetscViewerASCIIPrintf(viewer, "%d levels, ", shape.levels));
  PetscCall(
      PetscViewerASCIIPrintf(viewer, "%d rows at a time", PetscMin(shape.rows_at_once, patch->ny)));
  if (shape.bytes)
    PetscCall(PetscViewerASCIIPrintf(viewer, ", %zu bytes of rows handed on in each", shape.bytes));
  return PetscViewerASCIIPrintf(viewer, "\n");
}

static PetscErrorCode view_block(HgProgram p, HgMode mode, HgReversal way, const char title[],
                                 PetscViewer viewer) {
  HgBlock b;
  PetscCall(HgProgramBlock(p, mode, (int)way.steps, way.stored, &b));
  PetscCall(PetscViewerASCIIPrintf(viewer, " %s, in %d stage%s:\n", title, b->stages,
                                   b->stages > 1 ? "s" : ""));
  for (int g = 0; g < b->stages; g++) PetscCall(view_stage(b, &b->stage[g], viewer));
  return 0;
}

/* Prints how many steps run at once. */
static PetscErrorCode view_several(HgProgram p, PetscViewer viewer) {
  char title[128];
  HgReversal way = {.steps = p->blocks->steps};
  if (!p->blocks->steps) return 0;
  snprintf(title, sizeof title, "%d steps in one time block, where no state between is looked at",
           p->blocks->steps);
  PetscCall(view_block(p, HG_PRIMAL, way, title, viewer));
  for (int stored = 1; stored >= 0; stored--) {
    PetscCall(HgProgramReversal(p, stored, &way));
    if (way.steps < 2 || way.stored != stored) continue;
    snprintf(title, sizeof title, "%ld steps reversed in one time block, from %s", way.steps,
             stored ? "the stored states between them" : "the first state alone");
    PetscCall(view_block(p, HG_COTANGENT, way, title, viewer));
  }
  return 0;
}

PetscErrorCode HgProgramView(HgProgram p, PetscViewer viewer) {
  PetscCall(HgMeshView(p->mesh, viewer));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "program '%s': %d terms, dt = %g s, overlap %s, %d thread%s\n", p->name, p->terms,
      p->dt, p->hides_messages ? "on" : "off", p->threads, p->threads > 1 ? "s" : ""));
  PetscCall(view_variables(p, viewer));
  PetscCall(HgProgramViewMask(p, viewer));
  PetscCall(view_block(p, HG_PRIMAL, (HgReversal){.steps = 1}, "a step", viewer));
  PetscCall(view_block(p, HG_COTANGENT, (HgReversal){.steps = 1}, "a step reversed", viewer));
  return view_several(p, viewer);
}

PetscErrorCode HgProgramViewOnce(HgProgram p) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  PetscViewer viewer;
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  PetscCall(
      HgAgree(comm, !memory, HG_ERR_MEMORY, "program '%s': no memory to print its plan", p->name));
  PetscCall(PetscViewerASCIIOpenWithFILE(comm, memory, &viewer));
  PetscCall(HgProgramView(p, viewer));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(memory);
  const PetscErrorCode ierr = HgCommSay(comm, text);
  free(text);
  return ierr;
}
