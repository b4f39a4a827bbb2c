/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a file is one that HDF5 can be let loose on. HDF5 1.10 believes what it decodes: an
   undefined address, an extent of 0 or a type that is longer than its message end the program, and
   checksums do not tell who wrote them. So all that HDF5 may follow in a file is walked through
   first, and whatever is not in the short list of what our own writer, h5py and netCDF make is
   refused. Source: HDF5 File Format Specification 3.0. */
#ifndef HG_STRUCTURE_LIBRARY_H
#define HG_STRUCTURE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bytes = `count` bytes from `at` of the file; false: it has not so many. */
typedef bool HgStructureBytes(void *context, uint64_t at, size_t count, unsigned char bytes[]);

typedef enum {
  HG_STRUCTURE_SOUND,
  HG_STRUCTURE_ALIEN, /* no HDF5 file */
  HG_STRUCTURE_REFUSED
} HgStructure;

typedef enum {
  HG_STRUCTURE_IMAGE, /* contiguous numbers, links and attributes in headers: what images have */
  HG_STRUCTURE_NEW,   /* with checksums, as of HDF5 1.8 and later */
  HG_STRUCTURE_OLD    /* anything */
} HgStructureAllowed;

/* Looks at superblock, every object that hard links lead to, its messages, heaps and indexes, but
   at no number. why = what is refused, in words that follow "file '...': ". */
HgStructure HgStructureLook(HgStructureBytes *bytes, void *context, uint64_t size,
                            HgStructureAllowed allowed, size_t room, char why[]);

#endif
