/* SPDX-License-Identifier: BSD-2-Clause */
/* Quasi-Newton matrices of newer PETSc keep their vectors as columns of a dense matrix, and create
   others by MatCreateVecs(): here all of them become exact ones, whose bits do not depend on the
   cut. */
#include <halograd/inversion_library.h>
#include <petscmat.h>

enum { DENSE = 2, ACCESSES = 2 }; /* the first two types are dense */

typedef PetscErrorCode (*Create)(Mat A);
typedef PetscErrorCode (*Column)(Mat A, PetscInt column, Vec *v);

static const char *const types[] = {MATSEQDENSE,        MATMPIDENSE,          "diagonal",
                                    "constantdiagonal", MATLMVMDFP,           MATLMVMBFGS,
                                    MATLMVMSR1,         MATLMVMBROYDEN,       MATLMVMBADBROYDEN,
                                    MATLMVMSYMBROYDEN,  MATLMVMSYMBADBROYDEN, MATLMVMDIAGBROYDEN};

enum { TYPES = sizeof types / sizeof *types };

static const char *const names[ACCESSES] = {"MatDenseGetColumnVecRead_C",
                                            "MatDenseGetColumnVecWrite_C"};

/* PETSc's own functions; NULL: this version has no such type. */
static Create plain[TYPES];
static Column plain_column[DENSE][ACCESSES];
static int begun;

static PetscErrorCode column(Mat A, int access, PetscInt at, Vec *v) {
  PetscBool many;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIDENSE, &many));
  PetscCall(plain_column[many][access](A, at, v));
  return HgExactVecMake(*v);
}

static PetscErrorCode read_column(Mat A, PetscInt at, Vec *v) { return column(A, 0, at, v); }

static PetscErrorCode write_column(Mat A, PetscInt at, Vec *v) { return column(A, 1, at, v); }

static PetscErrorCode create(Mat A, int type) {
  static const Column own[ACCESSES] = {read_column, write_column};
  PetscCall(plain[type](A));
  for (int k = 0; type < DENSE && k < ACCESSES; k++) {
    PetscCall(PetscObjectQueryFunction((PetscObject)A, names[k], &plain_column[type][k]));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, names[k], own[k]));
  }
  return MatSetOperation(A, MATOP_CREATE_VECS, (void (*)(void))HgExactVecsOf);
}

/* PETSc does not pass the type to the function that creates a matrix. */
#define CREATE(type)                                                                               \
  static PetscErrorCode create_##type(Mat A) { return create(A, type); }
#define CREATE4(a, b, c, d) CREATE(a) CREATE(b) CREATE(c) CREATE(d)
CREATE4(0, 1, 2, 3)
CREATE4(4, 5, 6, 7)
CREATE4(8, 9, 10, 11)

static const Create exact[TYPES] = {create_0, create_1, create_2, create_3, create_4,  create_5,
                                    create_6, create_7, create_8, create_9, create_10, create_11};

PetscErrorCode HgExactMats(bool on) {
  if (on ? begun++ : --begun) return 0;
  for (int k = 0; k < TYPES; k++) {
    if (on) PetscCall(PetscFunctionListFind(MatList, types[k], &plain[k]));
    if (plain[k]) PetscCall(PetscFunctionListAdd(&MatList, types[k], on ? exact[k] : plain[k]));
  }
  return 0;
}
