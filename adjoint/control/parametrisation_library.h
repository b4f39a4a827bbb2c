/* halograd/parametrisation_library.h -- what other rooms of the library need of parametrisation.h. */
#ifndef HG_PARAMETRISATION_LIBRARY_H
#define HG_PARAMETRISATION_LIBRARY_H

#include <halograd/parametrisation.h>

/* field = phi(control) [unit] in every cell, phi a function of one number (pointwise.h), copied;
   control is a field of pure numbers.
     d field = phi'(control) d control       control_bar += phi'(control) field_bar
   Collective. Errors: a function without name, value or derivative, or with numbers that are
   not finite; as HgStateCreate() for names. */
PetscErrorCode HgParametrisationPointwise(HgMesh mesh, const char control[], const char field[],
                                          const char unit[], const HgPointwise *function,
                                          HgOperator *op);

/* field = control [unit] in every cell; control is one number that every rank holds. Positive with
   the log parametrisation behind it, in a chain: field = exp(control).
     control_bar += sum of field_bar
   Collective. Errors: as HgStateCreate() for names. */
PetscErrorCode HgParametrisationUniform(HgMesh mesh, const char control[], const char field[],
                                        const char unit[], HgOperator *op);

/* ---- functions of one number (pointwise.h) ---- */

/* exp(m) > 0; its inverse is log(u) */
HgPointwise HgPointwiseExp(void);

/* log(1 + exp(m)) > 0, near m for large m; its inverse is u + log(1 - exp(-u)) */
HgPointwise HgPointwiseSoftplus(void);

/* lowest + (highest - lowest) (1 + tanh(m)) / 2, between two bounds, lowest < highest; its inverse
   is atanh((2 u - lowest - highest) / (highest - lowest)) */
HgPointwise HgPointwiseBetween(double lowest, double highest);

/* Has it a name, a value, a derivative and finite numbers p, and HgPointwiseBetween() bounds in
   their order? If not, `problem`: what is wrong, of at most `size` bytes. */
bool HgPointwiseSound(const HgPointwise *function, size_t size, char problem[]);

#endif
