/* SPDX-License-Identifier: BSD-2-Clause */
/* claim: every value of an option is taken exactly, or refused in one sentence on all ranks. */
#include "claim.h"
#include "refusal.h"
#include <halograd/options_library.h>
#include <limits.h>

/* One of each kind, as an app declares them. */
typedef struct {
  int nx, store, layers, width[3];
  long seed, cache;
  double dt, x0;
  bool check;
  char name[16], output[16];
} Values;

static const Values untouched = {.nx = 128,
                                 .seed = 1,
                                 .cache = 1 << 20,
                                 .dt = 0.25,
                                 .name = "plate",
                                 .output = "out",
                                 .layers = 2,
                                 .width = {8, 9}};

static PetscErrorCode declare(Values *v) {
  static const char *const stores[] = {"memory", "hdf5"};
  HgOptions options;
  *v = untouched;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "test", "a test", &options));
  PetscCall(HgOptionsGroup(options, "All"));
  PetscCall(HgOptionsInt(options, "-nx", "cells along x", "cells", 1, 100000, &v->nx));
  PetscCall(HgOptionsLong(options, "-seed", "seed of the noise", "", 0, LONG_MAX, &v->seed));
  PetscCall(HgOptionsInts(options, "-net", "layers of a net", 1, 64, 2, 3, &v->layers, v->width));
  PetscCall(HgOptionsBytes(options, "-cache", "size of a cache", 1 << 10, 1 << 30, &v->cache));
  PetscCall(HgOptionsReal(options, "-dt", "time step", "s", "(0, 10]", &v->dt));
  PetscCall(HgOptionsReal(options, "-x0", "west end", "m", "(-inf, inf)", &v->x0));
  PetscCall(HgOptionsChoice(options, "-store", "kind of store", 2, stores, &v->store));
  PetscCall(HgOptionsFlag(options, "-check", "check first", &v->check));
  PetscCall(HgOptionsString(options, "-name", "name of the case", sizeof v->name, v->name));
  PetscCall(HgOptionsString(options, "-output", "directory", sizeof v->output, v->output));
  PetscCall(HgOptionsEnd(options));
  PetscCall(HgOptionsCheckUnused(options));
  return 0;
}

static PetscErrorCode declared_late(void) {
  HgOptions options;
  bool late = false;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, "test", "a test", &options));
  PetscCall(HgOptionsEnd(options));
  REFUSED(HgOptionsFlag(options, "-late", "a flag", &late), "option -late is declared after all",
          "HgRunCommon()");
  return 0;
}

static void fail(const char line[], const char what[], const char said[]) {
  claim_that(false, "with '%s' %s; it said '%s'", line, what, said);
}

static PetscErrorCode try(const char line[], Values *v, char said_text[], size_t size, int *lines,
                          PetscErrorCode *ierr) {
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, line));
  const Said said = said_begin();
  *ierr = declare(v);
  *lines = said_end(said, said_text, size);
  return 0;
}

static PetscErrorCode refused(const char line[], const char expected[]) {
  Values v;
  char said[4096];
  int lines;
  PetscErrorCode ierr;
  PetscCall(try(line, &v, said, sizeof said, &lines, &ierr));
  if (ierr != HG_ERROR_TOLD) fail(line, "no error came back", said);
  if (lines != 1) fail(line, "there was not one sentence", said);
  if (!claim.rank && (strncmp(said, "halograd: ", 10) || !strstr(said, expected)))
    fail(line, expected, said);
  const Values was = {.nx = 128, .seed = 1, .cache = 1 << 20, .dt = 0.25};
  if (v.nx != was.nx || v.seed != was.seed || v.cache != was.cache || v.dt != was.dt || v.x0 != 0 ||
      v.store || v.check || v.layers != 2 || v.width[0] != 8 || v.width[1] != 9)
    fail(line, "a value was changed", said);
  return 0;
}

static PetscErrorCode taken(const char line[], const Values *expected) {
  Values v;
  char said[4096];
  int lines;
  PetscErrorCode ierr;
  PetscCall(try(line, &v, said, sizeof said, &lines, &ierr));
  if (ierr || lines) fail(line, "it was refused", said);
  if (v.nx != expected->nx || v.seed != expected->seed || v.cache != expected->cache ||
      v.dt != expected->dt || v.x0 != expected->x0 || v.store != expected->store ||
      v.check != expected->check || v.layers != expected->layers ||
      memcmp(v.width, expected->width, (size_t)v.layers * sizeof *v.width) ||
      strcmp(v.name, expected->name) || strcmp(v.output, expected->output))
    fail(line, "the values differ", said);
  return 0;
}

static PetscErrorCode run(void) {
  static const char *const integers[] = {"-5",   "0",   "4294967296", "4294967360",
                                         "nan",  "inf", "-inf",       "1e400",
                                         "1e3",  "abc", "12x",        "99999999999999999999999",
                                         "0x10", "1.5", "\" 7\"",     ""};
  static const char *const reals[] = {"-0.5",     "0",     "4294967360", "nan",
                                      "-nan",     "NaN",   "inf",        "-inf",
                                      "infinity", "1e400", "-1e400",     "1e-400",
                                      "abc",      "1.5x",  "1e",         "0x1p3",
                                      "1.5.2",    "--1",   "1,5",        "10.000000000000002",
                                      ""};
  static const char *const any_reals[] = {"nan", "inf", "-inf", "1e400", "-1e400", "abc", "1x", ""};
  char line[128];
  static const char *const lists[] = {
      "20",       "0,1", "1,65",  "1,2,3,4", "1,,2", "1,2,",         ",1,2",
      "1;2",      "a,b", "1.5,2", "nan,1",   "-3,4", "4294967297,1", "1,99999999999999999999999",
      "\"1, 2\"", ""};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    snprintf(line, sizeof line, "-net %s", lists[k]);
    PetscCall(refused(line, "option -net (layers of a net): expected 2 to 3 whole "
                            "numbers from 1 to 64 with commas between, got "));
  }
  for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
    snprintf(line, sizeof line, "-nx %s", integers[k]);
    PetscCall(refused(line, "option -nx (cells along x): expected a whole number from 1 to 100000 "
                            "[cells], got "));
  }
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    snprintf(line, sizeof line, "-dt %s", reals[k]);
    PetscCall(refused(line, "option -dt (time step): expected a number in (0, 10] [s], got "));
  }
  for (size_t k = 0; k < sizeof any_reals / sizeof *any_reals; k++) {
    snprintf(line, sizeof line, "-x0 %s", any_reals[k]);
    PetscCall(refused(line, "option -x0 (west end): expected a finite number [m], got "));
  }
  static const char *const sizes[] = {"-1",      "0",      "1023",
                                      "1025MiB", "2GiB",   "1.5MiB",
                                      "512KB",   "512kib", "KiB",
                                      "4 KiB",   "4KiBx",  "99999999999GiB",
                                      "nan",     "0x400",  "9999999999999999999",
                                      ""};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    snprintf(line, sizeof line, "-cache \"%s\"", sizes[k]);
    PetscCall(
        refused(line, "option -cache (size of a cache): expected bytes from 1KiB to 1GiB, got "));
  }
  PetscCall(refused("-seed -1", "option -seed"));
  PetscCall(refused("-seed 9223372036854775808", "from 0 to 9223372036854775807"));
  PetscCall(refused("-nx -dt 1", "got no value"));
  PetscCall(refused("-store disk", "expected one of memory|hdf5, got 'disk'"));
  PetscCall(refused("-store", "got no value"));
  PetscCall(refused("-store 1", "got '1'"));
  PetscCall(refused("-check maybe", "got 'maybe'"));
  PetscCall(refused("-check nan", "got 'nan'"));
  PetscCall(refused("-check 4294967297", "got '4294967297'"));
  PetscCall(refused("-name", "got no value"));
  PetscCall(refused("-name 0123456789abcdef", "expected a text of 1 to 15 plain bytes"));
  PetscCall(refused("-output", "got no value"));
  PetscCall(refused("-output \"a\nb\"", "expected a text of 1 to 15 plain bytes"));
  PetscCall(refused("-ny 4", "unknown option -ny; did you mean -nx?"));
  PetscCall(refused("-ouptut x", "did you mean -output?"));
  PetscCall(refused("-nx=64", "after a blank: -nx 64"));
  PetscCall(refused("-zzz", "unknown option -zzz; -help lists"));
  PetscCall(
      refused("-hg_time_blok 4", "unknown option -hg_time_blok; did you mean -hg_time_block?"));
  PetscCall(refused("-hg_traces", "unknown option -hg_traces; did you mean -hg_trace?"));
  PetscCall(refused("-hg_", "unknown option -hg_"));
  PetscCall(
      refused("-input_memry 1GiB", "unknown option -input_memry; did you mean -input_memory?"));
  PetscCall(
      refused("-hg_tile_rows 4", "option -hg_tile_rows is used by nothing in this run of test"));
  PetscCall(refused("-tao_typ lmvm", "option -tao_typ is used by nothing in this run of test; did "
                                     "you mean -tao_type?"));
  Values v = untouched;
  PetscCall(taken("", &v));
  v.layers = 3, v.width[0] = 64, v.width[1] = 1, v.width[2] = 20;
  PetscCall(taken("-net 64,1,20", &v));
  v.layers = 2, v.width[0] = 7, v.width[1] = 3;
  PetscCall(taken("-net +7,3", &v));
  v.width[0] = 8, v.width[1] = 9;
  PetscCall(taken("-log_view :/dev/null -options_left no -mat_view no -tao_converged_reason", &v));
  static const char *const good[] = {"1024", "1KiB", "262144", "256KiB", "1GiB"};
  static const long read[] = {1 << 10, 1 << 10, 1 << 18, 1 << 18, 1 << 30};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
    snprintf(line, sizeof line, "-cache %s", good[k]);
    v.cache = read[k];
    PetscCall(taken(line, &v));
  }
  v.cache = 1 << 20;
  v.nx = 100000;
  PetscCall(taken("-nx 100000", &v));
  v.nx = 1;
  PetscCall(taken("-nx 7 -nx +1", &v));
  v.seed = LONG_MAX;
  PetscCall(taken("-NX 1 -seed 9223372036854775807", &v));
  v.dt = 10, v.x0 = -1.5;
  PetscCall(taken("-nx 1 -seed 9223372036854775807 -x0 -1.5 -dt 1e1", &v));
  v.dt = 5e-300, v.x0 = -.5e-3, v.check = true, v.store = 1;
  PetscCall(taken("-nx 1 -seed 9223372036854775807 -check -x0 -.5e-3 -dt 5e-300 -store hdf5", &v));
  v = (Values){.nx = 128,
               .seed = 1,
               .cache = 1 << 20,
               .dt = 0.25,
               .name = "-1 x",
               .output = "0123456789abcde",
               .layers = 2,
               .width = {8, 9}};
  PetscCall(taken("-name \"-1 x\" -output 0123456789abcde -check no", &v));
  PetscCall(PetscOptionsClear(NULL));
  return declared_late();
}

CLAIM("every value of an option is taken exactly, or refused in one sentence", 0, run)
