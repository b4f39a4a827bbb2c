/* SPDX-License-Identifier: BSD-2-Clause */
/* claim: run.json is valid JSON that gives back every value that was set, and is written whole. */
#include "claim.h"
#include "refusal.h"
#include <halograd/file_library.h>
#include <halograd/report_library.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>

static void fail(const char what[], const char got[]) {
  claim_that(false, "%s, got '%s'", what, got);
}

static json_t *at(json_t *root, const char group[], const char key[]) {
  return json_object_get(group ? json_object_get(root, group) : root, key);
}

static void expect_text(json_t *root, const char group[], const char key[], const char expected[]) {
  const char *got = json_string_value(at(root, group, key));
  if (!got || strcmp(got, expected)) fail(expected, got ? got : "nothing");
}

static void expect_real(json_t *value, double expected) {
  const double got = json_real_value(value);
  if (!json_is_real(value) || memcmp(&got, &expected, sizeof got)) {
    char text[40];
    snprintf(text, sizeof text, "%a", got);
    fail("a real differs", text);
  }
}

/* As long as a path may be. */
static const char *far_path(void) {
  static char path[1024];
  for (size_t k = 0; k + 2 < sizeof path; k += 2) memcpy(path + k, "./", 2);
  return path;
}

static PetscErrorCode fill(HgReport report) {
  char far[1024];
  snprintf(far, sizeof far, "%s", far_path());
  const double curve[] = {1e300, NAN, 5e-324};
  HgOptions options;
  HgMesh mesh;
  int size, nx = 7;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  const HgMeshSpec spec = {
      .nx = 10 + size, .ny = 9, .px = size, .py = 1, .dx = 0.1, .dy = 1, .ghost = 1};
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "test", "a test", &options));
  PetscCall(HgOptionsInt(options, "-nx", "cells", "", 1, 9, &nx));
  PetscCall(HgOptionsString(options, "-far", "a path", sizeof far, far));
  PetscCall(HgReportSetOptions(report, options));
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgReportSetMesh(report, mesh));
  PetscCall(HgMeshDestroy(&mesh));
  PetscCall(HgReportSetText(report, "digest.J", "first"));
  PetscCall(HgReportSetText(report, "digest.J", "0x1.8p+1"));
  PetscCall(HgReportSetText(report, "digest.state", "0123456789abcdef"));
  PetscCall(HgReportSetText(report, "text", "\"quoted\"\n\\ \xc3\xa4 \xff \xc3"));
  PetscCall(HgReportSetInteger(report, "gauge.caf\xe9.count", 3));
  PetscCall(HgReportSetText(report, "nothing", NULL));
  PetscCall(HgReportSetInteger(report, "least", INT64_MIN));
  PetscCall(HgReportSetReal(report, "tenth", 0.1));
  PetscCall(HgReportSetReal(report, "minus_zero", -0.0));
  PetscCall(HgReportSetReal(report, "nan", NAN));
  PetscCall(HgReportSetReal(report, "infinite", -INFINITY));
  PetscCall(HgReportSetReals(report, "a.b.curve", 3, curve));
  PetscCall(HgReportSetFlag(report, "a.yes", true));
  return 0;
}

static void compare(json_t *root) {
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  expect_text(root, NULL, "program", "test");
  expect_text(root, NULL, "exit", "converged");
  expect_text(root, "options", "nx", "7");
  expect_text(root, "options", "far", far_path());
  expect_text(root, "digest", "J", "0x1.8p+1");
  expect_text(root, "digest", "state", "0123456789abcdef");
  expect_text(root, NULL, "text", "\"quoted\"\n\\ \xc3\xa4 ? ?");
  if (json_integer_value(at(at(root, NULL, "gauge"), "caf?", "count")) != 3)
    fail("a key that is no UTF-8 is lost", "");
  if (!json_is_null(at(root, NULL, "nothing"))) fail("null text is not null", "");
  if (json_integer_value(at(root, NULL, "least")) != INT64_MIN) fail("an integer differs", "");
  expect_real(at(root, NULL, "tenth"), 0.1);
  expect_real(at(root, NULL, "minus_zero"), -0.0);
  if (!json_is_null(at(root, NULL, "nan"))) fail("NaN is not null", "");
  if (!json_is_null(at(root, NULL, "infinite"))) fail("infinity is not null", "");
  json_t *curve = at(at(root, NULL, "a"), "b", "curve");
  if (json_array_size(curve) != 3) fail("an array has another size", "");
  expect_real(json_array_get(curve, 0), 1e300);
  if (!json_is_null(json_array_get(curve, 1))) fail("NaN in an array is not null", "");
  expect_real(json_array_get(curve, 2), 5e-324);
  if (!json_is_true(at(root, "a", "yes"))) fail("a flag differs", "");
  if (json_integer_value(at(root, NULL, "ranks")) != size) fail("ranks", "");
  if (json_integer_value(at(root, NULL, "nodes")) != 1) fail("nodes", "");
  if (json_integer_value(at(root, "mesh", "px")) != size) fail("px", "");
  if (json_integer_value(at(root, "mesh", "nx")) != 10 + size) fail("nx", "");
  if (!(json_real_value(at(root, NULL, "seconds")) > 0)) fail("seconds", "");
  if (json_integer_value(at(root, NULL, "peak_bytes")) < 1000000) fail("peak_bytes", "");
  const char *started = json_string_value(at(root, NULL, "started"));
  int year, month, day, hour, minute, second, end = 0;
  if (!started ||
      sscanf(started, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second,
             &end) < 6 ||
      end != 20)
    fail("started is no ISO time in UTC", started ? started : "nothing");
  static const char *const versions[] = {"halograd", "petsc", "mpi", "hdf5", "compiler"};
  for (int k = 0; k < 5; k++)
    if (!json_string_length(at(root, "versions", versions[k]))) fail("no version", versions[k]);
}

static PetscErrorCode run(void) {
  HgReport report;
  char directory[64], path[96], said_text[4096], *bytes;
  int number = (int)getpid();
  size_t size;
  PetscCallMPI(MPI_Bcast(&number, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  snprintf(directory, sizeof directory, "report_test.%d", number);
  snprintf(path, sizeof path, "%s/run.json", directory);
  PetscCall(HgReportCreate(PETSC_COMM_WORLD, "test", &report));
  PetscCall(fill(report));
  const Said said = said_begin();
  const PetscErrorCode ierr = HgReportWrite(report, directory, "too early");
  const int lines = said_end(said, said_text, sizeof said_text);
  if (ierr != HG_ERROR_TOLD || lines != 1)
    fail("a missing directory is not one sentence", said_text);
  PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, directory));
  PetscCall(HgReportWrite(report, directory, "running"));
  PetscCall(HgReportWrite(report, directory, "converged"));
  PetscCall(HgReportDestroy(&report));
  PetscCall(HgReportDestroy(&report));
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, path, 100000, &bytes, &size));
  json_error_t error;
  json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
  if (!root) fail(error.text, bytes);
  compare(root);
  json_decref(root);
  PetscCall(PetscFree(bytes));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!claim.rank && (remove(path) || remove(directory)))
    fail("temporary files are left over", directory);
  return 0;
}

CLAIM("run.json gives back every value that was set", 0, run)
