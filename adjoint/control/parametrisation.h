/* halograd/parametrisation.h -- controls that are not the field itself: operators to put in front.

   The operators below have one input variable, the control, and one output variable, a field. Each
   cell is one expression in its global position; sums over cells are exact (sum.h): value, tangent
   and adjoint have the same bits on any decomposition and on every rank. */
#ifndef HALOGRAD_PARAMETRISATION_H
#define HALOGRAD_PARAMETRISATION_H

#include <halograd/net.h>
#include <halograd/operator.h>

/* The pointwise one of HgPointwiseExp(): field = exp(control) [unit], a field of positive numbers;
   control = log(field / unit) [1], a field without bounds.
     d field = exp(control) d control       control_bar += exp(control) field_bar
   Collective. Errors: as HgStateCreate() for names. */
PetscErrorCode HgParametrisationLog(HgMesh mesh, const char control[], const char field[],
                                    const char unit[], HgOperator *op);

/* field = factor control [unit] cell by cell, control a field [unit], factor a field of `factors`, of
   which a copy is kept: 0 where the field is to be 0, such as outside a box or on land.
     control_bar += factor field_bar
   Collective. Errors: unknown factor, not finite; as HgStateCreate() for names. */
PetscErrorCode HgParametrisationScaled(HgState factors, const char factor[], const char control[],
                                       const char field[], const char unit[], HgOperator *op);

/* field(x, y) = a + b x + c y [unit], x and y the cell's centre [m]; control = (a, b, c), three
   numbers that every rank holds, in [unit], [unit/m], [unit/m].
     a_bar += sum of field_bar    b_bar += sum of x field_bar    c_bar += sum of y field_bar
   Collective. Errors: as HgStateCreate() for names. */
PetscErrorCode HgParametrisationAffine(HgMesh mesh, const char control[], const char field[],
                                       const char unit[], HgOperator *op);

/* field = sum_k control[k] basis_k [unit], basis_k the k-th field of `basis`, in [unit] for a control of 1
   [control_unit], such as how much 1 m of slip on each of many faults lifts the sea; control is as many
   numbers as there are fields, which every rank holds. Of the fields a copy is kept of the rectangle of
   the patch in which some are not 0.
     control_bar[k] += sum of basis_k field_bar
   Collective. Errors: a basis with anything but fields, or with a number that is not finite; as
   HgStateCreate() for names. */
PetscErrorCode HgParametrisationBasis(HgState basis, const char control[],
                                      const char control_unit[], const char field[],
                                      const char unit[], HgOperator *op);

/* field = the bilinear interpolation of cx x cy numbers in [unit] that every rank holds: control
   [J cx + I] belongs to node (I, J), I from west to east, J from south to north. The outermost
   nodes lie on the outermost cell centres, so that cx = nx, cy = ny is the identity; along a
   periodic axis the first node lies on the first cell centre and the last one's neighbour is the
   first. Equal numbers give exactly that constant; else the field stays between them.
     control_bar[J cx + I] += sum over cells of weight_x(I, i) weight_y(J, j) field_bar(i, j)
   with weights that add up to 1. The adjoint holds at most 1 MB of exact sums.
   Collective. Errors: cx or cy below 2, above the mesh's cells or above 2048; as HgStateCreate().
 */
PetscErrorCode HgParametrisationCoarse(HgMesh mesh, const char control[], const char field[],
                                       const char unit[], int cx, int cy, HgOperator *op);

/* field = net(x, y; control) [unit] (net.h), x and y the cell's centre scaled such that the
   domain's edges, half a cell beyond the outermost centres, are -1 and 1. control is theta, numbers
   that every rank holds; HgNetInitialise() makes a first guess.
   Costs of a cell with the default net: 60 tanh and 921 products for the value, three times as many
   products for the adjoint, of which a third is added exactly; 472 bytes for each of theta's
   numbers travel in the adjoint's one reduction.
   Collective. Errors: as HgNetCreate() for layers, as HgStateCreate() for names. */
PetscErrorCode HgParametrisationNet(HgMesh mesh, const char control[], const char field[],
                                    const char unit[], const HgNetSpec *spec, HgOperator *op);

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

#endif
