/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/state_library.h -- what other rooms of the library need of state.h. */
#ifndef HG_STATE_LIBRARY_H
#define HG_STATE_LIBRARY_H

#include <halograd/state.h>

/* A number per cell, with or without ghosts of its own? Else it is an array. */
static inline bool HgIsField(const HgVariable *variable) {
  return variable->kind == HG_FIELD || variable->kind == HG_GHOSTED;
}

/* A point between four places of a field: bilinear interpolation of a field. */

/* The point lies between the places of (i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1), global
   indices, where the field has its values (location.h); weight[b][a] is that of (i + a, j + b).
   Outside a wall there are ghosts: i runs from -1 to nx - 1; on a periodic axis from 0 to nx - 1,
   and cell nx is cell 0. */
typedef struct {
  int i, j;
  double weight[2][2];
  int level; /* with levels: it lies between that one and the next, which has the weight `up` */
  double up;
} HgSpot;

/* Where (x, y, z) [m] lies in a field of that location; points outside the domain count as on its
   edge; z only matters on a mesh with levels. Not collective. */
HgSpot HgSpotAt(HgMesh mesh, HgLocation location, double x, double y, double z);

/* HgStateDestroy() of each: HgStatesDestroy(&a, &b). */
#define HgStatesDestroy(...)                                                                       \
  HgStateDestroyAll((int)(sizeof((HgState *[]){__VA_ARGS__}) / sizeof(HgState *)),                 \
                    (HgState *const[]){__VA_ARGS__})

static inline PetscErrorCode HgStateDestroyAll(int count, HgState *const states[]) {
  for (int k = 0; k < count; k++) PetscCall(HgStateDestroy(states[k]));
  return 0;
}

/* Where in its cell a field lives; default: the centre. Copies of a state have its locations. */
HgLocation HgStateLocation(HgState state, int index);
void HgStateSetLocation(HgState state, int index, HgLocation location);

/* The levels of a field: those of the mesh, or 1, of a surface. */
int HgStateLevels(HgState state, int index);

/* The rows of level k of a field, which lie k HgPatch.pitch behind those of level 0. */
HgReal *const *HgStateLevel(HgState state, int index, int level);

/* Rows [0, ny) of field k lie where row 0 lies if bit k of `may`, k < HG_SHARED, is set and they
   are the same, bit by bit, in each patch; those of other fields lie in memory of their own, with
   what it held before. For fields that are only read while they share: they then come from the
   cache. Their ghosts beside the rows become the same, and are to be filled again in copies and
   once they share no longer. It allocates nothing. Collective. */
enum { HG_SHARED = 64 };

PetscErrorCode HgStateShareRows(HgState x, uint64_t may);

/* Owned rows of a field of all levels, in natural order: row n is row n mod ny of level n / ny. */
int HgStateRowCount(HgState state, int index);
HgReal *HgStateRow(HgState state, int index, int n);

/* Numbers side by side: cells of a field, or an array's. One of both is NULL. */
typedef struct {
  double *numbers;
  HgReal *cells;
} HgRow;

static inline double HgRowGet(HgRow row, ptrdiff_t i) {
  return row.numbers ? row.numbers[i] : (double)row.cells[i];
}

static inline void HgRowSet(HgRow row, ptrdiff_t i, double value) {
  if (row.numbers) row.numbers[i] = value;
  else row.cells[i] = (HgReal)value;
}

/* sum += u_0 v_0 + ... + u_n-1 v_n-1; cells with cells, numbers with numbers */
void HgRowAddProducts(HgSum *sum, size_t n, HgRow u, HgRow v);

/* Row n of a field, as HgStateRow() has it; of an array, whose only row is 0, all numbers. */
HgRow HgStateRowOf(HgState state, int index, int n);

/* Ghost levels below and above. */
int HgStateGhostLevels(HgState state);

/* What HgStateSetGhostDepth() said. */
int HgStateGhostDepth(HgState state, int index);

/* Which boundary: that of the program which filled the ghosts last. Another program, whose variable
   has another boundary, fills them anew. */
const HgBoundary *HgStateGhostWalls(HgState state, int index);
void HgStateSetGhostWalls(HgState state, int index, const HgBoundary *walls);

/* What has made a state: so many steps of dt [s] of a program; dt = 0: not known. `read`: it comes
   from results of such a run (HgResultsRead()), and a step from it must go on counting with the
   same dt. Set by programs; copied by HgStateCopy(). */
typedef struct {
  double dt;
  long step;
  bool read;
} HgStateClock;

HgStateClock HgStateGetClock(HgState state);
void HgStateSetClock(HgState state, HgStateClock clock);

/* Whether two states live on the same mesh and have the same variables. */
bool HgStateSame(HgState x, HgState y);

/* Variable `index` alone = 0, ghosts and margin included. */
PetscErrorCode HgStateZeroVariable(HgState x, int index);

/* The variables of y that x has, too, by name, become those of x, ghosts included as far as both
   have them; the others stay. The same kind and size, or an error. */
PetscErrorCode HgStateCopyShared(HgState x, HgState y);

/* sum += <x, y> over the calling rank's part; not collective, no communication. */
void HgStateAddProducts(HgState x, HgState y, HgSum *sum);

/* The least and the largest owned value of variable `name`, the same on every rank. Collective.
   Error: no such variable. */
PetscErrorCode HgStateRange(HgState x, const char name[], double *least, double *largest);

/* A normal number of mean 0 and standard deviation sigma for each (seed, counter), made of two of
   HgRandom(). Source: Box & Muller, Ann. Math. Statist. 29 (1958). */
double HgGaussian(double sigma, uint64_t seed, uint64_t counter);

/* x_name += sigma xi on owned cells or on a replicated array, xi being standard normal and a
   function of (seed, number of the variable in x, global cell or entry) only: the same bits on any
   decomposition. sigma in the variable's unit. Collective. Errors: unknown name; sigma negative or
   not finite; a variable that is neither a field nor a replicated array. */
PetscErrorCode HgStateAddNoise(HgState x, const char name[], double sigma, uint64_t seed);

/* hex[k] = that of variable which[k] alone, k < count, in one round of messages. `own`: NULL, or
   what the caller knows of fields: where patches are as wide as the grid, own[k ny + j] is the XXH3
   of owned row j of variable which[k], ny rows in the patch. Collective. */
PetscErrorCode HgStateDigestEach(HgState x, int count, const int which[], const uint64_t own[],
                                 char hex[][17]);

/* Bytes of one state on this rank, padding included; its numbers, which a state kept as floats has,
   too. */
size_t HgStateBytes(HgState x);

static inline size_t HgStateNumbers(HgState x) { return HgStateBytes(x) / sizeof(HgReal); }

/* to[HgStateNumbers(x)]: all numbers of x, ghosts included, rounded; and back, after which ghosts
   between patches count as not filled. Not collective. */
void HgStateRound(HgState x, float to[]);
void HgStateUnround(const float from[], HgState x);

/* sum of weight[b][a] corner[b][a], always in the same order. */
double HgSpotValue(const HgSpot *spot, double corner[2][2]);

/* *ok on every rank: all owned values finite; if not, names variable, global cell and value in
   `where` (rank-independent). */
PetscErrorCode HgStateFinite(HgState x, bool *ok, char where[], size_t size);

/* Exchanges the values of `a` and `b` (same variables) without moving data. */
void HgStateSwap(HgState a, HgState b);

#endif
