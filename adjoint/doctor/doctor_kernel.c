/* Kernels alone on this rank's patch, without program, exchange and boundary; see doctor.h.

   With dx and y_bar 0 outside the patch P, P F' P and P F'^T P are transposes of each other,
   whatever lies around the patch: so a kernel can be told from what surrounds it. */
#include "doctor_private.h"
#include <halograd/trial_library.h>
#include <math.h>
#include <string.h>

enum { BEYOND = 3 }; /* cells further than declared that a wrong kernel may read */

typedef struct {
  const HgStencil *stencil;
  const void *params;
  HgBox box;
  bool unwanted[HG_TRIAL_MOST]; /* x_bar of a constant that the program does not differentiate by */
  int reads, writes, radius, margin;
  HgTrialField x[HG_TRIAL_MOST], dx[HG_TRIAL_MOST], x_bar[HG_TRIAL_MOST], y[HG_TRIAL_MOST],
      dy[HG_TRIAL_MOST], y_bar[HG_TRIAL_MOST];
  HgState at;
} Kernel;

static int reach_of(const HgRead *r) { return PetscMax(r->radius, r->adjoint_radius); }

/* x of read l as the program fills it, `depth` cells around the patch. */
static void load(const Kernel *k, int l, int depth) {
  double *const *u = HgStateRows(k->at, HgStateFind(k->at, k->stencil->reads[l].name));
  const HgTrialField *f = &k->x[l];
  for (int j = -depth; j < f->ny + depth; j++)
    for (int i = -depth; i < f->nx + depth; i++) f->rows[j][i] = u[j][i];
}

/* Within the radii that the reads declare. */
static PetscErrorCode fill(const HgDoctorTerm *term, Kernel *k) {
  for (int l = 0; l < k->reads; l++) {
    const HgRead *r = &k->stencil->reads[l];
    const int depth = PetscMax(0, reach_of(r));
    PetscCall(
        HgProgramFillGhosts(term->program, HG_PRIMAL, k->at, HgStateFind(k->at, r->name), depth));
    load(k, l, depth);
  }
  return 0;
}

static PetscErrorCode kernel_create(const HgDoctorTerm *term, HgState at, Kernel *k) {
  const HgStencil *s = term->stencil;
  *k = (Kernel){.stencil = s, .params = term->params, .at = at};
  k->box = HgProgramBox(term->program, term->step);
  k->box.fresh = 0;
  for (; s->reads[k->reads].name; k->reads++) {
    const HgRead *r = &s->reads[k->reads];
    k->radius = PetscMax(k->radius, r->radius);
    k->margin = PetscMax(k->margin, reach_of(r));
    k->unwanted[k->reads] = term->op && !HgOperatorActive(term->op, HgStateFind(at, r->name));
  }
  while (s->writes[k->writes]) k->writes++;
  k->margin += BEYOND;
  HgTrialField *const all[] = {k->x, k->dx, k->x_bar, k->y, k->dy, k->y_bar};
  for (int n = 0; n < 6; n++)
    for (int l = 0; l < (n < 3 ? k->reads : k->writes); l++)
      PetscCall(HgTrialFieldCreate(&k->box, k->margin, &all[n][l]));
  return fill(term, k);
}

static PetscErrorCode kernel_destroy(Kernel *k) {
  HgTrialField *const all[] = {k->x, k->dx, k->x_bar, k->y, k->dy, k->y_bar};
  for (int n = 0; n < 6; n++)
    for (int l = 0; l < (n < 3 ? k->reads : k->writes); l++)
      PetscCall(HgTrialFieldDestroy(&all[n][l]));
  return 0;
}

static void run(const Kernel *k, HgMode mode) {
  const bool back = mode == HG_COTANGENT;
  const HgTrialField *from = back ? k->y_bar : k->dx, *to = mode == HG_PRIMAL ? k->y
                                                            : back            ? k->x_bar
                                                                              : k->dy;
  HgRows x[HG_TRIAL_MOST], second[HG_TRIAL_MOST];
  HgRowsOut out[HG_TRIAL_MOST];
  for (int l = 0; l < k->reads; l++) x[l] = (HgRows)k->x[l].rows;
  for (int l = 0; l < (back ? k->writes : k->reads); l++) second[l] = (HgRows)from[l].rows;
  for (int l = 0; l < (back ? k->reads : k->writes); l++)
    out[l] = back && k->unwanted[l] ? NULL : (HgRowsOut)to[l].rows;
  if (mode == HG_PRIMAL) k->stencil->apply(&k->box, k->params, x, out);
  else if (back) k->stencil->adjoint(&k->box, k->params, x, second, out);
  else k->stencil->tangent(&k->box, k->params, x, second, out);
}

/* Random numbers in the patch, 0 around it. */
static void draw(const HgTrialField *f, uint64_t seed) {
  uint64_t drawn = 0;
  HgTrialFieldFill(f, 0);
  for (int j = 0; j < f->ny; j++)
    for (int i = 0; i < f->nx; i++) f->rows[j][i] = HgRandom(seed, drawn++);
}

/* ---- the pair ---- */
PetscErrorCode HgDoctorKernel(const HgDoctorTerm *term, HgState at, const char read[],
                              const char write[], uint64_t seed, double *off) {
  Kernel k;
  int r = 0, w = 0;
  PetscCall(kernel_create(term, at, &k));
  while (r < k.reads && strcmp(k.stencil->reads[r].name, read)) r++;
  while (w < k.writes && strcmp(k.stencil->writes[w], write)) w++;
  *off = 0;
  if (r < k.reads && w < k.writes) {
    draw(&k.dx[r], seed);
    draw(&k.y_bar[w], seed + 1);
    run(&k, HG_TANGENT);
    run(&k, HG_COTANGENT);
    const HgBox *const b = &k.box;
    const double forward = (double)HgTrialFieldDot(&k.dy[w], &k.y_bar[w], b, 0),
                 back = (double)HgTrialFieldDot(&k.dx[r], &k.x_bar[r], b, 0),
                 size = fmax(HgTrialFieldNorm(&k.dy[w], b) * HgTrialFieldNorm(&k.y_bar[w], b),
                             HgTrialFieldNorm(&k.dx[r], b) * HgTrialFieldNorm(&k.x_bar[r], b));
    *off = forward == back ? 0 : fabs(forward - back) / size;
    if (isnan(*off)) *off = INFINITY;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, off, 1, MPI_DOUBLE, MPI_MAX,
                             HgMeshComm(HgProgramMesh(term->program))));
  return kernel_destroy(&k);
}

/* ---- how far they read ---- */

/* Cells beyond `margin` of the patch, on one side or all round, become `value`. */
static void spoil(const HgTrialField *f, int margin, HgDoctorSide side, double value) {
  for (int j = -f->ghost; j < f->ny + f->ghost; j++)
    for (int i = -f->ghost; i < f->nx + f->ghost; i++) {
      const bool at[HG_DOCTOR_SIDES] = {false, i < -margin, i >= f->nx + margin, j < -margin,
                                        j >= f->ny + margin};
      bool spoilt = at[side];
      for (HgDoctorSide s = HG_DOCTOR_WEST; !side && s < HG_DOCTOR_SIDES; s++)
        spoilt = spoilt || at[s];
      if (spoilt) f->rows[j][i] = value;
    }
}

/* Is a result not a number? The first cell that is none. */
static bool find_nan(const Kernel *k, HgMode mode, int *i_found, int *j_found) {
  const HgTrialField *out = mode == HG_PRIMAL ? k->y : mode == HG_TANGENT ? k->dy : k->x_bar;
  for (int l = 0; l < (mode == HG_COTANGENT ? k->reads : k->writes); l++)
    for (int j = 0; j < out[l].ny; j++)
      for (int i = 0; i < out[l].nx; i++)
        if (isnan(out[l].rows[j][i])) {
          *i_found = k->box.i_global + i, *j_found = k->box.j_global + j;
          return true;
        }
  return false;
}

/* Does what the kernel makes depend on cells further than declared of x[only] (dx, too), from
   `reads` on y_bar[only - reads]; -1: of any? The first cell that does. */
static bool depends(Kernel *k, HgMode mode, int only, HgDoctorSide side, int *i, int *j) {
  for (int l = 0; l < k->reads; l++) {
    const HgRead *r = &k->stencil->reads[l];
    const int margin = mode == HG_COTANGENT ? r->adjoint_radius : r->radius;
    const bool spoilt = (only < 0 || only == l) && margin >= 0;
    HgTrialFieldFill(&k->x[l], 0), HgTrialFieldFill(&k->dx[l], 0),
        HgTrialFieldFill(&k->x_bar[l], 0);
    if (spoilt) spoil(&k->x[l], margin, side, NAN);
    if (spoilt && mode == HG_TANGENT) spoil(&k->dx[l], margin, side, NAN);
    load(k, l, PetscMax(0, margin));
  }
  for (int l = 0; l < k->writes; l++) {
    HgTrialFieldFill(&k->y_bar[l], 0);
    if (only < 0 || only == k->reads + l) spoil(&k->y_bar[l], k->radius, side, NAN);
  }
  run(k, mode);
  return find_nan(k, mode, i, j);
}

/* The variable and the side, once something depends on what lies beyond. */
static PetscErrorCode name_reach(Kernel *k, HgMode mode, HgDoctorFinding *f) {
  bool found = false;
  for (int l = 0; l < k->reads + k->writes; l++)
    for (HgDoctorSide side = HG_DOCTOR_WEST; side < HG_DOCTOR_SIDES && !found; side++) {
      found = depends(k, mode, l, side, &f->i, &f->j);
      if (!found) continue;
      f->side = side;
      f->bound = l < k->reads ? k->stencil->reads[l].radius : k->radius;
      if (l < k->reads && mode == HG_COTANGENT) f->bound = k->stencil->reads[l].adjoint_radius;
      PetscCall(PetscStrncpy(
          f->read, l < k->reads ? k->stencil->reads[l].name : k->stencil->writes[l - k->reads],
          sizeof f->read));
    }
  return 0;
}

PetscErrorCode HgDoctorReach(const HgDoctorTerm *term, HgState at, HgDoctorReport *report) {
  static const char *const kernels[] = {"apply", "tangent", "adjoint"};
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(term->program));
  HgDoctorReport found = {0};
  Kernel k;
  PetscCall(kernel_create(term, at, &k));
  for (HgMode mode = HG_PRIMAL; mode < HG_MODES && !found.findings; mode++) {
    int i, j;
    if (!depends(&k, mode, -1, HG_DOCTOR_NO_SIDE, &i, &j)) continue;
    HgDoctorFinding *f = HgDoctorFind(&found, HG_DOCTOR_EXCHANGE, term->step);
    f->i = i, f->j = j;
    PetscCall(PetscStrncpy(f->part, k.stencil->name, sizeof f->part));
    PetscCall(PetscStrncpy(f->write, kernels[mode], sizeof f->write));
    PetscCall(name_reach(&k, mode, f));
    PetscCallMPI(MPI_Comm_rank(comm, &f->rank));
    const HgPatch *p = HgMeshGetPatch(HgProgramMesh(term->program));
    const bool walls = p->wall_west && p->wall_east && p->wall_south && p->wall_north;
    f->place = walls ? HG_DOCTOR_WALL : HG_DOCTOR_SEAM;
  }
  PetscCall(kernel_destroy(&k));
  PetscCall(HgDoctorAgree(comm, &found));
  HgDoctorMerge(&found, "", report);
  return 0;
}
