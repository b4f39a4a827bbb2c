/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/control_library.h>
#include <halograd/state.h>
#include <math.h>

enum { BATCH = HG_NET_BATCH, INPUTS = 2 };

/* Positions of a layer's numbers in theta and of its units among all units, which include inputs.
   */
typedef struct {
  int in, out;       /* units before, units */
  int weight, bias;  /* first of theta */
  int before, first; /* first unit of both */
} Layer;

struct HgNet_s {
  int layers, size, units; /* layers with the output's */
  Layer layer[HG_NET_LAYERS + 1];
  HgPointwise output;
  double (*a)[BATCH], (*da)[BATCH];     /* of every unit; tangent, or adjoint */
  double (*bar)[BATCH], (*dbar)[BATCH]; /* beside a tangent the adjoint, and its tangent */
};

PetscErrorCode HgNetCreate(MPI_Comm comm, const HgNetSpec *spec, HgNet *net) {
  HgNetSpec s = *spec;
  if (!s.layers) s.layers = 3, s.width[0] = s.width[1] = s.width[2] = 20;
  if (!s.output.name) s.output = HgPointwiseSoftplus;
  char problem[160];
  HgRequire(comm, HgPointwiseSound(&s.output, sizeof problem, problem), HG_ERR_CONTROL,
            "net: its output: %s", problem);
  HgRequire(comm, s.layers >= 1 && s.layers <= HG_NET_LAYERS, HG_ERR_CONTROL,
            "net: %d hidden layers given, expected 1 to %d", s.layers, HG_NET_LAYERS);
  for (int l = 0; l < s.layers; l++)
    HgRequire(comm, s.width[l] >= 1 && s.width[l] <= HG_NET_WIDTH, HG_ERR_CONTROL,
              "net: hidden layer %d has %d units, expected 1 to %d", l + 1, s.width[l],
              HG_NET_WIDTH);
  HgNet n;
  PetscCall(PetscNew(&n));
  n->layers = s.layers + 1, n->units = INPUTS, n->output = s.output;
  for (int l = 0; l < n->layers; l++) {
    Layer *layer = &n->layer[l];
    layer->in = l ? s.width[l - 1] : INPUTS;
    layer->out = l < s.layers ? s.width[l] : 1;
    layer->weight = n->size;
    layer->bias = n->size + layer->in * layer->out;
    layer->before = n->units - layer->in;
    layer->first = n->units;
    n->size = layer->bias + layer->out;
    n->units += layer->out;
  }
  PetscCall(PetscMalloc4(n->units, &n->a, n->units, &n->da, n->units, &n->bar, n->units, &n->dbar));
  *net = n;
  return 0;
}

PetscErrorCode HgNetDestroy(HgNet *net) {
  if (*net) PetscCall(PetscFree4((*net)->a, (*net)->da, (*net)->bar, (*net)->dbar));
  return PetscFree(*net);
}

int HgNetSize(HgNet net) { return net->size; }

/* y += w x */
static inline void add(int n, double w, const double x[restrict], double y[restrict]) {
  for (int i = 0; i < n; i++) y[i] += w * x[i];
}

/* Computes the activations of all units; of the output, the argument of phi. */
static void forward(HgNet net, const double theta[], int n, const double x[], const double y[]) {
  for (int i = 0; i < n; i++) net->a[0][i] = x[i], net->a[1][i] = y[i];
  for (int l = 0; l < net->layers; l++) {
    const Layer *layer = &net->layer[l];
    for (int k = 0; k < layer->out; k++) {
      const double *w = theta + layer->weight + k * layer->in, b = theta[layer->bias + k];
      double *z = net->a[layer->first + k];
      for (int i = 0; i < n; i++) z[i] = b;
      for (int m = 0; m < layer->in; m++) add(n, w[m], net->a[layer->before + m], z);
      if (l < net->layers - 1)
        for (int i = 0; i < n; i++) z[i] = tanh(z[i]);
    }
  }
}

void HgNetApply(HgNet net, const double theta[], int n, const double x[], const double y[],
                double u[]) {
  const HgPointwise *phi = &net->output;
  forward(net, theta, n, x, y);
  const double *z = net->a[net->units - 1];
  for (int i = 0; i < n; i++) u[i] = phi->value(z[i], phi->p);
}

/* The same with tangents of all units; of the output, of the argument of phi. */
static void forward_tangent(HgNet net, const double theta[], const double dtheta[], int n,
                            const double x[], const double y[]) {
  forward(net, theta, n, x, y);
  for (int i = 0; i < n; i++) net->da[0][i] = net->da[1][i] = 0;
  for (int l = 0; l < net->layers; l++) {
    const Layer *layer = &net->layer[l];
    for (int k = 0; k < layer->out; k++) {
      const double *w = theta + layer->weight + k * layer->in,
                   *dw = dtheta + layer->weight + k * layer->in, db = dtheta[layer->bias + k];
      double *a = net->a[layer->first + k], *dz = net->da[layer->first + k];
      for (int i = 0; i < n; i++) dz[i] = db;
      for (int m = 0; m < layer->in; m++) {
        add(n, dw[m], net->a[layer->before + m], dz);
        add(n, w[m], net->da[layer->before + m], dz);
      }
      if (l < net->layers - 1)
        for (int i = 0; i < n; i++) dz[i] *= 1 - a[i] * a[i];
    }
  }
}

void HgNetTangent(HgNet net, const double theta[], const double dtheta[], int n, const double x[],
                  const double y[], double du[]) {
  const HgPointwise *phi = &net->output;
  forward_tangent(net, theta, dtheta, n, x, y);
  const double *z = net->a[net->units - 1], *dz = net->da[net->units - 1];
  for (int i = 0; i < n; i++) du[i] = phi->derivative(z[i], phi->p) * dz[i];
}

void HgNetAdjoint(HgNet net, const double theta[], int n, const double x[], const double y[],
                  const double u_bar[], HgSum sums[]) {
  const HgPointwise *phi = &net->output;
  forward(net, theta, n, x, y);
  const double *z = net->a[net->units - 1];
  for (int i = 0; i < n; i++) net->da[net->units - 1][i] = phi->derivative(z[i], phi->p) * u_bar[i];
  for (int l = net->layers - 1; l >= 0; l--) { /* da: of what tanh and phi are applied to */
    const Layer *layer = &net->layer[l];
    for (int k = 0; k < layer->out; k++) {
      const double *z_bar = net->da[layer->first + k];
      for (int m = 0; m < layer->in; m++)
        HgSumAddProducts(&sums[layer->weight + k * layer->in + m], (size_t)n, z_bar,
                         net->a[layer->before + m]);
      HgSumAdd(&sums[layer->bias + k], (size_t)n, z_bar);
    }
    for (int m = 0; m < layer->in && l; m++) {
      const double *a = net->a[layer->before + m];
      double *a_bar = net->da[layer->before + m];
      for (int i = 0; i < n; i++) a_bar[i] = 0;
      for (int k = 0; k < layer->out; k++)
        add(n, theta[layer->weight + k * layer->in + m], net->da[layer->first + k], a_bar);
      for (int i = 0; i < n; i++) a_bar[i] *= 1 - a[i] * a[i];
    }
  }
}

bool HgNetTwice(HgNet net) { return net->output.second != NULL; }

/* Adds to the second derivatives by the layer's weights and biases. */
static void second_of_layer(HgNet net, const Layer *layer, int n, HgSum sums[]) {
  for (int k = 0; k < layer->out; k++) {
    const double *bar = net->bar[layer->first + k], *dbar = net->dbar[layer->first + k];
    for (int m = 0; m < layer->in; m++) {
      HgSum *const sum = &sums[layer->weight + k * layer->in + m];
      HgSumAddProducts(sum, (size_t)n, dbar, net->a[layer->before + m]);
      if (layer->before) HgSumAddProducts(sum, (size_t)n, bar, net->da[layer->before + m]);
    }
    HgSumAdd(&sums[layer->bias + k], (size_t)n, dbar);
  }
}

/* a = tanh(z), da = (1 - a^2) dz: bar and dbar of z in the layer before. */
static void second_before(HgNet net, const Layer *layer, const double theta[],
                          const double dtheta[], int n) {
  for (int m = 0; m < layer->in; m++) {
    const double *a = net->a[layer->before + m], *da = net->da[layer->before + m];
    double *bar = net->bar[layer->before + m], *dbar = net->dbar[layer->before + m];
    for (int i = 0; i < n; i++) bar[i] = dbar[i] = 0;
    for (int k = 0; k < layer->out; k++) {
      const int w = layer->weight + k * layer->in + m;
      add(n, theta[w], net->bar[layer->first + k], bar);
      add(n, theta[w], net->dbar[layer->first + k], dbar);
      add(n, dtheta[w], net->bar[layer->first + k], dbar);
    }
    for (int i = 0; i < n; i++) {
      dbar[i] = (1 - a[i] * a[i]) * dbar[i] - 2 * a[i] * da[i] * bar[i];
      bar[i] *= 1 - a[i] * a[i];
    }
  }
}

void HgNetSecond(HgNet net, const double theta[], const double dtheta[], int n, const double x[],
                 const double y[], const double u_bar[], const double du_bar[], HgSum sums[]) {
  const HgPointwise *phi = &net->output;
  const int last = net->units - 1;
  forward_tangent(net, theta, dtheta, n, x, y);
  for (int i = 0; i < n; i++) {
    const double z = net->a[last][i], slope = phi->derivative(z, phi->p);
    net->bar[last][i] = slope * u_bar[i];
    net->dbar[last][i] = slope * du_bar[i] + phi->second(z, phi->p) * net->da[last][i] * u_bar[i];
  }
  for (int l = net->layers - 1; l >= 0; l--) {
    second_of_layer(net, &net->layer[l], n, sums);
    if (l) second_before(net, &net->layer[l], theta, dtheta, n);
  }
}

PetscErrorCode HgNetInitialise(MPI_Comm comm, const HgNetSpec *spec, double value, uint64_t seed,
                               double theta[]) {
  HgNet net;
  PetscCall(HgNetCreate(comm, spec, &net));
  const HgPointwise *phi = &net->output;
  const double bias = phi->inverse ? phi->inverse(value, phi->p) : NAN;
  if (!isfinite(bias)) {
    const char *name = phi->name;
    PetscCall(HgNetDestroy(&net));
    return HgError(comm, HG_ERR_CONTROL, "net: its output function '%s' cannot start at %g", name,
                   value);
  }
  for (int l = 0; l < net->layers; l++) {
    const Layer *layer = &net->layer[l];
    const bool last = l == net->layers - 1;
    const double scale = sqrt(6.0 / (layer->in + layer->out)) * (last ? 0.1 : 1);
    for (int k = layer->weight; k < layer->bias; k++)
      theta[k] = scale * HgRandom(seed, (uint64_t)k);
    for (int k = layer->bias; k < layer->bias + layer->out; k++)
      theta[k] = l ? 0 : HgRandom(seed, (uint64_t)k);
  }
  theta[net->size - 1] = bias;
  return HgNetDestroy(&net);
}
