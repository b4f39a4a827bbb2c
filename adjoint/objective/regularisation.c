#include <halograd/boundary.h>
#include <halograd/exchange.h>
#include <halograd/regularisation.h>
#include <math.h>

typedef struct {
  HgMesh mesh;
  int index;
  HgRegularisation weights;
  HgExchange exchange;
  HgBoundary mirror; /* no difference across a wall */
} Regularisation;

static PetscErrorCode fill_ghosts(const Regularisation *r, HgState m) {
  double *const *fields[1] = {HgStateRows(m, r->index)};
  PetscCall(HgExchangeApply(r->exchange, fields));
  HgBoundaryApply(r->mesh, &r->mirror, 1, fields[0]);
  return 0;
}

/* sum += alpha (m - m_0)(n - n_0) + beta grad m . grad n over owned cells, each face with the cell
   east or north of it; m_0 and n_0 are offsets. */
static PetscErrorCode add_form(const Regularisation *r, double *const *m, double m0,
                               double *const *n, double n0, HgSum *sum) {
  const HgPatch *p = HgMeshGetPatch(r->mesh);
  const HgMeshSpec *s = HgMeshGetSpec(r->mesh);
  const double area = s->dx * s->dy, alpha = r->weights.alpha * area,
               bx = r->weights.beta * area / (s->dx * s->dx),
               by = r->weights.beta * area / (s->dy * s->dy);
  double *cell;
  PetscCall(PetscMalloc1(p->nx, &cell));
  for (int j = 0; j < p->ny; j++) {
    for (int i = 0; i < p->nx; i++)
      cell[i] = alpha * ((m[j][i] - m0) * (n[j][i] - n0)) +
                bx * ((m[j][i] - m[j][i - 1]) * (n[j][i] - n[j][i - 1])) +
                by * ((m[j][i] - m[j - 1][i]) * (n[j][i] - n[j - 1][i]));
    HgSumAdd(sum, (size_t)p->nx, cell);
  }
  return PetscFree(cell);
}

static PetscErrorCode value(const Regularisation *r, HgState m, double m0, HgState n, double n0,
                            double factor, double *value) {
  HgSum sum;
  HgSumReset(&sum);
  PetscCall(fill_ghosts(r, m));
  if (n != m) PetscCall(fill_ghosts(r, n));
  PetscCall(add_form(r, HgStateRows(m, r->index), m0, HgStateRows(n, r->index), n0, &sum));
  PetscCall(HgSumReduce(HgMeshComm(r->mesh), 1, &sum, value));
  *value *= factor;
  return 0;
}

static PetscErrorCode regularisation_apply(void *self, HgState m, HgState J) {
  const Regularisation *r = self;
  return value(r, m, r->weights.reference, m, r->weights.reference, 0.5, HgStateArray(J, 0));
}

static PetscErrorCode regularisation_tangent(void *self, HgState m, HgState dm, HgState dJ) {
  const Regularisation *r = self;
  return value(r, m, r->weights.reference, dm, 0, 1, HgStateArray(dJ, 0));
}

static PetscErrorCode regularisation_adjoint(void *self, HgState m, HgState J_bar, HgState m_bar) {
  const Regularisation *r = self;
  const HgPatch *p = HgMeshGetPatch(r->mesh);
  const HgMeshSpec *s = HgMeshGetSpec(r->mesh);
  const double area = s->dx * s->dy, weight = HgStateArray(J_bar, 0)[0];
  const double alpha = weight * r->weights.alpha * area,
               bx = weight * r->weights.beta * area / (s->dx * s->dx),
               by = weight * r->weights.beta * area / (s->dy * s->dy);
  PetscCall(fill_ghosts(r, m));
  double *const *u = HgStateRows(m, r->index), *const *u_bar = HgStateRows(m_bar, r->index);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      u_bar[j][i] += alpha * (u[j][i] - r->weights.reference) +
                     bx * ((u[j][i] - u[j][i - 1]) - (u[j][i + 1] - u[j][i])) +
                     by * ((u[j][i] - u[j - 1][i]) - (u[j + 1][i] - u[j][i]));
  HgStateSetGhostDepth(m_bar, r->index, 0);
  return 0;
}

static PetscErrorCode regularisation_destroy(void *self) {
  Regularisation *r = self;
  PetscCall(HgExchangeDestroy(&r->exchange));
  return PetscFree(r);
}

PetscErrorCode HgRegularisationCreate(HgState m, const HgRegularisation *weights, HgOperator *op) {
  static const HgOperatorTable table = {regularisation_apply, regularisation_tangent,
                                        regularisation_adjoint, NULL, regularisation_destroy};
  const HgMesh mesh = HgStateMesh(m);
  const MPI_Comm comm = HgMeshComm(mesh);
  const double a = weights->alpha, b = weights->beta;
  HgRequire(comm, isfinite(a) && isfinite(b) && a >= 0 && b >= 0 && isfinite(weights->reference),
            "regularisation of '%s': weights %g and %g, reference %g; expected finite numbers, "
            "weights not negative",
            weights->control, a, b, weights->reference);
  int index;
  PetscCall(HgStateIndex(m, weights->control, &index));
  HgRequire(comm, HgStateVariable(m, index)->kind == HG_FIELD,
            "regularisation of '%s': expected a field", weights->control);
  Regularisation *r;
  PetscCall(PetscNew(&r));
  r->mesh = mesh, r->index = index, r->weights = *weights, r->mirror = HgBoundaryAll(HG_MIRROR, 1);
  const int depth = 1;
  PetscCall(HgExchangeCreate(mesh, 1, &depth, &r->exchange));
  HgState J;
  PetscCall(HgFunctionalOutput(mesh, &J));
  PetscCall(HgOperatorCreate("regularisation", m, J, &table, r, op));
  return HgStateDestroy(&J);
}
