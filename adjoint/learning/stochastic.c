/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/experiments_library.h>
#include <halograd/state_library.h>
#include <halograd/stochastic.h>
#include <math.h>

struct HgStochastic_s {
  HgStochasticSpec spec;
  HgState next;  /* where a step leads */
  size_t length; /* of the following, all packed */
  double *m, *g, *area, *lower, *upper, *v, *s;
  long steps;
  double power[2]; /* b1^n, b2^n */
};

static PetscErrorCode check(MPI_Comm comm, const HgStochasticSpec *s) {
  HgRequire(comm, s->rate > 0 && isfinite(s->rate), HG_ERR_CONTROL,
            "stochastic: the learning rate is %g, expected above 0", s->rate);
  HgRequire(comm, s->decay >= 0 && isfinite(s->decay), HG_ERR_CONTROL,
            "stochastic: the decay of the learning rate is %g, expected at least 0", s->decay);
  HgRequire(comm, s->first >= 0 && s->first < 1, HG_ERR_CONTROL,
            "stochastic: the momentum is %g, expected 0 or more and below 1", s->first);
  HgRequire(comm,
            s->rule != HG_ADAM ||
                (s->second >= 0 && s->second < 1 && s->epsilon > 0 && isfinite(s->epsilon)),
            HG_ERR_CONTROL,
            "stochastic: Adam's b2 is %g and eps %g, expected b2 in [0, 1) and eps above 0",
            s->second, s->epsilon);
  HgRequire(comm, !s->control || s->lower <= s->upper, HG_ERR_CONTROL,
            "stochastic: bounds of '%s' are %g and %g, expected lower <= upper", s->control,
            s->lower, s->upper);
  return 0;
}

/* The weight of one unit of each number in an L2 product. */
static PetscErrorCode weigh(HgState m, double area[]) {
  const HgMesh mesh = HgStateMesh(m);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgLatitude *latitude = HgMeshGetMetric(mesh)->latitudes;
  HgState w;
  PetscCall(HgStateDuplicate(m, &w));
  for (int k = 0; k < HgStateCount(w); k++) {
    const HgVariable *v = HgStateVariable(w, k);
    const bool field = HgIsField(v);
    const HgMeshSpec *s = HgMeshGetSpec(mesh);
    const double thick = s->nz && !v->surface ? s->dz : 1,
                 area = HgMeshGetMetric(mesh)->width * HgMeshGetMetric(mesh)->height * thick;
    PetscCall(HgStateSetConstant(w, v->name, field ? area : 1));
    for (int n = 0; field && latitude && n < HgStateRowCount(w, k); n++)
      for (int i = 0; i < p->nx; i++)
        HgStateRow(w, k, n)[i] = area * latitude[p->j_global + n % p->ny].cosine;
  }
  HgStatePack(w, area);
  return HgStateDestroy(&w);
}

PetscErrorCode HgStochasticCreate(HgState m, const HgStochasticSpec *spec,
                                  HgStochastic *stochastic) {
  HgStochastic s;
  int bounded;
  PetscCall(check(HgMeshComm(HgStateMesh(m)), spec));
  if (spec->control) PetscCall(HgStateIndex(m, spec->control, &bounded));
  PetscCall(PetscNew(&s));
  s->spec = *spec, s->length = HgStateLength(m), s->power[0] = s->power[1] = 1;
  PetscCall(PetscCalloc7(s->length, &s->m, s->length, &s->g, s->length, &s->area, s->length,
                         &s->lower, s->length, &s->upper, s->length, &s->v, s->length, &s->s));
  PetscCall(weigh(m, s->area));
  PetscCall(HgStateDuplicate(m, &s->next));
  for (int side = 0; side < 2; side++) {
    for (int k = 0; k < HgStateCount(m); k++)
      PetscCall(
          HgStateSetConstant(s->next, HgStateVariable(m, k)->name, side ? INFINITY : -INFINITY));
    if (spec->control)
      PetscCall(HgStateSetConstant(s->next, spec->control, side ? spec->upper : spec->lower));
    HgStatePack(s->next, side ? s->upper : s->lower);
  }
  *stochastic = s;
  return 0;
}

PetscErrorCode HgStochasticDestroy(HgStochastic *stochastic) {
  HgStochastic s = *stochastic;
  *stochastic = NULL;
  if (!s) return 0;
  PetscCall(HgStateDestroy(&s->next));
  PetscCall(PetscFree7(s->m, s->g, s->area, s->lower, s->upper, s->v, s->s));
  return PetscFree(s);
}

/* NaN stays. */
static double between(double lower, double x, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

PetscErrorCode HgStochasticStep(HgStochastic s, HgState gradient, HgState m) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(m));
  HgRequire(
      comm, HgStateSame(m, s->next) && HgStateSame(gradient, m), HG_ERR_CONTROL,
      "stochastic: a step of %d controls, '%s' ..., with a gradient of %d, '%s' ..., expected "
      "the %d ('%s' ...) that it was made for",
      HgStateCount(m), HgStateVariable(m, 0)->name, HgStateCount(gradient),
      HgStateVariable(gradient, 0)->name, HgStateCount(s->next), HgStateVariable(s->next, 0)->name);
  const HgStochasticSpec *p = &s->spec;
  char where[128];
  bool finite;
  PetscCall(HgStateFinite(gradient, &finite, where, sizeof where));
  HgRequire(comm, finite, HG_ERR_NOT_FINITE, "stochastic: a gradient is not finite: %s", where);
  const double rate = p->rate / (1 + p->decay * (double)s->steps++);
  HgStatePack(m, s->m);
  HgStatePack(gradient, s->g);
  s->power[0] *= p->first, s->power[1] *= p->second;
  for (size_t i = 0; i < s->length; i++) {
    const double g = s->g[i] / s->area[i];
    double step;
    if (p->rule == HG_ADAM) {
      s->v[i] = p->first * s->v[i] + (1 - p->first) * g;
      s->s[i] = p->second * s->s[i] + (1 - p->second) * (g * g);
      step = s->v[i] / (1 - s->power[0]) / (sqrt(s->s[i] / (1 - s->power[1])) + p->epsilon);
    } else step = s->v[i] = p->first * s->v[i] + g;
    s->m[i] = between(s->lower[i], s->m[i] - rate * step, s->upper[i]);
  }
  HgStateUnpack(s->m, s->next);
  PetscCall(HgStateFinite(s->next, &finite, where, sizeof where));
  HgRequire(comm, finite, HG_ERR_NOT_FINITE,
            "stochastic: a step leads to where %s, expected finite numbers", where);
  return HgStateCopy(s->next, m);
}

/* A whole number in [0, n). */
static int below(uint64_t seed, uint64_t counter, int n) {
  const int k = (int)((HgRandom(seed, counter) + 1) / 2 * n);
  return k < n ? k : n - 1;
}

void HgStochasticDraw(uint64_t seed, long n, int count, int size, int batch[]) {
  const long steps = count / size, epoch = n / steps, first = n % steps * size;
  const uint64_t stream = (uint64_t)epoch * (uint64_t)count;
  /* Places first .. first + size - 1 of the epoch's shuffle (Fisher & Yates from the end): where a
     place's card came from is followed back, which needs no memory for the whole deck. */
  for (int k = 0; k < size; k++) {
    int at = (int)first + k;
    /* the shuffle swaps places i and below(i + 1), i = count - 1 .. 1; undone in reverse order */
    for (int i = 1; i < count; i++) {
      const int j = below(seed, stream + (uint64_t)i, i + 1);
      at = at == i ? j : at == j ? i : at;
    }
    batch[k] = at;
  }
}
