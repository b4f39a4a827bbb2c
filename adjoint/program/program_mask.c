/* The mask of wet cells of a program: how far something wet reaches, row by row. */
#include "program_private.h"
#include <limits.h>

/* ---- whose it is ---- */
static PetscErrorCode free_table(HgStretchTable *t) {
  PetscCall(PetscFree(t->first));
  return PetscFree(t->stretch);
}

static PetscErrorCode release(HgMask *mask) {
  HgMask m = *mask;
  *mask = NULL;
  if (!m || --m->references) return 0;
  for (int reach = 0; reach < HG_REACHES; reach++) {
    PetscCall(free_table(&m->exact[reach]));
    for (int n = 0; n < HG_MASK_HEIGHTS; n++) PetscCall(free_table(&m->computed[reach][n]));
  }
  return PetscFree(m);
}

PetscErrorCode HgProgramShareMask(HgProgram p, HgMask mask) {
  if (mask) mask->references++;
  PetscCall(release(&p->mask));
  PetscCall(release(&p->unused));
  p->mask = mask, p->masks++;
  return 0;
}

PetscErrorCode HgProgramUseMask(HgProgram p, bool use, bool *has) {
  const HgMask mask = p->mask ? p->mask : p->unused;
  *has = mask;
  p->mask = use ? mask : NULL, p->unused = use ? NULL : mask, p->masks++;
  return 0;
}

/* ---- how far it reaches ---- */

/* As many ghosts as are known of a mask: those that are ever computed, or read. */
static int known_ghosts(HgProgram p) { return HgProgramWidestHalo(p); }

static int largest_radius(HgProgram p) {
  int radius = 0;
  for (int k = 0; k < p->terms; k++) radius = PetscMax(radius, p->term[k].radius);
  return radius;
}

/* Ghosts of the owned cells; outside walls, what the nearest cell inside has. */
static PetscErrorCode fill_ghosts(HgProgram p, double *const *rows) {
  const HgBoundary copy = HgBoundaryAll(HG_COPY, 0);
  const int depth = known_ghosts(p);
  double *const *fields[1] = {rows};
  HgExchange exchange;
  if (!depth) return 0;
  PetscCall(HgExchangeCreate(p->mesh, 1, &depth, &exchange));
  PetscCall(HgExchangeApply(exchange, fields));
  PetscCall(HgExchangeDestroy(&exchange));
  HgBoundaryApply(p->mesh, &copy, depth, rows);
  return 0;
}

/* to = 1 where `from` is not 0 within the radius, else 0. */
static PetscErrorCode widen(HgProgram p, int radius, HgState state, int from, int to) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  double *const *x = HgStateRows(state, from), *const *y = HgStateRows(state, to);
  for (int j = 0; j < patch->ny; j++)
    for (int i = 0; i < patch->nx; i++) {
      bool any = false;
      for (int l = j - radius; l <= j + radius && !any; l++)
        for (int k = i - radius; k <= i + radius && !any; k++) any = x[l][k] != 0;
      y[j][i] = any;
    }
  return fill_ghosts(p, y);
}

/* ---- row by row ---- */

/* Rows of 0 and 1, columns [i0, i1); how many of them together, in whole lines of so many columns, across gaps
   up to so many. */
typedef struct {
  double *const *rows;
  int i0, i1, high, line, gap;
} Cells;

static bool any(const Cells *c, int i, int j, int j_end) {
  for (; j < j_end; j++)
    if (c->rows[j][i] != 0) return true;
  return false;
}

/* The stretches of the rows from j on, none from `last` on; where they reach the ends, they go on beyond. `to` may
   be NULL: they are counted. */
static int stretches_of(const Cells *c, int j, int last, HgStretch *to) {
  enum { BEYOND = INT_MAX / 4 };

  const int end = PetscMin(j + c->high, last);
  HgStretch one = {0, 0};
  int count = 0;
  for (int i = c->i0; i < c->i1; i++) {
    if (!any(c, i, j, end)) continue;
    const int from = i & ~(c->line - 1);
    while (i < c->i1 && any(c, i, j, end)) i++;
    const int until = i == c->i1 ? BEYOND : (i + c->line - 1) & ~(c->line - 1);
    if (!count || from > one.i1 + c->gap) one.i0 = from <= c->i0 ? -BEYOND : from, count++;
    one.i1 = until;
    if (to) to[count - 1] = one;
  }
  return count;
}

static PetscErrorCode make_table(const HgMask m, const Cells *c, HgStretchTable *t) {
  const int high = m->j1 - m->j0;
  int count = 0;
  PetscCall(PetscMalloc1(high + 1, &t->first));
  for (int j = 0; j < high; j++) {
    t->first[j] = count;
    count += stretches_of(c, m->j0 + j, m->j1, NULL);
  }
  t->first[high] = count;
  PetscCall(PetscMalloc1(count + 1, &t->stretch));
  for (int j = 0; j < high; j++) stretches_of(c, m->j0 + j, m->j1, t->stretch + t->first[j]);
  return 0;
}

static bool is_dry(const HgMask m, const Cells *c) {
  for (int j = m->j0; j < m->j1; j++)
    for (int i = c->i0; i < c->i1; i++)
      if (c->rows[j][i] == 0) return true;
  return false;
}

static PetscErrorCode make_tables(HgProgram p, HgMask m, double *const *const rows[HG_REACHES]) {
  enum {
    LINE = 8,
    GAP = 16
  }; /* numbers in 64 bytes; what takes no longer than a call of its own */

  const int depth = known_ghosts(p), i1 = HgMeshGetPatch(p->mesh)->nx + depth;
  m->dry = false;
  for (int reach = 0; reach < HG_REACHES; reach++) {
    const Cells exact = {rows[reach], -depth, i1, 1, 1, 0};
    m->dry = m->dry || is_dry(m, &exact);
    PetscCall(make_table(m, &exact, &m->exact[reach]));
    for (int n = 0; n < HG_MASK_HEIGHTS; n++) {
      const Cells computed = {rows[reach], -depth, i1, 1 << n, LINE, GAP};
      PetscCall(make_table(m, &computed, &m->computed[reach][n]));
    }
  }
  return 0;
}

/* ---- the mask ---- */
enum { WET, WRITTEN, READ };

static PetscErrorCode create(HgProgram p, HgState fields, HgMask *mask) {
  const int depth = known_ghosts(p);
  HgMask m;
  PetscCall(PetscNew(&m));
  *mask = m;
  m->radius = largest_radius(p);
  const HgWindow domain = HgWindowOfPatch(p->mesh, depth);
  m->domain = (HgSpan){domain.i0, domain.i1, domain.j0, domain.j1};
  m->j0 = -depth, m->j1 = HgMeshGetPatch(p->mesh)->ny + depth;
  PetscCall(fill_ghosts(p, HgStateRows(fields, WET)));
  PetscCall(widen(p, m->radius, fields, WET, WRITTEN));
  PetscCall(widen(p, m->radius, fields, WRITTEN, READ));
  return make_tables(
      p, m,
      (double *const *const[HG_REACHES]){HgStateRows(fields, WRITTEN), HgStateRows(fields, READ)});
}

PetscErrorCode HgProgramSetMask(HgProgram p, HgState state, const char variable[]) {
  static const HgVariable list[] = {
      {"wet", "1", HG_FIELD, 0}, {"written", "1", HG_FIELD, 0}, {"read", "1", HG_FIELD, 0}};
  const MPI_Comm comm = HgMeshComm(p->mesh);
  HgState fields;
  HgMask mask = NULL;
  PetscBool view = PETSC_FALSE;
  int k;
  HgRequire(comm, p->ready, "program '%s': a mask is set before HgProgramSetUp", p->name);
  if (!state) return HgProgramShareMask(p, NULL);
  PetscCall(HgStateIndex(state, variable, &k));
  HgRequire(comm, HgStateMesh(state) == p->mesh && HgStateVariable(state, k)->kind == HG_FIELD,
            "program '%s': its mask '%s' is expected to be a field on its own mesh", p->name,
            variable);
  PetscCall(HgStateCreate(p->mesh, 3, list, &fields));
  for (int j = 0; j < HgMeshGetPatch(p->mesh)->ny; j++)
    PetscCall(PetscArraycpy(HgStateRows(fields, WET)[j], HgStateRows(state, k)[j],
                            HgMeshGetPatch(p->mesh)->nx));
  PetscCall(create(p, fields, &mask));
  PetscCall(HgProgramShareMask(p, mask));
  PetscCall(HgStateDestroy(&fields));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-hg_program_view", &view));
  return view ? HgProgramViewMask(p, PETSC_VIEWER_STDOUT_(comm)) : 0;
}

PetscErrorCode HgProgramViewMask(HgProgram p, PetscViewer viewer) {
  enum { TALL = 4 }; /* rows at a time, as tiles of many columns do */

  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  const long all = (long)patch->nx * patch->ny;
  long cells[2] = {all, all}; /* of the domain; computed */
  if (!p->mask) return 0;
  if (p->mask->dry) cells[1] = HgMaskComputed(p->mask, patch->nx, patch->ny, TALL);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, cells, 2, MPI_LONG, MPI_SUM, HgMeshComm(p->mesh)));
  return PetscViewerASCIIPrintf(
      viewer, "program '%s': a mask of wet cells skips %.1f %% of %ld cells, %d rows at a time\n",
      p->name, 100 * (1 - (double)cells[1] / (double)cells[0]), cells[0], TALL);
}
