/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/control_library.h -- what other rooms of the library need of control.h. */
#ifndef HG_CONTROL_LIBRARY_H
#define HG_CONTROL_LIBRARY_H

#include <halograd/control.h>

/* Creates a net. Collective on `comm`. Errors: layers or widths out of range. */
PetscErrorCode HgNetCreate(MPI_Comm comm, const HgNetSpec *spec, HgNet *net);

/* Frees, sets NULL. */
PetscErrorCode HgNetDestroy(HgNet *net);

/* How many numbers theta has. */
int HgNetSize(HgNet net);

/* u_i = net(x_i, y_i; theta), i = 0 .. n - 1, n <= HG_NET_BATCH. Not collective, like the functions
   below. */
void HgNetApply(HgNet net, const double theta[], int n, const double x[], const double y[],
                double u[]);

/* du = d net / d theta . dtheta */
void HgNetTangent(HgNet net, const double theta[], const double dtheta[], int n, const double x[],
                  const double y[], double du[]);

/* sums[k] += sum over i of u_bar_i d net(x_i, y_i) / d theta_k, for all k. The part of each point
   is rounded once and added exactly (sum.h). */
void HgNetAdjoint(HgNet net, const double theta[], int n, const double x[], const double y[],
                  const double u_bar[], HgSum sums[]);

/* Whether its phi has a second derivative. */
bool HgNetTwice(HgNet net);

/* The tangent of the adjoint, as theta moves by dtheta and u_bar by du_bar; only if HgNetTwice().
   For all k
     sums[k] += sum over i of du_bar_i d net / d theta_k
                + u_bar_i sum over l of d^2 net / d theta_k d theta_l dtheta_l
   added exactly. */
void HgNetSecond(HgNet net, const double theta[], const double dtheta[], int n, const double x[],
                 const double y[], const double u_bar[], const double du_bar[], HgSum sums[]);

/* ---- functions of one number (control.h) ---- */

/* Whether the function has a name, a value, a derivative and finite numbers p; and
   HgPointwiseBetween() its bounds in order. If not, `problem` (at most `size` bytes) says what is
   wrong. */
bool HgPointwiseSound(const HgPointwise *function, size_t size, char problem[]);

/* Multiplies R of an operator of HgRegularisationCreate() by `factor` > 0, also in all composites
   that it is a part of; a deviation is divided by its square root. Not collective. */
void HgRegularisationScale(HgOperator op, double factor);

/* Makes second derivatives of composites with this R of a field those of Gauss-Newton: R(x(m)) has
   only x'^T R'' x', which is positive semidefinite, without the curvature of x(m). Not
   collective. */
void HgRegularisationSetGaussNewton(HgOperator op, bool yes);

#endif
