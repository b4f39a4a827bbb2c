/* SPDX-License-Identifier: BSD-2-Clause */
/* What a list of things to show says, and how one of them is written; for adjoint/show only. */
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
  HgAnimation film; /* while it is made */
} HgShowItem;

typedef struct {
  bool norms;
  int count;
  HgShowItem item[HG_SHOWN];
} HgShowList;

extern const char *const hg_show_kinds[HG_SHOW_KINDS];

/* Errors: what is wrong with the text. Collective. */
PetscErrorCode HgShowParse(MPI_Comm comm, const char what[], HgShowList *list);

/* The sweep that it comes by in. */
HgMode HgShowSweep(HgShowKind kind);

/* The first step from n on, of `steps`, that is in a film; HG_NO_STEP: none. */
long HgShowFrame(long n, long steps);

/* Where and when the fields are. */
typedef struct {
  HgShowKind kind;
  long n;
  double t; /* [s] */
} HgShowTime;

/* *fields: those variables of `from` that are `kept` (NULL: all), under the names and in the
   units of the kind; the caller's to destroy. Collective. */
PetscErrorCode HgShowFields(const HgShowTime *at, HgState from, const bool kept[], HgState *fields);

/* HDF5, .vti and PNG of `fields` in `directory`. Collective. */
PetscErrorCode HgShowFiles(const HgShowTime *at, HgState fields, const char directory[]);

/* One more frame of item->film, which is made if it is not there, on `comm`, which lives as long as
   it. Collective. */
PetscErrorCode HgShowFilm(MPI_Comm comm, const HgShowTime *at, HgState fields,
                          const char directory[], HgShowItem *item);

#endif
