/* SPDX-License-Identifier: BSD-2-Clause */
/* HDF5 itself: it survives whatever the look at a file's structure lets through. Every object is
   opened, every attribute of known size and every dataset of plain numbers read, by whichever index
   there is, of files of HDF5's old format, too. */
#include "fuzz.h"
#include <halograd/structure_library.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  fuzz_start("structure.h5");
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return 0;
}

typedef struct {
  const uint8_t *data;
  size_t size;
} Input;

static bool bytes_of(void *context, uint64_t at, size_t count, unsigned char bytes[]) {
  const Input *const in = context;
  if (at > in->size || count > in->size - at) return false;
  memcpy(bytes, in->data + at, count);
  return true;
}

/* Texts of any length, and references, are followed by nobody. */
static bool is_plain(hid_t type) {
  const H5T_class_t class = H5Tget_class(type);
  return class == H5T_INTEGER || class == H5T_FLOAT ||
         (class == H5T_STRING && H5Tis_variable_str(type) == 0);
}

/* Room for the elements, NULL: many or none. */
static void *room(hid_t type, hid_t space) {
  enum { MOST = 1 << 20 };

  const hssize_t count = H5Sget_simple_extent_npoints(space);
  const size_t size = H5Tget_size(type);
  return count > 0 && size > 0 && size <= MOST && count <= (hssize_t)(MOST / size)
             ? malloc((size_t)count * size)
             : NULL;
}

static herr_t attribute(hid_t object, const char name[], const H5A_info_t *info, void *context) {
  (void)info, (void)context;
  const hid_t a = H5Aopen(object, name, H5P_DEFAULT);
  if (a < 0) return 0;
  const hid_t type = H5Aget_type(a), space = H5Aget_space(a);
  void *const values = is_plain(type) ? room(type, space) : NULL;
  if (values) H5Aread(a, type, values);
  free(values);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(a);
  return 0;
}

/* As the readers do: without filters, but for sums, and from bytes to doubles. */
static void numbers(hid_t dataset) {
  const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset),
              plan = H5Dget_create_plist(dataset);
  bool plain = plan >= 0 && is_plain(type) && H5Tget_size(type) <= 8;
  for (int k = 0; plain && k < H5Pget_nfilters(plan); k++) {
    unsigned flags, how;
    size_t none = 0;
    plain = H5Pget_filter2(plan, (unsigned)k, &flags, &none, NULL, 0, NULL, &how) ==
            H5Z_FILTER_FLETCHER32;
  }
  (void)H5Dget_storage_size(dataset);
  void *const values = plain ? room(type, space) : NULL;
  if (values) H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  free(values);
  H5Pclose(plan);
  H5Sclose(space);
  H5Tclose(type);
}

/* Links may lead round and round: four groups deep. */
static herr_t object(hid_t group, const char name[], const H5L_info_t *link, void *context) {
  enum { DEEP = 4 };

  int *const depth = context;
  if (link && link->type != H5L_TYPE_HARD) return 0;
  const hid_t o = H5Oopen(group, name, H5P_DEFAULT);
  if (o < 0) return 0;
  const H5I_type_t type = H5Iget_type(o);
  if (type == H5I_DATASET) numbers(o);
  H5Aexists(o, "units");
  H5Aiterate2(o, H5_INDEX_NAME, H5_ITER_INC, NULL, attribute, NULL);
  H5Aiterate2(o, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, attribute, NULL);
  if (type == H5I_GROUP && ++*depth <= DEEP) {
    H5Lexists(o, "units", H5P_DEFAULT);
    H5Literate(o, H5_INDEX_NAME, H5_ITER_INC, NULL, object, depth);
    if (*depth == 1) H5Literate(o, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, object, depth);
  }
  if (type == H5I_GROUP) --*depth;
  H5Oclose(o);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char why[256];
  Input in = {data, size};
  if (HgStructureLook(bytes_of, &in, size, HG_STRUCTURE_OLD, sizeof why, why) != HG_STRUCTURE_SOUND)
    return 0;
  const hid_t file = H5Fopen(fuzz_file(data, size), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return 0;
  int depth = 0;
  object(file, "/", NULL, &depth);
  H5Fclose(file);
  return 0;
}
