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
  bool logged;        /* its calls are events of -log_view */
  bool streams;       /* rows for the caller go past the caches */
} HgSweep;

/* A call at work: all that stays the same from one block of rows to the next. */
typedef struct {
  const HgSweep *sweep;
  HgCall *call;
  const HgTerm *term;
  HgRows *x, *second;
  HgRowsOut *out;
  HgRowsOut *beside; /* beyond the tile: cotangents in states belong to others there, NULL */
  HgRows *kept;      /* whose ghosts outside frozen walls a result keeps; NULL: none are frozen */
  HgRowsOut *caller; /* its rows: results go there, too, cotangents come from there; NULL: none */
  HgBox box;         /* its rows and columns are those of the moment */
  HgSpan all, own;   /* what it computes, and what of it is the tile's own */
  HgStretch levels, own_levels; /* likewise */
  int frontier;                 /* rows below are done */
  bool apart;                   /* results beyond the tile go elsewhere */
  bool zeroes;                  /* some x_bar starts from nothing here */
  bool limits;                  /* is some result compared with a limit? */
  bool shares;                  /* some result has rows of the caller */
  HgMask mask;                  /* NULL: it computes all of its box */

  struct {
    bool clear, mask, follow; /* HgWallsClear() and the others have something to do */
  } walls;
} HgWork;

/* The levels of a value in the tile, and so many more where no wall is. */
static inline HgLevels HgWorkLevels(const HgWork *w, int value, int seams) {
  return HgTileLevels(w->sweep->tile, HgValueVariable(w->sweep->block, value)->surface, seams);
}

/* In pieces short enough for ordinary stores: for more, memset() has a loop of the processor's that
   starts slowly, and reverse shallow-water steps take 1.06 times as long. */
static inline void HgZero(HgReal *row, int i0, int i1) {
  enum { PIECE = 192 };

  for (; i0 < i1; i0 += PIECE)
    memset(row + i0, 0, (size_t)PetscMin(PIECE, i1 - i0) * sizeof(HgReal));
}

/* ---- sweep.c ---- */

/* x_bar that start from nothing here are 0 in columns [i0, i1) of rows [j0, j1). */
void HgZeroFresh(const HgWork *work, int i0, int i1, int j0, int j1, const HgRowsOut out[]);

/* ---- stream.c ---- */

/* to[0 .. count) = from[0 .. count), past the caches where the processor can. */
void HgStreamRow(const HgReal *from, HgReal *to, int count);

/* What has been streamed is seen by other threads and processes from here on. */
void HgStreamEnd(void);

/* ---- fetch.c ---- */

enum { HG_FETCHED = 64 /* variables at most */ };

/* What the next rows of a tile will read of states comes into the cache while these are
   computed. */
typedef struct {
  const HgTile *tile;
  int arrays, lines; /* arrays 0: nothing is fetched; cache lines of a row */
  long done;         /* lines, of the rows to come */

  struct {
    HgReal *const *rows;
    int skew;
  } array[HG_FETCHED];
} HgFetch;

/* All that the calls read of states, each variable once; nothing if they are too few to pay. */
void HgFetchStart(const HgSweep *sweep, const HgWork work[], int calls, HgFetch *fetch);

/* A share of the rows from `base` on, before call `part` of `parts` does its rows. */
void HgFetchRows(HgFetch *fetch, int base, int part, int parts);

/* ---- limits.c ---- */

/* Is result k of the call a state's, and has its variable a limit? Not on the way back. */
bool HgLimitsApply(const HgSweep *sweep, const HgCall *call, int k);

/* Compares what of a box is the tile's own. */
void HgLimitsLook(const HgWork *work, const HgBox *box, const HgRowsOut out[]);

/* ---- mask.c ---- */

/* Computes part of what a call computes: columns [i0, i1) of rows [j0, j1), `own` or beside the
   tile. */
typedef void HgPartFn(HgWork *work, int i0, int i1, int j0, int j1, bool own);

/* The same where something is wet within reach, a few rows at a time; the rest is 0. */
void HgMaskedRun(HgWork *work, int i0, int i1, int j0, int j1, bool own, HgPartFn *run);

/* ---- walls.c ---- */

/* What of the calls below there is to do for a call whose values are bound. */
void HgWallsBind(HgWork *work);

/* What rows of row buffers held before is cleared outside western and eastern walls, where it must
   be. */
void HgWallsClear(const HgWork *work, int from, int to);

/* Closed faces of results, once rows [from, to) are computed, or of the cotangents that an adjoint
   reads for them, before, become 0. */
void HgWallsMask(const HgWork *work, int from, int to);

/* Ghosts outside walls beside rows [from, to), which have been computed: filled, or, of cotangents,
   added to the cells that they were filled from. */
void HgWallsFollow(const HgWork *work, int from, int to);

#endif
