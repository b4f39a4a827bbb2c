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
  char beside[HG_RECORD_DIRECTORY]; /* a recording that goes when a run begins; "": none */
  bool armed, running, valued;      /* valued: a value is recorded; a gradient takes its place */
  int lock;
  HgMode run;                        /* of what is being recorded */
  long every;                        /* steps 0, every, 2 every, .. and the last */
  bool *active;                      /* of the constants */
  bool constants;                    /* is one of them active? */
  bool constants_kept;               /* their values are on disk */
  HgGeneration generation[HG_MODES]; /* of both directions */
  HgGeneration constants_image;      /* of all constants; NULL: there are none */
  HgLedger ledger;
  int earlier; /* sweeps of an earlier run in `directory`, which go when a run begins; 0: none */
  double bytes;
};

/* The first step from n on that is to be recorded; HG_NO_STEP: none. */
long HgRecorderNext(HgRecorder recorder, HgMode direction, long n);

/* What it would say of the run that begins, with active constants that are known; its list of
   variables and of observations is the caller's to destroy, its options are the recorder's.
   Collective. */
PetscErrorCode HgRecorderHead(HgRecorder recorder, HgState q, HgState constants,
                              HgRecordHead *head);

/* *taken: the gradient that goes on is the one whose recording in `directory` comes up to there;
   what comes after is removed, and the ledger is open. Else nothing is changed. Collective. Errors:
   a recording there that is not what was written; it cannot be written. */
PetscErrorCode HgRecorderTakeUp(HgRecorder recorder, HgState q, HgState constants, bool *taken);

#endif
