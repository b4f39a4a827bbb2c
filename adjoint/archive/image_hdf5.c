/* SPDX-License-Identifier: BSD-2-Clause */
/* Laying out an image, and writing it. Reading: image_read_hdf5.c. */
#include "image_hdf5_private.h"
#include <errno.h>
#include <halograd/file_library.h>
#include <halograd/memory.h>
#include <halograd/mesh_library.h>
#include <halograd/real_library.h>
#include <halograd/state_library.h>
#include <halograd/writer_library.h>
#include <hdf5_hl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL /* the library's copy is built for SSE2 only, half as fast */
#include <xxhash.h>

enum {
  BLOCK = 1 << 20, /* bytes digested and written while they are in cache: best of 64 K to 2 M */
  PIECES = 1024    /* IOV_MAX of Linux */
};

const char *HgImageKind(const HgVariable *v) {
  switch (v->kind) {
  case HG_FIELD: return "field";
  case HG_GHOSTED: return "field with ghosts";
  case HG_REPLICATED: return "replicated array";
  default: return "array of each rank";
  }
}

/* Global range (i0, i1, j0, j1) of the cells of a part. */
static void global_range(HgImage m, const HgImagePart *part, int range[4]) {
  const HgPatch *p = HgMeshGetPatch(m->mesh);
  range[0] = p->i_global + part->i0, range[1] = p->i_global + part->i1;
  range[2] = p->j_global + part->j0, range[3] = p->j_global + part->j1;
}

static hid_t image_access(void) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_alignment(access, 65536, 4096); /* a field starts on a page */
  H5Pset_fapl_core(access, 1 << 16, 0);
  return access;
}

static bool write_text(hid_t object, const char name[], const char text[]) {
  return H5LTset_attribute_string(object, ".", name, text) >= 0;
}

static bool write_integers(hid_t object, const char name[], hsize_t count, const int values[]) {
  const hid_t space = count > 1 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  const hid_t a = H5Acreate2(object, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool ok = H5Awrite(a, H5T_NATIVE_INT, values) >= 0;
  H5Aclose(a);
  H5Sclose(space);
  return ok;
}

/* Creates a dataset with space in the image reserved before anything is written. */
static hid_t place(hid_t parent, const char name[], hid_t type, int rank, const hsize_t dims[]) {
  const hid_t space = H5Screate_simple(rank, dims, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_layout(how, H5D_CONTIGUOUS);
  H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
  const hid_t dataset = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  H5Pclose(how);
  H5Sclose(space);
  return dataset;
}

/* Whether a field has levels. Its numbers are stored as in memory: row by row, in each row level by
   level. */
static bool has_levels(HgImage m, const HgVariable *v) {
  return HgIsField(v) && !v->surface && HgMeshGetSpec(m->mesh)->nz > 0;
}

static bool lay_out_variable(HgImage m, hid_t group, const HgVariable *v, HgImagePart *part) {
  const hsize_t ny = (hsize_t)(part->j1 - part->j0), nx = (hsize_t)(part->i1 - part->i0),
                nz = (hsize_t)(part->k1 - part->k0);
  const bool levels = has_levels(m, v);
  const hsize_t slabs[3] = {ny, nz, nx}, field[2] = {ny, nx}, array[1] = {(hsize_t)v->size};
  const int rank = levels ? 3 : HgIsField(v) ? 2 : 1;
  const hid_t d = place(group, v->name, HgIsField(v) ? HG_H5_REAL_FILE : H5T_IEEE_F64LE, rank,
                        levels         ? slabs
                        : HgIsField(v) ? field
                                       : array);
  if (d < 0) return false;
  bool ok = write_text(d, "unit", v->unit) && write_text(d, "kind", HgImageKind(v));
  if (HgIsField(v)) {
    int range[4];
    global_range(m, part, range);
    ok = ok && write_integers(d, "range", 4, range);
    if (levels) ok = ok && write_integers(d, "levels", 2, (const int[2]){part->k0, part->k1});
  }
  part->bytes =
      HgIsField(v) ? sizeof(HgReal) * (size_t)(ny * nz * nx) : sizeof(double) * (size_t)array[0];
  const haddr_t at = part->bytes ? H5Dget_offset(d) : 0;
  part->offset = (size_t)at;
  H5Dclose(d);
  return ok && at != HADDR_UNDEF;
}

/* Creates a group that keeps all links in its header: HDF5 1.10 crashes on a damaged heap of links.
   */
static hid_t create_group(hid_t file, const char name[], int links) {
  enum { MOST = 65535 };

  const hid_t how = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_link_phase_change(how, MOST, 0);
  H5Pset_est_link_info(how, (unsigned)PetscMin(links, MOST), HG_TEXT / 4);
  const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, how, H5P_DEFAULT);
  H5Pclose(how);
  return group;
}

static bool lay_out(HgImage m, hid_t file) {
  const HgMeshSpec *s = HgMeshGetSpec(m->mesh);
  int rank, range[4];
  MPI_Comm_rank(HgMeshComm(m->mesh), &rank);
  const HgPatch *p = HgMeshGetPatch(m->mesh);
  global_range(m, &(HgImagePart){.i1 = p->nx, .j1 = p->ny}, range);
  bool ok = write_text(file, "format", "halograd checkpoint 1") &&
            write_integers(file, "grid", 2, (const int[2]){s->nx, s->ny}) &&
            write_integers(file, "patch", 4, range) && write_integers(file, "rank", 1, &rank);
  const hid_t step = place(file, "step", H5T_STD_I64LE, 1, (const hsize_t[1]){1});
  const haddr_t at = H5Dget_offset(step);
  H5Dclose(step);
  m->by_variable[m->variables] =
      (HgImagePart){.variable = HG_STEP, .offset = (size_t)at, .bytes = sizeof m->step};
  ok = ok && at != HADDR_UNDEF;
  const hid_t group = create_group(file, "variables", m->variables);
  for (int k = 0; ok && k < m->variables; k++)
    ok = lay_out_variable(m, group, &m->variable[k], &m->by_variable[k]);
  H5Gclose(group);
  return ok;
}

/* Lays out the file and keeps its image in m->buffer; false: HDF5 failed, or there is no memory. */
static bool build(HgImage m) {
  const HgQuiet before = HgQuietBegin();
  void *image;
  const hid_t access = image_access();
  const bool taken = HgWriterInMemory(access, &image);
  const hid_t file = H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const bool ok = taken && lay_out(m, file) && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
  const ssize_t size = ok ? H5Fget_file_image(file, NULL, 0) : -1;
  const bool closed = H5Fclose(file) >= 0;
  H5Pclose(access);
  HgQuietEnd(before);
  m->buffer = image;
  m->size = size > 0 ? (size_t)size : 0;
  return size > 0 && closed && m->buffer;
}

static int by_offset(const void *a, const void *b) {
  const size_t x = ((const HgImagePart *)a)->offset, y = ((const HgImagePart *)b)->offset;
  return (x > y) - (x < y);
}

static size_t rows_of(HgImage m, const HgImagePart *p) {
  const bool field = p->variable != HG_STEP && HgIsField(&m->variable[p->variable]);
  return field ? (size_t)(p->j1 - p->j0) * (size_t)(p->k1 - p->k0) : 1;
}

/* Keeps what HDF5 stores between the parts: it is the same in every image. */
static PetscErrorCode keep_skeleton(HgImage m) {
  for (int k = 0; k <= m->variables; k++)
    if (m->by_variable[k].bytes) m->part[m->parts++] = m->by_variable[k];
  qsort(m->part, (size_t)m->parts, sizeof(HgImagePart), by_offset);
  m->fixed = m->size, m->pieces = 1;
  for (int k = 0; k < m->parts; k++) {
    m->fixed -= m->part[k].bytes;
    m->pieces += rows_of(m, &m->part[k]) + 1;
  }
  PetscCall(PetscMalloc3(m->fixed, &m->skeleton, m->pieces, &m->piece, m->pieces, &m->row));
  size_t at = 0, kept = 0;
  for (int k = 0; k <= m->parts; k++) {
    const size_t end = k < m->parts ? m->part[k].offset : m->size;
    memcpy(m->skeleton + kept, m->buffer + at, end - at);
    kept += end - at;
    if (k < m->parts) at = end + m->part[k].bytes;
  }
  return 0;
}

static PetscErrorCode copy_pattern(HgImage m, HgState pattern) {
  const HgPatch *p = HgMeshGetPatch(m->mesh);
  const int g = m->ghost, high = HgMeshLevels(m->mesh);
  const int beyond = HgMeshGetSpec(m->mesh)->periodic_z ? 0 : m->ghost_levels;
  const bool wall = p->wall_west || p->wall_east || p->wall_south || p->wall_north;
  for (int k = 0; k < m->variables; k++) {
    const HgVariable *v = HgStateVariable(pattern, m->source[k]);
    const int ring = v->kind == HG_GHOSTED || wall ? g : 0;
    HgRequire(HgMeshComm(m->mesh), !strchr(v->name, '/') && strcmp(v->name, "."), HG_ERR_FILE_NAME,
              "store: variable '%s' cannot be kept in an HDF5 file, expected a name without '/'",
              v->name);
    PetscCall(PetscStrncpy(m->text[k][0], v->name, HG_TEXT));
    PetscCall(PetscStrncpy(m->text[k][1], v->unit, HG_TEXT));
    m->variable[k] = (HgVariable){m->text[k][0], m->text[k][1], v->kind, v->size, v->surface};
    m->by_variable[k] = (HgImagePart){k, 0, 0, -ring, p->nx + ring, -ring, p->ny + ring, 0, 1};
    if (has_levels(m, v)) m->by_variable[k].k0 = -beyond, m->by_variable[k].k1 = high + beyond;
  }
  return 0;
}

PetscErrorCode HgImageCreate(HgState pattern, const bool kept[], HgImage *image) {
  HgImage m;
  PetscCall(PetscNew(&m));
  m->mesh = HgStateMesh(pattern), m->ghost = HgStateGhosts(pattern), m->all = HgStateCount(pattern);
  m->ghost_levels = HgStateGhostLevels(pattern), m->pitch = HgMeshGetPatch(m->mesh)->pitch;
  PetscCall(HgMeshReference(m->mesh));
  PetscCall(PetscMalloc1(m->all, &m->source));
  for (int k = 0; k < m->all; k++)
    if (!kept || kept[k]) m->source[m->variables++] = k;
  PetscCall(PetscCalloc2(m->variables, &m->variable, m->variables, &m->text));
  PetscCall(PetscCalloc2(m->variables + 1, &m->by_variable, m->variables + 1, &m->part));
  PetscErrorCode ierr = copy_pattern(m, pattern);
  if (!ierr)
    ierr = HgAgree(HgMeshComm(m->mesh), !build(m), HG_ERR_MEMORY,
                   "store: no memory for an HDF5 image of a state of %zu bytes",
                   HgStateBytes(pattern));
  if (ierr) {
    PetscCall(HgImageDestroy(&m));
    return ierr;
  }
  PetscCall(keep_skeleton(m));
  *image = m;
  return 0;
}

void HgImageDropBuffer(HgImage m) {
  free(m->buffer);
  m->buffer = NULL;
}

PetscErrorCode HgImageDestroy(HgImage *image) {
  HgImage m = *image;
  *image = NULL;
  if (!m) return 0;
  HgImageDropBuffer(m);
  PetscCall(PetscFree3(m->skeleton, m->piece, m->row));
  PetscCall(PetscFree(m->source));
  PetscCall(PetscFree2(m->variable, m->text));
  PetscCall(PetscFree2(m->by_variable, m->part));
  PetscCall(HgMeshDestroy(&m->mesh));
  return PetscFree(m);
}

size_t HgImageSize(HgImage m) { return m->size; }

size_t HgImageMemory(HgImage m) {
  return m->size + m->fixed + m->pieces * (sizeof *m->piece + sizeof *m->row);
}

bool HgImageFits(HgImage m, HgState q) {
  if (HgStateMesh(q) != m->mesh || HgStateCount(q) != m->all || HgStateGhosts(q) < m->ghost ||
      HgStateGhostLevels(q) < m->ghost_levels)
    return false;
  for (int k = 0; k < m->variables; k++) {
    const HgVariable *a = &m->variable[k], *b = HgStateVariable(q, m->source[k]);
    if (strcmp(a->name, b->name) || a->kind != b->kind || a->surface != b->surface ||
        (!HgIsField(a) && a->size != b->size))
      return false;
  }
  return true;
}

static void add_piece(HgImage m, size_t *n, void *base, size_t length, int variable, int j) {
  m->row[*n] = (HgImageRow){variable, j};
  m->piece[(*n)++] = (struct iovec){base, length};
}

/* m->piece: the numbers of q in file order, and the constant bytes between them, from the kept copy
   or the buffer. Returns how many. */
static size_t list_pieces(HgImage m, HgState q, bool in_buffer) {
  size_t at = 0, kept = 0, count = 0;
  for (int k = 0; k <= m->parts; k++) {
    const size_t end = k < m->parts ? m->part[k].offset : m->size;
    unsigned char *const fixed = in_buffer ? m->buffer + at : m->skeleton + kept;
    if (end > at) add_piece(m, &count, fixed, end - at, -1, 0);
    kept += end - at;
    if (k == m->parts) break;
    const HgImagePart *p = &m->part[k];
    const int source = p->variable == HG_STEP ? -1 : m->source[p->variable];
    at = end + p->bytes;
    if (source < 0) {
      add_piece(m, &count, in_buffer ? (void *)(m->buffer + end) : &m->step, p->bytes, -1, 0);
    } else if (HgIsField(&m->variable[p->variable])) {
      HgReal *const *u = HgStateRows(q, source);
      const size_t bytes = sizeof(HgReal) * (size_t)(p->i1 - p->i0);
      const bool levels =
          has_levels(m, &m->variable[p->variable]); /* their rows are no one's turn */
      for (int j = p->j0; j < p->j1; j++)
        for (int k = p->k0; k < p->k1; k++)
          add_piece(m, &count, u[j] + k * m->pitch + p->i0, bytes, levels ? -1 : source, j);
    } else {
      add_piece(m, &count, HgStateArray(q, source), p->bytes, -1, 0);
    }
  }
  return count;
}

/* How many of the pieces from number k on make a block. */
static size_t block_at(HgImage m, size_t k, size_t count) {
  size_t n = 0, bytes = 0;
  for (; k + n < count && bytes < BLOCK && n < PIECES; n++) bytes += m->piece[k + n].iov_len;
  return n;
}

int HgImageWrite(HgImage m, HgState q, long step, int file, HgMeasuring measuring,
                 uint64_t *digest) {
  XXH3_state_t hash;
  m->step = step;
  const size_t count = list_pieces(m, q, false);
  XXH3_64bits_reset(&hash);
  for (size_t k = 0, n; k < count; k += n) {
    n = block_at(m, k, count);
    for (size_t l = k; l < k + n; l++) {
      if (measuring && m->row[l].variable >= 0)
        HgMeasuringRow(measuring, m->row[l].variable, m->row[l].j);
      XXH3_64bits_update(&hash, m->piece[l].iov_base, m->piece[l].iov_len);
    }
    const int why = HgFilePiecesWrite(file, m->piece + k, (int)n);
    if (why) return why;
  }
  *digest = XXH3_64bits_digest(&hash);
  return 0;
}

/* Reads all bytes of the pieces, which it changes; returns 0, an errno or -1: the file ends
   early. */
static int read_pieces(int file, struct iovec *piece, int count) {
  while (count) {
    const ssize_t n = readv(file, piece, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n ? errno : -1;
    HgFilePiecesPass(&piece, &count, (size_t)n);
  }
  return 0;
}

int HgImageReadBack(HgImage m, HgState q, int file, uint64_t *digest) {
  XXH3_state_t hash;
  struct iovec now[PIECES];
  for (int k = 0; k < m->variables; k++)
    if (HgIsField(&m->variable[k])) HgStateSetGhostDepth(q, m->source[k], 0);
  const size_t count = list_pieces(m, q, true);
  XXH3_64bits_reset(&hash);
  for (size_t k = 0, n; k < count; k += n) {
    n = block_at(m, k, count);
    memcpy(now, m->piece + k, n * sizeof *now);
    const int why = read_pieces(file, now, (int)n);
    if (why) return why;
    for (size_t l = k; l < k + n; l++)
      XXH3_64bits_update(&hash, m->piece[l].iov_base, m->piece[l].iov_len);
  }
  *digest = XXH3_64bits_digest(&hash);
  return 0;
}
