/* SPDX-License-Identifier: BSD-2-Clause */
/* run.json: see results.h. Jansson writes it: a small library, in every distribution, that checks
   UTF-8 and keeps all 17 digits. */
#include "results_private.h"
#include <halograd/error_library.h>
#include <halograd/file.h>
#include <halograd/mesh_library.h>
#include <halograd/options_library.h>
#include <halograd/report_library.h>
#include <halograd/version.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct HgReport_s {
  MPI_Comm comm;
  int rank;
  double start;
  json_t *root; /* rank 0 only */
};

/* A copy of `text` in which every byte that is not part of well-formed UTF-8 is '?'; NULL: no
   memory. */
static char *plain_text(const char text[]) {
  char *const copy = strdup(text);
  for (char *c = copy; c && *c; c += PetscMax(1, HgCharacter(c)))
    if (!HgCharacter(c)) *c = '?';
  return copy;
}

static json_t *make_text(const char text[]) {
  if (!text) return json_null();
  char *const copy = plain_text(text);
  json_t *const value = copy ? json_string(copy) : NULL;
  free(copy);
  return value;
}

static json_t *make_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

/* Sets `key` to `value`, and takes ownership of it; NULL: out of memory. */
static PetscErrorCode set(HgReport report, const char key[], json_t *value) {
  char *const copy = plain_text(key), *rest = copy;
  json_t *group = report->root;
  bool memory = copy && value, done = false;
  while (memory && !done && json_is_object(group)) {
    const char *const part = strsep(&rest, ".");
    if (!*part) break;
    done = !rest;
    json_t *inner = done ? NULL : json_object_get(group, part);
    if (!inner) memory = !json_object_set_new(group, part, inner = done ? value : json_object());
    group = inner;
  }
  free(copy);
  if (!done) json_decref(value);
  PetscCheck(memory, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for '%s' of the report", key);
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "'%s' is no key of the report: expected names joined by dots, none of them a value",
             key);
  return 0;
}

PetscErrorCode HgReportSetText(HgReport report, const char key[], const char value[]) {
  if (report->root) PetscCall(set(report, key, make_text(value)));
  return 0;
}

PetscErrorCode HgReportSetInteger(HgReport report, const char key[], int64_t value) {
  if (report->root) PetscCall(set(report, key, json_integer(value)));
  return 0;
}

PetscErrorCode HgReportSetReal(HgReport report, const char key[], double value) {
  if (report->root) PetscCall(set(report, key, make_real(value)));
  return 0;
}

PetscErrorCode HgReportSetReals(HgReport report, const char key[], int count,
                                const double value[]) {
  if (!report->root) return 0;
  json_t *array = json_array();
  for (int k = 0; array && k < count; k++)
    if (json_array_append_new(array, make_real(value[k]))) {
      json_decref(array);
      array = NULL;
    }
  PetscCall(set(report, key, array));
  return 0;
}

PetscErrorCode HgReportSetFlag(HgReport report, const char key[], bool value) {
  if (report->root) PetscCall(set(report, key, json_boolean(value)));
  return 0;
}

PetscErrorCode HgReportSetOptions(HgReport report, HgOptions options) {
  const char *name, *value;
  char key[128];
  for (int k = 0; HgOptionsValue(options, k, &name, &value); k++) {
    snprintf(key, sizeof key, "options.%s", name + 1);
    PetscCall(HgReportSetText(report, key, value));
  }
  return 0;
}

PetscErrorCode HgReportSetMesh(HgReport report, HgMesh mesh) {
  const HgMeshSpec *spec = HgMeshGetSpec(mesh);
  int thin_x, thin_y, wide_x = 0, wide_y = 0;
  HgMeshThinnest(mesh, &thin_x, &thin_y);
  for (int r = 0; r < spec->px * spec->py; r++) {
    const HgPatch patch = HgMeshPatchOf(mesh, r);
    if (patch.nx > wide_x) wide_x = patch.nx;
    if (patch.ny > wide_y) wide_y = patch.ny;
  }
  PetscCall(HgReportSetInteger(report, "mesh.nx", spec->nx));
  PetscCall(HgReportSetInteger(report, "mesh.ny", spec->ny));
  if (spec->nz) PetscCall(HgReportSetInteger(report, "mesh.nz", spec->nz));
  if (spec->nz) PetscCall(HgReportSetReal(report, "mesh.dz", spec->dz));
  PetscCall(HgReportSetInteger(report, "mesh.px", spec->px));
  PetscCall(HgReportSetInteger(report, "mesh.py", spec->py));
  PetscCall(HgReportSetReal(report, "mesh.dx", spec->dx));
  PetscCall(HgReportSetReal(report, "mesh.dy", spec->dy));
  PetscCall(HgReportSetInteger(report, "mesh.ghost", spec->ghost));
  PetscCall(HgReportSetInteger(report, "mesh.narrowest.nx", thin_x));
  PetscCall(HgReportSetInteger(report, "mesh.narrowest.ny", thin_y));
  PetscCall(HgReportSetInteger(report, "mesh.widest.nx", wide_x));
  PetscCall(HgReportSetInteger(report, "mesh.widest.ny", wide_y));
  return 0;
}

static PetscErrorCode set_arguments(HgReport report) {
  int argc;
  char **argv;
  PetscCall(PetscGetArgs(&argc, &argv));
  json_t *array = report->root ? json_array() : NULL;
  for (int k = 1; array && k < argc; k++) /* the last one is ours: HgInitialize() */
    if (strcmp(argv[k], "-skip_petscrc")) json_array_append_new(array, make_text(argv[k]));
  if (report->root) PetscCall(set(report, "arguments", array));
  return 0;
}

static PetscErrorCode set_versions(HgReport report) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  PetscInt major, minor, subminor;
  int length;
  PetscCall(HgReportSetText(report, "versions.compiler", HALOGRAD_COMPILER));
  PetscCall(HgReportSetText(report, "versions.halograd", HALOGRAD_VERSION));
  PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, NULL));
  snprintf(text, sizeof text, "%d.%d.%d", (int)major, (int)minor, (int)subminor);
  PetscCall(HgReportSetText(report, "versions.petsc", text));
  PetscCallMPI(MPI_Get_library_version(text, &length));
  text[strcspn(text, ",\n")] = 0;
  PetscCall(HgReportSetText(report, "versions.mpi", text));
  HgReportVersionHDF5(text, sizeof text);
  PetscCall(HgReportSetText(report, "versions.hdf5", text));
  return 0;
}

/* Sets "host" of rank 0, "nodes" (machines of the run) and "ranks". */
static PetscErrorCode set_machine(HgReport report) {
  char host[MPI_MAX_PROCESSOR_NAME];
  int length, ranks, node_rank, nodes;
  MPI_Comm node;
  PetscCallMPI(MPI_Get_processor_name(host, &length));
  PetscCallMPI(MPI_Comm_size(report->comm, &ranks));
  PetscCallMPI(MPI_Comm_split_type(report->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_rank(node, &node_rank));
  PetscCallMPI(MPI_Comm_free(&node));
  const int first = !node_rank;
  PetscCallMPI(MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, report->comm));
  PetscCall(HgReportSetText(report, "host", host));
  PetscCall(HgReportSetInteger(report, "nodes", nodes));
  PetscCall(HgReportSetInteger(report, "ranks", ranks));
  return 0;
}

PetscErrorCode HgReportCreate(MPI_Comm comm, const char program[], HgReport *report) {
  char text[32];
  struct tm utc;
  const time_t now = time(NULL);
  PetscCall(PetscNew(report));
  (*report)->comm = comm;
  (*report)->start = MPI_Wtime();
  PetscCallMPI(MPI_Comm_rank(comm, &(*report)->rank));
  if (!(*report)->rank) (*report)->root = json_object();
  PetscCall(HgAgree(comm, !(*report)->rank && !(*report)->root, HG_ERR_MEMORY,
                    "no memory for the report"));
  PetscCall(HgReportSetText(*report, "program", program));
  PetscCall(set_arguments(*report));
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  PetscCall(HgReportSetText(*report, "started", text));
  PetscCall(set_machine(*report));
  PetscCall(set_versions(*report));
  return 0;
}

PetscErrorCode HgReportDestroy(HgReport *report) {
  if (!*report) return 0;
  json_decref((*report)->root);
  PetscCall(PetscFree(*report));
  return 0;
}

PetscErrorCode HgReportWrite(HgReport report, const char directory[], const char exit_reason[]) {
  char path[HG_FILE_PATH], *text = NULL;
  struct rusage usage;
  HgRequire(report->comm, strlen(directory) + sizeof "/run.json" <= sizeof path, HG_ERR_FILE_NAME,
            "run.json: the path of directory '%.80s...' is too long", directory);
  getrusage(RUSAGE_SELF, &usage);
  const int64_t mine = 1024 * (int64_t)usage.ru_maxrss; /* Linux counts kilobytes */
  int64_t peak = 0;
  PetscCallMPI(MPI_Reduce(&mine, &peak, 1, MPI_INT64_T, MPI_MAX, 0, report->comm));
  PetscCall(HgReportSetText(report, "exit", exit_reason));
  PetscCall(HgReportSetReal(report, "seconds", MPI_Wtime() - report->start));
  PetscCall(HgReportSetInteger(report, "peak_bytes", peak));
  if (report->root) text = json_dumps(report->root, JSON_INDENT(2));
  PetscCall(HgAgree(report->comm, report->root && !text, HG_ERR_MEMORY,
                    "no memory for the text of the report"));
  snprintf(path, sizeof path, "%s/run.json", directory);
  const size_t length = text ? strlen(text) : 0;
  if (text) text[length] = '\n'; /* in place of the final zero: the file ends with a line end */
  const PetscErrorCode ierr = HgFileWrite(report->comm, path, text, text ? length + 1 : 0);
  free(text);
  return ierr;
}
