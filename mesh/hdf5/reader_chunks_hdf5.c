/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks that are deflated. HDF5 1.10 reads beyond what a chunk inflates to if that is less than a
   chunk, and makes room for all of it if it is more, so each chunk is inflated once before. */
#include <halograd/memory_library.h>
#include <halograd/reader_library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FILTERS = 8, SUM = 4 };

typedef struct {
  hid_t dataset;
  int rank, filters;
  H5Z_filter_t filter[FILTERS];
  hsize_t chunk[HG_READER_RANK], bytes; /* bytes of its numbers */
} Chunks;

/* Does it inflate to exactly so many bytes? */
static bool inflates_to(const unsigned char data[], size_t size, size_t expected) {
  unsigned char out[1 << 14];
  size_t found = 0;
  z_stream z = {.next_in = (unsigned char *)data, .avail_in = (uInt)size};
  if (inflateInit(&z) != Z_OK) return false;
  int state;
  do {
    z.next_out = out, z.avail_out = sizeof out;
    state = inflate(&z, Z_NO_FLUSH);
    found += sizeof out - z.avail_out;
  } while (state == Z_OK && found <= expected);
  inflateEnd(&z);
  return state == Z_STREAM_END && found == expected;
}

/* What deflate is to give, and what of the file's bytes it takes: sums are 4 bytes, shuffle changes
   no size but must come before deflate. */
static bool chunk_trusted(const Chunks *c, const unsigned char data[], size_t size, unsigned mask) {
  size_t expected = c->bytes, behind = 0;
  bool deflated = false;
  for (int k = 0; k < c->filters; k++) {
    if (mask >> k & 1) continue;
    if (c->filter[k] == H5Z_FILTER_FLETCHER32) *(deflated ? &behind : &expected) += SUM;
    else if (deflated) return false;
    deflated = deflated || c->filter[k] == H5Z_FILTER_DEFLATE;
  }
  if (!deflated) return size == expected;
  return size > behind && inflates_to(data, size - behind, expected);
}

/* One chunk, of which any number lies at at[]. */
static bool look_at(const Chunks *c, const hsize_t at[]) {
  hsize_t size = 0;
  uint32_t mask;
  /* one that was never written has no bytes, and HDF5 makes its numbers up */
  if (H5Dget_chunk_storage_size(c->dataset, at, &size) < 0 || !size) return true;
  unsigned char *const data = size <= UINT32_MAX ? HgAllocate(1, size) : NULL;
  const bool right = data && H5Dread_chunk(c->dataset, H5P_DEFAULT, at, &mask, data) >= 0 &&
                     chunk_trusted(c, data, size, mask);
  free(data);
  return right;
}

/* Filters and chunks of a dataset; false: it is not deflated, and its chunks have the sizes that
   HgStructureLook() has compared. */
static bool deflated(hid_t dataset, Chunks *c) {
  const hid_t plan = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
  bool is = false;
  c->bytes = H5Tget_size(type);
  c->rank = H5Pget_layout(plan) == H5D_CHUNKED ? H5Pget_chunk(plan, HG_READER_RANK, c->chunk) : 0;
  c->filters = c->rank > 0 ? H5Pget_nfilters(plan) : 0;
  for (int k = 0; k < c->rank; k++) c->bytes *= c->chunk[k];
  for (int k = 0; k < c->filters && k < FILTERS; k++) {
    unsigned flags, how;
    size_t none = 0;
    c->filter[k] = H5Pget_filter2(plan, (unsigned)k, &flags, &none, NULL, 0, NULL, &how);
    is = is || c->filter[k] == H5Z_FILTER_DEFLATE;
  }
  H5Tclose(type);
  H5Pclose(plan);
  return is;
}

bool HgReaderChunksTrusted(HgReader *reader, const char name[], hid_t dataset,
                           const hsize_t start[], const hsize_t count[]) {
  Chunks c = {.dataset = dataset};
  hsize_t at[HG_READER_RANK], first[HG_READER_RANK];
  if (!deflated(dataset, &c)) return true;
  for (int k = 0; k < c.rank; k++) at[k] = first[k] = start[k] / c.chunk[k] * c.chunk[k];
  bool right = c.filters <= FILTERS;
  for (int axis = 0; right && axis >= 0;) {
    right = look_at(&c, at);
    /* the next one, the last axis first */
    for (axis = c.rank - 1; axis >= 0; at[axis] = first[axis], axis--)
      if ((at[axis] += c.chunk[axis]) < start[axis] + count[axis]) break;
  }
  if (!right)
    (void)HgReaderProblem(
        reader,
        ": dataset '%s' has a chunk that does not inflate to its size: the file is "
        "damaged",
        name);
  return right;
}
