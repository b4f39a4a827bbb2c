/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/restart_library.h -- the progress of a gradient on disk, so that one that was killed can
   be resumed.

     HgRestartCreate(trajectory, &(HgRestartSpec){"output/gradient", .interval = 600}, &restart);
     HgTrajectoryGradient(trajectory, ...);     writes now and then, goes on from what is there
     HgRestartDestroy(&restart);

   A generation consists of the files KEY-K-* in the folder: in the forward sweep q_n; in the
   reverse sweep lambda_n, the cotangents of constants so far, q_N and J; and what the objective has
   observed. It is written under other names, synced and renamed, the text last, and the one before
   it stays until then: a kill at any time leaves a complete one. Any number of ranks can resume it,
   with the same bits.

   KEY is the digest of all that J and its gradient depend on: the program with its steps (two of
   them are made and reversed), grid, dt, number of steps, observations, active constants, and x
   with its ghosts outside frozen walls. Generations of other gradients in the folder are ignored. A
   damaged one is named, and the one before it is used.

   A generation is written every `interval` seconds, after the present steps, and when a signal asks
   the run to stop: then the gradient ends with one sentence and the program with HG_STOP_STATUS.
   Values, tangents and Hessians end likewise and write nothing. Ranks agree on this a few times a
   second without waiting; steps are made several at once as usual. The generations of a finished
   gradient are removed when the next one begins, or with the restart. */
#ifndef HG_RESTART_LIBRARY_H
#define HG_RESTART_LIBRARY_H

#include <halograd/trajectory.h>

typedef struct HgRestart_s *HgRestart;

typedef struct {
  const char
      *directory;  /* created when needed; trajectories may share it, groups of ranks may not */
  double interval; /* [s]; 0: after all steps that are made at once */
  bool unsynced;   /* no fsync: survives a kill, but perhaps not a power cut */
} HgRestartSpec;

/* Creates a restart for the gradients of `trajectory`; you may destroy either one first. `spec` is
   copied. If the program carries or gets HG_LOCAL arrays, nothing is kept and no signal is caught.
   Collective. Errors: interval negative or not finite; the name of the directory is too long.
   Later, by the gradients: a folder that cannot be read; not writable, no space: complete
   generations stay. */
PetscErrorCode HgRestartCreate(HgTrajectory trajectory, const HgRestartSpec *spec,
                               HgRestart *restart);
PetscErrorCode HgRestartDestroy(HgRestart *restart);

/* Removes all generations in its folder, of any gradient, and the folder if nothing else is in it.
   Call it between gradients. Collective. Error: not permitted. */
PetscErrorCode HgRestartClear(HgRestart restart);

/* key = KEY of a gradient of `trajectory` at x. Collective. */
PetscErrorCode HgRestartDigest(HgTrajectory trajectory, HgState x, char key[17]);

/* Where the present or last gradient was resumed: at q_n (HG_PRIMAL) or lambda_n (HG_COTANGENT);
   HG_NO_MODE: it began at q_0. */
void HgRestartWentOn(HgRestart restart, HgMode *sweep, long *n);

/* Number of generations written so far. */
long HgRestartWritten(HgRestart restart);

/* A batch system, or a user at the terminal, asks a run to stop.

   SIGUSR1 and SIGTERM are caught while a run can act on them. The handler only notes the signal.
   Plain C. */

/* Exit status of a program that was asked to stop and can be resumed: EX_TEMPFAIL of sysexits.h. */
enum { HG_STOP_STATUS = 75 };

/* Catches both signals until as many calls of HgStopRelease(), which restores the handlers before
   and raises a signal again that nobody has acted on. */
void HgStopCatch(void);
void HgStopRelease(void);

/* The signal that has come; 0: none. One sent with raise() counts, too. */
int HgStopAsked(void);

/* Notes that the run ends because of it. */
void HgStopAct(void);

/* "SIGUSR1", "SIGTERM". */
const char *HgStopName(int signal);

/* Forgets a signal. */
void HgStopForget(void);

#endif
