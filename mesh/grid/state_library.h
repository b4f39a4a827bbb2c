/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/state_library.h -- what other rooms of the library need of state.h. */
#ifndef HG_STATE_LIBRARY_H
#define HG_STATE_LIBRARY_H

#include <halograd/state.h>

/* Whether the variable is a field, with or without ghosts of its own; otherwise it is an array. */
static inline bool HgIsField(const HgVariable *variable) {
  return variable->kind == HG_FIELD || variable->kind == HG_GHOSTED;
}

/* Bilinear interpolation of a field. */

/* A point between the places of (i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1), global indices,
   where the field has its values (location.h). weight[b][a] is the weight of (i + a, j + b). At
   walls ghosts are used: i runs from -1 to nx - 1; on a periodic axis from 0 to nx - 1, and cell nx
   is cell 0. */
typedef struct {
  int i, j;
  double weight[2][2];
  int level; /* with levels: between this level and the next, which has the weight `up` */
  double up;
} HgSpot;

/* The spot of (x, y, z) [m] in a field of that location. Points outside the domain count as on its
   edge; z matters only with levels. Not collective. */
HgSpot HgSpotAt(HgMesh mesh, HgLocation location, double x, double y, double z);

/* Destroys several states: HgStatesDestroy(&a, &b). */
#define HgStatesDestroy(...)                                                                       \
  HgStateDestroyAll((int)(sizeof((HgState *[]){__VA_ARGS__}) / sizeof(HgState *)),                 \
                    (HgState *const[]){__VA_ARGS__})

static inline PetscErrorCode HgStateDestroyAll(int count, HgState *const states[]) {
  for (int k = 0; k < count; k++) PetscCall(HgStateDestroy(states[k]));
  return 0;
}

/* Where in its cell a field lives; default: the centre. Copies of a state keep it. */
HgLocation HgStateLocation(HgState state, int index);
void HgStateSetLocation(HgState state, int index, HgLocation location);

/* The number of levels of a field: nz, or 1 for a surface. */
int HgStateLevels(HgState state, int index);

/* The rows of level k of a field, k HgPatch.pitch numbers after those of level 0. */
HgReal *const *HgStateLevel(HgState state, int index, int level);

/* Lets rows of fields share memory to save traffic. Field k shares if bit k of `may`, k <
   HG_SHARED, is set: a row on all levels that is the same, bit by bit, as the one south of it, in
   all patches of these rows, is stored where that one is. Other rows use memory of their own again,
   with its old contents. Only for fields that are read only while they share. Ghosts beside rows
   that share become the same; fill them again in copies, and after sharing. Allocates a byte for
   each row of the domain and field at the first call. Collective. */
enum { HG_SHARED = 64 };

PetscErrorCode HgStateShareRows(HgState x, uint64_t may);

/* The number of owned rows of a field on all levels; row n is row n mod ny of level n / ny. */
int HgStateRowCount(HgState state, int index);
HgReal *HgStateRow(HgState state, int index, int n);

/* Numbers side by side: cells of a field, or entries of an array. The other pointer is NULL. */
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

/* sum += u_0 v_0 + ... + u_n-1 v_n-1; both of cells or both of numbers */
void HgRowAddProducts(HgSum *sum, size_t n, HgRow u, HgRow v);

/* Row n of a field, as HgStateRow(); for an array n = 0, all numbers. */
HgRow HgStateRowOf(HgState state, int index, int n);

/* Ghost levels below and above. */
int HgStateGhostLevels(HgState state);

/* The depth that HgStateSetGhostDepth() set. */
int HgStateGhostDepth(HgState state, int index);

/* The boundary that last filled the ghosts outside walls. A program with another boundary of this
   variable fills them again. */
const HgBoundary *HgStateGhostWalls(HgState state, int index);
void HgStateSetGhostWalls(HgState state, int index, const HgBoundary *walls);

/* How a state was made: by `step` steps of dt [s] of a program; dt = 0: not known. `read`: it comes
   from results of such a run (HgResultsRead()), and the next step must continue the count with the
   same dt. Set by programs; copied by HgStateCopy(). */
typedef struct {
  double dt;
  long step;
  bool read;
} HgStateClock;

HgStateClock HgStateGetClock(HgState state);
void HgStateSetClock(HgState state, HgStateClock clock);

/* Whether two states have the same mesh and the same variables. */
bool HgStateSame(HgState x, HgState y);

/* Sets variable `index` to 0, with ghosts and margin. */
PetscErrorCode HgStateZeroVariable(HgState x, int index);

/* Copies the variables that x and y share, by name, from x to y, with the ghosts that both have;
   other variables of y do not change. Error: different kinds or sizes. */
PetscErrorCode HgStateCopyShared(HgState x, HgState y);

/* sum += <x, y> over this rank's part. Not collective, no communication. */
void HgStateAddProducts(HgState x, HgState y, HgSum *sum);

/* *least and *largest owned value of variable `name`, the same on every rank. Collective. Error: no
   such variable. */
PetscErrorCode HgStateRange(HgState x, const char name[], double *least, double *largest);

/* A normal random number of mean 0 and standard deviation sigma for each (seed, counter), made of
   two HgRandom(). Source: Box & Muller, Ann. Math. Statist. 29 (1958). */
double HgGaussian(double sigma, uint64_t seed, uint64_t counter);

/* x_name += sigma xi on owned cells or on a replicated array, in the variable's unit. xi is
   standard normal and depends only on (seed, number of the variable in x, global cell or entry):
   the same bits on any decomposition. Collective. Errors: unknown name; sigma negative or not
   finite; neither a field nor a replicated array. */
PetscErrorCode HgStateAddNoise(HgState x, const char name[], double sigma, uint64_t seed);

/* hex[k] = HgStateDigest() of variable which[k], k < count, in one round of messages. `own` may
   hold what the caller knows (else NULL): if patches are as wide as the grid, own[k ny + j] is the
   XXH3 of owned row j of variable which[k], with ny rows in the patch. Collective. */
PetscErrorCode HgStateDigestEach(HgState x, int count, const int which[], const uint64_t own[],
                                 char hex[][17]);

/* Bytes of a state on this rank, with padding; and how many numbers these are, as in a state kept
   as floats. */
size_t HgStateBytes(HgState x);

static inline size_t HgStateNumbers(HgState x) { return HgStateBytes(x) / sizeof(HgReal); }

/* to[HgStateNumbers(x)] = all numbers of x, with ghosts, rounded; and back, after which ghosts
   between patches are not valid. Not collective. */
void HgStateRound(HgState x, float to[]);
void HgStateUnround(const float from[], HgState x);

/* sum of weight[b][a] corner[b][a], always in the same order. */
double HgSpotValue(const HgSpot *spot, double corner[2][2]);

/* *ok on every rank: all owned values are finite. If not, `where` names variable, global cell and
   value, the same on every rank. */
PetscErrorCode HgStateFinite(HgState x, bool *ok, char where[], size_t size);

/* Swaps the values of `a` and `b` (same variables) without moving data. */
void HgStateSwap(HgState a, HgState b);

#endif
