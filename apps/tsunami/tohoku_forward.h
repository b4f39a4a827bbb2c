/* SPDX-License-Identifier: BSD-2-Clause */
/* The published source, as it slips, and what the gauges then see. For tohoku_inverse -forward
   published. */
#ifndef TOHOKU_FORWARD_H
#define TOHOKU_FORWARD_H
#include "tohoku_gauges.h"
#include "tohoku_picture.h"
#include "tohoku_slip.h"

/* From rest, the state after n steps is that of time tau + n dt; what the slip has lifted since the
   step before is added to its surface:
     eta_n <- eta_n + sum_k (s_k(t_n) - s_k(t_{n-1})) units_k
   with t_n = tau + n dt, all before t_0 at t_0.
   What is due of `film` is added to it.
   `final`, made here: what is carried at the end. *J: the misfit. predicted[times * sensors] as
   HgObjectivePredicted() has it. Collective. Errors: -check,
   -doctor or -source slip, which are about an inversion; a trough of nonlinear waves that reaches
   the floor, at any step; a misfit or a last state that is not finite. */
PetscErrorCode TohokuForward(const HgCommon *common, const TohokuSea *sea, const TohokuSlip *slip,
                             const TohokuGauges *gauges, const HgObservations *readings,
                             TohokuFilm *film, HgState *final, double *J, double predicted[]);

#endif
