/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/control_library.h -- what other rooms of the library need of control.h. */
#ifndef HG_CONTROL_LIBRARY_H
#define HG_CONTROL_LIBRARY_H

#include <halograd/control.h>

/* Errors: layers or widths out of range. Collective on `comm`. */
PetscErrorCode HgNetCreate(MPI_Comm comm, const HgNetSpec *spec, HgNet *net);

/* Frees, sets NULL. */
PetscErrorCode HgNetDestroy(HgNet *net);

/* How many numbers theta has. */
int HgNetSize(HgNet net);

/* u_i = net(x_i, y_i; theta), i = 0 .. n - 1, n <= HG_NET_BATCH. Not collective, as the next. */
void HgNetApply(HgNet net, const double theta[], int n, const double x[], const double y[],
                double u[]);

/* du = d net / d theta . dtheta */
void HgNetTangent(HgNet net, const double theta[], const double dtheta[], int n, const double x[],
                  const double y[], double du[]);

/* sums[k] += sum over i of u_bar_i d net(x_i, y_i) / d theta_k, for all k, each point's part
   rounded once and added exactly (sum.h). */
void HgNetAdjoint(HgNet net, const double theta[], int n, const double x[], const double y[],
                  const double u_bar[], HgSum sums[]);

/* Has its phi a second derivative? */
bool HgNetTwice(HgNet net);

/* The tangent of the adjoint, as theta moves by dtheta and u_bar by du_bar: for all k
     sums[k] += sum over i of du_bar_i d net / d theta_k + u_bar_i sum over l of d^2 net / d theta_k
     d theta_l dtheta_l
   added exactly. Only where HgNetTwice(). */
void HgNetSecond(HgNet net, const double theta[], const double dtheta[], int n, const double x[],
                 const double y[], const double u_bar[], const double du_bar[], HgSum sums[]);

/* ---- functions of one number (control.h) ---- */

/* Has it a name, a value, a derivative and finite numbers p, and HgPointwiseBetween() bounds in
   their order? If not, `problem`: what is wrong, of at most `size` bytes. */
bool HgPointwiseSound(const HgPointwise *function, size_t size, char problem[]);

/* R of an operator that HgRegularisationCreate() made is multiplied by `factor` > 0, and so a
   deviation divided by its root, from now on: of all composites that it is a part of, too. Not
   collective. */
void HgRegularisationScale(HgOperator op, double factor);

/* From now on second derivatives of what it is a part of, of a field, are those of Gauss and
   Newton: R(x(m)) has x'^T R'' x' alone, which is positive semidefinite, without the curvature of
   x(m). Not collective. */
void HgRegularisationSetGaussNewton(HgOperator op, bool yes);

#endif
