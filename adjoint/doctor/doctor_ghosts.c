/* Exchange and boundaries: what ghosts hold, what is handed back from them, and whether a step
   reads ghosts that nothing has filled; see doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
  HgProgram program;
  HgMesh mesh;
  long step;
  HgDoctorReport *report; /* what this rank has found */
} Ghosts;

static HgDoctorFinding *find(Ghosts *g, HgDoctorKind kind, HgState state, int k,
                             HgDoctorSide side) {
  HgDoctorFinding *f = HgDoctorFind(g->report, kind, g->step);
  if (!f) return NULL;
  (void)PetscStrncpy(f->read, HgStateVariable(state, k)->name, sizeof f->read);
  f->side = side;
  return f;
}

/* ---- what ghosts hold ---- */

/* A number that no other cell has. */
static double code(const HgMeshSpec *m, int i, int j) {
  return 1 + (double)((j + m->ny) % m->ny) * m->nx + (double)((i + m->nx) % m->nx);
}

static bool outside(bool periodic, int i, int n) { return !periodic && (i < 0 || i >= n); }

/* What global cell (i, j) is to hold where all cells hold their code; NAN: what q_0 has. *at: the
   side of the domain that it is outside of, if it is. South and north, which are filled last, are
   resolved first. */
static double expected(const HgMeshSpec *m, const HgBoundary *b, HgMode mode, int i, int j,
                       HgDoctorSide *at) {
  const bool rows = outside(m->periodic_y, j, m->ny);
  const int c = rows ? j : i, n = rows ? m->ny : m->nx, depth = c < 0 ? -1 - c : c - n;
  if (!rows && !outside(m->periodic_x, i, m->nx)) return code(m, i, j);
  const HgSide side = rows ? (c < 0 ? b->south : b->north) : (c < 0 ? b->west : b->east);
  *at = rows ? (c < 0 ? HG_DOCTOR_SOUTH : HG_DOCTOR_NORTH)
             : (c < 0 ? HG_DOCTOR_WEST : HG_DOCTOR_EAST);
  HgDoctorSide unused = HG_DOCTOR_NO_SIDE;
  const int source = side.kind == HG_COPY ? (c < 0 ? 0 : n - 1) : (c < 0 ? depth : n - 1 - depth);
  switch (side.kind) {
  case HG_FROZEN: return mode == HG_TANGENT ? 0 : NAN;
  case HG_FIXED: return mode == HG_TANGENT ? 0 : side.value;
  case HG_CLOSED: return 0;
  default:
    return (side.kind == HG_MIRROR ? side.value : 1) *
           expected(m, b, mode, rows ? i : source, rows ? source : j, &unused);
  }
}

static void set_codes(const Ghosts *g, HgState state, int k) {
  const HgPatch *p = HgMeshGetPatch(g->mesh);
  double *const *u = HgStateRows(state, k);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      u[j][i] = code(HgMeshGetSpec(g->mesh), p->i_global + i, p->j_global + j);
  HgStateSetGhostDepth(state, k, 0);
}

/* How far beyond walls kernels read `name`: at least as many layers are filled there. */
static int layers_of(const Ghosts *g, const char name[]) {
  const HgStencil *s;
  const void *params;
  int layers = 0;
  for (int k = 0; HgProgramTerm(g->program, k, &s, &params); k++)
    for (const HgRead *r = s ? s->reads : NULL; r && r->name; r++)
      if (!strcmp(r->name, name)) layers = PetscMax(layers, PetscMax(r->radius, r->adjoint_radius));
  return layers;
}

/* Is (i, j), outside the domain or not, beyond so many layers? */
static bool beyond(const HgMeshSpec *m, int i, int j, int layers) {
  return (!m->periodic_x && (i < -layers || i >= m->nx + layers)) ||
         (!m->periodic_y && (j < -layers || j >= m->ny + layers));
}

/* The first ghost of variable k that holds something else than it should. */
static PetscErrorCode compare(Ghosts *g, HgState state, int k, HgMode mode, int depth) {
  const HgMeshSpec *m = HgMeshGetSpec(g->mesh);
  const HgPatch *p = HgMeshGetPatch(g->mesh);
  double *const *u = HgStateRows(state, k);
  const int layers = PetscMin(depth, layers_of(g, HgStateVariable(state, k)->name));
  HgBoundary b;
  PetscCall(HgProgramGetBoundary(g->program, HgStateVariable(state, k)->name, &b));
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++) {
      HgDoctorSide wall = HG_DOCTOR_NO_SIDE;
      if (beyond(m, p->i_global + i, p->j_global + j, layers)) continue;
      const double is = expected(m, &b, mode, p->i_global + i, p->j_global + j, &wall);
      if (isnan(is) || u[j][i] == is) continue;
      const HgDoctorSide seam = j < 0        ? HG_DOCTOR_SOUTH
                                : j >= p->ny ? HG_DOCTOR_NORTH
                                : i < 0      ? HG_DOCTOR_WEST
                                : i >= p->nx ? HG_DOCTOR_EAST
                                             : HG_DOCTOR_NO_SIDE;
      HgDoctorFinding *f =
          find(g, wall ? HG_DOCTOR_BOUNDARY : HG_DOCTOR_EXCHANGE, state, k, wall ? wall : seam);
      if (!f) return 0;
      f->place = wall ? HG_DOCTOR_WALL : HG_DOCTOR_SEAM;
      f->i = p->i_global + i, f->j = p->j_global + j, f->was = is, f->is = u[j][i];
      MPI_Comm_rank(HgMeshComm(g->mesh), &f->rank);
      return 0;
    }
  return 0;
}

/* Of variable k, as values and as tangents. */
static PetscErrorCode check_contents(Ghosts *g, HgState state, int k) {
  for (HgMode mode = HG_PRIMAL; mode <= HG_TANGENT; mode++)
    for (int deep = 0; deep < 2; deep++) {
      const int depth = deep ? HgStateGhosts(state) : PetscMin(1, HgStateGhosts(state));
      set_codes(g, state, k);
      PetscCall(HgProgramFillGhosts(g->program, mode, state, k, depth));
      PetscCall(compare(g, state, k, mode, depth));
    }
  return 0;
}

/* ---- what is handed back ---- */

/* Ghosts in the first layer outside `side`, beside the patch; `at` steps through them. */
static int ghosts_at(const HgPatch *p, HgDoctorSide side) {
  return side <= HG_DOCTOR_EAST ? p->ny : p->nx;
}

static double *ghost_at(const HgPatch *p, HgDoctorSide side, int n, double *const *u) {
  switch (side) {
  case HG_DOCTOR_WEST: return &u[n][-1];
  case HG_DOCTOR_EAST: return &u[n][p->nx];
  case HG_DOCTOR_SOUTH: return &u[-1][n];
  default: return &u[p->ny][n];
  }
}

static bool wall_at(const HgPatch *p, HgDoctorSide side) {
  const bool walls[HG_DOCTOR_SIDES] = {false, p->wall_west, p->wall_east, p->wall_south,
                                       p->wall_north};
  return walls[side];
}

/* <B dq, y_bar> = <dq, B^T y_bar> for y_bar in the ghosts outside one side; dq of variable k,
   filled. */
static PetscErrorCode check_side(Ghosts *g, HgState dq, HgState bar, int k, HgDoctorSide side) {
  const HgPatch *p = HgMeshGetPatch(g->mesh);
  double *const *u = HgStateRows(dq, k), *const *v = HgStateRows(bar, k);
  double forward = 0, back = 0, size = 0;
  if (!wall_at(p, side)) return 0;
  PetscCall(HgStateZeroVariable(bar, k));
  for (int n = 0; n < ghosts_at(p, side); n++) {
    const double drawn = HgRandom((uint64_t)side, (uint64_t)n), du = *ghost_at(p, side, n, u);
    *ghost_at(p, side, n, v) = drawn;
    forward += du * drawn, size += fabs(du * drawn);
  }
  PetscCall(HgProgramBoundaryAdjoint(g->program, bar));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) back += u[j][i] * v[j][i];
  if (fabs(forward - back) <= 1e-12 * fmax(size, fabs(back))) return 0;
  HgDoctorFinding *f = find(g, HG_DOCTOR_BOUNDARY, dq, k, side);
  if (!f) return 0;
  f->value = fabs(forward - back) / fmax(size, fabs(back)), f->bound = 1e-12;
  return PetscStrncpy(f->part, "transpose", sizeof f->part);
}

static PetscErrorCode check_transpose(Ghosts *g, HgState dq) {
  HgState bar;
  PetscCall(HgStateDuplicate(dq, &bar));
  PetscCall(HgStateRandom(dq, 11));
  for (int k = 0; k < HgStateCount(dq) && HgStateGhosts(dq) > 0; k++) {
    if (HgStateVariable(dq, k)->kind != HG_FIELD) continue;
    HgStateSetGhostDepth(dq, k, 0);
    PetscCall(HgProgramFillGhosts(g->program, HG_TANGENT, dq, k, 1));
    for (HgDoctorSide side = HG_DOCTOR_WEST; side < HG_DOCTOR_SIDES; side++)
      PetscCall(check_side(g, dq, bar, k, side));
  }
  return HgStateDestroy(&bar);
}

/* ---- ghosts that nothing fills ---- */

/* Ghosts of variable k that an exchange or a boundary is to fill get numbers of no cell: on one
   side, or all. Finite ones: next to a cotangent of 0 a step may read what it likes. */
static PetscErrorCode poison(Ghosts *g, HgState state, int k, HgDoctorSide side, bool walls) {
  const HgPatch *p = HgMeshGetPatch(g->mesh);
  const int depth = HgStateGhosts(state);
  double *const *u = HgStateRows(state, k);
  HgBoundary b;
  PetscCall(HgProgramGetBoundary(g->program, HgStateVariable(state, k)->name, &b));
  walls = walls && !HgBoundaryFreezes(g->mesh, &b);
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++) {
      const bool at[HG_DOCTOR_SIDES] = {false, i < 0, i >= p->nx, j < 0, j >= p->ny};
      bool spoilt = at[side], keep = false;
      for (HgDoctorSide s = HG_DOCTOR_WEST; s < HG_DOCTOR_SIDES; s++) {
        if (!side) spoilt = spoilt || at[s];
        keep = keep || (at[s] && wall_at(p, s) && !walls);
      }
      if (spoilt && !keep) u[j][i] = 3 + 0.01 * (i + 5 * j);
    }
  HgStateSetGhostDepth(state, k, 0);
  return 0;
}

enum { NOTHING = 1 << 20 }; /* is poisoned */

typedef struct {
  HgState q, constants;    /* of the run */
  HgState x, c, next;      /* the same, poisoned; what comes out */
  HgState clean;           /* of what is not */
  HgState dx, dc, back[2]; /* tangents, cotangents */
} Poisoned;

/* What is run with them in that mode. */
static PetscErrorCode run_step(Ghosts *g, HgMode mode, Poisoned *p) {
  if (mode == HG_PRIMAL) return HgProgramStep(g->program, g->step, p->c, p->x, p->next);
  if (mode == HG_TANGENT)
    return HgProgramStepTangent(g->program, g->step, p->c, p->dc, p->x, p->dx, p->back[0], p->next);
  PetscCall(HgProgramZeroConstantsBar(g->program, p->dc));
  PetscCall(HgProgramStepAdjoint(g->program, g->step, p->c, p->x, p->back[0], p->back[1], p->next,
                                 p->dc));
  return HgProgramBoundaryAdjoint(g->program, p->next);
}

/* Of variable `only` (-1: all) of q and, from there on, of the constants, and what goes with them.
   */
static PetscErrorCode make_poisoned(Ghosts *g, HgMode mode, int only, HgDoctorSide side,
                                    Poisoned *p) {
  const int carried = HgStateCount(p->q);
  PetscCall(HgStateCopy(p->q, p->x));
  PetscCall(HgStateZero(p->next)); /* a cotangent has no ghosts outside walls to begin with */
  PetscCall(HgStateRandom(p->dx, 5));
  PetscCall(HgStateZero(p->back[1]));
  PetscCall(HgStateAXPY(p->back[1], 1, p->dx));
  if (p->c) PetscCall(HgStateCopy(p->constants, p->c));
  if (p->c) PetscCall(HgStateRandom(p->dc, 6));
  for (int k = 0; k < carried + (p->c ? HgStateCount(p->c) : 0); k++) {
    const bool is_carried = k < carried;
    const int l = is_carried ? k : k - carried;
    const HgState x = is_carried ? p->x : p->c, dx = is_carried ? p->dx : p->dc;
    if ((only >= 0 && only != k) || HgStateVariable(x, l)->kind != HG_FIELD) continue;
    PetscCall(poison(g, x, l, side, true));
    if (mode == HG_TANGENT) PetscCall(poison(g, dx, l, side, true));
    if (mode == HG_COTANGENT && is_carried) PetscCall(poison(g, p->back[1], l, side, false));
  }
  return 0;
}

/* Is a number of `b` another one than that of `a`, on any rank? What is NaN in both is not. */
static PetscErrorCode differ(HgState a, HgState b, bool *found) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(a));
  int any = 0;
  for (int k = 0; k < HgStateCount(a); k++) {
    if (HgStateVariable(a, k)->kind != HG_FIELD) continue;
    double *const *u = HgStateRows(a, k), *const *v = HgStateRows(b, k);
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++)
        any = any || (u[j][i] != v[j][i] && !(isnan(u[j][i]) && isnan(v[j][i])));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, HgMeshComm(HgStateMesh(a))));
  *found = any;
  return 0;
}

/* Does a step make something else of them than of those that are `clean`? */
static PetscErrorCode spreads(Ghosts *g, HgMode mode, int only, HgDoctorSide side, Poisoned *p,
                              bool *found) {
  PetscCall(make_poisoned(g, mode, only, side, p));
  PetscCall(run_step(g, mode, p));
  return differ(p->clean, p->next, found);
}

static PetscErrorCode check_unfilled(Ghosts *g, HgMode mode, Poisoned *p) {
  static const char *const modes[] = {"value", "tangent", "adjoint"};
  const int carried = HgStateCount(p->q), all = carried + (p->c ? HgStateCount(p->c) : 0);
  bool found = false;
  PetscCall(make_poisoned(g, mode, NOTHING, HG_DOCTOR_NO_SIDE, p));
  PetscCall(run_step(g, mode, p));
  PetscCall(HgStateCopy(p->next, p->clean));
  PetscCall(spreads(g, mode, -1, HG_DOCTOR_NO_SIDE, p, &found));
  if (!found) return 0;
  for (int k = 0; k < all; k++)
    for (HgDoctorSide side = HG_DOCTOR_WEST; side < HG_DOCTOR_SIDES; side++) {
      PetscCall(spreads(g, mode, k, side, p, &found));
      if (!found) continue;
      HgDoctorFinding *f = k < carried ? find(g, HG_DOCTOR_EXCHANGE, p->q, k, side)
                                       : find(g, HG_DOCTOR_EXCHANGE, p->c, k - carried, side);
      return f ? PetscStrncpy(f->write, modes[mode], sizeof f->write) : 0;
    }
  return 0;
}

static PetscErrorCode check_all_unfilled(Ghosts *g, HgState q, HgState constants) {
  Poisoned p = {.q = q, .constants = constants};
  HgState *const carried[] = {&p.x, &p.next, &p.clean, &p.dx, &p.back[0], &p.back[1]};
  for (int k = 0; k < 6; k++) PetscCall(HgStateDuplicate(q, carried[k]));
  if (constants) PetscCall(HgStateDuplicate(constants, &p.c));
  if (constants) PetscCall(HgStateDuplicate(constants, &p.dc));
  for (HgMode mode = HG_PRIMAL; mode < HG_MODES && !g->report->findings; mode++)
    PetscCall(check_unfilled(g, mode, &p));
  for (int k = 0; k < 6; k++) PetscCall(HgStateDestroy(carried[k]));
  PetscCall(HgStateDestroy(&p.c));
  return HgStateDestroy(&p.dc);
}

static PetscErrorCode check_reaches(Ghosts *g, HgState q, HgState constants,
                                    HgDoctorReport *report) {
  HgDoctorTerm term = {.program = g->program, .step = g->step};
  HgOperator op, part;
  HgState x, at;
  PetscCall(HgProgramOperator(g->program, g->step, &op));
  PetscCall(HgOperatorCreateInput(op, &x));
  PetscCall(HgDoctorJoin(q, constants, x));
  for (int k = 0; HgProgramTerm(g->program, k, &term.stencil, &term.params); k++) {
    PetscCall(HgOperatorPart(op, x, k, &part, &at));
    if (term.stencil) PetscCall(HgDoctorReach(&term, at ? at : x, report));
    PetscCall(HgStateDestroy(&at));
  }
  PetscCall(HgStateDestroy(&x));
  return HgOperatorDestroy(&op);
}

PetscErrorCode HgDoctorGhosts(HgProgram program, long step, HgState q, HgState constants,
                              HgDoctorReport *report) {
  HgDoctorReport found = {0};
  Ghosts g = {.program = program, .mesh = HgStateMesh(q), .step = step, .report = &found};
  HgState const states[] = {q, constants};
  PetscCall(check_reaches(&g, q, constants, &found));
  for (int s = 0; s < 2 && !found.findings; s++) {
    HgState copy;
    if (!states[s]) continue;
    PetscCall(HgStateDuplicate(states[s], &copy));
    for (int k = 0; k < HgStateCount(copy); k++)
      if (HgStateVariable(copy, k)->kind == HG_FIELD) {
        PetscCall(check_contents(&g, copy, k));
        PetscCall(HgDoctorAgree(HgMeshComm(g.mesh), &found));
      }
    if (!found.findings) PetscCall(check_transpose(&g, copy));
    PetscCall(HgStateDestroy(&copy));
    PetscCall(HgDoctorAgree(HgMeshComm(g.mesh), &found));
  }
  if (!found.findings) PetscCall(check_all_unfilled(&g, q, constants));
  HgDoctorMerge(&found, "", report);
  return 0;
}
