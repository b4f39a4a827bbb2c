/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/mask.h -- a mask of wet cells: where, row by row, something wet is within reach.

   With R a radius, in squares around a cell:

     written   M = 1: a cell is wet within R   what is computed from it may differ from 0
     read      M = 1 within R                  what that reads, and the transpose of M F adds to

   Known on a patch and so many ghosts, outside walls as on the nearest cell inside; the same on any
   decomposition. */
#ifndef HG_MASK_LIBRARY_H
#define HG_MASK_LIBRARY_H

#include <halograd/state.h>

typedef struct HgMask_s *HgMask;

typedef enum { HG_REACH_WRITTEN, HG_REACH_READ, HG_REACHES } HgReach;

/* Columns [i0, i1) of a row; those of a row from west to east, apart from each other. */
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

/* Of field `index` of `wet`, whose cells are wet where it is not 0, on a mesh with levels all of a
   column where its lowest one is; ghosts at least as many as the radius, at most those of the mesh
   and of an exchange. Collective. */
PetscErrorCode HgMaskCreate(HgState wet, int index, int radius, int ghosts, HgMask *mask);

/* One owner more; one less. Not collective. */
PetscErrorCode HgMaskReference(HgMask mask);
PetscErrorCode HgMaskDestroy(HgMask *mask);

/* Is there a cell here, ghosts included, that is out of reach? */
bool HgMaskDry(HgMask mask);

/* The cells of row j within reach; those of the nearest row that is known. */
HgStretches HgMaskRow(HgMask mask, HgReach reach, int j);

/* Columns [i0, i1) outside the stretches of a row become 0. */
void HgMaskZero(HgStretches within, int i0, int i1, HgReal *row);

/* Fields of a state are 0 where M is, in ghosts too, but for those outside walls. */
void HgMaskRows(HgMask mask, HgReal *const *rows);

/* What is worth computing of a few rows at once: columns in which one of them is within reach, in
   whole lines of the cache, short gaps included. HgMaskNext() gives those of [from, i1) from west
   to east; false: there are no more.

     HgWorth worth = HgMaskWorth(mask, reach, j0, j1);
     for (int i = i0; HgMaskNext(&worth, i, i1, &span); i = span.i1) ... */
enum { HG_WORTH_ROWS = 8 }; /* j1 - j0 at most */

typedef struct {
  HgStretches part[2];
} HgWorth;

HgWorth HgMaskWorth(HgMask mask, HgReach reach, int j0, int j1);
bool HgMaskNext(HgWorth *worth, int from, int i1, HgStretch *span);

/* The least box that holds all of some cells that are read, in whole lines; empty if none is. */
HgSpan HgMaskBox(HgMask mask, HgSpan cells);

/* How many cells of a patch of nx x ny are worth computing so many rows at a time. */
long HgMaskCells(HgMask mask, int nx, int ny, int rows_at_once);

#endif
