/* Claim: value, tangent and gradient of a run in parts, each on other patches, have the bits of the
   unbroken one, whatever the program, its walls, schedule and store; what is no part is refused. */
#include "heat_case.h"
#include "refusal.h"
#include "shallow_case.h"
#include <halograd/objective_library.h>
#include <halograd/state_library.h>
#include <halograd/trajectory_library.h>
#include <stdint.h>

enum { STEPS = 23, LAYOUTS = 3, PARTS = 4, GHOST = 4 };

typedef struct {
  bool shallow, periodic;
  Walls walls;
  int slots, files; /* in files besides */
  const char *way;
  bool linear; /* heat for u_0 alone: adjoints read no state */
} Kind;

/* Either case on one layout, and a trajectory with a store of two kinds of slots. */
typedef struct {
  HeatCase heat;
  ShallowCase shallow;
  HgProgram program;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgState x;
} Case;

static PetscErrorCode create_either(const Kind *k, int px, int py, Case *c) {
  if (k->shallow) {
    const ShallowSpec spec = {.nx = 28,
                              .ny = 26,
                              .px = px,
                              .py = py,
                              .steps = STEPS,
                              .ghost = GHOST,
                              .periodic_x = k->periodic,
                              .reflecting = !k->periodic,
                              .slots = PetscMax(1, k->slots)};
    PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c->shallow));
    c->program = c->shallow.program, c->objective = c->shallow.objective, c->x = c->shallow.x;
    return 0;
  }
  const HeatSpec spec = {.nx = 28,
                         .ny = 26,
                         .px = px,
                         .py = py,
                         .steps = STEPS,
                         .walls = k->walls,
                         .ghost = GHOST,
                         .conservative = true,
                         .snapshot = !k->linear,
                         .slots = PetscMax(1, k->slots)};
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c->heat));
  PetscCall(HgProgramSetActive(c->heat.program, "kappa", !k->linear));
  c->program = c->heat.program, c->objective = c->heat.objective, c->x = c->heat.x;
  return 0;
}

static PetscErrorCode create(const Kind *k, int layout, Case *c) {
  int ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  const int px = layout == 0 ? 0 : layout == 1 ? ranks : 1, py = px ? ranks / px : 0;
  PetscCall(create_either(k, px, py, c));
  HgState q;
  PetscCall(HgProgramCreateCarried(c->program, &q));
  PetscCall(HgStoreCreateTiers(q, k->files, k->slots, "test_slots", &c->store));
  PetscCall(HgStateDestroy(&q));
  return HgTrajectoryCreate(c->program, STEPS, c->objective, c->store, &c->trajectory);
}

static PetscErrorCode destroy(const Kind *k, Case *c) {
  PetscCall(HgTrajectoryDestroy(&c->trajectory));
  PetscCall(HgStoreDestroy(&c->store));
  return k->shallow ? shallow_destroy(&c->shallow) : heat_destroy(&c->heat);
}

/* ---- from patches to others: owned cells, and ghosts outside walls, which no other patch has ---- */

static bool mine(const HgPatch *p, int i, int j) {
  const bool x = (i >= 0 || p->wall_west) && (i < p->nx || p->wall_east),
             y = (j >= 0 || p->wall_south) && (j < p->ny || p->wall_north);
  return x && y;
}

static uint64_t *bits_at(uint64_t *bits, HgMesh mesh, int i, int j) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  return &bits[(p->j_global + j + GHOST) * (s->nx + 2 * GHOST) + p->i_global + i + GHOST];
}

static PetscErrorCode move(HgState from, HgState to) {
  const HgMesh a = HgStateMesh(from), b = HgStateMesh(to);
  const HgMeshSpec *s = HgMeshGetSpec(a);
  const HgPatch *p = HgMeshGetPatch(a), *q = HgMeshGetPatch(b);
  const int count = (s->nx + 2 * GHOST) * (s->ny + 2 * GHOST);
  uint64_t *bits;
  PetscCall(PetscMalloc1(count, &bits));
  for (int k = 0; k < HgStateCount(from); k++) {
    double *const *u = HgStateRows(from, k), *const *v = HgStateRows(to, k);
    PetscCall(PetscArrayzero(bits, count));
    for (int j = -GHOST; j < p->ny + GHOST; j++)
      for (int i = -GHOST; i < p->nx + GHOST; i++)
        if (mine(p, i, j)) memcpy(bits_at(bits, a, i, j), &u[j][i], sizeof *bits);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bits, count, MPI_UINT64_T, MPI_BOR, PETSC_COMM_WORLD));
    for (int j = -GHOST; j < q->ny + GHOST; j++)
      for (int i = -GHOST; i < q->nx + GHOST; i++)
        if (mine(q, i, j)) memcpy(&v[j][i], bits_at(bits, b, i, j), sizeof *bits);
    HgStateSetGhostDepth(to, k, 0);
  }
  return PetscFree(bits);
}

/* ---- the unbroken run ---- */

enum { TEXT = 256 };

static long last_alone(void *self, HgMode direction, long n) {
  (void)self;
  return direction == HG_TANGENT && n <= STEPS ? STEPS : HG_NO_STEP;
}

static PetscErrorCode digest(void *self, const HgTrajectorySight *s) {
  return HgStateDigest(s->state, NULL, self);
}

/* J, dJ and digests of q_N, dq_N and the gradient. */
static void tell(char text[TEXT], const double J[2], double dJ, char hex[3][17]) {
  snprintf(text, TEXT, "J %a %a dJ %a q %s dq %s gradient %s", J[0], J[1], dJ, hex[0], hex[1],
           hex[2]);
}

static PetscErrorCode direction(const Case *c, HgState *dx) {
  PetscCall(HgStateDuplicate(c->x, dx));
  return HgStateRandom(*dx, 11);
}

static PetscErrorCode unbroken(const Case *c, double J_bar, char text[TEXT]) {
  char hex[3][17] = {"", "", ""};
  HgState dx, x_bar;
  double J[2], dJ;
  PetscCall(direction(c, &dx));
  PetscCall(HgStateDuplicate(c->x, &x_bar));
  PetscCall(HgTrajectoryAddObserver(
      c->trajectory,
      &(HgTrajectoryObserver){.next = last_alone, .see = digest, .context = hex[1]}));
  PetscCall(HgTrajectoryTangent(c->trajectory, c->x, dx, &J[0], &dJ));
  PetscCall(HgTrajectoryRemoveObserver(c->trajectory, hex[1]));
  PetscCall(HgTrajectoryGradient(c->trajectory, c->x, J_bar, &J[1], x_bar));
  PetscCall(HgStateDigest(HgTrajectoryFinal(c->trajectory), NULL, hex[0]));
  PetscCall(HgStateDigest(x_bar, NULL, hex[2]));
  tell(text, J, dJ, hex);
  PetscCall(HgStateDestroy(&dx));
  return HgStateDestroy(&x_bar);
}

/* ---- in parts: part p is that of case p % LAYOUTS ---- */

typedef struct {
  int parts;
  long cut[PARTS + 1];
} Cuts;

/* (q_N, c) by values, from the states before all parts, which are kept, in x. */
static PetscErrorCode values(const Case c[], const Cuts *cuts, double observed[], HgState x[]) {
  double J;
  PetscCall(HgStateDuplicate(c[0].x, &x[0]));
  PetscCall(HgStateCopy(c[0].x, x[0]));
  for (int p = 0; p + 1 < cuts->parts; p++) {
    const HgTrajectoryPart part = {cuts->cut[p], cuts->cut[p + 1], observed, false};
    HgState q;
    PetscCall(HgStateDuplicate(x[p], &q));
    PetscCall(HgStateCopy(x[p], q));
    PetscCall(HgTrajectoryPartValue(c[p % LAYOUTS].trajectory, &part, q, &J));
    PetscCall(HgStateDuplicate(c[(p + 1) % LAYOUTS].x, &x[p + 1]));
    PetscCall(move(q, x[p + 1]));
    PetscCall(HgStateDestroy(&q));
  }
  return 0;
}

static PetscErrorCode gradient(const Case c[], const Cuts *cuts, double J_bar, double *J,
                               char hex[3][17]) {
  HgState x[PARTS], x_bar = NULL, next;
  double *observed, last;
  PetscCall(PetscMalloc1(HgObjectiveKept(c->objective) + 1, &observed));
  PetscCall(values(c, cuts, observed, x));
  for (int p = cuts->parts - 1; p >= 0; p--) {
    const Case *const own = &c[p % LAYOUTS];
    const bool back = p + 1 < cuts->parts;
    const HgTrajectoryPart part = {cuts->cut[p], cuts->cut[p + 1], observed, back};
    PetscCall(HgStateDuplicate(own->x, &next));
    if (back) PetscCall(move(x_bar, next));
    PetscCall(HgStateDestroy(&x_bar));
    x_bar = next;
    PetscCall(
        HgTrajectoryPartGradient(own->trajectory, &part, x[p], J_bar, back ? &last : J, x_bar));
    if (back) claim_same(last, *J, "J, part %d of %d", p, cuts->parts);
    else PetscCall(HgStateDigest(HgTrajectoryFinal(own->trajectory), NULL, hex[0]));
    PetscCall(HgStateDestroy(&x[p]));
  }
  PetscCall(HgStateDigest(x_bar, NULL, hex[2]));
  PetscCall(HgStateDestroy(&x_bar));
  return PetscFree(observed);
}

/* The digest of dq_N, which dx has under the names of q. */
static PetscErrorCode digest_carried(HgProgram program, HgState dx, char hex[17]) {
  HgState dq;
  PetscCall(HgProgramCreateCarried(program, &dq));
  PetscCall(HgStateCopyShared(dx, dq));
  PetscCall(HgStateDigest(dq, NULL, hex));
  return HgStateDestroy(&dq);
}

static PetscErrorCode tangent(const Case c[], const Cuts *cuts, double *J, double *dJ,
                              char hex[17]) {
  HgState x, dx;
  double *observed;
  PetscCall(PetscMalloc1(2 * HgObjectiveKept(c->objective) + 1, &observed));
  PetscCall(HgStateDuplicate(c->x, &x));
  PetscCall(HgStateCopy(c->x, x));
  PetscCall(direction(c, &dx));
  for (int p = 0; p < cuts->parts; p++) {
    const Case *const own = &c[p % LAYOUTS], *const other = &c[(p + 1) % LAYOUTS];
    const HgTrajectoryPart part = {cuts->cut[p], cuts->cut[p + 1], observed, false};
    HgState from[] = {x, dx};
    PetscCall(HgTrajectoryPartTangent(own->trajectory, &part, x, dx, J, dJ));
    if (p + 1 == cuts->parts) PetscCall(digest_carried(own->program, dx, hex));
    PetscCall(HgStateDuplicate(other->x, &x));
    PetscCall(HgStateDuplicate(other->x, &dx));
    PetscCall(move(from[0], x));
    PetscCall(move(from[1], dx));
    for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(&from[k]));
  }
  PetscCall(HgStateDestroy(&x));
  PetscCall(HgStateDestroy(&dx));
  return PetscFree(observed);
}

static PetscErrorCode in_parts(const Case c[], const Cuts *cuts, double J_bar, char text[TEXT]) {
  char hex[3][17];
  double J[2], dJ;
  PetscCall(tangent(c, cuts, &J[0], &dJ, hex[1]));
  PetscCall(gradient(c, cuts, J_bar, &J[1], hex));
  tell(text, J, dJ, hex);
  return 0;
}

/* ---- who looks on sees every state once ---- */

typedef struct {
  long seen[HG_MODES][STEPS + 1];
} Watcher;

static long all(void *self, HgMode mode, long n) {
  (void)self, (void)mode;
  return n <= STEPS ? n : HG_NO_STEP;
}

static PetscErrorCode count(void *self, const HgTrajectorySight *s) {
  ((Watcher *)self)->seen[s->direction][s->n]++;
  return 0;
}

static PetscErrorCode watched(const Case c[], int kind) {
  const Cuts cuts = {3, {0, 6, 7, STEPS}};
  Watcher w = {0};
  char hex[3][17];
  double J;
  for (int l = 0; l < LAYOUTS; l++)
    PetscCall(HgTrajectoryAddObserver(
        c[l].trajectory, &(HgTrajectoryObserver){.next = all, .see = count, .context = &w}));
  PetscCall(gradient(c, &cuts, 1, &J, hex));
  for (int l = 0; l < LAYOUTS; l++) PetscCall(HgTrajectoryRemoveObserver(c[l].trajectory, &w));
  for (int n = 0; n <= STEPS; n++)
    claim_that(w.seen[HG_PRIMAL][n] == 1 && w.seen[HG_COTANGENT][n] == 1,
               "kind %d: q_%d seen %ld times, lambda_%d %ld times, expected once", kind, n,
               w.seen[HG_PRIMAL][n], n, w.seen[HG_COTANGENT][n]);
  return 0;
}

static PetscErrorCode claim_kind(const Kind *k, int number) {
  static const Cuts cuts[] = {{1, {0, STEPS}},          {2, {0, 1, STEPS}},
                              {2, {0, 11, STEPS}},      {2, {0, STEPS - 1, STEPS}},
                              {3, {0, 1, 2, STEPS}},    {3, {0, 5, 13, STEPS}},
                              {4, {0, 4, 9, 17, STEPS}}};

  Case c[LAYOUTS] = {0};
  char expected[TEXT], text[TEXT];
  int ranks;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsSetValue(NULL, "-hg_reverse", k->way));
  for (int l = 0; l < LAYOUTS; l++) PetscCall(create(k, l, &c[l]));
  PetscCall(unbroken(&c[0], 0.7, expected));
  for (int l = ranks == 1 ? 0 : number % 2; l < (int)(sizeof cuts / sizeof *cuts);
       l += ranks == 1 ? 1 : 2) {
    PetscCall(in_parts(c, &cuts[l], 0.7, text));
    claim_that(!strcmp(text, expected),
               "kind %d in %d parts, the first to step %ld:\n'%s', expected\n'%s'", number,
               cuts[l].parts, cuts[l].cut[1], text, expected);
  }
  PetscCall(watched(c, number));
  for (int l = 0; l < LAYOUTS; l++) PetscCall(destroy(k, &c[l]));
  return 0;
}

static PetscErrorCode kinds(void) {
  static const Kind kinds[] = {{.walls = WALLS_MIXED, .slots = STEPS, .way = "stored"},
                               {.walls = WALLS_FROZEN, .slots = 2, .way = "start"},
                               {.walls = WALLS_INSULATED, .slots = 3, .way = "single"},
                               {.walls = WALLS_PERIODIC, .files = 3, .slots = 2, .way = "start"},
                               {.walls = WALLS_MIXED, .slots = 3, .way = "start", .linear = true},
                               {.shallow = true, .slots = STEPS, .way = "stored"},
                               {.shallow = true, .slots = 3, .way = "start"},
                               {.shallow = true, .periodic = true, .files = 4, .way = "single"}};

  PetscCall(PetscOptionsSetValue(NULL, "-hg_file_cost", "2"));
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    PetscCall(claim_kind(&kinds[k], (int)k));
  PetscCall(PetscOptionsClearValue(NULL, "-hg_file_cost"));
  return PetscOptionsClearValue(NULL, "-hg_reverse");
}

/* ---- one term alone: the others are kept, too ---- */

static PetscErrorCode one_term(void) {
  static const Kind kind = {.slots = 3, .way = "start"};
  Case c = {0};
  double J, dJ, whole, dwhole, *observed;
  HgState x, dx;
  PetscCall(create(&kind, 0, &c));
  PetscCall(PetscCalloc1(2 * HgObjectiveKept(c.objective) + 1, &observed));
  PetscCall(HgStateDuplicate(c.x, &x));
  PetscCall(HgStateDuplicate(c.x, &dx));
  for (int k = 0; k < HgObjectiveTerms(c.objective); k++) {
    const HgTrajectoryPart parts[] = {{.from = 0, .to = 9, .observed = observed},
                                      {.from = 9, .to = STEPS, .observed = observed}};
    PetscCall(HgObjectiveSelect(c.objective, k));
    PetscCall(HgTrajectoryTangent(c.trajectory, c.x, c.x, &whole, &dwhole));
    PetscCall(HgStateCopy(c.x, x));
    PetscCall(HgStateCopy(c.x, dx));
    for (int n = 0; n < 2; n++)
      PetscCall(HgTrajectoryPartTangent(c.trajectory, &parts[n], x, dx, &J, &dJ));
    claim_same(J, whole, "J of term %d in parts", k);
    claim_same(dJ, dwhole, "dJ of term %d in parts", k);
  }
  PetscCall(HgObjectiveSelect(c.objective, -1));
  PetscCall(PetscFree(observed));
  PetscCall(HgStateDestroy(&dx));
  PetscCall(HgStateDestroy(&x));
  return destroy(&kind, &c);
}

/* ---- refusals ---- */

static PetscErrorCode refusals(void) {
  static const Kind kind = {.slots = 3, .way = "start"};
  static const long wrong[][2] = {{-1, 3}, {0, STEPS + 1}, {4, 4}, {5, 4}};

  Case c = {0};
  HgTrajectory values;
  HgState x_bar, q;
  double J, dJ, observed[1024];
  PetscCall(create(&kind, 0, &c));
  PetscCall(HgStateDuplicate(c.x, &x_bar));
  PetscCall(HgProgramCreateCarried(c.program, &q));
  for (int k = 0; k < 4; k++) {
    const HgTrajectoryPart part = {.from = wrong[k][0], .to = wrong[k][1]};
    char said[64];
    snprintf(said, sizeof said, "a part of steps %ld to %ld", part.from, part.to);
    REFUSED(HgTrajectoryPartValue(c.trajectory, &part, c.x, &J), said, "0 <= a < b <= 23");
    REFUSED(HgTrajectoryPartTangent(c.trajectory, &part, c.x, x_bar, &J, &dJ), said);
    REFUSED(HgTrajectoryPartGradient(c.trajectory, &part, c.x, 1, &J, x_bar), said);
  }
  HgTrajectoryPart part = {.from = 2, .to = 9, .observed = observed};
  REFUSED(HgTrajectoryPartGradient(c.trajectory, &part, c.x, 1, &J, x_bar),
          "a gradient of steps 2 to 9", "to end with step 23, or lambda_9 to be given");
  part = (HgTrajectoryPart){.from = 2, .to = 9, .back = true};
  REFUSED(HgTrajectoryPartGradient(c.trajectory, &part, c.x, 1, &J, x_bar),
          "goes on from lambda_9, expected what J has observed");
  part = (HgTrajectoryPart){.from = 2, .to = STEPS};
  REFUSED(HgTrajectoryPartGradient(c.trajectory, &part, c.x, 1, &J, q),
          "x_bar of a part has other variables than x");
  REFUSED(HgTrajectoryPartTangent(c.trajectory, &part, c.x, q, &J, &dJ),
          "dx of a part has other variables than x");
  REFUSED(HgTrajectoryGradient(c.trajectory, c.x, 1, &J, q), "x_bar has other variables than x");
  REFUSED(HgTrajectoryTangent(c.trajectory, c.x, q, &J, &dJ), "dx has other variables than x");
  REFUSED(HgTrajectoryHessian(c.trajectory, c.x, q, &dJ, NULL, x_bar), "dx has other variables");
  REFUSED(HgTrajectoryHessian(c.trajectory, c.x, c.x, &dJ, NULL, q),
          "product with the Hessian has");
  REFUSED(HgTrajectoryHessian(c.trajectory, c.x, c.x, &dJ, q, x_bar), "x_bar has other variables");
  REFUSED(HgObjectiveSelect(c.objective, HgObjectiveTerms(c.objective)), "is to count alone");
  PetscCall(HgTrajectoryCreate(c.program, STEPS, c.objective, NULL, &values));
  REFUSED(HgTrajectoryPartGradient(values, &part, c.x, 1, &J, x_bar), "made without a store");
  PetscCall(HgTrajectoryDestroy(&values));
  PetscCall(HgStateSetConstant(c.x, "u", 1e308));
  REFUSED(HgTrajectoryPartValue(c.trajectory, &part, c.x, &J), "trajectory of 'heat': J is",
          "after step ");
  PetscCall(HgStateDestroy(&q));
  PetscCall(HgStateDestroy(&x_bar));
  return destroy(&kind, &c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a run in parts has the bits of the unbroken one", 0);
  if (!ierr) ierr = kinds();
  if (!ierr) ierr = one_term();
  if (!ierr) ierr = refusals();
  return claim_end(ierr);
}
