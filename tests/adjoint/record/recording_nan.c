/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: numbers that are not finite are recorded and read back bit for bit, in fields and in
   arrays. */
#include "heat_case.h"
#include "recorded.h"

enum { STEPS = 4 };

static PetscErrorCode keep(void *self, HgState x, HgState y) {
  (void)self;
  return HgStateCopy(x, y);
}

static PetscErrorCode keep_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)self, (void)x;
  return HgStateCopy(dx, dy);
}

static PetscErrorCode keep_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  (void)self, (void)x;
  return HgStateAXPY(x_bar, 1, y_bar);
}

/* A carried array that nothing else looks at. */
static PetscErrorCode more(HgProgram program, void *unused) {
  static const HgOperatorTable table = {keep, keep_tangent, keep_adjoint, NULL, NULL};
  static const char *const names[] = {"theta", NULL};
  HgState theta;
  HgOperator op;
  (void)unused;
  PetscCall(HgStateCreate(HgProgramMesh(program), 1, &(HgVariable){"theta", "1", HG_REPLICATED, 3},
                          &theta));
  PetscCall(HgOperatorCreate("keep", theta, theta, &table, NULL, &op));
  PetscCall(HgProgramAddOperator(program, op, names, names));
  return DESTROY(&op, &theta);
}

static PetscErrorCode claim_read(HgRecording r, HgMode direction, long n, HgState pattern) {
  HgState read;
  int k;
  PetscCall(HgStateDuplicate(pattern, &read));
  PetscCall(HgRecordingReadTo(r, direction, n, false, read));
  PetscCall(HgStateIndex(read, "theta", &k));
  if (direction == HG_PRIMAL)
    claim_that(HgStateArray(read, k)[0] == 0.5 && isnan(HgStateArray(read, k)[1]) &&
                   isinf(HgStateArray(read, k)[2]),
               "step %ld: theta is %g, %g, %g, expected 0.5, nan, inf", n, HgStateArray(read, k)[0],
               HgStateArray(read, k)[1], HgStateArray(read, k)[2]);
  return HgStateDestroy(&read);
}

static PetscErrorCode test(void) {
  const HeatSpec spec = {.nx = 8, .ny = 7, .steps = STEPS, .more = more, .slots = STEPS};
  HeatCase c;
  HgRecording r;
  char text[256];
  int k;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgStateIndex(c.x, "theta", &k));
  HgStateArray(c.x, k)[0] = 0.5, HgStateArray(c.x, k)[1] = NAN, HgStateArray(c.x, k)[2] = INFINITY;
  PetscCall(record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 2}, "nan", text));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, "nan", &r));
  for (long n = 0; n <= STEPS; n += 2) {
    PetscCall(claim_read(r, HG_PRIMAL, n, c.data));
    PetscCall(claim_read(r, HG_COTANGENT, n, c.data));
  }
  PetscCall(HgRecordingClose(&r));
  return heat_destroy(&c);
}

CLAIM("what is not finite is recorded and read back", 0, test)
