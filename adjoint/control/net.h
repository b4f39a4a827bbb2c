/* halograd/net.h -- a small dense net u = net(x, y; theta), its tangent and its adjoint.

   With a_0 = (x, y), hidden layers l = 1 .. L and an output of one number:
     a_l = tanh(W_l a_{l-1} + b_l),   u = phi(W_{L+1} a_L + b_{L+1})
   theta holds layer after layer, each as W_l row by row (the row of a unit: its weights of the
   units before it), then b_l. Default: 2-20-20-20-1 with softplus, u > 0, 921 numbers.

   Points come in batches, `n` at a time; each is one expression of x, y and theta, in a fixed
   order, so that the same point gives the same bits in any batch. */
#ifndef HALOGRAD_NET_H
#define HALOGRAD_NET_H

#include <halograd/pointwise.h>
#include <halograd/sum.h>

enum { HG_NET_LAYERS = 8, HG_NET_WIDTH = 64 };

typedef struct {
  int layers;               /* hidden ones, 1 to HG_NET_LAYERS; 0: three of 20 units */
  int width[HG_NET_LAYERS]; /* units of each hidden layer, 1 to HG_NET_WIDTH */
  HgPointwise output;       /* phi; no name: softplus */
} HgNetSpec;
typedef struct HgNet_s *HgNet;

/* Errors: layers or widths out of range. Collective on `comm`. */
PetscErrorCode HgNetCreate(MPI_Comm comm, const HgNetSpec *spec, HgNet *net);

/* Frees, sets NULL. */
PetscErrorCode HgNetDestroy(HgNet *net);

/* How many numbers theta has. */
int HgNetSize(HgNet net);

/* Most points in a batch. */
enum { HG_NET_BATCH = 256 };

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
     sums[k] += sum over i of du_bar_i d net / d theta_k + u_bar_i sum over l of d^2 net / d theta_k d theta_l dtheta_l
   added exactly. Only where HgNetTwice(). */
void HgNetSecond(HgNet net, const double theta[], const double dtheta[], int n, const double x[],
                 const double y[], const double u_bar[], const double du_bar[], HgSum sums[]);

/* A first guess of theta that depends on `seed` only: weights uniform within sqrt(6 / (units before
   + units)) (Glorot & Bengio, AISTATS 2010), the output's a tenth of that, the first layer's biases
   within 1, the other biases 0, but the output's such that u is near `value`. Collective. Errors:
   as HgNetCreate(); phi has no inverse at `value`. */
PetscErrorCode HgNetInitialise(MPI_Comm comm, const HgNetSpec *spec, double value, uint64_t seed,
                               double theta[]);

#endif
