/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/posterior_library.h>
#include <halograd/state_library.h>

/* The furthest cells along an axis that a row of R'' may depend on if found by colours. */
enum { FURTHEST = 2 };

typedef struct {
  PetscInt row, column;
  PetscScalar value;
} Entry;

/* Entries of R'' in rows of this rank. */
typedef struct {
  int count, room;
  Entry *at;
} Entries;

/* A variable of the controls, numbered from `first` on: cells along three axes, or an array, whose
   numbers may be arranged like cells. */
typedef struct {
  PetscInt first;
  int n[3];
  bool cells;
} Block;

struct HgPrior_s {
  MPI_Comm comm;
  int blocks;
  Block *block;
  PetscInt size, own; /* controls of all ranks, of this one */
  PetscInt *number;   /* own ones, numbered as on one rank */
  int *seen;          /* of all: not 0 if R'' depends on it */
  bool complete;      /* what is asked for depends on such controls alone */
  Mat matrix, factor;
  Vec right, left; /* of all controls */
};

/* ---- R'', entry by entry ---- */

static PetscErrorCode add_entry(Entries *e, PetscInt row, PetscInt column, PetscScalar value) {
  if (e->count == e->room) {
    e->room = 2 * e->room + 64;
    PetscCall(PetscRealloc(sizeof *e->at * (size_t)e->room, &e->at));
  }
  e->at[e->count++] = (Entry){row, column, value};
  return 0;
}

/* ---- all at once, where cells see no further than `reach` along each axis ----

   One product with R'' shows the columns of all cells of one colour: these are at least 2 reach + 1
   cells apart, on a periodic axis, too, so that a row sees one of them at most. */

static int colours_along(const Block *b, int reach, int axis) {
  const int n = b->n[axis], apart = 2 * reach + 1;
  return !b->cells || n < apart ? n : apart + n % apart;
}

static int colour_of(const Block *b, int reach, int axis, int i) {
  const int n = b->n[axis], apart = 2 * reach + 1, whole = n - n % apart;
  return !b->cells || n < apart ? i : i < whole ? i % apart : apart + i - whole;
}

static const Block *block_of(const HgPrior p, PetscInt number, int at[3]) {
  const Block *b = p->block + p->blocks - 1;
  while (number < b->first) b--;
  PetscInt left = number - b->first;
  for (int axis = 0; axis < 3; left /= b->n[axis++]) at[axis] = (int)(left % b->n[axis]);
  return b;
}

/* The cell of that colour within `reach` of `at`, or the number of an array; -1: there is none. */
static PetscInt coloured_near(const Block *b, int reach, const int at[3], const int colour[3]) {
  int cell[3];
  for (int axis = 0; axis < 3; axis++) {
    const int n = b->n[axis];
    cell[axis] = b->cells ? -1 : colour[axis];
    for (int d = -reach; d <= reach && b->cells; d++) {
      const int near = (at[axis] + d + reach * n) % n;
      if (colour_of(b, reach, axis, near) == colour[axis]) cell[axis] = near;
    }
    if (cell[axis] < 0) return -1;
  }
  return b->first + ((PetscInt)cell[2] * b->n[1] + cell[1]) * b->n[0] + cell[0];
}

static bool has_colour(const Block *b, int reach, const int at[3], const int colour[3]) {
  bool all = true;
  for (int axis = 0; axis < 3; axis++)
    all = all && colour_of(b, reach, axis, at[axis]) == colour[axis];
  return all;
}

/* Adds the columns of one colour of a block; *local: no other rows depend on them. */
static PetscErrorCode add_colour(HgPrior p, Mat R, const Block *b, int reach, const int colour[3],
                                 Vec mark, Vec product, Entries *e, int *local) {
  PetscScalar *a;
  const PetscScalar *value;
  int at[3];
  PetscCall(VecGetArray(mark, &a));
  for (PetscInt i = 0; i < p->own; i++)
    a[i] = block_of(p, p->number[i], at) == b && has_colour(b, reach, at, colour);
  PetscCall(VecRestoreArray(mark, &a));
  PetscCall(MatMult(R, mark, product));
  PetscCall(VecGetArrayRead(product, &value));
  for (PetscInt i = 0; i < p->own; i++) {
    const bool own = block_of(p, p->number[i], at) == b;
    const PetscInt column = own ? coloured_near(b, reach, at, colour) : -1;
    if (column < 0) *local = *local && value[i] == 0;
    else if (!p->seen[p->number[i]]) continue;
    else if (value[i] != 0) PetscCall(add_entry(e, p->number[i], column, value[i]));
  }
  return VecRestoreArrayRead(product, &value);
}

static PetscErrorCode add_coloured(HgPrior p, Mat R, int reach, Entries *e, int *local) {
  Vec mark, product;
  *local = 1;
  PetscCall(MatCreateVecs(R, &mark, &product));
  for (const Block *b = p->block; b < p->block + p->blocks; b++) {
    int most[3], c[3];
    for (int axis = 0; axis < 3; axis++) most[axis] = colours_along(b, reach, axis);
    for (c[2] = 0; c[2] < most[2]; c[2]++)
      for (c[1] = 0; c[1] < most[1]; c[1]++)
        for (c[0] = 0; c[0] < most[0]; c[0]++)
          PetscCall(add_colour(p, R, b, reach, c, mark, product, e, local));
  }
  PetscCall(VecDestroy(&mark));
  PetscCall(VecDestroy(&product));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, local, 1, MPI_INT, MPI_MIN, p->comm));
  return 0;
}

/* ---- one by one, whatever R'' is ---- */

/* Finds column `k` by a product with its unit vector; `at`: its index among own controls, -1: none.
   */
static PetscErrorCode find_column(Mat R, PetscInt at, Vec unit, Vec column) {
  PetscScalar *a;
  PetscCall(VecSet(unit, 0));
  PetscCall(VecGetArray(unit, &a));
  if (at >= 0) a[at] = 1;
  PetscCall(VecRestoreArray(unit, &a));
  return MatMult(R, unit, column);
}

static PetscErrorCode add_column(HgPrior p, Mat R, PetscInt k, PetscInt at, Vec unit, Vec column,
                                 Entries *e) {
  const PetscScalar *b;
  PetscCall(find_column(R, at, unit, column));
  PetscCall(VecGetArrayRead(column, &b));
  for (PetscInt i = 0; i < p->own; i++)
    if (b[i] != 0) PetscCall(add_entry(e, p->number[i], k, b[i]));
  return VecRestoreArrayRead(column, &b);
}

static double rough_number(PetscInt k) { return 1.5 + HgRandom(1, (uint64_t)k); }

/* Finds the controls that R'' depends on: a product with a rough vector is 0 at the others. */
static PetscErrorCode find_seen(HgPrior p, Mat R, Vec rough, Vec product) {
  PetscScalar *a;
  const PetscScalar *b;
  PetscCall(VecGetArray(rough, &a));
  for (PetscInt i = 0; i < p->own; i++) a[i] = rough_number(p->number[i]);
  PetscCall(VecRestoreArray(rough, &a));
  PetscCall(MatMult(R, rough, product));
  PetscCall(VecGetArrayRead(product, &b));
  for (PetscInt i = 0; i < p->own; i++) p->seen[p->number[i]] = b[i] != 0;
  PetscCall(VecRestoreArrayRead(product, &b));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, p->seen, (int)p->size, MPI_INT, MPI_MAX, p->comm));
  return 0;
}

static PetscErrorCode add_columns(HgPrior p, Mat R, Entries *e) {
  Vec unit, column;
  PetscInt *at;
  PetscCall(MatCreateVecs(R, &unit, &column));
  PetscCall(PetscMalloc1(p->size, &at));
  for (PetscInt k = 0; k < p->size; k++) at[k] = -1;
  for (PetscInt i = 0; i < p->own; i++) at[p->number[i]] = i;
  for (PetscInt k = 0; k < p->size; k++)
    if (p->seen[k]) PetscCall(add_column(p, R, k, at[k], unit, column, e));
  PetscCall(PetscFree(at));
  PetscCall(VecDestroy(&unit));
  return VecDestroy(&column);
}

/* ---- an array, whose numbers may be several side by side ---- */

/* Whether all numbers that number `middle` depends on are near it, if rows have `side` numbers. */
static bool near_in_rows(const int sees[], int size, int middle, int side) {
  const int across = PetscMin(FURTHEST, side - 1);
  bool all = true;
  for (int k = 0; k < size; k++) {
    const int apart = abs(k - middle), rows = (apart + across) / side;
    all = all && (!sees[k] || (rows <= FURTHEST && apart - rows * side <= across));
  }
  return all;
}

/* Arranges an array in rows if the middle number depends on some as if it were. */
static PetscErrorCode lay_out(HgPrior p, Mat R, Block *b, Vec unit, Vec column) {
  const int size = b->n[0], middle = size / 2;
  const PetscScalar *value;
  PetscInt at = -1;
  int *sees, seen = 0, side = 1;
  PetscCall(PetscCalloc1(size, &sees));
  for (PetscInt i = 0; i < p->own; i++)
    if (p->number[i] == b->first + middle) at = i;
  PetscCall(find_column(R, at, unit, column));
  PetscCall(VecGetArrayRead(column, &value));
  for (PetscInt i = 0; i < p->own; i++) {
    const PetscInt k = p->number[i] - b->first;
    if (k >= 0 && k < size) sees[k] = value[i] != 0;
  }
  PetscCall(VecRestoreArrayRead(column, &value));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sees, size, MPI_INT, MPI_MAX, p->comm));
  for (int k = 0; k < size; k++) seen += sees[k];
  while (side < size && !(size % side == 0 && near_in_rows(sees, size, middle, side))) side++;
  b->cells = sees[middle] && seen < size && side < size;
  if (b->cells) b->n[0] = side, b->n[1] = size / side;
  return PetscFree(sees);
}

/* Gathers the entries of all ranks on every rank. */
static PetscErrorCode gather_entries(MPI_Comm comm, const Entries *own, Entries *all) {
  int ranks, *count, *first;
  MPI_Datatype entry;
  PetscCallMPI(MPI_Type_contiguous(sizeof(Entry), MPI_BYTE, &entry));
  PetscCallMPI(MPI_Type_commit(&entry));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(PetscMalloc2(ranks, &count, ranks, &first));
  PetscCallMPI(MPI_Allgather(&own->count, 1, MPI_INT, count, 1, MPI_INT, comm));
  for (int k = 0; k < ranks; k++) first[k] = all->count, all->count += count[k];
  PetscCall(PetscMalloc1(all->count, &all->at));
  PetscCallMPI(MPI_Allgatherv(own->at, own->count, entry, all->at, count, first, entry, comm));
  PetscCallMPI(MPI_Type_free(&entry));
  return PetscFree2(count, first);
}

/* A = R'' of all controls; 1 where R'' sees none. */
static PetscErrorCode assemble(HgPrior p, Entries *own, Mat *A) {
  Entries all = {0};
  PetscInt *count;
  PetscCall(gather_entries(p->comm, own, &all));
  PetscCall(PetscMalloc1(p->size, &count));
  for (PetscInt k = 0; k < p->size; k++) count[k] = 1;
  for (int k = 0; k < all.count; k++) count[all.at[k].row]++;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, p->size, p->size, 0, count, A));
  for (PetscInt k = 0; k < p->size; k++)
    PetscCall(MatSetValue(*A, k, k, p->seen[k] ? 0 : 1, INSERT_VALUES));
  for (int k = 0; k < all.count; k++)
    PetscCall(MatSetValue(*A, all.at[k].row, all.at[k].column, all.at[k].value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree(count));
  return PetscFree(all.at);
}

/* Whether A times the rough vector equals the product with R'', up to rounding. */
static PetscErrorCode compare(HgPrior p, Mat A, Vec product, int *same) {
  static const double rounding = 100 * HG_REAL_EPSILON;
  const PetscScalar *expected;
  *same = 1;
  PetscCall(VecGetArrayRead(product, &expected));
  for (PetscInt i = 0; i < p->own; i++) {
    const PetscInt row = p->number[i], *column;
    const PetscScalar *a;
    PetscInt n;
    double sum = 0, size = 0;
    PetscCall(MatGetRow(A, row, &n, &column, &a));
    for (PetscInt k = 0; k < n; k++) {
      sum += a[k] * rough_number(column[k]);
      size += fabs(a[k]) * rough_number(column[k]);
    }
    PetscCall(MatRestoreRow(A, row, &n, &column, &a));
    *same &= !p->seen[row] || fabs(sum - expected[i]) <= rounding * size;
  }
  PetscCall(VecRestoreArrayRead(product, &expected));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, same, 1, MPI_INT, MPI_MIN, p->comm));
  return 0;
}

/* Finds the matrix by colours, for neighbours or also theirs, if that is right; else column by
   column. */
static PetscErrorCode find_matrix(HgPrior p, Mat R, Mat *A) {
  Entries entries = {0};
  Vec rough, product;
  int right = 0;
  *A = NULL;
  PetscCall(MatCreateVecs(R, &rough, &product));
  for (Block *b = p->block; b < p->block + p->blocks; b++)
    if (!b->cells) PetscCall(lay_out(p, R, b, rough, product));
  PetscCall(find_seen(p, R, rough, product));
  for (int reach = 1; reach <= FURTHEST && !right; reach++) {
    entries = (Entries){0};
    PetscCall(add_coloured(p, R, reach, &entries, &right));
    if (right) {
      PetscCall(assemble(p, &entries, A));
      PetscCall(compare(p, *A, product, &right));
    }
    PetscCall(PetscFree(entries.at));
    if (!right) PetscCall(MatDestroy(A));
  }
  if (!right) {
    entries = (Entries){0};
    PetscCall(add_columns(p, R, &entries));
    PetscCall(assemble(p, &entries, A));
    PetscCall(PetscFree(entries.at));
  }
  PetscCall(VecDestroy(&rough));
  return VecDestroy(&product);
}

/* ---- its factor ---- */

static PetscErrorCode factor(HgPrior p) {
  const Mat A = p->matrix;
  MatFactorInfo info;
  MatFactorError error;
  PetscInt negative = 0, zero = 0, positive = 0;
  IS rows, columns;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_CHOLESKY, &p->factor));
  PetscCall(MatGetOrdering(A, MATORDERINGND, &rows, &columns));
  PetscCall(MatCholeskyFactorSymbolic(p->factor, A, rows, &info));
  PetscCall(MatCholeskyFactorNumeric(p->factor, A, &info));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&columns));
  PetscCall(MatFactorGetError(p->factor, &error));
  if (!error) PetscCall(MatGetInertia(p->factor, &negative, &zero, &positive));
  HgRequire(p->comm, !error && positive == p->size, HG_ERR_CONTROL,
            "prior: the second derivative of the regularisation is not positive definite: of %lld "
            "directions it is so along %lld; expected a larger Tikhonov weight (-tikhonov) or "
            "-prior_deviation; of a nonlinear function of the controls, such as a net, -newton "
            "gauss and fewer controls",
            (long long)p->size, (long long)positive);
  return 0;
}

static PetscErrorCode number_controls(HgPrior p, HgState m) {
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(m));
  PetscInt first = 0;
  p->blocks = HgStateCount(m);
  PetscCall(PetscMalloc1(p->blocks, &p->block));
  for (int k = 0; k < p->blocks; k++) {
    const HgVariable *v = HgStateVariable(m, k);
    Block *b = &p->block[k];
    *b = (Block){first, {v->size, 1, 1}, HgIsField(v)};
    if (b->cells) b->n[0] = s->nx, b->n[1] = s->ny, b->n[2] = HgStateLevels(m, k);
    first += (PetscInt)b->n[0] * b->n[1] * b->n[2];
  }
  p->own = HgControlsSize(m);
  PetscCall(PetscMalloc1(p->own, &p->number));
  HgControlsNumber(m, p->number);
  return 0;
}

/* Adds a shift to the diagonal of each variable. */
static PetscErrorCode add_shift(HgPrior p, const double shift[], Mat A) {
  for (PetscInt k = 0; k < p->size; k++) {
    int at[3];
    const Block *const b = block_of(p, k, at);
    if (p->seen[k]) PetscCall(MatSetValue(A, k, k, shift[b - p->block], ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

PetscErrorCode HgPriorCreate(HgState m, Mat R, const double shift[], HgPrior *prior) {
  HgPrior p;
  PetscCall(PetscNew(&p));
  p->comm = HgMeshComm(HgStateMesh(m));
  PetscCall(number_controls(p, m));
  PetscCall(MatGetSize(R, &p->size, NULL));
  PetscCall(PetscCalloc1(p->size, &p->seen));
  PetscCall(find_matrix(p, R, &p->matrix));
  if (shift) PetscCall(add_shift(p, shift, p->matrix));
  p->complete = !shift;
  PetscCall(MatCreateVecs(p->matrix, &p->right, &p->left));
  PetscErrorCode ierr = factor(p);
  if (ierr) PetscCall(HgPriorDestroy(&p));
  *prior = p;
  return ierr;
}

PetscErrorCode HgPriorDestroy(HgPrior *prior) {
  HgPrior p = *prior;
  *prior = NULL;
  if (!p) return 0;
  PetscCall(MatDestroy(&p->matrix));
  PetscCall(MatDestroy(&p->factor));
  PetscCall(VecDestroy(&p->right));
  PetscCall(VecDestroy(&p->left));
  PetscCall(PetscFree(p->block));
  PetscCall(PetscFree(p->number));
  PetscCall(PetscFree(p->seen));
  return PetscFree(p);
}

/* ---- solutions ---- */

PetscErrorCode HgPriorSolve(HgPrior p, Vec b, Vec x) {
  const PetscScalar *from;
  PetscScalar *to;
  PetscInt unseen = -1;
  PetscCall(VecSet(p->right, 0));
  PetscCall(VecGetArray(p->right, &to));
  PetscCall(VecGetArrayRead(b, &from));
  for (PetscInt i = 0; i < p->own; i++) {
    to[p->number[i]] = from[i];
    if (p->complete && from[i] != 0 && !p->seen[p->number[i]]) unseen = p->number[i];
  }
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, to, (int)p->size, MPIU_SCALAR, MPI_SUM, p->comm));
  PetscCall(VecRestoreArray(p->right, &to)); /* one rank's number and zeros: exact */
  PetscCall(HgAgree(p->comm, unseen >= 0, HG_ERR_CONTROL,
                    "posterior: the data depend on control %lld of %lld, but the regularisation "
                    "does not, so that its deviation before the data is infinite; expected a "
                    "Tikhonov weight (-tikhonov) or -prior_deviation on all of them",
                    (long long)unseen, (long long)p->size));
  PetscCall(MatSolve(p->factor, p->right, p->left));
  PetscCall(VecGetArrayRead(p->left, &from));
  PetscCall(VecGetArray(x, &to));
  for (PetscInt i = 0; i < p->own; i++) to[i] = from[p->number[i]];
  PetscCall(VecRestoreArray(x, &to));
  return VecRestoreArrayRead(p->left, &from);
}

PetscErrorCode HgPriorVariance(HgPrior p, Vec variance) {
  PetscScalar *to, *all;
  PetscCall(PetscMalloc1(p->size, &all));
  PetscCall(HgInverseDiagonal(p->matrix, all));
  PetscCall(VecGetArray(variance, &to));
  for (PetscInt i = 0; i < p->own; i++) to[i] = p->seen[p->number[i]] ? all[p->number[i]] : 0;
  PetscCall(VecRestoreArray(variance, &to));
  return PetscFree(all);
}

PetscErrorCode HgPriorSample(HgPrior p, uint64_t seed, Vec x) {
  const PetscScalar *from;
  PetscScalar *to;
  PetscCall(VecGetArray(p->right, &to));
  for (PetscInt k = 0; k < p->size; k++) to[k] = HgGaussian(1, seed, (uint64_t)k);
  PetscCall(VecRestoreArray(p->right, &to));
  PetscCall(MatBackwardSolve(p->factor, p->right, p->left)); /* D^1/2 U x = xi */
  PetscCall(VecGetArrayRead(p->left, &from));
  PetscCall(VecGetArray(x, &to));
  for (PetscInt i = 0; i < p->own; i++) to[i] = p->seen[p->number[i]] ? from[p->number[i]] : 0;
  PetscCall(VecRestoreArray(x, &to));
  return VecRestoreArrayRead(p->left, &from);
}
