/* The picture of tohoku_inverse. */
#ifndef TOHOKU_PICTURE_H
#define TOHOKU_PICTURE_H
#include "tohoku_gauges.h"

/* The surface found and the gauges, J by iteration, then up to four gauges: observed, and `fitted` as
   HgObjectivePredicted() has it; readings that count are points. Collective. */
PetscErrorCode TohokuPicture(HgRun run, const HgCommon *common, const TohokuSea *sea,
                             const TohokuGauges *gauges, HgProblem problem, const double fitted[]);

#endif
