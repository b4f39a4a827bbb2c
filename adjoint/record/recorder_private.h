/* SPDX-License-Identifier: BSD-2-Clause */
/* A recorder, for recorder.c and recorder_resume.c only. */
#ifndef HALOGRAD_RECORDER_PRIVATE_H
#define HALOGRAD_RECORDER_PRIVATE_H

#include <halograd/recorder_library.h>
#include <halograd/recording_library.h>
#include <halograd/trajectory_library.h>

struct HgRecorder_s {
  HgTrajectory trajectory; /* NULL: it is gone */
  HgProgram program;
  MPI_Comm comm;
  HgRecorderSpec spec;
  char *application, *options;
  char directory[HG_RECORD_DIRECTORY];
  char beside[HG_RECORD_DIRECTORY]; /* a recording to remove when a run begins; "": none */
  bool armed, running, valued;      /* valued: a value is recorded; a gradient would replace it */
  int lock;
  HgMode run;                        /* kind of the recorded run */
  long every;                        /* steps 0, every, 2 every, .. and the last */
  bool *active;                      /* of the constants */
  bool constants;                    /* one of them is active */
  bool constants_kept;               /* their values are on disk */
  HgGeneration generation[HG_MODES]; /* of both sweeps */
  HgGeneration constants_image;      /* of all constants; NULL: there are none */
  HgLedger ledger;
  int earlier; /* sweeps of an earlier run in `directory`, removed when a run begins; 0: none */
  double bytes;
};

/* The first step from n on to record; HG_NO_STEP: none. */
long HgRecorderNext(HgRecorder recorder, HgMode direction, long n);

/* The head for the run that begins, with the present active constants. The caller destroys its
   lists of variables and observations; its options belong to the recorder. Collective. */
PetscErrorCode HgRecorderHead(HgRecorder recorder, HgState q, HgState constants,
                              HgRecordHead *head);

/* *taken: the recording in `directory` is that of the resumed gradient and reaches this point. Then
   removes what comes after it and opens the ledger; otherwise changes nothing. Collective. Errors:
   a damaged recording; it cannot be written. */
PetscErrorCode HgRecorderTakeUp(HgRecorder recorder, HgState q, HgState constants, bool *taken);

#endif
