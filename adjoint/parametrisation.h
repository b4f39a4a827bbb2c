/* halograd/parametrisation.h -- controls that are not the field itself: operators to put in front.

   The operators below have one input variable, the control, and one output variable, a field. Each
   cell is one expression in its global position; sums over cells are exact (sum.h): value, tangent
   and adjoint have the same bits on any decomposition and on every rank. */
#ifndef HALOGRAD_PARAMETRISATION_H
#define HALOGRAD_PARAMETRISATION_H
#include <halograd/operator.h>
/* field = exp(control) [unit], a field of positive numbers; control = log(field / unit) [1], a
   field without bounds.
     d field = exp(control) d control       control_bar += exp(control) field_bar
   Collective. Errors: as HgStateCreate() for names. */
PetscErrorCode HgParametrisationLog(HgMesh mesh, const char control[], const char field[],
                                    const char unit[], HgOperator *op);
/* field(x, y) = a + b x + c y [unit], x and y the cell's centre [m]; control = (a, b, c), three
   numbers that every rank holds, in [unit], [unit/m], [unit/m].
     a_bar += sum of field_bar    b_bar += sum of x field_bar    c_bar += sum of y field_bar
   Collective. Errors: as HgStateCreate() for names. */
PetscErrorCode HgParametrisationAffine(HgMesh mesh, const char control[], const char field[],
                                       const char unit[], HgOperator *op);
#endif
