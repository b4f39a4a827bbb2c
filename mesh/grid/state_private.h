/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a state, for mesh/grid/state*.c only. */
#ifndef HALOGRAD_STATE_PRIVATE_H
#define HALOGRAD_STATE_PRIVATE_H

#include <halograd/state_library.h>

enum {
  HG_NAME_SIZE = 32,
  HG_UNIT_SIZE = 96 /* a gradient's unit is made of two */
};

typedef struct {
  HgVariable variable; /* its strings are `name` and `unit` below */
  char name[HG_NAME_SIZE], unit[HG_UNIT_SIZE];
  size_t offset, length; /* of `values` in the state's memory [HgReals] */
  HgLocation location;
  HgReal *values;     /* for arrays doubles: HgStateArray() */
  HgReal **row_table; /* of fields: all rows of all levels, with margins */
  HgReal **rows;      /* row_table shifted: rows[j][i] is owned cell (i, j) of level 0 */
  int levels, beside; /* of fields: levels; ghosts and margin of levels below and above */
  size_t slab;        /* of fields: HgReals between two rows of one level */
  bool shares;        /* some rows are stored where others are */
  int ghost_depth;
  HgBoundary walls; /* that last filled the ghosts outside them */
} HgStored;

struct HgState_s {
  HgMesh mesh;
  int count;
  int ghost, ring; /* ring: ghosts and margin on each side, 2 x ghost */
  int ring_levels; /* ghosts and margin below and above */
  size_t pitch, length;
  HgStored *variables;
  HgReal *data;
  HgStateClock clock;
  /* of each field, whether a row of the domain is like the one before it; NULL: nobody has asked */
  unsigned char *same;
};

#endif
