/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/data_exchange.h>
#include <halograd/fault_library.h>
#include <halograd/mesh_library.h>
#include <halograd/real_library.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *name;
  int sx, sy;
  const HgReal *out;
  HgReal *in; /* what arrives from that side */
  int length;
} Side;

enum { HG_STRIP_TAG = 7100 };

/* Receives the strip from `peer` after probing its length: MPI would abort on one that is too long.
   Returns the length. */
static PetscErrorCode receive(MPI_Comm comm, const Side *side, int peer, int tag, int *length) {
  MPI_Message message;
  MPI_Status status;
  PetscCallMPI(MPI_Mprobe(peer, tag, comm, &message, &status));
  PetscCallMPI(MPI_Get_count(&status, HG_MPI_REAL, length));
  HgReal *in = side->in, *drained = NULL;
  if (*length != side->length) {
    PetscCall(PetscMalloc1(*length, &drained));
    in = drained;
  }
  PetscCallMPI(MPI_Mrecv(in, *length, HG_MPI_REAL, &message, MPI_STATUS_IGNORE));
  return PetscFree(drained);
}

PetscErrorCode data_exchange(HgMesh mesh, int nx, int ny, const HgReal left_out[],
                             const HgReal right_out[], const HgReal up_out[],
                             const HgReal down_out[], HgReal left_in[], HgReal right_in[],
                             HgReal up_in[], HgReal down_in[]) {
  const MPI_Comm comm = HgMeshComm(mesh);
  const int wide = PetscMax(nx, 0), high = PetscMax(ny, 0);
  const Side sides[4] = {{"west", -1, 0, left_out, left_in, high},
                         {"east", 1, 0, right_out, right_in, high},
                         {"north", 0, 1, up_out, up_in, wide},
                         {"south", 0, -1, down_out, down_in, wide}};
  MPI_Request requests[4];
  char why[128] = "";
  int count = 0, peer[4];
  PetscCheck(!HgFault(HG_FAULT_EXCHANGE), PETSC_COMM_SELF, PETSC_ERR_MPI,
             "the exchange of strips cannot start");
  for (int k = 0; k < 4; k++) {
    peer[k] = HgMeshNeighbour(mesh, sides[k].sx, sides[k].sy);
    if (peer[k] >= 0)
      PetscCallMPI(MPI_Isend(sides[k].out, sides[k].length, HG_MPI_REAL, peer[k], HG_STRIP_TAG + k,
                             comm, &requests[count++]));
    else memset(sides[k].in, 0, (size_t)sides[k].length * sizeof(HgReal));
  }
  for (int k = 0; k < 4; k++) {
    int length;
    if (peer[k] < 0) continue;
    /* What comes in from the west was sent east: tags 0 and 1, 2 and 3 are opposite. */
    PetscCall(receive(comm, &sides[k], peer[k], HG_STRIP_TAG + (k ^ 1), &length));
    if (length != sides[k].length)
      snprintf(why, sizeof why, "%d numbers came from the %s, expected %d: neighbours must agree",
               length, sides[k].name, sides[k].length);
  }
  PetscCallMPI(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
  if (nx < 0 || ny < 0)
    snprintf(why, sizeof why, "strips of %d and %d numbers, expected none or more", nx, ny);
  return HgAgree(comm, *why, HG_ERR_OPERATOR, "data_exchange: %s", why);
}
