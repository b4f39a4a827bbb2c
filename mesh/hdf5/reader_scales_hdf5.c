/* SPDX-License-Identifier: BSD-2-Clause */
/* What netCDF-4 adds to plain datasets: names to choose from, attributes of one number, dimension
   scales. The reader's caution applies: no object that is named by the file alone is followed. */
#include <halograd/memory_library.h>
#include <halograd/reader_library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(HgReader *reader, const char what[], const char name[]) {
  return HgReaderProblem(reader, ": '%s' %s", name, what);
}

static bool refuse_damaged(HgReader *reader, const char what[], const char name[]) {
  reader->damaged = true;
  return refuse(reader, what, name);
}

typedef struct {
  HgReader *reader;
  HgEntry *entry;
  int limit, count;
  bool right;
} List;

static bool holds_numbers(hid_t dataset) {
  const hid_t type = H5Dget_type(dataset);
  const H5T_class_t class = H5Tget_class(type);
  H5Tclose(type);
  return class == H5T_INTEGER || class == H5T_FLOAT;
}

static herr_t list_entry(hid_t root, const char name[], const H5L_info_t *link, void *context) {
  List *l = context;
  if (link->type != H5L_TYPE_HARD || strlen(name) >= HG_READER_NAME) return 0;
  const hid_t object = H5Oopen(root, name, H5P_DEFAULT);
  if (object < 0) {
    l->right = refuse_damaged(l->reader, "cannot be opened: the file is damaged", name);
    return 1;
  }
  if (H5Iget_type(object) == H5I_DATASET && holds_numbers(object)) {
    const hid_t space = H5Dget_space(object);
    l->right =
        l->count < l->limit || refuse(l->reader, "is one dataset more than are looked at", name);
    if (l->right) {
      snprintf(l->entry[l->count].name, HG_READER_NAME, "%s", name);
      l->entry[l->count++].rank = H5Sget_simple_extent_ndims(space);
    }
    H5Sclose(space);
  }
  H5Oclose(object);
  return !l->right;
}

bool HgReaderList(HgReader *reader, int limit, HgEntry entry[], int *count) {
  List list = {reader, entry, limit, 0, true};
  *count = 0;
  const hid_t root = H5Gopen2(reader->file, "/", H5P_DEFAULT);
  bool right = root >= 0 || refuse_damaged(reader, "cannot be opened: the file is damaged", "/");
  if (right && H5Literate(root, H5_INDEX_NAME, H5_ITER_INC, NULL, list_entry, &list) < 0)
    right = refuse_damaged(reader, "cannot be listed: the file is damaged", "/");
  if (root >= 0) H5Gclose(root);
  *count = list.count;
  return right && list.right;
}

bool HgReaderHasAttribute(HgReader *reader, const char dataset[], const char attribute[],
                          bool *found) {
  HgShape shape;
  const hid_t id = HgReaderDataset(reader, dataset, &shape);
  if (id < 0) return false;
  *found = H5Aexists(id, attribute) > 0;
  H5Dclose(id);
  return true;
}

/* Opens an attribute, -1 if there is none; false if the dataset is refused. */
static bool open_attribute(HgReader *reader, const char dataset[], const char attribute[],
                           hid_t *id) {
  HgShape shape;
  const hid_t object = HgReaderDataset(reader, dataset, &shape);
  *id = -1;
  if (object < 0) return false;
  const bool there = H5Aexists(object, attribute) > 0;
  if (there) *id = H5Aopen(object, attribute, H5P_DEFAULT);
  H5Dclose(object);
  return !there || *id >= 0 || refuse(reader, "has an attribute that cannot be opened", dataset);
}

bool HgReaderNumber(HgReader *reader, const char dataset[], const char attribute[], bool *found,
                    double *value) {
  hid_t id;
  if (!open_attribute(reader, dataset, attribute, &id)) return false;
  *found = id >= 0;
  if (!*found) return true;
  const hid_t type = H5Aget_type(id), space = H5Aget_space(id);
  const H5T_class_t class = H5Tget_class(type);
  const bool plain = (class == H5T_INTEGER || class == H5T_FLOAT) && H5Tget_size(type) <= 8 &&
                     H5Sget_simple_extent_npoints(space) == 1;
  const bool right = plain && H5Aread(id, H5T_NATIVE_DOUBLE, value) >= 0;
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(id);
  return right || refuse(reader, "has an attribute that is not one number", dataset);
}

/* Of the scale's REFERENCE_LIST, an array of {reference, dimension}. */
typedef struct {
  hobj_ref_t dataset; /* the address of its header */
  int dimension;
} Reference;

static int look_up(const Reference list[], size_t count, haddr_t address) {
  for (size_t k = 0; k < count; k++)
    if (list[k].dataset == address) return list[k].dimension;
  return -1;
}

static bool is_reference_list(hid_t type) {
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return false;
  const hid_t first = H5Tget_member_type(type, 0), second = H5Tget_member_type(type, 1);
  char *names[2] = {H5Tget_member_name(type, 0), H5Tget_member_name(type, 1)};
  const bool right = H5Tequal(first, H5T_STD_REF_OBJ) > 0 && H5Tget_class(second) == H5T_INTEGER &&
                     H5Tget_size(second) <= 8 && !strcmp(names[0], "dataset") &&
                     !strcmp(names[1], "dimension");
  H5free_memory(names[0]);
  H5free_memory(names[1]);
  H5Tclose(first);
  H5Tclose(second);
  return right;
}

bool HgReaderScaled(HgReader *reader, const char scale[], const char dataset[], int *dimension) {
  enum { LARGEST = 4096 };

  HgShape shape;
  H5O_info_t info = {0};
  hid_t id;
  *dimension = -1;
  const hid_t object = HgReaderDataset(reader, dataset, &shape);
  if (object < 0) return false;
  const bool known = H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0;
  H5Dclose(object);
  if (!known) return refuse_damaged(reader, "has no address: the file is damaged", dataset);
  if (!open_attribute(reader, scale, "REFERENCE_LIST", &id)) return false;
  if (id < 0) return true;
  const hid_t type = H5Aget_type(id), space = H5Aget_space(id);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  bool right = is_reference_list(type) && count >= 0 && count <= LARGEST;
  Reference *list = right ? HgAllocate((size_t)count + 1, sizeof *list) : NULL;
  if (right && list) {
    const hid_t memory = H5Tcreate(H5T_COMPOUND, sizeof *list);
    H5Tinsert(memory, "dataset", HOFFSET(Reference, dataset), H5T_STD_REF_OBJ);
    H5Tinsert(memory, "dimension", HOFFSET(Reference, dimension), H5T_NATIVE_INT);
    right = H5Aread(id, memory, list) >= 0;
    if (right) *dimension = look_up(list, (size_t)count, info.addr);
    H5Tclose(memory);
  }
  right = right && list;
  free(list);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(id);
  return right || refuse(reader, "has a REFERENCE_LIST that is none of a dimension scale", scale);
}
