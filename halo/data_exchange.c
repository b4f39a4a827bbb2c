#include <halograd/data_exchange.h>
#include <string.h>
typedef struct {
  int sx, sy, tag; /* direction and the tag of what travels that way */
  const double *out;
  double *in; /* what arrives from that side */
  int length;
} Side;
enum { HG_STRIP_TAG = 7100 };
PetscErrorCode data_exchange(HgMesh mesh, int nx, int ny, const double left_out[], const double right_out[], const double up_out[],
                             const double down_out[], double left_in[], double right_in[], double up_in[], double down_in[]) {
  const MPI_Comm comm = HgMeshComm(mesh);
  const Side sides[4] = {{-1, 0, HG_STRIP_TAG, left_out, left_in, ny},
                         {1, 0, HG_STRIP_TAG + 1, right_out, right_in, ny},
                         {0, 1, HG_STRIP_TAG + 2, up_out, up_in, nx},
                         {0, -1, HG_STRIP_TAG + 3, down_out, down_in, nx}};
  PetscCall(HgAgree(comm, nx < 0 || ny < 0, "data_exchange: strips of %d and %d numbers, expected none or more", nx, ny));
  MPI_Request requests[8];
  int count = 0;
  for (int k = 0; k < 4; k++) {
    const int peer = HgMeshNeighbour(mesh, sides[k].sx, sides[k].sy);
    if (peer < 0) {
      memset(sides[k].in, 0, (size_t)sides[k].length * sizeof(double));
      continue;
    }
    /* What comes in from the west was sent east: tags 0 and 1, 2 and 3 are opposite. */
    PetscCallMPI(MPI_Irecv(sides[k].in, sides[k].length, MPI_DOUBLE, peer, HG_STRIP_TAG + (k ^ 1), comm, &requests[count++]));
  }
  for (int k = 0; k < 4; k++) {
    const int peer = HgMeshNeighbour(mesh, sides[k].sx, sides[k].sy);
    if (peer >= 0) PetscCallMPI(MPI_Isend(sides[k].out, sides[k].length, MPI_DOUBLE, peer, sides[k].tag, comm, &requests[count++]));
  }
  PetscCallMPI(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
  return 0;
}
