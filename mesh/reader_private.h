/* Reads HDF5 files that nobody has to trust; for the files of mesh/ whose name ends in _hdf5.c. Not
   collective: each function returns false on failure and leaves one sentence in reader->problem,
   which the caller hands to HgAgree(). */
#ifndef HALOGRAD_READER_PRIVATE_H
#define HALOGRAD_READER_PRIVATE_H
#include <hdf5.h>
#include <stdbool.h>
enum { HG_READER_RANK = 3, HG_READER_TEXT = 256 };
/* HDF5 prints its error stack unless told not to: we say it in one sentence of our own. */
typedef struct {
  H5E_auto2_t print;
  void *data;
} HgQuiet;
typedef struct {
  hid_t file;
  double bytes; /* of the file: no dataset can hold more */
  /* HDF5 1.10 then leaks, and says so when the program ends: it stays quiet for good */
  bool damaged;
  HgQuiet quiet;
  char path[512], problem[1200];
} HgReader;
typedef struct {
  int rank;
  hsize_t size[HG_READER_RANK];
} HgShape;
HgQuiet HgQuietBegin(void);
void HgQuietEnd(HgQuiet quiet);
/* HDF5's innermost complaint about the last call that failed. */
void HgHdf5Complaint(char text[], size_t size);
/* Opens a regular file for reading. After a failure nothing is open. */
bool HgReaderOpen(HgReader *reader, const char path[]);
void HgReaderClose(HgReader *reader);
bool HgReaderHas(HgReader *reader, const char dataset[]);
/* The shape of a dataset of numbers; refuses soft and external links, external, virtual and
   filtered storage (Fletcher-32 excepted), other types, more than three dimensions, more numbers
   than the file has bytes for. */
bool HgReaderShape(HgReader *reader, const char dataset[], HgShape *shape);
/* values = the block [start, start + count) of the dataset (NULL: all), rows last. All must be
 * finite. */
bool HgReaderNumbers(HgReader *reader, const char dataset[], const hsize_t start[],
                     const hsize_t count[], double values[]);
/* A text attribute of a dataset, or of the file (dataset NULL). */
bool HgReaderText(HgReader *reader, const char dataset[], const char attribute[],
                  char text[HG_READER_TEXT]);
/* The dataset's attribute "units" must be `unit`. */
bool HgReaderUnit(HgReader *reader, const char dataset[], const char unit[]);
#endif
