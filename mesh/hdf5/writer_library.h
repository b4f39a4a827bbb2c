/* SPDX-License-Identifier: BSD-2-Clause */
/* What all our HDF5 files have in common; for files whose name ends in _hdf5.c. */
#ifndef HG_WRITER_LIBRARY_H
#define HG_WRITER_LIBRARY_H

#include <hdf5.h>
#include <stdbool.h>

/* A text attribute of fixed length, as netCDF wants it. */
bool HgWriterText(hid_t object, const char attribute[], const char text[]);

/* Texts of a variable: units ("1" if empty), long_name and standard_name (left out if NULL). */
bool HgWriterDescribe(hid_t dataset, const char unit[], const char long_name[],
                      const char standard_name[]);

/* Makes a written one-dimensional dataset the dimension scale (the coordinate variable) `name`. */
bool HgWriterScale(hid_t dataset, const char name[]);

/* Dimension `axis` of `dataset` runs along the scale. */
bool HgWriterAttach(hid_t dataset, unsigned axis, hid_t scale);

/* Global attributes: Conventions, title, history (the program's command line, no date: the same run
   writes the same bytes). */
bool HgWriterGlobal(hid_t file, const char title[]);

/* The properties of a file that HDF5 1.10 and later read, with checksums on all its metadata. */
hid_t HgWriterAccess(void);
hid_t HgWriterCreation(void);

/* The file that is made with `access` is built in memory: when it is closed, *image is all of it,
   for the caller to free(), or still NULL. H5Fget_file_image() would not do: HDF5 1.10 clears a
   flag of the superblock for it but not in its checksum, so that nothing opens what it returns.
   `image` is written to until then. */
bool HgWriterInMemory(hid_t access, void **image);

#endif
