/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a window of steps is cut into blocks, each of which is reversed at once: at every step that
   is looked at, and between two of these into blocks of about equal length. */
#ifndef HG_CUTS_LIBRARY_H
#define HG_CUTS_LIBRARY_H

#include <petscsys.h>
#include <stdbool.h>

typedef long HgCutFn(void *context, long n); /* the first step from n on that is looked at */

typedef struct {
  long step, block; /* block `block` begins at `step` */
} HgCut;

typedef struct {
  long longest; /* steps of a block, at most */
  long cuts, room;
  HgCut *cut; /* the first and the last step of the window, and those looked at between them */
} HgCuts;

/* Cuts steps from .. to - 1, from <= to, into blocks of at most `longest` steps. Memory and time go
   with the steps that are looked at; where these are more than HG_CUTS, each step is a block. Not
   collective. */
enum { HG_CUTS = 1 << 22 };

PetscErrorCode HgCutsMake(HgCuts *cuts, long from, long to, long longest, HgCutFn *next,
                          void *context);
PetscErrorCode HgCutsFree(HgCuts *cuts);

long HgCutsBlocks(const HgCuts *cuts);

/* The first step of a block; HgCutsStep(cuts, HgCutsBlocks(cuts)) = to. */
long HgCutsStep(const HgCuts *cuts, long block);

#endif
