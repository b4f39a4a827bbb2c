/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/control.h -- from the controls m to the input x of a trajectory; an operator.

   Every variable of x keeps its base value, except those that a control replaces: x_v = P_v(m_v),
   with P_v a parametrisation (below) or the identity. */
#ifndef HALOGRAD_CONTROL_H
#define HALOGRAD_CONTROL_H

#include <halograd/operator.h>

typedef struct {
  const char *variable; /* of the input: "u", "kappa", ... */
  /* its only output variable replaces `variable`; NULL: the control is the variable itself */
  HgOperator parametrisation;
} HgControl;

/* The operator m -> x. Its input has the input variables of all parametrisations, in order, and,
   for the identity, `variable` itself. `base` is copied; the operator is one of the owners of the
   parametrisations. Collective. Errors: unknown or repeated variable; a parametrisation whose
   output does not fit. */
PetscErrorCode HgControlCreate(HgState base, int count, const HgControl controls[], HgOperator *op);

/* Controls that are not the field itself: operators to put in front.

   The operators below have one input variable, the control, and one output variable, a field. Each
   cell is one expression in its global position; sums over cells are exact (sum.h): value, tangent
   and adjoint have the same bits on any decomposition and on every rank. */

/* ---- smooth functions of one number, with derivative and inverse ---- */

/* phi(m), phi'(m) and, NULL if there is none, phi^-1(u), which turns a first guess or a bound of
   the result into one of m, and phi''(m), which Hessians need. p: numbers of the function's own.
   Pure, the same bits for the same arguments. */
typedef struct {
  const char *name;
  double (*value)(double m, const double p[2]);
  double (*derivative)(double m, const double p[2]);
  double (*inverse)(double u, const double p[2]);
  double p[2];
  double (*second)(double m, const double p[2]);
} HgPointwise;

/* exp(m) > 0; its inverse is log(u) */
extern const HgPointwise HgPointwiseExp;

/* log(1 + exp(m)) > 0, near m for large m; its inverse is u + log(1 - exp(-u)) */
extern const HgPointwise HgPointwiseSoftplus;

/* lowest + (highest - lowest) (1 + tanh(m)) / 2, between two bounds, lowest < highest; its inverse
   is atanh((2 u - lowest - highest) / (highest - lowest)) */
HgPointwise HgPointwiseBetween(double lowest, double highest);

/* ---- fields ---- */

/* The pointwise one of HgPointwiseExp: field = exp(control) [unit], a field of positive numbers;
   control = log(field / unit) [1], a field without bounds.
     d field = exp(control) d control       control_bar += exp(control) field_bar
   Collective. Errors: as HgStateCreate() for names. */
PetscErrorCode HgParametrisationLog(HgMesh mesh, const char control[], const char field[],
                                    const char unit[], HgOperator *op);

/* field = factor control [unit] cell by cell, control a field [unit], factor a field of `factors`,
   of which a copy is kept: 0 where the field is to be 0, such as outside a box or on land.
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

/* field = sum_k control[k] basis_k [unit], basis_k the k-th field of `basis`, in [unit] for a
   control of 1 [control_unit], such as how much 1 m of slip on each of many faults lifts the sea;
   control is as many numbers as there are fields, which every rank holds. Of the fields a copy is
   kept of the rectangle of the patch in which some are not 0.
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

/* ---- a small dense net u = net(x, y; theta) ----

   With a_0 = (x, y), hidden layers l = 1 .. L and an output of one number:
     a_l = tanh(W_l a_{l-1} + b_l),   u = phi(W_{L+1} a_L + b_{L+1})
   theta holds layer after layer, each as W_l row by row (the row of a unit: its weights of the
   units before it), then b_l. Default: 2-20-20-20-1 with softplus, u > 0, 921 numbers.

   Points come in batches, `n` at a time; each is one expression of x, y and theta, in a fixed
   order, so that the same point gives the same bits in any batch. */

enum { HG_NET_LAYERS = 8, HG_NET_WIDTH = 64 };

typedef struct {
  int layers;               /* hidden ones, 1 to HG_NET_LAYERS; 0: three of 20 units */
  int width[HG_NET_LAYERS]; /* units of each hidden layer, 1 to HG_NET_WIDTH */
  HgPointwise output;       /* phi; no name: softplus */
} HgNetSpec;

/* A net with its numbers. */
typedef struct HgNet_s *HgNet;

/* Most points in a batch. */
enum { HG_NET_BATCH = 256 };

/* A first guess of theta that depends on `seed` only: weights uniform within sqrt(6 / (units before
   + units)) (Glorot & Bengio, AISTATS 2010), the output's a tenth of that, the first layer's biases
   within 1, the other biases 0, but the output's such that u is near `value`. Collective. Errors:
   as HgNetCreate(); phi has no inverse at `value`. */
PetscErrorCode HgNetInitialise(MPI_Comm comm, const HgNetSpec *spec, double value, uint64_t seed,
                               double theta[]);

/* field = net(x, y; control) [unit] (above), x and y the cell's centre scaled such that the
   domain's edges, half a cell beyond the outermost centres, are -1 and 1. control is theta, numbers
   that every rank holds; HgNetInitialise() makes a first guess.
   Costs of a cell with the default net: 60 tanh and 921 products for the value, three times as many
   products for the adjoint, of which a third is added exactly; 472 bytes for each of theta's
   numbers travel in the adjoint's one reduction.
   Collective. Errors: as HgNetCreate() for layers, as HgStateCreate() for names. */
PetscErrorCode HgParametrisationNet(HgMesh mesh, const char control[], const char field[],
                                    const char unit[], const HgNetSpec *spec, HgOperator *op);

/* field = phi(control) [unit] in every cell, phi a function of one number (above), copied;
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

/* What a control should look like where the data do not say: a functional of the controls. m_0,
   their mean before the data, is a number or a state like them.

     R(m) = alpha/2 integral a d^2 + beta/2 integral b |grad d|^2,   d = m - m_0   (Tikhonov, H1)
   with midpoint cells and two-point faces; nothing beyond walls (natural boundary condition). On a
   plane a cell has the weight dx dy and a face dy/dx or dx/dy; on a sphere, with widths of cells
   and lengths of faces by row, R^2 c dlambda dphi and dphi/(c dlambda) or c_N dlambda/dphi. The
   factors a of cells and b of faces, 1 unless they are given, say where what is known in advance
   holds: b = 0 on a coast, across which nothing is smooth. With levels a cell is dz thick, and a
   face between two levels weighs dx dy / dz; no factor holds there.
   Of numbers that every rank holds, such as the slip on each of some faults or a flux by step,
     R(m) = alpha/2 sum_k d_k^2 + beta/2 sum_k (d_k+1 - d_k)^2         both in [1 / unit^2]
   of which beta is for numbers whose order means something; of several side by side, as numbers by
   step of the cells along a side, each counts its differences from one step to the next by itself,
   and across/2 sum (d_k+1 - d_k)^2 over those of each step holds these together. To either may be
   added

     tv integral sqrt(|grad d|^2 + epsilon^2)                          (total variation, smoothed)
   which likes steps better than slopes: it costs a jump by its height, however steep. Numbers count
   the slope from one to the next, over their spacing, or 1. It is convex, and its second derivative
   exact.

   Or, instead of weights, of a field or of numbers with a spacing, what is known before the data
   (Whittle, Matern):
     R(m) = tau/2 integral ((kappa^2 - laplace) d)^2     kappa = sqrt(8 nu) / length
   nu = 2 - n/2 in n dimensions (of numbers one), no gradient across walls. With factors the
   operator is a kappa^2 - div b grad: b = 0 is a wall, and a > 1 divides the length and, in two
   dimensions, the deviation by sqrt(a). tau is such that far from walls, and on a grid that is fine
   beside the length, the prior exp(-R) has the standard deviation `deviation`; values that far
   apart as `length` are correlated by about 0.1. Source: F. Lindgren, H. Rue & J. Lindstroem, J. R.
   Statist. Soc. B 73 (2011). */

typedef struct {
  const char *control; /* a field of the controls, or numbers */
  double alpha, beta;  /* weights, >= 0; [1 / (unit^2 m^2)], [1 / unit^2] */
  double reference;    /* m_0 [unit] */
  /* NULL: 1 everywhere; else a state of the fields "a" (of cells), "b_x" and "b_y" (of eastern and
     of northern faces), all >= 0, of which a copy is kept */
  HgState factors;
  /* [unit], [m] or what `spacing` is in; 0: the weights above, which else must be 0 */
  double deviation, length;
  /* m_0 where it is not one number: a state with a variable of the control's name, of which a copy
     is kept; NULL: `reference` everywhere */
  HgState mean;
  double spacing;     /* of numbers: from one to the next, such as the time step [s]; else 0 */
  int each;           /* of numbers: so many are side by side, such as those of a step; 0: one */
  double tv, epsilon; /* of the total variation: [1 / (unit m)], [unit / m]; 0: none */
  double across;      /* of numbers side by side: weight of their differences [1 / unit^2] */
  bool own;           /* of a problem: -prior_deviation, -prior_mean and -tv leave it as it is */
} HgRegularisation;

/* The functional m -> R(m) for controls like `m` (a pattern). Collective. Errors: unknown field,
   weights or factors negative or not finite, a mean not finite; numbers with factors; a deviation
   beside weights, or of numbers without spacing; a length below two cells, or above the longest
   side of the domain. */
PetscErrorCode HgRegularisationCreate(HgState m, const HgRegularisation *regularisation,
                                      HgOperator *op);

#endif
