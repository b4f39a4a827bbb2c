/* However a step is cut, one exchange or several, wide halos or narrow, any strips and blocks of
   rows, any number of threads, several steps at once, any walls: J, gradient, tangent and final state keep their bits. */
#include "shallow_case.h"
#include "trajectory_claims.h"
typedef struct {
  int ghost, block, strip, threads, leap;
  bool fuse;
} Cut;
static PetscErrorCode set(const char name[], int value) {
  char text[16];
  snprintf(text, sizeof text, "%d", value);
  return PetscOptionsSetValue(NULL, name, text);
}
static PetscErrorCode run(const ShallowSpec *spec, const Cut *cut, char text[512]) {
  ShallowSpec s = *spec;
  ShallowCase c;
  HgState dx;
  double J, dJ;
  PetscCall(set("-hg_fuse", cut->fuse));
  PetscCall(set("-hg_block", cut->block));
  PetscCall(set("-hg_strip", cut->strip));
  PetscCall(set("-hg_threads", cut->threads));
  PetscCall(set("-hg_leap", cut->leap));
  s.ghost = cut->ghost;
  PetscCall(shallow_create(PETSC_COMM_WORLD, &s, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  PetscCall(HgStateDuplicate(c.x, &dx));
  PetscCall(HgStateRandom(dx, 3));
  PetscCall(HgTrajectoryTangent(c.trajectory, c.x, dx, &J, &dJ));
  snprintf(text + strlen(text), 512 - strlen(text), " tangent %a", dJ);
  PetscCall(HgStateDestroy(&dx));
  return shallow_destroy(&c);
}
static PetscErrorCode test(void) {
  static const Cut cuts[] = {{1, 0, 0, 1, 4, true},  {2, 3, 0, 1, 4, true},   {6, 1, 8, 1, 2, true},
                             {4, 2, 16, 1, 1, true}, {12, 1, 16, 1, 4, true}, {6, 0, 0, 1, 1, true},
                             {9, 5, 8, 3, 3, true},  {1, 0, 16, 2, 1, false}};
  const Cut plain = {1, 0, 0, 1, 1, false};
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  const bool crowded = size > 4;
  for (int kind = 0; kind<16; kind += size> 6 ? 5 : 1) {
    const bool thin = kind >= 12; /* patches thinner than the halo would be */
    const ShallowSpec spec = {.nx = thin ? 13 : 41,
                              .ny = thin ? 11 : 38,
                              .steps = 9,
                              .periodic_x = kind & 1,
                              .periodic_y = kind & 2,
                              .reflecting = kind & 4,
                              .published = kind & 8,
                              .policy = HG_SCHEDULE_REVOLVE,
                              .slots = 2};
    char expected[512], text[512];
    PetscCall(run(&spec, &plain, expected));
    for (int k = kind % 2; k < (int)(sizeof cuts / sizeof *cuts); k += crowded ? 2 : 1) {
      PetscCall(run(&spec, &cuts[k], text));
      claim_that(!strcmp(text, expected),
                 "kind %d, ghosts %d, blocks of %d rows, strips of %d, %d threads, %d steps at "
                 "once: '%s', plainly '%s'",
                 kind, cuts[k].ghost, cuts[k].block, cuts[k].strip, cuts[k].threads, cuts[k].leap,
                 text, expected);
    }
  }
  return 0;
}
int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("however a step is cut, no bit changes", 3);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
