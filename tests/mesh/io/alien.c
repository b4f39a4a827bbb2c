/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: files of other programs (alien_make.py) are read if they keep to the layout, else refused
   in one sentence that says why. */
#include "destroy.h"
#include "refusal.h"
#include <halograd/file_library.h>
#include <halograd/observations.h>
#include <halograd/results.h>
#include <stdlib.h>

static const char *directory;

static PetscErrorCode require(bool right, const char file[], const char what[]) {
  return HgAgree(PETSC_COMM_WORLD, !right, HG_ERR_CHECK_FAILED, "claim broken: '%s': %s", file,
                 what);
}

static PetscErrorCode read_observations(const char path[]) {
  HgObservations *o;
  PetscCall(HgObservationsRead(PETSC_COMM_WORLD, path, &o));
  const bool right = o->times == 5 && o->sensors == 3 && o->time[4] == 4 && o->x[2] == 0.75 &&
                     (o->value[14] == 14 || o->value[14] == 0) &&
                     (o->sigma[14] == 0.5 || o->sigma[14] == 1);
  PetscCall(HgObservationsDestroy(&o));
  return require(right, path, "other numbers were read than written");
}

/* After a refusal the field, and the time of a series, must be unchanged. */
static PetscErrorCode read_field(HgState q, const char path[], bool series, bool accepted) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  double time = -1;
  PetscCall(HgStateSetConstant(q, "u", -1));
  const PetscErrorCode ierr =
      series ? HgFieldReadAt(q, "u", path, "u", -1, &time) : HgFieldRead(q, "u", path, "u");
  bool right = time == (series && accepted ? 7.25 : -1);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double expected = accepted ? i + p->i_global + 8 * (j + p->j_global) : -1;
      right = right && HgStateRows(q, 0)[j][i] == expected;
    }
  PetscCall(require(right, path, "the field does not hold what it must"));
  return ierr;
}

static PetscErrorCode try_line(HgState q, char line[]) {
  char *word[4] = {line, "", "", ""};
  for (int k = 1; k < 4; k++) {
    char *bar = strchr(word[k - 1], '|');
    if (!bar) break;
    *bar = 0;
    word[k] = bar + 1;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, word[1]);
  const bool accepted = !word[2][0], series = strcmp(word[0], "series") == 0,
             field = series || strcmp(word[0], "field") == 0;
  if (accepted) return field ? read_field(q, path, series, true) : read_observations(path);
  if (field) REFUSED(read_field(q, path, series, false), path, word[2], word[3]);
  else REFUSED(read_observations(path), path, word[2], word[3]);
  return 0;
}

/* Whatever byte is damaged: one sentence or the numbers, never a crash or a hang. */
static PetscErrorCode survive_damage(const char good[], const char bad[]) {
  char *bytes, path[4096];
  size_t size;
  snprintf(path, sizeof path, "%s/%s", directory, good);
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, path, 1 << 20, &bytes, &size));
  for (size_t k = 0; k < 200; k++) {
    const size_t at = k * size / 200;
    bytes[at] ^= (char)0x81;
    PetscCall(HgFileWrite(PETSC_COMM_WORLD, bad, bytes, size));
    bytes[at] ^= (char)0x81;
    HgObservations *o;
    refusal_begin();
    const PetscErrorCode ierr = HgObservationsRead(PETSC_COMM_WORLD, bad, &o);
    PetscCall(refusal_or_success(PETSC_COMM_WORLD, ierr, bad));
    if (!ierr) PetscCall(HgObservationsDestroy(&o));
  }
  return PetscFree(bytes);
}

static PetscErrorCode run(void) {
  char path[4096], *text;
  size_t size;
  int lines = 0;
  HgMesh mesh;
  HgState q;
  const HgMeshSpec spec = {.nx = 8, .ny = 6, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &q));
  snprintf(path, sizeof path, "%s/manifest.txt", directory);
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, path, 1 << 16, &text, &size));
  for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
    *end = 0;
    PetscCall(try_line(q, line));
  }
  PetscCall(PetscFree(text));
  PetscCall(require(lines == 63, path, "a line for each of 63 files is expected"));
  PetscCall(DESTROY(&q, &mesh));
  return survive_damage("plain.h5", "damaged.h5");
}

int main(int argc, char **argv) {
  directory = argc > 1 ? argv[1] : ".";
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
