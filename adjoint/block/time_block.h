/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/time_block.h -- several steps of a program made, or reversed, as one: one exchange and
   one pass over memory for all of them (docs/engine.md). */
#ifndef HALOGRAD_TIME_BLOCK_H
#define HALOGRAD_TIME_BLOCK_H

typedef struct HgProgram_s *HgProgram; /* program.h */

/* Most steps of a time block. */
enum { HG_TIME_BLOCK_MOST = 64 };

/* Which variables of states between steps to save: all, or only those that reversing the next step
   reads (the others are not written). */
typedef enum { HG_SAVE_ALL, HG_SAVE_FOR_ADJOINT } HgSaving;

#endif
