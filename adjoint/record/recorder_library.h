/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/recorder_library.h -- keeps what a trajectory computes: q_n of the first sweep, lambda_n
   = dJ/dq_n and the cotangents of constants so far of the reverse sweep, at chosen steps, and a
   ledger.

     HgRecorderCreate(trajectory, &(HgRecorderSpec){.every = 10}, &recorder);
     HgRecorderArm(recorder, "output/recording");     the next value or gradient is recorded
     HgTrajectoryGradient(trajectory, ...);
     HgRecorderDestroy(&recorder);

   It is an observer (trajectory.h): no bit of the run changes, and steps between those that are
   recorded are made several at once, as ever. The folder holds

     recording.yaml   program, grid, steps, options; written first
     steps.csv        the ledger (recording_library.h); its last line says that all is there
     constants-c-rank-R.h5, constants.txt                           the constants c
     forward-N-q-rank-R.h5, forward-N.txt                           q_N, an HDF5 image of each rank
     reverse-N-lambda-rank-R.h5, -constants-rank-R.h5, reverse-N.txt

   Every file is written under another name and renamed, the .txt with sizes and digests last: a
   killed run leaves whole steps. Any number of ranks reads them (recording.h). */
#ifndef HG_RECORDER_LIBRARY_H
#define HG_RECORDER_LIBRARY_H

#include <halograd/recording_library.h>
#include <halograd/trajectory.h>

enum { HG_RECORD_STEPS = 16 };

/* Which steps: one of the first two is set, or none: a tenth of them. Step 0 and the last step
   are among them, unless they are listed. */
typedef struct {
  long every; /* steps 0, every, 2 every, ... */
  int steps;  /* so many, listed in `step` */
  int step[HG_RECORD_STEPS];
  HgRecording like; /* those that this one has, which is borrowed, and those listed */
  bool goes_on;     /* a gradient that goes on (restart.h) takes up its recording, see below */
  bool sync;        /* survives a power cut, too; else what the kernel has taken counts */
  const char *application;    /* for the head; NULL: "" */
  const char *options;        /* a line for each; NULL: none */
  char stage[HG_RECORD_NAME]; /* of a run that has several; "": of one that has none */
} HgRecorderSpec;

typedef struct HgRecorder_s *HgRecorder;

/* A recorder of `trajectory`, either of which may be destroyed first; `spec` is copied. Collective.
   Errors: more than one way to choose steps; negative numbers, or more steps than can be listed; a
   step that the trajectory has not got. */
PetscErrorCode HgRecorderCreate(HgTrajectory trajectory, const HgRecorderSpec *spec,
                                HgRecorder *recorder);
PetscErrorCode HgRecorderDestroy(HgRecorder *recorder);

/* The next gradient is recorded in `directory`, which is made if missing, and until it comes the
   next value; an earlier recording of the same application and program there is removed once such a
   run begins, other files stay. Collective. Errors: not writable; a recording of another program,
   or something else that is called recording.yaml, is there; another run is recording there.
   Later, by the run: no space. */
PetscErrorCode HgRecorderArm(HgRecorder recorder, const char directory[]);

/* With `goes_on` a gradient that goes on where it was killed goes on with the recording that was
   made of it, on any number of ranks, and this is that of the unbroken one. One whose recording
   does not come up to there, or chose other steps, is not recorded: the next one is.

   Is the earlier recording in the folder whole, it is kept and nothing more is waited for.
   Collective. Errors: it is not what was written. */
PetscErrorCode HgRecorderKeep(HgRecorder recorder);

/* Before HgRecorderArm(): an earlier recording of the same application and program in `directory`,
   another folder, is removed too once a run begins to be recorded. Collective. Errors: as for
   HgRecorderArm(). */
PetscErrorCode HgRecorderReplaces(HgRecorder recorder, const char directory[]);

/* Is it waiting for a run, or recording one? False once it has a value, too. */
bool HgRecorderArmed(HgRecorder recorder);

/* Bytes of all ranks' images so far; not collective. */
double HgRecorderBytes(HgRecorder recorder);

/* Part of a recorded run once more, and what comes out beside what was
   recorded.

   The window [from, to]: q is restored from the nearest recorded state q_r, r <= from, and
   stepped to q_to; for the reverse sweep also lambda_s and the cotangents of constants so far, s
   >= to, from where steps s - 1 .. from are reversed. r is at most from - 1 then: an observation
   between two steps looks at both. Any number of ranks, threads, steps at once: the bits are
   those of the recorded run, or something has changed. */

/* Is the recording one of the trajectory's program? Collective. Errors: another program, precision,
   grid or number of steps. */
PetscErrorCode HgReplayFits(HgTrajectory trajectory, HgRecording recording);

/* Steps `from` to `to` of the recording in `directory` again, forward and, if it was a
   gradient, back, by the trajectory, which is one of the recorded program and objective. What
   comes out is recorded in `replayed` at the steps that the recording has, and at the window's
   ends; compare them (HgReplayCompare()). The trajectory's observers see the steps of the window
   that they want. They are the sweeps of its own gradients, with its schedule, store and blocks.
   Collective. Errors: those of HgReplayFits(); no state to start from; a window outside the run; a
   gradient by a trajectory without a store; `replayed` is `directory` by any name; those of
   HgRecorderArm(). */
PetscErrorCode HgReplay(HgTrajectory trajectory, const char directory[], long from, long to,
                        const char replayed[]);

/* Says "same bits" of what `recorded` and `replayed` have in common, or where they part first,
   and which operators of the step make the variable that parts, which is an error. Collective. */
PetscErrorCode HgReplayCompare(HgTrajectory trajectory, const char recorded[],
                               const char replayed[]);

#endif
