/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of things to show, and writing one of them; for adjoint/show only. */
#ifndef HALOGRAD_SHOW_PRIVATE_H
#define HALOGRAD_SHOW_PRIVATE_H

#include <halograd/animation.h>
#include <halograd/show_library.h>

enum { HG_SHOWN = 16, HG_SHOW_FILM = -1, HG_SHOW_FRAMES = 48, HG_SHOW_NAME = 48 };

typedef enum { HG_SHOW_Q, HG_SHOW_LAMBDA, HG_SHOW_GRADIENT, HG_SHOW_KINDS } HgShowKind;

typedef struct {
  HgShowKind kind;
  long step; /* HG_SHOW_FILM: about HG_SHOW_FRAMES of them */
  bool seen;
  HgAnimation film; /* while it is being made */
} HgShowItem;

typedef struct {
  bool norms;
  int count;
  HgShowItem item[HG_SHOWN];
} HgShowList;

extern const char *const hg_show_kinds[HG_SHOW_KINDS];

/* Parses a list. Errors: it is not valid. Collective. */
PetscErrorCode HgShowParse(MPI_Comm comm, const char what[], HgShowList *list);

/* The sweep of a kind. */
HgMode HgShowSweep(HgShowKind kind);

/* The first step from n on, of `steps`, that is in a film; HG_NO_STEP: none. */
long HgShowFrame(long n, long steps);

/* Kind and time of the fields. */
typedef struct {
  HgShowKind kind;
  long n;
  double t; /* [s] */
} HgShowTime;

/* *fields: the variables of `from` that are `kept` (NULL: all), with names and units of the kind;
   the caller destroys them. Collective. */
PetscErrorCode HgShowFields(const HgShowTime *at, HgState from, const bool kept[], HgState *fields);

/* Writes and destroys `fields`: as HDF5, .vti and PNG in `directory` or, as item->step says, as a
   frame of item->film, which is created if needed on `comm`; `comm` must outlive it. Collective. */
PetscErrorCode HgShowPut(MPI_Comm comm, const HgShowTime *at, HgState *fields,
                         const char directory[], HgShowItem *item);

#endif
