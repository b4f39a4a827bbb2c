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

/* Most points in a batch. */
enum { HG_NET_BATCH = 256 };

/* A first guess of theta that depends on `seed` only: weights uniform within sqrt(6 / (units before
   + units)) (Glorot & Bengio, AISTATS 2010), the output's a tenth of that, the first layer's biases
   within 1, the other biases 0, but the output's such that u is near `value`. Collective. Errors:
   as HgNetCreate(); phi has no inverse at `value`. */
PetscErrorCode HgNetInitialise(MPI_Comm comm, const HgNetSpec *spec, double value, uint64_t seed,
                               double theta[]);

#endif
