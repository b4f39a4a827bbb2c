/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads untrusted HDF5 files; for source files whose name ends in _hdf5.c. Not collective: each
   function returns false on failure and leaves one sentence in reader->problem for HgAgree(). */
#ifndef HG_READER_LIBRARY_H
#define HG_READER_LIBRARY_H

#include <hdf5.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { HG_READER_RANK = 4, HG_READER_TEXT = 256, HG_READER_NAME = 64, HG_SHAPE_TEXT = 96 };

/* Silences HDF5's error stack: the library prints a sentence of its own instead. */
typedef struct {
  H5E_auto2_t print;
  void *data;
} HgQuiet;

typedef struct {
  hid_t file;
  double bytes; /* of the file: no dataset can hold more */
  /* HDF5 1.10 then leaks and prints that when the program ends: keep it silent for good */
  bool damaged;
  bool foreign;
  bool absent; /* or not readable */
  HgQuiet quiet;
  char path[PATH_MAX], problem[PATH_MAX + 1100];
} HgReader;

typedef struct {
  int rank;
  hsize_t size[HG_READER_RANK];
} HgShape;

/* "3 x 20 x 10", or "a single number". */
void HgShapeText(const HgShape *shape, char text[HG_SHAPE_TEXT]);

HgQuiet HgQuietBegin(void);
void HgQuietEnd(HgQuiet quiet);

/* HDF5's innermost complaint about the last call that failed. */
void HgHdf5Complaint(char text[], size_t size);

/* Opens a regular file for reading. `foreign`: one made by other programs, which may use HDF5's old
   format, deflate and shuffle. After a failure nothing is open. */
bool HgReaderOpen(HgReader *reader, const char path[], bool foreign);
void HgReaderClose(HgReader *reader);

/* Sets reader->problem = "file '...'" and what follows; returns false. */
__attribute__((format(printf, 2, 3))) bool HgReaderProblem(HgReader *reader, const char format[],
                                                           ...);

/* *found: the name exists. Error: a link to elsewhere. */
bool HgReaderHas(HgReader *reader, const char dataset[], bool *found);

/* The shape of a dataset of numbers; refuses soft and external links, external, virtual and
   filtered storage (Fletcher-32 excepted), other types, more than four dimensions, more numbers
   than the file has bytes for. */
bool HgReaderShape(HgReader *reader, const char dataset[], HgShape *shape);

/* values[] = the block [start, start + count) of the dataset, which must have `rank` dimensions,
   rows last; start NULL: from 0 on. All must be finite. */
bool HgReaderNumbers(HgReader *reader, const char dataset[], int rank, const hsize_t start[],
                     const hsize_t count[], double values[]);

/* The same, but numbers may be anything. */
bool HgReaderBlock(HgReader *reader, const char dataset[], int rank, const hsize_t start[],
                   const hsize_t count[], double values[]);

/* Reads a text attribute of a dataset, or of the file (dataset NULL). */
bool HgReaderText(HgReader *reader, const char dataset[], const char attribute[],
                  char text[HG_READER_TEXT]);

/* Requires that the dataset's attribute "units" is `unit`. */
bool HgReaderUnit(HgReader *reader, const char dataset[], const char unit[]);

/* ---- for the reader's own source files ---- */

/* Opens the dataset and gives its shape; refuses what HgReaderShape() refuses, and returns -1. */
hid_t HgReaderDataset(HgReader *reader, const char name[], HgShape *shape);

/* Whether each deflated chunk of the block inflates to exactly its size, which HDF5 does not check:
   reader_chunks_hdf5.c. */
bool HgReaderChunksTrusted(HgReader *reader, const char name[], hid_t dataset,
                           const hsize_t start[], const hsize_t count[]);

/* ---- names, attributes and dimension scales: reader_scales_hdf5.c ---- */
typedef struct {
  char name[HG_READER_NAME];
  int rank;
} HgEntry;

/* Lists the datasets of numbers that are hard links of the file's root, by name, trusted or not.
   Errors: more than `limit`. */
bool HgReaderList(HgReader *reader, int limit, HgEntry entry[], int *count);

/* Reads an attribute of one number. *found = false, and no error, if there is none. */
bool HgReaderNumber(HgReader *reader, const char dataset[], const char attribute[], bool *found,
                    double *value);

/* *found: the dataset has an attribute of this name. */
bool HgReaderHasAttribute(HgReader *reader, const char dataset[], const char attribute[],
                          bool *found);

/* *dimension of `dataset` to which the dimension scale `scale` belongs; -1: none. Reads the scale's
   own list, which needs no heap. */
bool HgReaderScaled(HgReader *reader, const char scale[], const char dataset[], int *dimension);

#endif
