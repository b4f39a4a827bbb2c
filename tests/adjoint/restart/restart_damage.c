/* Claim: a damaged generation is refused by name and the one before it serves: every byte changed, every
   truncation, every pair of bytes 0x0000 for 0xFFFF and back, a file that is missing; of another gradient
   none is looked at. */
#include "heat_case.h"
#include "refusal.h"
#include <dirent.h>
#include <errno.h>
#include <halograd/restart.h>
#include <halograd/stop.h>
#include <signal.h>

enum { STEPS = 5, STOP = 2, FILES = 16 };

static const char folder[] = "damage";

/* ---- the folder's files, in memory ---- */
typedef struct {
  char path[128];
  unsigned char *bytes;
  size_t size;
} File;

static File file[FILES];
static int files;
static long newest, before; /* numbers of the two generations */

/* In place: file systems write at once what is truncated and written anew. */
static void put(const File *f, size_t size) {
  FILE *out = fopen(f->path, "r+b");
  if (!out) out = fopen(f->path, "wb");
  if (!out || fwrite(f->bytes, 1, size, out) != size || fflush(out) ||
      ftruncate(fileno(out), (off_t)size) || fclose(out))
    abort();
}

static long number_of(const char path[]) { return atol(strchr(strrchr(path, '/'), '-') + 1); }

static void take(const char name[]) {
  File *const f = &file[files++];
  snprintf(f->path, sizeof f->path, "%s/%.100s", folder, name);
  FILE *const in = fopen(f->path, "rb");
  if (!in || fseek(in, 0, SEEK_END)) abort();
  f->size = (size_t)ftell(in);
  f->bytes = malloc(f->size);
  rewind(in);
  if (!f->bytes || fread(f->bytes, 1, f->size, in) != f->size || fclose(in)) abort();
  newest = PetscMax(newest, number_of(f->path));
}

static void take_all(void) {
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

static bool wants(void *self, HgMode direction, long n) {
  (void)self;
  return direction == stop_in && n == STOP;
}

static PetscErrorCode see(void *self, const HgTrajectorySight *s) {
  (void)self, (void)s;
  return raise(SIGTERM) ? PETSC_ERR_SYS : 0;
}

static PetscErrorCode begin(void *self, HgMode run) {
  (void)self, (void)run;
  return looks ? HG_ERROR_TOLD : 0;
}

typedef struct {
  HeatCase heat;
  HgRestart restart;
  HgState gradient;
} Case;

static PetscErrorCode create(Case *c) {
  const HeatSpec spec = {.nx = 3,
                         .ny = 3,
                         .steps = STEPS,
                         .conservative = true,
                         .policy = HG_SCHEDULE_REVOLVE,
                         .slots = 2};
  PetscCall(set_option("-hg_time_block", 1));
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c->heat));
  PetscCall(HgOperatorCreateInput(c->heat.op, &c->gradient));
  PetscCall(HgRestartCreate(
      c->heat.trajectory,
      &(HgRestartSpec){.directory = folder, .interval = 0, .unsynced = true, .quiet = true},
      &c->restart));
  return HgTrajectoryObserve(c->heat.trajectory,
                             &(HgTrajectoryObserver){.wants = wants, .see = see, .begin = begin});
}

static PetscErrorCode destroy(Case *c) {
  PetscCall(HgRestartDestroy(&c->restart));
  PetscCall(HgStateDestroy(&c->gradient));
  return heat_destroy(&c->heat);
}

static PetscErrorCode stop(Case *c) {
  double J;
  looks = false;
  REFUSED(HgTrajectoryGradient(c->heat.trajectory, c->heat.x, 1, &J, c->gradient),
          "SIGTERM: stopped at step 2 of 5", "the same command goes on");
  HgStopForget();
  HgErrorSetStatus(1);
  return 0;
}

/* Claims that it goes on at step `n`, after having named `name` (NULL: nothing is wrong). */
static PetscErrorCode look(Case *c, long n, const char name[], const char what[]) {
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

/* ---- damage ---- */
static PetscErrorCode damage(Case *c, File *f, size_t size, const char what[]) {
  const long n = stop_in == HG_PRIMAL ? STOP - 1 : STOP + 1;
  char words[256];
  snprintf(words, sizeof words, "%.120s: %.100s", f->path, what);
  put(f, size);
  return look(c, n, f->path, words);
}

static PetscErrorCode damage_all(Case *c, File *f) {
  char what[64];
  for (size_t k = 0; k < f->size; k++) {
    const unsigned char was = f->bytes[k];
    f->bytes[k] = (unsigned char)(was ^ (1 << (k * 5 + 3) % 8));
    snprintf(what, sizeof what, "byte %zu changed", k);
    PetscCall(damage(c, f, f->size, what));
    f->bytes[k] = was;
  }
  for (size_t size = 0; size < f->size; size++) {
    snprintf(what, sizeof what, "cut after %zu bytes", size);
    PetscCall(damage(c, f, size, what));
  }
  for (size_t k = 0; k + 1 < f->size; k++) {
    unsigned char *const b = f->bytes + k, was[] = {b[0], b[1]};
    if (b[0] != b[1] || (b[0] && b[0] != 0xFF)) continue;
    b[0] = b[1] = (unsigned char)~was[0];
    snprintf(what, sizeof what, "bytes %zu and next swapped", k);
    PetscCall(damage(c, f, f->size, what));
    b[0] = b[1] = was[0];
  }
  put(f, f->size);
  return 0;
}

static PetscErrorCode missing(Case *c, File *f) {
  if (unlink(f->path)) abort();
  const bool text = strstr(f->path, ".txt") != NULL; /* without it there is no such generation */
  const long n = stop_in == HG_PRIMAL ? STOP - 1 : STOP + 1;
  PetscCall(look(c, n, text ? NULL : f->path, "a missing file"));
  put(f, f->size);
  return 0;
}

/* Both damaged: it begins anew; x another: they are not its. */
static PetscErrorCode none_serves(Case *c) {
  char text[4096];
  HgMode sweep;
  long n;
  double J;
  for (int k = 0; k < files; k++)
    if (strstr(file[k].path, ".txt")) put(&file[k], file[k].size - 1);
  const Said said = said_begin();
  (void)HgTrajectoryGradient(c->heat.trajectory, c->heat.x, 1, &J, c->gradient);
  const int lines = said_end(said, text, sizeof text);
  HgRestartWentOn(c->restart, &sweep, &n);
  claim_that(lines == 2 && sweep == HG_NO_MODE, "both damaged: %d sentences, sweep %d", lines,
             (int)sweep);
  for (int k = 0; k < files; k++) put(&file[k], file[k].size);
  PetscCall(HgStateScale(c->heat.x, 1 + 1e-15));
  (void)HgTrajectoryGradient(c->heat.trajectory, c->heat.x, 1, &J, c->gradient);
  HgRestartWentOn(c->restart, &sweep, &n);
  claim_that(sweep == HG_NO_MODE, "of another x: goes on at step %ld", n);
  (void)HgTrajectoryGradient(c->heat.trajectory, c->heat.x, 2, &J, c->gradient);
  HgRestartWentOn(c->restart, &sweep, &n);
  claim_that(sweep == HG_NO_MODE, "of another J_bar: goes on at step %ld", n);
  return 0;
}

static PetscErrorCode test(HgMode sweep) {
  Case c;
  files = 0, newest = before = 0, stop_in = sweep;
  PetscCall(create(&c));
  PetscCall(HgRestartClear(c.restart)); /* of a test that was killed */
  PetscCall(stop(&c));
  PetscCall(destroy(&c)); /* a process ends, another begins */
  PetscCall(create(&c));
  take_all();
  claim_that(before == newest - 1, "two generations: %ld and %ld", before, newest);
  PetscCall(look(&c, STOP, NULL, "as it was left"));
  for (int k = 0; k < files; k++) {
    if (number_of(file[k].path) != newest) continue;
    PetscCall(damage_all(&c, &file[k]));
    PetscCall(missing(&c, &file[k]));
  }
  PetscCall(look(&c, STOP, NULL, "as it was left, again"));
  PetscCall(none_serves(&c));
  PetscCall(HgRestartClear(c.restart));
  claim_that(access(folder, F_OK) && errno == ENOENT, "a folder that is cleared is there");
  for (int k = 0; k < files; k++) free(file[k].bytes);
  return destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a damaged generation is refused by name, and the one before it serves", 0);
  if (!ierr) ierr = test(HG_COTANGENT);
  if (!ierr) ierr = test(HG_PRIMAL);
  return claim_end(ierr);
}
