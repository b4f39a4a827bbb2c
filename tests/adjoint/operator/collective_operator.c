/* SPDX-License-Identifier: BSD-2-Clause */
/* Every collective passes all checks as an operator on local and replicated arrays and on fields,
   on the mesh's ranks and on parts of them, and what it does not touch passes through; a linear one
   has second derivatives, which are 0. */
#include "claim.h"
#include "findings.h"
#include "halo/collective/collective_cases.h"
#include "refusal.h"
#include <halograd/collective_library.h>
#include <halograd/operator.h>
#include <halograd/operator_library.h>

static HgMesh mesh;

static PetscErrorCode check(const char what[], HgOperator op, HgState x, double dot) {
  const HgCheckOptions options = {.seed = claim.seed};
  HgFindings report;
  PetscCall(HgExamineOperator(op, x, &options, &report));
  claim_that(!report.findings && report.worst[HG_CHECK_DOT] <= dot, "%s, '%s': dot product %g; %s",
             what, HgOperatorName(op), report.worst[HG_CHECK_DOT], first_finding(&report));
  return 0;
}

/* The collective's array between a field and an array that stay as they are. */
static PetscErrorCode check_case(const Case *c) {
  const HgVariable in[] = {{"u", "1", HG_FIELD, 0},
                           {"a", "1", c->what == SPREAD ? HG_REPLICATED : HG_LOCAL,
                            inputs(c, c->rank)},
                           {"b", "1", HG_LOCAL, 3}},
                   out = {"c", "1", c->once ? HG_REPLICATED : HG_LOCAL, 0};
  HgCollective collective;
  HgOperator op;
  HgState x, y;
  PetscCall(HgStateCreate(mesh, 3, in, &x));
  PetscCall(HgStateRandom(x, c->seed));
  for (int i = 0; i < in[1].size; i++) HgStateArray(x, 1)[i] = number(c, c->rank, i);
  PetscCall(case_create(c, &collective));
  const bool linear = HgCollectiveLinear(collective);
  PetscCall(HgCollectiveOperator(x, "a", &collective, &out, &op));
  claim_that(HgOperatorLinear(op) == linear, "%s: linear or not", case_name(c));
  claim_that(!collective, "the collective belongs to the operator");
  PetscCall(HgOperatorCreateOutput(op, &y));
  PetscCall(HgOperatorApply(op, x, y));
  for (int i = 0; i < HgStateVariable(y, 1)->size; i++)
    claim_same(HgStateArray(y, 1)[i], expected(c, i), "%s: y[%d]", case_name(c), i);
  for (int i = 0; i < 3; i++)
    claim_same(HgStateArray(y, 2)[i], HgStateArray(x, 2)[i], "%s: b[%d]", case_name(c), i);
  claim_same(HgStateRows(y, 0)[0][0], HgStateRows(x, 0)[0][0], "%s: u", case_name(c));
  PetscCall(check(case_name(c), op, x, 1e-14));
  return DESTROY(&x, &y, &op);
}

/* Mean fields of the odd and of the even ranks; the last rank of an odd number belongs to none. */
static PetscErrorCode check_parts(int ranks) {
  const int group = ranks > 1 && ranks % 2 && claim.rank == ranks - 1 ? -1 : claim.rank % 2;
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int cells = p->nx * p->ny;
  const HgVariable a = {"a", "1", HG_LOCAL, group < 0 ? 0 : cells}, sum = {"sum", "1", HG_LOCAL, 0};
  MPI_Comm part;
  HgCollective c = NULL;
  HgOperator op;
  HgState x;
  PetscCallMPI(MPI_Comm_split(HgMeshComm(mesh), group < 0 ? MPI_UNDEFINED : group, 0, &part));
  if (part != MPI_COMM_NULL) {
    PetscCall(HgCollectiveCreate(part, &(HgCollectiveSpec){HG_ALLREDUCE, .n = cells}, &c));
    PetscCallMPI(MPI_Comm_free(&part));
  }
  PetscCall(HgStateCreate(mesh, 1, &a, &x));
  PetscCall(HgStateRandom(x, 5));
  PetscCall(HgCollectiveOperator(x, "a", &c, &sum, &op));
  PetscCall(check("sums over parts of the ranks", op, x, 1e-14));
  claim_that(HgOperatorLinear(op), "sums over parts are linear on every rank");
  return DESTROY(&x, &op);
}

/* A field to the next rank, its largest value by cell there, and so on: fields in, fields out. */
static PetscErrorCode check_fields(int ranks) {
  const HgVariable u = {"u", "1", HG_FIELD, 0}, v = {"v", "1", HG_FIELD, 0};
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int cells = p->nx * p->ny, rank = claim.rank;
  HgCollective ring, product;
  HgOperator parts[2], chain;
  HgState x;
  PetscCall(HgStateCreate(mesh, 1, &u, &x));
  PetscCall(HgStateRandom(x, 6));
  PetscCall(
      HgCollectiveCreate(HgMeshComm(mesh),
                         &(HgCollectiveSpec){HG_SENDRECV, .to = (rank + 1) % ranks, .n = cells,
                                             .from = (rank + ranks - 1) % ranks, .received = cells},
                         &ring));
  PetscCall(HgCollectiveCreate(
      HgMeshComm(mesh), &(HgCollectiveSpec){HG_SCAN, .n = cells, .reduction = HG_REDUCE_PRODUCT},
      &product));
  PetscCall(HgCollectiveOperator(x, "u", &ring, &v, &parts[0]));
  HgState middle;
  PetscCall(HgOperatorCreateOutput(parts[0], &middle));
  PetscCall(HgCollectiveOperator(middle, "v", &product, &u, &parts[1]));
  PetscCall(HgOperatorChain("fields", 2, parts, &chain));
  PetscCall(check("fields", chain, x, 1e-13));
  return DESTROY(&x, &middle, &chain, &parts[0], &parts[1]);
}

static PetscErrorCode refusals(int ranks) {
  const HgVariable list[] = {{"a", "1", HG_LOCAL, 4}, {"theta", "1", HG_REPLICATED, 4}},
                   local = {"y", "1", HG_LOCAL, 0}, once = {"y", "1", HG_REPLICATED, 0},
                   field = {"y", "1", HG_FIELD, 0};
  const MPI_Comm comm = HgMeshComm(mesh);
  HgState x;
  HgOperator op;
  HgCollective c;
  PetscCall(HgStateCreate(mesh, 2, list, &x));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SCAN, .n = 4}, &c));
  REFUSED(HgCollectiveOperator(x, "b", &c, &local, &op), "no variable 'b'");
  REFUSED(HgCollectiveOperator(x, "theta", &c, &local, &op), "scan", "'theta' is replicated");
  REFUSED(HgCollectiveOperator(x, "a", &c, &once, &op), "scan", "cannot count once");
  claim_that(c, "after a refusal the collective is the caller's");
  PetscCall(HgCollectiveDestroy(&c));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SCAN, .n = 5}, &c));
  REFUSED(HgCollectiveOperator(x, "a", &c, &local, &op), "'a' has 4 numbers here, expected 5");
  PetscCall(HgCollectiveDestroy(&c));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SPREAD, .n = 4}, &c));
  REFUSED(HgCollectiveOperator(x, "a", &c, &local, &op), "'a' is not replicated");
  REFUSED(HgCollectiveOperator(x, "theta", &c, &field, &op), "gives 4 numbers to the field 'y'");
  PetscCall(HgCollectiveDestroy(&c));
  if (ranks > 1) {
    /* the mesh of one rank, a collective of all */
    HgMesh alone;
    HgState mine;
    const HgMeshSpec spec = {.nx = 2, .ny = 2, .dx = 1, .dy = 1, .ghost = 1};
    PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SUM, .n = 4}, &c));
    PetscCall(HgMeshCreate(PETSC_COMM_SELF, &spec, &alone));
    PetscCall(HgStateCreate(alone, 2, list, &mine));
    char text[512];
    const Said said = said_begin();
    const PetscErrorCode ierr = HgCollectiveOperator(mine, "a", &c, &local, &op);
    const int lines = said_end(said, text, sizeof text);
    claim_that(ierr == HG_ERROR_TOLD && lines == ranks &&
                   strstr(text, "of its communicator do not belong to the mesh"),
               "a foreign communicator: error %d, %d lines: %s", (int)ierr, lines, text);
    PetscCall(HgCollectiveDestroy(&c));
    PetscCall(DESTROY(&mine, &alone));
    /* a part of the mesh's ranks knows no array of all of them */
    PetscCall(HgCollectiveCreate(PETSC_COMM_SELF, &(HgCollectiveSpec){HG_ALLREDUCE, .n = 4}, &c));
    REFUSED(HgCollectiveOperator(x, "a", &c, &once, &op), "allreduce: it works on other ranks");
    PetscCall(HgCollectiveDestroy(&c));
  }
  return HgStateDestroy(&x);
}

static PetscErrorCode test(void) {
  const int few[] = {0, 1, 5}, one[] = {4};
  const int ranks = claim.ranks;
  const HgMeshSpec spec = {
      .nx = 3 * ranks, .ny = 2, .px = ranks, .py = 1, .dx = 1, .dy = 1, .ghost = 1};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh)); /* equal patches */
  PetscCall(
      for_all_cases(HgMeshComm(mesh), 7, ranks > 4 ? 1 : 3, ranks > 4 ? one : few, check_case));
  PetscCall(check_parts(ranks));
  PetscCall(check_fields(ranks));
  PetscCall(refusals(ranks));
  return HgMeshDestroy(&mesh);
}

CLAIM("every collective passes all checks as an operator on states", 7, test)
