/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/restart_library.h -- how far a gradient has come, on disk, so that one that was killed
   goes on.

     HgRestartCreate(trajectory, &(HgRestartSpec){"output/gradient", .interval = 600}, &restart);
     HgTrajectoryGradient(trajectory, ...);     writes now and then, goes on from what is there
     HgRestartDestroy(&restart);

   A generation is, in the folder, KEY-K-*: in the first sweep q_n, in the reverse sweep lambda_n,
   the cotangents of constants so far, q_N and J; and what the objective has observed. It is written
   under other names, synced and renamed, the text last, and the one before it stays until then: a
   kill at any time leaves one that is whole. Any number of ranks goes on from it, with the same
   bits.

   KEY is the digest of all that J and its gradient depend on: the program with its steps (two of
   them are made and reversed), grid, dt, number of steps, observations, active constants, and x
   with its ghosts outside frozen walls. What is in the folder of another gradient is not looked at.
   What is damaged is named, and the one before it serves.

   Written every `interval` seconds at the end of the steps under way, and when a signal asks the
   run to stop: then the gradient ends with one sentence and the program with
   HG_STOP_STATUS. So do values, tangents and Hessians, of which nothing is written. Until then
   ranks agree without waiting, some times a second; steps are made several at once as ever. When a
   gradient is through, its generations go, as the next one begins or with the restart. */
#ifndef HG_RESTART_LIBRARY_H
#define HG_RESTART_LIBRARY_H

#include <halograd/trajectory.h>

typedef struct HgRestart_s *HgRestart;

typedef struct {
  const char
      *directory;  /* made when first needed; trajectories may share it, groups of ranks may not */
  double interval; /* [s]; 0: wherever steps end that are made at once */
  bool unsynced;   /* no fsync: a kill leaves whole generations, a power cut may not */
  bool quiet;      /* do not say where a gradient goes on, nor that another generation serves */
} HgRestartSpec;

/* For the gradients of `trajectory`, either of which may be destroyed first; `spec` is copied. Of a
   program that carries, or is given, arrays of each rank's own (HG_LOCAL) nothing is kept, and no
   signal is caught. Collective. Errors: interval negative or not finite; the name of the directory
   is too long. Errors of the gradients, then: a folder that cannot be read; not writable, no space:
   what was whole is. */
PetscErrorCode HgRestartCreate(HgTrajectory trajectory, const HgRestartSpec *spec,
                               HgRestart *restart);
PetscErrorCode HgRestartDestroy(HgRestart *restart);

/* What is in its folder is needed no more, of whatever gradient: removed, and the folder, if
   nothing else is in it. Between gradients. Collective. Error: not permitted. */
PetscErrorCode HgRestartClear(HgRestart restart);

/* KEY of a gradient of `trajectory` at x, as it would be kept. Collective. */
PetscErrorCode HgRestartDigest(HgTrajectory trajectory, HgState x, char key[17]);

/* Where the gradient under way, or the last one, went on: at q_n (HG_PRIMAL) or lambda_n
   (HG_COTANGENT); HG_NO_MODE: it was made from q_0 on. */
void HgRestartWentOn(HgRestart restart, HgMode *sweep, long *n);

/* Generations written so far. */
long HgRestartWritten(HgRestart restart);

/* A batch system, or a user at the terminal, asks a run to stop.

   SIGUSR1 and SIGTERM are caught while a run can act on them; the handler notes the signal
   and does nothing else. Plain C. */

/* The status of a program that was asked to stop and can go on: EX_TEMPFAIL of sysexits.h. */
enum { HG_STOP_STATUS = 75 };

/* Catches both signals, until as many calls of HgStopRelease(), which puts back what was there, and
   raises the one that has come once more if nobody has acted on it. */
void HgStopCatch(void);
void HgStopRelease(void);

/* The signal that has come, 0: none. A signal sent with raise() counts, too. */
int HgStopAsked(void);

/* The run ends because of it. */
void HgStopAct(void);

/* "SIGUSR1", "SIGTERM". */
const char *HgStopName(int signal);

/* None has come. */
void HgStopForget(void);

#endif
