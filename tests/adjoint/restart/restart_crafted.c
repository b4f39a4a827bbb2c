/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an image whose digest is right, but which holds other things than a run writes -
   attributes of other types and sizes, links, filtered, external, virtual and compact storage,
   other shapes - ends the run with one sentence that names it. */
#include "stopped_gradient.h"
#include <halograd/structure_library.h>
#include <hdf5.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char u[] = "/variables/u", copy[] = "crafted.h5", other[] = "crafted_other.h5";

/* ---- what is changed in an image ---- */
static void attribute(hid_t f, const char name[], hid_t type, int rank, const hsize_t dims[]) {
  static const char zeros[4096];
  const hid_t d = H5Dopen2(f, u, H5P_DEFAULT), space = H5Screate_simple(rank, dims, NULL);
  H5Adelete(d, name);
  const hid_t a = H5Acreate2(d, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (H5Awrite(a, type, zeros) < 0) abort();
  H5Aclose(a);
  H5Sclose(space);
  H5Dclose(d);
}

static void range_of_bytes(hid_t f) {
  attribute(f, "range", H5T_STD_I8LE, 1, (const hsize_t[]){16});
}

static void range_of_floats(hid_t f) {
  attribute(f, "range", H5T_IEEE_F32LE, 1, (const hsize_t[]){4});
}

static void range_of_two_axes(hid_t f) {
  attribute(f, "range", H5T_STD_I32LE, 2, (const hsize_t[]){2, 2});
}

static void range_of_many(hid_t f) {
  attribute(f, "range", H5T_STD_I32LE, 1, (const hsize_t[]){1000});
}

static void range_missing(hid_t f) { H5Adelete_by_name(f, u, "range", H5P_DEFAULT); }

static void unit_of_characters(hid_t f) {
  attribute(f, "unit", H5T_STD_I8LE, 1, (const hsize_t[]){2});
}

static void unit_of_any_length(hid_t f) {
  const char *text = "1";
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  const hid_t d = H5Dopen2(f, u, H5P_DEFAULT);
  H5Tset_size(type, H5T_VARIABLE);
  H5Adelete(d, "unit");
  const hid_t a = H5Acreate2(d, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (H5Awrite(a, type, &text) < 0) abort();
  H5Aclose(a);
  H5Dclose(d);
  H5Sclose(space);
  H5Tclose(type);
}

/* A dataset like u, with its attributes and numbers, of another type or storage. */
static void replace(hid_t f, hid_t type, hid_t plan, hid_t shape) {
  const hid_t old = H5Dopen2(f, u, H5P_DEFAULT), space = shape < 0 ? H5Dget_space(old) : shape;
  const hid_t new = H5Dcreate2(f, "/new", type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  static const char *const names[] = {"unit", "kind", "range"};
  for (int k = 0; k < 3; k++) {
    char bytes[256];
    const hid_t a = H5Aopen(old, names[k], H5P_DEFAULT), of = H5Aget_type(a);
    const hid_t extent = H5Aget_space(a);
    const hid_t b = H5Acreate2(new, names[k], of, extent, H5P_DEFAULT, H5P_DEFAULT);
    if (H5Aread(a, of, bytes) < 0 || H5Awrite(b, of, bytes) < 0) abort();
    H5Aclose(a), H5Aclose(b), H5Tclose(of), H5Sclose(extent);
  }
  H5Dclose(old), H5Dclose(new), H5Sclose(space), H5Pclose(plan);
  H5Ldelete(f, u, H5P_DEFAULT);
  if (H5Lmove(f, "/new", f, u, H5P_DEFAULT, H5P_DEFAULT) < 0) abort();
}

static hid_t plan_of(H5D_layout_t layout) {
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_layout(plan, layout);
  H5Pset_fill_time(plan, H5D_FILL_TIME_NEVER);
  return plan;
}

static void filtered(hid_t f) {
  const hid_t plan = plan_of(H5D_CHUNKED);
  H5Pset_chunk(plan, 2, (const hsize_t[]){1, 1});
  H5Pset_deflate(plan, 9);
  replace(f, H5T_IEEE_F64LE, plan, -1);
}

static void compact(hid_t f) { replace(f, H5T_IEEE_F64LE, plan_of(H5D_COMPACT), -1); }

static void external(hid_t f) {
  const hid_t plan = plan_of(H5D_CONTIGUOUS);
  H5Pset_external(plan, "/etc/passwd", 0, H5F_UNLIMITED);
  replace(f, H5T_IEEE_F64LE, plan, -1);
}

/* Its shape is that of whatever the other file holds. */
static void virtual(hid_t f) {
  const hsize_t one[] = {1, 1}, most[] = {H5S_UNLIMITED, H5S_UNLIMITED}, zero[] = {0, 0};
  const hid_t space = H5Screate_simple(2, one, most), plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, one, (const hsize_t[]){H5S_UNLIMITED, 1}, one);
  if (H5Pset_virtual(plan, space, "/dev/null", "/u", space) < 0) abort();
  replace(f, H5T_IEEE_F64LE, plan, H5Scopy(space));
  H5Sclose(space);
}

static void single_precision(hid_t f) { replace(f, H5T_IEEE_F32LE, plan_of(H5D_CONTIGUOUS), -1); }

static void pairs(hid_t f) {
  const hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
  H5Tinsert(pair, "low", 0, H5T_STD_I32LE);
  H5Tinsert(pair, "high", 4, H5T_STD_I32LE);
  replace(f, pair, plan_of(H5D_CONTIGUOUS), -1);
  H5Tclose(pair);
}

static void three_axes(hid_t f) {
  replace(f, H5T_IEEE_F64LE, plan_of(H5D_CONTIGUOUS),
          H5Screate_simple(3, (const hsize_t[]){3, 3, 1000}, NULL));
}

static void no_cells(hid_t f) {
  replace(f, H5T_IEEE_F64LE, plan_of(H5D_CONTIGUOUS), H5Screate(H5S_NULL));
}

static void soft_link(hid_t f) {
  H5Lmove(f, u, f, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  if (H5Lcreate_soft("/elsewhere", f, u, H5P_DEFAULT, H5P_DEFAULT) < 0) abort();
}

static void link_to_file(hid_t f) {
  H5Ldelete(f, u, H5P_DEFAULT);
  if (H5Lcreate_external(other, u, f, u, H5P_DEFAULT, H5P_DEFAULT) < 0) abort();
}

static void group_in_file(hid_t f) {
  H5Ldelete(f, "/variables", H5P_DEFAULT);
  if (H5Lcreate_external(other, "/variables", f, "/variables", H5P_DEFAULT, H5P_DEFAULT) < 0)
    abort();
}

/* The group again, its links in a heap, as HDF5 has many of them. */
static void links_in_heap(hid_t f) {
  const hid_t how = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_link_phase_change(how, 0, 0);
  H5Gclose(H5Gcreate2(f, "/new", H5P_DEFAULT, how, H5P_DEFAULT));
  H5Pclose(how);
  H5Lmove(f, u, f, "/new/u", H5P_DEFAULT, H5P_DEFAULT);
  H5Ldelete(f, "/variables", H5P_DEFAULT);
  if (H5Lmove(f, "/new", f, "/variables", H5P_DEFAULT, H5P_DEFAULT) < 0) abort();
}

static void group(hid_t f) {
  H5Ldelete(f, u, H5P_DEFAULT);
  H5Gclose(H5Gcreate2(f, u, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void type_alone(hid_t f) {
  const hid_t type = H5Tcopy(H5T_IEEE_F64LE);
  H5Ldelete(f, u, H5P_DEFAULT);
  if (H5Tcommit2(f, u, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) < 0) abort();
  H5Tclose(type);
}

static void step_of_bytes(hid_t f) {
  const hid_t space = H5Screate_simple(1, (const hsize_t[]){4096}, NULL);
  H5Ldelete(f, "/step", H5P_DEFAULT);
  H5Dclose(H5Dcreate2(f, "/step", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
}

static void nothing(hid_t f) { (void)f; }

/* ---- what is changed in its bytes ---- */
/* HDF5's first superblock, and behind it a block of a driver that claims 1.5 GiB of a small file.
   */
static void old_superblock(unsigned char bytes[], size_t size) {
  (void)size;

  enum {
    SIZES = 13,
    LEAF = 16,
    INNER = 18,
    FREE = 32,
    END = 40,
    DRIVER = 48,
    BLOCK = 96,
    CLAIM = 100
  };

  memset(bytes + 8, 0, BLOCK + 16 - 8);
  bytes[SIZES] = bytes[SIZES + 1] = 8, bytes[LEAF] = 4, bytes[INNER] = 16;
  memset(bytes + FREE, 0xff, 8);
  bytes[END + 2] = 1, bytes[DRIVER] = BLOCK, bytes[CLAIM + 3] = 0x60;
}

/* A header of the superblock's extension, which images have not. */
static void extension(unsigned char bytes[], size_t size) {
  (void)size;
  memset(bytes + 20, 0, 8);
}

/* Where a header ends, before its checksum; 0: none begins there. */
static size_t header_end(const unsigned char bytes[], size_t at, size_t size) {
  enum { FLAGS = 5, PREFIX = 6, MOST = 34 };

  if (at + MOST > size || memcmp(bytes + at, "OHDR\2", 5)) return 0;
  const int flags = bytes[at + FLAGS], width = 1 << (flags & 3);
  const size_t begin = at + PREFIX + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
  size_t length = 0;
  for (int k = width; k-- > 0;) length = length << 8 | bytes[begin + (size_t)k];
  return begin + (size_t)width + length + 4 <= size ? begin + (size_t)width + length : 0;
}

/* Where links (first) or attributes (last header) are, if not in the header: nearly nowhere, in a
   header whose checksum is right. */
static void nearly_nowhere(unsigned char bytes[], size_t size, bool first) {
  static const unsigned char nowhere[18] = {0,    0,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  size_t header = 0, found = 0;
  for (size_t at = 0; at < size && !(first && found); at++)
    for (size_t k = at; k + sizeof nowhere <= header_end(bytes, at, size); k++)
      if (!memcmp(bytes + k, nowhere, sizeof nowhere)) header = at, found = k;
  if (!found) abort();
  const size_t end = header_end(bytes, header, size);
  bytes[found + 2] = 0xfe;
  const uint32_t sum = HgLookup3(bytes + header, end - header);
  for (int n = 0; n < 4; n++) bytes[end + (size_t)n] = (unsigned char)(sum >> 8 * n);
}

static void links_nowhere(unsigned char bytes[], size_t size) { nearly_nowhere(bytes, size, true); }

static void attributes_nowhere(unsigned char bytes[], size_t size) {
  nearly_nowhere(bytes, size, false);
}

typedef struct {
  void (*change)(hid_t file);
  void (*bytes)(unsigned char bytes[], size_t size); /* NULL: nothing */
  const char *says;
} Craft;

static const Craft crafts[] = {
    {nothing, old_superblock, "not an HDF5 file as images are"},
    {nothing, extension, "not an HDF5 file as images are"},
    {nothing, links_nowhere, "not an HDF5 file as images are"},
    {nothing, attributes_nowhere, "not an HDF5 file as images are"},
    {range_of_bytes, NULL, "'u' has not the cells"},
    {range_of_floats, NULL, "'u' has not the cells"},
    {range_of_two_axes, NULL, "'u' has not the cells"},
    {range_of_many, NULL, "'u' has not the cells"},
    {range_missing, NULL, "'u' has not the cells"},
    {unit_of_characters, NULL, "'u' has not the cells"},
    {unit_of_any_length, NULL, "'u' has not the cells"},
    {filtered, NULL, "not an HDF5 file as images are"},
    {compact, NULL, "not an HDF5 file as images are"},
    {external, NULL, "not an HDF5 file as images are"},
    {virtual, NULL, "not an HDF5 file as images are"},
    {single_precision, NULL, "'u' was written in single precision"},
    {pairs, NULL, "'u' has not the cells"},
    {three_axes, NULL, "'u' has not the cells"},
    {no_cells, NULL, "'u' has not the cells"},
    {soft_link, NULL, "'u' has not the cells"},
    {link_to_file, NULL, "'u' has not the cells"},
    {group_in_file, NULL, "'u' has not the cells"},
    {links_in_heap, NULL, "not an HDF5 file as images are"},
    {group, NULL, "'u' has not the cells"},
    {type_alone, NULL, "not an HDF5 file as images are"},
    {step_of_bytes, NULL, "step is"},
};

/* ---- an image that its manifest vouches for ---- */
/* The bytes of a file under another name. */
static void put_as(const File *f, const char path[]) {
  File other_name = *f;
  snprintf(other_name.path, sizeof other_name.path, "%s", path);
  put(&other_name, f->size);
}

/* The manifest with size and digest of one image exchanged, and its own digest. */
static void put_manifest(const File *manifest, const File *old, const File *new) {
  enum { END = 21 };

  char all[2048], text[4096], from[64], to[64];
  snprintf(from, sizeof from, " %zu %016llx ", old->size,
           (unsigned long long)XXH3_64bits(old->bytes, old->size));
  snprintf(to, sizeof to, " %zu %016llx ", new->size,
           (unsigned long long)XXH3_64bits(new->bytes, new->size));
  if (manifest->size >= sizeof all) abort();
  memcpy(all, manifest->bytes, manifest->size);
  all[manifest->size] = 0;
  const char *const at = strstr(all, from);
  if (!at) abort();
  int used =
      snprintf(text, sizeof text, "%.*s%s%.*s", (int)(at - all), all, to,
               (int)(manifest->size - END - (size_t)(at - all) - strlen(from)), at + strlen(from));
  used += snprintf(text + used, sizeof text - (size_t)used, "end %016llx\n",
                   (unsigned long long)XXH3_64bits(text, (size_t)used));
  File written = *manifest;
  written.bytes = (unsigned char *)text;
  put(&written, (size_t)used);
}

static PetscErrorCode craft(int k, const File *image, const File *manifest) {
  Case c;
  double J;
  put_as(image, copy);
  put_as(image, other);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  const hid_t f = H5Fopen(copy, H5F_ACC_RDWR, access);
  crafts[k].change(f);
  if (H5Fclose(f) < 0) abort();
  H5Pclose(access);
  File new;
  snprintf(new.path, sizeof new.path, "%s", copy);
  read_file(&new);
  if (crafts[k].bytes) crafts[k].bytes(new.bytes, new.size);
  memcpy(new.path, image->path, sizeof new.path);
  put(&new, new.size);
  put_manifest(manifest, image, &new);
  looks = false, claim.seed = (uint64_t)k; /* which */
  PetscCall(create(&c));
  REFUSED(HgTrajectoryGradient(c.heat.trajectory, c.heat.x, 1, &J, c.gradient), image->path,
          crafts[k].says);
  PetscCall(destroy(&c));
  free(new.bytes);
  put(image, image->size);
  put(manifest, manifest->size);
  return 0;
}

static PetscErrorCode test(HgMode sweep) {
  Case c;
  const File *manifest = NULL;
  PetscCall(stop_and_take(sweep, &c));
  for (int k = 0; k < files; k++)
    if (number_of(file[k].path) == newest && strstr(file[k].path, ".txt")) manifest = &file[k];
  for (int k = 0; k < files; k++) {
    if (number_of(file[k].path) != newest || &file[k] == manifest) continue;
    const hid_t f = H5Fopen(file[k].path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool has = H5Lexists(f, u, H5P_DEFAULT) > 0;
    H5Fclose(f);
    for (size_t l = 0; has && l < sizeof crafts / sizeof *crafts; l++)
      PetscCall(craft((int)l, &file[k], manifest));
  }
  unlink(copy);
  unlink(other);
  PetscCall(look(&c, STOP, NULL, "as it was left, again"));
  return clear_away(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a crafted image ends the run with one sentence that names it", 0);
  folder = "crafted";
  if (!ierr) ierr = test(HG_COTANGENT);
  if (!ierr) ierr = test(HG_PRIMAL);
  return claim_end(ierr);
}
