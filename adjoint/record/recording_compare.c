/* SPDX-License-Identifier: BSD-2-Clause */
/* Where two recordings part first: the ledgers tell the step, the states the cell. */
#include <halograd/real_library.h>
#include <halograd/recording_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <string.h>

/* ---- are they of one kind? ---- */
static PetscErrorCode require_alike(HgRecording a, HgRecording b) {
  const HgRecordHead *x = &a->head, *y = &b->head;
  const HgMeshSpec *m = &x->grid, *n = &y->grid;
  char has[2][96];
  HgRequire(a->comm, !strcmp(x->program, y->program), HG_ERR_FILE_MISMATCH,
            "recordings '%s' and '%s': programs '%s' and '%s', expected the same", a->directory,
            b->directory, x->program, y->program);
  HgRequire(a->comm, HgSameGrid(m, n) && m->x0 == n->x0 && m->y0 == n->y0, HG_ERR_FILE_MISMATCH,
            "recordings '%s' and '%s': grids of %d x %d cells of %g x %g m from (%g, %g) and of %d "
            "x %d of %g x %g m from (%g, %g), with %d and %d levels, expected the same",
            a->directory, b->directory, m->nx, m->ny, m->dx, m->dy, m->x0, m->y0, n->nx, n->ny,
            n->dx, n->dy, n->x0, n->y0, m->nz, n->nz);
  HgRequire(a->comm, x->steps == y->steps, HG_ERR_FILE_MISMATCH,
            "recordings '%s' and '%s': runs of %ld and %ld steps, expected the same", a->directory,
            b->directory, x->steps, y->steps);
  HgRequire(a->comm, HgRecordedAlike(x, y, sizeof *has, has[0], has[1]), HG_ERR_FILE_MISMATCH,
            "recordings '%s' and '%s': %s and %s among their variables, expected the same",
            a->directory, b->directory, has[0], has[1]);
  return 0;
}

/* ---- the ledgers ---- */

/* < 0: line a comes before line b in a run. */
static long order(const HgLedgerLine *a, const HgLedgerLine *b) {
  const bool back[] = {a->direction == HG_COTANGENT, b->direction == HG_COTANGENT};
  if (back[0] != back[1]) return back[0] ? 1 : -1;
  return back[0] ? b->n - a->n : a->n - b->n;
}

static const HgLedgerLine *find(const HgLedgerText *l, int from, const HgLedgerLine *like) {
  for (int k = from; k < l->lines && !order(&l->line[k], like); k++)
    if (!strcmp(l->line[k].variable, like->variable)) return &l->line[k];
  return NULL;
}

/* Returns whether they differ, and the number of steps compared. */
static bool compare_lines(const HgLedgerText *a, const HgLedgerText *b, HgRecordingDifference *d) {
  const HgLedgerLine *before = NULL;
  bool J_seen = false;
  for (int k = 0, l = 0; k <= a->lines; k++) {
    const HgLedgerLine *x = k < a->lines ? &a->line[k] : NULL;
    if (!J_seen && (!x || x->direction == HG_COTANGENT)) {
      J_seen = true;
      d->direction = HG_NO_MODE, d->value[0] = a->J, d->value[1] = b->J;
      const bool same = !memcmp(&a->J, &b->J, sizeof a->J) || (isnan(a->J) && isnan(b->J));
      if (a->whole && b->whole && !same) return true;
    }
    if (!x) break;
    while (l < b->lines && order(&b->line[l], x) < 0) l++;
    const HgLedgerLine *y = find(b, l, x);
    if (!y) continue;
    if (!before || order(before, x)) d->compared++;
    const bool same_sweep =
        before && (before->direction == HG_COTANGENT) == (x->direction == HG_COTANGENT);
    if (!same_sweep) d->before = -1;
    else if (before->n != x->n) d->before = before->n;
    before = x;
    d->direction = x->direction, d->n = x->n;
    snprintf(d->variable, sizeof d->variable, "%s", x->variable);
    if (strcmp(x->measure.digest, y->measure.digest)) return true;
  }
  return false;
}

/* ---- the states ---- */
typedef struct {
  int64_t at; /* of the first number that differs: j 2^32 + i; INT64_MAX: none */
  double value[2];
  uint64_t most;
  double count, of;
} Apart;

static void compare_row(Apart *p, int n, HgRow row_a, HgRow row_b, int64_t at) {
  p->of += n;
  for (int i = 0; i < n; i++) {
    const double a = HgRowGet(row_a, i), b = HgRowGet(row_b, i);
    if (!memcmp(&a, &b, sizeof a)) continue;
    const uint64_t ulps = HgUlps(a, b) >> (row_a.cells ? HG_REAL_SHIFT : 0);
    p->count++;
    p->most = PetscMax(p->most, ulps);
    if (at + i < p->at) *p = (Apart){at + i, {a, b}, p->most, p->count, p->of};
  }
}

static void compare_own(HgState a, HgState b, int k, int rank, Apart *p) {
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(a));
  const HgVariable *v = HgStateVariable(a, k);
  *p = (Apart){.at = INT64_MAX};
  if (!HgIsField(v)) {
    if (!rank) compare_row(p, v->size, HgStateRowOf(a, k, 0), HgStateRowOf(b, k, 0), 0);
    return;
  }
  for (int n = 0; n < HgStateRowCount(a, k); n++) {
    const int64_t row = (int64_t)(n / patch->ny) * HgMeshGetSpec(HgStateMesh(a))->ny +
                        patch->j_global + n % patch->ny;
    compare_row(p, patch->nx, HgStateRowOf(a, k, n), HgStateRowOf(b, k, n),
                (row << 32) + patch->i_global);
  }
}

static PetscErrorCode compare_states(HgState a, HgState b, HgRecordingDifference *d) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(a));
  Apart own, *all;
  int k, rank, ranks, first = 0;
  PetscCall(HgStateIndex(a, d->variable, &k));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  compare_own(a, b, k, rank, &own);
  PetscCall(PetscMalloc1(ranks, &all));
  PetscCallMPI(MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, comm));
  for (int r = 0; r < ranks; r++) {
    if (all[r].at < all[first].at) first = r;
    d->cells += all[r].count, d->of += all[r].of;
    d->most_ulps = PetscMax(d->most_ulps, all[r].most);
  }
  d->states = all[first].at < INT64_MAX;
  const HgMeshSpec *const m = HgMeshGetSpec(HgStateMesh(a));
  const int row = (int)(all[first].at >> 32);
  const bool field = HgIsField(HgStateVariable(a, k));
  d->cell[0] = (int)(all[first].at & INT32_MAX);
  d->cell[1] = field ? row % m->ny : row, d->cell[2] = field && m->nz ? row / m->ny : -1;
  memcpy(d->value, all[first].value, sizeof d->value);
  d->ulps = HgUlps(d->value[0], d->value[1]) >> (field ? HG_REAL_SHIFT : 0);
  return PetscFree(all);
}

/* The rank that had the cell when it was recorded. */
static PetscErrorCode find_owner(HgRecording r, const HgRecordingDifference *d, int *rank) {
  char stem[HG_GENERATION_STEM];
  HgManifest m;
  PetscCall(HgRecordingManifest(r, d->direction, d->n, stem, &m));
  *rank = 0;
  for (int k = 0; k < m.ranks; k++) {
    const int *p = m.piece[k].patch;
    if (p[0] <= d->cell[0] && d->cell[0] < p[1] && p[2] <= d->cell[1] && d->cell[1] < p[3])
      *rank = k;
  }
  return HgManifestDestroy(&m);
}

static bool is_constant(const HgRecordHead *h, const char name[], HgKind *kind) {
  for (int k = 0; k < h->variables; k++)
    if (!strcmp(h->variable[k].name, name)) {
      *kind = h->variable[k].kind;
      return h->variable[k].constant;
    }
  return false;
}

/* Both states of the step, if both are there. */
static PetscErrorCode find_cell(HgRecording a, HgRecording b, HgRecordingDifference *d) {
  const HgRecording both[] = {a, b};
  HgState state[2] = {NULL, NULL};
  HgKind kind = HG_FIELD;
  PetscErrorCode ierr = 0;
  const bool constant = is_constant(&a->head, d->variable, &kind);
  for (int k = 0; k < 2; k++) {
    bool found;
    PetscCall(HgRecordingFind(both[k], d->direction, d->n, &found));
    if (!found || kind == HG_LOCAL) return 0;
  }
  for (int k = 0; !ierr && k < 2; k++)
    ierr = HgRecordingRead(both[k], d->direction, d->n, constant, &state[k]);
  if (!ierr) ierr = compare_states(state[0], state[1], d);
  for (int k = 0; !ierr && d->states && k < 2; k++) ierr = find_owner(both[k], d, &d->rank[k]);
  for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(&state[k]));
  return ierr;
}

PetscErrorCode HgRecordingCompare(HgRecording a, HgRecording b, HgRecordingDifference *d) {
  *d = (HgRecordingDifference){.direction = HG_NO_MODE};
  PetscCall(require_alike(a, b));
  d->differ = compare_lines(&a->ledger, &b->ledger, d);
  HgRequire(a->comm, d->compared, HG_ERR_FILE_MISMATCH,
            "recordings '%s' and '%s': no step that both have, so there is nothing to compare",
            a->directory, b->directory);
  return d->differ && d->direction != HG_NO_MODE ? find_cell(a, b, d) : 0;
}
