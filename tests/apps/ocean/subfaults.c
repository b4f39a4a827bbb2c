/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: tables of subfaults are read or refused in one sentence; slip grows window by window; a
   subfault lifts the water by the mean of Okada's motion and by the slope that moves sideways, with
   the same bits on any number of ranks. */
#include "claim.h"
#include "refusal.h"
#include "same_bits.h"
#include <halograd/file.h>
#include <halograd/subfaults.h>
#include <math.h>

#define TITLES                                                                                     \
  "name,longitude [degrees],latitude [degrees],depth [km],length [km],width [km],strike "          \
  "[degrees],dip [degrees],rake [degrees],start [s],slip [m],slip [m]\n"
#define ROW "A,144,38,5,50,25,193,8,81,60,2,3\n"

static PetscErrorCode parse(const char text[], HgSubfaults **s) {
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, "subfaults.csv", text, strlen(text)));
  return HgSubfaultsRead(PETSC_COMM_WORLD, "subfaults.csv", s);
}

static PetscErrorCode refusals(void) {
  static const struct {
    const char *text, *says;
  } all[] = {
      {"", "0 lines that are no comments"},
      {TITLES, "1 lines that are no comments"},
      {"name,latitude [degrees]\n" ROW, "line 1: column 2 is 'latitude [degrees]', expected"},
      {TITLES "A,144,38\n", "line 2: column 4, depth [km], is ''"},
      {TITLES "A,144,38,5,50,25,193,8,81,60,2,3,4\n", "line 2: more than 12 columns"},
      {TITLES "A,144,98,5,50,25,193,8,81,60,2,3\n", "column 3, latitude [degrees], is '98'"},
      {TITLES "A,144,38,-5,50,25,193,8,81,60,2,3\n", "column 4, depth [km], is '-5'"},
      {TITLES "A,144,38,5,50,25,193,91,81,60,2,3\n", "column 8, dip [degrees], is '91'"},
      {TITLES "A,144,38,5,0,25,193,8,81,60,2,3\n", "column 5, length [km], is '0'"},
      {TITLES "A,144,38,5,50,25,193,8,81,60,2,nan\n", "column 12, slip [m], is 'nan'"},
      {TITLES ROW ROW, "line 3: subfault 'A' was given before"},
      {TITLES ",144,38,5,50,25,193,8,81,60,2,3\n", "line 2: name ''"},
      {"#window: 3\n" TITLES ROW, "line 1: '#window: 3', expected"},
      {TITLES ROW "# window 30 [s]\n",
       "line 3: '# window 30 [s]' below the titles, expected above"},
      {"# window 30 [s]\n#window 3 [s]\n" TITLES ROW, "line 2: '#window 3 [s]', but there was a"},
      {TITLES "A,144,38,5,50,25,193,8,81,1e6,2,3\n", "column 10, start [s], is '1e6', expected a"},
      {"# window x [s]\n" TITLES ROW, "line 1: '# window x [s]', expected"},
  };

  HgSubfaults *s;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    REFUSED(parse(all[k].text, &s), "subfaults.csv", all[k].says);
    claim_that(!s, "nothing is handed out by '%s'", all[k].says);
  }
  REFUSED(HgSubfaultsRead(PETSC_COMM_WORLD, "nowhere.csv", &s), "nowhere.csv");
  return 0;
}

/* Two windows of 30 s from 60 s on. */
static PetscErrorCode slip(void) {
  static const double at[][2] = {{0, 0}, {60, 0}, {75, 1}, {90, 2}, {100, 3}, {120, 5}, {1e9, 5}};
  HgSubfaults *s;
  PetscCall(parse("\xEF\xBB\xBF#window 30 [s]\n# any words\n\n" TITLES ROW, &s));
  claim_that(s->count == 1 && s->windows == 2 && !strcmp(s->fault->name, "A"), "what was read");
  for (int k = 0; k < 7; k++)
    claim_at_most(fabs(HgSubfaultsSlip(s, 0, at[k][0]) - at[k][1]), 1e-14, "slip at %g s",
                  at[k][0]);
  claim_same(HgSubfaultsSlip(s, 0, INFINITY), 5, "all of the slip");
  claim_same(s->fault->fault.depth, 5000 + 25000 * sin(8 * (PETSC_PI / 180)), "lower edge");
  /* half its length along the strike, half its width to the right of it */
  const double along = 25e3, right = 12.5e3 * cos(8 * (PETSC_PI / 180)),
               c = cos(193 * (PETSC_PI / 180)), d = sin(193 * (PETSC_PI / 180)),
               north = (along * c - right * d) / (6371e3 * (PETSC_PI / 180)),
               east = (along * d + right * c) / (6371e3 * (PETSC_PI / 180));
  claim_at_most(fabs(HgSubfaultDistance(s->fault, 6371e3, 144, 38) - hypot(along, right)), 1e-6,
                "the middle from the corner, off by");
  claim_at_most(HgSubfaultDistance(s->fault, 6371e3,
                                   504 + east / cos((38 + north) * (PETSC_PI / 180)), 38 + north),
                1e-6, "the middle from itself");
  claim_same(HgSubfaultsMoment(s, 4e10, (double[]){5}), 4e10 * (5e4 * 2.5e4 * 5), "moment");
  PetscCall(HgSubfaultsDestroy(&s));

  PetscCall(parse(TITLES "A,144,38,5,50,25,193,8,81,60000,2,3\n", &s));
  claim_same(s->fault->start, 60000, "a late start");
  PetscCall(HgSubfaultsDestroy(&s));

  PetscCall(parse(TITLES ROW, &s));
  claim_same(HgSubfaultsSlip(s, 0, 59), 0, "before a slip at once");
  claim_same(HgSubfaultsSlip(s, 0, 60), 5, "at a slip at once");
  return HgSubfaultsDestroy(&s);
}

/* ---- uplift ---- */

enum { NX = 20, NY = 16 };

static const double east_slope = 0.02, north_slope = -0.01; /* [1/degree], times 1000 m */

static double tilted(double x, double y, void *context) {
  return *(double *)context * (east_slope * (x - 144) + north_slope * (y - 38)) - 4000;
}

static double half(double x, double y, void *context) {
  (void)context, (void)y;
  return x < 144.55;
}

/* Units on a floor of the tilt `steep` [m]; its ghosts beyond walls go on with it. */
static PetscErrorCode uplift(MPI_Comm comm, Layout layout, double steep, HgState *units) {
  const HgMeshSpec spec = {.nx = NX,
                           .ny = NY,
                           .px = layout.px,
                           .py = layout.py,
                           .x0 = 143,
                           .y0 = 37,
                           .dx = 0.1,
                           .dy = 0.1,
                           .radius = 6371e3};
  static const HgVariable fields[] = {{"b", "m", HG_FIELD, 0}, {"where", "1", HG_FIELD, 0}},
                          unit = {"A", "1", HG_FIELD, 0};
  HgSubfaults *s;
  HgMesh mesh;
  HgState floor;
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  const HgPatch *p = HgMeshGetPatch(mesh);
  PetscCall(HgStateCreate(mesh, 2, fields, &floor));
  PetscCall(HgStateCreate(mesh, 1, &unit, units));
  PetscCall(HgStateSetField(floor, "where", half, NULL));
  for (int j = -1; j <= p->ny; j++)
    for (int i = -1; i <= p->nx; i++)
      HgStateRows(floor, 0)[j][i] = tilted(spec.x0 + (p->i_global + i) * spec.dx,
                                           spec.y0 + (p->j_global + j) * spec.dy, &steep);
  PetscCall(HgSubfaultsRead(comm, "subfaults.csv", &s));
  PetscCall(HgSubfaultsUplift(s, floor, steep != 0 ? "b" : NULL, floor, "where", *units));
  PetscCall(HgSubfaultsDestroy(&s));
  return DESTROY(&floor, &mesh);
}

static PetscErrorCode digest(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  char hex[17];
  HgState units;
  PetscCall(uplift(comm, layout, 1000.0 * (double)seed, &units));
  PetscCall(HgStateDigest(units, NULL, hex));
  snprintf(text, LAYOUT_TEXT, "%s", hex);
  return HgStateDestroy(&units);
}

/* The mean of u_z - s . u over a cell by another rule, of 40 x 40 points. */
static double mean(const HgSubfault *f, double x, double y, double steep) {
  const double metres = 6371e3 * (PETSC_PI / 180), c = cos(y * (PETSC_PI / 180));
  double sum = 0;
  for (int b = 0; b < 40; b++)
    for (int a = 0; a < 40; a++) {
      const HgOkadaMotion u = HgSubfaultMotion(f, 6371e3, x + 0.1 * ((a + 0.5) / 40 - 0.5),
                                               y + 0.1 * ((b + 0.5) / 40 - 0.5));
      sum += u.z - steep * (u.x * east_slope / (metres * c) + u.y * north_slope / metres);
    }
  return sum / 1600;
}

static PetscErrorCode check_uplift(double steep) {
  HgSubfaults *s;
  HgState units;
  PetscCall(uplift(PETSC_COMM_WORLD, (Layout){0, 0}, steep, &units));
  PetscCall(HgSubfaultsRead(PETSC_COMM_WORLD, "subfaults.csv", &s));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(units));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double x = 143 + 0.1 * (p->i_global + i), y = 37 + 0.1 * (p->j_global + j),
                   found = HgStateRows(units, 0)[j][i];
      if (x > 144.55) claim_same(found, 0, "outside of the mask");
      else
        claim_at_most(fabs(found - mean(s->fault, x, y, steep)), 6e-4, "uplift at (%g, %g)", x, y);
    }
  PetscCall(HgSubfaultsDestroy(&s));
  return HgStateDestroy(&units);
}

/* A subfault turned about a place moves it as before, turned: the equator is as good as a plane. */
static PetscErrorCode turned(void) {
  HgSubfaults *s;
  PetscCall(parse(TITLES "N,10,0,5,50,25,0,8,81,0,1,0\nE,10,0,5,50,25,90,8,81,0,1,0\n", &s));
  const HgOkadaMotion n = HgSubfaultMotion(&s->fault[0], 6371e3, 10.1, 0.2),
                      e = HgSubfaultMotion(&s->fault[1], 6371e3, 10.2, -0.1);
  claim_at_most(fabs(e.x - n.y) + fabs(e.y + n.x) + fabs(e.z - n.z), 1e-5,
                "a strike of 90 degrees");
  const HgOkadaMotion round = HgSubfaultMotion(&s->fault[0], 6371e3, 10.1 - 360, 0.2);
  claim_at_most(fabs(round.z - n.z) + fabs(round.x - n.x), 1e-9, "once round the sphere");
  const HgOkadaMotion hanging = HgSubfaultMotion(&s->fault[0], 6371e3, 10.1, 0.2);
  claim_that(hanging.z > 0.05 && hanging.x < -0.1,
             "a thrust lifts what lies over it, and takes it "
             "towards its upper edge: %g, %g",
             hanging.z, hanging.x);
  return HgSubfaultsDestroy(&s);
}

static PetscErrorCode test(void) {
  PetscCall(refusals());
  PetscCall(slip());
  PetscCall(turned());
  HgSubfaults *s;
  PetscCall(parse(TITLES ROW, &s));
  PetscCall(HgSubfaultsDestroy(&s));
  PetscCall(check_uplift(0));
  PetscCall(check_uplift(1e5));
  for (long seed = 1; seed <= 2; seed++) PetscCall(expect_same_on_layouts("uplift", digest, seed));
  return 0;
}

CLAIM("subfaults", 0, test)
