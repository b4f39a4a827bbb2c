/* SPDX-License-Identifier: BSD-2-Clause */
/* G, the linear map from the source to all readings, by one reversed run for each gauge.

   A step q_{n+1} = A q_n of the linear sea does not depend on time. So the row of a reading after n
   steps is U^T (A^T)^n g, with the weights g of the gauge and the uplift U of the unknowns: U^T
   times the cotangent n steps before the end of a run that is read at its end only. For
   tohoku_inverse. */
#ifndef EXACT_ROWS_H
#define EXACT_ROWS_H
#include "exact_readings.h"
#include "exact_source.h"

/* Computes G[readings * unknowns] by rows, on all ranks, with the same bits on any decomposition.
   The row of a reading between two steps is interpolated. Collective. Errors: those of a gradient;
   a reading that does not depend on the source. */
PetscErrorCode ExactRowsRun(HgRun run, const HgCommon *common, const TohokuSea *sea,
                            const TohokuGauges *gauges, const HgObservations *observations,
                            const ExactReadings *readings, const ExactSource *source, double G[]);

#endif
