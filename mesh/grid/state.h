/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/state.h -- named variables on a mesh: fields u[j][i] with ghosts and small arrays.

   Primal q, tangent dq and adjoint q_bar have the same type. Rows of a field are 64-byte aligned at
   i = 0 and padded; no pitch is a multiple of 4 KiB. Around the ghosts lies a margin as wide again
   that always holds finite numbers, so that adjoint kernels may run on the ring outside a wall. A
   field remembers how deep its ghosts are valid. */
#ifndef HALOGRAD_STATE_H
#define HALOGRAD_STATE_H

#include <halograd/location.h>
#include <halograd/mesh.h>
#include <halograd/sum.h>
#include <stdbool.h>

typedef enum {
  HG_FIELD, /* a number per cell; ghosts are copies and do not count in a dot product */
  /* a field whose ghosts are part of the value: what an exchange or a boundary returns */
  HG_GHOSTED,
  HG_REPLICATED, /* `size` numbers, the same on every rank; counted once */
  HG_LOCAL /* `size` numbers of each rank's own (size may differ between ranks); counted on each */
} HgKind;

typedef struct {
  const char *name; /* at most 31 characters */
  const char *unit; /* such as "K" or "m^2/s" */
  HgKind kind;
  int size;     /* arrays: how many numbers; ignored for fields */
  bool surface; /* fields on a mesh with levels: it has one level only */
} HgVariable;

/* The values of named variables on a mesh. */
typedef struct HgState_s *HgState;

/* All values zero; as many ghosts as the mesh has now. Collective. Errors: empty or repeated names,
   negative sizes. `variables` is copied. */
PetscErrorCode HgStateCreate(HgMesh mesh, int count, const HgVariable variables[], HgState *state);

/* Same variables, as many ghosts, all values zero. Collective. */
PetscErrorCode HgStateDuplicate(HgState state, HgState *copy);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgStateDestroy(HgState *state);

/* The mesh of a state, borrowed, and how many variables it has. Not collective. */
HgMesh HgStateMesh(HgState state);
int HgStateCount(HgState state);

/* Ghost cells around a patch: those that the mesh had when the state was made. The same on all
   ranks. */
int HgStateGhosts(HgState state);

/* Name, unit, kind and size of variable `index`, borrowed. Not collective. */
const HgVariable *HgStateVariable(HgState state, int index);

/* The index of a name, -1 if there is none. Not for the time loop. */
int HgStateFind(HgState state, const char name[]);

/* Like HgStateFind(), but an unknown name is an error that lists the known ones. Collective. */
PetscErrorCode HgStateIndex(HgState state, const char name[], int *index);

/* Rows u[j][i] of a field, j in [-2 ghost, ny + 2 ghost), i likewise; owned by the state, valid for
   its life. After writing owned cells call HgStateSetGhostDepth(state, index, 0). With levels these
   are the rows of level 0; the others lie behind them, HgPatch.pitch numbers apart. */
HgReal *const *HgStateRows(HgState state, int index);

/* The numbers of an array variable; owned by the state. */
double *HgStateArray(HgState state, int index);

/* Says how many ghost layers agree with their owners and, outside the domain, with a boundary. The
   same on every rank. */
void HgStateSetGhostDepth(HgState state, int index, int depth);

/* x = 0, ghosts and margin included. */
PetscErrorCode HgStateZero(HgState x);

/* y = x, ghosts included as far as both have them. Same variables, or an error. */
PetscErrorCode HgStateCopy(HgState x, HgState y);

/* Variable l of y = variable k of x, ghosts included as far as both have them; the same kind and
   size, or an error. */
PetscErrorCode HgStateCopyVariable(HgState x, int k, HgState y, int l);

/* y += alpha x on owned cells (ghosts too for HG_GHOSTED) and arrays: one multiplication and one
   addition each. */
PetscErrorCode HgStateAXPY(HgState y, double alpha, HgState x);

/* The same for variable k of y and variable l of x, which must be of one kind and size. */
PetscErrorCode HgStateAXPYVariable(HgState y, int k, double alpha, HgState x, int l);

/* x *= alpha */
PetscErrorCode HgStateScale(HgState x, double alpha);

/* How many numbers of x the calling rank has: owned cells (ghosts too for HG_GHOSTED) and arrays.
   packed[] = these, variable by variable and row by row; and back, which leaves no ghosts valid.
   Not collective. */
size_t HgStateLength(HgState x);
void HgStatePack(HgState x, double packed[]);
void HgStateUnpack(const double packed[], HgState x);

/* *dot = <x, y>, exactly summed (see sum.h): the same bits on any decomposition. Collective. */
PetscErrorCode HgStateDot(HgState x, HgState y, double *dot);

/* *error = ||x_name - truth_name|| / ||truth_name|| over owned cells, or the entries of an array,
   exactly summed. Collective. */
PetscErrorCode HgStateRelativeError(HgState x, HgState truth, const char name[], double *error);

/* A well-mixed number in [-1, 1) for each (seed, counter). Source: the finaliser of splitmix64,
   Steele, Lea & Flood, OOPSLA 2014. */
double HgRandom(uint64_t seed, uint64_t counter);

/* x = values in [-1, 1) that depend on (seed, variable, global cell or array index) only. Ghosts of
   HG_GHOSTED variables are numbered by patch and local index. Collective. */
PetscErrorCode HgStateRandom(HgState x, uint64_t seed);

/* field(cell) = f(x, y, context) on owned cells; x, y are cell centres [m]. */
PetscErrorCode HgStateSetField(HgState x, const char name[],
                               double (*f)(double x, double y, void *context), void *context);

/* HgStateSetField() of a field of a mesh with levels, z being the level's centre [m]. */
PetscErrorCode HgStateSetVolume(HgState x, const char name[],
                                double (*f)(double x, double y, double z, void *context),
                                void *context);

/* field(cell) = value on owned cells, or every entry of an array. */
PetscErrorCode HgStateSetConstant(HgState x, const char name[], double value);

/* 64-bit XXH3 digest, as 16 hexadecimal digits, of variable `name` (NULL: all in order): the same
   on any decomposition. A field counts as the digests of its rows, level by level, j slow, each the
   XXH3 of nx little-endian doubles; an array as its numbers. Ranks share the work; collective. */
PetscErrorCode HgStateDigest(HgState x, const char name[], char hex[17]);

#endif
