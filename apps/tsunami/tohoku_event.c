/* SPDX-License-Identifier: BSD-2-Clause */
#include "tohoku_event.h"

/* 11 March 2011, 05:46:24 UTC. */
static const TohokuEvent japan = {
    .title = "11 March 2011",
    .topography = "tohoku/japan_6min.asc",
    .subfaults = "tohoku/satake2013.csv",
    .gauges = {"tohoku/dart21418.csv", "tohoku/dart21401.csv", "tohoku/dart21419.csv",
               "tohoku/dart21413.csv"},
    .ends = 8,
    .window = {1296, 3000, 3000, 5400, 4200, 6600, 3900, 6300},
    .tau = 72,
    .rupture = 480,
    .west = 135,
    .south = 25,
    .cell = 0.1,
    .nx = 251,
    .ny = 231,
    .dt = 12,
    .steps = 545,
    .forward_steps = 550,
    .box = {140.4, 146, 34.5, 41.5},
    .epicentre = {142.37, 38.32},
    .metric = 38,
    .prior_radius = 200e3,
};

/* 27 February 2010, 06:34:14 UTC: one gauge, which cannot tell where a source was. */
static const TohokuEvent chile = {
    .title = "27 February 2010",
    .topography = "chile/chile_10min.asc",
    .subfaults = "chile/usgs2010.csv",
    .gauges = {"chile/dart32412.csv"},
    .ends = 2,
    .window = {10000, 20000},
    .west = -120,
    .south = -60,
    .cell = 1.0 / 6,
    .nx = 361,
    .ny = 361,
    .dt = 20,
    .steps = 1000,
    .forward_steps = 1000,
    .box = {-77, -67, -40, -30},
    .epicentre = {-72.7, -35.9},
    .metric = -35.9,
    .prior_radius = 200e3,
    .forward = true,
};

PetscErrorCode TohokuEventChoose(HgRun run, HgCommon *common, TohokuEvent *event) {
  static const char *const sources[] = {"no", "published"};
  const HgOptions o = HgRunOptions(run);
  bool is_chile = false;
  int source = 0;
  PetscCall(HgOptionsGroup(o, "Event"));
  PetscCall(HgOptionsFlag(o, "-chile",
                          "run the tsunami of 27 February 2010 instead; needs -forward published",
                          &is_chile));
  PetscCall(HgOptionsChoice(o, "-forward", "run the published source, and invert nothing", 2,
                            sources, &source));
  HgRequire(PETSC_COMM_WORLD, !is_chile || source == 1 || !HgOptionsGiven(o, "-forward"),
            HG_ERR_OPTION_CONFLICT,
            "option -forward: no with -chile, whose only gauge cannot tell of a source, expected "
            "published");
  *event = is_chile ? chile : japan;
  event->forward = event->forward || source == 1;
  if (event->forward) event->tau = 0;
  common->nx = event->nx, common->ny = event->ny, common->dt = event->dt;
  common->steps = event->forward ? event->forward_steps : event->steps;
  return 0;
}
