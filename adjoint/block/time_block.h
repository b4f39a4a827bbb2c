/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/time_block.h -- several steps of a program made, or reversed, as one: one exchange and
   one pass over memory for all of them (docs/engine.md). */
#ifndef HALOGRAD_TIME_BLOCK_H
#define HALOGRAD_TIME_BLOCK_H

typedef struct HgProgram_s *HgProgram; /* program.h */

/* Steps of a time block, at most. */
enum { HG_TIME_BLOCK_MOST = 64 };

/* Of states that steps pass through: all variables, or those that reversing the step from there
   reads (the others stay as they are). */
typedef enum { HG_SAVE_ALL, HG_SAVE_FOR_ADJOINT } HgSaving;

#endif
