/* SPDX-License-Identifier: BSD-2-Clause */
/* Planted errors in a kernel are caught, each by the check that is meant for it. */
#include "stencil_checks.h"
#include <halograd/kernel.h>

enum Fault {
  NONE,
  /* adjoint: found by the dot product */
  SIGN,
  EAST,
  WEST,
  NORTH,
  SOUTH,
  NEIGHBOUR_FORGOTTEN,
  SELF_FORGOTTEN,
  KAPPA_OF_THE_CELL,
  KAPPA_BAR_DROPPED,
  KAPPA_BAR_SHIFTED,
  DECAY_FORGOTTEN,
  DX_FOR_DY,
  LAST_ADJOINT,
  /* tangent: found by Taylor */
  TANGENT_SIGN,
  TANGENT_KAPPA_DROPPED,
  TANGENT_WITHOUT_DECAY,
  TANGENT_QUADRATIC, /* by linearity */
  /* contract: found by the boxes */
  SCATTER,       /* adds to its neighbours */
  ROW_BEYOND,    /* writes one cell more */
  RUNNING_SUM,   /* a value that depends on where the box begins */
  CELL_SKIPPED,  /* leaves the last cell unwritten */
  RADIUS_BEYOND, /* reads two cells away, declares one */
  FAULTS
};

static const char *const names[FAULTS] = {"none",
                                          "sign",
                                          "index i+1",
                                          "index i-1",
                                          "index j+1",
                                          "index j-1",
                                          "neighbour forgotten",
                                          "own cell forgotten",
                                          "kappa of the cell itself",
                                          "kappa_bar dropped",
                                          "kappa_bar shifted",
                                          "decay forgotten",
                                          "dx for dy",
                                          "",
                                          "tangent: sign",
                                          "tangent: dkappa dropped",
                                          "tangent: decay forgotten",
                                          "tangent: quadratic",
                                          "scatter",
                                          "one cell too many",
                                          "running sum",
                                          "cell skipped",
                                          "read beyond the radius"};
static enum Fault fault;

typedef struct {
  double dt, s, rx, ry;
} Weights;

static Weights weights(const HgBox *b, const void *params, bool decays) {
  const HgHeatParams *p = params;
  return (Weights){b->dt, decays ? exp(-p->decay * b->t) : 1, 1 / (b->dx * b->dx),
                   1 / (b->dy * b->dy)};
}

static void planted_apply(const HgBox *b, const void *params, const HgRows x[],
                          const HgRowsOut y[]) {
  const Weights c = weights(b, params, true);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j);
    double before = 0;
    for (int i = b->i0; i < b->i1 + (fault == ROW_BEYOND); i++) {
      const double value =
          u.at[i] + c.dt * (x[1][j][i] * HgLaplacian(c.rx, c.ry, u, i) + c.s * x[2][j][i]);
      if (fault == CELL_SKIPPED && i == b->i1 - 1 && j == b->j1 - 1) continue;
      y[0][j][i] = value + (fault == RUNNING_SUM ? 1e-9 * (before += value) : 0) +
                   (fault == RADIUS_BEYOND ? 1e-9 * u.at[i + 2] : 0);
    }
  }
}

static void planted_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                            const HgRowsOut dy[]) {
  const Weights c = weights(b, params, fault != TANGENT_WITHOUT_DECAY);
  for (int j = b->j0; j < b->j1; j++) {
    const HgAround u = HgRowsAround(x[0], j), du = HgRowsAround(dx[0], j);
    for (int i = b->i0; i < b->i1; i++) {
      const double dkappa = fault == TANGENT_KAPPA_DROPPED ? 0 : dx[1][j][i];
      const double change = x[1][j][i] * HgLaplacian(c.rx, c.ry, du, i) +
                            dkappa * HgLaplacian(c.rx, c.ry, u, i) + c.s * dx[2][j][i];
      dy[0][j][i] = du.at[i] + (fault == TANGENT_SIGN ? -c.dt : c.dt) * change +
                    (fault == TANGENT_QUADRATIC ? 1e-6 * du.at[i] * du.at[i] : 0);
    }
  }
}

static void planted_adjoint(const HgBox *b, const void *params, const HgRows x[],
                            const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const Weights c = weights(b, params, fault != DECAY_FORGOTTEN);
  const double rx = c.rx, ry = fault == DX_FOR_DY ? c.rx : c.ry;
  const int shift_i = (fault == EAST) - (fault == WEST);
  const int shift_j = (fault == NORTH) - (fault == SOUTH);
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const HgRows w = y_bar[0], u = x[0], kappa = x[1];
      const int p = i + shift_i, q = j + shift_j;
      const double here = kappa[q][p] * w[q][p];
      const bool own = fault == KAPPA_OF_THE_CELL;
      const double west = kappa[q][own ? p : p - 1] * w[q][p - 1];
      const double east = kappa[q][own ? p : p + 1] * w[q][p + 1];
      const double south = kappa[own ? q : q - 1][p] * w[q - 1][p];
      const double north = kappa[own ? q : q + 1][p] * w[q + 1][p];
      const double lap = rx * (west + east - 2 * here) +
                         ry * (south + (fault == NEIGHBOUR_FORGOTTEN ? 0 : north) - 2 * here);
      if (x_bar[0] && fault == SCATTER) {
        x_bar[0][j][i] += w[j][i] - 2 * c.dt * (rx + ry) * here;
        x_bar[0][j][i - 1] += c.dt * rx * here;
        x_bar[0][j][i + 1] += c.dt * rx * here;
        x_bar[0][j - 1][i] += c.dt * ry * here;
        x_bar[0][j + 1][i] += c.dt * ry * here;
      } else if (x_bar[0]) {
        x_bar[0][j][i] +=
            (fault == SELF_FORGOTTEN ? 0 : w[j][i]) + (fault == SIGN ? -c.dt : c.dt) * lap;
      }
      const int k = i + (fault == KAPPA_BAR_SHIFTED);
      if (x_bar[1] && fault != KAPPA_BAR_DROPPED)
        x_bar[1][j][i] += c.dt * w[j][k] * HgLaplacian(rx, ry, HgRowsAround(u, j), i);
      if (x_bar[2]) x_bar[2][j][i] += c.dt * c.s * w[j][i];
    }
}

static const HgStencil planted = {
    .name = "planted",
    .reads = (const HgRead[]){{"u", 1, 1}, {"kappa", 0, 1}, {"f", 0, HG_ADJOINT_UNUSED}, {0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = planted_apply,
    .tangent = planted_tangent,
    .adjoint = planted_adjoint,
    .params_size = sizeof(HgHeatParams),
};

/* Decay and t well away from 0, where a forgotten decay could not be seen. */
static void draw_decaying(double params[8]) {
  const HgHeatParams p = {random_between(1, 3)};
  memcpy(params, &p, sizeof p);
}

static const Subject subject = {&planted, draw_decaying, -1, 1, false};

/* The check that is meant for a fault, and the read whose cotangent or tangent is wrong (NULL:
   any). */
static HgCheckId check_for(enum Fault which, const char **read) {
  *read = NULL;
  switch (which) {
  case TANGENT_SIGN: return HG_CHECK_TAYLOR;
  case TANGENT_KAPPA_DROPPED: *read = "kappa"; return HG_CHECK_TAYLOR;
  case TANGENT_WITHOUT_DECAY: *read = "f"; return HG_CHECK_TAYLOR;
  case TANGENT_QUADRATIC: return HG_CHECK_LINEARITY;
  case SCATTER:
  case ROW_BEYOND:
  case CELL_SKIPPED: return HG_CHECK_BOX;
  case RUNNING_SUM: return HG_CHECK_CUT;
  case RADIUS_BEYOND: *read = "u"; return HG_CHECK_RADIUS;
  case KAPPA_BAR_DROPPED:
  case KAPPA_BAR_SHIFTED: *read = "kappa"; return HG_CHECK_DOT;
  case DECAY_FORGOTTEN: *read = "f"; return HG_CHECK_DOT;
  case DX_FOR_DY: return HG_CHECK_DOT;
  default: *read = "u"; return HG_CHECK_DOT;
  }
}

/* Whether the check meant for the fault cries out, on one draw, and names the read alone. */
static bool caught(enum Fault which, uint64_t seed) {
  const char *read;
  const HgCheckId check = check_for(which, &read);
  bool found = false, others = false;
  harness_state = seed * 7919u;
  const double dx = random_between(0.3, 3);
  const HgBox box = {.i1 = random_int(1, 13),
                     .j1 = random_int(1, 13),
                     .nx_global = 30,
                     .ny_global = 30,
                     .dx = dx,
                     .dy = 1.5 * dx,
                     .dt = random_between(0.06, 0.5),
                     .t = random_between(0.1, 2.1)};
  fault = which;
  const HgFindings r = checked(&subject, &planted, 0, 0, &box, seed);
  if (which == NONE) return !r.findings;
  for (int k = 0; k < r.findings; k++) {
    const HgFinding *f = &r.finding[k];
    if (f->check != check) continue;
    if (!read || !strcmp(f->read, read)) found = true;
    else if (*f->read) others = true; /* "": all reads together */
  }
  return found && !others;
}

/* Every draw must tell; where only a cut between two cells of a row can, half of the draws. */
int main(void) {
  for (int f = NONE; f < FAULTS; f++) {
    const int least = f == RUNNING_SUM ? DRAWS / 2 : DRAWS;
    int count = 0;
    if (f == LAST_ADJOINT) continue;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) count += caught((enum Fault)f, seed);
    if (count < least) return failed("draws on which it is caught", names[f], count, least, 1);
  }
  return 0;
}
