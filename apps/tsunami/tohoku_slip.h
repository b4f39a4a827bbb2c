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
  HgSubfaults *faults;     /* NULL: none */
  HgState units;           /* what 1 m of slip lifts: one field for each of them */
  HgState published;       /* "eta" [m]: what all of the published slip does */
} TohokuSlip;

/* The event's subfaults unless -topography is another sea, then -subfaults -source -vertical_motion
   -largest_slip -slip_tikhonov. */
PetscErrorCode TohokuSlipOptions(HgRun run, const TohokuEvent *event, TohokuSlip *slip);

/* Uplift in all wet cells; prints and reports the published one as TohokuSourceTell()
   does, under published. Nothing happens without a file. Collective. Errors: those of HgSubfaultsRead();
   -forward or -source slip without a file. */
PetscErrorCode TohokuSlipCreate(HgRun run, const TohokuEvent *event, const TohokuSea *sea,
                                const TohokuSource *source, TohokuSlip *slip);
PetscErrorCode TohokuSlipDestroy(TohokuSlip *slip);

/* eta += what the published slip lifts from time `from` on up to time `to` [s]. */
PetscErrorCode TohokuSlipAdd(const TohokuSlip *slip, double from, double to, HgState eta);

/* The control s = slip on the subfaults [m], 0 <= s <= largest, eta(0) = sum_k s_k units_k, and
     R = weight/2 sum s_k^2
   Collective. */
PetscErrorCode TohokuSlipSeek(const TohokuSlip *slip, HgProblem problem);

/* Of the slip found: moment [N m] and magnitude for a rigidity of 40 GPa, the largest slip and where; printed
   and reported as slip, moment, magnitude, beside those of the published slip. */
PetscErrorCode TohokuSlipTell(HgRun run, const TohokuSlip *slip, HgState controls);

#endif
