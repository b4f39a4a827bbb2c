/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/stop.h -- a batch system, or a user at the terminal, asks a run to stop.

   SIGUSR1 and SIGTERM are caught while a run can act on them; the handler notes the signal
   and does nothing else. Plain C. */
#ifndef HG_STOP_LIBRARY_H
#define HG_STOP_LIBRARY_H

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
