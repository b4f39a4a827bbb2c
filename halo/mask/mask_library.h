/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/mask_library.h -- a mask of wet cells: which cells of a row have a wet cell within
   reach.

   With R a radius, in squares around a cell:

     written   M = 1: a cell is wet within R   results there may differ from 0
     read      M = 1 within R                  what these results read, and where the transpose of
                                               M F adds

   It is known on a patch and its ghosts; outside walls it is that of the nearest cell inside. The
   same on any decomposition. */
#ifndef HG_MASK_LIBRARY_H
#define HG_MASK_LIBRARY_H

#include <halograd/state.h>

typedef struct HgMask_s *HgMask;

typedef enum { HG_REACH_WRITTEN, HG_REACH_READ, HG_REACHES } HgReach;

/* Columns [i0, i1) of a row; and the stretches of a row, from west to east, with gaps. */
typedef struct {
  int i0, i1;
} HgStretch;

typedef struct {
  const HgStretch *first, *end;
} HgStretches;

/* Rows and columns [i0, i1) x [j0, j1). */
typedef struct {
  int i0, i1, j0, j1;
} HgSpan;

/* Creates the mask of field `index` of `wet`: cells are wet where it is not 0; with levels, a whole
   column where its lowest cell is wet. `ghosts` is at least the radius, at most the ghosts of the
   mesh and of an exchange. Collective. */
PetscErrorCode HgMaskCreate(HgState wet, int index, int radius, int ghosts, HgMask *mask);

/* Adds an owner; gives up ownership. Not collective. */
PetscErrorCode HgMaskReference(HgMask mask);
PetscErrorCode HgMaskDestroy(HgMask *mask);

/* Whether some cell here, with ghosts, is out of reach. */
bool HgMaskDry(HgMask mask);

/* The cells of row j within reach; beyond the known rows those of the nearest one. */
HgStretches HgMaskRow(HgMask mask, HgReach reach, int j);

/* Sets columns [i0, i1) outside the stretches of a row to 0. */
void HgMaskZero(HgStretches within, int i0, int i1, HgReal *row);

/* Sets rows of a state to 0 where M is 0, also ghosts except those outside walls. */
void HgMaskRows(HgMask mask, HgReal *const *rows);

/* The columns worth computing for a few rows at once: those in which one of the rows is within
   reach, in whole cache lines and across short gaps. HgMaskNext() gives those of [from, i1) from
   west to east; false: there are no more.

     HgWorth worth = HgMaskWorth(mask, reach, j0, j1);
     for (int i = i0; HgMaskNext(&worth, i, i1, &span); i = span.i1) ... */
enum { HG_WORTH_ROWS = 8 }; /* largest j1 - j0 */

typedef struct {
  HgStretches part[2];
} HgWorth;

HgWorth HgMaskWorth(HgMask mask, HgReach reach, int j0, int j1);
bool HgMaskNext(HgWorth *worth, int from, int i1, HgStretch *span);

/* The smallest box, in whole cache lines, with all of `cells` that are read; empty if there are
   none. */
HgSpan HgMaskBox(HgMask mask, HgSpan cells);

/* How many cells of a patch of nx x ny are worth computing, with `rows_at_once` rows at a time. */
long HgMaskCells(HgMask mask, int nx, int ny, int rows_at_once);

#endif
