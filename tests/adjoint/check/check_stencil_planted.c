/* SPDX-License-Identifier: BSD-2-Clause */
/* Each breach of the kernel contract is found by the check meant for it, which names the pair: a
   radius 3 declared and 4 or 40 read, reads declared unused, hidden state, writes beyond the box,
   fresh cotangents not set, a cotangent of one pair wrong, NULLs not expected, a side of the
   domain, local indices. Right adjoints pass that add in several statements. Options that say
   nothing are refused. */
#include "draws.h"
#include "refusal.h"
#include "stencils/stencil_checks.h"
#include <math.h>

/*   p = sum_d w_d (a_(i-d) + a_(i+d)) + b      d = 1, 2, 3
     r = c a
   a_bar = sum_d w_d (p_bar_(i-d) + p_bar_(i+d)) + c r_bar,  b_bar = p_bar,  c_bar = a r_bar */
enum { A, B, C };

enum { P, R };

enum Fault {
  NONE,
  FOUR_READ,
  FOUR_READ_BY_TANGENT,
  FOUR_READ_BY_ADJOINT,
  X_READ_BESIDE,
  UNUSED_READ,
  UNUSED_LOADED,
  ONLY_FOR_READ,
  BAR_EXPECTED,
  COUNTER,
  REMEMBERED,
  BEYOND,
  INPUT_CHANGED,
  NOT_SET,
  FRESH_IGNORED,
  NEVER_ADDED,
  DEPENDS_ON_WANTED,
  WRONG_PAIR,
  WRONG_TANGENT,
  TANGENT_OFFSET,
  LOPSIDED,
  NOT_FINITE,
  READ_TWICE,
  SECOND_WRONG,
  SECOND_LOPSIDED,
  SECOND_OFFSET,
  SECOND_SQUARED,
  SECOND_FOUR_READ,
  SECOND_UNUSED_READ,
  SECOND_FRESH_IGNORED,
  SECOND_NEVER_ADDED,
  SECOND_BEYOND,
  FAULTS
};

/* The finding that is expected: an empty name stands for none. */
static const struct {
  HgCheckId check;
  HgKernel kernel;
  const char *read, *write;
  double value; /* 0: any */
} expected[FAULTS] = {
    [FOUR_READ] = {HG_CHECK_RADIUS, HG_KERNEL_APPLY, "a", "", 4},
    [FOUR_READ_BY_TANGENT] = {HG_CHECK_RADIUS, HG_KERNEL_TANGENT, "a", "", 4},
    [FOUR_READ_BY_ADJOINT] = {HG_CHECK_RADIUS, HG_KERNEL_ADJOINT, "", "p", 4},
    [X_READ_BESIDE] = {HG_CHECK_RADIUS, HG_KERNEL_ADJOINT, "c", "", 1},
    [UNUSED_READ] = {HG_CHECK_UNUSED, HG_KERNEL_ADJOINT, "b", "", 0},
    [UNUSED_LOADED] = {HG_CHECK_NULL, HG_KERNEL_ADJOINT, "b", "", 0},
    [ONLY_FOR_READ] = {HG_CHECK_UNUSED, HG_KERNEL_ADJOINT, "a", "", 0},
    [BAR_EXPECTED] = {HG_CHECK_WANTED, HG_KERNEL_ADJOINT, "b", "", 0},
    [COUNTER] = {HG_CHECK_PURE, HG_KERNEL_APPLY, "", "p", 0},
    [REMEMBERED] = {HG_CHECK_PURE, HG_KERNEL_ADJOINT, "a", "", 0},
    [BEYOND] = {HG_CHECK_BOX, HG_KERNEL_ADJOINT, "b", "", 0},
    [INPUT_CHANGED] = {HG_CHECK_INPUTS, HG_KERNEL_APPLY, "c", "", 0},
    [NOT_SET] = {HG_CHECK_BOX, HG_KERNEL_TANGENT, "", "r", 0},
    [FRESH_IGNORED] = {HG_CHECK_FRESH, HG_KERNEL_ADJOINT, "c", "", 0},
    [NEVER_ADDED] = {HG_CHECK_ADDS, HG_KERNEL_ADJOINT, "b", "", 0},
    [DEPENDS_ON_WANTED] = {HG_CHECK_WANTED, HG_KERNEL_ADJOINT, "b", "", 0},
    [WRONG_PAIR] = {HG_CHECK_DOT, HG_KERNEL_ADJOINT, "a", "r", 0},
    [WRONG_TANGENT] = {HG_CHECK_TAYLOR, HG_KERNEL_TANGENT, "c", "r", 0},
    [TANGENT_OFFSET] = {HG_CHECK_ZERO, HG_KERNEL_TANGENT, "", "p", 0},
    [LOPSIDED] = {HG_CHECK_MIRROR, HG_KERNEL_APPLY, "", "p", 0},
    [NOT_FINITE] = {HG_CHECK_FINITE, HG_KERNEL_APPLY, "", "r", 0},
    [READ_TWICE] = {HG_CHECK_DECLARATION, HG_KERNEL_APPLY, "a", "", 0},
    [SECOND_WRONG] = {HG_CHECK_TAYLOR, HG_KERNEL_SECOND, "a", "c", 0},
    [SECOND_LOPSIDED] = {HG_CHECK_SYMMETRY, HG_KERNEL_SECOND, "", "", 0},
    [SECOND_OFFSET] = {HG_CHECK_ZERO, HG_KERNEL_SECOND, "", "b", 0},
    [SECOND_SQUARED] = {HG_CHECK_LINEARITY, HG_KERNEL_SECOND, "", "b", 0},
    [SECOND_FOUR_READ] = {HG_CHECK_RADIUS, HG_KERNEL_SECOND, "", "p", 4},
    [SECOND_UNUSED_READ] = {HG_CHECK_UNUSED, HG_KERNEL_SECOND, "b", "", 0},
    [SECOND_FRESH_IGNORED] = {HG_CHECK_FRESH, HG_KERNEL_SECOND, "b", "", 0},
    [SECOND_NEVER_ADDED] = {HG_CHECK_ADDS, HG_KERNEL_SECOND, "b", "", 0},
    [SECOND_BEYOND] = {HG_CHECK_BOX, HG_KERNEL_SECOND, "b", "", 0},
};

static enum Fault fault;

static double wide(const double *a, int i) {
  double sum = 0;
  for (int d = 1; d <= 3; d++) sum += (a[i - d] + a[i + d]) / (1 + d);
  return sum;
}

static void apply(const HgBox *box, const void *params, const HgRows x[], const HgRowsOut y[]) {
  static int calls;
  (void)params;
  calls++;
  for (int j = box->j0; j < box->j1; j++) {
    const HgReal *a = x[A][j], *b = x[B][j], *c = x[C][j];
    for (int i = box->i0; i < box->i1; i++) {
      y[P][j][i] = wide(a, i) + b[i];
      y[R][j][i] = c[i] * a[i];
      if (fault == FOUR_READ) y[P][j][i] += 1e-12 * a[i - 4];
      if (fault == COUNTER) y[P][j][i] += 1e-9 * calls;
      if (fault == INPUT_CHANGED) ((double *)c)[i] += 1e-9;
      if (fault == LOPSIDED) y[P][j][i] += 1e-9 * a[i - 1];
      if (fault == NOT_FINITE && j == box->j1 - 1) y[R][j][i] = log(-fabs(a[i]));
    }
  }
}

static void tangent(const HgBox *box, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    const HgReal *a = x[A][j], *c = x[C][j], *da = dx[A][j], *db = dx[B][j], *dc = dx[C][j];
    for (int i = box->i0; i < box->i1; i++) {
      dy[P][j][i] = wide(da, i) + db[i];
      if (fault == FOUR_READ_BY_TANGENT) dy[P][j][i] += 1e-12 * da[i + 4];
      if (fault == TANGENT_OFFSET) dy[P][j][i] += 1e-9;
      if (fault == NOT_SET && i == box->i1 - 1) continue;
      dy[R][j][i] = c[i] * da[i] + (fault == WRONG_TANGENT ? 1.01 : 1) * dc[i] * a[i];
    }
  }
}

/* NULLs are read on purpose. */
#define UNWATCHED __attribute__((no_sanitize("address", "undefined")))

/* Of row j: what x_bar[k] gets. */
static UNWATCHED void adjoint_row(const HgBox *box, int j, const HgRows x[], const HgRows y_bar[],
                                  const HgRowsOut x_bar[]) {
  static double before;
  const HgReal *p = y_bar[P][j], *r = y_bar[R][j];
  const HgCotangent a_bar = HgCotangentRow(box, x_bar, A, j),
                    b_bar = HgCotangentRow(box, x_bar, B, j),
                    c_bar = HgCotangentRow(box, x_bar, C, j);
  for (int i = box->i0; a_bar.row && i < box->i1; i++) {
    double sum = wide(p, i) + x[C][j][i] * r[i] * (fault == WRONG_PAIR ? -1 : 1);
    if (fault == FOUR_READ_BY_ADJOINT) sum += 1e-12 * p[i - 4];
    if (fault == X_READ_BESIDE) sum += 1e-12 * x[C][j][i + 1];
    if (fault == UNUSED_READ && x[B]) sum += 1e-12 * x[B][j][i];
    if (fault == REMEMBERED) sum += 1e-9 * before;
    HgContribute(a_bar, i, sum);
  }
  if (fault == REMEMBERED) before = p[box->i0];
  for (int i = box->i0; (b_bar.row || fault == BAR_EXPECTED) && i < box->i1 + (fault == BEYOND);
       i++) {
    double sum = p[i];
    if (fault == BAR_EXPECTED) x_bar[B][j][i] += 0;
    if (fault == ONLY_FOR_READ && x[A]) sum += 1e-12 * x[A][j][i];
    if (fault == DEPENDS_ON_WANTED && !x_bar[C]) sum *= 1 + 1e-9;
    if (fault == NEVER_ADDED) b_bar.row[i] = sum;
    else HgContribute(b_bar, i, sum);
  }
  for (int i = box->i0; c_bar.row && i < box->i1; i++)
    if (fault == FRESH_IGNORED) c_bar.row[i] += x[A][j][i] * r[i];
    else HgContribute(c_bar, i, x[A][j][i] * r[i]);
}

static volatile double loaded;

static UNWATCHED void adjoint(const HgBox *box, const void *params, const HgRows x[],
                              const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) {
    if (fault == UNUSED_LOADED) loaded = x[B][j][0];
    adjoint_row(box, j, x, y_bar, x_bar);
  }
}

static UNWATCHED void second_row(const HgBox *box, int j, const HgRows x[], const HgRows dx[],
                                 const HgRows y_bar[], const HgRows dy_bar[],
                                 const HgRowsOut dx_bar[]) {
  const HgReal *p = y_bar[P][j], *r = y_bar[R][j], *dp = dy_bar[P][j], *dr = dy_bar[R][j];
  const HgCotangent da_bar = HgCotangentRow(box, dx_bar, A, j),
                    db_bar = HgCotangentRow(box, dx_bar, B, j),
                    dc_bar = HgCotangentRow(box, dx_bar, C, j);
  for (int i = box->i0; da_bar.row && i < box->i1; i++)
    HgContribute(da_bar, i, wide(dp, i) + dx[C][j][i] * r[i] + x[C][j][i] * dr[i]);
  for (int i = box->i0; db_bar.row && i < box->i1 + (fault == SECOND_BEYOND); i++) {
    double sum = dp[i];
    if (fault == SECOND_OFFSET) sum += 1e-3 * p[i];
    if (fault == SECOND_SQUARED) sum += 1e-3 * dp[i] * dp[i];
    if (fault == SECOND_FOUR_READ) sum += 1e-12 * dp[i - 4];
    if (fault == SECOND_UNUSED_READ && dx[B]) sum += 1e-12 * dx[B][j][i];
    if (fault == SECOND_NEVER_ADDED) db_bar.row[i] = sum;
    else if (fault == SECOND_FRESH_IGNORED) db_bar.row[i] += sum;
    else HgContribute(db_bar, i, sum);
  }
  const double da_factor = fault == SECOND_WRONG ? 1.01 : fault == SECOND_LOPSIDED ? -1 : 1;
  for (int i = box->i0; dc_bar.row && i < box->i1; i++)
    HgContribute(dc_bar, i, da_factor * dx[A][j][i] * r[i] + x[A][j][i] * dr[i]);
}

static UNWATCHED void second(const HgBox *box, const void *params, const HgRows x[],
                             const HgRows dx[], const HgRows y_bar[], const HgRows dy_bar[],
                             const HgRowsOut dx_bar[]) {
  (void)params;
  for (int j = box->j0; j < box->j1; j++) second_row(box, j, x, dx, y_bar, dy_bar, dx_bar);
}

static const HgStencil planted = {
    .name = "planted",
    .reads = (const HgRead[]){{"a", 3, 0}, {"b", 0, HG_ADJOINT_UNUSED}, {"c", 0, 0}, {NULL, 0, 0}},
    .writes = (const char *const[]){"p", "r", NULL},
    .apply = apply,
    .tangent = tangent,
    .adjoint = adjoint,
    .second = second,
    .only_for = (const char *const[][2]){{"a", "c"}, {"c", "a"}, {NULL, NULL}},
    .sets = true,
};

/* a again, as what it calls b */
static HgStencil read_twice(void) {
  static const HgRead reads[] = {
      {"a", 3, 0}, {"a", 0, HG_ADJOINT_UNUSED}, {"c", 0, 0}, {NULL, 0, 0}};
  HgStencil s = planted;
  s.reads = reads;
  return s;
}

static const Subject subject = {&planted, draw_nothing, -1, 1, false};

static bool named(const char *name, const char *wanted) {
  return name ? !strcmp(name, wanted) : !*wanted;
}

/* The expected finding is among those of that check, and each of them names that pair. */
static int expect(enum Fault which, uint64_t seed) {
  fault = which;
  const HgStencil stencil = which == READ_TWICE ? read_twice() : planted;
  const HgFindings r = checked(&subject, &stencil, 0, 9, NULL, seed);
  bool found = !r.findings == (which == NONE), others = false;
  for (int k = 0; which != NONE && k < r.findings; k++) {
    const HgFinding *f = &r.finding[k];
    if (f->check != expected[which].check) continue;
    const bool right = f->kernel == expected[which].kernel &&
                       named(f->read, expected[which].read) &&
                       named(f->write, expected[which].write);
    if (right && expected[which].value) found = found && f->value == expected[which].value;
    others = others || !right;
  }
  bool there = which == NONE;
  for (int k = 0; which != NONE && k < r.findings; k++)
    there = there || r.finding[k].check == expected[which].check;
  if (there && found && !others) return 0;
  told(&r);
  return failed("fault that is found and named", "planted", which, 0, seed);
}

/* ---- u' = u + (u_W - 2 u + u_E) / 4, whose adjoint adds term by term ---- */
static enum {
  RIGHT,
  FIRST_COLUMN, /* wrong there in the adjoint */
  LAST_COLUMN,
  FIRST_ROW,
  LAST_ROW,
  COLUMN_OF_PATCH, /* the value depends on the local index */
  ROW_OF_PATCH,
  FORTY_READ, /* rows away */
  SHARED,     /* memory that threads share */
  ROOT,       /* the derivative of a root at 0 */
  SIDES
} side;

static volatile double shared[8];

static UNWATCHED void diffuse(const HgBox *b, const void *params, const HgRows x[],
                              const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal *u = x[0][j];
      y[0][j][i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
      if (side == COLUMN_OF_PATCH && i % 7 == 0) y[0][j][i] *= 2;
      if (side == ROW_OF_PATCH && j % 7 == 0) y[0][j][i] *= 2;
      if (side == SHARED) shared[(unsigned)i % 8] = u[i], y[0][j][i] += 0 * shared[(unsigned)i % 8];
      if (side == FORTY_READ) y[0][j][i] += x[0][j + 40][i];
    }
}

static void diffuse_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                            const HgRowsOut dy[]) {
  diffuse(b, params, dx, dy);
  for (int j = b->j0; side == ROOT && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      dy[0][j][i] += 0 * (x[0][j][i] / sqrt(x[0][j][i] * x[0][j][i]));
}

static void diffuse_adjoint(const HgBox *b, const void *params, const HgRows x[],
                            const HgRows y_bar[], const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal *w = y_bar[0][j];
      const int p = b->i_global + i, q = b->j_global + j;
      const bool at[SIDES] = {false, !p, p == b->nx_global - 1, !q, q == b->ny_global - 1};
      x_bar[0][j][i] += at[side] ? 2 * w[i] : w[i];
      x_bar[0][j][i] += 0.25 * w[i - 1];
      x_bar[0][j][i] += 0.25 * w[i + 1];
      x_bar[0][j][i] -= 0.5 * w[i];
    }
}

static const HgStencil diffusion = {
    .name = "diffusion",
    .reads = (const HgRead[]){{"u", 1, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = diffuse,
    .tangent = diffuse_tangent,
    .adjoint = diffuse_adjoint,
};

/* In each of many default checks. */
static int expect_side(void) {
  static const HgCheckId found[SIDES] = {
      HG_CHECK_STENCIL, HG_CHECK_DOT,   HG_CHECK_DOT,    HG_CHECK_DOT,    HG_CHECK_DOT,
      HG_CHECK_INDEX,   HG_CHECK_INDEX, HG_CHECK_RADIUS, HG_CHECK_STATIC, HG_CHECK_FINITE};
  for (int n = 0; n < DRAWS_OF(side == RIGHT ? 40 : 8); n++) {
    const HgCheckStencilOptions options = {.seed = 1 + 24 * (uint64_t)n};
    HgFindings r;
    if (HgExamineStencil(&diffusion, NULL, NULL, &options, &r)) return 1;
    bool there = side == RIGHT;
    for (int k = 0; k < r.findings; k++) there = there || r.finding[k].check == found[side];
    if (side == ROOT) there = there && !strcmp(r.finding[0].at, "u = 0");
    if (there && !r.findings == (side == RIGHT)) continue;
    told(&r);
    return failed("passes only if it is right, default check", "diffusion", side, 0, options.seed);
  }
  return 0;
}

/* ---- options ---- */
static int expect_refused(const HgCheckRange *range, HgBox box, unsigned checks, const char *text) {
  const HgCheckStencilOptions options = {.box = box.dx > 0 ? &box : NULL, .checks = checks};
  HgFindings r;
  char said[1024];
  const Said before = said_begin();
  const PetscErrorCode ierr = HgExamineStencil(&diffusion, NULL, range, &options, &r);
  said_here(before, said, sizeof said);
  if (ierr && strstr(said, text)) return 0;
  fprintf(stderr, "said '%s', expected '%s'\n", said, text);
  return 1;
}

static int expect_refusals(void) {
  const HgBox none = {0}, nowhere = {.dx = 1, .dy = 1, .dt = 1},
              flat = {.dx = 1, .dy = 1, .dt = 1, .i1 = 5, .nx_global = 9, .ny_global = 9};
  return expect_refused(&(HgCheckRange){-1.7e308, 1.7e308}, none, 0, "expected a finite range") ||
         expect_refused(NULL, nowhere, 0, "in a domain of 0 x 0 cells") ||
         expect_refused(NULL, flat, 0, "box [0, 5) x [0, 0)") ||
         expect_refused(NULL, none, 1u << 25, "checks 0x2000000");
}

/* The first draw is of one cell, where REMEMBERED needs two. */
int main(void) {
  for (int which = NONE; which < FAULTS; which++)
    for (uint64_t seed = 2; seed < 2 + DRAWS_OF(20); seed++) {
      if (expect((enum Fault)which, seed)) return 1;
    }
  for (side = RIGHT; side < SIDES; side++)
    if (!(SANITIZED && side == FORTY_READ) && expect_side()) return 1;
  side = RIGHT;
  return expect_refusals();
}
