/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile at work, for adjoint/engine/sweep.c and walls.c only. */
#ifndef HALOGRAD_SWEEP_PRIVATE_H
#define HALOGRAD_SWEEP_PRIVATE_H

#include "tile_private.h"
#include <string.h>

typedef struct {
  HgBlock block;
  HgTile *tile;
  const HgBinding *binding;
  const HgBox *patch; /* all of the patch: position, spacing, step */
  bool logged;        /* log its calls as events of -log_view */
  bool streams;       /* write rows for the caller past the caches */
} HgSweep;

/* A call at work: what stays the same from one block of rows to the next. */
typedef struct {
  const HgSweep *sweep;
  HgCall *call;
  const HgTerm *term, *kernel; /* kernel: see HgCall */
  HgRows *x, *second;
  HgRowsOut *out;
  HgRowsOut *beside; /* results beyond the tile; NULL: cotangents in states, which others own */
  HgRows *kept;      /* states whose ghosts outside frozen walls results keep; NULL: none */
  HgRowsOut *caller; /* the caller's rows: results go there, cotangents come from there */
  HgBox box;         /* what is computed now */
  HgSpan all, own;   /* all that the call computes; the part inside the tile */
  HgStretch levels, own_levels; /* the same for levels */
  int frontier;                 /* rows below are done */
  bool apart;                   /* results beyond the tile go elsewhere */
  bool zeroes;                  /* some x_bar starts from nothing, that is from zeros */
  bool limits;                  /* some result is compared with a limit */
  bool shares;                  /* some result has rows of the caller */
  HgMask mask;                  /* NULL: it computes its whole box */

  struct {
    bool clear, mask, follow; /* which of the functions HgWalls*() have something to do */
  } walls;
} HgWork;

/* The levels of a value in the tile, and `seams` more at each end that is no wall. */
static inline HgLevels HgWorkLevels(const HgWork *w, int value, int seams) {
  return HgTileLevels(w->sweep->tile, HgValueVariable(w->sweep->block, value)->surface, seams);
}

/* Writes zeros in pieces short enough for ordinary stores. For longer ones memset() uses a string
   instruction that starts slowly, and reverse shallow-water steps take 1.06 times as long. */
static inline void HgZero(HgReal *row, int i0, int i1) {
  enum { PIECE = 192 };

  for (; i0 < i1; i0 += PIECE)
    memset(row + i0, 0, (size_t)PetscMin(PIECE, i1 - i0) * sizeof(HgReal));
}

/* ---- sweep.c ---- */

/* Sets x_bar that start from nothing to 0 in columns [i0, i1) of rows [j0, j1). */
void HgZeroFresh(const HgWork *work, int i0, int i1, int j0, int j1, const HgRowsOut out[]);

/* ---- stream.c ---- */

/* to[0 .. count) = from[0 .. count), past the caches if the processor can. */
void HgStreamRow(const HgReal *from, HgReal *to, int count);

/* Makes all that was streamed visible to other threads and processes. */
void HgStreamEnd(void);

/* ---- fetch.c ---- */

enum { HG_FETCHED = 64 /* variables at most */ };

/* Prefetches the rows of states that the tile will read next, while the present rows are
   computed. */
typedef struct {
  const HgTile *tile;
  int arrays, lines; /* arrays 0: fetch nothing; cache lines of a row */
  long done;         /* lines fetched of the rows to come */

  struct {
    HgReal *const *rows;
    int skew;
  } array[HG_FETCHED];
} HgFetch;

/* Prepares for all that the calls read of states, each variable once; for nothing if that does not
   pay. */
void HgFetchStart(const HgSweep *sweep, const HgWork work[], int calls, HgFetch *fetch);

/* Fetches part `part` of `parts` of the rows from `base` on; call it before call `part`
   computes. */
void HgFetchRows(HgFetch *fetch, int base, int part, int parts);

/* ---- limits.c ---- */

/* Whether result k is in a state and its variable has a limit; never in reverse. */
bool HgLimitsApply(const HgSweep *sweep, const HgCall *call, int k);

/* Compares the cells of a box that are the tile's own with their limits. */
void HgLimitsLook(const HgWork *work, const HgBox *box, const HgRowsOut out[]);

/* ---- mask.c ---- */

/* Computes columns [i0, i1) of rows [j0, j1) of a call; `own`: inside the tile, else beside it. */
typedef void HgPartFn(HgWork *work, int i0, int i1, int j0, int j1, bool own);

/* Calls `run` where something is wet within reach, a few rows at a time, and sets the rest to 0. */
void HgMaskedRun(HgWork *work, int i0, int i1, int j0, int j1, bool own, HgPartFn *run);

/* ---- walls.c ---- */

/* Finds which of the functions below a call needs, once its values are bound. */
void HgWallsBind(HgWork *work);

/* Clears what rows of row buffers held before outside western and eastern walls, where needed. */
void HgWallsClear(const HgWork *work, int from, int to);

/* Sets closed faces to 0: of results, once rows [from, to) are computed; for an adjoint, of the
   cotangents that it reads, before it reads them. */
void HgWallsMask(const HgWork *work, int from, int to);

/* Applies the boundary beside rows [from, to), which have been computed: fills ghosts outside
   walls, or adds the cotangents there to the cells that they were filled from. */
void HgWallsFollow(const HgWork *work, int from, int to);

#endif
