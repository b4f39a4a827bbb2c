/* SPDX-License-Identifier: BSD-2-Clause */
/* G, the linear map from the source to all readings, from one reversed run for each gauge.

   A step q_{n+1} = A q_n of the linear sea does not depend on the time. So the row of a reading
   after n steps is U^T (A^T)^n g, g the weights of the gauge and U what the unknowns lift: U^T
   times the cotangent n steps before the end of a run whose end alone is read. For
   tohoku_inverse. */
#ifndef EXACT_ROWS_H
#define EXACT_ROWS_H
#include "exact_readings.h"
#include "exact_source.h"

/* G[readings * unknowns], row by row; all ranks get all of it, with the same bits on any
   decomposition. A reading between two steps has the mean of their rows, weighted. Collective.
   Errors: those of a gradient; a reading that sees nothing of the source. */
PetscErrorCode ExactRowsRun(HgRun run, const HgCommon *common, const TohokuSea *sea,
                            const TohokuGauges *gauges, const HgObservations *observations,
                            const ExactReadings *readings, const ExactSource *source, double G[]);

#endif
