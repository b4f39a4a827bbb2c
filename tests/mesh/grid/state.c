/* SPDX-License-Identifier: BSD-2-Clause */
/* States give the same bits on any decomposition: random numbers, sums, dot products, digests; and
   keep their promises on layout. */
#include "claim.h"
#include "refusal.h"
#include "same_bits.h"
#include <halograd/state_library.h>
#include <math.h>
#include <xxhash.h>

enum { NX = 37, NY = 29, ARRAY = 5 };

static const HgVariable variables[] = {
    {"u", "K", HG_FIELD, 0}, {"a", "1", HG_REPLICATED, ARRAY}, {"v", "m/s", HG_FIELD, 0}};

enum { VARIABLES = 3 };

/* Widths that differ, of p patches of n cells: two neighbours lend each other one cell or more. */
static void uneven(int n, int p, int seed, int widths[]) {
  for (int k = 0; k < p; k++) widths[k] = n / p + (k < n % p);
  for (int k = 0; k + 1 < p; k += 2) {
    const int lent = seed % 2 ? widths[k] - 1 : 1;
    if (widths[k] > 1) widths[k] -= lent, widths[k + 1] += lent;
  }
}

static PetscErrorCode make(MPI_Comm comm, int px, int py, int seed, HgState *q) {
  int widths_x[64], widths_y[64];
  uneven(NX, px, seed, widths_x);
  uneven(NY, py, seed + 1, widths_y);
  const HgMeshSpec spec = {.nx = NX,
                           .ny = NY,
                           .px = px,
                           .py = py,
                           .x0 = 0.1,
                           .dx = 0.3,
                           .dy = 0.7,
                           .ghost = 1 + seed % 3,
                           .widths_x = seed % 3 ? widths_x : NULL,
                           .widths_y = seed % 3 ? widths_y : NULL};
  HgMesh mesh;
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, VARIABLES, variables, q));
  return HgMeshDestroy(&mesh); /* the state owns it as well */
}

/* The reference of a dot product: products, rounded to double, of numbers in [-1, 1) that are
   multiples of 2^-52 are multiples of 2^-104, and 128-bit integers add those exactly. */
__extension__ typedef __int128 Wide;

static Wide wide(double product) { return (Wide)ldexp(product, 104); }

static PetscErrorCode reference_dot(HgState x, HgState y, double *dot) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  const MPI_Comm comm = HgMeshComm(HgStateMesh(x));
  Wide all[64], sum = 0;
  int rank, size;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (int k = 0; k < VARIABLES; k++) {
    if (variables[k].kind == HG_FIELD)
      for (int j = 0; j < p->ny; j++)
        for (int i = 0; i < p->nx; i++)
          sum += wide(HgStateRows(x, k)[j][i] * HgStateRows(y, k)[j][i]);
    else if (!rank)
      for (int i = 0; i < ARRAY; i++) sum += wide(HgStateArray(x, k)[i] * HgStateArray(y, k)[i]);
  }
  PetscCallMPI(MPI_Allgather(&sum, sizeof sum, MPI_BYTE, all, sizeof sum, MPI_BYTE, comm));
  sum = 0;
  for (int r = 0; r < size; r++) sum += all[r];
  *dot = ldexp((double)sum, -104); /* one rounding, to nearest even */
  return 0;
}

static void spoil_ghosts(HgState x, double value) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  const int g = HgMeshGetSpec(HgStateMesh(x))->ghost;
  for (int k = 0; k < VARIABLES; k++)
    for (int j = -g; j < p->ny + g && HgIsField(HgStateVariable(x, k)); j++)
      for (int i = -g; i < p->nx + g; i++)
        if (i < 0 || j < 0 || i >= p->nx || j >= p->ny) HgStateRows(x, k)[j][i] = value;
}

static double bump(double x, double y, void *context) {
  return exp(-x) * y + *(const double *)context;
}

static PetscErrorCode describe(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  HgState x, y, z;
  double xy, xx, after, reference, shift = 0.25;
  char digest[3][17], u[17];
  PetscCall(make(comm, layout.px, layout.py, (int)seed, &x));
  PetscCall(HgStateDuplicate(x, &y));
  PetscCall(HgStateDuplicate(x, &z));
  PetscCall(HgStateRandom(x, (uint64_t)seed));
  PetscCall(HgStateRandom(y, (uint64_t)seed + 1));
  spoil_ghosts(x, 1e300); /* ghosts do not count */
  PetscCall(HgStateDot(x, y, &xy));
  PetscCall(reference_dot(x, y, &reference));
  claim_same(xy, reference, "dot on %d x %d patches", layout.px, layout.py);
  PetscCall(HgStateDot(x, x, &xx));
  PetscCall(reference_dot(x, x, &reference));
  claim_same(xx, reference, "square on %d x %d patches", layout.px, layout.py);
  PetscCall(HgStateDigest(x, NULL, digest[0]));
  PetscCall(HgStateCopy(x, z));
  PetscCall(HgStateAXPY(z, 0.3, y));
  PetscCall(HgStateScale(z, 1.7));
  PetscCall(HgStateDigest(z, NULL, digest[1]));
  PetscCall(HgStateDot(z, y, &after));
  HgStateSwap(x, y);
  PetscCall(HgStateDigest(y, NULL, digest[2]));
  claim_that(!strcmp(digest[2], digest[0]), "a swap hands the values over");
  PetscCall(HgStateSetField(x, "v", bump, &shift));
  PetscCall(HgStateSetConstant(x, "a", 2.5));
  PetscCall(HgStateDigest(x, "v", u));
  PetscCall(HgStateDigest(x, NULL, digest[2]));
  claim_that(strcmp(u, digest[2]), "a digest of one variable is not that of all");
  snprintf(text, LAYOUT_TEXT, "%a %a %a %s %s %s %s", xy, xx, after, digest[0], digest[1],
           digest[2], u);
  return HgStatesDestroy(&x, &y, &z);
}

/* What a digest counts of field number k: the XXH3 of each row of the global grid. */
static PetscErrorCode row_digests(MPI_Comm comm, HgState x, int k, uint64_t rows[NY]) {
  static double all[NY][NX];
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  memset(all, 0, sizeof all);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) all[p->j_global + j][p->i_global + i] = HgStateRows(x, k)[j][i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, NX * NY, MPI_DOUBLE, MPI_SUM, comm));
  for (int j = 0; j < NY; j++) rows[j] = XXH3_64bits(all[j], sizeof all[j]);
  return 0;
}

/* The digest is XXH3 of the digests of rows, and of arrays, one after the other. */
static PetscErrorCode digest_is_plain(MPI_Comm comm, Layout layout, long seed,
                                      char text[LAYOUT_TEXT]) {
  HgState x;

  struct {
    uint64_t u[NY];
    double a[ARRAY];
    uint64_t v[NY];
  } all;

  PetscCall(make(comm, layout.px, layout.py, (int)seed, &x));
  PetscCall(HgStateRandom(x, (uint64_t)seed));
  PetscCall(row_digests(comm, x, 0, all.u));
  PetscCall(row_digests(comm, x, 2, all.v));
  memcpy(all.a, HgStateArray(x, 1), sizeof all.a);
  PetscCall(HgStateDigest(x, NULL, text));
  char expected[17];
  snprintf(expected, sizeof expected, "%016llx", (unsigned long long)XXH3_64bits(&all, sizeof all));
  claim_that(!strcmp(text, expected), "digest is %s, expected %s", text, expected);
  PetscCall(HgStateDigest(x, "v", text));
  snprintf(expected, sizeof expected, "%016llx",
           (unsigned long long)XXH3_64bits(all.v, sizeof all.v));
  claim_that(!strcmp(text, expected), "digest of v is %s, expected %s", text, expected);
  return HgStateDestroy(&x);
}

/* y + alpha x is one multiplication and one addition; what is not owned stays out of it. */
static PetscErrorCode algebra(long seed) {
  HgState x, y, z;
  PetscCall(make(MPI_COMM_SELF, 1, 1, (int)seed, &x));
  PetscCall(HgStateDuplicate(x, &y));
  PetscCall(HgStateDuplicate(x, &z));
  PetscCall(HgStateRandom(x, (uint64_t)seed));
  PetscCall(HgStateRandom(y, (uint64_t)seed + 7));
  PetscCall(HgStateCopy(y, z));
  for (int k = 0; k < VARIABLES; k++) HgStateSetGhostDepth(z, k, 1);
  PetscCall(HgStateAXPY(z, 0.1, x));
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      const double product = 0.1 * HgStateRows(x, 2)[j][i];
      claim_same(HgStateRows(z, 2)[j][i], HgStateRows(y, 2)[j][i] + product, "axpy (%d, %d)", i, j);
      claim_that(fabs(HgStateRows(x, 0)[j][i]) <= 1, "random numbers lie in [-1, 1)");
      claim_that(HgStateRows(x, 0)[j][i] != HgStateRows(x, 2)[j][i], "variables differ");
      claim_that(HgStateRows(x, 0)[j][i] != HgStateRows(y, 0)[j][i], "seeds differ");
    }
  for (int i = 0; i < ARRAY; i++) {
    const double product = 0.1 * HgStateArray(x, 1)[i];
    claim_same(HgStateArray(z, 1)[i], HgStateArray(y, 1)[i] + product, "axpy entry %d", i);
  }
  claim_that(HgStateGhostDepth(z, 0) == 0, "ghosts are stale after axpy");
  spoil_ghosts(z, 5);
  HgStateSetGhostDepth(z, 0, 1);
  PetscCall(HgStateCopy(z, y));
  claim_that(HgStateRows(y, 0)[-1][-1] == 5 && HgStateGhostDepth(y, 0) == 1, "a copy has ghosts");
  double packed[2 * NX * NY + ARRAY];
  claim_same((double)HgStateLength(y), 2 * NX * NY + ARRAY, "numbers of a state");
  HgStatePack(y, packed);
  claim_same(packed[NX + 1], HgStateRows(y, 0)[1][1], "a field's second row, packed");
  claim_same(packed[NX * NY + 1], HgStateArray(y, 1)[1], "an array, packed");
  PetscCall(HgStateZero(y));
  HgStateSetGhostDepth(y, 0, 1);
  HgStateUnpack(packed, y);
  PetscCall(HgStateAXPY(y, -1, z));
  PetscCall(HgStateDot(y, y, &packed[0]));
  claim_same(packed[0], 0, "packed and unpacked");
  claim_that(HgStateGhostDepth(y, 0) == 0, "ghosts are stale after unpacking");
  PetscCall(HgStateZero(z));
  claim_that(HgStateRows(z, 0)[-1][-1] == 0 && HgStateRows(z, 0)[0][0] == 0 &&
                 HgStateArray(z, 1)[0] == 0 && HgStateGhostDepth(z, 0) == 0,
             "zero is zero, ghosts included");
  return HgStatesDestroy(&x, &y, &z);
}

/* Rows are 64-byte aligned, 4 KiB do not divide their distance, and the margin is there and zero.
   */
static PetscErrorCode rows_in_memory(void) {
  for (int nx = 1; nx <= 2100; nx += nx < 40 ? 1 : 13)
    for (int ghost = 1; ghost <= 9; ghost += 4) {
      const HgMeshSpec spec = {.nx = nx, .ny = 2, .dx = 1, .dy = 1, .ghost = ghost};
      HgMesh mesh;
      HgState q;
      PetscCall(HgMeshCreate(MPI_COMM_SELF, &spec, &mesh));
      PetscCall(HgStateCreate(mesh, VARIABLES, variables, &q));
      for (int k = 0; k < VARIABLES; k += 2) {
        HgReal *const *u = HgStateRows(q, k);
        const size_t pitch = (size_t)(u[1] - u[0]) * sizeof(double);
        claim_that((uintptr_t)u[0] % 64 == 0 && pitch % 64 == 0, "rows of %d are aligned", nx);
        claim_that(pitch % 4096, "nx %d, ghost %d: the pitch is %zu bytes", nx, ghost, pitch);
        claim_that(pitch >= sizeof(double) * (size_t)(nx + 2 * ghost), "rows do not overlap");
        for (int j = -2 * ghost; j < 2 + 2 * ghost; j++)
          for (int i = -2 * ghost; i < nx + 2 * ghost; i++) claim_same(u[j][i], 0, "margin");
      }
      PetscCall(DESTROY(&q, &mesh));
    }
  return 0;
}

/* A sentence, and the same on every layout, for what is not finite. */
static PetscErrorCode not_finite(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  HgState x;
  bool ok;
  PetscCall(make(comm, layout.px, layout.py, (int)seed, &x));
  PetscCall(HgStateRandom(x, (uint64_t)seed));
  spoil_ghosts(x, NAN);
  PetscCall(HgStateFinite(x, &ok, text, LAYOUT_TEXT));
  claim_that(ok, "ghosts do not count: %s", text);
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const int at = (p->j_global + j) * NX + p->i_global + i;
      if (at == 5 * NX + 30 || at == 8 * NX + 2) HgStateRows(x, 2)[j][i] = NAN;
      if (at == 20 * NX + 1) HgStateRows(x, 0)[j][i] = INFINITY;
    }
  PetscCall(HgStateFinite(x, &ok, text, LAYOUT_TEXT));
  claim_that(!ok, "a NaN is found");
  return HgStateDestroy(&x);
}

static PetscErrorCode refused(int count, const HgVariable v[], const char part[]) {
  const HgMeshSpec spec = {.nx = 64, .ny = 64, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  HgState q = NULL;
  PetscCall(HgMeshCreate(MPI_COMM_WORLD, &spec, &mesh));
  refusal_begin();
  const PetscErrorCode ierr = HgStateCreate(mesh, count, v, &q);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "state: ", part, NULL));
  claim_that(!q, "nothing is made");
  return HgMeshDestroy(&mesh);
}

static PetscErrorCode refusals(void) {
  const HgVariable twice[] = {{"u", "K", HG_FIELD, 0}, {"u", "m", HG_REPLICATED, 1}},
                   nameless[] = {{"", "K", HG_FIELD, 0}}, none[] = {{NULL, "K", HG_FIELD, 0}},
                   negative[] = {{"a", "K", HG_REPLICATED, -2}},
                   long_one[] = {{"a_name_of_thirty_two_characters_", "K", HG_FIELD, 0}};
  PetscCall(refused(2, twice, "'u' is given twice"));
  PetscCall(refused(1, nameless, "0 characters"));
  PetscCall(refused(1, none, "0 characters"));
  PetscCall(refused(1, negative, "size -2"));
  PetscCall(refused(1, long_one, "32 characters"));
  PetscCall(refused(0, twice, "0 variables"));
  HgState x, y;
  int index;
  const int ranks = claim.ranks;
  double dot;
  PetscCall(make(MPI_COMM_WORLD, 1, ranks, 0, &x));
  PetscCall(make(MPI_COMM_WORLD, 1, ranks, 0, &y));
  claim_that(!HgStateSame(x, y), "states of two meshes are not the same");
  refusal_begin();
  PetscErrorCode ierr = HgStateIndex(x, "w", &index);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "'w'", "u, a, v", NULL));
  refusal_begin();
  ierr = HgStateDot(x, y, &dot);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "differ", NULL));
  refusal_begin();
  ierr = HgStateSetField(x, "a", bump, &dot);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "'a' is an array", NULL));
  return HgStatesDestroy(&x, &y);
}

static double height(double x, double y, double z, void *context) {
  (void)x, (void)y, (void)context;
  return z;
}

/* A function of z fills what has levels, and nothing else. */
static PetscErrorCode volumes(void) {
  const HgMeshSpec spec = {.nx = 8, .ny = 7, .nz = 3, .dx = 1, .dy = 1, .z0 = 5, .dz = 2};
  const HgVariable all[] = {{"u", "m", HG_FIELD, 0}, {"s", "m", HG_FIELD, 0, .surface = true}};
  HgMesh mesh;
  HgState x;
  PetscCall(HgMeshCreate(MPI_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 2, all, &x));
  PetscCall(HgStateSetVolume(x, "u", height, NULL));
  const double *const cell = HgStateRows(x, 0)[0];
  claim_same(cell[2 * HgMeshGetPatch(mesh)->pitch], 9, "the highest level's z");
  REFUSED(HgStateSetVolume(x, "s", height, NULL), "'s' has no levels", "expected a field that has");
  PetscCall(HgStateDestroy(&x));
  return HgMeshDestroy(&mesh);
}

/* As many numbers, but of another kind: what is counted once is not what each rank has. */
static PetscErrorCode other_kinds(void) {
  const HgMeshSpec spec = {.nx = 64, .ny = 64, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable all[] = {{"field", "1", HG_FIELD, 0},
                            {"ghosted", "1", HG_GHOSTED, 0},
                            {"replicated", "1", HG_REPLICATED, 3},
                            {"local", "1", HG_LOCAL, 3}};
  HgMesh mesh;
  HgState x, y;
  PetscCall(HgMeshCreate(MPI_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 4, all, &x));
  PetscCall(HgStateDuplicate(x, &y));
  for (int k = 0; k < 4; k++)
    for (int l = 0; l < 4; l++) {
      if (k == l) {
        PetscCall(HgStateCopyVariable(x, k, y, l));
        PetscCall(HgStateAXPYVariable(y, l, 1, x, k));
        continue;
      }
      REFUSED(HgStateCopyVariable(x, k, y, l), all[k].name, all[l].name, "kind");
      REFUSED(HgStateAXPYVariable(y, l, 1, x, k), all[k].name, all[l].name, "kind");
    }
  return DESTROY(&x, &y, &mesh);
}

static PetscErrorCode test(void) {
  for (long seed = 0; seed < 4; seed++) {
    claim.seed = (uint64_t)seed;
    PetscCall(expect_same_on_layouts("sums and digests", describe, seed));
    PetscCall(expect_same_on_layouts("plain digest", digest_is_plain, seed));
    PetscCall(expect_same_on_layouts("what is not finite", not_finite, seed));
    if (!claim.rank) PetscCall(algebra(seed));
  }
  if (!claim.rank) PetscCall(rows_in_memory());
  PetscCall(other_kinds());
  PetscCall(volumes());
  return refusals();
}

CLAIM("states give the same bits on any decomposition", 0, test)
