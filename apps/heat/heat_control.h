/* What heat_inverse may look for instead of kappa cell by cell: kappa = P(m). */
#ifndef HEAT_CONTROL_H
#define HEAT_CONTROL_H
#include "heat_case.h"
#include <halograd/control.h>
#include <halograd/parametrisation.h>

/* kappa = exp(m), m itself, a + b x + c y, numbers on a coarse grid, net(x, y; theta) */
typedef enum { HEAT_LOG, HEAT_FIELD, HEAT_AFFINE, HEAT_COARSE, HEAT_NET } HeatWay;

typedef struct {
  HeatWay way;
  int coarse[2]; /* nodes along x and y */
  HgNetSpec net; /* hidden layers */
  int seed;      /* of the net's first guess */
} HeatControlSpec;

/* Options -parametrise -coarse -net -net_seed; what `spec` holds is their default. Errors: as
   options.h; -coarse, -net or -net_seed for another parametrisation. */
PetscErrorCode HeatControlOptions(HgRun run, HeatControlSpec *spec);

/* Controls m -> x, the first guess of m, from which kappa is the case's guess, and R(m): of m for a
   field, of kappa for a coarse grid and a net, none for affine: three numbers need none. */
typedef struct {
  HeatWay way;
  const char *name;           /* of m */
  HgOperator parametrisation; /* m -> kappa; NULL: the identity */
  HgOperator op;              /* m -> x */
  HgOperator of_x;            /* x -> R, if it is of kappa, else NULL */
  HgOperator regularisation;  /* m -> R(m), or NULL */
  HgOperator inner;           /* what HeatControlObjective() made on the way */
  HgState m;
  double lowest, highest; /* of m, infinite for affine and net */
} HeatControl;

/* Errors: those of the parametrisation. */
PetscErrorCode HeatControlCreate(const Heat *heat, const HeatControlSpec *spec,
                                 const HgInverse *inverse, HeatControl *control);

/* J(m) = misfit(x(m)) + R(m), with one run of the parametrisation for both. The control must outlive
   J. */
PetscErrorCode HeatControlObjective(HeatControl *control, HgOperator misfit, HgOperator *J);
PetscErrorCode HeatControlDestroy(HeatControl *control);

/* Prints and reports the numbers of an affine kappa; nothing for others. */
PetscErrorCode HeatControlReport(const HeatControl *control, HgRun run);

#endif
