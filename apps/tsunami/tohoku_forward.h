/* SPDX-License-Identifier: BSD-2-Clause */
/* The published source as it slips, and what the gauges read. For tohoku_inverse -forward
   published. */
#ifndef TOHOKU_FORWARD_H
#define TOHOKU_FORWARD_H
#include "tohoku_gauges.h"
#include "tohoku_picture.h"
#include "tohoku_slip.h"

/* Runs from rest; the state after n steps is that at t_n = tau + n dt. Before each step, what has
   slipped since the last one is added to the surface:

     eta_n <- eta_n + sum_k (s_k(t_n) - s_k(t_{n-1})) units_k

   At t_0, all slip before it. Adds due frames to `film`. *final, created here: the carried state at
   the end. *J: the misfit. predicted[times * sensors] as of HgObjectivePredicted(). Collective.
   Errors: -check, -doctor or -source slip, which need an inversion; a trough of nonlinear waves
   that reaches the floor, at any step; a misfit or last state that is not finite. */
PetscErrorCode TohokuForward(const HgCommon *common, const TohokuSea *sea, const TohokuSlip *slip,
                             const TohokuGauges *gauges, const HgObservations *readings,
                             TohokuFilm *film, HgState *final, double *J, double predicted[]);

#endif
