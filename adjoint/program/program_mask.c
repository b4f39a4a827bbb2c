/* The mask of wet cells of a program: how far something wet reaches, row by row. */
#include "program_private.h"
#include <limits.h>

/* ---- whose it is ---- */
static PetscErrorCode release(HgMask *mask) {
  HgMask m = *mask;
  *mask = NULL;
  if (!m || --m->references) return 0;
  for (int reach = 0; reach < HG_REACHES; reach++) {
    PetscCall(PetscFree(m->first[reach]));
    PetscCall(PetscFree(m->stretch[reach]));
  }
  return PetscFree(m);
}

PetscErrorCode HgProgramShareMask(HgProgram p, HgMask mask) {
  if (mask) mask->references++;
  PetscCall(release(&p->mask));
  p->mask = mask;
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

/* The stretches of columns [i0, i1) of a row that are not 0; they go on beyond where they reach the
   ends. `to` may be NULL. */
static int stretches_of(const double *row, int i0, int i1, HgStretch *to) {
  enum { BEYOND = INT_MAX / 4 };

  int count = 0;
  for (int i = i0; i < i1; i++) {
    if (row[i] == 0) continue;
    const int from = i;
    while (i < i1 && row[i] != 0) i++;
    if (to) to[count] = (HgStretch){from == i0 ? -BEYOND : from, i == i1 ? BEYOND : i};
    count++;
  }
  return count;
}

static PetscErrorCode list_stretches(HgProgram p, HgMask m, HgReach reach, double *const *rows) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  const int i0 = -known_ghosts(p), i1 = patch->nx - i0, high = m->j1 - m->j0;
  int count = 0;
  PetscCall(PetscMalloc1(high + 1, &m->first[reach]));
  for (int j = 0; j < high; j++) count += stretches_of(rows[m->j0 + j], i0, i1, NULL);
  PetscCall(PetscMalloc1(count + 1, &m->stretch[reach]));
  count = 0;
  for (int j = 0; j < high; j++) {
    m->first[reach][j] = count;
    const int here = stretches_of(rows[m->j0 + j], i0, i1, m->stretch[reach] + count);
    m->dry = m->dry || here != 1 || m->stretch[reach][count].i0 >= i0 ||
             m->stretch[reach][count].i1 <= i1;
    count += here;
  }
  m->first[reach][high] = count;
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
  PetscCall(list_stretches(p, m, HG_REACH_WRITTEN, HgStateRows(fields, WRITTEN)));
  return list_stretches(p, m, HG_REACH_READ, HgStateRows(fields, READ));
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
