/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: gauges in text tables read back with the bits that were written, and every broken table is
   refused in one sentence; what is read at a place has the same bits on any decomposition. */
#include "claim.h"
#include "refusal.h"
#include "same_bits.h"
#include "spots.h"
#include <halograd/file.h>
#include <halograd/gauges.h>
#include <halograd/state.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { TIMES = 5, GAUGES = 3 };

static double bottom(double x, double y, void *context) {
  return (void)context, -100 + 0.25 * x - 0.125 * y + 0.5 * x * y;
}

static PetscErrorCode make(HgObservations **o) {
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "eta", "m", TIMES, GAUGES, o));
  for (int n = 0; n < TIMES; n++) (*o)->time[n] = n / 3.0;
  for (int k = 0; k < GAUGES; k++) (*o)->x[k] = k * 7 / 3.0, (*o)->y[k] = k * 5 / 3.0 - 1e-17;
  for (int m = 0; m < TIMES * GAUGES; m++)
    (*o)->value[m] = sin(m) * pow(10, -m), (*o)->sigma[m] = 0.1;
  (*o)->value[0] = 0, (*o)->sigma[0] = INFINITY; /* a gap */
  return 0;
}

static PetscErrorCode round_trip(const char path[], bool degrees) {
  HgObservations *o, *back;
  const HgNote notes[] = {{"command", "two\nlines"}, {NULL, NULL}};
  PetscCall(make(&o));
  o->degrees = degrees;
  PetscCall(HgGaugesWrite(PETSC_COMM_WORLD, path, o, NULL, notes));
  PetscCall(HgGaugesRead(PETSC_COMM_WORLD, path, degrees, 7, &back));
  claim_that(back->degrees == degrees, "'%s' reads back in degrees: %d", path, back->degrees);
  PetscCall(HgObservationsDestroy(&back));
  REFUSED(HgGaugesRead(PETSC_COMM_WORLD, path, !degrees, 7, &back), path, "line 2",
          degrees ? "NUMBER [m]'" : "NUMBER [degrees]', east and north");
  PetscCall(HgGaugesRead(PETSC_COMM_WORLD, path, degrees, 7, &back));
  claim_that(back->times == TIMES && back->sensors == GAUGES && !strcmp(back->name, "eta") &&
                 !strcmp(back->unit, "m"),
             "'%s' has %d times, %d gauges of '%s' [%s]", path, back->times, back->sensors,
             back->name, back->unit);
  for (int n = 0; n < TIMES; n++) claim_same(back->time[n], o->time[n], "time %d", n);
  for (int k = 0; k < GAUGES; k++) claim_same(back->x[k], o->x[k], "x of gauge %d", k);
  for (int k = 0; k < GAUGES; k++) claim_same(back->y[k], o->y[k], "y of gauge %d", k);
  for (int m = 0; m < TIMES * GAUGES; m++) claim_same(back->value[m], o->value[m], "value %d", m);
  for (int m = 0; m < TIMES * GAUGES; m++) claim_same(back->sigma[m], o->sigma[m], "sigma %d", m);
  return DESTROY(&back, &o);
}

static PetscErrorCode put(const char path[], const char text[]) {
  return HgFileWrite(PETSC_COMM_WORLD, path, text, strlen(text));
}

/* As others write it: other names and orders, blanks, empty lines, comments, DOS line ends. */
static PetscErrorCode read_foreign(const char path[]) {
  HgObservations *o;
  PetscCall(put(path,
                "\xEF\xBB\xBF# Tide gauges of Atlantis\r\n# gauge south x 1 y -0.25 [m]\r\n#\r\n"
                "# gauge 21401 x 3e0 y 4 [m]\r\n\r\n"
                " time [s] , gauge 21401 [m],gauge south [m]\r\n0, 1.5 ,-2\r\n\r\n"
                "# a pause\r\n 60,2.5,+.5e1"));
  PetscCall(HgGaugesRead(PETSC_COMM_WORLD, path, false, 0.25, &o));
  claim_that(o->times == 2 && o->sensors == 2, "%d x %d values, expected 2 x 2", o->times,
             o->sensors);
  const double x[2] = {3, 1}, y[2] = {4, -0.25}, time[2] = {0, 60}, value[4] = {1.5, -2, 2.5, 5};
  for (int k = 0; k < 2; k++) claim_same(o->x[k], x[k], "foreign x %d", k);
  for (int k = 0; k < 2; k++) claim_same(o->y[k], y[k], "foreign y %d", k);
  for (int k = 0; k < 2; k++) claim_same(o->time[k], time[k], "foreign time %d", k);
  for (int k = 0; k < 4; k++) claim_same(o->value[k], value[k], "foreign value %d", k);
  for (int k = 0; k < 4; k++) claim_same(o->sigma[k], 0.25, "foreign sigma %d", k);
  PetscCall(HgObservationsDestroy(&o));
  PetscCall(put(path, "#gauge 1 x 1 y 2 [degrees]\n#sigma 5 [m]\n# gauged by hand, sigmas guessed\n"
                      "time [s],elevation [m]\n-3,4\n"));
  PetscCall(HgGaugesRead(PETSC_COMM_WORLD, path, true, 0.25, &o));
  claim_that(o->degrees, "degrees in the file are none in the observations");
  claim_same(o->sigma[0], 5, "sigma without a blank");
  claim_that(o->times == 1 && o->sensors == 1, "%d x %d values, expected 1 x 1", o->times,
             o->sensors);
  return HgObservationsDestroy(&o);
}

/* As GeoClaw writes it, in its present way and in an older one. */
static PetscErrorCode read_geoclaw(const char path[]) {
  static const char *const head[] = {
      "# gauge_id= 32412 location=(  -0.2500000000E+00   0.1750000000E+01 ) num_var=  4\n"
      "# Stationary gauge\n# level, time, q[  1  2  3], eta, aux[]\n"
      "# file format ascii, time series follow in this file\n",
      "# gauge_id=     1 location=(  -2.5000000e-01   1.7500000e+00 ) num_eqn=  4\n"
      "# Columns: level time h    hu    hv    eta\n"};
  for (int k = 0; k < 2; k++) {
    HgObservations *o;
    char text[1024];
    snprintf(text, sizeof text, "%s   01   0.0E+00  4.4E+03 0 0   0.5\n 02 1.5e1 4.4E3 1 1 -.25\n",
             head[k]);
    PetscCall(put(path, text));
    PetscCall(HgGaugesRead(PETSC_COMM_WORLD, path, false, 0.125, &o));
    claim_that(o->times == 2 && o->sensors == 1, "GeoClaw %d: %d x %d values", k, o->times,
               o->sensors);
    const double found[] = {o->x[0],     o->y[0],     o->time[0], o->time[1],
                            o->value[0], o->value[1], o->sigma[1]},
                 expected[] = {-0.25, 1.75, 0, 15, 0.5, -0.25, 0.125};
    for (int n = 0; n < 7; n++) claim_same(found[n], expected[n], "GeoClaw %d: number %d", k, n);
    PetscCall(HgObservationsDestroy(&o));
  }
  return 0;
}

/* Files with times of their own, one of two gauges: gaps where the others have times. */
static PetscErrorCode join(const char first[], const char second[]) {
  HgObservations *o;
  char both[256];
  snprintf(both, sizeof both, "%s,%s", first, second);
  PetscCall(put(first, "# gauge a x 1 y 2 [m]\n# gauge b x 2 y 2 [m]\n# sigma 0.5 [m]\n"
                       "time [s],gauge a [m],gauge b [m]\n0,1,2\n20,3,\n"));
  PetscCall(put(second, "# gauge c x 3 y 2 [m]\ntime [s],elevation [m]\n-10,5\n20,6\n30,7\n"));
  PetscCall(HgGaugesRead(PETSC_COMM_WORLD, both, false, 0.25, &o));
  claim_that(o->times == 4 && o->sensors == 3, "%d x %d values, expected 4 x 3", o->times,
             o->sensors);
  static const double time[4] = {-10, 0, 20, 30}, value[12] = {0, 0, 5, 1, 2, 0, 3, 0, 6, 0, 0, 7};
  for (int n = 0; n < 4; n++) claim_same(o->time[n], time[n], "joined time %d", n);
  for (int k = 0; k < 3; k++) claim_same(o->x[k], k + 1, "joined x %d", k);
  for (int k = 0; k < 3; k++) claim_same(o->y[k], 2, "joined y %d", k);
  for (int m = 0; m < 12; m++) {
    claim_same(o->value[m], value[m], "joined value %d", m);
    claim_same(o->sigma[m],
               value[m] == 0 ? INFINITY
               : m % 3 == 2  ? 0.25
                             : 0.5,
               "joined sigma %d", m);
  }
  REFUSED(HgObservationsWrite(PETSC_COMM_WORLD, "gaps.h5", o, NULL), "gaps.h5", "inf m");
  PetscCall(HgObservationsDestroy(&o));
  PetscCall(put(second, "alien"));
  REFUSED(HgGaugesRead(PETSC_COMM_WORLD, both, false, 1, &o), second,
          "'alien', expected 'time [s]'");
  snprintf(both, sizeof both, "%s,%s", first, first);
  REFUSED(HgGaugesRead(PETSC_COMM_WORLD, both, false, 1, &o), first, "expected each reading once");
  REFUSED(HgGaugesRead(PETSC_COMM_WORLD, ",", false, 1, &o), "names no file");
  return 0;
}

static PetscErrorCode refuse_tables(const char path[]) {
#define ONE "# gauge 1 x 1 y 2 [m]\n"
#define TWO ONE "# gauge 2 x 2 y 2 [m]\n"
#define TITLE "time [s],elevation [m]\n"
#define CLAW "# gauge_id= 7 location=( 1 2 ) num_var= 4\n"
#define Q "# level, time, q[  1  2  3], eta, aux[]\n"
#define TITLES "time [s],gauge 1 [m],gauge 2 [m]\n"
  static const char *const table[][3] = {
      {"", "no columns", "expected 'time [s]"},
      {ONE, "no columns", "expected 'time [s]"},
      {ONE TITLE, "no rows of numbers", ""},
      {ONE TITLE "# only a comment\n", "no rows of numbers", ""},
      {"# gauge 1 x 1 y 2\n" TITLE "0,1\n", "line 1", "'# gauge NAME x NUMBER y NUMBER [m]'"},
      {"# gauge 1 x 1 y 2 [km]\n" TITLE "0,1\n", "line 1", "[km]"},
      {"# gauge 1 x one y 2 [m]\n" TITLE "0,1\n", "line 1", "x one"},
      {"# gauge 1 x nan y 2 [m]\n" TITLE "0,1\n", "line 1", "x nan"},
      {"# gauge 1 x 1 [m]\n" TITLE "0,1\n", "line 1", "expected"},
      {ONE ONE TITLE "0,1\n", "line 2", "gauge '1' was placed before"},
      {ONE "# sigma 0 [m]\n" TITLE "0,1\n", "line 2", "deviation 0 m, expected"},
      {ONE "# sigma 1e-200 [m]\n" TITLE "0,1\n", "line 2", "whose square and its inverse"},
      {ONE "# sigma 1e200 [m]\n" TITLE "0,1\n", "line 2", "whose square and its inverse"},
      {ONE "# sigma nan [m]\n" TITLE "0,1\n", "line 2", "deviation nan m"},
      {ONE "# sigma: 5\n" TITLE "0,1\n", "line 2", "'# sigma: 5', expected '# sigma NUMBER [m]'"},
      {ONE TITLE "0,1\n# sigma 5 [m]\n", "line 4", "below the titles, expected above"},
      {ONE TITLE "0,1\n#gauge 2 x 1 y 2 [m]\n", "line 4", "below the titles, expected above"},
      {"#gauge: 1\n" ONE TITLE "0,1\n", "line 1", "'# gauge NAME x NUMBER y NUMBER [m]'"},
      {ONE "# sigma 1 cm\n" TITLE "0,1\n", "line 2", "expected '# sigma NUMBER [m]'"},
      {"# sigma 2 [m]\n" ONE "# sigma 1 [m]\n" TITLE "0,1\n", "line 3", "'# sigma' before"},
      {TITLE "0,1\n", "line 1", "0 lines '# gauge"},
      {TWO TITLE "0,1\n", "line 3", "2 lines '# gauge"},
      {TWO "time,gauge 1 [m],gauge 2 [m]\n0,1,1\n", "line 3", "'time', expected 'time [s]'"},
      {TWO "time [min],gauge 1 [m],gauge 2 [m]\n0,1,1\n", "line 3", "'time [min]'"},
      {TWO "time [s],gauge 1 [m]\n0,1\n", "line 3", "no column of gauge '2'"},
      {TWO "time [s],gauge 1 [m],gauge 1 [m]\n0,1,1\n", "line 3", "comes twice"},
      {TWO "time [s],gauge 1 [m],gauge 3 [m]\n0,1,1\n", "line 3", "without a line '# gauge 3 x"},
      {TWO "time [s],gauge 1 [m],gauge 2 [cm]\n0,1,1\n", "line 3", "'gauge 2 [cm]', expected"},
      {ONE "time [s],pressure [Pa]\n0,1\n", "line 2", "'pressure [Pa]', expected"},
      {"time [s]\n0\n", "line 1", "no column of elevations"},
      {ONE "0,1\n1,2\n", "line 2", "'0', expected 'time [s]'"},
      {TWO TITLES "0,1,1\n1,1\n", "line 5", "2 columns, expected 3"},
      {TWO TITLES "0,1,1\n1,1,1,1\n", "line 5", "more than 3 columns"},
      {TWO TITLES "0,1,1\n1,1,one\n", "line 5",
       "column 3 is 'one', expected a finite decimal number"},
      {TWO TITLES "0,1,1\n1,0x1p4,1\n", "line 5", "column 2 is '0x1p4', expected a finite decimal"},
      {TWO TITLES "0,1,1\n1,1,-2e6\n", "line 5", "column 3 is '-2e6'"},
      {TWO TITLES "0,1,1\n1e13,1,1\n", "line 5", "column 1 is '1e13'"},
      {TWO TITLES "0,1,1\n,1,1\n", "line 5", "column 1 is ''"},
      {TWO TITLES "0,1,\n1,1,\n", "gauge '2' has no value at any time", ""},
      {TWO TITLES "0,1,1\n1,nan,1\n", "line 5", "column 2 is 'nan'"},
      {TWO TITLES "0,1,1\n1,1,1e400\n", "line 5", "column 3 is '1e400'"},
      {TWO TITLES "0,1,1\ninf,1,1\n", "line 5", "column 1 is 'inf'"},
      {TWO TITLES "0;1;1\n", "line 4", "'0;1;1'"},
      {CLAW "1 0 9 0 0 1\n", "line 2", "no line '# level, time, q[ 1 2 3 ], eta'"},
      {CLAW Q "1 0 9 0 0\n", "line 3", "5 columns, expected 6"},
      {CLAW Q "1 0 9 0 0 1 1\n", "line 3", "more than 6 columns"},
      {CLAW Q "1 0 9 0 0 x\n", "line 3", "column 6 is 'x'"},
      {CLAW Q "1 1 9 0 0 1\n2 1 9 0 0 1\n", "line 4", "repeats"},
      {CLAW Q, "no columns", ""},
      {CLAW ONE Q "1 0 9 0 0 1\n", "line 2", "in a file of one gauge"},
      {CLAW CLAW Q "1 0 9 0 0 1\n", "line 2", "expected one '# gauge_id="},
      {CLAW "# level, time, q[ 1 2 3 4 5], eta\n1 0 9 0 0 1\n", "line 3", "which of 6 columns"},
      {CLAW "# level, time, q[ 1 x ], eta\n1 0 9 0 0 1\n", "line 2", "expected '# level"},
      {CLAW "# Lagrangian particle\n" Q "1 0 9 0 0 1\n", "line 2", "stationary"},
      {CLAW Q "# file format binary64, time series in .bin file\n", "line 3", "ASCII"},
      {"# gauge_id= 7 location=( 1 ) num_var= 4\n" Q "1 0 9 0 0 1\n", "line 1", "expected one"},
      {TWO TITLES "0,1,1\n2,1,1\n2,1,1\n", "line 6", "time 2 s repeats 2 s"},
      {TWO TITLES "0,1,1\n2,1,1\n1,1,1\n", "line 6", "time 1 s comes before 2 s"}};
  HgObservations *o;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    PetscCall(put(path, table[k][0]));
    REFUSED(HgGaugesRead(PETSC_COMM_WORLD, path, false, 1, &o), path, table[k][1], table[k][2]);
    claim_that(!o, "observations of table %zu after its refusal", k);
  }
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, path, "time\0,1", 7));
  REFUSED(HgGaugesRead(PETSC_COMM_WORLD, path, false, 1, &o), path, "is no text");
  REFUSED(HgGaugesRead(PETSC_COMM_WORLD, path, false, 0, &o), path, "deviation 0 m");
  REFUSED(HgGaugesRead(PETSC_COMM_WORLD, path, false, NAN, &o), path, "deviation nan m");
  REFUSED(HgGaugesRead(PETSC_COMM_WORLD, "none.csv", false, 1, &o), "none.csv", "No such file");
  return 0;
}

static PetscErrorCode refuse_to_write(const char path[]) {
  HgObservations *o;
  PetscCall(make(&o));
  o->sigma[4] = 0.2;
  REFUSED(HgGaugesWrite(PETSC_COMM_WORLD, path, o, NULL, NULL), path, "0.1 and 0.2 m",
          "expected one");
  o->sigma[4] = 0.1, o->value[4] = NAN;
  REFUSED(HgGaugesWrite(PETSC_COMM_WORLD, path, o, NULL, NULL), path,
          "'eta' at time 1, sensor 1 is nan");
  for (int m = 0; m < TIMES * GAUGES; m++) o->value[m] = 0, o->sigma[m] = INFINITY;
  REFUSED(HgGaugesWrite(PETSC_COMM_WORLD, path, o, NULL, NULL), path, "without any value");
  snprintf(o->name, sizeof o->name, "h");
  REFUSED(HgGaugesWrite(PETSC_COMM_WORLD, path, o, NULL, NULL), path,
          "'h' [m], expected 'eta' [m]");
  claim_that(access(path, F_OK), "'%s' was not written", path);
  return HgObservationsDestroy(&o);
}

/* Samples anywhere, far outside a periodic axis too. */
static PetscErrorCode sample(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  enum { POINTS = 200 };

  const HgMeshSpec spec = {
      .nx = 8, .ny = 6, .px = layout.px, .dx = 1, .dy = 1, .ghost = 1, .periodic_x = true};
  const HgVariable b = {"b", "m", HG_FIELD, 0};
  HgMesh mesh;
  HgState q;
  double x[POINTS], y[POINTS], value[POINTS];
  uint64_t bits, digest = 0;
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &b, &q));
  PetscCall(HgStateSetField(q, "b", bottom, NULL));
  for (uint64_t k = 0; k < POINTS; k++) {
    x[k] = 20 * HgRandom((uint64_t)seed, k);
    y[k] = 2.5 + 3 * HgRandom((uint64_t)seed + 1, k);
  }
  PetscCall(read_spots(q, "b", POINTS, x, y, value));
  for (int k = 0; k < POINTS; k++) {
    const double cell = x[k] - 8 * floor(x[k] / 8), low = floor(cell), s = cell - low,
                 row = fmin(fmax(y[k], 0), 5), next = low == 7 ? 0 : low + 1;
    claim_at_most(fabs(value[k] - (1 - s) * bottom(low, row, NULL) - s * bottom(next, row, NULL)),
                  1e-12, "sample at (%g, %g)", x[k], y[k]);
    memcpy(&bits, &value[k], sizeof bits);
    digest = digest * 1099511628211u + bits;
  }
  snprintf(text, LAYOUT_TEXT, "%llx", (unsigned long long)digest);
  return DESTROY(&q, &mesh);
}

static PetscErrorCode run(int ranks) {
  char good[64], bad[64], none[64];
  snprintf(good, sizeof good, "gauges_%d.csv", ranks);
  snprintf(bad, sizeof bad, "gauges_bad_%d.csv", ranks);
  snprintf(none, sizeof none, "gauges_none_%d.csv", ranks);
  PetscCall(round_trip(good, true));
  PetscCall(round_trip(good, false));
  PetscCall(read_foreign(good));
  PetscCall(read_geoclaw(good));
  PetscCall(join(good, bad));
  PetscCall(refuse_tables(bad));
  PetscCall(refuse_to_write(none));
  return expect_same_on_layouts("samples", sample, 17);
}

int main(int argc, char **argv) {
  int ranks = 0;
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  claim_begin("gauges read back, or are refused in one sentence", 17);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (!ierr) ierr = run(ranks);
  return claim_end(ierr);
}
