/* Running a program: which ghosts to fill, which boxes to compute. Every cut into boxes gives the
   same bits, because each cell is one expression of
   values that do not depend on the cut. */
#include "program_private.h"
#include <string.h>
/* What a term may need ghosts of; bit k of a plan's mask is candidate k. */
typedef struct {
  HgState state;
  int index, depth, variable;
  HgForm form;
} Need;
enum { MAX_NEEDS = 2 * HG_MAX_READS };
static HgState place_of(const HgPlaces *places, const HgVersion *v) {
  switch (v->place) {
  case HG_AT_START: return places->start;
  case HG_AT_END: return places->end;
  case HG_AT_CONSTANTS: return places->constants;
  default: return places->work;
  }
}
static double *const *rows_of(HgProgram p, const HgPlaces *places, int version) {
  const HgVersion *v = &p->version[version];
  const HgState state = place_of(places, v);
  return state ? HgStateRows(state, v->index) : NULL;
}
static void need(HgProgram p, const HgPlaces *places, int version, int depth, HgForm form,
                 Need *n) {
  const HgVersion *v = &p->version[version];
  *n = (Need){place_of(places, v), v->index, depth, v->variable, form};
}
/* Intermediate versions live in states made when a form is first used. */
static PetscErrorCode work_state(HgProgram p, HgForm form) {
  if (p->work[HG_PRIMAL] && !p->work[form])
    PetscCall(HgStateDuplicate(p->work[HG_PRIMAL], &p->work[form]));
  return 0;
}
/* ---- ghosts ---- */
static unsigned lacking(int count, const Need needs[]) {
  unsigned mask = 0;
  for (int k = 0; k < count; k++)
    if (needs[k].state && needs[k].depth > 0 &&
        HgStateGhostDepth(needs[k].state, needs[k].index) < needs[k].depth)
      mask |= 1u << k;
  return mask;
}
static PetscErrorCode plan_of(HgProgram p, HgTerm *t, HgForm form, unsigned mask, int count,
                              const Need needs[], HgPlan **plan) {
  for (int k = 0; k < t->plans; k++)
    if (t->plan[k].form == form && t->plan[k].mask == mask) {
      *plan = &t->plan[k];
      return 0;
    }
  if (t->plans == t->plan_room) {
    t->plan_room = 2 * t->plan_room + 4;
    PetscCall(PetscRealloc(sizeof *t->plan * (size_t)t->plan_room, &t->plan));
  }
  *plan = &t->plan[t->plans++];
  **plan = (HgPlan){.form = form, .mask = mask};
  int depths[MAX_NEEDS], fields = 0;
  for (int k = 0; k < count; k++)
    if (mask >> k & 1) depths[fields++] = needs[k].depth;
  PetscCall(HgExchangeCreate(p->mesh, fields, depths, &(*plan)->exchange));
  HgExchangeTraffic((*plan)->exchange, &(*plan)->messages, &(*plan)->bytes);
  return 0;
}
static void boundary(HgProgram p, const Need *n) {
  const HgBoundary *b = &p->variable[n->variable].boundary;
  double *const *u = HgStateRows(n->state, n->index);
  if (n->form == HG_PRIMAL) HgBoundaryApply(p->mesh, b, n->depth, u);
  else if (n->form == HG_TANGENT) HgBoundaryTangent(p->mesh, b, n->depth, u);
}
static void count_traffic(HgProgram p, const HgPlan *plan) {
  p->exchanges++;
  p->messages += plan->messages;
  p->bytes += (double)plan->bytes;
}
/* ---- boxes ---- */
static HgBox patch_box(HgProgram p, long step) {
  const HgMeshSpec *s = HgMeshGetSpec(p->mesh);
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  return (HgBox){.i1 = patch->nx,
                 .j1 = patch->ny,
                 .i_global = patch->i_global,
                 .j_global = patch->j_global,
                 .nx_global = s->nx,
                 .ny_global = s->ny,
                 .x0 = s->x0,
                 .y0 = s->y0,
                 .dx = s->dx,
                 .dy = s->dy,
                 .t = (double)step * p->dt,
                 .step = step};
}
/* Where a boundary reflects, ghosts outside the wall got their values from inside, so cotangents
   arise there too. */
static HgBox adjoint_box(HgProgram p, const HgTerm *t, long step) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  HgBox box = patch_box(p, step);
  int ring = 0;
  for (int k = 0; k < t->reads; k++)
    if (HgBoundaryReflects(p->mesh, &p->variable[p->version[t->read[k]].variable].boundary))
      ring = PetscMax(ring, t->stencil->reads[k].radius);
  if (patch->wall_west) box.i0 -= ring;
  if (patch->wall_east) box.i1 += ring;
  if (patch->wall_south) box.j0 -= ring;
  if (patch->wall_north) box.j1 += ring;
  return box;
}
/* A term at work in one form: the rows its kernel gets. */
typedef struct {
  HgProgram p;
  const HgTerm *t;
  HgForm form;
  HgRows x[HG_MAX_READS], second[HG_MAX_READS]; /* second: dx, or y_bar */
  HgRowsOut out[HG_MAX_READS];                  /* y, dy, or x_bar */
  /* out[k] starts from nothing: written (y, dy) or zeroed first (x_bar) */
  bool fresh[HG_MAX_READS];
  bool stream; /* results go past the cache */
  HgTuning *tuning;
} Work;
static void call_kernel(const Work *w, const HgBox *box, const HgRowsOut out[]) {
  const HgStencil *s = w->t->stencil;
  if (w->form == HG_PRIMAL) s->apply(box, w->t->params, w->x, out);
  else if (w->form == HG_TANGENT) s->tangent(box, w->t->params, w->x, w->second, out);
  else s->adjoint(box, w->t->params, w->x, w->second, out);
}
/* Segments of a row: fresh results are made in a buffer that stays in the first-level cache and
   stream from there to memory, so that neither a zeroing pass
   nor a read of the overwritten lines costs bandwidth. */
static void run_streamed(const Work *w, const HgBox *box) {
  const int outs = w->form == HG_BAR ? w->t->reads : w->t->writes;
  double *const buffer = w->p->segments;
  double *row[HG_MAX_READS];
  HgRowsOut out[HG_MAX_READS];
  HgBox part = *box;
  for (int j = box->j0; j < box->j1; j++)
    for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
      part.j0 = j, part.j1 = j + 1, part.i1 = PetscMin(box->i1, part.i0 + HG_SEGMENT);
      for (int k = 0; k < outs; k++) {
        out[k] = w->out[k];
        if (!out[k] || !w->fresh[k]) continue;
        row[k] = buffer + k * (HG_SEGMENT + 8) + (part.i0 & 7) -
                 part.i0; /* as the target lies with respect to 64 bytes */
        out[k] = &row[k] - j;
        if (w->form == HG_BAR)
          memset(row[k] + part.i0, 0, (size_t)(part.i1 - part.i0) * sizeof(double));
      }
      call_kernel(w, &part, out);
      for (int k = 0; k < outs; k++)
        if (out[k] != w->out[k]) HgStreamRow(part.i0, part.i1, row[k], w->out[k][j]);
    }
  HgStreamFence();
}
/* Through the cache; rows of x_bar that start from nothing are zeroed just before they are summed
   into. */
static void run_cached(const Work *w, const HgBox *box) {
  const int width = box->i1 - box->i0,
            rows = w->form == HG_BAR ? PetscMax(1, 2 * HG_SEGMENT / width) : box->j1 - box->j0;
  HgBox part = *box;
  for (part.j0 = box->j0; part.j0 < box->j1; part.j0 = part.j1) {
    part.j1 = PetscMin(box->j1, part.j0 + rows);
    for (int k = 0; w->form == HG_BAR && k < w->t->reads; k++)
      for (int j = part.j0; w->out[k] && w->fresh[k] && j < part.j1; j++)
        memset(w->out[k][j] + box->i0, 0, (size_t)width * sizeof(double));
    call_kernel(w, &part, w->out);
  }
}
static void run_box(const Work *w, HgBox box, int i0, int i1, int j0, int j1) {
  box.i0 = i0, box.i1 = i1, box.j0 = j0, box.j1 = j1;
  if (i0 >= i1 || j0 >= j1) return;
  const double start = MPI_Wtime();
  if (w->stream && i1 - i0 >= HG_SEGMENT / 2) run_streamed(w, &box);
  else run_cached(w, &box);
  w->tuning->last += MPI_Wtime() - start;
}
/* Whether streaming pays depends on the machine, the kernel and the direction; it changes no bit.
   So
   the first runs of a term over a working set that exceeds the cache take turns, and the way with
   the
   fastest run is kept. The very first ones touch new memory and do not count. */
static bool choose_stream(const HgProgram p, const HgTuning *t) {
  if (p->stream != HG_STREAM_TUNED) return p->stream == HG_STREAM_ALWAYS;
  return t->runs < HG_TUNING_RUNS ? t->runs % 2 : t->best[1] < t->best[0];
}
static void tune(HgTuning *t, bool stream) {
  if (t->runs >= HG_TUNING_RUNS) return;
  if (t->runs < 4 || t->last < t->best[stream]) t->best[stream] = t->last;
  t->runs++;
}
/* The interior while messages fly, the frame along the sides with neighbours after they came. */
static PetscErrorCode run_overlapped(const Work *w, const HgBox *box, int radius,
                                     HgExchange exchange, double *const *const fields[], int filled,
                                     const Need needs[], unsigned mask) {
  const HgPatch *patch = HgMeshGetPatch(w->p->mesh);
  const int i0 = patch->wall_west ? box->i0 : radius,
            i1 = patch->wall_east ? box->i1 : patch->nx - radius;
  const int j0 = patch->wall_south ? box->j0 : radius,
            j1 = patch->wall_north ? box->j1 : patch->ny - radius;
  PetscCall(HgExchangeBegin(exchange, fields));
  for (int k = 0; k < filled; k++)
    if (mask >> k & 1)
      boundary(w->p, &needs[k]); /* what walls give to the interior does not wait for neighbours */
  run_box(w, *box, i0, i1, j0, j1);
  PetscCall(HgExchangeEnd(exchange, fields));
  for (int k = 0; k < filled; k++)
    if (mask >> k & 1) boundary(w->p, &needs[k]);
  run_box(w, *box, box->i0, box->i1, box->j0, j0);
  run_box(w, *box, box->i0, i0, j0, j1);
  run_box(w, *box, i1, box->i1, j0, j1);
  run_box(w, *box, box->i0, box->i1, j1, box->j1);
  return 0;
}
/* Fills the ghosts that are lacking and runs the kernel over the box. `radius`: how far the kernel
   reads. */
static PetscErrorCode run_term(Work *w, HgTerm *t, const HgBox *box, int radius, int count,
                               const Need needs[]) {
  HgProgram p = w->p;
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  const unsigned mask = lacking(count, needs);
  HgPlan *plan = NULL;
  double *const *fields[MAX_NEEDS];
  w->tuning = &t->tuning[w->form], w->tuning->last = 0;
  w->stream = choose_stream(p, w->tuning);
  PetscCall(PetscLogEventBegin(t->event[w->form], 0, 0, 0, 0));
  if (mask) {
    int n = 0;
    for (int k = 0; k < count; k++)
      if (mask >> k & 1) fields[n++] = HgStateRows(needs[k].state, needs[k].index);
    PetscCall(plan_of(p, t, w->form, mask, count, needs, &plan));
    count_traffic(p, plan);
  }
  const int margin = PetscMax(64, 4 * radius);
  if (plan && plan->messages && p->overlap && patch->nx >= margin && patch->ny >= margin) {
    PetscCall(run_overlapped(w, box, radius, plan->exchange, fields, count, needs, mask));
  } else {
    if (plan) PetscCall(HgExchangeApply(plan->exchange, fields));
    for (int k = 0; k < count; k++)
      if (mask >> k & 1) boundary(p, &needs[k]);
    run_box(w, *box, box->i0, box->i1, box->j0, box->j1);
  }
  for (int k = 0; k < count; k++)
    if (mask >> k & 1) HgStateSetGhostDepth(needs[k].state, needs[k].index, needs[k].depth);
  tune(w->tuning, w->stream);
  PetscCall(PetscLogEventEnd(t->event[w->form], 0, 0, 0, 0));
  return 0;
}
/* Ghosts outside frozen walls travel with every new version; the other ghosts of what was written
   are stale. */
static void finish_writes(HgProgram p, const HgTerm *t, const HgPlaces *places, HgForm form) {
  for (int k = 0; k < t->writes; k++) {
    const HgVersion *v = &p->version[t->write[k]];
    const HgProgramVariable *variable = &p->variable[v->variable];
    const HgState state = place_of(places, v);
    if (form == HG_PRIMAL && variable->role == HG_CARRIED)
      HgBoundaryKeepFrozen(p->mesh, &variable->boundary, variable->depth,
                           (HgRows)HgStateRows(places->start, variable->index),
                           HgStateRows(state, v->index));
    HgStateSetGhostDepth(state, v->index, 0);
  }
}
static PetscErrorCode forward_term(HgProgram p, HgTerm *t, long step, HgForm form,
                                   const HgPlaces *x, const HgPlaces *dx) {
  Work w = {.p = p, .t = t, .form = form};
  const HgPlaces *target = form == HG_PRIMAL ? x : dx;
  Need needs[MAX_NEEDS];
  int count = 0;
  for (int k = 0; k < t->reads; k++) {
    const int depth = t->stencil->reads[k].radius > 0 ? p->version[t->read[k]].depth : 0;
    w.x[k] = (HgRows)rows_of(p, x, t->read[k]);
    need(p, x, t->read[k], depth, HG_PRIMAL, &needs[count++]);
    if (form == HG_PRIMAL) continue;
    w.second[k] = (HgRows)rows_of(p, dx, t->read[k]);
    need(p, dx, t->read[k], depth, HG_TANGENT, &needs[count++]);
  }
  for (int k = 0; k < t->writes; k++) w.out[k] = rows_of(p, target, t->write[k]), w.fresh[k] = true;
  const HgBox box = patch_box(p, step);
  PetscCall(run_term(&w, t, &box, t->radius, count, needs));
  finish_writes(p, t, target, form);
  return 0;
}
PetscErrorCode HgProgramStep(HgProgram p, long step, HgState constants, HgState q, HgState q_next) {
  const HgPlaces x = {q, q_next, constants, p->work[HG_PRIMAL]};
  for (int k = 0; k < p->terms; k++)
    PetscCall(forward_term(p, &p->term[k], step, HG_PRIMAL, &x, NULL));
  return 0;
}
PetscErrorCode HgProgramStepTangent(HgProgram p, long step, HgState constants, HgState dconstants,
                                    HgState q, HgState dq, HgState q_next, HgState dq_next) {
  PetscCall(work_state(p, HG_TANGENT));
  const HgPlaces x = {q, q_next, constants, p->work[HG_PRIMAL]},
                 dx = {dq, dq_next, dconstants, p->work[HG_TANGENT]};
  for (int k = 0; k < p->terms; k++) {
    PetscCall(forward_term(p, &p->term[k], step, HG_TANGENT, &x, &dx));
    PetscCall(forward_term(p, &p->term[k], step, HG_PRIMAL, &x, NULL));
  }
  return 0;
}
/* ---- reverse ---- */
/* Do the adjoints read values that only this step made? Then it is run again before it is reversed.
   */
static bool needs_intermediates(HgProgram p) {
  for (int k = 0; k < p->terms; k++)
    for (int l = 0; l < p->term[k].reads; l++)
      if (p->version[p->term[k].read[l]].writer >= 0 &&
          p->term[k].stencil->reads[l].adjoint_radius >= 0)
        return true;
  return false;
}
static PetscErrorCode reverse_term(HgProgram p, int term, long step, const HgPlaces *x,
                                   const HgPlaces *bar) {
  HgTerm *t = &p->term[term];
  Work w = {.p = p, .t = t, .form = HG_BAR};
  Need needs[MAX_NEEDS];
  int count = 0, radius = t->radius;
  for (int k = 0; k < t->writes; k++) {
    const HgVersion *v = &p->version[t->write[k]];
    w.second[k] = (HgRows)rows_of(p, bar, t->write[k]);
    need(p, bar, t->write[k], t->radius, HG_BAR, &needs[count++]);
    if (v->place == HG_AT_WORK) /* the caller folds his own cotangents */
      HgBoundaryAdjoint(p->mesh, &p->variable[v->variable].boundary, p->variable[v->variable].depth,
                        rows_of(p, bar, t->write[k]));
  }
  for (int k = 0; k < t->reads; k++) {
    const HgVersion *v = &p->version[t->read[k]];
    const int depth = t->stencil->reads[k].adjoint_radius;
    w.x[k] = (HgRows)rows_of(p, x, t->read[k]);
    if (depth > 0)
      need(p, x, t->read[k], depth, HG_PRIMAL, &needs[count++]), radius = PetscMax(radius, depth);
    const bool wanted = v->place != HG_AT_CONSTANTS || p->variable[v->variable].active;
    w.out[k] = wanted ? rows_of(p, bar, t->read[k]) : NULL;
    w.fresh[k] = v->last_reader == term && v->place != HG_AT_CONSTANTS && v->place != HG_AT_END;
  }
  const HgBox box = adjoint_box(p, t, step);
  PetscCall(run_term(&w, t, &box, radius, count, needs));
  for (int k = 0; k < t->reads; k++)
    if (w.out[k])
      HgStateSetGhostDepth(place_of(bar, &p->version[t->read[k]]), p->version[t->read[k]].index, 0);
  return 0;
}
PetscErrorCode HgProgramStepAdjoint(HgProgram p, long step, HgState constants, HgState q,
                                    HgState q_next, HgState q_next_bar, HgState q_bar,
                                    HgState constants_bar) {
  PetscCall(work_state(p, HG_BAR));
  if (needs_intermediates(p)) PetscCall(HgProgramStep(p, step, constants, q, q_next));
  const HgPlaces x = {q, q_next, constants, p->work[HG_PRIMAL]},
                 bar = {q_bar, q_next_bar, constants_bar, p->work[HG_BAR]};
  for (int k = 0; k < p->versions; k++) { /* written but never read: nothing is owed for it */
    const HgVersion *v = &p->version[k];
    if (v->place == HG_AT_WORK && v->last_reader < 0)
      PetscCall(HgStateZeroVariable(bar.work, v->index));
  }
  for (int k = p->terms - 1; k >= 0; k--) PetscCall(reverse_term(p, k, step, &x, &bar));
  return 0;
}
PetscErrorCode HgProgramFold(HgProgram p, HgState bar) {
  for (int k = 0; k < p->variables; k++) {
    const HgProgramVariable *v = &p->variable[k];
    const int index = v->role == HG_WORK ? -1 : HgStateFind(bar, v->name);
    if (index < 0) continue;
    HgBoundaryAdjoint(p->mesh, &v->boundary, PetscMax(1, v->depth), HgStateRows(bar, index));
    HgStateSetGhostDepth(bar, index, 0);
  }
  return 0;
}
PetscErrorCode HgProgramFillGhosts(HgProgram p, HgForm form, HgState state, int index, int depth) {
  if (HgStateGhostDepth(state, index) >= depth) return 0;
  int variable = 0;
  while (variable < p->variables &&
         strcmp(p->variable[variable].name, HgStateVariable(state, index)->name))
    variable++;
  HgRequire(HgMeshComm(p->mesh), variable < p->variables && depth <= HgMeshGetSpec(p->mesh)->ghost,
            "program '%s': %d ghost layers of '%s' asked for, expected one of its variables and at "
            "most %d layers",
            p->name, depth, HgStateVariable(state, index)->name, HgMeshGetSpec(p->mesh)->ghost);
  depth = PetscMax(
      depth, p->version[p->variable[variable].first].depth); /* what the next step needs anyway */
  HgPlan *plan = &p->fill[depth - 1];
  if (!plan->exchange) {
    PetscCall(HgExchangeCreate(p->mesh, 1, &depth, &plan->exchange));
    HgExchangeTraffic(plan->exchange, &plan->messages, &plan->bytes);
  }
  double *const *fields[1] = {HgStateRows(state, index)};
  const Need n = {state, index, depth, variable, form};
  PetscCall(HgExchangeApply(plan->exchange, fields));
  count_traffic(p, plan);
  boundary(p, &n);
  HgStateSetGhostDepth(state, index, depth);
  return 0;
}
