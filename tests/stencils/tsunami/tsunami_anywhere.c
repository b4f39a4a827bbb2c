/* SPDX-License-Identifier: BSD-2-Clause */
/* The tsunami at rest, linear or not, stays at rest to the bit, and what moves keeps its volume to
   1e-15, over any floor, any mask of land and any metric: all three are random here. */
#include "tsunami_case.h"

enum { NX = 30, NY = 26, STEPS = 40, CASES = 6 };

/* Between 0 and 1, of a cell and what is asked for. */
static double drawn(int i, int j, unsigned what) {
  uint64_t z =
      ((uint64_t)what << 40 | (uint64_t)(j + 99) << 20 | (uint64_t)(i + 99)) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static bool is_wet(int i, int j, unsigned number) { return drawn(i, j, 10 * number) > 0.3; }

static PetscErrorCode set(HgState x, const char name[], double (*f)(int i, int j, unsigned),
                          unsigned number) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  int index;
  PetscCall(HgStateIndex(x, name, &index));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRows(x, index)[j][i] = f(p->i_global + i, p->j_global + j, number);
  HgStateSetGhostDepth(x, index, 0);
  return 0;
}

static double keep(int i, int j, unsigned number) { return is_wet(i, j, number); }

static double keep_u(int i, int j, unsigned number) {
  return i + 1 < NX && is_wet(i, j, number) && is_wet(i + 1, j, number);
}

static double keep_v(int i, int j, unsigned number) {
  return j + 1 < NY && is_wet(i, j, number) && is_wet(i, j + 1, number);
}

static double depth(int i, int j, unsigned number) {
  return 10 + 600 * drawn(i, j, 10 * number + 1);
}

static double level(int i, int j, unsigned number) { return is_wet(i, j, number) ? 0.7 : 0; }

static double surface(int i, int j, unsigned number) {
  return is_wet(i, j, number) ? 0.5 + drawn(i, j, 10 * number + 2) : 0;
}

static double u(int i, int j, unsigned number) {
  return keep_u(i, j, number) * (drawn(i, j, 10 * number + 3) - 0.5);
}

static double v(int i, int j, unsigned number) {
  return keep_v(i, j, number) * (drawn(i, j, 10 * number + 4) - 0.5);
}

static PetscErrorCode rest(HgProgram program, HgState x, unsigned number) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgState q;
  PetscCall(set(x, "eta", level, number));
  PetscCall(tsunami_steps(program, x, STEPS, &q));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      claim_same(HgStateRows(q, 0)[j][i], HgStateRows(x, 0)[j][i], "eta(%d, %d)", i, j);
      claim_that(HgStateRows(q, 1)[j][i] == 0 && HgStateRows(q, 2)[j][i] == 0,
                 "u(%d, %d) = %g, v = %g, expected 0", i, j, HgStateRows(q, 1)[j][i],
                 HgStateRows(q, 2)[j][i]);
    }
  return HgStateDestroy(&q);
}

static PetscErrorCode volume(HgProgram program, HgState x, unsigned number) {
  HgState q;
  double before, after;
  PetscCall(set(x, "eta", surface, number));
  PetscCall(set(x, "u", u, number));
  PetscCall(set(x, "v", v, number));
  PetscCall(tsunami_steps(program, x, STEPS, &q));
  PetscCall(tsunami_volume(HgStateMesh(x), x, &before));
  PetscCall(tsunami_volume(HgStateMesh(x), q, &after));
  claim_at_most(fabs(after / before - 1), 1e-15, "volume %.17g m^3 becomes %.17g: relative change",
                before, after);
  return HgStateDestroy(&q);
}

static PetscErrorCode test(const HgPhysics *physics, unsigned number) {
  static const char *const depths[2][2] = {{"h", NULL}, {"h_u", "h_v"}};
  const bool linear = physics == &tsunami_physics;
  const HgMeshSpec spec = {.nx = NX,
                           .ny = NY,
                           .x0 = 10,
                           .y0 = -83 + 27.0 * number,
                           .dx = 0.3,
                           .dy = 0.1 + 0.05 * number,
                           .radius = 6371e3};
  TsunamiCase c = tsunami_case(physics);
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c.mesh));
  PetscCall(HgProgramCreatePhysics(c.mesh, c.physics, &c.params, 12, &c.program));
  PetscCall(HgProgramSetUp(c.program));
  PetscCall(HgProgramCreateInput(c.program, &c.x));
  PetscCall(set(c.x, "keep", keep, number));
  PetscCall(set(c.x, "keep_u", keep_u, number));
  PetscCall(set(c.x, "keep_v", keep_v, number));
  for (int k = 0; k < 1 + linear; k++) PetscCall(set(c.x, depths[linear][k], depth, number));
  PetscCall(rest(c.program, c.x, number));
  PetscCall(volume(c.program, c.x, number));
  return tsunami_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("rest and volume stay, whatever floor, mask and metric", 0);
  for (unsigned number = 0; number < CASES && !ierr; number++) {
    ierr = test(&tsunami_physics, number);
    if (!ierr) ierr = test(&tsunami_nonlinear_physics, number);
  }
  return claim_end(ierr);
}
