/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/state.h -- named variables on a mesh: fields u[j][i] with ghosts, and small arrays.

   Primal q, tangent dq and cotangent q_bar have the same type. Rows of a field are 64-byte aligned
   at i = 0 and padded; no pitch is a multiple of 4 KiB. A margin as wide as the ghosts surrounds
   them. It always holds finite numbers, so that adjoint kernels may run on the ring outside a wall.
   A field remembers how deep its ghosts are valid. */
#ifndef HALOGRAD_STATE_H
#define HALOGRAD_STATE_H

#include <halograd/location.h>
#include <halograd/mesh.h>
#include <halograd/sum.h>
#include <stdbool.h>

typedef enum {
  HG_FIELD, /* a number per cell; ghosts are copies and are left out of dot products */
  /* a field whose ghosts are part of its value: the result of an exchange or a boundary */
  HG_GHOSTED,
  HG_REPLICATED, /* `size` numbers, the same on every rank; counted once */
  HG_LOCAL       /* `size` numbers of each rank's own (size may differ); counted on each */
} HgKind;

typedef struct {
  const char *name; /* at most 31 characters */
  const char *unit; /* such as "K" or "m^2/s" */
  HgKind kind;
  int size;     /* of arrays: how many numbers; ignored for fields */
  bool surface; /* of fields on a mesh with levels: only one level */
} HgVariable;

/* The values of named variables on a mesh. */
typedef struct HgState_s *HgState;

/* Creates a state with all values zero and as many ghosts as the mesh has now. Copies `variables`.
   Collective. Errors: empty or repeated names, negative sizes. */
PetscErrorCode HgStateCreate(HgMesh mesh, int count, const HgVariable variables[], HgState *state);

/* Creates a state with the same variables and ghosts, all values zero. Collective. */
PetscErrorCode HgStateDuplicate(HgState state, HgState *copy);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgStateDestroy(HgState *state);

/* The mesh of a state (borrowed), and its number of variables. Not collective. */
HgMesh HgStateMesh(HgState state);
int HgStateCount(HgState state);

/* Width of the ghosts around a patch: that of the mesh when the state was created. The same on all
   ranks. */
int HgStateGhosts(HgState state);

/* Name, unit, kind and size of variable `index`; borrowed. Not collective. */
const HgVariable *HgStateVariable(HgState state, int index);

/* The index of the variable `name`, -1 if there is none. Do not call it in a time loop. */
int HgStateFind(HgState state, const char name[]);

/* Like HgStateFind(), but an unknown name is an error that lists the known ones. Collective. */
PetscErrorCode HgStateIndex(HgState state, const char name[], int *index);

/* Rows u[j][i] of a field, for i and j from -2 ghost to n + 2 ghost - 1. They belong to the state
   and are valid as long as it lives. After writing owned cells, call HgStateSetGhostDepth(state,
   index, 0). With levels these are the rows of level 0; the others follow at distances of
   HgPatch.pitch numbers. */
HgReal *const *HgStateRows(HgState state, int index);

/* The numbers of an array variable; they belong to the state. */
double *HgStateArray(HgState state, int index);

/* Declares how many ghost layers agree with their owners and, outside the domain, with a boundary.
   The same on every rank. */
void HgStateSetGhostDepth(HgState state, int index, int depth);

/* x = 0, ghosts and margin included. */
PetscErrorCode HgStateZero(HgState x);

/* y = x, including the ghosts that both have. Error: different variables. */
PetscErrorCode HgStateCopy(HgState x, HgState y);

/* Variable l of y = variable k of x, including the ghosts that both have. Error: different kinds or
   sizes. */
PetscErrorCode HgStateCopyVariable(HgState x, int k, HgState y, int l);

/* y += alpha x on owned cells (also ghosts of HG_GHOSTED) and arrays, with one multiplication and
   one addition each. */
PetscErrorCode HgStateAXPY(HgState y, double alpha, HgState x);

/* The same for variable k of y and variable l of x, of the same kind and size. */
PetscErrorCode HgStateAXPYVariable(HgState y, int k, double alpha, HgState x, int l);

/* x *= alpha */
PetscErrorCode HgStateScale(HgState x, double alpha);

/* The numbers of x that this rank owns, in owned cells (also ghosts of HG_GHOSTED) and arrays: how
   many there are; packed[] = all of them, variable by variable and row by row; and the way back,
   after which no ghosts are valid. Not collective. */
size_t HgStateLength(HgState x);
void HgStatePack(HgState x, double packed[]);
void HgStateUnpack(const double packed[], HgState x);

/* *dot = <x, y>, summed exactly (sum.h): the same bits on any decomposition. Collective. */
PetscErrorCode HgStateDot(HgState x, HgState y, double *dot);

/* *error = ||x_name - truth_name|| / ||truth_name|| over owned cells, or over the entries of an
   array, summed exactly. Collective. */
PetscErrorCode HgStateRelativeError(HgState x, HgState truth, const char name[], double *error);

/* A random number in [-1, 1) for each (seed, counter). Source: the finaliser of splitmix64, Steele,
   Lea & Flood, OOPSLA 2014. */
double HgRandom(uint64_t seed, uint64_t counter);

/* x = random values in [-1, 1) that depend only on the seed, the variable, and the global cell or
   array index. Ghosts of HG_GHOSTED variables are numbered by patch and local index. Collective. */
PetscErrorCode HgStateRandom(HgState x, uint64_t seed);

/* field(cell) = f(x, y, context) on owned cells; x, y are cell centres [m]. */
PetscErrorCode HgStateSetField(HgState x, const char name[],
                               double (*f)(double x, double y, void *context), void *context);

/* HgStateSetField() for a field with levels; z is the centre of the level [m]. */
PetscErrorCode HgStateSetVolume(HgState x, const char name[],
                                double (*f)(double x, double y, double z, void *context),
                                void *context);

/* field(cell) = value on owned cells, or every entry of an array. */
PetscErrorCode HgStateSetConstant(HgState x, const char name[], double value);

/* The 64-bit XXH3 digest of variable `name` (NULL: of all, in order) as 16 hexadecimal digits: the
   same on any decomposition. Of a field it is the digest of its rows' digests, level by level and
   from south to north; that of a row is the XXH3 of its nx little-endian doubles. Of an array it is
   the digest of its numbers. The ranks share the work. Collective. */
PetscErrorCode HgStateDigest(HgState x, const char name[], char hex[17]);

#endif
