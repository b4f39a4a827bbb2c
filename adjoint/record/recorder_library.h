/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/recorder_library.h -- records what a trajectory computes: q_n of the forward sweep,
   lambda_n = dJ/dq_n and the cotangents of constants so far of the reverse sweep, at chosen steps;
   and a ledger of all.

     HgRecorderCreate(trajectory, &(HgRecorderSpec){.every = 10}, &recorder);
     HgRecorderArm(recorder, "output/recording");     the next value or gradient is recorded
     HgTrajectoryGradient(trajectory, ...);
     HgRecorderDestroy(&recorder);

   It is an observer (trajectory.h): no bit of the run changes, and steps between recorded ones are
   made several at once as usual. The folder holds

     recording.yaml   program, grid, steps, options; written first
     steps.csv        the ledger (recording_library.h); its last line says that all is there
     constants-c-rank-R.h5, constants.txt                           the constants c
     forward-N-q-rank-R.h5, forward-N.txt                           q_N, an HDF5 image of each rank
     reverse-N-lambda-rank-R.h5, -constants-rank-R.h5, reverse-N.txt

   Every file is written under another name and renamed, the .txt with sizes and digests last: a
   killed run leaves complete steps. Any number of ranks can read them (recording_library.h). */
#ifndef HG_RECORDER_LIBRARY_H
#define HG_RECORDER_LIBRARY_H

#include <halograd/recording_library.h>
#include <halograd/trajectory.h>

enum { HG_RECORD_STEPS = 16 };

/* Which steps to record. Set one of the first two, or none for a tenth of the steps. Step 0 and the
   last step are included, unless steps are listed. */
typedef struct {
  long every; /* steps 0, every, 2 every, ... */
  int steps;  /* how many are listed in `step` */
  int step[HG_RECORD_STEPS];
  HgRecording like; /* those of this recording (borrowed), besides those listed */
  bool goes_on;     /* continue the recording of a gradient that is resumed; see HgRecorderKeep() */
  bool sync;        /* survives a power cut, too; else only a kill */
  const char *application;    /* for the head; NULL: "" */
  const char *options;        /* a line for each; NULL: none */
  char stage[HG_RECORD_NAME]; /* of a run with stages; "": without */
} HgRecorderSpec;

typedef struct HgRecorder_s *HgRecorder;

/* Creates a recorder of `trajectory`; you may destroy either one first. `spec` is copied.
   Collective. Errors: more than one way to choose steps; negative numbers, or more steps than can
   be listed; a step beyond the trajectory. */
PetscErrorCode HgRecorderCreate(HgTrajectory trajectory, const HgRecorderSpec *spec,
                                HgRecorder *recorder);
PetscErrorCode HgRecorderDestroy(HgRecorder *recorder);

/* Records the next gradient in `directory`, which is created if missing; until a gradient comes,
   the next value. When such a run begins, an earlier recording there of the same application and
   program is removed; other files stay. Collective. Errors: not writable; a recording of another
   program, or something else called recording.yaml, is there; another run is recording there.
   Later, by the run: no space. */
PetscErrorCode HgRecorderArm(HgRecorder recorder, const char directory[]);

/* With `goes_on`, a gradient that is resumed continues its recording, on any number of ranks, and
   the result is that of an uninterrupted gradient. If its recording does not reach that point, or
   has other steps, this gradient is not recorded and the next one is.

   If the earlier recording in the folder is complete, it is kept and nothing more is recorded.
   Collective. Errors: it is damaged. */
PetscErrorCode HgRecorderKeep(HgRecorder recorder);

/* Call it before HgRecorderArm(). When a recorded run begins, an earlier recording of the same
   application and program in `directory`, another folder, is removed, too. Collective. Errors: as
   for HgRecorderArm(). */
PetscErrorCode HgRecorderReplaces(HgRecorder recorder, const char directory[]);

/* Whether it waits for a run or records one. False also once it has a value. */
bool HgRecorderArmed(HgRecorder recorder);

/* Bytes of all ranks' images so far. Not collective. */
double HgRecorderBytes(HgRecorder recorder);

/* Replay: part of a recorded run is computed again and compared with the recording.

   The window is [from, to]. q is restored from the nearest recorded state q_r, r <= from, and
   stepped to q_to. For the reverse sweep, lambda_s and the cotangents of constants so far are
   restored at s >= to, and steps s - 1 .. from are reversed; then r is at most from - 1, since an
   observation between two steps needs both. With any number of ranks, threads and steps at once,
   the bits are those of the recorded run, or something has changed. */

/* Checks that the recording is one of the trajectory's program. Collective. Errors: another
   program, precision, grid or number of steps. */
PetscErrorCode HgReplayFits(HgTrajectory trajectory, HgRecording recording);

/* Computes steps `from` to `to` of the recording in `directory` again, forward and, if it was a
   gradient, in reverse. The trajectory must have the recorded program and objective. Records the
   result in `replayed`, at the steps of the recording and at the ends of the window; compare with
   HgReplayCompare(). The trajectory's observers see the steps of the window that they want. The
   sweeps are those of the trajectory's own gradients, with its schedule, store and blocks.
   Collective. Errors: those of HgReplayFits(); no state to start from; a window outside the run; a
   gradient by a trajectory without a store; `replayed` is `directory` under any name; those of
   HgRecorderArm(). */
PetscErrorCode HgReplay(HgTrajectory trajectory, const char directory[], long from, long to,
                        const char replayed[]);

/* Prints "same bits" for what `recorded` and `replayed` have in common. Otherwise the error says
   where they first differ and which operators of the step write that variable. Collective. */
PetscErrorCode HgReplayCompare(HgTrajectory trajectory, const char recorded[],
                               const char replayed[]);

#endif
