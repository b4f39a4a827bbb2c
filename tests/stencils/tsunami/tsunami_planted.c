/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an adjoint that takes closed faces at coasts for open ones is caught, and the doctor names
   the stencil, the pair of variables, and a cell at such a coast. */
#include "tsunami_case.h"

/* The current through eastern faces. Wrong where water in the west meets land in the east. */
static void leaky(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                  const HgRowsOut x_bar[]) {
  enum { ETA = 0, KEEP = 3 };

  tsunami_east.adjoint(b, params, x, y_bar, x_bar);
  for (int j = b->j0; j < b->j1 && x_bar[ETA]; j++)
    for (int i = b->i0; i < b->i1; i++)
      if (x[KEEP][j][i] == 0 && x[KEEP][j][i - 1] > 0)
        x_bar[ETA][j][i] += b->dt * 9.81 / b->dx * y_bar[0][j][i];
}

static PetscErrorCode dot_product(const TsunamiCase *c) {
  HgOperator step;
  HgFindings report;
  PetscCall(HgProgramOperator(c->program, 0, &step));
  PetscCall(HgExamineOperator(step, c->x, &(HgCheckOptions){.seed = 4, .quiet = true}, &report));
  claim_that(report.worst[HG_CHECK_DOT] > 1e-9,
             "an error at a coast moves the dot product by %g only, expected 1e-9",
             report.worst[HG_CHECK_DOT]);
  return HgOperatorDestroy(&step);
}

/* 1 if the eastern face of global cell (i, j) is closed and the western one is open. */
static PetscErrorCode at_coast(const TsunamiCase *c, int i, int j, int *coast) {
  const HgPatch *p = HgMeshGetPatch(c->mesh);
  HgReal *const *keep = HgStateRows(c->x, HgStateFind(c->x, "keep_u")), face[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    const int x = i - k - p->i_global, y = j - p->j_global;
    if (x >= 0 && x < p->nx && y >= 0 && y < p->ny) face[k] = keep[y][x];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, face, 2, MPI_DOUBLE, MPI_SUM, HgMeshComm(c->mesh)));
  *coast = face[0] == 0 && face[1] > 0;
  return 0;
}

static PetscErrorCode doctor(const TsunamiCase *c) {
  HgFindings report;
  int named = 0;
  PetscCall(examine_trajectory(c->trajectory, c->x, &report));
  for (int k = 0; k < report.findings; k++) {
    const HgFinding *f = &report.finding[k];
    char text[1024];
    int coast = 0;
    HgFindingText(f, sizeof text, text);
    claim_that(f->check == HG_CHECK_DOT && !strcmp(f->part, "tsunami_east") &&
                   !strcmp(f->read, "eta") && !strcmp(f->write, "u"),
               "expected the adjoint of tsunami_east, eta from u: %s", text);
    PetscCall(at_coast(c, f->i, f->j, &coast));
    claim_that(coast, "cell (%d, %d) is not at a coast in the east: %s", f->i, f->j, text);
    named += coast;
  }
  claim_that(named > 0, "%d findings, none names a coast", report.findings);
  return 0;
}

static PetscErrorCode test(void) {
  HgStencil wrong = tsunami_east;
  wrong.adjoint = leaky;
  const HgStencil *const stencils[] = {&wrong, &tsunami_north, &tsunami_surface, NULL};
  HgPhysics physics = tsunami_physics;
  physics.stencils = stencils;
  TsunamiCase c;
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &(TsunamiSpec){.steps = 9, .physics = &physics}, &c));
  PetscCall(dot_product(&c));
  PetscCall(doctor(&c));
  return tsunami_destroy(&c);
}

CLAIM("an error planted at a coast is named with its cell", 4, test)
