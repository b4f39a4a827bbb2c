/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by all writers of HDF5 files, whose source names end in _hdf5.c. */
#ifndef HG_WRITER_LIBRARY_H
#define HG_WRITER_LIBRARY_H

#include <hdf5.h>
#include <stdbool.h>

/* Writes a text attribute of fixed length, as netCDF wants it. */
bool HgWriterText(hid_t object, const char attribute[], const char text[]);

/* Writes the texts of a variable: units ("1" if empty), long_name and standard_name (omitted if
   NULL). */
bool HgWriterDescribe(hid_t dataset, const char unit[], const char long_name[],
                      const char standard_name[]);

/* Makes a written one-dimensional dataset the dimension scale (the coordinate variable) `name`. */
bool HgWriterScale(hid_t dataset, const char name[]);

/* Attaches the scale to dimension `axis` of `dataset`. */
bool HgWriterAttach(hid_t dataset, unsigned axis, hid_t scale);

/* Writes the global attributes: Conventions, title, history (the program's command line, no date:
   the same run writes the same bytes). */
bool HgWriterGlobal(hid_t file, const char title[]);

/* The properties of a file that HDF5 1.10 and later read, with checksums on all its metadata. */
hid_t HgWriterAccess(void);
hid_t HgWriterCreation(void);

/* Builds the file that is created with `access` in memory. When it is closed, *image is its
   contents, to be freed with free(), or still NULL; `image` must stay valid until then.
   (H5Fget_file_image() of HDF5 1.10 clears a flag of the superblock without updating its checksum,
   so that nothing opens the result.) */
bool HgWriterInMemory(hid_t access, void **image);

#endif
