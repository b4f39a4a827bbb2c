/* halograd/regularisation.h -- what a control should look like where the data do not say: a
   functional of the controls.

     R(m) = alpha/2 integral (m - m_0)^2 + beta/2 integral |grad m|^2      (Tikhonov, H1)
   with midpoint cells and two-point faces; nothing beyond walls (natural boundary condition). */
#ifndef HALOGRAD_REGULARISATION_H
#define HALOGRAD_REGULARISATION_H

#include <halograd/operator.h>

typedef struct {
  const char *control; /* a field of the controls */
  double alpha, beta;  /* weights, >= 0; [1 / (unit^2 m^2)], [1 / unit^2] */
  double reference;    /* m_0 [unit] */
} HgRegularisation;

/* The functional m -> R(m) for controls like `m` (a pattern). Collective. Errors: unknown field,
   weights negative or not finite. */
PetscErrorCode HgRegularisationCreate(HgState m, const HgRegularisation *regularisation,
                                      HgOperator *op);

#endif
