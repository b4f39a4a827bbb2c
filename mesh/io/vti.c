/* SPDX-License-Identifier: BSD-2-Clause */
#include "results_private.h"
#include <errno.h>
#include <fcntl.h>
#include <halograd/error_library.h>
#include <halograd/fault_library.h>
#include <halograd/file_library.h>
#include <halograd/state_library.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };

/* The XML before the data. The fields are cell data of nx x ny x nz cells; without levels nz is 0:
   an image one point thick. `bytes`: of one of them. */
static size_t write_header(char text[], size_t size, double time, const HgMeshSpec *g, int nz,
                           uint64_t bytes, int count, const char *const names[]) {
  const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  *text = 0;
  HgSentenceAdd(
      size, text,
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"%s\" "
      "header_type=\"UInt64\">\n",
      little ? "LittleEndian" : "BigEndian");
  HgSentenceAdd(
      size, text,
      "<ImageData WholeExtent=\"0 %d 0 %d 0 %d\" Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g "
      "%.17g %.17g\">\n",
      g->nx, g->ny, nz, g->x0 - 0.5 * g->dx, g->y0 - 0.5 * g->dy, nz ? g->z0 - 0.5 * g->dz : 0,
      g->dx, g->dy, nz ? g->dz : 1);
  if (!isnan(time))
    HgSentenceAdd(size, text,
                  "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                  "format=\"ascii\">%.17g</DataArray></FieldData>\n",
                  time);
  HgSentenceAdd(size, text, "<Piece Extent=\"0 %d 0 %d 0 %d\">\n<CellData Scalars=\"%s\">\n", g->nx,
                g->ny, nz, names[0]);
  for (int k = 0; k < count; k++)
    HgSentenceAdd(size, text,
                  "<DataArray type=\"Float%d\" Name=\"%s\" format=\"appended\" offset=\"%" PRIu64
                  "\"/>\n",
                  8 * (int)sizeof(HgReal), names[k], (uint64_t)k * (8 + bytes));
  HgSentenceAdd(size, text,
                "</CellData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_");
  return strlen(text);
}

static int write_at(int file, off_t offset, const void *data, size_t size) {
  if (lseek(file, offset, SEEK_SET) < 0) return errno;
  return HgFilePiecesWrite(file, &(struct iovec){(char *)(uintptr_t)data, size}, 1);
}

/* Creates the file on rank 0 with all its space, header and ending. */
static int lay_out(const char path[], const char header[], size_t header_size, int count,
                   uint64_t bytes, int *file) {
  static const char ending[] = "\n</AppendedData>\n</VTKFile>\n";
  const off_t end = (off_t)(header_size + (uint64_t)count * (8 + bytes));
  *file = HgFileNew(path);
  if (*file < 0) return errno;
  int code =
      HgFault(HG_FAULT_WRITE) ? errno : posix_fallocate(*file, 0, end + (off_t)sizeof ending);
  if (!code) code = write_at(*file, 0, header, header_size);
  for (int k = 0; !code && k < count; k++)
    code = write_at(*file, (off_t)(header_size + (uint64_t)k * (8 + bytes)), &bytes, 8);
  if (!code) code = write_at(*file, end, ending, sizeof ending - 1);
  if (!code && (HgFault(HG_FAULT_WRITE) || ftruncate(*file, end + (off_t)sizeof ending - 1)))
    code = errno;
  return code;
}

static int write_rows(int file, off_t first, HgState state, int index) {
  const HgMeshSpec *g = HgMeshGetSpec(HgStateMesh(state));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(state));
  int code = 0;
  for (int k = 0; k < HgStateLevels(state, index); k++) {
    HgReal *const *u = HgStateLevel(state, index, k);
    for (int j = 0; !code && j < p->ny; j++) {
      const off_t row = (off_t)k * g->ny + p->j_global + j;
      code = write_at(file, first + (off_t)sizeof(HgReal) * (row * g->nx + p->i_global), u[j],
                      sizeof(HgReal) * (size_t)p->nx);
    }
  }
  return code;
}

/* Chooses fields, as an image has one shape: with levels, the fields that have levels, if any does;
   then *nz is their number, else 0. Returns how many. */
static int choose(HgState state, int count, const int indices[], const char *const names[],
                  int chosen[MOST], const char *as[MOST], int *nz) {
  int found = 0;
  *nz = 0;
  for (int k = 0; k < count; k++)
    if (!HgStateVariable(state, indices[k])->surface) *nz = HgMeshGetSpec(HgStateMesh(state))->nz;
  for (int k = 0; k < count && found < MOST; k++)
    if (!*nz || !HgStateVariable(state, indices[k])->surface)
      chosen[found] = indices[k], as[found++] = names[k];
  return found;
}

PetscErrorCode HgVtiWrite(const char path[], double time, HgState state, int fields,
                          const int indices_of[], const char *const names_of[]) {
  int indices[MOST], nz;
  const char *names[MOST];
  const int count = choose(state, fields, indices_of, names_of, indices, names, &nz);
  HgMesh mesh = HgStateMesh(state);
  MPI_Comm comm = HgMeshComm(mesh);
  const HgMeshSpec *g = HgMeshGetSpec(mesh);
  const uint64_t bytes =
      sizeof(HgReal) * (uint64_t)g->nx * (uint64_t)g->ny * (uint64_t)PetscMax(1, nz);
  char temporary[HG_FILE_PATH], header[8192];
  PetscMPIInt rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  snprintf(temporary, sizeof temporary, "%s.part", path);
  const size_t header_size = write_header(header, sizeof header, time, g, nz, bytes, count, names);
  HgRequire(comm, header_size < sizeof header - 1 && strlen(path) + 6 < HG_FILE_PATH,
            HG_ERR_FILE_NAME, "file '%s': too many fields (%d) or too long a name", path, count);
  int file = -1, code = 0;
  if (rank == 0) code = lay_out(temporary, header, header_size, count, bytes, &file);
  PetscErrorCode ierr =
      HgAgree(comm, code != 0, HG_ERR_FILE_WRITE, "file '%s': cannot write %" PRIu64 " bytes: %s",
              path, (uint64_t)header_size + (uint64_t)count * (8 + bytes), HgFileReason(code));
  if (!ierr) {
    if (rank) file = HgFileOpen(temporary, O_WRONLY);
    if (file < 0) code = errno;
    for (int k = 0; !code && k < count; k++)
      code =
          write_rows(file, (off_t)(header_size + (uint64_t)k * (8 + bytes) + 8), state, indices[k]);
    if (file >= 0 && close(file) && !code) code = errno;
    file = -1;
    ierr = HgAgree(comm, code != 0, HG_ERR_FILE_WRITE, "file '%s': %s", path, HgFileReason(code));
  }
  if (!ierr) {
    if (rank == 0 && HgFileRename(temporary, path)) code = errno;
    ierr = HgAgree(comm, code != 0, HG_ERR_FILE_WRITE, "file '%s': %s", path, HgFileReason(code));
  }
  if (file >= 0) close(file);
  if (ierr && rank == 0) HgFileUnlink(temporary);
  return ierr;
}
