/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a damaged generation is refused by name and the one before it serves: every byte changed,
   every truncation, every pair of bytes 0x0000 for 0xFFFF and back, a file that is missing; of
   another gradient none is looked at. */
#include "draws.h"
#include "stopped_gradient.h"

enum { FURTHER = SANITIZED ? 3 : 1 }; /* bytes from one damage to the next */

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
  for (size_t k = 0; k < f->size; k += FURTHER) {
    const unsigned char was = f->bytes[k];
    f->bytes[k] = (unsigned char)(was ^ (1 << (k * 5 + 3) % 8));
    snprintf(what, sizeof what, "byte %zu changed", k);
    PetscCall(damage(c, f, f->size, what));
    f->bytes[k] = was;
  }
  for (size_t size = 0; size < f->size; size += FURTHER) {
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
  PetscCall(stop_and_take(sweep, &c));
  for (int k = 0; k < files; k++) {
    if (number_of(file[k].path) != newest) continue;
    PetscCall(damage_all(&c, &file[k]));
    PetscCall(missing(&c, &file[k]));
  }
  PetscCall(look(&c, STOP, NULL, "as it was left, again"));
  PetscCall(none_serves(&c));
  return clear_away(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a damaged generation is refused by name, and the one before it serves", 0);
  folder = "damage";
  if (!ierr) ierr = test(HG_COTANGENT);
  if (!ierr) ierr = test(HG_PRIMAL);
  return claim_end(ierr);
}
