/* SPDX-License-Identifier: BSD-2-Clause */
/* The first two steps and the adjoint of the second: their digests identify a trajectory. */
#include "gradient_private.h"

PetscErrorCode HgTrajectoryProbe(HgTrajectory t, HgState x, char q[17], char bar[17]) {
  HgState at[] = {t->scratch[0], t->scratch[1]};
  const long last = PetscMin(2, t->steps) - 1;
  t->gradient.kept = 0;
  PetscCall(HgGradientMakeRoom(t));
  PetscCall(HgProgramZeroConstantsBar(t->program, t->constants_bar));
  PetscCall(HgProgramSplitShared(t->program, x, at[0], t->constants));
  if (last) {
    PetscCall(HgProgramStep(t->program, 0, t->constants, at[0], at[1]));
    at[0] = at[1], at[1] = t->scratch[0];
  }
  PetscCall(HgProgramStep(t->program, last, t->constants, at[0], t->final));
  PetscCall(HgStateDigest(t->final, NULL, q));
  PetscCall(HgStateZero(t->bar[0])); /* ghosts, too: those of q_final are of some cut */
  PetscCall(HgStateAXPY(t->bar[0], 1, t->final));
  PetscCall(HgProgramStepAdjoint(t->program, last, t->constants, at[0], at[1], t->bar[0], t->bar[1],
                                 t->constants_bar));
  PetscCall(HgProgramBoundaryAdjoint(t->program, t->bar[1]));
  return HgStateDigest(t->bar[1], NULL, bar);
}
