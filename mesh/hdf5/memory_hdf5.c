/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that HDF5 builds in memory; see writer_library.h. */
#include <halograd/memory_library.h>
#include <halograd/writer_library.h>
#include <stddef.h>

static void *grow(void *block, size_t size, H5FD_file_image_op_t operation, void *image) {
  (void)operation, (void)image;
  return HgReallocate(block, size);
}

static herr_t take_over(void *block, H5FD_file_image_op_t operation, void *image) {
  (void)operation;
  *(void **)image = block;
  return 0;
}

static void *same(void *image) { return image; }

static herr_t keep(void *image) {
  (void)image;
  return 0;
}

bool HgWriterInMemory(hid_t access, void **image) {
  H5FD_file_image_callbacks_t callbacks = {NULL, NULL, grow, take_over, same, keep, image};
  *image = NULL;
  return H5Pset_fapl_core(access, 1 << 16, false) >= 0 &&
         H5Pset_file_image_callbacks(access, &callbacks) >= 0;
}
