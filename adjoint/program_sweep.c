/* A region, block of rows by block of rows: each call of a group does the rows that its readers will
   need for theirs, so that what it hands on is still in the cache. */
#include "program_private.h"
#include <string.h>
typedef struct {
  HgProgram p;
  HgPass *pass;
  HgRegion *region;
  const HgStage *stage;
  const HgBox *patch; /* all of the patch: position, spacing, step */
  bool timed;         /* this region's times count for the tuning */
} Sweep;
/* Rows and columns that a call computes, and those of them that are the region's own. */
typedef struct {
  int i0, i1, j0, j1;
} Span;
/* A call at work: all that stays the same from one block of rows to the next. */
typedef struct {
  const Sweep *sweep;
  HgCall *call;
  const HgStencil *stencil;
  const void *params;
  HgRows x[HG_MAX_READS], second[HG_MAX_READS];
  HgRowsOut out[HG_MAX_READS];
  HgRowsOut beside[HG_MAX_READS]; /* beyond the region: final results belong to others there */
  HgRowsOut kept[HG_MAX_READS];   /* the caller's rows of a state between steps; NULL: none */
  HgBox box;                      /* its rows and columns are those of the moment */
  Span all, own;
  bool apart; /* results beyond the region go elsewhere */
  bool
      aligned; /* columns beside the region are computed apart: the rest begins at aligned memory */
  bool zeroes; /* some x_bar starts from nothing here */
  bool clears; /* some x_bar in a ring, at a western or eastern wall: what is outside is zeroed */
  bool walls;  /* some ring has ghosts outside walls that this call fills or folds */
  bool hands_out; /* some result is a state between steps that the caller keeps */
  bool stream;
} Work;
static double *const *rows_of(const Sweep *s, int slot) {
  double *const *rows = s->region->rows[slot];
  return rows ? rows : HgSlotRows(s->p, s->stage, slot);
}
/* ---- kernels ---- */
static inline void call_kernel(const Work *w, const HgBox *box, const HgRowsOut out[]) {
  const HgStencil *s = w->stencil;
  if (w->call->form == HG_PRIMAL) s->apply(box, w->params, w->x, out);
  else if (w->call->form == HG_TANGENT) s->tangent(box, w->params, w->x, w->second, out);
  else s->adjoint(box, w->params, w->x, w->second, out);
}
static void zero(double *row, int i0, int i1) {
  memset(row + i0, 0, (size_t)(i1 - i0) * sizeof(double));
}
/* Segments of a row: fresh results are made in a buffer that stays in the first-level cache and
   stream from there to memory, so that neither a zeroing pass nor a
   read of the overwritten lines costs bandwidth. */
static void run_streamed(const Work *w, const HgBox *box) {
  const HgCall *c = w->call;
  double *row[HG_MAX_READS];
  HgRowsOut out[HG_MAX_READS];
  HgBox part = *box;
  for (int j = box->j0; j < box->j1; j++)
    for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
      part.j0 = j, part.j1 = j + 1, part.i1 = PetscMin(box->i1, part.i0 + HG_SEGMENT);
      for (int k = 0; k < c->outs; k++) {
        out[k] = w->out[k];
        if (!out[k] || !c->stream[k]) {
          if (out[k] && c->fresh[k]) zero(out[k][j], part.i0, part.i1);
          continue;
        }
        row[k] = w->sweep->region->segments + k * (HG_SEGMENT + 8) + (part.i0 & 7) -
                 part.i0; /* as the target lies with respect to 64 bytes */
        out[k] = &row[k] - j;
        if (c->form == HG_BAR) zero(row[k], part.i0, part.i1);
      }
      call_kernel(w, &part, out);
      for (int k = 0; k < c->outs; k++)
        if (out[k] != w->out[k]) HgStreamRow(part.i0, part.i1, row[k], w->out[k][j]);
    }
  HgStreamFence();
}
/* x_bar that start from nothing are zeroed just before they are summed into, segment by segment, so
   that the zeros are still in the first-level cache. */
static void run_zeroing(const Work *w, const HgBox *box, const HgRowsOut out[]) {
  HgBox part = *box;
  for (int j = box->j0; j < box->j1; j++)
    for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
      part.j0 = j, part.j1 = j + 1, part.i1 = PetscMin(box->i1, part.i0 + HG_ZEROS);
      for (int k = 0; k < w->call->outs; k++)
        if (w->call->fresh[k] && out[k]) zero(out[k][j], part.i0, part.i1);
      call_kernel(w, &part, out);
    }
}
static void run_box(Work *w, int i0, int i1, int j0, int j1, bool own) {
  HgBox *const box = &w->box;
  if (i0 >= i1 || j0 >= j1) return;
  box->i0 = i0, box->i1 = i1, box->j0 = j0, box->j1 = j1;
  HgTuning *const tuning = &w->call->tuning;
  const bool timed = w->sweep->timed && tuning->runs < HG_TUNING_RUNS;
  const double start = timed ? MPI_Wtime() : 0;
  const HgRowsOut *const out = own ? w->out : w->beside;
  if (own && w->stream && i1 - i0 >= HG_SEGMENT / 8) run_streamed(w, box);
  else if (w->zeroes) run_zeroing(w, box, out);
  else call_kernel(w, box, out);
  if (timed) tuning->last += MPI_Wtime() - start;
}
/* ---- one call on some rows ---- */
static Span span_of(const HgRegion *r, int walls, int seams) {
  return (Span){r->i0 - (r->west ? walls : seams), r->i1 + (r->east ? walls : seams),
                r->j0 - (r->south ? walls : seams), r->j1 + (r->north ? walls : seams)};
}
/* Columns beside the region apart from its own, whose rows then begin where memory is aligned. */
static void run_columns(Work *w, int j0, int j1) {
  run_box(w, w->all.i0, w->own.i0, j0, j1, false);
  run_box(w, w->own.i0, w->own.i1, j0, j1, true);
  run_box(w, w->own.i1, w->all.i1, j0, j1, false);
}
static void run_rows(Work *w, int from, int to) {
  const Span all = w->all, own = w->own;
  if (!w->apart) {
    if (w->aligned) run_columns(w, from, to);
    else run_box(w, all.i0, all.i1, from, to, true);
    return;
  }
  const int j0 = PetscMin(PetscMax(from, own.j0), to), j1 = PetscMax(PetscMin(to, own.j1), from);
  run_box(w, all.i0, all.i1, from, j0, false);
  run_columns(w, j0, j1);
  run_box(w, all.i0, all.i1, PetscMax(j0, j1), to, false);
}
/* A row of x_bar in a ring held an older row; outside walls, whence what is owed comes in, nobody else
   clears it. */
static void clear_outside_walls(const Work *w, int from, int to) {
  const HgRegion *r = w->sweep->region;
  const int margin = 2 * HgMeshGetSpec(w->sweep->p->mesh)->ghost;
  for (int k = 0; k < w->call->outs; k++) {
    if (!w->call->fresh[k] || !w->sweep->pass->slot[w->call->out[k]].ring) continue;
    for (int j = from; j < to; j++) {
      zero(w->out[k][j], r->i0 - margin, w->all.i0);
      zero(w->out[k][j], w->all.i1, r->i1 + margin);
    }
  }
}
/* ---- walls ---- */
/* Rows [from, to) of a region within the domain, with what lies beside them; rows outside walls are
   filled from the first rows, and from the last ones. */
static HgWindow window_of(const HgRegion *r, int extent, int from, int to) {
  const Span s = span_of(r, 0, extent);
  return (HgWindow){s.i0,  s.i1, PetscMax(from, s.j0), PetscMin(to, s.j1), r->west, r->east,
                    false, false};
}
/* No rows, only what lies south or north of line j, corners outside both walls included. */
static HgWindow line_of(const HgRegion *r, int extent, int layers, int j) {
  const Span s = span_of(r, 0, extent);
  return (HgWindow){
      .i0 = s.i0 - (r->west ? layers : 0), .i1 = s.i1 + (r->east ? layers : 0), .j0 = j, .j1 = j};
}
static void fill_walls(const Sweep *s, const HgCall *c, int slot, int from, int to) {
  const HgRegion *r = s->region;
  const HgProgramVariable *v = HgSlotVariable(s->p, slot);
  double *const *u = rows_of(s, slot);
  const HgBoundaryAction action = HgFormAction(c->form);
  const bool keep = c->form == HG_PRIMAL && v->role == HG_CARRIED;
  const HgRows start = keep ? (HgRows)HgStateRows(s->stage->of[HG_PRIMAL].start, v->index) : NULL;
  const HgWindow beside = window_of(r, c->extent, from, to);
  HgWindow ends[2] = {line_of(r, c->extent, v->depth, r->j0),
                      line_of(r, c->extent, v->depth, r->j1)};
  ends[0].south = r->south && from < r->j0 + v->depth;
  ends[1].north = r->north && to >= r->j1;
  const HgWindow *const windows[] = {&beside, &ends[0], &ends[1]};
  for (int k = 0; k < 3; k++) {
    if (keep) HgBoundaryKeep(&v->boundary, v->depth, windows[k], start, u);
    HgBoundaryFill(&v->boundary, action, v->depth, windows[k], u);
  }
}
/* The transpose, once all that is owed to the rows is there: south and north first, then west and
   east of the rows that they have reached. */
static void fold_walls(const Sweep *s, const HgCall *c, int slot, int from, int to) {
  const HgRegion *r = s->region;
  const HgProgramVariable *v = HgSlotVariable(s->p, slot);
  double *const *u = rows_of(s, slot);
  const int d = v->depth, last = span_of(r, c->ring, c->extent).j1;
  const int low = r->south ? r->j0 + d : from; /* rows below wait for the south */
  const bool south = r->south && from < PetscMin(low, last) && to >= PetscMin(low, last),
             north = r->north && to == last;
  HgWindow ends[2] = {line_of(r, c->extent, d, r->j0), line_of(r, c->extent, d, r->j1)};
  ends[0].south = south, ends[1].north = north;
  for (int k = 0; k < 2; k++) HgBoundaryFill(&v->boundary, HG_BOUNDARY_ADJOINT, d, &ends[k], u);
  if (r->south && from < low && !south) return;
  const int reached = r->north ? r->j1 - d : last;
  const HgWindow beside = window_of(r, c->extent, south ? r->j0 : PetscMin(from, reached),
                                    north ? r->j1 : PetscMin(to, reached));
  HgBoundaryFill(&v->boundary, HG_BOUNDARY_ADJOINT, d, &beside, u);
}
/* Do rows [from, to) lie away from walls? */
static bool inland(const HgRegion *r, const Span *all, int depth, int from, int to) {
  return !r->west && !r->east && from >= r->j0 + depth && to < PetscMin(r->j1, all->j1);
}
/* States between several steps go to the caller as their rows come by; nobody reads them again soon. */
static void hand_out(const Work *w, int from, int to) {
  const HgRegion *r = w->sweep->region;
  const bool stream = w->sweep->p->stream != HG_STREAM_NEVER;
  const int j0 = PetscMax(from, r->j0), j1 = PetscMin(to, r->j1);
  for (int k = 0; k < w->call->outs; k++)
    for (int j = j0; w->kept[k] && j < j1; j++)
      if (stream) HgStreamRow(r->i0, r->i1, w->out[k][j], w->kept[k][j]);
      else
        memcpy(w->kept[k][j] + r->i0, w->out[k][j] + r->i0,
               (size_t)(r->i1 - r->i0) * sizeof(double));
  if (stream) HgStreamFence();
}
static void run_call(Work *w, int from, int to) {
  const Sweep *s = w->sweep;
  const HgCall *c = w->call;
  if (w->clears) clear_outside_walls(w, from, to);
  run_rows(w, from, to);
  if (w->hands_out) hand_out(w, from, to);
  for (int k = 0; w->walls && k < c->outs; k++) {
    const HgSlot *slot = &s->pass->slot[c->out[k]];
    if (!slot->ring || !slot->filled) continue;
    if (inland(s->region, &w->all, HgSlotVariable(s->p, c->out[k])->depth, from, to)) continue;
    if (c->form != HG_BAR) fill_walls(s, c, c->out[k], from, to);
    else if (&s->pass->call[slot->last_out] == c) fold_walls(s, c, c->out[k], from, to);
  }
}
/* ---- all calls ---- */
/* Columns of a region from which on it pays to compute those beside it apart. */
enum { HG_WIDE = 512 };
static void bind(const Sweep *s, HgCall *c, Work *w) {
  const HgTerm *t = &s->p->term[c->term];
  const HgRegion *r = s->region;
  *w = (Work){.sweep = s, .call = c, .stencil = t->stencil, .params = t->params, .box = *s->patch};
  w->box.step += t->substep;
  w->box.t = (double)w->box.step * s->p->dt;
  w->all = span_of(r, c->ring, c->extent), w->own = span_of(r, c->ring, 0);
  w->aligned = r->i1 - r->i0 >= HG_WIDE;
  w->stream = HgTuningStreams(s->p, &c->tuning);
  for (int k = 0; k < t->reads; k++) w->x[k] = (HgRows)rows_of(s, c->x[k]);
  const int seconds = c->form == HG_TANGENT ? t->reads : c->form == HG_BAR ? t->writes : 0;
  for (int k = 0; k < seconds; k++) w->second[k] = (HgRows)rows_of(s, c->second[k]);
  for (int k = 0; k < c->outs; k++) {
    const HgVersion *v = HgSlotVersion(s->p, c->out[k]);
    const HgSlot *slot = &s->pass->slot[c->out[k]];
    const bool bar = c->form == HG_BAR, fresh = bar && c->fresh[k];
    const bool wanted = !bar || v->place != HG_AT_CONSTANTS || s->p->variable[v->variable].active;
    w->out[k] = wanted ? rows_of(s, c->out[k]) : NULL;
    if (HgSlotKept(s->p, s->stage, c->out[k])) w->kept[k] = HgSlotRows(s->p, s->stage, c->out[k]);
    w->hands_out = w->hands_out || w->kept[k];
    w->beside[k] = slot->ring ? w->out[k] : bar ? NULL : r->rows[HG_FORMS * s->p->versions + k];
    w->apart = w->apart || (c->extent && !slot->ring);
    w->zeroes = w->zeroes || fresh;
    w->clears = w->clears || (fresh && slot->ring && (r->west || r->east));
    w->walls = w->walls || (slot->ring && slot->filled);
  }
  w->walls = w->walls && (r->west || r->east || r->south || r->north);
}
/* Whether streaming pays depends on the machine, the kernel and the direction; it changes no bit.
   So the first runs over a working set that exceeds the cache take turns, and the way with the
   fastest run is kept. The very first ones touch new memory and do not count. */
bool HgTuningStreams(HgProgram p, const HgTuning *t) {
  if (p->stream != HG_STREAM_TUNED) return p->stream == HG_STREAM_ALWAYS;
  return t->runs < HG_TUNING_RUNS ? t->runs % 2 : t->best[1] < t->best[0];
}
size_t HgSweepBytes(const HgGroup *g) { return (size_t)(g->last - g->first) * sizeof(Work); }
void HgRegionSweep(HgProgram p, HgForm form, const HgGroup *g, HgRegion *r, const HgStage *stage,
                   const HgBox *patch, bool timed) {
  const Sweep s = {p, &p->pass[form], r, stage, patch, timed};
  const int calls = g->last - g->first;
  HgCall *const call = s.pass->call + g->first;
  Work *const work = r->work;
  int left = calls, base = r->j0;
  for (int c = 0; c < calls; c++) {
    bind(&s, &call[c], &work[c]);
    r->frontier[c] = work[c].all.j0;
    base = PetscMin(base, r->frontier[c] - call[c].lead);
  }
  HgPrefetch prefetch;
  HgPrefetchStart(p, g, r, stage, &prefetch);
  for (; left; base += r->block)
    for (int c = 0; c < calls; c++) {
      const int end = work[c].all.j1, from = r->frontier[c],
                to = PetscMin(end, base + r->block + call[c].lead);
      HgPrefetchRows(&prefetch, base + r->block, c, calls);
      if (from >= to) continue;
      const PetscLogEvent event = p->term[call[c].term].event[call[c].form];
      if (timed) PetscCallContinue(PetscLogEventBegin(event, 0, 0, 0, 0));
      run_call(&work[c], from, to);
      if (timed) PetscCallContinue(PetscLogEventEnd(event, 0, 0, 0, 0));
      r->frontier[c] = to;
      left -= to == end;
    }
}
