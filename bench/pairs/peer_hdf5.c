/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_hdf5.h"
#include <hdf5.h>
#include <unistd.h>

struct PeerHDF5_s {
  MPI_Comm comm;
  char path[PETSC_MAX_PATH_LEN];
  hid_t access, transfer, memory, part; /* part: of the dataset's space */
};

PetscErrorCode PeerHDF5Create(MPI_Comm comm, const char path[], int nx, int ny, const int box[4],
                              PeerHDF5 *peer) {
  const hsize_t all[] = {(hsize_t)ny, (hsize_t)nx}, from[] = {(hsize_t)box[1], (hsize_t)box[0]},
                count[] = {(hsize_t)box[3], (hsize_t)box[2]};
  PeerHDF5 p;
  PetscCall(PetscNew(&p));
  p->comm = comm;
  PetscCall(PetscStrncpy(p->path, path, sizeof p->path));
  p->access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(p->access, comm, MPI_INFO_NULL);
  H5Pset_alignment(p->access, 65536, 4096);
  p->transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(p->transfer, H5FD_MPIO_COLLECTIVE);
  p->memory = H5Screate_simple(2, count, NULL);
  p->part = H5Screate_simple(2, all, NULL);
  H5Sselect_hyperslab(p->part, H5S_SELECT_SET, from, NULL, count, NULL);
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, p->access);
  const hid_t data = H5Dcreate2(file, "u", H5T_IEEE_F64LE, p->part, H5P_DEFAULT, how, H5P_DEFAULT);
  PetscCheck(file >= 0 && data >= 0, comm, PETSC_ERR_FILE_OPEN, "bench: cannot create '%s'", path);
  H5Dclose(data);
  H5Fclose(file);
  H5Pclose(how);
  *peer = p;
  return 0;
}

PetscErrorCode PeerHDF5Destroy(PeerHDF5 *peer) {
  PeerHDF5 p = *peer;
  int rank;
  *peer = NULL;
  if (!p) return 0;
  PetscCallMPI(MPI_Comm_rank(p->comm, &rank));
  H5Pclose(p->access);
  H5Pclose(p->transfer);
  H5Sclose(p->memory);
  H5Sclose(p->part);
  if (!rank) unlink(p->path);
  return PetscFree(p);
}

static PetscErrorCode check(PeerHDF5 p, herr_t moved, herr_t closed) {
  PetscCheck(moved >= 0 && closed >= 0, p->comm, PETSC_ERR_FILE_WRITE, "bench: HDF5 and '%s'",
             p->path);
  return 0;
}

PetscErrorCode PeerHDF5Write(PeerHDF5 p, const double values[]) {
  const hid_t file = H5Fopen(p->path, H5F_ACC_RDWR, p->access),
              data = H5Dopen2(file, "u", H5P_DEFAULT);
  const herr_t moved = H5Dwrite(data, H5T_NATIVE_DOUBLE, p->memory, p->part, p->transfer, values);
  H5Dclose(data);
  return check(p, moved, H5Fclose(file));
}

PetscErrorCode PeerHDF5Read(PeerHDF5 p, double values[]) {
  const hid_t file = H5Fopen(p->path, H5F_ACC_RDONLY, p->access),
              data = H5Dopen2(file, "u", H5P_DEFAULT);
  const herr_t moved = H5Dread(data, H5T_NATIVE_DOUBLE, p->memory, p->part, p->transfer, values);
  H5Dclose(data);
  return check(p, moved, H5Fclose(file));
}
