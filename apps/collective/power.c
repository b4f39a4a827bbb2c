/* SPDX-License-Identifier: BSD-2-Clause */
/* power: f(theta) = sum over ranks of theta^rank and its derivative, on plain arrays: all that a
   program needs that wants collectives and nothing else. `mpirun -n 4 power` prints 15 and 17. */
#include <halograd/collective.h>
#include <math.h>

static PetscErrorCode power(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  HgCollective tell, sum;
  double theta = 2, copy, term, f, f_bar = 1, term_bar, copy_bar, theta_bar = 0;
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  /* rank 0 tells all, and gets the sum */
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_BROADCAST, .n = 1}, &tell));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_REDUCE, .n = 1}, &sum));
  /* value: theta -> its copies -> theta^rank -> f */
  PetscCall(HgCollectiveApply(tell, &theta, &copy));
  term = pow(copy, rank);
  PetscCall(HgCollectiveApply(sum, &term, &f));
  /* derivative: the same backwards, transposed */
  PetscCall(HgCollectiveTranspose(sum, &term, &f_bar, &term_bar));
  copy_bar = rank ? rank * pow(copy, rank - 1) * term_bar : 0;
  PetscCall(HgCollectiveTranspose(tell, &theta, &copy_bar, &theta_bar));
  PetscCall(PetscPrintf(comm, "f(%g) = %g, f'(%g) = %g\n", theta, f, theta, theta_bar));
  PetscCall(HgCollectiveDestroy(&tell));
  return HgCollectiveDestroy(&sum);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "power: a sum of powers and its derivative\n", power);
}
