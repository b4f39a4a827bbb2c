/* SPDX-License-Identifier: BSD-2-Clause */
#include "results_private.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <halograd/fault_library.h>
#include <halograd/file_library.h>
#include <halograd/location_library.h>
#include <halograd/memory_library.h>
#include <halograd/mesh_library.h>
#include <halograd/reader_library.h>
#include <halograd/real_library.h>
#include <halograd/state_library.h>
#include <halograd/writer_library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  VARIABLES = 64,
  PATH_SIZE = 2048,
  SLACK = 1 << 20 /* bytes, for HDF5's own */
};

typedef struct {
  char name[32];
  hid_t dataset;
  bool constant, levels;
  int size;  /* numbers of an array; -1: a field */
  int times; /* written so far */
} Entry;

struct HgResultsFile_s {
  HgMesh mesh;
  PetscMPIInt rank;
  HgQuiet quiet;
  char path[PATH_SIZE], temporary[PATH_SIZE];
  const char *counter;       /* "time", or what is counted in its place */
  hid_t file, x, y, z, time; /* -1: not open */
  hid_t transfer;
  int descriptor;        /* rank 0: of the temporary file, to reserve its space; else -1 */
  double used, reserved; /* bytes of data so far; bytes of disk, known on rank 0 */
  double flushed;        /* rank 0: bytes of disk when all was flushed; -1: not so now */
  double dt;             /* that `time` is a number of; 0: not known yet, -1: of none */
  int times, count;
  Entry entries[VARIABLES];
};

/* Error: HDF5 failed on some rank; the sentence ends with its reason. */
static PetscErrorCode agree(HgResultsFile f, bool right, const char what[], const char name[]) {
  char complaint[HG_READER_TEXT] = "";
  if (!right) HgHdf5Complaint(complaint, sizeof complaint);
  return HgAgree(HgMeshComm(f->mesh), !right, HG_ERR_FILE_WRITE,
                 "results file '%s': cannot %s '%s' (HDF5: %s)", f->path, what, name, complaint);
}

/* Reserves space, to detect full disks: with Debian 12's parallel HDF5, a collective write that
   runs out of space hangs. HDF5 cannot report how much it has used (its own count is lost once
   MPI-IO has written), so this counts `bytes` of data; SLACK covers the headers of at most
   VARIABLES datasets. */
static PetscErrorCode reserve(HgResultsFile f, double bytes) {
  int code = 0;
  f->used += bytes;
  const double end = f->used + SLACK;
  if (f->rank == 0 && end > f->reserved) {
    code = HgFault(HG_FAULT_WRITE)
               ? errno
               : posix_fallocate(f->descriptor, (off_t)f->reserved, (off_t)(end - f->reserved));
    if (!code) f->reserved = end;
    else if (ftruncate(f->descriptor, (off_t)f->reserved)) code = errno; /* what it did get */
  }
  return HgAgree(HgMeshComm(f->mesh), code != 0, HG_ERR_FILE_WRITE,
                 "results file '%s': no room for %.0f more bytes: %s", f->path, end - f->reserved,
                 strerror(code));
}

static hsize_t rows_per_chunk(const HgMeshSpec *g) {
  const hsize_t most = (1ull << 30) / (8 * (hsize_t)g->nx); /* a chunk must stay below 4 GiB */
  return most < 1 ? 1 : most < (hsize_t)g->ny ? most : (hsize_t)g->ny;
}

PetscErrorCode HgResultsFileReserve(HgResultsFile f, HgState state, int count,
                                    const int indices[]) {
  const HgMeshSpec *g = HgMeshGetSpec(f->mesh);
  const hsize_t rows = rows_per_chunk(g), padded = ((hsize_t)g->ny + rows - 1) / rows * rows;
  const double chunks = (double)(padded / rows);
  double bytes = 16;
  for (int k = 0; k < count; k++) {
    const HgVariable *v = HgStateVariable(state, indices[k]);
    const double levels = v->surface ? 1 : HgMeshLevels(f->mesh);
    bytes += v->kind == HG_REPLICATED ? 64 + 16.0 * v->size
                                      : levels * (64 * chunks + 8.0 * (double)padded * g->nx);
  }
  return reserve(f, bytes);
}

/* A dataset, in chunks unless `chunk` is NULL. */
static hid_t create(HgResultsFile f, const char name[], hid_t type, int rank, const hsize_t size[],
                    const hsize_t most[], const hsize_t chunk[]) {
  const hid_t space = H5Screate_simple(rank, size, most), plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plan, false); /* the same run writes the same bytes */
  H5Pset_attr_creation_order(plan, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_alloc_time(plan, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(plan, H5D_FILL_TIME_NEVER);
  if (chunk) H5Pset_chunk(plan, rank, chunk);
  const hid_t dataset = H5Dcreate2(f->file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  H5Pclose(plan);
  H5Sclose(space);
  return dataset;
}

/* Each rank writes its block of memory (rows `pitch` numbers of `type` apart) into the file;
   count[0] = 0: nothing. `rank` of the dataset is 1 to 4; the block fills its last one or two axes.
   */
static bool write_block(HgResultsFile f, hid_t dataset, int rank, const hsize_t start[],
                        const hsize_t count[], hsize_t pitch, hid_t type, const void *values) {
  static const double nothing[1] = {0};
  const hid_t space = H5Dget_space(dataset);
  bool empty = false;
  for (int k = 0; k < rank; k++) empty = empty || count[k] == 0;
  const hsize_t rows = rank >= 2 ? count[rank - 2] : 1, columns = count[rank - 1];
  const hsize_t extent[2] = {empty ? 1 : rows, empty ? 1 : pitch}, from[2] = {0, 0},
                block[2] = {rows, columns};
  const hid_t memory = H5Screate_simple(2, extent, NULL);
  bool right = space >= 0 && memory >= 0;
  if (empty) {
    right = right && H5Sselect_none(space) >= 0 && H5Sselect_none(memory) >= 0;
  } else {
    right = right && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Sselect_hyperslab(memory, H5S_SELECT_SET, from, NULL, block, NULL) >= 0;
  }
  /* also after a failure: the others are waiting in this collective call */
  right = H5Dwrite(dataset, type, memory, space, f->transfer, empty ? nothing : values) >= 0 &&
          right && !HgFault(HG_FAULT_WRITE);
  H5Sclose(memory);
  H5Sclose(space);
  return right;
}

/* Writes a coordinate first + step k from the ranks of one row or column of patches; standard_name
   NULL: the numbering of an array's entries. All ranks write the attributes first: writing numbers
   may fail on one rank, and if that rank then skipped an attribute, HDF5 would wait for it forever.
   */
static PetscErrorCode write_axis(HgResultsFile f, const char name[], const char standard_name[],
                                 const char unit[], int size, double first, double step, int begin,
                                 int own, hid_t *axis) {
  const hsize_t all = (hsize_t)size, start = (hsize_t)begin, count = (hsize_t)own;
  double *values = HgAllocate(count ? count : 1, sizeof *values);
  PetscCall(
      HgAgree(HgMeshComm(f->mesh), !values, HG_ERR_MEMORY, "no memory for %d coordinates", own));
  for (int k = 0; k < own; k++) values[k] = first + step * (begin + k);
  *axis = create(f, name, H5T_IEEE_F64LE, 1, &all, NULL, NULL);
  char text[64], direction[2] = {(char)toupper((unsigned char)name[0]), 0};
  snprintf(text, sizeof text, "%s of the cell centre", name);
  bool right = *axis >= 0 && HgWriterScale(*axis, name) &&
               HgWriterDescribe(*axis, unit, standard_name ? text : NULL, standard_name) &&
               (!standard_name || HgWriterText(*axis, "axis", direction));
  right = right && write_block(f, *axis, 1, &start, &count, count, H5T_NATIVE_DOUBLE, values);
  free(values);
  return agree(f, right, "write coordinate", name);
}

/* Error: a name too long for Open MPI 4, which formats it into 256 bytes unless one of its
   components is left out, as HgInitialize() does. */
static PetscErrorCode require_short_name(HgResultsFile f) {
  enum { LONGEST = 200 };

  const size_t length = strlen(f->temporary);
  return HgAgree(HgMeshComm(f->mesh), OPEN_MPI && length > LONGEST && !getenv("OMPI_MCA_sharedfp"),
                 HG_ERR_FILE_NAME,
                 "results file '%s': a name of %zu bytes, but Open MPI takes %d in a program that "
                 "starts MPI itself (more with OMPI_MCA_sharedfp=^lockedfile)",
                 f->path, length, LONGEST);
}

static PetscErrorCode open_temporary(HgResultsFile f, const char title[]) {
  MPI_Comm comm = HgMeshComm(f->mesh);
  int code = 0;
  PetscCall(require_short_name(f));
  if (f->rank == 0) {
    struct stat status;
    if (!lstat(f->path, &status) && !S_ISREG(status.st_mode)) /* to which it could not be renamed */
      code = S_ISDIR(status.st_mode) ? EISDIR : ENOTSUP;
    if (!code) f->descriptor = HgFileNew(f->temporary);
    if (!code && f->descriptor < 0) code = errno;
  }
  PetscCall(HgAgree(comm, code != 0, HG_ERR_FILE_WRITE, "results file '%s': %s", f->path,
                    HgFileReason(code)));
  const HgMeshSpec *g = HgMeshGetSpec(f->mesh);
  const double coordinates = 8.0 * ((double)g->nx + g->ny + g->nz);
  PetscCall(reserve(f, coordinates));
  f->used = f->reserved = 0; /* H5Fcreate() truncates */
  const hid_t access = HgWriterAccess(), creation = HgWriterCreation();
  H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
  H5Pset_all_coll_metadata_ops(access, true);
  H5Pset_coll_metadata_write(access, true);
  f->file = H5Fcreate(f->temporary, H5F_ACC_TRUNC, creation, access);
  H5Pclose(creation);
  H5Pclose(access);
  PetscCall(agree(f, f->file >= 0, "create", f->temporary));
  PetscCall(reserve(f, coordinates));
  PetscCall(agree(f, HgWriterGlobal(f->file, title), "describe", title));
  const HgPatch *p = HgMeshGetPatch(f->mesh);
  const bool sphere = g->radius > 0;
  PetscCall(write_axis(f, "x", sphere ? "longitude" : "projection_x_coordinate",
                       sphere ? "degrees_east" : "m", g->nx, g->x0, g->dx, p->i_global,
                       p->iy == 0 ? p->nx : 0, &f->x));
  PetscCall(write_axis(f, "y", sphere ? "latitude" : "projection_y_coordinate",
                       sphere ? "degrees_north" : "m", g->ny, g->y0, g->dy, p->j_global,
                       p->ix == 0 ? p->ny : 0, &f->y));
  if (!g->nz) return 0;
  PetscCall(write_axis(f, "z", "height", "m", g->nz, g->z0, g->dz, 0,
                       p->ix == 0 && p->iy == 0 ? g->nz : 0, &f->z));
  return agree(f, HgWriterText(f->z, "positive", "up"), "describe", "z");
}

PetscErrorCode HgResultsFileCreate(HgMesh mesh, const char path[], const char title[],
                                   HgResultsFile *file) {
  MPI_Comm comm = HgMeshComm(mesh);
  *file = NULL;
  HgResultsFile f = HgAllocate(1, sizeof *f);
  PetscCall(HgAgree(comm, !f, HG_ERR_MEMORY, "no memory for results"));
  PetscCallMPI(MPI_Comm_rank(comm, &f->rank));
  PetscCall(HgMeshReference(mesh));
  f->mesh = mesh;
  f->quiet = HgQuietBegin();
  f->file = f->x = f->y = f->z = f->time = -1;
  f->descriptor = -1;
  f->counter = "time";
  f->flushed = -1;
  f->transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(f->transfer, H5FD_MPIO_COLLECTIVE);
  snprintf(f->path, sizeof f->path, "%s", path);
  snprintf(f->temporary, sizeof f->temporary, "%s.part", path);
  const PetscErrorCode ierr = open_temporary(f, title);
  if (ierr) PetscCall(HgResultsFileAbandon(&f));
  *file = f;
  return ierr;
}

static PetscErrorCode create_time(HgResultsFile f) {
  const hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = 512;
  f->time = create(f, f->counter, H5T_IEEE_F64LE, 1, &none, &unlimited, &chunk);
  const bool time = !strcmp(f->counter, "time");
  const bool right = f->time >= 0 && HgWriterScale(f->time, f->counter) &&
                     (time ? HgWriterDescribe(f->time, "s", "time since the start", "time") &&
                                 HgWriterText(f->time, "axis", "T")
                           : HgWriterDescribe(f->time, "1", "number, from 1", NULL));
  return agree(f, right, "create coordinate", f->counter);
}

/* The first variable over time that was not written at each time; NULL: none. */
static const Entry *incomplete(HgResultsFile f) {
  for (int k = 0; k < f->count; k++)
    if (!f->entries[k].constant && f->entries[k].times != f->times) return &f->entries[k];
  return NULL;
}

void HgResultsFileCount(HgResultsFile f, const char counter[]) { f->counter = counter; }

bool HgResultsFileWhole(HgResultsFile f) { return f->times > 0 && !incomplete(f); }

static PetscErrorCode require_complete(HgResultsFile f) {
  const Entry *const e = incomplete(f);
  HgRequire(HgMeshComm(f->mesh), !e, HG_ERR_FILE_FORMAT,
            "results file '%s': '%s' was written at %d of %d times, expected at each", f->path,
            e->name, e->times, f->times);
  return 0;
}

PetscErrorCode HgResultsFileAddTime(HgResultsFile f, double time) {
  f->flushed = -1;
  if (f->time < 0) PetscCall(create_time(f));
  const hsize_t start = (hsize_t)f->times++, size = start + 1, count = f->rank == 0;
  bool right = H5Dset_extent(f->time, &size) >= 0;
  right = right && write_block(f, f->time, 1, &start, &count, 1, H5T_NATIVE_DOUBLE, &time);
  return agree(f, right, "append to coordinate", f->counter);
}

PetscErrorCode HgResultsFileStep(HgResultsFile f, double dt) {
  char text[32];
  bool right = true;
  if (dt == f->dt || f->dt < 0) return 0;
  snprintf(text, sizeof text, "%.17g", dt);
  if (f->dt > 0) right = H5Adelete(f->time, "time_step") >= 0;
  else if (dt > 0) right = HgWriterText(f->time, "time_step", text);
  f->dt = f->dt > 0 || dt <= 0 ? -1 : dt;
  return agree(f, right, "describe coordinate", "time");
}

/* `index`: the index of an array's entries. */
static bool create_dataset(HgResultsFile f, Entry *e, const char unit[], const char long_name[],
                           hid_t index) {
  const HgMeshSpec *g = HgMeshGetSpec(f->mesh);
  const bool field = e->size < 0;
  const int lead = !e->constant, rank = lead + (field ? 2 + e->levels : 1), row = rank - 2;
  hsize_t size[4] = {0}, most[4] = {H5S_UNLIMITED}, chunk[4] = {1, 1, 1, 1};
  hid_t scales[4] = {f->time, e->levels ? f->z : f->y, e->levels ? f->y : f->x, f->x};
  if (e->levels) size[lead] = most[lead] = (hsize_t)g->nz;
  if (field) {
    size[row] = most[row] = (hsize_t)g->ny;
    size[row + 1] = most[row + 1] = (hsize_t)g->nx;
    chunk[row] = rows_per_chunk(g);
    chunk[row + 1] = (hsize_t)g->nx;
  } else {
    size[lead] = most[lead] = chunk[lead] = (hsize_t)e->size;
    scales[1] = index; /* netCDF wants a scale for every dimension */
  }
  e->dataset = create(f, e->name, field ? HG_H5_REAL_FILE : H5T_IEEE_F64LE, rank, size, most,
                      e->constant ? NULL : chunk);
  bool right = e->dataset >= 0 && HgWriterDescribe(e->dataset, unit, long_name, NULL);
  for (int k = 0; right && k < rank; k++)
    right = HgWriterAttach(e->dataset, (unsigned)k, scales[k + 1 - lead]);
  return right;
}

static PetscErrorCode create_entry(HgResultsFile f, Entry *e, const char unit[],
                                   const char long_name[]) {
  char numbering[64];
  hid_t index = -1;
  PetscErrorCode ierr = 0;
  snprintf(numbering, sizeof numbering, "%s_index", e->name);
  if (e->size >= 0)
    ierr = write_axis(f, numbering, NULL, "1", e->size, 0, 1, 0, f->rank ? 0 : e->size, &index);
  if (!ierr)
    ierr = agree(f, create_dataset(f, e, unit, long_name, index), "create dataset", e->name);
  if (index >= 0) H5Dclose(index);
  return ierr;
}

static bool write_variable(HgResultsFile f, const Entry *e, HgState state, int index) {
  const HgMeshSpec *g = HgMeshGetSpec(f->mesh);
  const HgPatch *p = HgMeshGetPatch(f->mesh);
  const int lead = !e->constant, row = lead + e->levels;
  hsize_t start[4] = {0}, count[4] = {1, 1}, size[4] = {(hsize_t)e->times + 1};
  if (lead) start[0] = (hsize_t)e->times;
  if (e->size >= 0) {
    size[lead] = (hsize_t)e->size;
    start[lead] = 0;
    count[lead] = f->rank == 0 ? size[lead] : 0;
    return (e->constant || H5Dset_extent(e->dataset, size) >= 0) &&
           write_block(f, e->dataset, lead + 1, start, count, size[lead], H5T_NATIVE_DOUBLE,
                       HgStateArray(state, index));
  }
  HgReal *const *u = HgStateRows(state, index);
  if (e->levels) size[lead] = (hsize_t)g->nz;
  size[row] = (hsize_t)g->ny;
  size[row + 1] = (hsize_t)g->nx;
  start[row] = (hsize_t)p->j_global, start[row + 1] = (hsize_t)p->i_global;
  count[row] = (hsize_t)p->ny, count[row + 1] = (hsize_t)p->nx;
  const hsize_t pitch = p->ny > 1 ? (hsize_t)(u[1] - u[0]) : count[row + 1];
  bool right = e->constant || H5Dset_extent(e->dataset, size) >= 0;
  for (int k = 0; k < HgStateLevels(state, index);
       k++) { /* all ranks alike, also after a failure */
    if (e->levels) start[lead] = (hsize_t)k;
    right = write_block(f, e->dataset, row + 2, start, count, pitch, HG_H5_REAL,
                        HgStateLevel(state, index, k)[0]) &&
            right;
  }
  return right;
}

static Entry *find_entry(HgResultsFile f, const char name[]) {
  for (int k = 0; k < f->count; k++)
    if (strcmp(f->entries[k].name, name) == 0) return &f->entries[k];
  return NULL;
}

/* Numbers of an array; -1: a field. */
static int size_of(const HgVariable *v) { return v->kind == HG_REPLICATED ? v->size : -1; }

static bool taken(HgResultsFile f, const char name[]) {
  return !strcmp(name, f->counter) || H5Lexists(f->file, name, H5P_DEFAULT) != 0;
}

/* Checks that the file has no such name yet; an array's entries are numbered under another name. */
static PetscErrorCode accept_name(HgResultsFile f, const char name[], bool array) {
  char numbering[64];
  snprintf(numbering, sizeof numbering, "%s_index", name);
  const char *const bad = taken(f, name) ? name : array && taken(f, numbering) ? numbering : NULL;
  HgRequire(HgMeshComm(f->mesh), !bad, HG_ERR_FILE_FORMAT,
            "results file '%s': the name '%s' is taken", f->path, bad);
  return 0;
}

PetscErrorCode HgResultsFileAccept(HgResultsFile f, HgState state, int count, const int indices[],
                                   const char *const as[], bool constant, bool adds) {
  MPI_Comm comm = HgMeshComm(f->mesh);
  const int before = adds ? f->times - 1 : f->times;
  int fresh = 0;
  if (!constant && !adds) PetscCall(require_complete(f));
  for (int k = 0; k < count; k++) {
    const int size = size_of(HgStateVariable(state, indices[k]));
    const Entry *e = find_entry(f, as[k]);
    bool twice = false;
    for (int other = 0; other < k; other++) twice = twice || !strcmp(as[other], as[k]);
    HgRequire(comm,
              !twice &&
                  (!e || (!constant && !e->constant && e->size == size && e->times == before)),
              HG_ERR_FILE_FORMAT,
              "results file '%s': '%s' was already written, or with another shape", f->path, as[k]);
    if (e) continue;
    HgRequire(comm, constant || before == 0, HG_ERR_FILE_FORMAT,
              "results file '%s': '%s' was not written at the first time", f->path, as[k]);
    PetscCall(accept_name(f, as[k], size >= 0));
    fresh++;
  }
  HgRequire(comm, f->count + fresh <= VARIABLES, HG_ERR_FILE_FORMAT,
            "results file '%s': more than %d variables", f->path, VARIABLES);
  return 0;
}

PetscErrorCode HgResultsFilePut(HgResultsFile f, HgState state, int index, const char as[],
                                const char long_name[], bool constant) {
  const HgVariable *v = HgStateVariable(state, index);
  Entry *e = find_entry(f, as);
  f->flushed = -1;
  if (!e) {
    e = &f->entries[f->count++];
    *e = (Entry){.dataset = -1, .constant = constant, .size = size_of(v)};
    e->levels = HgIsField(v) && HgMeshGetSpec(f->mesh)->nz && !v->surface;
    snprintf(e->name, sizeof e->name, "%s", as);
    PetscCall(create_entry(f, e, v->unit, long_name));
    const HgLocation location = HgStateLocation(state, index);
    PetscCall(agree(
        f, location == HG_CENTRE || HgWriterText(e->dataset, "location", HgLocationName(location)),
        "describe dataset", as));
  }
  PetscCall(agree(f, write_variable(f, e, state, index), "write dataset", as));
  e->times++;
  return 0;
}

PetscErrorCode HgResultsFileFlush(HgResultsFile f) {
  const bool right = H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0 && !HgFault(HG_FAULT_WRITE);
  PetscCall(agree(f, right, "flush", f->path));
  struct stat status; /* flushing cut off what was reserved beyond its end */
  if (f->rank == 0 && !fstat(f->descriptor, &status) && (double)status.st_size < f->reserved)
    f->reserved = (double)status.st_size;
  f->flushed = f->reserved;
  return 0;
}

static bool close_hdf5(HgResultsFile f) {
  const hid_t scales[] = {f->time, f->z, f->y, f->x};
  bool right = true;
  for (int k = 0; k < f->count; k++)
    if (f->entries[k].dataset >= 0) right = H5Dclose(f->entries[k].dataset) >= 0 && right;
  for (int k = 0; k < 4; k++)
    if (scales[k] >= 0) right = H5Dclose(scales[k]) >= 0 && right;
  if (f->file >= 0) right = H5Fclose(f->file) >= 0 && right;
  f->count = 0;
  f->file = f->x = f->y = f->z = f->time = -1;
  return right;
}

PetscErrorCode HgResultsFileAbandon(HgResultsFile *file) {
  HgResultsFile f = *file;
  *file = NULL;
  if (!f) return 0;
  close_hdf5(f);
  H5Pclose(f->transfer);
  HgQuietEnd(f->quiet);
  if (f->descriptor >= 0) {
    HgFileUnlink(f->temporary);
    close(f->descriptor);
  }
  HgMesh mesh = f->mesh;
  free(f);
  return HgMeshDestroy(&mesh);
}

PetscErrorCode HgResultsFileClose(HgResultsFile *file) {
  HgResultsFile f = *file;
  PetscErrorCode ierr = require_complete(f);
  if (!ierr) ierr = agree(f, close_hdf5(f), "complete", f->path);
  if (!ierr) {
    int code = 0; /* HDF5 leaves what was reserved for a time that did not come */
    if (f->rank == 0 &&
        ((f->flushed >= 0 &&
          (HgFault(HG_FAULT_WRITE) || ftruncate(f->descriptor, (off_t)f->flushed))) ||
         HgFault(HG_FAULT_FSYNC) || fsync(f->descriptor) || HgFileRename(f->temporary, f->path)))
      code = errno;
    ierr = HgAgree(HgMeshComm(f->mesh), code != 0, HG_ERR_FILE_WRITE, "results file '%s': %s",
                   f->path, HgFileReason(code));
  }
  PetscCall(HgResultsFileAbandon(file)); /* the temporary name is gone if all went well */
  return ierr;
}

void HgReportVersionHDF5(char version[], size_t size) {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  snprintf(version, size, "%u.%u.%u", major, minor, release);
}
