/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: observations read back with the bits that were written; every broken file is refused in
   one sentence, without a crash. */
#include "claim.h"
#include "refusal.h"
#include <halograd/file_library.h>
#include <halograd/observations.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { TIMES = 7, SENSORS = 3 };

static PetscErrorCode make(bool uniform, HgObservations **o) {
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "u", "K", TIMES, SENSORS, o));
  for (int n = 0; n < TIMES; n++) (*o)->time[n] = n * 0.1;
  for (int k = 0; k < SENSORS; k++) {
    (*o)->x[k] = 1.0 / (k + 3);
    (*o)->y[k] = k / 7.0;
  }
  for (int m = 0; m < TIMES * SENSORS; m++) {
    (*o)->value[m] = sin(m) * 1e3;
    (*o)->sigma[m] = uniform ? 0.01 : 0.01 * (1 + m);
  }
  return 0;
}

static bool same(const HgObservations *a, const HgObservations *b) {
  const size_t d = sizeof(double);
  return a->times == b->times && a->sensors == b->sensors && a->degrees == b->degrees &&
         strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0 &&
         memcmp(a->time, b->time, TIMES * d) == 0 && memcmp(a->x, b->x, SENSORS * d) == 0 &&
         memcmp(a->y, b->y, SENSORS * d) == 0 &&
         memcmp(a->value, b->value, TIMES * SENSORS * d) == 0 &&
         memcmp(a->sigma, b->sigma, TIMES * SENSORS * d) == 0;
}

static PetscErrorCode round_trip(const char path[], bool uniform, bool degrees) {
  HgObservations *o, *back;
  const HgNote notes[] = {{"command", "a test"}, {NULL, NULL}};
  PetscCall(make(uniform, &o));
  o->degrees = degrees;
  PetscCall(HgObservationsWrite(PETSC_COMM_WORLD, path, o, notes));
  PetscCall(HgObservationsRead(PETSC_COMM_WORLD, path, &back));
  PetscCall(HgAgree(PETSC_COMM_WORLD, !same(o, back), HG_ERR_CHECK_FAILED,
                    "claim broken: '%s' reads back differently", path));
  return DESTROY(&back, &o);
}

static PetscErrorCode refuse_values(const char path[]) {
  HgObservations *o;
  for (int k = 0; k < 8; k++) {
    PetscCall(make(false, &o));
    const char *says[] = {"time[3]",  "repeats", "comes before", "sensor 1",
                          "sensor 2", "value",   "deviation",    "deviation"};
    if (k == 0) o->time[3] = NAN;
    if (k == 1) o->time[3] = o->time[2];
    if (k == 2) o->time[3] = -1;
    if (k == 3) o->x[1] = INFINITY;
    if (k == 4) o->y[2] = NAN;
    if (k == 5) o->value[11] = -INFINITY;
    if (k == 6) o->sigma[11] = 0;
    if (k == 7) o->sigma[11] = NAN;
    REFUSED(HgObservationsWrite(PETSC_COMM_WORLD, path, o, NULL), path, says[k], "expected");
    PetscCall(HgObservationsDestroy(&o));
  }
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "c", "1", 1, 1, &o));
  o->sigma[0] = 0;
  REFUSED(HgObservationsWrite(PETSC_COMM_WORLD, path, o, NULL),
          "sensor 0 is 0, expected"); /* no unit */
  PetscCall(HgObservationsDestroy(&o));
  return HgAgree(PETSC_COMM_WORLD, access(path, F_OK) == 0, HG_ERR_CHECK_FAILED,
                 "claim broken: '%s' was left", path);
}

static PetscErrorCode refuse_sensors_outside(void) {
  HgMesh mesh;
  HgObservations *o;
  HgMeshSpec spec = {
      .nx = 40, .ny = 40, .x0 = 0.0125, .y0 = 0.0125, .dx = 0.025, .dy = 0.025, .ghost = 1};
  PetscCall(make(true, &o));
  o->x[0] = 1; /* on the edge: inside */
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgObservationsInside(o, mesh));
  o->y[2] = 1.001;
  REFUSED(HgObservationsInside(o, mesh), "sensor 2", "1.001", "0 to 1");
  PetscCall(HgMeshDestroy(&mesh));
  spec.periodic_y = true;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgObservationsInside(o, mesh));
  return DESTROY(&mesh, &o);
}

/* Damages of every kind: each is refused in one sentence, or read without a crash where nothing
   that counts was hit. */
static PetscErrorCode survive_damage(const char good[], const char bad[]) {
  char *bytes;
  size_t size;
  int refused = 0, tried = 0;
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, good, 1 << 20, &bytes, &size));
  for (size_t k = 0; k < 160; k++) {
    const size_t at = k * size / 160;
    const bool cut = k % 4 == 0;
    bytes[at] ^= (char)0xff;
    PetscCall(HgFileWrite(PETSC_COMM_WORLD, bad, bytes, cut ? at : size));
    bytes[at] ^= (char)0xff;
    HgObservations *o;
    refusal_begin();
    const PetscErrorCode ierr = HgObservationsRead(PETSC_COMM_WORLD, bad, &o);
    tried++;
    refused += ierr != 0;
    PetscCall(refusal_or_success(PETSC_COMM_WORLD, ierr, bad));
    if (!ierr) PetscCall(HgObservationsDestroy(&o));
    PetscCall(HgAgree(PETSC_COMM_WORLD, cut && !ierr, HG_ERR_CHECK_FAILED,
                      "claim broken: a file cut to %zu of %zu bytes was read", at, size));
  }
  PetscCall(PetscFree(bytes));
  return HgAgree(PETSC_COMM_WORLD, refused < tried / 2, HG_ERR_CHECK_FAILED,
                 "claim broken: %d of %d damages were noticed, expected half at least", refused,
                 tried);
}

/* Metres on a sphere, degrees in the plane. */
static PetscErrorCode refuse_other_places(void) {
  HgObservations *o;
  HgMesh plane, sphere;
  HgMeshSpec spec = {.nx = 40, .ny = 40, .dx = 0.025, .dy = 0.025, .ghost = 1};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &plane));
  spec.radius = 6.4e6;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &sphere));
  PetscCall(make(true, &o));
  PetscCall(HgObservationsInside(o, plane));
  REFUSED(HgObservationsInside(o, sphere), "'u'", "in m,", "expected degrees");
  o->degrees = true;
  PetscCall(HgObservationsInside(o, sphere));
  REFUSED(HgObservationsInside(o, plane), "'u'", "in degrees,", "expected m,");
  return DESTROY(&sphere, &plane, &o);
}

static PetscErrorCode run(void) {
  const int ranks = claim.ranks;
  char good[64], bad[64], fifo[64];
  HgObservations *o;
  snprintf(good, sizeof good, "observations_%d.h5", ranks);
  snprintf(bad, sizeof bad, "observations_bad_%d.h5", ranks);
  snprintf(fifo, sizeof fifo, "observations_fifo_%d", ranks);
  PetscCall(claim_clear(bad));
  PetscCall(round_trip(good, true, false));
  PetscCall(refuse_values(bad));
  PetscCall(refuse_sensors_outside());
  PetscCall(refuse_other_places());
  REFUSED(HgObservationsRead(PETSC_COMM_WORLD, "none.h5", &o), "none.h5", "No such file", "");
  REFUSED(HgObservationsRead(PETSC_COMM_WORLD, "/", &o), "'/'", "regular file", "");
  if (!claim.rank) mkfifo(fifo, 0600);
  REFUSED(HgObservationsRead(PETSC_COMM_WORLD, fifo, &o), fifo, "regular file", "");
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, bad, "time,x,y\n0,1,2\n", 15));
  REFUSED(HgObservationsRead(PETSC_COMM_WORLD, bad, &o), bad, "not an HDF5 file", "15 bytes");
  PetscCall(round_trip(good, true, true));
  PetscCall(round_trip(good, false, false));
  return survive_damage(good, bad);
}

CLAIM("observations read back with the bits that were written, or are refused", 0, run)
