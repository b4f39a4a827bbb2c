/* SPDX-License-Identifier: BSD-2-Clause */
#include "image_hdf5_private.h"
#include <halograd/mesh_library.h>
#include <halograd/real_library.h>
#include <halograd/state_library.h>
#include <halograd/structure_library.h>
#include <string.h>

/* The bytes of an image. */
typedef struct {
  unsigned char *bytes;
  size_t size;
} Bytes;

static bool bytes_of(void *context, uint64_t at, size_t count, unsigned char bytes[]) {
  const Bytes *b = context;
  if (at > b->size || count > b->size - at) return false;
  memcpy(bytes, b->bytes + at, count);
  return true;
}

/* Lets HDF5 read the bytes in place, without a copy. (H5LTopen_file_image() of HDF5 1.10 does this
   too, but leaks its own allocations.) */
static void *lend(size_t size, H5FD_file_image_op_t op, void *data) {
  (void)op;
  Bytes *b = data;
  return size <= b->size ? b->bytes : NULL;
}

static void *lent(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *data) {
  (void)op, (void)data;
  return to == from ? to : memcpy(to, from, size);
}

static void *never(void *block, size_t size, H5FD_file_image_op_t op, void *data) {
  (void)block, (void)size, (void)op, (void)data;
  return NULL;
}

static herr_t give_back(void *block, H5FD_file_image_op_t op, void *data) {
  (void)block, (void)op, (void)data;
  return 0;
}

static void *same(void *data) { return data; }

static herr_t keep(void *data) {
  (void)data;
  return 0;
}

/* Opens an image. Returns a negative number, and why, if it is not valid. *b must outlive the file.
   */
static hid_t open_image(Bytes *b, char why[], size_t size) {
  char reason[256] = "";
  if (HgStructureLook(bytes_of, b, b->size, HG_STRUCTURE_IMAGE, sizeof reason, reason) !=
      HG_STRUCTURE_SOUND) {
    snprintf(why, size, "not an HDF5 file as images are%s%s", reason[0] ? ": " : "", reason);
    return -1;
  }
  H5FD_file_image_callbacks_t callbacks = {lend, lent, never, give_back, same, keep, b};
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 65536, 0);
  H5Pset_sieve_buf_size(access, 0);
  H5Pset_file_image_callbacks(access, &callbacks);
  H5Pset_file_image(access, b->bytes, b->size);
  /* the core driver refuses the image of a file that is there */
  const hid_t file = H5Fopen("/dev/null/image", H5F_ACC_RDONLY, access);
  H5Pclose(access);
  if (file < 0) snprintf(why, size, "not an HDF5 file as images are");
  return file;
}

/* ---- what an image may hold: type, shape and storage are compared before anything is read ---- */

/* An attribute of exactly this type and extent (count 0: a scalar), opened, or a negative number.
   */
static hid_t open_attribute(hid_t object, const char name[], hid_t expected, hsize_t count) {
  if (H5Aexists(object, name) <= 0) return -1;
  const hid_t a = H5Aopen(object, name, H5P_DEFAULT);
  if (a < 0) return a;
  hsize_t found = 0;
  const hid_t space = H5Aget_space(a), type = H5Aget_type(a);
  bool ok = H5Tequal(type, expected) > 0 && H5Sget_simple_extent_ndims(space) == (count > 0) &&
            H5Sget_simple_extent_type(space) == (count ? H5S_SIMPLE : H5S_SCALAR);
  if (ok && count) ok = H5Sget_simple_extent_dims(space, &found, NULL) == 1 && found == count;
  H5Tclose(type);
  H5Sclose(space);
  if (ok) return a;
  H5Aclose(a);
  return -1;
}

static bool has_text(hid_t object, const char name[], const char expected[]) {
  char text[HG_TEXT] = "";
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(expected) + 1);
  const hid_t a = open_attribute(object, name, type, 0);
  const bool ok = a >= 0 && H5Aread(a, type, text) >= 0 && !strcmp(text, expected);
  if (a >= 0) H5Aclose(a);
  H5Tclose(type);
  return ok;
}

static bool read_integers(hid_t object, const char name[], int count, int values[]) {
  const hid_t a = open_attribute(object, name, H5T_STD_I32LE, (hsize_t)count);
  const bool ok = a >= 0 && H5Aread(a, H5T_NATIVE_INT, values) >= 0;
  if (a >= 0) H5Aclose(a);
  return ok;
}

static bool is(hid_t file, const char path[], H5O_type_t type) {
  H5O_info_t object;
  return H5Oget_info_by_name2(file, path, &object, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
         object.type == type;
}

/* Whether every link of a path is a hard one. Others lead elsewhere, or to other files. */
static bool all_hard(hid_t file, const char path[]) {
  char prefix[HG_TEXT + 16];
  for (size_t end = 1; path[end - 1]; end++) {
    H5L_info_t link;
    if (path[end] && path[end] != '/') continue;
    if (end >= sizeof prefix) return false;
    memcpy(prefix, path, end);
    prefix[end] = 0;
    if (H5Lexists(file, prefix, H5P_DEFAULT) <= 0 ||
        H5Lget_info(file, prefix, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
      return false;
    if (!path[end]) break;
    if (!is(file, prefix, H5O_TYPE_GROUP)) return false;
  }
  return true;
}

static bool has_type(hid_t dataset, hid_t expected) {
  const hid_t type = H5Dget_type(dataset);
  const bool same = H5Tequal(type, expected) > 0;
  H5Tclose(type);
  return same;
}

static bool has_shape(hid_t dataset, int rank, const hsize_t dims[]) {
  hsize_t found[3] = {0, 0, 0};
  const hid_t space = H5Dget_space(dataset);
  bool ok = H5Sget_simple_extent_ndims(space) == rank;
  if (ok) H5Sget_simple_extent_dims(space, found, NULL);
  for (int k = 0; k < rank; k++) ok = ok && found[k] == dims[k];
  H5Sclose(space);
  return ok;
}

/* The dataset that hard links lead to, opened, or a negative number. HgStructureLook() has seen
   that its numbers are contiguous and unfiltered. */
static hid_t open_dataset(hid_t file, const char path[]) {
  if (!all_hard(file, path) || !is(file, path, H5O_TYPE_DATASET)) return -1;
  return H5Dopen2(file, path, H5P_DEFAULT);
}

static bool read_array(hid_t file, const HgVariable *v, double values[], char why[], size_t size) {
  char path[HG_TEXT + 16];
  snprintf(path, sizeof path, "/variables/%s", v->name);
  const hid_t d = open_dataset(file, path);
  bool ok = d >= 0 && has_type(d, H5T_IEEE_F64LE) &&
            has_shape(d, 1, (const hsize_t[1]){(hsize_t)v->size}) && has_text(d, "unit", v->unit) &&
            has_text(d, "kind", HgImageKind(v));
  ok =
      ok && (!v->size || H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  if (d >= 0) H5Dclose(d);
  if (!ok) snprintf(why, size, "'%s' is not %d numbers in %s", v->name, v->size, v->unit);
  return ok;
}

static bool read_step(hid_t file, long expected, char why[], size_t size) {
  int64_t step = -1;
  const hid_t d = open_dataset(file, "/step");
  const bool ok = d >= 0 && has_type(d, H5T_STD_I64LE) && has_shape(d, 1, (const hsize_t[1]){1}) &&
                  H5Dread(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &step) >= 0;
  if (d >= 0) H5Dclose(d);
  if (ok && step == expected) return true;
  snprintf(why, size, "step is %ld, expected %ld", (long)step, expected);
  return false;
}

/* If both window and image touch a wall, adds the ghosts outside it that both have. */
static void grow_at_walls(HgState q, const int range[4], int window[4]) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(q));
  const int ghost = HgStateGhosts(q);
  if (p->wall_west && window[0] == 0) window[0] = PetscMax(range[0], -ghost);
  if (p->wall_east && window[1] == m->nx) window[1] = PetscMin(range[1], m->nx + ghost);
  if (p->wall_south && window[2] == 0) window[2] = PetscMax(range[2], -ghost);
  if (p->wall_north && window[3] == m->ny) window[3] = PetscMin(range[3], m->ny + ghost);
}

/* The stored and the wanted part of a field: cells and levels (one level if it has none). */
typedef struct {
  bool levels;
  int range[4], window[4], stored[2], wanted[2];
} Block;

/* false: the image has not got it. */
static bool find_block(hid_t d, HgState q, int k, const int inner[4], Block *b) {
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(q));
  *b = (Block){.stored = {0, 1}, .wanted = {0, 1}};
  memcpy(b->window, inner, sizeof b->window);
  b->levels = m->nz && !HgStateVariable(q, k)->surface;
  bool ok = read_integers(d, "range", 4, b->range) && b->range[0] <= inner[0] &&
            b->range[1] >= inner[1] && b->range[2] <= inner[2] && b->range[3] >= inner[3];
  if (ok && b->levels) {
    const int beyond = HgStateGhostLevels(q);
    ok = read_integers(d, "levels", 2, b->stored) && b->stored[0] <= 0 && b->stored[1] >= m->nz;
    b->wanted[0] = PetscMax(b->stored[0], -beyond);
    b->wanted[1] = PetscMin(b->stored[1], m->nz + beyond);
  }
  if (ok) grow_at_walls(q, b->range, b->window);
  return ok;
}

static hsize_t extent(int first, int end) { return (hsize_t)((int64_t)end - first); }

/* Reads a block, which the image has, into rows u. */
static bool read_block(hid_t d, HgMesh mesh, const Block *b, HgReal *const *u) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int *const w = b->window, *const l = b->wanted;
  const hsize_t pitch = (hsize_t)(b->levels ? HgMeshGetPatch(mesh)->pitch : u[1] - u[0]);
  const hsize_t count[3] = {extent(w[2], w[3]), extent(l[0], l[1]), extent(w[0], w[1])};
  const hsize_t from[3] = {extent(b->range[2], w[2]), extent(b->stored[0], l[0]),
                           extent(b->range[0], w[0])};
  const hsize_t room[3] = {count[0], (hsize_t)(u[1] - u[0]) / pitch, pitch}, zero[3] = {0, 0, 0};
  const hsize_t flat_count[2] = {count[0], count[2]}, flat_from[2] = {from[0], from[2]};
  const hid_t there = H5Dget_space(d), here = H5Screate_simple(3, room, NULL);
  H5Sselect_hyperslab(there, H5S_SELECT_SET, b->levels ? from : flat_from, NULL,
                      b->levels ? count : flat_count, NULL);
  H5Sselect_hyperslab(here, H5S_SELECT_SET, zero, NULL, count, NULL);
  HgReal *const to = u[w[2] - p->j_global] + l[0] * (ptrdiff_t)pitch + w[0] - p->i_global;
  const bool ok = H5Dread(d, HG_H5_REAL, here, there, H5P_DEFAULT, to) >= 0;
  H5Sclose(there);
  H5Sclose(here);
  return ok;
}

static bool block_has_shape(hid_t dataset, const Block *b) {
  const hsize_t slabs[3] = {extent(b->range[2], b->range[3]), extent(b->stored[0], b->stored[1]),
                            extent(b->range[0], b->range[1])},
                flat[2] = {slabs[0], slabs[2]};
  return has_shape(dataset, b->levels ? 3 : 2, b->levels ? slabs : flat);
}

/* Reads the cells of `inner` from a field of some patch. */
static bool read_window(hid_t file, HgState q, int k, const int inner[4], char why[], size_t size) {
  const HgVariable *v = HgStateVariable(q, k);
  char path[HG_TEXT + 16];
  Block b;
  snprintf(path, sizeof path, "/variables/%s", v->name);
  const bool single = sizeof(HgReal) < sizeof(double);
  const hid_t d = open_dataset(file, path);
  const bool other = d >= 0 && has_type(d, single ? H5T_IEEE_F64LE : H5T_IEEE_F32LE),
             ok = d >= 0 && has_type(d, HG_H5_REAL_FILE) && find_block(d, q, k, inner, &b) &&
                  block_has_shape(d, &b) && has_text(d, "unit", v->unit) &&
                  has_text(d, "kind", HgImageKind(v)) &&
                  read_block(d, HgStateMesh(q), &b, HgStateRows(q, k));
  if (d >= 0) H5Dclose(d);
  if (other)
    snprintf(why, size, "'%s' was written in %s precision, expected the program of that precision",
             v->name, single ? "double" : "single");
  else if (!ok)
    snprintf(why, size, "'%s' has not the cells [%d, %d) x [%d, %d) in %s", v->name, inner[0],
             inner[1], inner[2], inner[3], v->unit);
  return ok;
}

bool HgImageRead(unsigned char bytes[], size_t length, long step, const int window[4], HgState q,
                 char why[], size_t size) {
  const HgQuiet before = HgQuietBegin();
  Bytes b = {bytes, length};
  const hid_t file = open_image(&b, why, size);
  bool ok = file >= 0 && read_step(file, step, why, size);
  for (int k = 0; ok && k < HgStateCount(q); k++)
    ok = HgIsField(HgStateVariable(q, k))
             ? read_window(file, q, k, window, why, size)
             : read_array(file, HgStateVariable(q, k), HgStateArray(q, k), why, size);
  if (file >= 0) H5Fclose(file);
  HgQuietEnd(before);
  return ok;
}
