#include <halograd/comm.h>
#include <stdint.h>

static int key = MPI_KEYVAL_INVALID; /* of the attribute: a number as a pointer */

PetscErrorCode HgCommSetGroup(MPI_Comm comm, int group) {
  if (key == MPI_KEYVAL_INVALID)
    PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
  PetscCallMPI(MPI_Comm_set_attr(comm, key, (void *)(intptr_t)group));
  return 0;
}

int HgCommGroup(MPI_Comm comm) {
  void *group = NULL;
  int found = 0;
  if (key != MPI_KEYVAL_INVALID) MPI_Comm_get_attr(comm, key, &group, &found);
  return found ? (int)(intptr_t)group : 0;
}
