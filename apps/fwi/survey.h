/* SPDX-License-Identifier: BSD-2-Clause */
/* The places of shots and receivers of fwi, in [m]. */
#ifndef SURVEY_H
#define SURVEY_H
#include "earth.h"
#include "wavelet.h"

enum { SURVEY_MOST = 1 << 16 /* shots */ };

typedef struct {
  double x, y, depth; /* y = 0 in a section */
} SurveyPlace;

/* Receivers of a shot, or of several. */
typedef struct {
  int count;
  SurveyPlace *place;
} SurveySpread;

typedef struct {
  SurveyPlace place;
  int spread, wavelet; /* indices of its spread and wavelet */
} SurveyShot;

typedef struct {
  int shots, spreads, wavelets;
  SurveyShot *shot;
  SurveySpread *spread;
  SurveyPlace *receiver; /* of all spreads */
  Wavelet *wavelet;      /* the first is for shots that name none */
} Survey;

/* Places `shots` shots on a line below the surface of the sea, between the sponges; with `levels`,
   every second one on a line beside it. They share a spread of `receivers` on a line; with levels,
   on several lines, as far apart as the receivers. Collective. */
PetscErrorCode SurveyLines(int shots, int receivers, bool levels, Survey *survey);

/* Reads a table of shots, each followed by its receivers:

     kind,x [m],depth [m],wavelet                with levels  kind,x [m],y [m],depth [m],wavelet
     shot,600,30,
     receiver,300,30,
     receiver,900,30,
     shot,1200,30,airgun.csv

   A shot without receivers has those of the shot before. If shots are `recorded`, files have the
   receivers, and the table need not. A shot may name a wavelet, a file in the folder of the table
   (WaveletRead()). Collective. Errors: those of HgTableRead(); another table; a place outside the
   ground; a first shot without receivers. */
PetscErrorCode SurveyTable(MPI_Comm comm, const char path[], bool levels, bool recorded,
                           Survey *survey);

/* Frees. Not collective. */
PetscErrorCode SurveyDestroy(Survey *survey);

#endif
