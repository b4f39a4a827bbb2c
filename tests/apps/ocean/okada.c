/* SPDX-License-Identifier: BSD-2-Clause */
/* Okada's surface displacements are those of the paper's check list; faults add up, break the
   surface by their slip, fade away as point sources do, and have no bad places. */
#include "claim.h"
#include <halograd/okada.h>
#include <halograd/state.h>
#include <math.h>

enum { POINTS = 60 };

static const HgOkadaSlip both = {0.7, -1.3};

static double distance(HgOkadaMotion a, HgOkadaMotion b) {
  return fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
}

static double size(HgOkadaMotion a) { return distance(a, (HgOkadaMotion){0, 0, 0}); }

static HgOkadaMotion add(HgOkadaMotion a, HgOkadaMotion b) {
  return (HgOkadaMotion){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* Cases 2 to 4 of the paper's table 2, which has four digits. */
static void table_2(void) {
  static const struct {
    double x, y, depth, dip;
    HgOkadaMotion strike_slip, dip_slip;
  } all[] = {
      {2, 3, 4, 70, {-8.689e-3, -4.298e-3, -2.747e-3}, {-4.682e-3, -3.527e-2, -3.564e-2}},
      {0, 0, 4, 90, {0, 5.253e-3, 0}, {0, 0, 0}},
      {0, 0, 4, -90, {0, -1.303e-3, 0}, {0, 0, 0}},
  };

  for (int k = 0; k < 3; k++) {
    const HgOkadaFault fault = {3, 2, all[k].depth, all[k].dip};
    const double off[] = {
        distance(HgOkadaSurface(&fault, (HgOkadaSlip){1, 0}, all[k].x, all[k].y),
                 all[k].strike_slip),
        distance(HgOkadaSurface(&fault, (HgOkadaSlip){0, 1}, all[k].x, all[k].y), all[k].dip_slip)};
    claim_at_most(off[0], 5.1e-7, "table 2, case %d, strike slip", k + 2);
    claim_at_most(off[1], 5.1e-6, "table 2, case %d, dip slip", k + 2);
  }
}

/* Points all around the fault and over it. */
static void place(int k, double *x, double *y) {
  *x = 15 * HgRandom(3, (uint64_t)(2 * k)), *y = 15 * HgRandom(3, (uint64_t)(2 * k + 1));
}

/* Cut along the strike and across it, a fault moves the surface as its two halves do. */
static void halves(double dip) {
  const double radians = dip * (PETSC_PI / 180), rise = sin(radians), run = cos(radians);
  const HgOkadaFault whole = {5, 4, 6, dip}, west = {2, 4, 6, dip}, east = {3, 4, 6, dip},
                     lower = {5, 1.5, 6, dip}, upper = {5, 2.5, 6 - 1.5 * rise, dip};
  for (int k = 0; k < POINTS; k++) {
    double x, y;
    place(k, &x, &y);
    const HgOkadaMotion u = HgOkadaSurface(&whole, both, x, y);
    const HgOkadaMotion along = add(HgOkadaSurface(&west, both, x, y),
                                    HgOkadaSurface(&east, both, x - 2, y)),
                        across = add(HgOkadaSurface(&lower, both, x, y),
                                     HgOkadaSurface(&upper, both, x, y - 1.5 * run));
    claim_at_most(distance(u, along), 1e-12, "dip %g, cut across the strike, at (%g, %g)", dip, x,
                  y);
    claim_at_most(distance(u, across), 1e-12, "dip %g, cut along the strike, at (%g, %g)", dip, x,
                  y);
  }
}

/* Mirrored at the middle of the strike, dip slip is what it was and strike slip is turned round. */
static void mirror(double dip) {
  const HgOkadaFault fault = {5, 4, 6, dip};
  for (int k = 0; k < POINTS; k++) {
    double x, y;
    place(k, &x, &y);
    const HgOkadaMotion thrust = HgOkadaSurface(&fault, (HgOkadaSlip){0, 1}, 2.5 + x, y),
                        thrust_there = HgOkadaSurface(&fault, (HgOkadaSlip){0, 1}, 2.5 - x, y),
                        slide = HgOkadaSurface(&fault, (HgOkadaSlip){1, 0}, 2.5 + x, y),
                        slide_there = HgOkadaSurface(&fault, (HgOkadaSlip){1, 0}, 2.5 - x, y);
    claim_at_most(fabs(thrust.x + thrust_there.x) + fabs(thrust.y - thrust_there.y) +
                      fabs(thrust.z - thrust_there.z),
                  1e-13, "dip %g, dip slip mirrored", dip);
    claim_at_most(fabs(slide.x - slide_there.x) + fabs(slide.y + slide_there.y) +
                      fabs(slide.z + slide_there.z),
                  1e-13, "dip %g, strike slip mirrored", dip);
  }
}

/* Where the fault comes to the surface, the block over it has moved by the slip relative to the
   other one, along x and up the fault. */
static void trace(double dip) {
  const double radians = dip * (PETSC_PI / 180), width = 4, near = 1e-7;
  const HgOkadaFault fault = {5, width, width * sin(radians), dip};
  for (int k = 0; k < 4; k++) {
    const double x = 1 + 0.77 * k, y = width * cos(radians);
    const HgOkadaMotion over = HgOkadaSurface(&fault, both, x, y - near),
                        under = HgOkadaSurface(&fault, both, x, y + near),
                        slip = {both.strike, both.dip * cos(radians), both.dip * sin(radians)};
    claim_at_most(distance(over, add(under, slip)), 1e-5, "dip %g, at its trace", dip);
  }
}

/* Twice as far away, a quarter, as of every double couple. */
static void far_away(double dip) {
  const HgOkadaFault fault = {5, 4, 6, dip};
  for (int k = 0; k < 12; k++) {
    const double angle = k * 0.5236 + 0.1, x = 2e4 * cos(angle), y = 2e4 * sin(angle);
    const HgOkadaMotion near = HgOkadaSurface(&fault, both, x, y),
                        far = HgOkadaSurface(&fault, both, 2 * x, 2 * y);
    claim_at_most(size((HgOkadaMotion){4 * far.x - near.x, 4 * far.y - near.y, 4 * far.z - near.z}),
                  5e-3 * size(near), "dip %g, far away in direction %d", dip, k);
  }
}

/* Dips on either side of where the formulas change hardly differ; on the lines through the edges
   nothing is infinite or NaN, and what has a limit is near its neighbours. */
static void bad_places(void) {
  static const double dips[] = {0, 12, 90, -90};
  for (int k = 0; k < POINTS; k++) {
    double x, y;
    place(k, &x, &y);
    const HgOkadaFault upright = {5, 4, 6, 90}, nearly = {5, 4, 6, 90 - 7e-4};
    claim_at_most(
        distance(HgOkadaSurface(&upright, both, x, y), HgOkadaSurface(&nearly, both, x, y)), 2e-5,
        "90 degrees and a little less");
  }
  for (int k = 0; k < 4; k++)
    for (int j = 0; j < 5; j++)
      for (int i = 0; i < 5; i++) {
        const double radians = dips[k] * (PETSC_PI / 180), rise = sin(radians), run = cos(radians);
        const HgOkadaFault fault = {5, 4, fmax(4 * rise, 1.5), dips[k]};
        const double x = 2.5 * (i - 1),
                     from[] = {-1, 0, 2 * run, 4 * run, rise > 0 ? fault.depth * run / rise : 1},
                     y = from[j];
        const HgOkadaMotion at = HgOkadaSurface(&fault, both, x, y),
                            beside = HgOkadaSurface(&fault, both, x + 3e-9, y + 2e-9);
        claim_that(isfinite(at.x) && isfinite(at.y) && isfinite(at.z), "dip %g at (%g, %g)",
                   dips[k], x, y);
        if (fault.depth > 4 * rise + 0.1)
          claim_at_most(distance(at, beside), 1e-7, "dip %g beside (%g, %g)", dips[k], x, y);
      }
}

int main(int argc, char **argv) {
  static const double dips[] = {8, 37, 85, 90};
  const PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("Okada's surface displacements", 3);
  table_2();
  for (int k = 0; k < 4; k++) {
    halves(dips[k]);
    mirror(dips[k]);
    trace(dips[k]);
    far_away(dips[k]);
  }
  bad_places();
  return claim_end(ierr);
}
