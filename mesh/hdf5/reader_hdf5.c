/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <halograd/error_library.h>
#include <halograd/file_library.h>
#include <halograd/memory_library.h>
#include <halograd/reader_library.h>
#include <halograd/structure_library.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

HgQuiet HgQuietBegin(void) {
  HgQuiet quiet = {0};
  H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return quiet;
}

void HgQuietEnd(HgQuiet quiet) { H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.data); }

static herr_t first_complaint(unsigned depth, const H5E_error2_t *error, void *text) {
  if (depth == 0 && error->desc) snprintf(text, HG_READER_TEXT, "%s", error->desc);
  return 0;
}

void HgHdf5Complaint(char text[], size_t size) {
  char complaint[HG_READER_TEXT] = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_complaint, complaint);
  snprintf(text, size, "%s", complaint);
}

bool HgReaderProblem(HgReader *reader, const char format[], ...) {
  const size_t room = sizeof reader->problem;
  const int used = snprintf(reader->problem, room, "file '%s'", reader->path);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reader->problem + used, room - (size_t)used, format, arguments);
  va_end(arguments);
  return false;
}

static bool problem_hdf5(HgReader *reader, const char what[], const char name[]) {
  char complaint[HG_READER_TEXT];
  HgHdf5Complaint(complaint, sizeof complaint);
  reader->damaged = true;
  return HgReaderProblem(reader, ": %s '%s': the file is damaged (HDF5: %s)", what, name,
                         complaint);
}

static bool bytes_of(void *file, uint64_t at, size_t count, unsigned char bytes[]) {
  return at <= INT64_MAX && !fseeko(file, (off_t)at, SEEK_SET) &&
         fread(bytes, 1, count, file) == count;
}

/* Can HDF5 be let loose on it? */
static bool structure_trusted(HgReader *reader, FILE *file) {
  char why[HG_READER_TEXT];
  const HgStructure found =
      HgStructureLook(bytes_of, file, (uint64_t)reader->bytes,
                      reader->foreign ? HG_STRUCTURE_OLD : HG_STRUCTURE_NEW, sizeof why, why);
  if (found == HG_STRUCTURE_ALIEN)
    return HgReaderProblem(reader, " (%.0f bytes) is not an HDF5 file", reader->bytes);
  if (found == HG_STRUCTURE_REFUSED)
    return HgReaderProblem(reader, " (%.0f bytes): %s", reader->bytes, why);
  return true;
}

/* HDF5 locks what it reads, and takes most answers of a file system without locks for a damage. */
static hid_t access_to(const char path[]) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0 && HgFileTryLock(file, LOCK_SH, path) == ENOLCK)
    H5Pset_file_locking(access, false, true);
  if (file >= 0) close(file); /* and with it the lock */
  return access;
}

bool HgReaderOpen(HgReader *reader, const char path[], bool foreign) {
  *reader = (HgReader){.file = -1, .foreign = foreign};
  snprintf(reader->path, sizeof reader->path, "%s", path);
  struct stat status;
  reader->absent = stat(path, &status) || access(path, R_OK);
  if (reader->absent) return HgReaderProblem(reader, ": %s", strerror(errno));
  /* opening a named pipe would wait for ever */
  if (!S_ISREG(status.st_mode))
    return HgReaderProblem(reader, " is not a regular file, expected an HDF5 file");
  FILE *readable = fopen(path, "rb");
  if (!readable) return HgReaderProblem(reader, ": %s", strerror(errno));
  reader->bytes = (double)status.st_size;
  const bool trusted = structure_trusted(reader, readable);
  fclose(readable);
  if (!trusted) return false;
  reader->quiet = HgQuietBegin();
  char complaint[HG_READER_TEXT];
  const hid_t access = access_to(path);
  reader->file = H5Fopen(path, H5F_ACC_RDONLY, access);
  if (reader->file < 0) HgHdf5Complaint(complaint, sizeof complaint);
  H5Pclose(access);
  if (reader->file < 0) {
    if (strstr(complaint, "lock file"))
      return HgReaderProblem(reader,
                             ": another program is writing it, or has left it locked (HDF5: %s); "
                             "HDF5_USE_FILE_LOCKING=FALSE in the environment reads it all the same",
                             complaint);
    return HgReaderProblem(reader, " (%.0f bytes) is a truncated or damaged HDF5 file (HDF5: %s)",
                           reader->bytes, complaint);
  }
  return true;
}

void HgReaderClose(HgReader *reader) {
  if (reader->file < 0) return;
  H5Fclose(reader->file);
  if (!reader->damaged) HgQuietEnd(reader->quiet);
  reader->file = -1;
}

/* Walks down `name`: every link on the way must exist and be a hard one. */
bool HgReaderHas(HgReader *reader, const char name[], bool *found) {
  char prefix[HG_READER_TEXT];
  *found = false;
  for (size_t end = strcspn(name, "/");; end += 1 + strcspn(name + end + 1, "/")) {
    if (end == 0 && name[0] == '/') continue;
    if (end >= sizeof prefix)
      return HgReaderProblem(reader, ": dataset name of %zu characters", end);
    memcpy(prefix, name, end);
    prefix[end] = 0;
    H5L_info_t link;
    if (end == 0 || H5Lexists(reader->file, prefix, H5P_DEFAULT) <= 0) return true;
    if (H5Lget_info(reader->file, prefix, &link, H5P_DEFAULT) < 0)
      return problem_hdf5(reader, "cannot look up", prefix);
    if (link.type != H5L_TYPE_HARD)
      return HgReaderProblem(reader, ": '%s' is a link to elsewhere, expected the data itself",
                             prefix);
    if (!name[end]) break;
  }
  *found = true;
  return true;
}

/* *deflated: may the dataset have fewer bytes in the file than its numbers? */
static bool filters_trusted(HgReader *reader, const char name[], hid_t dataset, bool *deflated) {
  const hid_t plan = H5Dget_create_plist(dataset);
  if (plan < 0) return problem_hdf5(reader, "cannot read the filters of", name);
  const int filters = H5Pget_nfilters(plan);
  bool plain = filters >= 0;
  *deflated = false;
  for (int k = 0; k < filters; k++) {
    unsigned flags, configuration;
    size_t none = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(plan, (unsigned)k, &flags, &none, NULL, 0, NULL, &configuration);
    *deflated = *deflated || filter == H5Z_FILTER_DEFLATE;
    plain = plain &&
            (filter == H5Z_FILTER_FLETCHER32 ||
             (reader->foreign && (filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE)));
  }
  H5Pclose(plan);
  if (plain) return true;
  return HgReaderProblem(reader,
                         ": dataset '%s' is compressed or filtered, expected plain numbers "
                         "(Fletcher-32%s at most; nccopy -k nc4 -d 0 OLD NEW writes such)",
                         name, reader->foreign ? ", deflate and shuffle" : "");
}

/* Bytes that numbers of so many take in a file at least: deflate makes at most 1032 of one. */
static double least_bytes(double bytes, bool deflated) { return deflated ? bytes / 1032 : bytes; }

/* Exactly one of the usual types: HDF5's conversion trusts what a damaged type says about its bits.
   */
static bool type_trusted(hid_t type) {
  const hid_t usual[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I32LE, H5T_STD_I64LE,
                         H5T_IEEE_F64BE, H5T_IEEE_F32BE, H5T_STD_I32BE, H5T_STD_I64BE,
                         H5T_STD_I16LE,  H5T_STD_I16BE};
  for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
    if (H5Tequal(type, usual[k]) > 0) return true;
  return false;
}

static bool shape_trusted(HgReader *reader, const char name[], hid_t dataset, bool deflated,
                          HgShape *shape) {
  const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  const bool plain = type_trusted(type);
  const size_t size = H5Tget_size(type);
  const H5S_class_t extent = H5Sget_simple_extent_type(space);
  shape->rank = extent == H5S_SCALAR ? 0 : H5Sget_simple_extent_ndims(space);
  double bytes = (double)size;
  char what[96];
  if (shape->rank > 0 && shape->rank <= HG_READER_RANK) {
    H5Sget_simple_extent_dims(space, shape->size, NULL);
    for (int k = 0; k < shape->rank; k++) bytes *= (double)shape->size[k];
  }
  H5Sclose(space);
  H5Tclose(type);
  if (!plain)
    return HgReaderProblem(reader, ": dataset '%s' holds no plain numbers, expected doubles", name);
  if ((extent != H5S_SCALAR && extent != H5S_SIMPLE) || shape->rank < 0 ||
      shape->rank > HG_READER_RANK)
    return HgReaderProblem(reader, ": dataset '%s' has %d dimensions, expected at most %d", name,
                           shape->rank, HG_READER_RANK);
  snprintf(what, sizeof what, "dataset '%.64s'", name);
  return HgInputFits(reader->path, what, least_bytes(bytes, deflated), 0, sizeof reader->problem,
                     reader->problem);
}

/* Numbers that were never written have no room in the file: HDF5 makes them up. */
static bool all_stored(HgReader *reader, const char name[], hid_t dataset, const HgShape *shape) {
  bool deflated;
  if (!filters_trusted(reader, name, dataset, &deflated)) return false;
  const double there = (double)H5Dget_storage_size(dataset);
  const hid_t type = H5Dget_type(dataset);
  double bytes = (double)H5Tget_size(type);
  for (int k = 0; k < shape->rank; k++) bytes *= (double)shape->size[k];
  H5Tclose(type);
  if (bytes <= HG_INPUT_PLAIN || least_bytes(bytes, deflated) <= there) return true;
  return HgReaderProblem(reader, ": dataset '%s' claims %.0f bytes, but only %.0f were written",
                         name, bytes, there);
}

hid_t HgReaderDataset(HgReader *reader, const char name[], HgShape *shape) {
  bool found;
  if (!HgReaderHas(reader, name, &found)) return -1;
  if (!found) {
    HgReaderProblem(reader, " has no dataset '%s'", name);
    return -1;
  }
  const hid_t dataset = H5Dopen2(reader->file, name, H5P_DEFAULT);
  if (dataset < 0) {
    problem_hdf5(reader, "cannot open dataset", name);
    return -1;
  }
  bool deflated;
  if (filters_trusted(reader, name, dataset, &deflated) &&
      shape_trusted(reader, name, dataset, deflated, shape))
    return dataset;
  H5Dclose(dataset);
  return -1;
}

void HgShapeText(const HgShape *shape, char text[HG_SHAPE_TEXT]) {
  snprintf(text, HG_SHAPE_TEXT, "%s", shape->rank > 0 ? "" : "a single number");
  for (int k = 0; k < shape->rank; k++)
    HgSentenceAdd(HG_SHAPE_TEXT, text, "%s%llu", k ? " x " : "",
                  (unsigned long long)shape->size[k]);
}

bool HgReaderShape(HgReader *reader, const char dataset[], HgShape *shape) {
  const hid_t id = HgReaderDataset(reader, dataset, shape);
  if (id < 0) return false;
  const bool right = all_stored(reader, dataset, id, shape);
  H5Dclose(id);
  return right;
}

bool HgReaderBlock(HgReader *reader, const char dataset[], int rank, const hsize_t start[],
                   const hsize_t count[], double values[]) {
  HgShape shape;
  const hid_t id = HgReaderDataset(reader, dataset, &shape);
  if (id < 0) return false;
  if (shape.rank != rank) {
    H5Dclose(id);
    return HgReaderProblem(reader, ": dataset '%s' has %d dimensions, expected %d", dataset,
                           shape.rank, rank);
  }
  const hsize_t origin[HG_READER_RANK] = {0};
  size_t number = 1;
  for (int k = 0; k < rank; k++) number *= count[k];
  bool right = true;
  if (number) {
    const hid_t file_space = H5Dget_space(id);
    const hid_t memory = rank ? H5Screate_simple(rank, count, NULL) : H5Screate(H5S_SCALAR);
    if (rank)
      right = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start ? start : origin, NULL, count,
                                  NULL) >= 0;
    const bool trusted = HgReaderChunksTrusted(reader, dataset, id, start ? start : origin, count);
    right = right && trusted &&
            H5Dread(id, H5T_NATIVE_DOUBLE, memory, file_space, H5P_DEFAULT, values) >= 0;
    if (trusted && !right) problem_hdf5(reader, "cannot read dataset", dataset);
    H5Sclose(memory);
    H5Sclose(file_space);
  }
  H5Dclose(id);
  return right;
}

bool HgReaderNumbers(HgReader *reader, const char dataset[], int rank, const hsize_t start[],
                     const hsize_t count[], double values[]) {
  const bool right = HgReaderBlock(reader, dataset, rank, start, count, values);
  size_t number = 1;
  for (int k = 0; right && k < rank; k++) number *= count[k];
  for (size_t k = 0; right && k < number; k++) {
    if (isfinite(values[k])) continue;
    size_t rest = k;
    hsize_t at[HG_READER_RANK] = {0};
    char where[96] = "";
    for (int axis = rank - 1; axis >= 0; axis--) {
      at[axis] = rest % count[axis] + (start ? start[axis] : 0);
      rest /= count[axis];
    }
    for (int axis = 0; axis < rank; axis++)
      HgSentenceAdd(sizeof where, where, "%s%llu", axis ? ", " : "", (unsigned long long)at[axis]);
    return HgReaderProblem(reader, ": dataset '%s' at [%s] is %g, expected a finite number",
                           dataset, where, values[k]);
  }
  return right;
}

/* Only texts of fixed length: those of variable length lie in a heap without checksums. */
static bool read_text(hid_t attribute, char text[HG_READER_TEXT]) {
  const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const bool plain = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
                     H5Tis_variable_str(type) == 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                     H5Tget_size(type) <= HG_READER_TEXT;
  bool right = plain;
  memset(text, 0, HG_READER_TEXT);
  if (plain) {
    const hid_t memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, HG_READER_TEXT);
    H5Tset_cset(memory, H5Tget_cset(type));
    right = H5Aread(attribute, memory, text) >= 0;
    text[HG_READER_TEXT - 1] = 0;
    H5Tclose(memory);
  }
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return right;
}

bool HgReaderText(HgReader *reader, const char dataset[], const char attribute[],
                  char text[HG_READER_TEXT]) {
  HgShape shape;
  const hid_t object =
      dataset ? HgReaderDataset(reader, dataset, &shape) : H5Gopen2(reader->file, "/", H5P_DEFAULT);
  if (object < 0 && dataset) return false;
  if (object < 0) return problem_hdf5(reader, "cannot open", "/");
  const char *of = dataset ? dataset : "/";
  bool right = H5Aexists(object, attribute) > 0;
  if (!right) {
    HgReaderProblem(reader, ": '%s' has no attribute '%s'", of, attribute);
  } else {
    const hid_t id = H5Aopen(object, attribute, H5P_DEFAULT);
    right = id >= 0 && read_text(id, text);
    if (!right)
      HgReaderProblem(reader,
                      ": attribute '%s' of '%s' is not a text of fixed length, at most %d "
                      "characters (h5py: numpy.bytes_)",
                      attribute, of, HG_READER_TEXT);
    if (id >= 0) H5Aclose(id);
  }
  if (dataset) H5Dclose(object);
  else H5Gclose(object);
  return right;
}

bool HgReaderUnit(HgReader *reader, const char dataset[], const char unit[]) {
  char found[HG_READER_TEXT];
  if (!HgReaderText(reader, dataset, "units", found)) return false;
  if (strcmp(found, unit) == 0) return true;
  return HgReaderProblem(reader, ": dataset '%s' is in '%s', expected '%s'", dataset, found, unit);
}
