/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of options: what is let through ends PETSc's readers of text and of YAML, too, with options
   or an error. */
#define _GNU_SOURCE
#include "fuzz.h"
#include <dlfcn.h>
#include <halograd/options_library.h>

/* ---- what PETSc's readers leave behind when they fail is closed here, or it would fill the memory
   ---- */

/* Streams that a reader has opened; files include each other eight deep at most. */
enum { STREAMS = 16 };

static FILE *stream[STREAMS];
static bool reading; /* the fuzzer's own are not looked at */

static void *real(const char name[]) {
  void *const function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

static void replace_stream(const FILE *old, FILE *new) {
  int k = 0;
  while (k < STREAMS && stream[k] != old) k++;
  if (k < STREAMS) stream[k] = new;
  else if (!old) abort();
}

FILE *fopen(const char *path, const char *how) {
  static FILE *(*open_stream)(const char *, const char *);
  if (!open_stream) *(void **)&open_stream = real("fopen");
  FILE *const file = open_stream(path, how);
  if (file && reading) replace_stream(NULL, file);
  return file;
}

int fclose(FILE *file) {
  static int (*close_stream)(FILE *);
  if (!close_stream) *(void **)&close_stream = real("fclose");
  replace_stream(file, NULL);
  return close_stream(file);
}

/* A parser of YAML that has failed keeps 66 kB. */
int yaml_parser_load(void *parser, void *document);

int yaml_parser_load(void *parser, void *document) {
  static int (*load)(void *, void *);
  static void (*clear)(void *);
  if (!load) *(void **)&load = real("yaml_parser_load");
  if (!clear) *(void **)&clear = real("yaml_parser_delete");
  const int loaded = load(parser, document);
  if (!loaded) clear(parser);
  return loaded;
}

/* ---- the harness ---- */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  fuzz_start("options.txt");
  if (PetscPushErrorHandler(PetscReturnErrorHandler, NULL)) abort();
  return 0;
}

/* The first byte says which reader; PETSC_ERR_... is as good an end as options are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  PetscOptions options;
  char why[2048];
  if (!size) return 0;
  const bool yaml = *data % 2;
  const char *const path = fuzz_file(data + 1, size - 1);
  if (!HgOptionsFileCheck(yaml ? "-options_file_yaml" : "-options_file", path, sizeof why, why))
    return 0;
  if (PetscOptionsCreate(&options)) abort();
  reading = true;
  if (yaml) (void)PetscOptionsInsertFileYAML(PETSC_COMM_SELF, options, path, PETSC_TRUE);
  else (void)PetscOptionsInsertFile(PETSC_COMM_SELF, options, path, PETSC_TRUE);
  reading = false;
  if (PetscOptionsDestroy(&options)) abort();
  for (int k = 0; k < STREAMS; k++)
    if (stream[k]) fclose(stream[k]);
  return 0;
}
