/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/control.h -- from the controls m to the input x of a trajectory; an operator.

   Every variable of x keeps its base value, except those that a control replaces: x_v = P_v(m_v),
   where P_v is a parametrisation (below) or the identity. */
#ifndef HALOGRAD_CONTROL_H
#define HALOGRAD_CONTROL_H

#include <halograd/operator.h>

typedef struct {
  const char *variable; /* of the input: "u", "kappa", ... */
  /* its one output variable replaces `variable`; NULL: the control is the variable itself */
  HgOperator parametrisation;
} HgControl;

/* Creates the operator m -> x. Its input consists of the input variables of all parametrisations,
   in order, and of `variable` itself where there is none. Copies `base` and becomes an owner of the
   parametrisations. Collective. Errors: unknown or repeated variable; a parametrisation whose
   output does not fit. */
PetscErrorCode HgControlCreate(HgState base, int count, const HgControl controls[], HgOperator *op);

/* Parametrisations: operators from controls to fields.

   Each has one input variable, the control, and one output variable, a field. A cell is one
   expression of its global position; sums over cells are exact (sum.h). So value, tangent and
   adjoint have the same bits on any decomposition and on every rank. */

/* ---- smooth functions of one number, with derivative and inverse ---- */

/* phi(m) and phi'(m). Also phi^-1(u), which turns a first guess or a bound of the result into one
   of m, and phi''(m), which Hessians need; NULL: there is none. p are numbers of your own. The
   functions must be pure: the same bits for the same arguments. */
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

/* HgParametrisationPointwise() with HgPointwiseExp: field = exp(control) [unit] is positive;
   control = log(field / unit) [1] needs no bounds.
     d field = exp(control) d control       control_bar += exp(control) field_bar
   Collective. Errors: as HgStateCreate() for names. */
PetscErrorCode HgParametrisationLog(HgMesh mesh, const char control[], const char field[],
                                    const char unit[], HgOperator *op);

/* field = factor control [unit], cell by cell. control is a field [unit]; factor is a field of
   `factors` (copied), such as 0 outside a box or on land.
     control_bar += factor field_bar
   Collective. Errors: unknown factor, or not finite; as HgStateCreate() for names. */
PetscErrorCode HgParametrisationScaled(HgState factors, const char factor[], const char control[],
                                       const char field[], const char unit[], HgOperator *op);

/* field(x, y) = a + b x + c y [unit], with x and y the cell's centre [m]. control = (a, b, c) in
   [unit], [unit/m], [unit/m], the same on every rank.
     a_bar += sum of field_bar    b_bar += sum of x field_bar    c_bar += sum of y field_bar
   Collective. Errors: as HgStateCreate() for names. */
PetscErrorCode HgParametrisationAffine(HgMesh mesh, const char control[], const char field[],
                                       const char unit[], HgOperator *op);

/* field = sum_k control[k] basis_k [unit], where basis_k is the k-th field of `basis`, in [unit]
   for a control of 1 [control_unit]: for example, how much 1 m of slip on each of many faults lifts
   the sea. control has as many numbers as there are fields, the same on every rank. Of each field
   it keeps a copy of the rectangle of the patch that contains all nonzero cells.
     control_bar[k] += sum of basis_k field_bar
   Collective. Errors: a basis with anything but fields, or with a number that is not finite; as
   HgStateCreate() for names. */
PetscErrorCode HgParametrisationBasis(HgState basis, const char control[],
                                      const char control_unit[], const char field[],
                                      const char unit[], HgOperator *op);

/* field = bilinear interpolation of a coarse grid of cx x cy numbers [unit], the same on every
   rank. control[J cx + I] belongs to node (I, J), I from west to east, J from south to north. The
   outermost nodes lie on the outermost cell centres, so cx = nx, cy = ny is the identity. Along a
   periodic axis the first node lies on the first cell centre, and the last node's neighbour is the
   first. Equal numbers give exactly that constant; otherwise the field stays between them.
     control_bar[J cx + I] += sum over cells of weight_x(I, i) weight_y(J, j) field_bar(i, j)
   The weights add up to 1. The adjoint holds at most 1 MB of exact sums. Collective. Errors: cx or
   cy below 2, above the mesh's cells or above 2048; as HgStateCreate(). */
PetscErrorCode HgParametrisationCoarse(HgMesh mesh, const char control[], const char field[],
                                       const char unit[], int cx, int cy, HgOperator *op);

/* ---- a small dense net u = net(x, y; theta) ----

   With a_0 = (x, y), hidden layers l = 1 .. L and an output of one number:
     a_l = tanh(W_l a_{l-1} + b_l),   u = phi(W_{L+1} a_L + b_{L+1})
   theta holds the layers one after another, each as W_l row by row (a row holds a unit's weights of
   the units before it), then b_l. Default: 2-20-20-20-1 with softplus, u > 0, 921 numbers.

   Points come in batches of `n`. Each point is one expression of x, y and theta in a fixed order,
   so it has the same bits in any batch. */

enum { HG_NET_LAYERS = 8, HG_NET_WIDTH = 64 };

typedef struct {
  int layers;               /* hidden layers, 1 to HG_NET_LAYERS; 0: three of 20 units */
  int width[HG_NET_LAYERS]; /* units of each hidden layer, 1 to HG_NET_WIDTH */
  HgPointwise output;       /* phi; no name: softplus */
} HgNetSpec;

/* A net. */
typedef struct HgNet_s *HgNet;

/* Largest number of points in a batch. */
enum { HG_NET_BATCH = 256 };

/* theta[] = a first guess that depends on `seed` only. Weights are uniform within sqrt(6 / (units
   before + units)) (Glorot & Bengio, AISTATS 2010), those of the output a tenth of that; biases of
   the first layer are uniform within 1, the others 0, and the output's is such that u is near
   `value`. Collective. Errors: layers or widths out of range; phi has no inverse at `value`. */
PetscErrorCode HgNetInitialise(MPI_Comm comm, const HgNetSpec *spec, double value, uint64_t seed,
                               double theta[]);

/* field = net(x, y; control) [unit] (above). x and y are the cell's centre, scaled so that the
   domain's edges, half a cell beyond the outermost centres, are -1 and 1. control is theta, the
   same on every rank; HgNetInitialise() makes a first guess. With the default net a cell costs 60
   tanh and 921 products for the value, and three times as many products for the adjoint, of which a
   third is added exactly; the adjoint's one reduction sends 472 bytes for each number of theta.
   Collective. Errors: layers or widths out of range; as HgStateCreate() for names. */
PetscErrorCode HgParametrisationNet(HgMesh mesh, const char control[], const char field[],
                                    const char unit[], const HgNetSpec *spec, HgOperator *op);

/* field = phi(control) [unit] in every cell, with phi a function of one number (above, copied) and
   control a field of pure numbers.
     d field = phi'(control) d control       control_bar += phi'(control) field_bar
   Collective. Errors: a function without name, value or derivative, or with numbers that are not
   finite; as HgStateCreate() for names. */
PetscErrorCode HgParametrisationPointwise(HgMesh mesh, const char control[], const char field[],
                                          const char unit[], const HgPointwise *function,
                                          HgOperator *op);

/* field = control [unit] in every cell, with control one number, the same on every rank. For a
   positive number, chain the log parametrisation behind it: field = exp(control).
     control_bar += sum of field_bar
   Collective. Errors: as HgStateCreate() for names. */
PetscErrorCode HgParametrisationUniform(HgMesh mesh, const char control[], const char field[],
                                        const char unit[], HgOperator *op);

/* Regularisation: a functional of the controls that says what they should look like where the data
   do not say. m_0 is their mean before the data, a number or a state like them.

     R(m) = alpha/2 integral a d^2 + beta/2 integral b |grad d|^2,   d = m - m_0   (Tikhonov, H1)

   uses midpoint cells and two-point faces, and nothing beyond walls (natural boundary condition).
   On a plane a cell has the weight dx dy, and a face dy/dx or dx/dy. On a sphere, with widths of
   cells and lengths of faces by row, these are R^2 c dlambda dphi, and dphi/(c dlambda) or c_N
   dlambda/dphi. With levels a cell is dz thick, and a face between two levels has the weight dx dy
   / dz. The factors a of cells and b of faces (default 1) carry prior knowledge in space: b = 0 on
   a coast, across which nothing is smooth. They do not apply to faces between levels.

   For numbers that every rank holds, such as the slip of faults or a flux by step,
     R(m) = alpha/2 sum_k d_k^2 + beta/2 sum_k (d_k+1 - d_k)^2         both in [1 / unit^2]
   where beta is for numbers whose order has a meaning. If several numbers are side by side, as
   numbers by step of the cells along a side, beta counts the differences of each of them from one
   step to the next, and across/2 sum (d_k+1 - d_k)^2 over the numbers of a step ties these
   together.

   To either you may add a smoothed total variation,
     tv integral sqrt(|grad d|^2 + epsilon^2)
   which prefers steps to slopes: it costs a jump by its height, however steep. For numbers the
   slope is that from one to the next, over their spacing, or 1. It is convex, and its second
   derivative is exact.

   Or, instead of weights, you give what you know before the data (Whittle, Matern), for a field or
   for numbers with a spacing:
     R(m) = tau/2 integral ((kappa^2 - laplace) d)^2     kappa = sqrt(8 nu) / length
   with nu = 2 - n/2 in n dimensions (numbers: n = 1), and no gradient across walls. With factors
   the operator is a kappa^2 - div b grad: b = 0 is a wall, and a > 1 divides the length and, in two
   dimensions, the deviation by sqrt(a). tau is such that the prior exp(-R) has the standard
   deviation `deviation`, far from walls and on a grid that is fine compared with the length. Values
   a `length` apart have a correlation of about 0.1. Source: F. Lindgren, H. Rue & J. Lindstroem, J.
   R. Statist. Soc. B 73 (2011). */

typedef struct {
  const char *control; /* a field of the controls, or numbers */
  double alpha, beta;  /* weights, >= 0; [1 / (unit^2 m^2)], [1 / unit^2] */
  double reference;    /* m_0 [unit] */
  /* NULL: 1 everywhere; else a state of the fields "a" (of cells), "b_x" and "b_y" (of eastern and
     northern faces), all >= 0; copied */
  HgState factors;
  /* [unit]; [m] or the unit of `spacing`; 0: use the weights, which must be 0 otherwise */
  double deviation, length;
  /* m_0 if it is not one number: a state with a variable of the control's name; copied. NULL:
     `reference` everywhere */
  HgState mean;
  double spacing;     /* of numbers: distance to the next, such as the time step [s]; else 0 */
  int each;           /* of numbers: how many are side by side, as those of a step; 0: one */
  double tv, epsilon; /* of the total variation: [1 / (unit m)], [unit / m]; 0: none */
  double across;      /* of numbers side by side: weight of their differences [1 / unit^2] */
  bool own;           /* -prior_deviation, -prior_mean and -tv of a problem do not change it */
} HgRegularisation;

/* Creates the functional m -> R(m) for controls like `m` (a pattern). Collective. Errors: unknown
   field; weights or factors negative or not finite; a mean not finite; numbers with factors; a
   deviation together with weights or tv, or for numbers without spacing; only one of tv and epsilon
   above 0; `across` of a field; a length below two cells, or above the longest side of the
   domain. */
PetscErrorCode HgRegularisationCreate(HgState m, const HgRegularisation *regularisation,
                                      HgOperator *op);

#endif
