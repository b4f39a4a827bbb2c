/* SPDX-License-Identifier: BSD-2-Clause */
/* A source as slip on subfaults: the published one, and slip that is sought. For tohoku_inverse. */
#ifndef TOHOKU_SLIP_H
#define TOHOKU_SLIP_H
#include "tohoku_source.h"
#include <halograd/subfaults.h>

typedef struct {
  char file[HG_PATH_SIZE]; /* "": none */
  int sought;              /* -source slip */
  bool vertical;           /* -vertical_motion: slopes that move sideways lift nothing */
  double largest, weight;  /* -largest_slip [m]; -slip_tikhonov [1/m^2] */
  bool onsets;             /* -onsets: slip begins when it likes, not at once at tau */
  double rise, speed;      /* -rise [s]; -rupture_speed [m/s] */
  double longest, later;   /* -largest_delay [s]; -delay_tikhonov [1/s^2] */
  HgSubfaults *faults;     /* NULL: none */
  double *earliest;        /* [subfaults] when the rupture has come from the epicentre [s] */
  HgState units;           /* what 1 m of slip lifts: one field for each of them */
  HgState published;       /* "eta" [m]: what all of the published slip does */
} TohokuSlip;

/* The event's subfaults unless -topography is another sea, then -subfaults -source -vertical_motion
   -largest_slip -slip_tikhonov -onsets -rise -rupture_speed -largest_delay -delay_tikhonov; with
   -onsets the event's tau and the steps of `common` become those of a rupture. Error: -onsets
   without -source slip. */
PetscErrorCode TohokuSlipOptions(HgRun run, TohokuEvent *event, HgCommon *common, TohokuSlip *slip);

/* Uplift in all wet cells; prints and reports the published one as TohokuSourceTell() does, under
   published. Nothing happens without a file. Collective. Errors: those of HgSubfaultsRead();
   a subfault that begins beyond the sea; -forward or -source slip without a file. */
PetscErrorCode TohokuSlipCreate(HgRun run, const TohokuEvent *event, const TohokuSea *sea,
                                const TohokuSource *source, TohokuSlip *slip);
PetscErrorCode TohokuSlipDestroy(TohokuSlip *slip);

/* eta += what the published slip lifts from time `from` on up to time `to` [s]. */
PetscErrorCode TohokuSlipAdd(const TohokuSlip *slip, double from, double to, HgState eta);

/* The control s = slip on the subfaults [m], 0 <= s <= largest, eta(0) = sum_k s_k units_k, and
     R = weight/2 sum s_k^2
   With -onsets the state at tau is that of TohokuRuptureCreate(), d = delay [s] after `earliest` is
   a control, too, 0 <= d <= longest, counted by the rise, and R has + later/2 sum d_k^2.
   Collective. Errors: a rupture that may not have ended at tau, or of no whole steps. */
PetscErrorCode TohokuSlipSeek(const TohokuSlip *slip, const TohokuSea *sea, double tau,
                              HgProblem problem);

/* HgProblemCheck(); with -onsets around slip above 0, 1 m at most, and random delays within their
   bounds, since nothing depends on delays where the first guess has no slip; controls are those of
   the first guess afterwards. Collective. */
PetscErrorCode TohokuSlipCheck(const TohokuSlip *slip, HgState x, HgProblem problem);

/* *lifted, made here: "eta" [m], what all of the slip that was found does. Collective. */
PetscErrorCode TohokuSlipLifted(const TohokuSlip *slip, HgState controls, HgState *lifted);

/* Of the slip found: moment [N m] and magnitude for a rigidity of 40 GPa, the largest slip and
   where; with -onsets the mean time of the moment [s]; printed and reported as slip, moment,
   magnitude, onset, moment_time, beside those of the published slip. */
PetscErrorCode TohokuSlipTell(HgRun run, const TohokuSlip *slip, HgState controls);

#endif
