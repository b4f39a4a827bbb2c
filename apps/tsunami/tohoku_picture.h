/* The picture of tohoku_inverse. */
#ifndef TOHOKU_PICTURE_H
#define TOHOKU_PICTURE_H
#include "tohoku_gauges.h"
#include "tohoku_sea.h"

/* A map: the field "eta" of `state`. */
typedef struct {
  const char *title;
  HgState state; /* NULL: left out */
} TohokuMap;

enum { TOHOKU_MAPS = 2 };

/* The maps with coasts and gauges; J by iteration, if there are any; then up to four gauges: observed, and
   `fitted` as HgObjectivePredicted() has it; readings that count are points. Collective. */
PetscErrorCode TohokuPicture(HgRun run, const HgCommon *common, const TohokuSea *sea,
                             const TohokuGauges *gauges, const HgObservations *observations,
                             const TohokuMap maps[TOHOKU_MAPS], const double fitted[]);

#endif
