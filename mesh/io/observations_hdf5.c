/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/file.h>
#include <halograd/memory_library.h>
#include <halograd/observations_library.h>
#include <halograd/reader_library.h>
#include <halograd/writer_library.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool shape_is(HgReader *reader, const char dataset[], int rank, hsize_t size0,
                     hsize_t size1) {
  HgShape shape;
  if (!HgReaderShape(reader, dataset, &shape)) return false;
  const hsize_t expected[2] = {size0, size1};
  bool same = shape.rank == rank;
  for (int k = 0; same && k < rank; k++) same = shape.size[k] == expected[k];
  if (same) return true;
  char found[HG_SHAPE_TEXT];
  HgShapeText(&shape, found);
  char wanted[64];
  snprintf(wanted, sizeof wanted, rank == 1 ? "%llu numbers" : "%llu x %llu numbers",
           (unsigned long long)size0, (unsigned long long)size1);
  return HgReaderProblem(reader, ": dataset '%s' has the shape %s, expected %s", dataset, found,
                         wanted);
}

static bool count_of(HgReader *reader, const char dataset[], int *count) {
  HgShape shape;
  if (!HgReaderShape(reader, dataset, &shape)) return false;
  if (shape.rank == 1 && shape.size[0] >= 1 && shape.size[0] <= HG_OBSERVATIONS_LARGEST) {
    *count = (int)shape.size[0];
    return true;
  }
  return HgReaderProblem(
      reader,
      ": dataset '%s' has %d dimensions and %llu numbers in the first, expected one "
      "dimension with 1 to %d numbers",
      dataset, shape.rank, shape.rank > 0 ? (unsigned long long)shape.size[0] : 1,
      HG_OBSERVATIONS_LARGEST);
}

/* The unit of x and y by name: degrees, or metres. */
static const char *const place_units[2][2] = {{"m", "m"}, {"degrees_east", "degrees_north"}};

static bool read_place_unit(HgReader *reader, bool *degrees) {
  char found[HG_READER_TEXT];
  if (!HgReaderText(reader, "x", "units", found)) return false;
  *degrees = !strcmp(found, place_units[1][0]);
  if (*degrees || !strcmp(found, place_units[0][0]))
    return HgReaderUnit(reader, "y", place_units[*degrees][1]);
  return HgReaderProblem(reader, ": dataset 'x' is in '%s', expected 'm' or 'degrees_east'", found);
}

/* sigma is one number, one per sensor or one per value. */
static bool read_sigma(HgReader *reader, HgObservations *o, const char dataset[]) {
  HgShape shape;
  if (!HgReaderShape(reader, dataset, &shape)) return false;
  const size_t n = (size_t)o->times, s = (size_t)o->sensors;
  if (shape.rank == 0) {
    double one;
    if (!HgReaderNumbers(reader, dataset, 0, NULL, NULL, &one)) return false;
    for (size_t k = 0; k < n * s; k++) o->sigma[k] = one;
    return true;
  }
  const int rank = shape.rank == 1 ? 1 : 2;
  const hsize_t count[] = {rank == 1 ? s : n, s};
  if (!shape_is(reader, dataset, rank, count[0], s)) return false;
  if (!HgReaderNumbers(reader, dataset, rank, NULL, count, o->sigma)) return false;
  for (size_t k = s; shape.rank == 1 && k < n * s; k++) o->sigma[k] = o->sigma[k - s];
  return true;
}

/* Reads the correlation of errors, if the file has one. */
static bool read_correlation(HgReader *reader, HgObservations *o, const char dataset[]) {
  bool found;
  if (!HgReaderNumber(reader, dataset, "correlation", &found, &o->correlation)) return false;
  if (!found || (o->correlation >= 0 && isfinite(o->correlation))) return true;
  return HgReaderProblem(
      reader,
      ": attribute 'correlation' of '%s' is %g s, expected a finite number, 0 or "
      "above",
      dataset, o->correlation);
}

static bool read_all(HgReader *reader, HgObservations **observations) {
  char name[HG_READER_TEXT], found[HG_READER_TEXT], deviation[HG_READER_TEXT + 8], table[64];
  int times = 0, sensors = 0;
  bool degrees;
  if (!HgReaderText(reader, NULL, "observed", name)) return false;
  if (!name[0] || strlen(name) > 31)
    return HgReaderProblem(
        reader, ": attribute 'observed' is '%s', expected a name of 1 to 31 characters", name);
  snprintf(deviation, sizeof deviation, "%s_sigma", name);
  if (!count_of(reader, "time", &times) || !count_of(reader, "x", &sensors)) return false;
  if (!shape_is(reader, "y", 1, (hsize_t)sensors, 0)) return false;
  if (!shape_is(reader, name, 2, (hsize_t)times, (hsize_t)sensors)) return false;
  if (!HgReaderText(reader, name, "units", found)) return false;
  if (strlen(found) > 31)
    return HgReaderProblem(reader, ": '%s' is in '%s', expected a unit of at most 31 characters",
                           name, found);
  bool levels;
  if (!HgReaderHas(reader, "z", &levels)) return false;
  if (levels && (!shape_is(reader, "z", 1, (hsize_t)sensors, 0) || !HgReaderUnit(reader, "z", "m")))
    return false;
  if (!HgReaderUnit(reader, "time", "s") || !read_place_unit(reader, &degrees) ||
      !HgReaderUnit(reader, deviation, found))
    return false;
  snprintf(table, sizeof table, "its table of %d x %d numbers", times, sensors);
  if (!HgInputFits(reader->path, table, 0, HgObservationsBytes(times, sensors),
                   sizeof reader->problem, reader->problem))
    return false;
  HgObservations *o = (int64_t)times * sensors <= HG_OBSERVATIONS_LARGEST
                          ? HgObservationsNew(name, found, times, sensors)
                          : NULL;
  *observations = o;
  if (!o) return HgReaderProblem(reader, ": no memory for %d x %d observations", times, sensors);
  o->degrees = degrees, o->levels = levels;
  const hsize_t count[] = {(hsize_t)times, (hsize_t)sensors};
  return HgReaderNumbers(reader, "time", 1, NULL, &count[0], o->time) &&
         HgReaderNumbers(reader, "x", 1, NULL, &count[1], o->x) &&
         HgReaderNumbers(reader, "y", 1, NULL, &count[1], o->y) &&
         (!levels || HgReaderNumbers(reader, "z", 1, NULL, &count[1], o->z)) &&
         HgReaderNumbers(reader, name, 2, NULL, count, o->value) &&
         read_sigma(reader, o, deviation) && read_correlation(reader, o, deviation) &&
         HgObservationsSound(o, false, reader->path, reader->problem, sizeof reader->problem);
}

PetscErrorCode HgObservationsRead(MPI_Comm comm, const char path[], HgObservations **observations) {
  PetscMPIInt rank;
  HgReader reader = {.file = -1};
  HgObservations *o = NULL;
  bool right = true;
  *observations = NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) {
    right = HgReaderOpen(&reader, path, false);
    if (right) {
      right = read_all(&reader, &o);
      HgReaderClose(&reader);
    }
    if (!right) HgObservationsDestroy(&o);
  }
  PetscCall(HgAgree(comm, !right, reader.absent ? HG_ERR_FILE_READ : HG_ERR_FILE_FORMAT, "%s",
                    reader.problem));

  HgObservations head = {0};
  if (rank == 0) head = *o;
  PetscCallMPI(MPI_Bcast(&head, sizeof head, MPI_BYTE, 0, comm));
  if (rank) o = HgObservationsNew(head.name, head.unit, head.times, head.sensors);
  const bool room = o != NULL;
  const PetscErrorCode ierr =
      HgAgree(comm, !room, HG_ERR_MEMORY, "file '%s': no memory for %d x %d observations", path,
              head.times, head.sensors);
  if (ierr) HgObservationsDestroy(&o);
  PetscCall(ierr);
  o->degrees = head.degrees, o->levels = head.levels, o->correlation = head.correlation;
  PetscCallMPI(MPI_Bcast(o->time, o->times, MPI_DOUBLE, 0, comm));
  PetscCallMPI(MPI_Bcast(o->x, o->sensors, MPI_DOUBLE, 0, comm));
  PetscCallMPI(MPI_Bcast(o->y, o->sensors, MPI_DOUBLE, 0, comm));
  PetscCallMPI(MPI_Bcast(o->z, o->sensors, MPI_DOUBLE, 0, comm));
  PetscCallMPI(MPI_Bcast(o->value, o->times * o->sensors, MPI_DOUBLE, 0, comm));
  PetscCallMPI(MPI_Bcast(o->sigma, o->times * o->sensors, MPI_DOUBLE, 0, comm));
  const size_t length = strlen(path), most = HG_OBSERVATIONS_LABEL - sizeof " (of '...')";
  for (int k = 0; k < o->sensors; k++)
    snprintf(o->label[k], sizeof o->label[k], " (of '%s%s')", length > most ? "..." : "",
             path + (length > most ? length - most : 0));
  *observations = o;
  return 0;
}

/* A dataset of `rank` <= 2 dimensions along the given scales (-1: none), every number checked by
 * Fletcher-32. */
static hid_t write_numbers(hid_t file, const char name[], int rank, const hsize_t size[],
                           const hid_t scales[], const double values[]) {
  const hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plan, false); /* the same bytes whenever they are written */
  H5Pset_attr_creation_order(plan, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  if (rank) {
    const hsize_t rows = (1 << 20) / (rank == 2 ? size[1] : 1);
    const hsize_t chunk[2] = {rows < 1         ? 1
                              : rows > size[0] ? size[0]
                                               : rows,
                              rank == 2 ? size[1] : 1};
    H5Pset_chunk(plan, rank, chunk);
    H5Pset_fletcher32(plan);
  }
  hid_t id = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  bool right =
      id >= 0 && H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  for (int k = 0; right && k < rank; k++)
    if (scales[k] >= 0) right = HgWriterAttach(id, (unsigned)k, scales[k]);
  H5Pclose(plan);
  H5Sclose(space);
  if (!right && id >= 0) H5Dclose(id);
  return right ? id : -1;
}

/* The same, described and closed; attribute = text, too (NULL: none). */
static bool write_variable(hid_t file, const char name[], int rank, const hsize_t size[],
                           const hid_t scales[], const double values[], const char unit[],
                           const char long_name[], const char attribute[], const char text[]) {
  const hid_t id = write_numbers(file, name, rank, size, scales, values);
  const bool right = id >= 0 && HgWriterDescribe(id, unit, long_name, NULL) &&
                     (!attribute || HgWriterText(id, attribute, text));
  if (id >= 0) H5Dclose(id);
  return right;
}

/* An attribute of one number. */
static bool write_number(hid_t file, const char dataset[], const char attribute[], double value) {
  const hid_t space = H5Screate(H5S_SCALAR),
              id = H5Acreate_by_name(file, dataset, attribute, H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                     H5P_DEFAULT, H5P_DEFAULT);
  const bool right = id >= 0 && H5Awrite(id, H5T_NATIVE_DOUBLE, &value) >= 0;
  if (id >= 0) H5Aclose(id);
  H5Sclose(space);
  return right;
}

static bool write_all(hid_t file, const HgObservations *o, const HgNote notes[]) {
  const hsize_t n = (hsize_t)o->times, s = (hsize_t)o->sensors, both[2] = {n, s};
  const hid_t none[2] = {-1, -1};
  const char *const *const unit = place_units[o->degrees];
  char text[128], deviation[64];
  double *number = HgAllocate(s, sizeof *number);
  if (!number) return false;
  for (hsize_t k = 0; k < s; k++) number[k] = (double)k;
  bool uniform = true;
  for (size_t k = 1; k < (size_t)(n * s); k++) uniform = uniform && o->sigma[k] == o->sigma[0];
  snprintf(text, sizeof text, "observations of %s", o->name);
  bool right = HgWriterGlobal(file, text) && HgWriterText(file, "observed", o->name);
  for (const HgNote *note = notes; right && note && note->attribute; note++)
    right = HgWriterText(file, note->attribute, note->text);
  hid_t scales[2] = {write_numbers(file, "time", 1, &n, none, o->time),
                     write_numbers(file, "sensor", 1, &s, none, number)};
  free(number);
  right = right && scales[0] >= 0 && scales[1] >= 0;
  right = right && HgWriterScale(scales[0], "time") && HgWriterScale(scales[1], "sensor");
  right = right && HgWriterDescribe(scales[0], "s", "time since the start", NULL);
  right = right && HgWriterText(scales[0], "axis", "T");
  right = right && HgWriterDescribe(scales[1], "1", "number of the sensor, from 0", NULL);
  snprintf(deviation, sizeof deviation, "%s_sigma", o->name);
  right = right &&
          write_variable(file, "x", 1, &s, scales + 1, o->x, unit[0], "position of the sensor",
                         NULL, NULL) &&
          write_variable(file, "y", 1, &s, scales + 1, o->y, unit[1], "position of the sensor",
                         NULL, NULL) &&
          (!o->levels || write_variable(file, "z", 1, &s, scales + 1, o->z, "m",
                                        "height of the sensor", "positive", "up")) &&
          write_variable(file, o->name, 2, both, scales, o->value, o->unit, text, "coordinates",
                         o->levels ? "x y z" : "x y") &&
          write_variable(file, deviation, uniform ? 0 : 2, both, scales, o->sigma, o->unit,
                         "standard deviation of a value", NULL, NULL) &&
          (!(o->correlation > 0) || write_number(file, deviation, "correlation", o->correlation));
  for (int k = 0; k < 2; k++)
    if (scales[k] >= 0) H5Dclose(scales[k]);
  return right;
}

/* Builds the whole file in memory, for one atomic write; NULL if HDF5 failed. */
static void *build_image(const HgObservations *o, const HgNote notes[], size_t *size) {
  void *image = NULL;
  const HgQuiet quiet = HgQuietBegin();
  const hid_t access = HgWriterAccess(), creation = HgWriterCreation();
  bool right = HgWriterInMemory(access, &image);
  const hid_t file = H5Fcreate("observations", H5F_ACC_TRUNC, creation, access);
  right = right && file >= 0 && write_all(file, o, notes) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
  const ssize_t bytes = right ? H5Fget_file_image(file, NULL, 0) : 0;
  if (file >= 0) right = H5Fclose(file) >= 0 && right;
  H5Pclose(creation);
  H5Pclose(access);
  HgQuietEnd(quiet);
  *size = bytes > 0 ? (size_t)bytes : 0;
  if (right && *size && image) return image;
  free(image);
  return NULL;
}

PetscErrorCode HgObservationsWrite(MPI_Comm comm, const char path[],
                                   const HgObservations *observations, const HgNote notes[]) {
  PetscMPIInt rank;
  char problem[1200] = "";
  size_t size = 0;
  void *image = NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0 && HgObservationsSound(observations, false, path, problem, sizeof problem)) {
    image = build_image(observations, notes, &size);
    if (!image) snprintf(problem, sizeof problem, "file '%s': cannot be built in memory", path);
  }
  PetscCall(HgAgree(comm, rank == 0 && !image, HG_ERR_FILE_FORMAT, "%s", problem));
  const PetscErrorCode ierr = HgFileWrite(comm, path, image, size);
  free(image);
  return ierr;
}
