/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/replay_library.h -- part of a recorded run once more, and what comes out beside what was
   recorded.

   The window [from, to]: q is restored from the nearest recorded state q_r, r <= from, and
   stepped to q_to; for the reverse sweep also lambda_s and the cotangents of constants so far, s
   >= to, from where steps s - 1 .. from are reversed. r is at most from - 1 then: an observation
   between two steps looks at both. Any number of ranks, threads, steps at once: the bits are
   those of the recorded run, or something has changed. A tangent is replayed alike. */
#ifndef HG_REPLAY_LIBRARY_H
#define HG_REPLAY_LIBRARY_H

#include <halograd/recording_library.h>
#include <halograd/trajectory.h>

/* Steps `from` to `to` of the recording in `directory` again, forward and, if `reverse` and it was
   a gradient, back, by the trajectory, which is one of the recorded program and objective. What
   comes out is recorded in `replayed` at the steps that the recording has, and at the window's
   ends; compare them (HgReplayCompare()). The trajectory's observers see the steps of the window
   that they want. They are the sweeps of its own gradients, with its schedule, store and blocks.
   Collective. Errors: another program, grid or number of steps; no state to start from; a window
   outside the run; a trajectory without a store, if `reverse`; `replayed` is `directory` by any
   name; those of HgRecorderArm(). */
PetscErrorCode HgReplay(HgTrajectory trajectory, const char directory[], long from, long to,
                        bool reverse, const char replayed[]);

/* The tangent of steps `from` to `to`: from dq_n, dc where the recording has them, at or before
   `from`; else from numbers of [-1, 1) in `from`, each in its unit, that depend on `seed` only.
   What comes out, q_n and dq_n at the steps whose q_n the recording has and at the window's
   ends, is a recording again: of two halves the second starts from what the first has left, and
   has the bits of the whole. Collective. Errors: as above. */
PetscErrorCode HgReplayTangent(HgTrajectory trajectory, const char directory[], long from, long to,
                               uint64_t seed, const char replayed[]);

/* Says "same bits" of what `recorded` and `replayed` have in common, or where they part first,
   and which operators of the step make the variable that parts, which is an error. Collective. */
PetscErrorCode HgReplayCompare(HgTrajectory trajectory, const char recorded[],
                               const char replayed[]);

#endif
