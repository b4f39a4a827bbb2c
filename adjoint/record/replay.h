/* halograd/replay.h -- part of a recorded run once more, and what comes out beside what was recorded.

   The window [from, to]: q is restored from the nearest recorded state q_r, r <= from, and stepped to
   q_to; for the reverse sweep also lambda_s and the cotangents of constants so far, s >= to, from
   where steps s - 1 .. from are reversed. r is at most from - 1 then: an observation between two steps
   looks at both. Any number of ranks, threads, steps at once: the bits are those of the recorded run,
   or something has changed. */
#ifndef HALOGRAD_REPLAY_H
#define HALOGRAD_REPLAY_H

#include <halograd/recording.h>
#include <halograd/trajectory.h>

/* Steps `from` to `to` of the recording in `directory` again, forward and, if `reverse` and it was a gradient, back,
   by the trajectory, which is one of the recorded program and objective. What comes out is recorded in
   `replayed` at the steps that the recording has; compare them (HgRecordingsCompare()). The
   trajectory's observers see the steps of the window that they want. Keeps to - from + 1 states, and those to the nearest recorded ones,
   if `reverse`. Collective. Errors: another program, grid or number of steps; no state to start from;
   a window outside the run; those of HgRecorderArm(). */
PetscErrorCode HgReplay(HgTrajectory trajectory, const char directory[], long from, long to,
                        bool reverse, const char replayed[]);

#endif
