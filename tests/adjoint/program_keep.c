/* States between several steps at once: kept whole they are those of single steps; kept for the adjoint
   they have what reversing a step reads and nothing else is touched, and the way back is the same. */
#include "shallow_case.h"
enum { STEPS = 3 };
static const double untouched = 7;
/* What nu is owed depends on the velocities before friction, which take the old tendencies to make. */
static bool reads(const char name[], bool nu) {
  static const char *const always[] = {"h", "u", "v"}, *const for_nu[] = {"u_t", "v_t"};
  for (int k = 0; k < 3; k++)
    if (!strcmp(name, always[k])) return true;
  return nu && (!strcmp(name, for_nu[0]) || !strcmp(name, for_nu[1]));
}
static PetscErrorCode fill(HgState q, double value) {
  for (int k = 0; k < HgStateCount(q); k++)
    PetscCall(HgStateSetConstant(q, HgStateVariable(q, k)->name, value));
  return 0;
}
/* Largest difference of variable k on this rank's cells. */
static double difference(HgState a, HgState b, int k) {
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(a));
  double largest = 0;
  for (int j = 0; j < patch->ny; j++)
    for (int i = 0; i < patch->nx; i++)
      largest = fmax(largest, fabs(HgStateRows(a, k)[j][i] - HgStateRows(b, k)[j][i]));
  return largest;
}
static PetscErrorCode make(HgProgram program, HgState *const states[], int count) {
  for (int k = 0; k < count; k++) PetscCall(HgProgramCreateCarried(program, states[k]));
  return 0;
}
/* The way back over all steps at once or one by one, from q[0 .. STEPS - 1]. */
static PetscErrorCode back(ShallowCase *c, HgState constants, HgState q[], HgState scratch,
                           char digest[17]) {
  HgState bar, next_bar, constants_bar, *const bars[] = {&bar, &next_bar};
  PetscCall(make(c->program, bars, 2));
  PetscCall(HgProgramCreateConstants(c->program, &constants_bar));
  PetscCall(HgStateRandom(next_bar, 5));
  for (long n = STEPS - 1; n >= 0; n--) {
    PetscCall(HgProgramStepAdjoint(c->program, n, constants, q[n], scratch, next_bar, bar,
                                   constants_bar));
    PetscCall(HgProgramFold(c->program, bar));
    HgStateSwap(bar, next_bar);
  }
  PetscCall(HgStateDigest(next_bar, NULL, digest));
  PetscCall(HgStateDestroy(&bar));
  PetscCall(HgStateDestroy(&next_bar));
  return HgStateDestroy(&constants_bar);
}
static PetscErrorCode compare(ShallowCase *c, bool nu, HgState constants, HgState q) {
  HgState whole[STEPS], some[STEPS], end, again, marked;
  HgState *const all[] = {&whole[1], &whole[2], &some[1], &some[2], &end, &again, &marked};
  char digest[2][17];
  PetscCall(make(c->program, all, 7));
  whole[0] = some[0] = q;
  for (int k = 1; k < STEPS; k++) PetscCall(fill(some[k], untouched));
  PetscCall(fill(marked, untouched));
  PetscCall(HgProgramSteps(c->program, 0, STEPS, constants, q, whole + 1, HG_KEEP_WHOLE, end));
  PetscCall(
      HgProgramSteps(c->program, 0, STEPS, constants, q, some + 1, HG_KEEP_FOR_ADJOINT, again));
  for (int k = 0; k < HgStateCount(q); k++) {
    const char *const name = HgStateVariable(q, k)->name;
    claim_that(!difference(end, again, k), "'%s' at the end differs", name);
    for (int n = 1; n < STEPS; n++)
      claim_that(!difference(some[n], reads(name, nu) ? whole[n] : marked, k),
                 "'%s' after %d steps is not %s", name, n, reads(name, nu) ? "kept" : "untouched");
  }
  PetscCall(back(c, constants, whole, again, digest[0]));
  PetscCall(back(c, constants, some, again, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]), "reversed: %s from whole states, %s from others",
             digest[0], digest[1]);
  for (int k = 0; k < 7; k++) PetscCall(HgStateDestroy(all[k]));
  return 0;
}
static PetscErrorCode test(void) {
  const ShallowSpec spec = {.nx = 61,
                            .ny = 59,
                            .steps = STEPS,
                            .ghost = 9,
                            .periodic_x = true,
                            .policy = HG_SCHEDULE_STORE_ALL,
                            .slots = STEPS};
  ShallowCase c;
  HgState q, constants;
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  for (int active = 0; active < 2; active++) {
    PetscCall(HgProgramSetActive(c.program, "nu", active));
    PetscCall(HgProgramCreateCarried(c.program, &q));
    PetscCall(HgProgramCreateConstants(c.program, &constants));
    PetscCall(HgProgramSplit(c.x, q, constants));
    claim_that(HgProgramStride(c.program, STEPS) == STEPS, "%ld steps at once, expected %d",
               HgProgramStride(c.program, STEPS), STEPS);
    PetscCall(compare(&c, active, constants, q));
    PetscCall(HgStateDestroy(&q));
    PetscCall(HgStateDestroy(&constants));
  }
  return shallow_destroy(&c);
}
int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("states between steps keep what reversing reads", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
