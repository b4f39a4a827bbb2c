/* SPDX-License-Identifier: BSD-2-Clause */
/* A gradient that is stopped half way, the files of its folder in memory, and a look at where it
   would go on: for tests that damage these files. On one process. */
#ifndef TESTS_STOPPED_GRADIENT_H
#define TESTS_STOPPED_GRADIENT_H

#include "heat_case.h"
#include "refusal.h"
#include <dirent.h>
#include <errno.h>
#include <halograd/error_library.h>
#include <halograd/restart_library.h>
#include <signal.h>

enum { STEPS = 5, STOP = 2, FILES = 16 };

static const char *folder; /* of the test */

/* ---- its files, in memory ---- */
typedef struct {
  char path[128];
  unsigned char *bytes;
  size_t size;
} File;

static File file[FILES];
static int files;
static long newest, before; /* numbers of the two generations */

/* In place: file systems write at once what is truncated and written anew. */
static inline void put(const File *f, size_t size) {
  FILE *out = fopen(f->path, "r+b");
  if (!out) out = fopen(f->path, "wb");
  if (!out || fwrite(f->bytes, 1, size, out) != size || fflush(out) ||
      ftruncate(fileno(out), (off_t)size) || fclose(out))
    abort();
}

static inline long number_of(const char path[]) {
  return atol(strchr(strrchr(path, '/'), '-') + 1);
}

/* The file f->path into memory. */
static inline void read_file(File *f) {
  FILE *const in = fopen(f->path, "rb");
  if (!in || fseek(in, 0, SEEK_END)) abort();
  f->size = (size_t)ftell(in);
  f->bytes = malloc(f->size);
  rewind(in);
  if (!f->bytes || fread(f->bytes, 1, f->size, in) != f->size || fclose(in)) abort();
}

static inline void take(const char name[]) {
  File *const f = &file[files++];
  snprintf(f->path, sizeof f->path, "%s/%.100s", folder, name);
  read_file(f);
  newest = PetscMax(newest, number_of(f->path));
}

static inline void take_all(void) {
  DIR *const list = opendir(folder);
  if (!list) abort();
  for (struct dirent *e; (e = readdir(list));)
    if (*e->d_name != '.') take(e->d_name);
  closedir(list);
  for (int k = 0; k < files; k++)
    if (number_of(file[k].path) < newest) before = number_of(file[k].path);
}

/* ---- a gradient that only looks where it would go on ---- */
static HgMode stop_in;
static bool looks;

static inline long next_stop(void *self, HgMode direction, long n) {
  (void)self;
  return direction == stop_in && n <= STOP ? STOP : HG_NO_STEP;
}

static inline PetscErrorCode see(void *self, const HgTrajectorySight *s) {
  (void)self, (void)s;
  return raise(SIGTERM) ? PETSC_ERR_SYS : 0;
}

static inline PetscErrorCode begin(void *self, HgMode run) {
  (void)self, (void)run;
  return looks ? HG_ERROR_TOLD : 0;
}

typedef struct {
  HeatCase heat;
  HgRestart restart;
  HgState gradient;
} Case;

static inline PetscErrorCode create(Case *c) {
  const HeatSpec spec = {.nx = 3, .ny = 3, .steps = STEPS, .conservative = true, .slots = 2};
  PetscCall(set_option("-hg_time_block", 1));
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c->heat));
  PetscCall(HgOperatorCreateInput(c->heat.op, &c->gradient));
  PetscCall(HgRestartCreate(c->heat.trajectory,
                            &(HgRestartSpec){.directory = folder, .interval = 0, .unsynced = true},
                            &c->restart));
  return HgTrajectoryAddObserver(
      c->heat.trajectory, &(HgTrajectoryObserver){.next = next_stop, .see = see, .begin = begin});
}

static inline PetscErrorCode destroy(Case *c) {
  PetscCall(HgRestartDestroy(&c->restart));
  PetscCall(HgStateDestroy(&c->gradient));
  return heat_destroy(&c->heat);
}

static inline PetscErrorCode stop(Case *c) {
  double J;
  looks = false;
  REFUSED(HgTrajectoryGradient(c->heat.trajectory, c->heat.x, 1, &J, c->gradient),
          "SIGTERM: stopped at step 2 of 5", "the same command goes on");
  HgStopForget();
  HgErrorSetStatus(1);
  return 0;
}

/* Claims that it goes on at step `n`, after having named `name` (NULL: nothing is wrong). */
static inline PetscErrorCode look(Case *c, long n, const char name[], const char what[]) {
  char text[4096];
  HgMode sweep;
  long at;
  double J;
  looks = true;
  const Said said = said_begin();
  const PetscErrorCode ierr =
      HgTrajectoryGradient(c->heat.trajectory, c->heat.x, 1, &J, c->gradient);
  const int lines = said_end(said, text, sizeof text);
  HgRestartWentOn(c->restart, &sweep, &at);
  claim_that(ierr == HG_ERROR_TOLD && at == n && (n < 0 || sweep == stop_in),
             "%s: goes on at step %ld of sweep %d, expected %ld", what, at, (int)sweep, n);
  if (!name) return !claim_that(!lines, "%s: nothing is wrong, but: %s", what, text);
  claim_that(lines == 1 && strstr(text, name), "%s: '%s' is not named in: %s", what, name, text);
  return 0;
}

/* Stops a gradient in a sweep: two generations are there, and it would go on. */
static inline PetscErrorCode stop_and_take(HgMode sweep, Case *c) {
  files = 0, newest = before = 0, stop_in = sweep;
  PetscCall(create(c));
  PetscCall(HgRestartClear(c->restart)); /* of a test that was killed */
  PetscCall(stop(c));
  PetscCall(destroy(c)); /* a process ends, another begins */
  PetscCall(create(c));
  take_all();
  claim_that(before == newest - 1, "two generations: %ld and %ld", before, newest);
  return look(c, STOP, NULL, "as it was left");
}

static inline PetscErrorCode clear_away(Case *c) {
  PetscCall(HgRestartClear(c->restart));
  claim_that(access(folder, F_OK) && errno == ENOENT, "a folder that is cleared is there");
  for (int k = 0; k < files; k++) free(file[k].bytes);
  return destroy(c);
}

#endif
