/* SPDX-License-Identifier: BSD-2-Clause */
/* Slip on subfaults as the source: the published one, or the control. For tohoku_inverse. */
#ifndef TOHOKU_SLIP_H
#define TOHOKU_SLIP_H
#include "tohoku_source.h"
#include <halograd/subfaults.h>

typedef struct {
  char file[HG_PATH_SIZE]; /* "": none */
  int sought;              /* -source slip */
  bool vertical;           /* -vertical_motion: ignores slopes that move sideways */
  double largest, weight;  /* -largest_slip [m]; -slip_tikhonov [1/m^2] */
  bool onsets;             /* -onsets: onsets are controls; else all slip is at tau */
  double rise, speed;      /* -rise [s]; -rupture_speed [m/s] */
  double longest, later;   /* -largest_delay [s]; -delay_tikhonov [1/s^2] */
  HgSubfaults *faults;     /* NULL: none */
  double *earliest;        /* [subfaults] arrival of the rupture from the epicentre [s] */
  HgState units;           /* uplift by 1 m of slip: a field for each subfault */
  HgState published;       /* "eta" [m]: uplift by all of the published slip */
} TohokuSlip;

/* Sets the event's subfaults unless -topography is another sea, then reads -subfaults -source
   -vertical_motion -largest_slip -slip_tikhonov -onsets -rise -rupture_speed -largest_delay
   -delay_tikhonov. With -onsets, sets the event's tau and the steps of `common` to those of a
   rupture. Error: -onsets without -source slip. */
PetscErrorCode TohokuSlipOptions(HgRun run, TohokuEvent *event, HgCommon *common, TohokuSlip *slip);

/* Computes the uplift in all wet cells. Prints and reports the published source as
   TohokuSourceTell() does, under "published". Does nothing without a file. Collective. Errors:
   those of HgSubfaultsRead(); a subfault that begins beyond the sea; -forward or -source slip
   without a file. */
PetscErrorCode TohokuSlipCreate(HgRun run, const TohokuEvent *event, const TohokuSea *sea,
                                const TohokuSource *source, TohokuSlip *slip);
PetscErrorCode TohokuSlipDestroy(TohokuSlip *slip);

/* eta += uplift by the published slip between the times `from` and `to` [s]. */
PetscErrorCode TohokuSlipAdd(const TohokuSlip *slip, double from, double to, HgState eta);

/* Adds the control s = slip on the subfaults [m], 0 <= s <= largest, eta(0) = sum_k s_k units_k,
   and
     R = weight/2 sum s_k^2
   With -onsets, the state at tau is that of TohokuRuptureCreate(). Then d = delay [s] after
   `earliest` is also a control, 0 <= d <= longest, with the scale `rise`, and R has + later/2 sum
   d_k^2. Collective. Errors: a rupture that may not have ended at tau, or not a whole number of
   steps. */
PetscErrorCode TohokuSlipSeek(const TohokuSlip *slip, const TohokuSea *sea, double tau,
                              HgProblem problem);

/* HgProblemCheck(). With -onsets it checks around random slip of 0 to 1 m and random delays within
   their bounds: without slip, nothing depends on delays. Then restores the first guess. Collective.
   */
PetscErrorCode TohokuSlipCheck(const TohokuSlip *slip, HgState x, HgProblem problem);

/* *lifted, created here: "eta" [m], the uplift by all of the slip found. Collective. */
PetscErrorCode TohokuSlipLifted(const TohokuSlip *slip, HgState controls, HgState *lifted);

/* Prints and reports the slip found beside the published one: moment [N m] and magnitude for a
   rigidity of 40 GPa, the largest slip and its place; with -onsets the mean time of the moment [s].
   Keys: slip, moment, magnitude, onset, moment_time. */
PetscErrorCode TohokuSlipTell(HgRun run, const TohokuSlip *slip, HgState controls);

#endif
